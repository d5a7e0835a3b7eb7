package hook

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/schema"
)

// howFork marks the first checkpoint of a session that goes on from another.
const howFork = "fork"

// forked gives a session that has no checkpoint and begins with the memory of
// another one that checkpoint as its first: a client that forks a session which
// pith compacted copies the memory, and not what it stands for. It gives nil
// where the session is no fork, or of what is not this account's or project's.
func (t *turn) forked(store pith.Store) (*pith.Saved, error) {
	origin, err := t.carried(store)
	if origin == nil || err != nil {
		return nil, err
	}
	s, err := schema.Unmarshal(origin.JSON)
	if err != nil {
		return nil, err
	}
	s.Checkpoint.SessionID, s.Checkpoint.ParentID, s.Checkpoint.Seq = t.input.key(), nil, 0
	written, problems := schema.Seal(s)
	if len(problems) > 0 {
		return nil, errors.New(problems[0].String())
	}
	saved := *origin
	saved.State, saved.JSON, saved.SavedAt, saved.How = s, written, t.hooks.config.Now().UTC(), howFork
	ctx := t.patience()
	_, err = patiently(ctx, func() (struct{}, error) { return struct{}{}, store.Put(ctx, &saved) })
	return &saved, err
}

// carried is the checkpoint whose memory the session's file begins with.
func (t *turn) carried(store pith.Store) (*pith.Saved, error) {
	src, err := t.open()
	if err != nil {
		return nil, nil //nolint:nilerr // who reads the session says what is wrong with it
	}
	defer src.close()
	id, err := memory.Carried(src.from(0), memory.Numbering{})
	if id == "" || err != nil {
		return nil, nil //nolint:nilerr // see above
	}
	ctx := t.patience()
	saved, err := patiently(ctx, func() (*pith.Saved, error) {
		entries, err := store.List(ctx, "")
		if err != nil {
			return nil, err
		}
		for i := range entries {
			if strings.HasPrefix(entries[i].ID, id) && entries[i].Damaged == "" {
				return store.Get(ctx, entries[i].ID)
			}
		}
		return nil, pith.ErrNotFound
	})
	switch {
	case errors.Is(err, pith.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("find the checkpoint %s that the session begins with: %w", id, err)
	case !t.mine(saved):
		return nil, nil
	}
	return saved, nil
}
