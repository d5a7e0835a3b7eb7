package memory_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
)

// TestRecallCalls: what was shown of a file, or what a command said, comes back
// by the file's or the command's own name.
func TestRecallCalls(t *testing.T) {
	data, err := os.ReadFile("../testdata/sessions/claude-code.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	m := memory.New(memory.Config{})
	s, err := m.Read(bytes.NewReader(data), memory.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		t.Fatal(err)
	}
	q := memory.RecallRequest{State: r.State, Open: func(*pith.State) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
	for name, want := range map[string]bool{
		"/home/ada/src/ledger/money/money.go": true, "money/money.go": true, "git log --oneline -5": true,
		"ney/money.go": false, "money/money.g": false, "git log --online": false, "": false,
	} {
		got, err := memory.RecallCalls(t.Context(), q, name)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) > 0 != want {
			t.Errorf("%q gives %d passages", name, len(got))
		}
		for _, p := range got {
			if p.Kind != pith.KindToolResult || p.Text == "" || p.Status == memory.StatusChanged {
				t.Errorf("%q gives %+v", name, p)
			}
		}
	}
}
