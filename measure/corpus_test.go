package measure_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/transcript"
)

// TestCorpus logs what real sessions hold and what is kept of it, for people
// who look for faults of the yardstick. PITH_CORPUS_LOST=1 lists what was lost,
// =2 every atom.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("PITH_CORPUS")
	if dir == "" {
		t.Skip("PITH_CORPUS is not set to a folder of sessions")
	}
	sums := map[string]map[measure.Kind]measure.Retained{}
	precision := map[string]measure.Share{}
	add := func(t *testing.T, name string, rows []measure.Retained, gone []measure.Lost) {
		if sums[name] == nil {
			sums[name] = map[measure.Kind]measure.Retained{}
		}
		for _, r := range rows {
			s := sums[name][r.Kind]
			sums[name][r.Kind] = measure.Retained{Full: s.Full + r.Full, Half: s.Half + r.Half, Stale: s.Stale + r.Stale, Of: s.Of + r.Of}
		}
		if os.Getenv("PITH_CORPUS_LOST") != "" {
			for _, l := range gone {
				t.Logf("LOST %s %s half=%v stale=%v at %d line %d: %.300s", name, l.Kind, l.Half, l.Stale, l.Message, l.Line, l.Text)
			}
		}
	}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(file, ".meta.json") || strings.HasSuffix(file, ".tsv") {
			return err
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, boundary := range boundaries(b) {
				m := memory.New(memory.Config{})
				s, err := m.Read(bytes.NewReader(b), memory.ReadOptions{Boundary: boundary})
				if err != nil {
					t.Skip(err)
				}
				r, err := m.Compact(s, pith.ReasonManual)
				if err != nil {
					t.Skip(err)
				}
				start := time.Now()
				o, needs, summary := observe(b, boundary)
				read := time.Since(start)
				atoms := o.Atoms()
				if os.Getenv("PITH_CORPUS_LOST") == "2" {
					for _, a := range atoms {
						exit := ""
						if a.Exit != nil {
							exit = strconv.Itoa(*a.Exit)
						}
						t.Logf("ATOM %s at %d line %d [%s exit=%s %v was=%.80q] %.300s", a.Kind, a.Message, a.Line, a.Status, exit, a.Counts, a.Was, a.Text)
					}
				}
				root := r.State.Checkpoint.Workspace.Root
				block := measure.Held{Text: r.Block.Text, Root: root}
				start = time.Now()
				rows, gone := measure.Retain(atoms, block)
				held := time.Since(start)
				add(t, "block", rows, gone)
				rows, gone = measure.RetainState(atoms, r.State)
				add(t, "state", rows, gone)
				rows, gone = measure.Retain(needs.Atoms(atoms), block)
				add(t, "needed", rows, gone)
				start = time.Now()
				for name, h := range map[string]measure.Held{"block": block, "state": {State: r.State}, "client": {Text: summary, Root: root}} {
					p := o.Precision(h)
					for _, m := range p.Missed {
						t.Logf("WRONG %s: %.200s ... %s", name, m, m[max(0, len(m)-60):])
					}
					q := precision[name]
					q.Add(p)
					precision[name] = q
				}
				checked := time.Since(start)
				if summary != "" {
					rows, gone = measure.Retain(atoms, measure.Held{Text: summary, Root: root})
					add(t, "client", rows, gone)
					rows, gone = measure.Retain(needs.Atoms(atoms), measure.Held{Text: summary, Root: root})
					add(t, "client needed", rows, gone)
				}
				t.Logf("cut %d: %d bytes, %d atoms; read %v, held %v, checked %v", boundary, len(b), len(atoms), read, held, checked)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"block", "state", "needed", "client", "client needed"} {
		for _, k := range measure.Kinds() {
			if r := sums[name][k]; r.Of > 0 {
				t.Logf("%-14s %-15s %.3f  full %d half %d stale %d of %d", name, k, r.Share(), r.Full, r.Half, r.Stale, r.Of)
			}
		}
		p := precision[name]
		t.Logf("%-14s precision %d/%d", name, p.Found, p.Of)
	}
}

// boundaries numbers the cuts of a session: where the client compacted, and 0, its end.
func boundaries(b []byte) []int {
	n := []int{0}
	eachRecord(b, func(r pith.Record) bool {
		if r.Boundary != nil {
			n = append(n, r.Boundary.N)
		}
		return true
	})
	return n
}

func eachRecord(b []byte, f func(pith.Record) bool) {
	d, err := transcript.NewDecoder(bytes.NewReader(b), transcript.Options{})
	for err == nil {
		var r pith.Record
		if r, err = d.Next(); errors.Is(err, io.EOF) || err == nil && !f(r) {
			return
		}
	}
}

// observe reads a session up to a cut, what its next calls needed, and the
// summary that the client wrote there.
func observe(b []byte, boundary int) (*measure.Observer, *measure.Needs, string) {
	o, needs, summary := measure.NewObserver(), &measure.Needs{}, ""
	passed, calls := false, 0
	eachRecord(b, func(r pith.Record) bool {
		if r.Boundary != nil && boundary > 0 {
			if passed {
				return false
			}
			if r.Boundary.N == boundary {
				passed, summary = true, measure.TextOf(r.Boundary.Replacement)
				return true
			}
		}
		if !passed {
			o.Record(r)
			return true
		}
		if r.Message == nil {
			return true
		}
		for i := range r.Message.Blocks {
			block := &r.Message.Blocks[i]
			if block.Kind == pith.KindText && block.Origin == pith.Harness && summary == "" {
				summary = block.Text
			}
			if block.Kind == pith.KindToolUse && r.Message.Agent == "" {
				calls++
				needs.Call(block, o.Seen)
			}
		}
		return calls < measure.Window
	})
	return o, needs, summary
}
