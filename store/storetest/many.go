package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/pith-memory/pith"
)

// workers is how many put at once.
const workers = 32

// together calls f from all workers at once, and gives the error of each.
func together(f func(i int) error) []error {
	errs := make([]error, workers)
	var start, done sync.WaitGroup
	start.Add(1)
	for i := range workers {
		done.Go(func() {
			start.Wait()
			errs[i] = f(i)
		})
	}
	start.Done()
	done.Wait()
	return errs
}

func testManyPutTheSame(t *testing.T, open func() pith.Store) {
	handles := []pith.Store{open(), open(), open()}
	chain := Chain(t, "same", 3)
	for _, c := range chain {
		for _, err := range together(func(i int) error { return handles[i%len(handles)].Put(t.Context(), c) }) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	if l := list(t, handles[0], "same"); len(l) != 3 {
		t.Errorf("%d checkpoints, want 3", len(l))
	}
	Same(t, latest(t, open(), "same"), chain[2])
}

// testManyPutRivals holds that of many children of one parent one is kept, and
// that everybody else learns which.
func testManyPutRivals(t *testing.T, open func() pith.Store) {
	handles := []pith.Store{open(), open(), open()}
	var parent *pith.Saved
	for round := range 5 {
		rivals := make([]*pith.Saved, workers)
		for i := range rivals {
			rivals[i] = New(t, "rivals", parent, fmt.Sprintf("round %d, rival %d", round, i))
		}
		errs := together(func(i int) error { return handles[i%len(handles)].Put(t.Context(), rivals[i]) })
		parent = latest(t, handles[0], "rivals")
		winners := 0
		for i, err := range errs {
			var conflict *pith.Conflict
			switch {
			case err == nil:
				winners++
				Same(t, parent, rivals[i])
			case !errors.As(err, &conflict):
				t.Errorf("round %d: want a conflict, got %v", round, err)
			case conflict.Existing != parent.State.Checkpoint.ID || conflict.New != rivals[i].State.Checkpoint.ID:
				t.Errorf("round %d: the conflict names %+v", round, conflict)
			}
		}
		if winners != 1 {
			t.Fatalf("round %d: %d rivals won", round, winners)
		}
	}
	if l := list(t, open(), "rivals"); len(l) != 5 {
		t.Errorf("%d checkpoints, want 5", len(l))
	}
}

// testManyAppend holds that nobody's work is lost where everybody who meets a
// conflict goes on from what is there.
func testManyAppend(t *testing.T, open func() pith.Store) {
	handles := []pith.Store{open(), open(), open()}
	for _, err := range together(func(i int) error { return appendOne(t, handles[i%len(handles)], i) }) {
		if err != nil {
			t.Error(err)
		}
	}
	store := open()
	seen := map[string]bool{}
	l := list(t, store, "appended")
	for i, e := range l {
		seen[e.Goal] = true
		if i+1 < len(l) && e.ParentID != l[i+1].ID {
			t.Errorf("seq %d is no child of the one before it", e.Seq)
		}
		if _, err := store.Get(t.Context(), e.ID); err != nil {
			t.Error(err)
		}
	}
	if len(l) != workers || len(seen) != workers {
		t.Errorf("%d checkpoints with the work of %d, want %d", len(l), len(seen), workers)
	}
}

// appendOne puts a checkpoint behind the latest, until it is not refused.
func appendOne(t *testing.T, store pith.Store, i int) error {
	for range 4 * workers {
		parent, err := store.Latest(t.Context(), "appended")
		if err != nil && !errors.Is(err, pith.ErrNotFound) {
			return err
		}
		c, err := newSaved("appended", parent, fmt.Sprint("work ", i))
		if err != nil {
			return err
		}
		err = store.Put(t.Context(), c)
		var conflict *pith.Conflict
		if !errors.As(err, &conflict) {
			return err
		}
	}
	return errors.New("it was refused again and again")
}
