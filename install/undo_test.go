package install

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// TestNewerPith installs over an older one: its files are new, its entries too,
// in their place.
func TestNewerPith(t *testing.T) {
	for _, agent := range Agents() {
		t.Run(string(agent), func(t *testing.T) {
			c := newMachine(t)
			root := filepath.Dir(c.Claude)
			for a, at := range jsonSettings {
				if a == agent {
					writeFile(t, at(c), "{\n  \"x\": 1\n}\n")
				}
			}
			before := snapshot(t, root)
			o := Options{Scope: User}
			install(t, c, agent, o)
			old := *c
			c.Pith, c.Version = "/usr/bin/pith", "2.0.0"
			if p := install(t, c, agent, o); p.Empty() {
				t.Error("nothing was changed")
			}
			for path, text := range snapshot(t, root) {
				if strings.Contains(text, quotedInside(old.Pith)) {
					t.Errorf("%s still names the old program", path)
				}
			}
			uninstall(t, c, agent, o)
			wantSame(t, before, snapshot(t, root))
		})
	}
}

// TestChangedMeanwhile: what people did to the files since stays, byte for byte.
func TestChangedMeanwhile(t *testing.T) {
	c := newMachine(t)
	hooks, config := filepath.Join(c.Codex, "hooks.json"), filepath.Join(c.Codex, "config.toml")
	writeFile(t, hooks, "{\n  // mine\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n")
	writeFile(t, config, "model = \"x\"\n")
	o := Options{Scope: User, Trust: true}
	install(t, c, Codex, o)
	edit := func(path, old, next string) {
		data, err := os.ReadFile(path)
		must(t, err)
		if !bytes.Contains(data, []byte(old)) {
			t.Fatalf("%s has no %q", path, old)
		}
		must(t, os.WriteFile(path, bytes.Replace(data, []byte(old), []byte(next), 1), 0o640))
	}
	edit(hooks, "// mine", "// mine, and more")
	edit(config, "model = \"x\"\n", "model = \"y\"\n[features]\nhooks = true\n")
	c.Pith = "/usr/bin/pith"
	install(t, c, Codex, o)
	if p := install(t, c, Codex, o); !p.Empty() {
		t.Errorf("a second time changes %v", p.Files())
	}
	uninstall(t, c, Codex, o)
	for path, want := range map[string]string{
		hooks:  "{\n  // mine, and more\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
		config: "model = \"y\"\n[features]\nhooks = true\n",
	} {
		if data, err := os.ReadFile(path); err != nil || string(data) != want {
			t.Errorf("%s is %v\n%q\nwant\n%q", path, err, data, want)
		}
	}
}

func TestWhatPeopleChangedStays(t *testing.T) {
	c := newMachine(t)
	o := Options{Scope: User}
	install(t, c, ClaudeCode, o)
	install(t, c, OpenCode, o)
	settings, plugin := filepath.Join(c.Claude, "settings.json"), filepath.Join(c.OpenCode, "plugin", "pith.js")
	data, err := os.ReadFile(settings)
	must(t, err)
	must(t, os.WriteFile(settings, bytes.Replace(data, []byte("true"), []byte("\"mine\""), 1), 0o640))
	must(t, os.WriteFile(plugin, []byte("// mine"), 0o640))
	for agent, says := range map[Agent]string{ClaudeCode: "enabledPlugins.pith@pith was changed", OpenCode: "pith.js was changed"} {
		p := uninstall(t, c, agent, o)
		if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, says) {
			t.Errorf("%s: the notes are %q", agent, notes)
		}
	}
	if data, err := os.ReadFile(settings); err != nil || !strings.Contains(string(data), `"mine"`) || strings.Contains(string(data), "extraKnown") {
		t.Errorf("%v %s", err, data)
	}
	if data, err := os.ReadFile(plugin); err != nil || string(data) != "// mine" {
		t.Errorf("%v %s", err, data)
	}
}

// TestTwoScopes: what one installation needs stays when another goes.
func TestTwoScopes(t *testing.T) {
	c := newMachine(t)
	must(t, os.MkdirAll(c.Project, 0o755))
	root := filepath.Dir(c.Claude)
	before := snapshot(t, root)
	install(t, c, ClaudeCode, Options{Scope: User})
	install(t, c, ClaudeCode, Options{Scope: Project})
	checkSettings(t, ClaudeCode, filepath.Join(c.Project, ".claude", "settings.local.json"))
	uninstall(t, c, ClaudeCode, Options{Scope: User})
	if _, err := os.Stat(filepath.Join(c.Data, "install", "claude-code", ".claude-plugin", "marketplace.json")); err != nil {
		t.Error("the plugin is gone, which the project needs:", err)
	}
	uninstall(t, c, ClaudeCode, Options{Scope: Project})
	wantSame(t, before, snapshot(t, root))
}

// TestLostReceipt takes out what an installation put there, without its receipt.
func TestLostReceipt(t *testing.T) {
	for _, agent := range Agents() {
		c := newMachine(t)
		install(t, c, agent, Options{Scope: User})
		must(t, os.RemoveAll(c.receipts()))
		uninstall(t, c, agent, Options{Scope: User})
		for path, text := range snapshot(t, filepath.Dir(c.Claude)) {
			if strings.Contains(text, "pith") && !strings.HasPrefix(text, "d") {
				t.Errorf("%s: %s is left: %s", agent, path, text)
			}
		}
		if _, err := c.Uninstall(agent, Options{Scope: User}); pith.KindOf(err) != pith.KindDeclined {
			t.Errorf("%s: a second time: %v", agent, err)
		}
	}
}
