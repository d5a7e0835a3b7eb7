package memory_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/store/file"
	"github.com/pith-memory/pith/store/sqlite"
)

// The rows of the table of faults about persistence, several compactions and
// concurrency that need a store. Each runs over both stores.

func eachStore(t *testing.T, f func(t *testing.T, open func() pith.Store)) {
	t.Helper()
	t.Run("file", func(t *testing.T) {
		dir := t.TempDir()
		f(t, func() pith.Store {
			s, err := file.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			return s
		})
	})
	t.Run("sqlite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "pith.db")
		f(t, func() pith.Store {
			s, err := sqlite.Open(context.Background(), path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		})
	})
}

// keep compacts a session as it stands and saves it, as `pith compact --save`
// does in a process of its own.
func keep(store pith.Store, data []byte) (*memory.Result, bool, error) {
	ctx := context.Background()
	m := memory.New(memory.Config{})
	var previous *pith.State
	first, err := m.Read(bytes.NewReader(data), memory.ReadOptions{})
	if err != nil {
		return nil, false, err
	}
	once, err := m.Compact(first, pith.ReasonManual)
	if err != nil {
		return nil, false, err
	}
	if latest, err := store.Latest(ctx, once.State.Checkpoint.SessionID); err == nil {
		previous = latest.State
	} else if !errors.Is(err, pith.ErrNotFound) {
		return nil, false, err
	}
	s, err := m.Read(bytes.NewReader(data), memory.ReadOptions{Previous: previous})
	if err != nil {
		return nil, false, err
	}
	r, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		return nil, false, err
	}
	saved, err := m.Save(ctx, r, memory.SaveOptions{Store: store, Owner: "ada", Project: "/srv/app", Now: time.Unix(1_790_000_000, 0)})
	return r, saved, err
}

// TestResumeRightAfterCompaction (case I4): the state that a compaction just
// stored is the one that the next process reads, whole.
func TestResumeRightAfterCompaction(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() pith.Store) {
		data := []byte(row("user", "Fix the rounding in money.go.", 1) + row("assistant", "I will.", 2))
		for i := range 5 {
			data = append(data, row("user", strings.Repeat("and part ", i+1), 10+i)...)
			r, saved, err := keep(open(), data)
			if err != nil || !saved {
				t.Fatalf("round %d: saved %t (%v)", i, saved, err)
			}
			latest, err := open().Latest(context.Background(), "s-1")
			if err != nil || latest.State.Checkpoint.ID != r.State.Checkpoint.ID || latest.State.Checkpoint.Seq != i {
				t.Fatalf("round %d: the latest is %+v (%v)", i, latest, err)
			}
		}
		if _, saved, err := keep(open(), data); err != nil || saved {
			t.Errorf("with nothing new: saved %t (%v)", saved, err)
		}
	})
}

// TestReloadedStateIsTyped (case I10): what comes back from a store in another
// process is the state that went in, and can be compacted on.
func TestReloadedStateIsTyped(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() pith.Store) {
		data, err := os.ReadFile(filepath.Join("..", "testdata", "sessions", "claude-code.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := keep(open(), data)
		if err != nil {
			t.Fatal(err)
		}
		got, err := open().Get(context.Background(), r.State.Checkpoint.ID)
		if err != nil {
			t.Fatal(err)
		}
		if problems := schema.Check(got.State); len(problems) > 0 {
			t.Errorf("the reloaded state: %v", problems)
		}
		again, err := schema.Marshal(got.State, false)
		if err != nil || string(again) != string(r.JSON) {
			t.Errorf("it is not what was stored (%v)", err)
		}
	})
}

// TestTwoCompactionsAtOnce (case P1): of two compactions of one session one is
// stored; the other says so, and after reading again it goes on from the first.
func TestTwoCompactionsAtOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() pith.Store) {
		base := row("user", "Fix the rounding in money.go.", 1) + row("assistant", "I will.", 2)
		if _, _, err := keep(open(), []byte(base)); err != nil {
			t.Fatal(err)
		}
		const writers = 8
		var wg sync.WaitGroup
		stored := make([]bool, writers)
		for w := range writers {
			store := open()
			data := []byte(base + row("user", "turn of writer "+strings.Repeat("x", w+1), 20+w))
			wg.Go(func() {
				_, saved, err := keep(store, data)
				var conflict *pith.Conflict
				var e *pith.Error
				switch {
				case err == nil:
					stored[w] = saved
				case errors.As(err, &conflict), errors.As(err, &e) && e.Kind == pith.KindDeclined:
				default:
					t.Errorf("writer %d: %v", w, err)
				}
			})
		}
		wg.Wait()
		entries, err := open().List(context.Background(), "s-1")
		if err != nil {
			t.Fatal(err)
		}
		won := 0
		for _, s := range stored {
			if s {
				won++
			}
		}
		if won == 0 || len(entries) != won+1 {
			t.Errorf("%d writers stored, %d checkpoints are there", won, len(entries))
		}
		grown := []byte(base + row("user", "a turn that came meanwhile", 50))
		if r, saved, err := keep(open(), grown); err == nil && saved && !strings.Contains(string(r.JSON), "came meanwhile") {
			t.Error("the appended turn is lost")
		}
	})
}

// TestSessionsStayApart (case N3): the state of one session never becomes the
// parent of another's.
func TestSessionsStayApart(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() pith.Store) {
		other := strings.ReplaceAll(row("user", "Write the release notes.", 1), `"s-1"`, `"s-2"`)
		if _, _, err := keep(open(), []byte(row("user", "Fix the rounding.", 1))); err != nil {
			t.Fatal(err)
		}
		r, saved, err := keep(open(), []byte(other))
		if err != nil || !saved || r.State.Checkpoint.Seq != 0 || strings.Contains(string(r.JSON), "rounding") {
			t.Errorf("saved %t (%v): %s", saved, err, r.JSON)
		}
	})
}
