package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/schema"
)

func undoCommand(c *console) *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "undo [ID]",
		Short: "Go back to the state before the latest, or to any older one",
		Long: `Go back to the state before the latest one of a session, or to the checkpoint ID.
Nothing is removed: a copy of the older state is stored as the newest checkpoint,
so an undo can be undone with the id of what it took back. Undoing again goes
back further.

Exit codes: 0 done, 2 usage, 4 nothing to go back to, 6 store.`,
		Example: "  pith undo\n  pith undo 3fa9c1\n  pith undo --session 0199a213",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			what, err := oneOf(args, session)
			if err != nil {
				return err
			}
			return c.withStore(cmd.Context(), func(store pith.Store) error {
				return c.undo(cmd.Context(), store, what, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "a session, or the beginning of its id (default: the latest of this project)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *console) undo(ctx context.Context, store pith.Store, what string, asJSON bool) error {
	picked, err := c.pick(ctx, store, what)
	if err != nil {
		return err
	}
	if err := checkOwner(picked); err != nil {
		return err
	}
	session := picked.State.Checkpoint.SessionID
	last, err := store.Latest(ctx, session)
	if err != nil {
		return inStore("read the latest checkpoint of session "+session, err)
	}
	target := picked
	if picked.State.Checkpoint.ID == last.State.Checkpoint.ID {
		if target, err = before(ctx, store, last); err != nil {
			return err
		}
	}
	s, err := copyOf(target)
	if err != nil {
		return err
	}
	// What was known of the disk goes with the state that it was known for.
	parent := *last
	parent.Disk = target.Disk
	saved, err := c.child(ctx, store, &parent, s, "undo")
	if err != nil {
		return err
	}
	return c.printKept(saved, true, asJSON, fmt.Sprintf("back to checkpoint %s, as %s; `pith undo %s` takes that back",
		short(target.State.Checkpoint.ID), short(saved.State.Checkpoint.ID), short(last.State.Checkpoint.ID)))
}

// before finds the state that was there before a checkpoint. One that is itself
// the copy of an older one counts as that: undoing twice goes back twice.
func before(ctx context.Context, store pith.Store, last *pith.Saved) (*pith.Saved, error) {
	original := last.How != "undo"
	said, err := content(last.State)
	if err != nil {
		return nil, err
	}
	for at := last; at.State.Checkpoint.ParentID != nil; {
		id := *at.State.Checkpoint.ParentID
		if at, err = store.Get(ctx, id); err != nil {
			return nil, inStore("read checkpoint "+short(id), err)
		}
		if at.How == "undo" {
			if at, err = undone(ctx, store, at); err != nil {
				return nil, err
			}
		}
		if original {
			return at, nil
		}
		says, err := content(at.State)
		if err != nil {
			return nil, err
		}
		original = bytes.Equal(says, said)
	}
	return nil, &pith.Error{
		Op: "undo", Kind: pith.KindDeclined, Err: errors.New("there is no state before it"),
		Hint: "`pith sessions SESSION` lists the checkpoints, `pith forget SESSION` removes all of them",
	}
}

// undone finds the checkpoint that one made by undo is a copy of.
func undone(ctx context.Context, store pith.Store, made *pith.Saved) (*pith.Saved, error) {
	said, err := content(made.State)
	if err != nil {
		return nil, err
	}
	for at := made; at.State.Checkpoint.ParentID != nil; {
		if at, err = store.Get(ctx, *at.State.Checkpoint.ParentID); err != nil {
			return nil, inStore("read an earlier checkpoint", err)
		}
		says, err := content(at.State)
		if err != nil {
			return nil, err
		}
		if at.How != "undo" && bytes.Equal(says, said) {
			return at, nil
		}
	}
	return made, nil
}

// content is what a state says, wherever it stands in its chain.
func content(s *pith.State) ([]byte, error) {
	free := *s
	free.Checkpoint.ID, free.Checkpoint.Seq, free.Checkpoint.ParentID = "", 0, nil
	return schema.Canonical(&free)
}
