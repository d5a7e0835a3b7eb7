package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/hook"
	"github.com/pith-memory/pith/memory"
)

// forgotten is what `pith forget --json` prints.
type forgotten struct {
	Session     string `json:"session_id"`
	Checkpoints int    `json:"checkpoints"`
}

func forgetCommand(c *console) *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "forget SESSION",
		Short: "Remove all that is stored of a session, for good",
		Long: `Remove every checkpoint, every archived block and every search entry of a session
and of its sub-agents from the disk, for good, and what the hooks and plugins in
coding agents keep of it. The client's own files are left alone. On a terminal it asks first; elsewhere
it takes --yes.

Exit codes: 0 done, 2 usage, 6 store.`,
		Example: "  pith forget 0199a213\n  pith forget 0199a213-81c0-7800-8aa1-bbab2a035a53 --yes",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withStore(cmd.Context(), func(store pith.Store) error {
				return c.forget(cmd.Context(), store, args[0], yes, asJSON)
			})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *console) forget(ctx context.Context, store pith.Store, what string, yes, asJSON bool) error {
	forgetter, ok := store.(pith.Forgetter)
	if !ok {
		return storeError("forget the session", fmt.Errorf("this kind of store cannot forget"))
	}
	entries, err := store.List(ctx, "")
	if err != nil {
		return inStore("list the checkpoints", err)
	}
	session, err := pickSession(entries, what)
	if err != nil {
		return err
	}
	if !yes {
		if !c.asks() {
			return usage("--yes removes it without a question", "nobody can be asked whether session %s is to go for good", session)
		}
		if !c.ask(fmt.Sprintf("Remove all that is stored of session %s for good?", session)) {
			fmt.Fprintln(c.err, "pith: nothing was removed")
			return nil
		}
	}
	if err := hook.Forget(hookFolder(), session); err != nil {
		return storeError("forget the session", err)
	}
	n := 0
	for _, id := range withSubAgents(entries, session) {
		if err := forgetIndexed(ctx, id); err != nil {
			return err
		}
		gone, err := forgetter.Forget(ctx, id)
		if err != nil {
			return inStore("forget session "+id, err)
		}
		n += gone
	}
	if asJSON {
		return printJSON(c.out, forgotten{session, n})
	}
	_, err = fmt.Fprintf(c.out, "session %s is forgotten: %d checkpoints, and all archived blocks and search entries of it\n", session, n)
	return err
}

// withSubAgents are a session and those of its sub-agents that are stored.
func withSubAgents(entries []pith.Entry, session string) []string {
	ids := []string{session}
	for i := range entries {
		if id := entries[i].SessionID; memory.IsAgentOf(id, session) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// asks tells whether there is a person to answer a question.
func (c *console) asks() bool {
	f, ok := c.in.(*os.File)
	return ok && c.progress && term.IsTerminal(int(f.Fd()))
}

// ask puts a question that takes y or n; anything but a yes is a no.
func (c *console) ask(question string) bool {
	fmt.Fprintf(c.err, "%s [y/N] ", question)
	answer, err := bufio.NewReader(c.in).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return err == nil && (answer == "y" || answer == "yes")
}
