package install

import (
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"
)

// TestClaudeNamed holds that each place of Claude Code's files where pith is run
// gets its path, quoted as the place asks, and that nothing else does.
func TestClaudeNamed(t *testing.T) {
	const odd = `/opt/Ann's "$1 programs"/pith`
	word := shellWord(odd)
	c := &Config{Pith: odd, Version: "1.2.3"}
	list, err := c.filled("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{ // how often pith is named
		"hooks.json": 10, "register.ts": 1, ".mcp.json": 1, "compact.md": 2, "pin.md": 4, "recall.md": 4, "state.md": 4,
		"marketplace.json": 0, "plugin.json": 0, "SKILL.md": 0,
	}
	for _, p := range list {
		base, text := path.Base(p.name), string(p.data)
		times, ok := want[base]
		if !ok {
			t.Errorf("%s is no known file", p.name)
		}
		delete(want, base)
		name := word
		switch base {
		case "hooks.json":
			name = quotedInside(word)
		case "register.ts", ".mcp.json":
			name = quotedInside(odd)
		}
		if n := strings.Count(text, name); n != times {
			t.Errorf("%s names pith %d times, not %d:\n%s", p.name, n, times, text)
		}
		if path.Ext(base) == ".json" && !json.Valid(p.data) {
			t.Errorf("%s is no JSON:\n%s", p.name, text)
		}
		if base == "plugin.json" && !strings.Contains(text, `"version": "1.2.3"`) {
			t.Errorf("%s has no version:\n%s", p.name, text)
		}
		if base != "SKILL.md" && pithRuns.MatchString(text) {
			t.Errorf("%s runs a pith of the PATH:\n%s", p.name, text)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// TestMarketplace holds that the repository is the marketplace that an
// installation writes, with the plugin in its own place.
func TestMarketplace(t *testing.T) {
	root, err := os.ReadFile("../.claude-plugin/marketplace.json")
	if err != nil {
		t.Fatal(err)
	}
	installed, err := parts.ReadFile("claude-code/.claude-plugin/marketplace.json")
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(string(installed), `"./plugin"`, `"./install/claude-code/plugin"`, 1); string(root) != want {
		t.Errorf("the marketplace of the repository is\n%s\nand not\n%s", root, want)
	}
}
