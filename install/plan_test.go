package install

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/pith-memory/pith"
)

// newMachine is a home folder with nothing in it.
func newMachine(t *testing.T) *Config {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(names ...string) string { return filepath.Join(append([]string{home}, names...)...) }
	return &Config{
		Pith: "/opt/it's here/pith", Version: "1.2.3", Data: at("data", "pith"), Claude: at(".claude"), Codex: at(".codex"),
		OpenCode: at(".config", "opencode"), Pi: at(".pi", "agent"), Project: at("project"),
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func install(t *testing.T, c *Config, agent Agent, o Options) *Plan {
	t.Helper()
	p, err := c.Install(agent, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(); err != nil {
		t.Fatal(err)
	}
	return p
}

func uninstall(t *testing.T, c *Config, agent Agent, o Options) *Plan {
	t.Helper()
	p, err := c.Uninstall(agent, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(); err != nil {
		t.Fatal(err)
	}
	return p
}

// snapshot is everything below a folder: names, modes, links and bytes.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String() + " "
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			text += to
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += string(data)
		}
		all[path] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func wantSame(t *testing.T, before, after map[string]string) {
	t.Helper()
	for path, text := range before {
		if after[path] != text {
			t.Errorf("%s was\n%.300q\nand is\n%.300q", path, text, after[path])
		}
	}
	for path := range after {
		if _, ok := before[path]; !ok {
			t.Errorf("%s is left", path)
		}
	}
}

// odd are settings that people have: each is put through install, a second
// install and uninstall.
var odd = map[string]string{
	"comments":           "// mine\n{\n  // why\n  \"model\": \"opus\", // this one\n  /* off */ \"x\": 1e5,\n}\n",
	"one line":           `{"a":1,"enabledPlugins":{"other@there":true},"hooks":{"PreCompact":[]}}`,
	"tabs, CRLF, mark":   byteOrderMark + "{\r\n\t\"env\": {},\r\n\t\"mcp\": { }\r\n}",
	"other hooks":        "{\"hooks\": {\n  \"PreCompact\": [\n    {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}\n  ]\n}}",
	"duplicate keys":     `{"hooks":{"Stop":[]},"hooks":{},"mcp":{},"mcp":{"x":{}},"enabledPlugins":{},"enabledPlugins":{}}`,
	"empty":              "",
	"blanks":             "\n\n  ",
	"only comments":      "// nothing yet",
	"switched off":       `{"enabledPlugins": {"pith@pith": false}}`,
	"a status line":      `{"statusLine": {"type": "command", "command": "mine"}}`,
	"nested, not deep":   `{"x":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`,
	"ten megabytes":      `{"x":"` + strings.Repeat("0123456789", 1<<20) + `"}`,
	"escaped names":      `{"\u0068ooks": {}, "m\u0063p": {}, "enabledPlugin\u0073": {}}`,
	"big numbers":        `{"n": 123456789012345678901234567890, "m": -0.0, "e": 1E+5}`,
	"no newline, spaces": "{\n    \"a\": 1\n  }",
}

var jsonSettings = map[Agent]func(*Config) string{
	ClaudeCode: func(c *Config) string { return filepath.Join(c.Claude, "settings.json") },
	Codex:      func(c *Config) string { return filepath.Join(c.Codex, "hooks.json") },
	OpenCode:   func(c *Config) string { return filepath.Join(c.OpenCode, "opencode.json") },
	MCP:        func(c *Config) string { return filepath.Join(filepath.Dir(c.Claude), "client.json") },
}

func optionsFor(agent Agent, file string) Options {
	o := Options{Scope: User}
	if agent == MCP {
		o.File = file
	}
	return o
}

func TestInstallAndBack(t *testing.T) {
	for name, text := range odd {
		for agent, at := range jsonSettings {
			t.Run(string(agent)+"/"+name, func(t *testing.T) {
				c := newMachine(t)
				root, file := filepath.Dir(c.Claude), at(c)
				writeFile(t, file, text)
				before := snapshot(t, root)
				o := optionsFor(agent, file)
				o.StatusLine = true
				install(t, c, agent, o)
				checkSettings(t, agent, file)
				once := snapshot(t, root)
				if p := install(t, c, agent, o); !p.Empty() {
					t.Errorf("a second time changes %v", p.Files())
				}
				wantSame(t, once, snapshot(t, root))
				uninstall(t, c, agent, o)
				wantSame(t, before, snapshot(t, root))
			})
		}
	}
}

// checkSettings reads settings as the agents do.
func checkSettings(t *testing.T, agent Agent, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := parseDocument(file, data)
	if err != nil {
		t.Fatal(err)
	}
	v, err := doc.plain()
	if err != nil {
		t.Fatal(err)
	}
	out, _ := json.Marshal(v)
	want := map[Agent]string{ClaudeCode: `"pith@pith":true`, Codex: `hook pre-compact`, OpenCode: `"type":"local"`, MCP: `"mcpServers":{"pith"`}[agent]
	if !strings.Contains(string(out), want) {
		t.Errorf("%.2000s does not say %s", out, want)
	}
}

// TestBrokenSettings: a clear line with the place, and nothing changed anywhere.
func TestBrokenSettings(t *testing.T) {
	for name, x := range map[string]struct{ text, says string }{
		"no JSON":               {"model = opus\n", ":1:1: "},
		"torn":                  {"{\n  \"a\": {\n", ":3:1: "},
		"an array":              {"[1]", ":1:1: it holds an array where settings are an object"},
		"a number":              {"\n 7", ":2:2: it holds a number"},
		"a string":              {`"x"`, ":1:1: it holds a string"},
		"two values":            {"{}\n{}", ":2:1: "},
		"missing comma":         {"{\n  \"a\": 1\n  \"b\": 2\n}", ":3:3: "},
		"binary":                {"\x7fELF\x02\x01\x01\x00", "a NUL byte"},
		"NUL behind":            {"{}\x00", ":1:3: a NUL byte"},
		"UTF-16":                {"\xff\xfe{\x00}\x00", "it is UTF-16"},
		"Latin-1":               {"{\"a\": \"\xe9\"}", ":1:8: bytes that are not UTF-8"},
		"too deep":              {`{"x":` + strings.Repeat("[", 1<<20), "nested more than 1000 deep"},
		"open comment":          {"{} /* ", ":1:"},
		"single quotes":         {"{'a': 1}", ":1:2: "},
		"hooks a string":        {"{\n \"hooks\": \"no\", \"enabledPlugins\": \"no\", \"mcp\": \"no\", \"mcpServers\": \"no\"}", ":2:"},
		"hooks an array":        {"{\"hooks\": [], \"enabledPlugins\": [], \"mcp\": [], \"mcpServers\": []}", "is an array where an object is needed"},
		"null":                  {"{\"hooks\": null, \"enabledPlugins\": null, \"mcp\": null, \"mcpServers\": null}", "is null where an object is needed"},
		"an event no list":      {"{\"hooks\": {\"PreCompact\": {}}, \"enabledPlugins\": {\"pith@pith\": \"x\"}, \"mcp\": 1, \"mcpServers\": 1}", ":1:"},
		"another pith":          {"{\"hooks\": {\"Stop\": 1}, \"extraKnownMarketplaces\": {\"pith\": {}}, \"mcp\": {\"pith\": {}}, \"mcpServers\": {\"pith\": {}}}", ":1:"},
		"unfinished string":     {"{\"a\": \"b\n\"}", ":1:"},
		"a comma at the start":  {"{,}", ":1:2: "},
		"a colon for a comma":   {"{\"a\": 1: 2}", ":1:8: "},
		"a word":                {"{\"a\": yes}", ":1:7: "},
		"a second mark":         {byteOrderMark + byteOrderMark + "{}", ":1:1: "},
		"numbers with a zero":   {"{\"a\": 01}", ":1:7: "},
		"a half escape":         {"{\"a\": \"\\u12\"}", ":1:7: "},
		"a line break in a key": {"{\"a\nb\": 1}", ":1:"},
	} {
		for agent, at := range jsonSettings {
			t.Run(string(agent)+"/"+name, func(t *testing.T) {
				c := newMachine(t)
				writeFile(t, at(c), x.text)
				wantRefused(t, c, agent, optionsFor(agent, at(c)), at(c), x.says)
			})
		}
	}
}

// wantRefused wants an error in one line that names the file and says a thing,
// with a hint, and nothing changed.
func wantRefused(t *testing.T, c *Config, agent Agent, o Options, file, says string) {
	t.Helper()
	before := snapshot(t, filepath.Dir(c.Claude))
	p, err := c.Install(agent, o)
	if err == nil {
		err = p.Apply()
	}
	if err == nil {
		t.Fatal("there is no error")
	}
	if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, file) || !strings.Contains(text, says) || len(text) > 600 {
		t.Errorf("the error is %.700q, want one line with %q", text, says)
	}
	if pith.HintOf(err) == "" || pith.KindOf(err) != pith.KindInput {
		t.Errorf("kind %v, hint %q", pith.KindOf(err), pith.HintOf(err))
	}
	wantSame(t, before, snapshot(t, filepath.Dir(c.Claude)))
}

func TestOddPlaces(t *testing.T) {
	for name, x := range map[string]struct {
		make func(t *testing.T, c *Config, file string)
		says string
	}{
		"a folder":         {func(t *testing.T, _ *Config, file string) { must(t, os.MkdirAll(file, 0o755)) }, "it is a folder where a file is needed"},
		"a dangling link":  {func(t *testing.T, _ *Config, file string) { must(t, os.Symlink("nowhere", file)) }, "leads nowhere"},
		"a loop of links":  {func(t *testing.T, _ *Config, file string) { must(t, os.Symlink(file, file)) }, "leads nowhere"},
		"link to a folder": {func(t *testing.T, c *Config, file string) { must(t, os.Symlink(t.TempDir(), file)) }, "it is a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newMachine(t)
			file := filepath.Join(c.Claude, "settings.json")
			must(t, os.MkdirAll(c.Claude, 0o755))
			x.make(t, c, file)
			wantRefused(t, c, ClaudeCode, Options{Scope: User}, file, x.says)
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestNotAllowed: what may not be read or written is an error, and the files
// that could be written are as they were.
func TestNotAllowed(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("needs a user whom the system refuses something")
	}
	c := newMachine(t)
	file := filepath.Join(c.Claude, "settings.json")
	writeFile(t, file, "{}")
	must(t, os.Chmod(c.Claude, 0o500))
	t.Cleanup(func() { _ = os.Chmod(c.Claude, 0o700) })
	wantRefused(t, c, ClaudeCode, Options{Scope: User}, file, "permission denied")
}

// TestAllOrNothing breaks the last of several files only when it is written.
func TestAllOrNothing(t *testing.T) {
	for name, breakIt := range map[string]func(t *testing.T, c *Config){
		"changed meanwhile": func(t *testing.T, c *Config) { writeFile(t, filepath.Join(c.Codex, "config.toml"), "a = 1\n") },
		"became a folder": func(t *testing.T, c *Config) {
			must(t, os.MkdirAll(filepath.Join(c.Codex, "config.toml"), 0o755))
		},
		"no room for it": func(t *testing.T, c *Config) { writeFile(t, c.Data, "a file where a folder is needed") },
	} {
		t.Run(name, func(t *testing.T) {
			c := newMachine(t)
			writeFile(t, filepath.Join(c.Codex, "hooks.json"), "{}")
			p, err := c.Install(Codex, Options{Scope: User})
			must(t, err)
			breakIt(t, c)
			before := snapshot(t, filepath.Dir(c.Claude))
			if err := p.Apply(); err == nil || pith.HintOf(err) == "" {
				t.Errorf("the error is %v", err)
			}
			after := snapshot(t, filepath.Dir(c.Claude))
			delete(after, filepath.Dir(c.Data)) // where the lock is held
			delete(after, c.Data)
			delete(before, c.Data)
			delete(before, filepath.Dir(c.Data))
			wantSame(t, before, after)
		})
	}
}

func TestLinksStay(t *testing.T) {
	c := newMachine(t)
	root := filepath.Dir(c.Claude)
	target := filepath.Join(root, "dotfiles", "claude.json")
	writeFile(t, target, "{\n  \"a\": 1\n}\n")
	must(t, os.MkdirAll(c.Claude, 0o755))
	must(t, os.Symlink(target, filepath.Join(c.Claude, "settings.json")))
	before := snapshot(t, root)
	install(t, c, ClaudeCode, Options{Scope: User})
	checkSettings(t, ClaudeCode, target)
	if info, err := os.Lstat(filepath.Join(c.Claude, "settings.json")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode became %v %v", info.Mode(), err)
	}
	uninstall(t, c, ClaudeCode, Options{Scope: User})
	wantSame(t, before, snapshot(t, root))
}

// TestLinksLeadNowhereElse: nothing of a project leads pith out of it.
func TestLinksLeadNowhereElse(t *testing.T) {
	for name, link := range map[string]string{
		"the plugin's folder": filepath.Join(".opencode", "plugin"),
		"the plugin":          filepath.Join(".opencode", "plugin", "pith.js"),
		"the settings":        "opencode.json",
	} {
		t.Run(name, func(t *testing.T) {
			c := newMachine(t)
			outside := filepath.Join(filepath.Dir(c.Project), "outside")
			writeFile(t, filepath.Join(outside, "opencode.json"), "{}")
			at := filepath.Join(c.Project, link)
			must(t, os.MkdirAll(filepath.Dir(at), 0o755))
			to := outside
			if link == "opencode.json" {
				to = filepath.Join(outside, "opencode.json")
			}
			must(t, os.Symlink(to, at))
			wantRefused(t, c, OpenCode, Options{Scope: Project}, c.Project, "")
		})
	}
}

// TestTwoAtOnce: of several installations at once each ends well or says that
// somebody else was there, and what they leave is right.
func TestTwoAtOnce(t *testing.T) {
	c := newMachine(t)
	file := filepath.Join(c.Codex, "hooks.json")
	writeFile(t, file, "{\n  // mine\n}\n")
	writeFile(t, filepath.Join(c.Codex, "config.toml"), "a = 1")
	must(t, os.MkdirAll(filepath.Dir(c.Data), 0o755))
	root := filepath.Dir(c.Claude)
	before := snapshot(t, root)
	var group sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		group.Go(func() {
			p, err := c.Install(Codex, Options{Scope: User})
			if err == nil {
				err = p.Apply()
			}
			errs[i] = err
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil && !strings.Contains(err.Error(), "somebody else") {
			t.Error(err)
		}
	}
	if p := install(t, c, Codex, Options{Scope: User}); !p.Empty() {
		t.Errorf("not all was done: %v", p.Files())
	}
	uninstall(t, c, Codex, Options{Scope: User})
	wantSame(t, before, snapshot(t, root))
}
