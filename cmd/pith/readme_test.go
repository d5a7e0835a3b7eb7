package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeOutput keeps the README's output real: what it shows of the first
// command is what that prints, in order; a line of "..." stands for any lines.
func TestReadmeOutput(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "<!-- output -->\n```\n")
	shown, _, ok := strings.Cut(rest, "```\n<!-- /output -->")
	if !ok || strings.Count(shown, "\n") < 20 {
		t.Fatal("the README shows no output")
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	var out, errOut bytes.Buffer
	if code := run([]string{"compact", filepath.Join("..", "..", "testdata", "sessions", "claude-code.jsonl")}, strings.NewReader(""), &out, &errOut); code != 0 {
		t.Fatalf("exit %d: %s", code, errOut.String())
	}
	at, gap := 0, false
	for _, line := range strings.Split(strings.TrimSuffix(shown, "\n"), "\n") {
		if line == "..." {
			gap = true
			continue
		}
		i := strings.Index(out.String()[at:], line+"\n")
		if i < 0 || !gap && i > 0 {
			t.Fatalf("the README shows %q, which is not what comes next; run the command and paste its output", line)
		}
		at, gap = at+i+len(line)+1, false
	}
}
