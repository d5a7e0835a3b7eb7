package memory_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/schema"
)

// sessions are the hand-written ones of the repository and, where PITH_CORPUS
// names a folder, the real ones in it.
func sessions(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	patterns := []string{filepath.Join("..", "testdata", "sessions", "*.jsonl")}
	for _, client := range []string{"pi", "gemini", "opencode"} {
		patterns = append(patterns, filepath.Join("..", "transcript", "testdata", client+"*.json*"))
	}
	if corpus := os.Getenv("PITH_CORPUS"); corpus != "" {
		patterns = append(patterns, filepath.Join(corpus, "claude-code", "*.jsonl"), filepath.Join(corpus, "codex", "*.jsonl"),
			filepath.Join(corpus, "pi", "*.jsonl"))
	} else {
		t.Log("PITH_CORPUS is not set: only the sessions of the repository are read")
	}
	for _, p := range patterns {
		files, err := filepath.Glob(p)
		if err != nil || len(files) == 0 {
			t.Fatalf("no sessions at %s (%v)", p, err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			out[f] = data
		}
	}
	return out
}

func compactAt(t *testing.T, data []byte, o memory.ReadOptions) *memory.Result {
	t.Helper()
	m := memory.New(memory.Config{Budget: 4000})
	s, err := m.Read(bytes.NewReader(data), o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// boundaries counts the client's own compactions.
func boundaries(t *testing.T, data []byte) int {
	t.Helper()
	s, err := memory.New(memory.Config{}).Read(bytes.NewReader(data), memory.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return len(s.Boundaries)
}

// TestEverySession holds, at every compaction of the client and at the end:
// the same bytes in three runs, a state that passes every check with its
// sources in the transcript, no secret, and all modified paths in the block.
func TestEverySession(t *testing.T) {
	for name, data := range sessions(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			for b := boundaries(t, data); b >= 0; b-- {
				o := memory.ReadOptions{Boundary: b}
				r := compactAt(t, data, o)
				for range 2 {
					again := compactAt(t, data, o)
					if !bytes.Equal(r.JSON, again.JSON) || r.Block.Text != again.Block.Text {
						t.Fatal("two runs differ")
					}
				}
				checkResult(t, data, r)
			}
		})
	}
}

func checkResult(t *testing.T, data []byte, r *memory.Result) {
	t.Helper()
	for _, p := range schema.Validate(r.JSON) {
		t.Errorf("schema: %v", p)
	}
	next, err := memory.Messages(bytes.NewReader(data), r.State.Checkpoint.Format)
	if err != nil {
		t.Fatal(err)
	}
	problems, followed := schema.CheckTranscript(r.State, next)
	for _, p := range problems {
		t.Errorf("provenance: %v", p)
	}
	if followed.Blocks == 0 {
		t.Error("no source was followed")
	}
	if found := redact.Dirty(append(bytes.Clone(r.JSON), r.Block.Text...)); len(found) > 0 {
		t.Errorf("%d secrets, the first of rule %s", len(found), found[0].Rule)
	}
	for _, f := range r.State.Files.Modified {
		if !strings.Contains(r.Block.Text, f.Path) {
			t.Errorf("the block lacks %s", f.Path)
		}
	}
	again, err := schema.Unmarshal(r.JSON)
	if err != nil {
		t.Fatal(err)
	}
	if id, err := schema.ID(again); err != nil || id != r.State.Checkpoint.ID {
		t.Errorf("the id of what is written is %s (%v), not %s", id, err, r.State.Checkpoint.ID)
	}
}

// TestPrefixIsStable holds that what comes later does not change what a cut
// gives: a session that goes on has the same state at the same message.
func TestPrefixIsStable(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "testdata", "sessions", "claude-code.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	through := 20
	whole := compactAt(t, data, memory.ReadOptions{Through: &through})
	lines := bytes.SplitAfter(data, []byte("\n"))
	part := compactAt(t, bytes.Join(lines[:len(lines)-10], nil), memory.ReadOptions{Through: &through})
	if !bytes.Equal(whole.JSON, part.JSON) {
		t.Error("the state at message 20 depends on what comes after it")
	}
	if whole.State.Checkpoint.ThroughMessage != through {
		t.Errorf("through message %d, want %d", whole.State.Checkpoint.ThroughMessage, through)
	}
}

// TestNoSuchBoundary holds that a cut that the session does not have is a
// usage error, and names how many there are.
func TestNoSuchBoundary(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "testdata", "sessions", "codex.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{2, 3, 9} {
		_, err = memory.New(memory.Config{}).Read(bytes.NewReader(data), memory.ReadOptions{Boundary: n})
		if pith.KindOf(err) != pith.KindUsage || !strings.Contains(err.Error(), "1 times") {
			t.Errorf("boundary %d: err = %v", n, err)
		}
	}
}
