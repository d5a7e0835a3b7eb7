package install

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestLastLineIsAComment: an editor need not end a file with an end of line.
func TestLastLineIsAComment(t *testing.T) {
	for _, text := range []string{"{\"a\": 1} // the end", "{} //", "{\n} /* so */ // it ends"} {
		got, err := putJSON("f", []byte(text), sampleEntries())
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		out, err := takeJSON("f", got.data, got.entries)
		if want := text[strings.Index(text, "}")+1:]; err != nil || !strings.HasSuffix(string(out.data), want) {
			t.Errorf("%q became %q: %v", text, out.data, err)
		}
	}
	if _, err := putJSON("f", []byte("{} /* no end"), sampleEntries()); err == nil || !strings.HasPrefix(err.Error(), "f:1:4: ") {
		t.Errorf("a comment without an end: %v", err)
	}
}

// TestOtherNames says that a file has other names, which do not change with it.
func TestOtherNames(t *testing.T) {
	c := newMachine(t)
	file := filepath.Join(c.Claude, "settings.json")
	writeFile(t, file, "{}\n")
	must(t, os.Link(file, filepath.Join(c.Claude, "other.json")))
	p := install(t, c, ClaudeCode, Options{Scope: User})
	if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, "settings.json is one of 2 names of a file") {
		t.Errorf("the notes are %q", notes)
	}
}

// TestKilled: what a pith that was killed left beside a file is swept away by
// the next one, and nothing that has another name is.
func TestKilled(t *testing.T) {
	c := newMachine(t)
	file := filepath.Join(c.Claude, "settings.json")
	writeFile(t, file, "{}\n")
	left, kept := filepath.Join(c.Claude, ".settings.json.pith-ABCDEFGH"), filepath.Join(c.Claude, ".settings.json.pith-mine-for-ever")
	writeFile(t, left, "{")
	writeFile(t, kept, "{")
	beside := filepath.Join(c.Data, "install", "claude-code", "plugin", "hooks", ".hooks.json.pith-ABCDEFGH")
	writeFile(t, beside, "{")
	install(t, c, ClaudeCode, Options{Scope: User})
	for path, want := range map[string]bool{left: false, beside: false, kept: true} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestLostReceiptLeavesNoFolders: nor does one that was lost in between.
func TestLostReceiptLeavesNoFolders(t *testing.T) {
	for _, again := range []bool{false, true} {
		c := newMachine(t)
		install(t, c, ClaudeCode, Options{Scope: User})
		must(t, os.RemoveAll(c.receipts()))
		if again {
			install(t, c, ClaudeCode, Options{Scope: User})
		}
		uninstall(t, c, ClaudeCode, Options{Scope: User})
		if _, err := os.Stat(c.Data); err == nil {
			t.Errorf("installed again %v: pith's folder is still there: %v", again, snapshot(t, c.Data))
		}
	}
}

// TestChangedHooks: hooks of pith that people changed are not put in a second
// time, and go with pith; what people added stays.
func TestChangedHooks(t *testing.T) {
	c := newMachine(t)
	file := filepath.Join(c.Codex, "hooks.json")
	o := Options{Scope: User, NoMCP: true}
	install(t, c, Codex, o)
	type group map[string][]map[string]any
	var doc map[string]map[string][]group
	data, err := os.ReadFile(file)
	must(t, err)
	must(t, json.Unmarshal(data, &doc))
	stop, start := doc["hooks"]["Stop"][0], doc["hooks"]["SessionStart"][0]
	stop["hooks"] = append(stop["hooks"], map[string]any{"type": "command", "command": "mine"})
	start["hooks"][0]["timeout"] = 99
	data, err = json.MarshalIndent(doc, "", " ")
	must(t, err)
	must(t, os.WriteFile(file, data, 0o600))

	p := install(t, c, Codex, o)
	now, err := os.ReadFile(file)
	must(t, err)
	if string(now) != string(data) || len(p.Notes) != 2 {
		t.Errorf("installed again: %q\n%s", p.Notes, now)
	}
	for _, x := range c.Examine(context.Background(), Codex, t.TempDir()) {
		if x.Name == "settings" && x.Level != OK {
			t.Errorf("doctor says %+v", x)
		}
	}
	uninstall(t, c, Codex, o)
	now, err = os.ReadFile(file)
	must(t, err)
	var left map[string]map[string][]group
	must(t, json.Unmarshal(now, &left))
	if strings.Contains(string(now), "pith") || len(left["hooks"]) != 1 || len(left["hooks"]["Stop"]) != 1 || left["hooks"]["Stop"][0]["hooks"][0]["command"] != "mine" {
		t.Errorf("left is %s", now)
	}
}

// TestRewrittenTOML: a client that writes its settings anew moves pith's table;
// it goes all the same, and nothing beside it.
func TestRewrittenTOML(t *testing.T) {
	entry := []Entry{{Path: []string{"mcp_servers", "pith"}, Value: json.RawMessage(`{"command":"/p","args":["mcp"]}`)}}
	for name, x := range map[string]struct{ text, want string }{
		"other order":   {"a = 1\n[mcp_servers.pith]\nargs = [ \"mcp\" ]\ncommand = '/p'\n[z]\ny = 1\n", "a = 1\n[z]\ny = 1\n"},
		"comment stays": {"a = 1\n\n[mcp_servers.\"pith\"] # x\nargs = [\n  \"mcp\",\n]\ncommand = '/p'\n\n# of z\n[z]\n", "a = 1\n\n# of z\n[z]\n"},
		"CRLF":          {"a = 1\r\n\r\n" + tomlMark + "\r\n[mcp_servers.pith]\r\ncommand = \"/p\"\r\nargs = [\"mcp\"]\r\n", "a = 1\r\n"},
		"changed":       {"[mcp_servers.pith]\ncommand = \"/p\"\nargs = [\"mcp\"]\nenabled = false\n", "[mcp_servers.pith]\ncommand = \"/p\"\nargs = [\"mcp\"]\nenabled = false\n"},
		"in a string":   {"s = '''\n[mcp_servers.pith]\nargs = []\n'''\nmcp_servers = { pith = { command = \"/p\", args = [\"mcp\"] } }\n", "s = '''\n[mcp_servers.pith]\nargs = []\n'''\nmcp_servers = { pith = { command = \"/p\", args = [\"mcp\"] } }\n"},
	} {
		out, err := takeTOML("f", []byte(x.text), entry, nil)
		if err != nil || string(out.data) != x.want {
			t.Errorf("%s: %v\n%q\nwant\n%q", name, err, out.data, x.want)
		}
	}
}

// TestDoctorOfBrokenReceipts: pith is installed, and nobody can tell how.
func TestDoctorOfBrokenReceipts(t *testing.T) {
	for name, text := range map[string]string{"cut": "{", "newer": `{"version": 99}`, "empty": ""} {
		c := newMachine(t)
		writeFile(t, filepath.Join(c.receipts(), "claude-code-0123456789ab.json"), text)
		for agent, want := range map[Agent]int{"": 1, ClaudeCode: 1, Pi: 0} {
			n := 0
			for _, x := range c.Examine(context.Background(), agent, t.TempDir()) {
				if x.Name == "receipt" && x.Level == Wrong && x.Agent == ClaudeCode && strings.Contains(x.Text, c.receipts()) {
					n++
				}
			}
			if n != want {
				t.Errorf("%s: doctor of %q says %d times that it cannot be read", name, agent, n)
			}
		}
	}
}

// TestOddVersions: what an agent says of itself is bounded, and is no command to
// a terminal.
func TestOddVersions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("agents are scripts for sh here")
	}
	c := newMachine(t)
	install(t, c, Pi, Options{Scope: User})
	bin := t.TempDir()
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for name, x := range map[string]struct {
		script string
		level  Level
		says   string
	}{
		"flood":     {"exec yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", Warning, "says more than 64 KiB"},
		"noise":     {"exec yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa >&2", Warning, "says more than 64 KiB"},
		"long":      {"printf '%05000d' 1", OK, "..."},
		"escapes":   {`printf '\033[2J1.2\n'`, OK, "1.2 ("},
		"nothing":   {"exit 0", Warning, "it says nothing"},
		"no end":    {"sleep 60 & echo 1.3", OK, "1.3 ("},
		"plain":     {"echo 1.4; echo more", OK, "1.4 ("},
		"not well":  {"echo 1.5; exit 7", Warning, "exit status 7"},
		"to stderr": {"echo 1.6 >&2", OK, "1.6 ("},
	} {
		must(t, os.WriteFile(filepath.Join(bin, "pi"), []byte("#!/bin/sh\n"+x.script+"\n"), 0o700))
		var got Check
		for _, check := range c.Examine(t.Context(), Pi, t.TempDir()) {
			if check.Name == "agent" {
				got = check
			}
		}
		if got.Level != x.level || !strings.Contains(got.Text, x.says) || len(got.Text) > 400 || strings.Contains(got.Text, "\x1b") {
			t.Errorf("%s: doctor says %+v", name, got)
		}
	}
}
