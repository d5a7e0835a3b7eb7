package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
)

func pinCommand(c *console) *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "pin TEXT",
		Short: "Keep a text in every later state of a session, word for word",
		Long: `Keep a text in every later state of a session, word for word, until it is
unpinned. Secrets in it are redacted. It is stored as a new checkpoint.

Exit codes: 0 done, 2 usage, 5 failed check, 6 store.`,
		Example: "  pith pin \"the auditors come on Friday\"\n  pith pin --session 0199a213 \"never touch billing/\"",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withStore(cmd.Context(), func(store pith.Store) error {
				return c.pin(cmd.Context(), store, or(session, latest), args[0], asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "a session, or the beginning of its id (default: the latest of this project)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *console) pin(ctx context.Context, store pith.Store, what, text string, asJSON bool) error {
	last, err := c.newest(ctx, store, what)
	if err != nil {
		return err
	}
	saved, stored, err := c.addPin(ctx, store, last, text, "user")
	if err != nil {
		return err
	}
	if !stored {
		return c.printKept(last, false, asJSON, "it is pinned already; nothing was stored")
	}
	return c.printKept(saved, true, asJSON, fmt.Sprintf("pinned as %d in checkpoint %s", len(saved.State.Context.Pins), short(saved.State.Checkpoint.ID)))
}

// addPin keeps a text after the latest checkpoint of a session. It gives that
// checkpoint and false where the text is pinned already.
func (c *console) addPin(ctx context.Context, store pith.Store, last *pith.Saved, text, by string) (*pith.Saved, bool, error) {
	text = strings.TrimSpace(redact.New().Text(text))
	if text == "" {
		return nil, false, usage("", "the text is empty")
	}
	s, err := copyOf(last)
	if err != nil {
		return nil, false, err
	}
	if pinNumber(s.Context.Pins, text) >= 0 {
		return last, false, nil
	}
	s.Context.Pins = append(s.Context.Pins, pith.Pin{Text: text, By: by})
	saved, err := c.child(ctx, store, last, s, "pin")
	return saved, true, err
}

func unpinCommand(c *console) *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "unpin TEXT|N",
		Short: "Take a pin back, by its text or its number",
		Long: `Take a pin back, by its text or by its number as ` + "`pith show`" + ` lists it. It is
stored as a new checkpoint.

Exit codes: 0 done, 2 usage, 5 failed check, 6 store.`,
		Example: "  pith unpin 1\n  pith unpin \"the auditors come on Friday\"",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withStore(cmd.Context(), func(store pith.Store) error {
				return c.unpin(cmd.Context(), store, or(session, latest), args[0], asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "a session, or the beginning of its id (default: the latest of this project)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *console) unpin(ctx context.Context, store pith.Store, what, text string, asJSON bool) error {
	last, err := c.newest(ctx, store, what)
	if err != nil {
		return err
	}
	at := pinNumber(last.State.Context.Pins, strings.TrimSpace(redact.New().Text(text)))
	if n, err := strconv.Atoi(text); at < 0 && err == nil && n >= 1 && n <= len(last.State.Context.Pins) {
		at = n - 1
	}
	if at < 0 {
		return usage("`pith show` lists the pins with their numbers", "there is no pin %q among the %d of the session", text, len(last.State.Context.Pins))
	}
	gone := last.State.Context.Pins[at].Text
	saved, err := c.takePin(ctx, store, last, at)
	if err != nil {
		return err
	}
	return c.printKept(saved, true, asJSON, fmt.Sprintf("unpinned %q in checkpoint %s", firstLine(gone, 60), short(saved.State.Checkpoint.ID)))
}

// takePin takes a pin of the latest checkpoint of a session back.
func (c *console) takePin(ctx context.Context, store pith.Store, last *pith.Saved, at int) (*pith.Saved, error) {
	s, err := copyOf(last)
	if err != nil {
		return nil, err
	}
	s.Context.Pins = slices.Delete(s.Context.Pins, at, at+1)
	return c.child(ctx, store, last, s, "pin")
}

func pinNumber(pins []pith.Pin, text string) int {
	return slices.IndexFunc(pins, func(p pith.Pin) bool { return p.Text == text })
}
