package memory_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
)

// TestRecallCallsFromTheArchive: a session without a file gives the same, word
// for word; of what was archived before calls were paired it says so.
func TestRecallCallsFromTheArchive(t *testing.T) {
	data, err := os.ReadFile("../testdata/sessions/claude-code.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	r := compactAt(t, data, memory.ReadOptions{})
	var a shelf
	if err := memory.ArchiveBlocks(t.Context(), &a, r.State, bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	gone := func(*pith.State) (io.ReadCloser, error) { return nil, os.ErrNotExist }
	for _, name := range []string{"money/money.go", "git log --oneline -5", "git log --online"} {
		want, err := memory.RecallCalls(t.Context(), memory.RecallRequest{State: r.State, Open: openBytes(data)}, name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			q := memory.RecallRequest{State: r.State, Archive: &a, Open: gone}
			if i == 1 {
				q.Open = nil
			}
			got, err := memory.RecallCalls(t.Context(), q, name)
			if err != nil || len(got) != len(want) {
				t.Fatalf("%q gives %d passages, want %d, %v", name, len(got), len(want), err)
			}
			for i := range got {
				g, w := &got[i], &want[i]
				if g.Ref != w.Ref || g.Text != w.Text || g.Path != w.Path || g.Tool != w.Tool || g.Status != w.Status || g.Turn != w.Turn {
					t.Errorf("%q gives %+v, want %+v", name, g, w)
				}
			}
		}
	}
	for i := range a.blocks {
		a.blocks[i].Call = ""
	}
	_, err = memory.RecallCalls(t.Context(), memory.RecallRequest{State: r.State, Archive: &a, Open: gone}, "money/money.go")
	if pith.KindOf(err) != pith.KindInput || pith.HintOf(err) == "" {
		t.Errorf("without pairs: %v", err)
	}
	_, err = memory.RecallCalls(t.Context(), memory.RecallRequest{State: r.State, Archive: &shelf{}, Open: gone}, "money/money.go")
	if pith.KindOf(err) != pith.KindInput {
		t.Errorf("with neither: %v", err)
	}
}

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
