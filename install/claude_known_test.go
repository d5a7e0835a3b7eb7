package install

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKnownMarket holds what becomes of the list of marketplaces that Claude Code
// writes anew by itself.
func TestKnownMarket(t *testing.T) {
	const other = `"official": {"source": {"source": "github", "repo": "a/b"}, "installLocation": "/x", "lastUpdated": "2026-01-02T03:04:05.678Z"}`
	for _, c := range []struct {
		name, before string
		// meanwhile is what Claude Code makes of the file, and left what uninstall does.
		meanwhile func(string) string
		left      string
	}{
		{"no file", "", same, ""},
		{"written anew", "", anew, ""},
		{"another one came in", "", func(s string) string { return strings.Replace(anew(s), "{", "{"+other+",", 1) }, "{" + other + "\n}"},
		{"others were there", "{\n  " + other + "\n}", same, "{\n  " + other + "\n}"},
		{"others were there, written anew", "{\n  " + other + "\n}", anew, "{\n  " + other + "\n}"},
		{"taken out", "{\n  " + other + "\n}", func(string) string { return "{ }" }, "{ }"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			file := filepath.Join(m.Claude, "plugins", "known_marketplaces.json")
			if c.before != "" {
				writeFile(t, file, c.before)
			}
			install(t, m, ClaudeCode, Options{Scope: User})
			data, err := os.ReadFile(file)
			must(t, err)
			writeFile(t, file, c.meanwhile(string(data)))
			if c.name != "taken out" {
				if p := install(t, m, ClaudeCode, Options{Scope: User}); !p.Empty() || len(p.Notes) > 0 {
					t.Errorf("a second time changes %v %q", p.Files(), p.Notes)
				}
				for _, x := range m.Examine(context.Background(), ClaudeCode, t.TempDir()) {
					if x.Name == "settings" && x.Level != OK {
						t.Errorf("doctor says %+v", x)
					}
				}
			}
			uninstall(t, m, ClaudeCode, Options{Scope: User})
			data, err = os.ReadFile(file)
			if string(data) != c.left || (err == nil) != (c.left != "") {
				t.Errorf("left is %q (%v), want %q", data, err, c.left)
			}
			if _, err := os.Stat(filepath.Dir(file)); (err == nil) != (c.left != "") {
				t.Errorf("the folder: %v", err)
			}
		})
	}
}

func same(s string) string { return s }

// anew is the file as Claude Code writes it: another time, no end of line.
func anew(s string) string {
	return strings.TrimSuffix(strings.Replace(s, "1970-01-01T00:00:00.000Z", "2026-11-30T12:44:22.705Z", 1), "\n")
}

// TestKnownMarketOfOthers: a marketplace of the same name that is elsewhere stays.
func TestKnownMarketOfOthers(t *testing.T) {
	m := newMachine(t)
	file := filepath.Join(m.Claude, "plugins", "known_marketplaces.json")
	const text = `{"pith": {"source": {"source": "github", "repo": "me/pith"}, "installLocation": "/x", "lastUpdated": "2026-01-02T03:04:05.678Z"}}`
	writeFile(t, file, text)
	if p := install(t, m, ClaudeCode, Options{Scope: User}); len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "has pith already, which stays") {
		t.Errorf("the notes are %q", p.Notes)
	}
	for _, x := range m.Examine(context.Background(), ClaudeCode, t.TempDir()) {
		if x.Name == "settings" && x.Level != OK {
			t.Errorf("doctor says %+v", x)
		}
	}
	uninstall(t, m, ClaudeCode, Options{Scope: User})
	if data, err := os.ReadFile(file); err != nil || string(data) != text {
		t.Errorf("it is %q: %v", data, err)
	}
}
