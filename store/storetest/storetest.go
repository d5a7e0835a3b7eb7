// Package storetest is the contract of pith.Store and pith.Archive as tests
// that every store passes, with what a test of a store needs: small valid
// checkpoints, and a process that is killed while it saves.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/pith-memory/pith"
)

// Run holds a store against the contract. fresh makes the data of a new, empty
// store for one test; each call of open gives another handle on the same data,
// which fresh closes in a cleanup.
func Run(t *testing.T, fresh func(t *testing.T) (open func() pith.Store)) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, open func() pith.Store)
	}{
		{"RoundTrip", testRoundTrip},
		{"PutTwice", testPutTwice},
		{"Conflict", testConflict},
		{"SecondRoot", testSecondRoot},
		{"OldParent", testOldParent},
		{"UnknownParent", testUnknownParent},
		{"WrongID", testWrongID},
		{"NoSession", testNoSession},
		{"NotFound", testNotFound},
		{"AnySession", testAnySession},
		{"List", testList},
		{"OtherHandle", testOtherHandle},
		{"NotShared", testNotShared},
		{"Cancelled", testCancelled},
		{"ManyPutTheSame", testManyPutTheSame},
		{"ManyPutRivals", testManyPutRivals},
		{"ManyAppend", testManyAppend},
		{"Forget", testForget},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, fresh(t)) })
	}
}

func testRoundTrip(t *testing.T, open func() pith.Store) {
	store := open()
	chain := Chain(t, "round-trip", 3)
	for _, c := range chain {
		put(t, store, c)
	}
	for _, c := range chain {
		got, err := store.Get(t.Context(), c.State.Checkpoint.ID)
		if err != nil {
			t.Fatal(err)
		}
		Same(t, got, c)
	}
	Same(t, latest(t, store, "round-trip"), chain[2])
}

func testPutTwice(t *testing.T, open func() pith.Store) {
	store := open()
	chain := Chain(t, "twice", 3)
	for range 2 {
		for _, c := range chain {
			put(t, store, c)
			put(t, store, c)
		}
	}
	again := *chain[0]
	again.SavedAt = again.SavedAt.Add(time.Hour)
	put(t, store, &again)
	if l := list(t, store, "twice"); len(l) != 3 {
		t.Errorf("%d checkpoints after 3 were put again and again", len(l))
	}
	got, err := store.Get(t.Context(), chain[0].State.Checkpoint.ID)
	if err != nil {
		t.Fatal(err)
	}
	if !got.SavedAt.Equal(chain[0].SavedAt) {
		t.Error("the second Put changed what the first one stored")
	}
}

func testConflict(t *testing.T, open func() pith.Store) {
	store := open()
	root := New(t, "conflict", nil, "root")
	first, second := New(t, "conflict", root, "first"), New(t, "conflict", root, "second")
	put(t, store, root)
	put(t, store, first)
	wantConflict(t, store.Put(t.Context(), second), root, first, second)
	Same(t, latest(t, store, "conflict"), first)
	if _, err := store.Get(t.Context(), second.State.Checkpoint.ID); !errors.Is(err, pith.ErrNotFound) {
		t.Errorf("the refused checkpoint is in the store: %v", err)
	}
}

func testSecondRoot(t *testing.T, open func() pith.Store) {
	store := open()
	first, second := New(t, "roots", nil, "first"), New(t, "roots", nil, "second")
	put(t, store, first)
	wantConflict(t, store.Put(t.Context(), second), nil, first, second)
	put(t, store, New(t, "other-roots", nil, "second"))
}

// testOldParent holds that a session goes on from its latest checkpoint only.
func testOldParent(t *testing.T, open func() pith.Store) {
	store := open()
	chain := Chain(t, "old-parent", 4)
	for _, c := range chain {
		put(t, store, c)
	}
	late := New(t, "old-parent", chain[1], "late")
	var conflict *pith.Conflict
	if err := store.Put(t.Context(), late); !errors.As(err, &conflict) {
		t.Fatalf("want a conflict, got %v", err)
	}
	if conflict.New != late.State.Checkpoint.ID || conflict.Parent != chain[1].State.Checkpoint.ID {
		t.Errorf("the conflict names %+v", conflict)
	}
	Same(t, latest(t, store, "old-parent"), chain[3])
}

func testUnknownParent(t *testing.T, open func() pith.Store) {
	store := open()
	chain := Chain(t, "unknown-parent", 3)
	if err := store.Put(t.Context(), chain[1]); err == nil {
		t.Error("a checkpoint without its parent was stored as the first of a session")
	}
	put(t, store, chain[0])
	if err := store.Put(t.Context(), chain[2]); err == nil {
		t.Error("a checkpoint was stored whose parent is not there")
	}
	Same(t, latest(t, store, "unknown-parent"), chain[0])
}

// testWrongID holds that what is stored is what its id says.
func testWrongID(t *testing.T, open func() pith.Store) {
	store := open()
	for name, change := range map[string]func(c *pith.Saved){
		"text":  func(c *pith.Saved) { c.JSON = bytes.Replace(c.JSON, []byte("original"), []byte("changed!"), 1) },
		"state": func(c *pith.Saved) { c.State.Checkpoint.ID = c.State.Checkpoint.TranscriptSHA256 },
		"torn":  func(c *pith.Saved) { c.JSON = c.JSON[:len(c.JSON)/2] },
		"empty": func(c *pith.Saved) { c.JSON = nil },
		"none":  func(c *pith.Saved) { c.State = nil },
	} {
		c := New(t, "wrong-id", nil, "original")
		change(c)
		if err := store.Put(t.Context(), c); err == nil {
			t.Errorf("%s: a checkpoint that is not what its id says was stored", name)
		}
	}
	if _, err := store.Latest(t.Context(), "wrong-id"); !errors.Is(err, pith.ErrNotFound) {
		t.Errorf("something was stored: %v", err)
	}
}

func testNoSession(t *testing.T, open func() pith.Store) {
	store := open()
	if err := store.Put(t.Context(), New(t, "", nil, "goal")); err == nil {
		t.Error("a checkpoint of no session was stored")
	}
	if _, err := store.Latest(t.Context(), ""); !errors.Is(err, pith.ErrNotFound) {
		t.Errorf("want not found, got %v", err)
	}
}

func testNotFound(t *testing.T, open func() pith.Store) {
	store := open()
	check := func() {
		t.Helper()
		for _, id := range []string{New(t, "absent", nil, "goal").State.Checkpoint.ID, "", "..", "../x", "*", "%"} {
			if _, err := store.Get(t.Context(), id); !errors.Is(err, pith.ErrNotFound) {
				t.Errorf("Get(%q): want not found, got %v", id, err)
			}
		}
		if _, err := store.Latest(t.Context(), "absent"); !errors.Is(err, pith.ErrNotFound) {
			t.Errorf("Latest: want not found, got %v", err)
		}
		if l := list(t, store, "absent"); len(l) != 0 {
			t.Errorf("List gave %v", l)
		}
	}
	check()
	if l := list(t, store, ""); len(l) != 0 {
		t.Errorf("List of everything gave %v", l)
	}
	c := New(t, "present", nil, "goal")
	put(t, store, c)
	check()
	if _, err := store.Get(t.Context(), c.State.Checkpoint.ID[:12]); !errors.Is(err, pith.ErrNotFound) {
		t.Errorf("a part of an id was taken for it: %v", err)
	}
}

func testOtherHandle(t *testing.T, open func() pith.Store) {
	first, second := open(), open()
	chain := Chain(t, "handles", 4)
	for i, c := range chain {
		put(t, []pith.Store{first, second}[i%2], c)
	}
	third := open()
	for _, store := range []pith.Store{first, second, third} {
		Same(t, latest(t, store, "handles"), chain[3])
		if l := list(t, store, "handles"); len(l) != 4 {
			t.Errorf("a handle lists %d of 4 checkpoints", len(l))
		}
	}
	rival := New(t, "handles", chain[2], "rival")
	wantConflict(t, third.Put(t.Context(), rival), chain[2], chain[3], rival)
}

// testNotShared holds that a caller may change what it put and what it got.
func testNotShared(t *testing.T, open func() pith.Store) {
	store := open()
	c := New(t, "shared", nil, "goal")
	want := New(t, "shared", nil, "goal")
	put(t, store, c)
	spoil := func(c *pith.Saved) {
		c.State.Goal.Text = "spoiled"
		c.State.EmptySlots[0] = "spoiled"
		clear(c.JSON)
		c.Disk.Files[0].Path = "spoiled"
	}
	spoil(c)
	for range 2 {
		got, err := store.Get(t.Context(), want.State.Checkpoint.ID)
		if err != nil {
			t.Fatal(err)
		}
		Same(t, got, want)
		spoil(got)
		got = latest(t, store, "shared")
		Same(t, got, want)
		spoil(got)
	}
}

func testCancelled(t *testing.T, open func() pith.Store) {
	store := open()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := store.Put(ctx, New(t, "cancelled", nil, "goal")); !errors.Is(err, context.Canceled) {
		t.Errorf("Put after the context was cancelled: %v", err)
	}
	if _, err := store.Latest(t.Context(), "cancelled"); !errors.Is(err, pith.ErrNotFound) {
		t.Errorf("it was stored all the same: %v", err)
	}
}

func testForget(t *testing.T, open func() pith.Store) {
	store := open()
	forgetter, ok := store.(pith.Forgetter)
	if !ok {
		t.Skip("this store cannot forget")
	}
	gone, kept := Chain(t, "gone", 3), Chain(t, "kept", 2)
	for _, c := range slices.Concat(gone, kept) {
		put(t, store, c)
	}
	if n, err := forgetter.Forget(t.Context(), "gone"); err != nil || n != 3 {
		t.Fatalf("Forget gave %d, %v", n, err)
	}
	for _, s := range []pith.Store{store, open()} {
		if _, err := s.Get(t.Context(), gone[1].State.Checkpoint.ID); !errors.Is(err, pith.ErrNotFound) {
			t.Errorf("a forgotten checkpoint: %v", err)
		}
		if l := list(t, s, ""); len(l) != 2 {
			t.Errorf("%d checkpoints are left, want 2", len(l))
		}
		Same(t, latest(t, s, "kept"), kept[1])
	}
	if _, err := forgetter.Forget(t.Context(), "gone"); !errors.Is(err, pith.ErrNotFound) {
		t.Errorf("forgetting again: %v", err)
	}
	if _, err := forgetter.Forget(t.Context(), ""); !errors.Is(err, pith.ErrNotFound) {
		t.Errorf("forgetting no session: %v", err)
	}
	put(t, store, gone[0])
	Same(t, latest(t, store, "gone"), gone[0])
}

// Same holds what came out of a store against what went in.
func Same(t *testing.T, got, want *pith.Saved) {
	t.Helper()
	if err := differ(got, want); err != nil {
		t.Error(err)
	}
}

func differ(got, want *pith.Saved) error {
	switch {
	case got.State.Checkpoint.ID != want.State.Checkpoint.ID:
		return fmt.Errorf("checkpoint %.12s of seq %d, want %.12s of seq %d",
			got.State.Checkpoint.ID, got.State.Checkpoint.Seq, want.State.Checkpoint.ID, want.State.Checkpoint.Seq)
	case !reflect.DeepEqual(got.State, want.State):
		return errors.New("the state changed")
	case !bytes.Equal(got.JSON, want.JSON):
		return fmt.Errorf("the written state changed:\n%.200q, want\n%.200q", got.JSON, want.JSON)
	case !got.SavedAt.Equal(want.SavedAt) || got.Owner != want.Owner || got.Project != want.Project || got.How != want.How:
		return fmt.Errorf("saved at %v by %q in %q, %q; want %v, %q, %q, %q",
			got.SavedAt, got.Owner, got.Project, got.How, want.SavedAt, want.Owner, want.Project, want.How)
	case !reflect.DeepEqual(got.Disk, want.Disk):
		return fmt.Errorf("disk %+v, want %+v", got.Disk, want.Disk)
	}
	return nil
}

func wantConflict(t *testing.T, err error, parent, existing, refused *pith.Saved) {
	t.Helper()
	var conflict *pith.Conflict
	if !errors.As(err, &conflict) {
		t.Fatalf("want a conflict, got %v", err)
	}
	want := pith.Conflict{Session: refused.State.Checkpoint.SessionID, Existing: existing.State.Checkpoint.ID, New: refused.State.Checkpoint.ID}
	if parent != nil {
		want.Parent = parent.State.Checkpoint.ID
	}
	if *conflict != want {
		t.Errorf("the conflict names %+v, want %+v", *conflict, want)
	}
}
