package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/schema"
)

// shown is what `pith show --json` prints: the checkpoint and its state.
type shown struct {
	Checkpoint string      `json:"checkpoint"`
	Session    string      `json:"session_id"`
	Project    string      `json:"project"`
	Owner      string      `json:"owner"`
	SavedAt    string      `json:"saved_at"`
	How        string      `json:"how"`
	State      *pith.State `json:"state"`
}

func showCommand(c *console) *cobra.Command {
	var view, session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show [ID]",
		Short: "Show a stored checkpoint",
		Long: `Show a stored checkpoint as an overview for people, or as one of its views.

ID is a checkpoint or a session, or the beginning of either; without one it is
the latest of the current folder's project.

Exit codes: 0 done, 2 usage, 6 store.`,
		Example: "  pith show\n  pith show 0199a213 --view state\n  pith show 3fa9c1 --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			what, err := oneOf(args, session)
			if err != nil {
				return err
			}
			return c.withStore(cmd.Context(), func(store pith.Store) error {
				saved, err := c.pick(cmd.Context(), store, what)
				if err != nil {
					return err
				}
				if asJSON {
					return c.showJSON(saved)
				}
				out, err := c.viewOf(saved, view)
				if err != nil {
					return err
				}
				return c.write("", out)
			})
		},
	}
	cmd.Flags().StringVar(&view, "view", "", "print state, block or memory instead of the overview")
	cmd.Flags().StringVar(&session, "session", "", "a session, or the beginning of its id; latest is that of this project")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the checkpoint and its state as JSON")
	completeFlag(cmd, "view", []string{"state", "block", "memory"})
	return cmd
}

func (c *console) showJSON(saved *pith.Saved) error {
	p := &saved.State.Checkpoint
	return printJSON(c.out, shown{p.ID, p.SessionID, saved.Project, saved.Owner, saved.SavedAt.Format("2006-01-02T15:04:05Z07:00"), or(saved.How, "compact"), saved.State})
}

// viewOf makes the bytes of a view of a checkpoint.
func (c *console) viewOf(saved *pith.Saved, view string) ([]byte, error) {
	switch view {
	case "":
		var b bytes.Buffer
		c.overview(&b, saved)
		return b.Bytes(), nil
	case "state":
		return schema.Marshal(saved.State, true)
	case "memory":
		compact, err := schema.ToCompact(saved.State)
		if err != nil {
			return nil, err
		}
		return schema.MarshalCompact(compact, true)
	case "block":
		r, err := memory.New(c.settings.memory()).Restore(saved.State)
		if err != nil {
			return nil, err
		}
		return []byte(r.Block.Text), nil
	}
	return nil, usage("", "--view %q: want state, block or memory", view)
}

// overview writes what a person wants to know of a checkpoint first.
func (c *console) overview(w io.Writer, saved *pith.Saved) {
	s := saved.State
	p := &s.Checkpoint
	fmt.Fprintf(w, "%s  session %s\n", c.paint(bold, "checkpoint "+short(p.ID)), p.SessionID)
	fmt.Fprintf(w, "saved     %s by %s (%s), number %d of the session\n", when(saved.SavedAt), or(saved.Owner, "nobody known"), or(saved.How, "compact"), p.Seq+1)
	fmt.Fprintf(w, "project   %s\n", or(saved.Project, "-"))
	fmt.Fprintf(w, "covers    %s, through message %d, turn %d\n", p.Format, p.ThroughMessage, p.CompactedAtTurn)
	if p.Compactor != "" {
		fmt.Fprintf(w, "judgement drafted by %s, checked against the transcript%s\n", p.Compactor, claimsDropped(s.Security.ClaimsDropped))
	}
	if p.Origin != "live" {
		fmt.Fprintln(w, c.paint(yellow, "UNVERIFIED: it came from elsewhere ("+p.Origin+")"))
	}
	fmt.Fprintf(w, "\n%s\n  %s\n", c.paint(bold, "Goal"), firstLine(s.Goal.Text, c.width-4))
	for i := range s.Goal.Amendments {
		fmt.Fprintf(w, "  then: %s\n", firstLine(s.Goal.Amendments[i].Text, c.width-10))
	}
	phase := strings.TrimSpace(s.Phase.Name + " " + s.Phase.Status)
	fmt.Fprintf(w, "\n%s  %s, %s\n", c.paint(bold, "Work"), s.WorkType, phase)
	fmt.Fprintf(w, "%s  %s: %s\n", c.paint(bold, "Next"), s.Next.Kind, firstLine(or(s.Next.Text, s.Next.Command), c.width-16))
	var rules, decisions, failures, runs, todo, pins, edits []string
	for i := range s.Constraints {
		if k := &s.Constraints[i]; !k.Resent {
			rules = append(rules, k.Text)
		}
	}
	for i := range s.Decisions {
		decisions = append(decisions, draftedMark(s.Decisions[i].Drafted)+s.Decisions[i].Decision)
	}
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.Unresolved() {
			failures = append(failures, e.Command+": "+or(e.Signature, e.Status))
		} else if e.SupersededBy == nil {
			runs = append(runs, e.Command+": "+e.Status)
		}
	}
	drafted := draftedLines(s)
	for i := range s.Context.Todo {
		todo = append(todo, "["+s.Context.Todo[i].Status+"] "+s.Context.Todo[i].Text)
	}
	for i := range s.Context.Pins {
		pins = append(pins, fmt.Sprintf("%d. %s", i+1, s.Context.Pins[i].Text))
	}
	for i := range s.Edits {
		edits = append(edits, strings.TrimSpace(s.Edits[i].Op+" "+s.Edits[i].Slot+" "+s.Edits[i].Item))
	}
	c.list(w, "Pins", pins)
	c.list(w, "Rules", rules)
	c.list(w, "Unresolved failures", failures)
	c.list(w, "Decisions", decisions)
	c.list(w, "Drafted", drafted)
	c.list(w, "Todo", todo)
	c.list(w, "Runs", runs)
	c.list(w, "Files modified", paths(s.Files.Modified))
	c.list(w, "Edited by people", edits)
	fmt.Fprintf(w, "\n%d files inspected, %d failed attempts, %d invariants; --view state shows all\n", len(s.Files.Inspected), len(s.Failed), len(s.Invariants))
}

func paths(files []pith.File) []string {
	var out []string
	for i := range files {
		out = append(out, string(files[i].Op)+" "+files[i].Path)
	}
	return out
}

// shownItems is how many items of a list the overview shows.
const shownItems = 12

func (c *console) list(w io.Writer, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", c.paint(bold, fmt.Sprintf("%s (%d)", title, len(items))))
	for i, text := range items {
		if i == shownItems {
			fmt.Fprintf(w, "  ... and %d more\n", len(items)-i)
			return
		}
		fmt.Fprintf(w, "  %s\n", firstLine(text, c.width-4))
	}
}
