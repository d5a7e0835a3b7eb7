package memory_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pith-memory/pith/memory"
)

// TestRoot: the folder in which a session began, whatever came later.
func TestRoot(t *testing.T) {
	for path, want := range map[string]string{"../testdata/sessions/claude-code.jsonl": "/home/ada/src/ledger", "../testdata/sessions/codex.jsonl": "/home/ada/src/relay"} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := memory.Root(f, memory.Numbering{})
		f.Close()
		if err != nil || got != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	for rows, want := range map[string]string{
		`{"type":"user","uuid":"a","sessionId":"s","cwd":"/a b","message":{"role":"user","content":"x"}}
{"type":"user","uuid":"b","sessionId":"s","cwd":"/b","message":{"role":"user","content":"y"}}`: "/a b",
		`{"type":"user","uuid":"a","sessionId":"s","message":{"role":"user","content":"x"}}`:                                            "",
		`{"type":"user","uuid":"a","sessionId":"s","cwd":"` + strings.Repeat("/a", 9999) + `","message":{"role":"user","content":"x"}}`: "",
	} {
		if got, err := memory.Root(strings.NewReader(rows), memory.Numbering{}); err != nil || got != want {
			t.Errorf("%.80s: %q, %v", rows, got, err)
		}
	}
}
