package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith/agent"
)

func TestToolsStayInTheFolder(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret.txt"), []byte("not for the model"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	run := runner(t, dir)
	for _, path := range []string{"../secret.txt", filepath.Join(outside, "secret.txt"), "link/secret.txt", "/etc/passwd", ""} {
		quoted, _ := json.Marshal(path)
		for _, call := range [][2]string{
			{"read", `{"path":` + string(quoted) + `}`},
			{"write", `{"path":` + string(quoted) + `,"content":"overwritten"}`},
			{"edit", `{"path":` + string(quoted) + `,"old":"not","new":"now"}`},
		} {
			if out, err := run(call[0], call[1]); err == nil {
				t.Errorf("%s %s: %q", call[0], path, out.Text)
			}
		}
	}
	if text, err := os.ReadFile(filepath.Join(outside, "secret.txt")); err != nil || string(text) != "not for the model" {
		t.Errorf("the file outside is %q (%v)", text, err)
	}
}

func TestFileTools(t *testing.T) {
	dir := t.TempDir()
	run := runner(t, dir)
	ok := func(name, input, want string) {
		t.Helper()
		out, err := run(name, input)
		if err != nil || !strings.Contains(out.Text, want) {
			t.Errorf("%s %s: %q, %v; want %q", name, input, out.Text, err, want)
		}
	}
	fails := func(name, input, want string) {
		t.Helper()
		if out, err := run(name, input); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s %s: %q, %v; want the error %q", name, input, out.Text, err, want)
		}
	}
	ok("write", `{"path":"a/b/c.txt","content":"one\ntwo\nthree\ntwo\n"}`, "18 bytes written")
	ok("read", `{"path":"a/b/c.txt","offset":2,"limit":1}`, "two\n")
	ok("read", `{"path":"`+filepath.Join(dir, "a/b/c.txt")+`","offset":99}`, "")
	fails("edit", `{"path":"a/b/c.txt","old":"two","new":"2"}`, "occurs 2 times")
	fails("edit", `{"path":"a/b/c.txt","old":"four","new":"4"}`, "occurs 0 times")
	fails("edit", `{"path":"a/b/c.txt","old":"","new":"4"}`, "old is empty")
	fails("read", `{"path":"a/b"}`, "is no file")
	fails("read", `{"path":"a/b/c.txt","lines":3}`, "lines")
	if err := os.Chmod(filepath.Join(dir, "a/b/c.txt"), 0o750); err != nil {
		t.Fatal(err)
	}
	ok("edit", `{"path":"a/b/c.txt","old":"one","new":"eins"}`, "1 place replaced")
	info, err := os.Stat(filepath.Join(dir, "a/b/c.txt"))
	if err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("mode %v (%v), want that of the file before", info.Mode(), err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "a/b/*")); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
	if err := os.WriteFile(filepath.Join(dir, "image"), []byte{1, 0, 2}, 0o644); err != nil {
		t.Fatal(err)
	}
	fails("read", `{"path":"image"}`, "is no text")
}

func TestBash(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-planted")
	t.Setenv("GH_TOKEN", "gh-planted")
	dir := t.TempDir()
	run := runner(t, dir)
	out, err := run("bash", `{"command":"env; pwd; echo oops >&2; exit 3"}`)
	if err != nil || out.Exit == nil || *out.Exit != 3 || !out.IsError {
		t.Fatalf("%+v, %v", out, err)
	}
	if !strings.Contains(out.Text, "oops") || !strings.Contains(out.Text, filepath.Base(dir)) {
		t.Errorf("the output is %q", out.Text)
	}
	if strings.Contains(out.Text, "planted") {
		t.Error("the command sees a key")
	}
	if out, err = run("bash", `{"command":"true"}`); err != nil || out.IsError || out.Exit == nil || *out.Exit != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	if out, err = run("bash", `{"command":"yes 0123456789 | head -c 9000000; echo the end"}`); err != nil || len(out.Text) > maxOutput || !strings.HasSuffix(out.Text, "the end\n") {
		t.Errorf("%d bytes, %v", len(out.Text), err)
	}
}

func TestConfirm(t *testing.T) {
	for _, x := range []struct {
		name, typed   string
		terminal, yes bool
		want          bool
	}{
		{"yes on a terminal", "y\n", true, false, true},
		{"enter on a terminal", "\n", true, false, false},
		{"end of input", "", true, false, false},
		{"no terminal", "y\n", false, false, false},
		{"-yes", "", false, true, true},
	} {
		var errOut bytes.Buffer
		s := screen{in: bufio.NewReader(strings.NewReader(x.typed)), out: &errOut, err: &errOut, terminal: x.terminal, yes: x.yes}
		got, err := s.confirm(context.Background(), agent.Call{Name: "bash", Input: json.RawMessage(`{"command":"rm -rf build"}`), Why: "it destroys"})
		if err != nil || got != x.want {
			t.Errorf("%s: %v, %v; want %v", x.name, got, err, x.want)
		}
	}
	for command, want := range map[string]bool{"rm -rf build": true, "git push --force": true, "go test ./...": false, "ls -la": false} {
		if got := confirmBash(bashArgs{command}) != ""; got != want {
			t.Errorf("%s is asked about: %v, want %v", command, got, want)
		}
	}
}

// runner runs tools of a folder by their names.
func runner(t *testing.T, dir string) func(name, input string) (agent.Output, error) {
	t.Helper()
	w, err := openWorkshop(dir)
	if err != nil {
		t.Fatal(err)
	}
	return func(name, input string) (agent.Output, error) {
		for _, tool := range w.tools() {
			if tool.Name == name {
				return tool.Run(context.Background(), json.RawMessage(input))
			}
		}
		t.Fatalf("there is no tool %s", name)
		return agent.Output{}, nil
	}
}
