package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/restore"
)

// known is what pith knows of the session at this moment: its state, the block
// that restores it, and whether it is stored.
type known struct {
	*memory.Result
	// Saved is what the store has, nil where it could not be kept.
	Saved *pith.Saved
}

// storePatience is how long a hook waits for a store that somebody else holds.
const storePatience = 2 * time.Second

// checkpoint reads the session as far as it goes and keeps its state. Where the
// store cannot be had the state is there all the same, and t.lesser says why it
// was not kept. Errors: there is no state.
func (t *turn) checkpoint(why pith.Reason) (*known, error) {
	store, done, err := t.store()
	if err != nil {
		t.lesser = append(t.lesser, err)
	} else {
		defer done()
	}
	var previous *pith.Saved
	if store != nil {
		if previous, err = store.Latest(t.ctx, t.input.key()); err != nil && !errors.Is(err, pith.ErrNotFound) {
			t.lesser = append(t.lesser, fmt.Errorf("read the latest checkpoint: %w", err))
		}
	}
	r, m, err := t.compact(previous, why)
	if err != nil {
		return nil, err
	}
	k := &known{Result: r}
	if store == nil {
		return k, nil
	}
	k.Saved, err = t.save(store, m, r, previous)
	if err == nil {
		err = t.keep(store, r.State)
	}
	if err != nil {
		t.lesser = append(t.lesser, err)
	}
	return k, nil
}

// compact reads the session, on top of its latest checkpoint where there is one.
func (t *turn) compact(previous *pith.Saved, why pith.Reason) (*memory.Result, *memory.Memory, error) {
	f, done, err := t.open()
	if err != nil {
		return nil, nil, &pith.Error{Op: "read the session", Kind: pith.KindInput, Err: err}
	}
	defer done()
	m := memory.New(t.hooks.config.Memory)
	o := memory.ReadOptions{Name: t.transcript()}
	if previous != nil && previous.Owner == t.hooks.config.Owner {
		o.Previous = previous.State
	}
	s, err := m.Read(f, o)
	if err != nil {
		return nil, nil, err
	}
	r, err := m.Compact(s, why)
	return r, m, err
}

// save keeps a state with what the disk is like now.
func (t *turn) save(store pith.Store, m *memory.Memory, r *memory.Result, previous *pith.Saved) (*pith.Saved, error) {
	if r.Unchanged && previous != nil {
		return previous, nil
	}
	project := t.folder(r.State)
	disk, err := t.hooks.config.Look(t.ctx, project, restore.Paths(r.State))
	if err != nil {
		return nil, fmt.Errorf("look at the workspace: %w", err)
	}
	o := memory.SaveOptions{Store: store, Owner: t.hooks.config.Owner, Project: project, Disk: disk, Now: t.hooks.config.Now()}
	if _, err := m.Save(t.ctx, r, o); err != nil {
		return nil, fmt.Errorf("save the state: %w", err)
	}
	return &pith.Saved{State: r.State, JSON: r.JSON, SavedAt: o.Now, Owner: o.Owner, Project: project, Disk: disk}, nil
}

// open gives the session's bytes: of its file, or as the client sent them.
func (t *turn) open() (io.ReadSeeker, func(), error) {
	if len(t.input.Export) > 0 {
		return bytes.NewReader(t.input.Export), func() {}, nil
	}
	f, err := os.Open(t.transcript())
	if err != nil {
		return nil, nil, err
	}
	return f, func() { f.Close() }, nil
}

// transcript is the file of the conversation, "" where it has none.
func (t *turn) transcript() string { return t.input.TranscriptPath }

// folder is the project that the session belongs to: by its own rows, then by
// what the client says, never by the folder that the hook happens to run in.
func (t *turn) folder(s *pith.State) string {
	for _, dir := range []string{s.Checkpoint.Workspace.Root, t.input.CWD} {
		if info, err := os.Stat(dir); dir != "" && err == nil && info.IsDir() {
			return t.hooks.config.Project(dir)
		}
	}
	return t.hooks.config.Project(t.input.CWD)
}

// store opens the store with little patience.
func (t *turn) store() (pith.Store, func(), error) {
	ctx, cancel := context.WithTimeout(t.ctx, storePatience)
	store, done, err := t.hooks.config.Open(ctx)
	if err != nil {
		cancel()
		return nil, nil, fmt.Errorf("open the store: %w", err)
	}
	return store, func() { done(); cancel() }, nil
}
