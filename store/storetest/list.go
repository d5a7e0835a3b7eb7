package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/pith-memory/pith"
)

func testList(t *testing.T, open func() pith.Store) {
	store := open()
	a, b := Chain(t, "list-a", 3), Chain(t, "list-b", 2)
	saved := []*pith.Saved{a[0], b[0], a[1], b[1], a[2]}
	for i, c := range saved {
		c.SavedAt = time.Date(2026, 1, 2, 3, 4, 5+i, 123456000, time.UTC)
		put(t, store, c)
	}
	slices.Reverse(saved)
	all := list(t, store, "")
	if len(all) != len(saved) {
		t.Fatalf("%d entries, want %d", len(all), len(saved))
	}
	for i, e := range all {
		sameEntry(t, e, saved[i])
	}
	of := list(t, store, "list-b")
	if len(of) != 2 || of[0].ID != b[1].State.Checkpoint.ID || of[1].ID != b[0].State.Checkpoint.ID {
		t.Errorf("the list of a session is %+v", of)
	}
}

// sameEntry holds the description of a checkpoint against it.
func sameEntry(t *testing.T, e pith.Entry, c *pith.Saved) {
	t.Helper()
	p := &c.State.Checkpoint
	want := pith.Entry{
		ID: p.ID, SessionID: p.SessionID, Seq: p.Seq, ParentID: parentOf(c), SavedAt: c.SavedAt, Owner: c.Owner, Project: c.Project,
		Format: p.Format, Goal: goalLine(c), Through: p.ThroughMessage, Turn: p.CompactedAtTurn, How: c.How, Bytes: e.Bytes,
	}
	if !e.SavedAt.Equal(c.SavedAt) {
		t.Errorf("saved at %v, want %v", e.SavedAt, c.SavedAt)
	}
	if e.SavedAt = want.SavedAt; e != want {
		t.Errorf("entry\n%+v, want\n%+v", e, want)
	}
	if e.Bytes < len(c.JSON)-1 {
		t.Errorf("%d bytes for a state of %d", e.Bytes, len(c.JSON))
	}
}

func put(t *testing.T, store pith.Store, c *pith.Saved) {
	t.Helper()
	if err := store.Put(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

func latest(t *testing.T, store pith.Store, session string) *pith.Saved {
	t.Helper()
	c, err := store.Latest(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func list(t *testing.T, store pith.Store, session string) []pith.Entry {
	t.Helper()
	l, err := store.List(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
