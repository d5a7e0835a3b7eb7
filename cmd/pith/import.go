package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/diff"
	"github.com/pith-memory/pith/handoff"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/schema"
)

func importCommand(c *console) *cobra.Command {
	var project string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Store a state, or an 8-field memory, that came from elsewhere, as unverified",
		Long: `Store a state (` + "`pith export`, `pith compact --view state`" + `) or an 8-field memory that
came from elsewhere. Nobody here vouches for it: every item is UNVERIFIED_IMPORT,
nothing in it is approved or binds, the next action has to be confirmed, and
secrets are redacted. It never takes the place of what is stored.

Exit codes: 0 done, 2 usage, 3 unreadable input, 5 failed check, 6 store.`,
		Example: "  pith import state.json --project ~/src/ledger\n  pith import - < memory.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := c.foreign(args[0])
			if err != nil {
				return err
			}
			return c.withStore(cmd.Context(), func(store pith.Store) error {
				return c.keepForeign(cmd.Context(), store, s, projectFolder(project), asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&project, "project", "", "the folder that the work belongs to (default: the current folder)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// foreign reads a state or a memory, redacts it, and takes its labels down.
func (c *console) foreign(arg string) (*pith.State, error) {
	in, err := c.open(arg)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	doc, err := io.ReadAll(io.LimitReader(in, maxDocument+1))
	if err != nil {
		return nil, readError(in.name, err)
	}
	if len(doc) > maxDocument {
		return nil, inFile(in.name, &pith.Error{Op: "import", Kind: pith.KindInput, Err: errors.New("over 64 MiB: this is no state")})
	}
	doc = redact.New().JSON(doc)
	var s *pith.State
	if schema.IsCompact(doc) {
		var m pith.Compact
		if m, err = schema.UnmarshalCompact(doc); err == nil {
			s, err = schema.FromCompact(m)
		}
	} else {
		s, err = schema.Unmarshal(doc)
	}
	if err != nil {
		return nil, inFile(in.name, err)
	}
	unverified(s)
	return s, nil
}

// unverified makes a state one that nobody here vouches for. It starts a chain
// of its own; the file that it names is somebody else's, so it is not looked into.
func unverified(s *pith.State) {
	p := &s.Checkpoint
	p.Origin, p.Trigger, p.Transcript, p.ParentID, p.Seq = "imported", pith.ReasonImport, "", nil, 0
	handoff.Lower(s, pith.UnverifiedImport, "import")
	diff.Mend(s)
}

func (c *console) keepForeign(ctx context.Context, store pith.Store, s *pith.State, project string, asJSON bool) error {
	if _, err := seal(s); err != nil {
		return err
	}
	there, err := store.List(ctx, s.Checkpoint.SessionID)
	if err != nil {
		return inStore("list the checkpoints", err)
	}
	if len(there) > 0 && there[len(there)-1].ID != s.Checkpoint.ID {
		// Its session is known here, so it becomes another one.
		s.Checkpoint.SessionID = "import-" + s.Checkpoint.ID[:32]
	}
	written, err := seal(s)
	if err != nil {
		return err
	}
	saved := &pith.Saved{State: s, JSON: written, SavedAt: time.Now().UTC(), Owner: owner(), Project: project, How: "import"}
	if _, err := store.Get(ctx, s.Checkpoint.ID); err == nil {
		return c.printKept(saved, false, asJSON, "it was imported before, as session "+s.Checkpoint.SessionID+"; nothing was stored")
	}
	if err := putting(store.Put(ctx, saved)); err != nil {
		return err
	}
	return c.printKept(saved, true, asJSON, fmt.Sprintf("imported as session %s, checkpoint %s: UNVERIFIED, nobody here vouches for what it says",
		s.Checkpoint.SessionID, short(s.Checkpoint.ID)))
}
