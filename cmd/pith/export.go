package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
)

func exportCommand(c *console) *cobra.Command {
	var session, view, out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "export [ID]",
		Short: "Write a stored state to a file that another machine can import",
		Long: `Write a stored state, or its 8-field view, as JSON. No secret is in it. ID is a
checkpoint or a session, or the beginning of either; without one it is the latest
of the current folder's project.

Exit codes: 0 done, 2 usage, 5 refused, 6 store.`,
		Example: "  pith export -o state.json\n  pith export 0199a213 --view memory | ssh other pith import -",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			what, err := oneOf(args, session)
			if err != nil {
				return err
			}
			if view != "state" && view != "memory" {
				return usage("", "--view %q: want state or memory", view)
			}
			return c.withStore(cmd.Context(), func(store pith.Store) error {
				return c.export(cmd.Context(), store, what, view, out)
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "a session, or the beginning of its id (default: the latest of this project)")
	cmd.Flags().StringVar(&view, "view", "state", "what to write: state or memory")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to this file instead of standard output")
	cmd.Flags().BoolVar(&asJSON, "json", true, "print JSON, which it always does")
	completeFlag(cmd, "view", []string{"state", "memory"})
	return cmd
}

func (c *console) export(ctx context.Context, store pith.Store, what, view, out string) error {
	saved, err := c.pick(ctx, store, what)
	if err != nil {
		return err
	}
	if err := checkOwner(saved); err != nil {
		return err
	}
	doc := saved.JSON
	if view == "memory" {
		if doc, err = c.viewOf(saved, view); err != nil {
			return err
		}
	} else if len(doc) > 0 && doc[len(doc)-1] != '\n' {
		doc = append(doc[:len(doc):len(doc)], '\n')
	}
	return c.write(out, doc)
}
