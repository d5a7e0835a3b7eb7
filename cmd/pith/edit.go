package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/diff"
	"github.com/pith-memory/pith/schema"
)

func editCommand(c *console) *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "edit [ID]",
		Short: "Change a stored state in your editor",
		Long: `Open the latest state of a session in $VISUAL, $EDITOR or vi. What you leave is
checked as any state is, and stored as a new checkpoint; later compactions of the
session keep your changes. Of the next action, the phase and the todo list they
hold until the work goes on.

An item that is new needs its text only, as in {"text": "never push to main"}.
An unchanged file stores nothing. Where a check fails you are asked to go on
editing; without a terminal the file is kept, and its name is told.

Exit codes: 0 done, 1 the editor failed, 2 usage, 5 failed check, 6 store.`,
		Example: "  pith edit\n  EDITOR=nano pith edit 0199a213",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			what, err := oneOf(args, session)
			if err != nil {
				return err
			}
			return c.withStore(cmd.Context(), func(store pith.Store) error {
				return c.edit(cmd.Context(), store, what, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "a session, or the beginning of its id (default: the latest of this project)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *console) edit(ctx context.Context, store pith.Store, what string, asJSON bool) error {
	picked, err := c.pick(ctx, store, what)
	if err != nil {
		return err
	}
	last, err := c.newest(ctx, store, picked.State.Checkpoint.SessionID)
	if err != nil {
		return err
	}
	if err := onlyNewest(picked, last); err != nil {
		return err
	}
	doc, err := schema.Marshal(last.State, true)
	if err != nil {
		return err
	}
	file, err := draftFile(doc)
	if err != nil {
		return err
	}
	for {
		saved, err := c.editOnce(ctx, store, last, file, doc)
		switch {
		case err == nil && saved == nil:
			removeDraft(file)
			return c.printKept(last, false, asJSON, "nothing was changed, so nothing was stored")
		case err == nil:
			removeDraft(file)
			n := len(saved.State.Edits) - len(last.State.Edits)
			return c.printKept(saved, true, asJSON, fmt.Sprintf("saved checkpoint %s with %s", short(saved.State.Checkpoint.ID), plural(max(n, 1), "edit")))
		}
		var fault *pith.Error
		if errors.As(err, &fault) && (fault.Kind == pith.KindCheck || fault.Kind == pith.KindInput) && c.asks() {
			report(c.err, err)
			if c.ask("Go on editing?") {
				continue
			}
		}
		return &pith.Error{Op: "edit the state", Kind: kindOr(err, pith.KindCheck), Err: err, Hint: "your text is kept in " + file}
	}
}

// kindOr is an error's kind; what cannot be read as a state fails its check.
func kindOr(err error, instead pith.Kind) pith.Kind {
	if k := pith.KindOf(err); k != pith.KindInput {
		return k
	}
	return instead
}

// editOnce lets a person edit the file and stores what is left in it; nil
// where that is what was there before.
func (c *console) editOnce(ctx context.Context, store pith.Store, last *pith.Saved, file string, before []byte) (*pith.Saved, error) {
	if err := c.runEditor(ctx, file); err != nil {
		return nil, err
	}
	after, err := os.ReadFile(file)
	if err != nil {
		return nil, openError(file, err)
	}
	if bytes.Equal(bytes.TrimSpace(after), bytes.TrimSpace(before)) {
		return nil, nil
	}
	edited, err := schema.Unmarshal(after)
	if err != nil {
		return nil, err
	}
	s := byHand(last.State, edited)
	same, err := sameContent(last.State, s)
	if same || err != nil {
		return nil, err
	}
	return c.child(ctx, store, last, s, "edit")
}

func sameContent(a, b *pith.State) (bool, error) {
	x, err := content(a)
	if err != nil {
		return false, err
	}
	y, err := content(b)
	return bytes.Equal(x, y), err
}

// byHand is the state that a person left: what says where a state comes from
// is as it was, what follows from the rest is set right, and the edits are noted.
func byHand(before, after *pith.State) *pith.State {
	after.ContractType, after.SchemaVersion = before.ContractType, before.SchemaVersion
	after.Checkpoint, after.Security, after.Metrics, after.Edits = before.Checkpoint, before.Security, before.Metrics, before.Edits
	after.Blocks = before.Blocks
	fillNew(after)
	diff.Mend(after)
	after.Edits = diff.Join(before.Edits, diff.Edits(before, after))
	return after
}

// fillNew gives the items that a person added with their text alone what an
// item needs: they are the user's words, and stand with the goal.
func fillNew(s *pith.State) {
	at := s.Goal.Source
	for i := range s.Constraints {
		if k := &s.Constraints[i]; k.ID == "" {
			k.ID, k.Provenance, k.Source = pith.ItemID(pith.IDConstraint, at, k.Text), pith.UserExplicit, at
			k.Kind, k.Polarity = or(k.Kind, "requirement"), or(k.Polarity, "require")
		}
	}
	for i := range s.Decisions {
		if d := &s.Decisions[i]; d.ID == "" {
			d.ID, d.Provenance, d.Source = pith.ItemID(pith.IDDecision, at, d.Decision), pith.UserExplicit, at
			d.Status = or(d.Status, "approved")
		}
		if s.Decisions[i].Rejected == nil {
			s.Decisions[i].Rejected = []pith.Alternative{}
		}
	}
	for i := range s.Failed {
		if f := &s.Failed[i]; f.ID == "" {
			f.ID, f.Provenance, f.Source = pith.ItemID(pith.IDFailed, at, f.Attempt), pith.UserExplicit, at
			f.Occurrences, f.DoNotRetry = max(f.Occurrences, 1), true
		}
	}
	for i := range s.Invariants {
		if v := &s.Invariants[i]; v.ID == "" {
			v.ID, v.Provenance, v.Source = pith.ItemID(pith.IDInvariant, at, v.Text), pith.UserExplicit, at
			v.Binding = or(v.Binding, "binding")
		}
	}
	for i := range s.Context.Pins {
		if s.Context.Pins[i].By == "" {
			s.Context.Pins[i].By = "user"
		}
	}
}

// draftFile writes what is to be edited to a file for its owner alone, in a
// folder of its own, where editors may put their own files too.
func draftFile(doc []byte) (string, error) {
	dir, err := os.MkdirTemp("", "pith-edit-*")
	if err != nil {
		return "", writeError("a temporary folder", err)
	}
	file := filepath.Join(dir, "state.json")
	return file, writeError(file, os.WriteFile(file, doc, 0o600))
}

func removeDraft(file string) { _ = os.RemoveAll(filepath.Dir(file)) } // a draft that stays harms nobody

// runEditor runs the user's editor on a file. What names it may hold arguments.
func (c *console) runEditor(ctx context.Context, file string) error {
	editor := or(os.Getenv("VISUAL"), or(os.Getenv("EDITOR"), "vi"))
	var cmd *exec.Cmd
	if runtime.GOOS == "windows" {
		words := strings.Fields(editor)
		cmd = exec.CommandContext(ctx, words[0], append(words[1:], file)...)
	} else {
		cmd = exec.CommandContext(ctx, "sh", "-c", editor+` "$@"`, editor, file)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.in, c.err, c.err
	if c.people {
		cmd.Stdout = c.out
	}
	if err := cmd.Run(); err != nil {
		return &pith.Error{Op: "run the editor " + editor, Kind: pith.KindUnexpected, Err: err, Hint: "set VISUAL or EDITOR to the editor to use"}
	}
	return nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
