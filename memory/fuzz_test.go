package memory_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/schema"
)

// seedPipeline adds small whole sessions: the fault cases, and the first rows
// of the hand-written sessions, since a long seed is slow to vary.
func seedPipeline(f *testing.F) {
	f.Helper()
	cases, err := filepath.Glob(filepath.Join("testdata", "cases", "*.json"))
	if err != nil || len(cases) == 0 {
		f.Fatalf("no cases (%v)", err)
	}
	for _, name := range cases {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		var c faultCase
		if err := json.Unmarshal(data, &c); err != nil {
			f.Fatal(err)
		}
		if c.Rows != nil {
			c.Request = []byte(strings.Join(c.Rows, "\n"))
		}
		f.Add([]byte(c.Request))
	}
	files, err := filepath.Glob(filepath.Join("..", "testdata", "sessions", "*.jsonl"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no sessions (%v)", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		for lines := bytes.SplitAfter(data, []byte("\n")); len(lines) > 0; lines = lines[min(len(lines), 12):] {
			f.Add(bytes.Join(lines[:min(len(lines), 12)], nil))
		}
	}
}

// FuzzPipeline holds that any bytes are either refused as input or become a
// state that keeps its contract, and a block that can be read back: a session
// never ends in a failed check.
func FuzzPipeline(f *testing.F) {
	seedPipeline(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		checkPipeline(t, data)
	})
}

func checkPipeline(t *testing.T, data []byte) {
	t.Helper()
	m := memory.New(memory.Config{Budget: 2000})
	s, err := m.Read(bytes.NewReader(data), memory.ReadOptions{})
	if err != nil {
		var e *pith.Error
		if !errors.As(err, &e) || e.Kind != pith.KindInput {
			t.Fatalf("reading gives %v", err)
		}
		if strings.ContainsAny(err.Error(), "\n\r\x1b") {
			t.Fatalf("the error is not one plain line: %q", err)
		}
		return
	}
	r, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		t.Fatalf("a session that was read breaks the contract: %v", err)
	}
	for _, p := range schema.Validate(r.JSON) {
		t.Errorf("schema: %v", p)
	}
	state, err := schema.Unmarshal(r.JSON)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range schema.Check(state) {
		t.Errorf("check: %v", p)
	}
	if next, err := memory.Messages(bytes.NewReader(data), r.State.Checkpoint.Format); err != nil {
		t.Error(err)
	} else {
		problems, _ := schema.CheckTranscript(state, next)
		for _, p := range problems {
			t.Errorf("provenance: %v", p)
		}
	}
	if found := redact.Dirty(append(bytes.Clone(r.JSON), r.Block.Text...)); len(found) > 0 {
		t.Errorf("a secret of rule %s is left", found[0].Rule)
	}
	if _, _, err := restore.ParseBlock(r.Block.Text); err != nil {
		t.Errorf("the block cannot be read back: %v", err)
	}
}
