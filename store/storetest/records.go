package storetest

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// Records is a new, empty store whose records a test can spoil.
type Records struct {
	// Open gives another handle on the same data.
	Open func() pith.Store
	// Rewrite replaces the stored bytes of a checkpoint: the document that
	// holds its state, behind the store's back.
	Rewrite func(id string, change func(record []byte) []byte)
}

// RunRecords holds that a record that cannot be read costs itself alone.
func RunRecords(t *testing.T, fresh func(t *testing.T) Records) {
	for name, spoil := range map[string]func(record []byte) []byte{
		"Torn":    func(b []byte) []byte { return b[:len(b)/2] },
		"Empty":   func([]byte) []byte { return nil },
		"Zeros":   func(b []byte) []byte { return make([]byte, len(b)) },
		"Garbage": func(b []byte) []byte { return bytes.Repeat([]byte("{\"\x00\xff"), len(b)/4) },
	} {
		t.Run("Damaged/"+name, func(t *testing.T) { testDamaged(t, fresh(t), spoil) })
	}
	t.Run("Changed", func(t *testing.T) { testChanged(t, fresh(t)) })
	t.Run("Newer", func(t *testing.T) { testNewer(t, fresh(t)) })
	t.Run("OnlyDamaged", func(t *testing.T) { testOnlyDamaged(t, fresh(t)) })
}

// unreadable is what Get may say of a damaged record: that it is damaged, or
// that it is not there where even its id is lost.
func unreadable(err error) bool {
	var damaged *pith.Damaged
	return errors.As(err, &damaged) || errors.Is(err, pith.ErrNotFound)
}

func testDamaged(t *testing.T, r Records, spoil func([]byte) []byte) {
	chain := Chain(t, "damaged", 4)
	other := New(t, "whole", nil, "goal")
	store := r.Open()
	put(t, store, other)
	for _, c := range chain {
		put(t, store, c)
	}
	for _, i := range []int{1, 3} {
		r.Rewrite(chain[i].State.Checkpoint.ID, spoil)
	}
	for _, store := range []pith.Store{store, r.Open()} {
		for i, c := range chain {
			got, err := store.Get(t.Context(), c.State.Checkpoint.ID)
			switch {
			case i%2 == 1 && !unreadable(err):
				t.Errorf("seq %d is damaged, and Get says %v", i, err)
			case i%2 == 0 && err != nil:
				t.Errorf("seq %d is whole, and Get says %v", i, err)
			case i%2 == 0:
				Same(t, got, c)
			}
		}
		Same(t, latest(t, store, "damaged"), chain[2])
		Same(t, latest(t, store, "whole"), other)
		wantDamaged(t, list(t, store, "damaged"), 4, 2)
		wantDamaged(t, list(t, store, ""), 5, 2)
	}
	// The session goes on from what can be read; nothing of it is deleted.
	next := New(t, "damaged", chain[2], "another way on")
	put(t, store, next)
	put(t, store, next)
	Same(t, latest(t, r.Open(), "damaged"), next)
	put(t, store, New(t, "damaged", next, "and on"))
	for _, i := range []int{0, 2} {
		if _, err := store.Get(t.Context(), chain[i].State.Checkpoint.ID); err != nil {
			t.Error(err)
		}
	}
}

func wantDamaged(t *testing.T, entries []pith.Entry, all, damaged int) {
	t.Helper()
	n := 0
	for _, e := range entries {
		if e.Damaged != "" {
			n++
		}
	}
	if len(entries) != all || n != damaged {
		t.Errorf("%d entries with %d damaged, want %d with %d: %+v", len(entries), n, all, damaged, entries)
	}
}

// testChanged holds that a record is not taken for what its id names where it
// is something else, however well it reads.
func testChanged(t *testing.T, r Records) {
	chain := []*pith.Saved{New(t, "changed", nil, "goal")}
	chain = append(chain, New(t, "changed", chain[0], "never drop the table"))
	store := r.Open()
	for _, c := range chain {
		put(t, store, c)
	}
	r.Rewrite(chain[1].State.Checkpoint.ID, func(b []byte) []byte {
		return bytes.ReplaceAll(b, []byte("never drop"), []byte("always drop"))
	})
	if _, err := store.Get(t.Context(), chain[1].State.Checkpoint.ID); !unreadable(err) {
		t.Errorf("a changed record: %v", err)
	}
	Same(t, latest(t, store, "changed"), chain[0])
}

// testNewer holds that what a newer version wrote is no damage: nothing goes
// on behind its back, and people learn what to do.
func testNewer(t *testing.T, r Records) {
	chain := Chain(t, "newer", 3)
	store := r.Open()
	for _, c := range chain[:2] {
		put(t, store, c)
	}
	r.Rewrite(chain[1].State.Checkpoint.ID, func(b []byte) []byte {
		return bytes.ReplaceAll(b, []byte(pith.SchemaVersion), []byte("99.0.0"))
	})
	_, getErr := store.Get(t.Context(), chain[1].State.Checkpoint.ID)
	_, latestErr := store.Latest(t.Context(), "newer")
	rival := New(t, "newer", chain[0], "rival")
	for name, err := range map[string]error{
		"Get": getErr, "Latest": latestErr, "Put": store.Put(t.Context(), chain[2]), "Put of a rival": store.Put(t.Context(), rival),
	} {
		var conflict *pith.Conflict
		if name == "Put of a rival" && errors.As(err, &conflict) {
			continue
		}
		if err == nil || pith.KindOf(err) != pith.KindStore {
			t.Errorf("%s of what a newer version wrote: %v", name, err)
		} else if text := err.Error() + pith.HintOf(err); !strings.Contains(text, "update pith") {
			t.Errorf("%s does not say what to do: %q", name, text)
		}
	}
	if _, err := store.Get(t.Context(), chain[0].State.Checkpoint.ID); err != nil {
		t.Errorf("the checkpoint before it: %v", err)
	}
	wantDamaged(t, list(t, store, "newer"), 2, 1)
}

func testOnlyDamaged(t *testing.T, r Records) {
	root := New(t, "only", nil, "goal")
	store := r.Open()
	put(t, store, root)
	r.Rewrite(root.State.Checkpoint.ID, func(b []byte) []byte { return b[:len(b)/3] })
	if _, err := store.Latest(t.Context(), "only"); !errors.Is(err, pith.ErrNotFound) {
		t.Errorf("want not found, got %v", err)
	}
	next := New(t, "only", nil, "another goal")
	put(t, store, next)
	Same(t, latest(t, r.Open(), "only"), next)
}
