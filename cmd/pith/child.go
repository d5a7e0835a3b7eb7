package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/schema"
)

// copyOf is a state that shares nothing with the checkpoint that it is of.
func copyOf(saved *pith.Saved) (*pith.State, error) { return schema.Unmarshal(saved.JSON) }

// child keeps a state that a person made as what comes after a checkpoint, and
// returns it. Errors: KindCheck where the state breaks its contract or holds a
// secret; KindStore where the session went on meanwhile.
func (c *console) child(ctx context.Context, store pith.Store, parent *pith.Saved, s *pith.State, how string) (*pith.Saved, error) {
	before := &parent.State.Checkpoint
	id := before.ID
	s.Checkpoint.ParentID, s.Checkpoint.Seq = &id, before.Seq+1
	written, err := seal(s)
	if err != nil {
		return nil, err
	}
	saved := &pith.Saved{
		State: s, JSON: written, SavedAt: time.Now().UTC(), Owner: owner(), Project: parent.Project, Disk: parent.Disk, How: how,
	}
	return saved, putting(store.Put(ctx, saved))
}

// seal names and checks a state, and looks for secrets in what is written.
func seal(s *pith.State) ([]byte, error) {
	written, problems := schema.Seal(s)
	if len(problems) > 0 {
		err := errors.New(problems[0].String())
		if n := len(problems) - 1; n > 0 {
			err = fmt.Errorf("%w (and %d more)", err, n)
		}
		return nil, &pith.Error{Op: "check the state", Kind: pith.KindCheck, Err: err, Hint: "nothing was stored"}
	}
	if found := redact.Dirty(written); len(found) > 0 {
		return nil, &pith.Error{
			Op: "check the state", Kind: pith.KindCheck, Err: fmt.Errorf("a secret of rule %s stands in it", found[0].Rule),
			Hint: "nothing was stored; take it out, and revoke it where it was shown to anybody",
		}
	}
	return written, nil
}

// putting gives an error of Put its kind, and says what to do about a conflict.
func putting(err error) error {
	var conflict *pith.Conflict
	if errors.As(err, &conflict) {
		return &pith.Error{Op: "store the checkpoint", Kind: pith.KindStore, Err: conflict, Hint: "run the command again: it then goes on from the newer one"}
	}
	return inStore("store the checkpoint", err)
}

// newest fetches the newest checkpoint of the session that an argument means,
// which has to be this account's.
func (c *console) newest(ctx context.Context, store pith.Store, what string) (*pith.Saved, error) {
	picked, err := c.pick(ctx, store, what)
	if err != nil {
		return nil, err
	}
	if err := checkOwner(picked); err != nil {
		return nil, err
	}
	session := picked.State.Checkpoint.SessionID
	last, err := store.Latest(ctx, session)
	return last, inStore("read the latest checkpoint of session "+session, err)
}

// onlyNewest refuses to change an older checkpoint: what came after it would
// not show the change.
func onlyNewest(picked, last *pith.Saved) error {
	if picked.State.Checkpoint.ID == last.State.Checkpoint.ID {
		return nil
	}
	return usage("`pith undo "+short(picked.State.Checkpoint.ID)+"` goes back to it; then it can be changed",
		"checkpoint %s is not the latest of its session, which is %s", short(picked.State.Checkpoint.ID), short(last.State.Checkpoint.ID))
}

// checkOwner refuses what another account saved.
func checkOwner(s *pith.Saved) error {
	if mine(s.Owner, owner()) {
		return nil
	}
	return &pith.Error{
		Op: "use checkpoint " + short(s.State.Checkpoint.ID), Kind: pith.KindCheck, Err: fmt.Errorf("%s saved it, and this is %s", s.Owner, owner()),
		Hint: "have " + s.Owner + " run `pith export`, and import the file: it is then marked as unverified",
	}
}

// withStore runs a command on the store of the settings.
func (c *console) withStore(ctx context.Context, f func(store pith.Store) error) error {
	store, done, err := c.openStore(ctx)
	if err != nil {
		return err
	}
	defer done()
	return f(store)
}

// kept is what a command prints about a checkpoint that it stored.
type kept struct {
	Checkpoint string `json:"checkpoint"`
	Session    string `json:"session_id"`
	Parent     string `json:"parent_id,omitempty"`
	Saved      bool   `json:"saved"`
	Text       string `json:"text"`
}

// printKept says what was stored, or why nothing was.
func (c *console) printKept(saved *pith.Saved, stored, asJSON bool, text string) error {
	k := kept{Checkpoint: saved.State.Checkpoint.ID, Session: saved.State.Checkpoint.SessionID, Saved: stored, Text: text}
	if p := saved.State.Checkpoint.ParentID; p != nil {
		k.Parent = *p
	}
	if asJSON {
		return printJSON(c.out, k)
	}
	_, err := fmt.Fprintln(c.out, text)
	return err
}
