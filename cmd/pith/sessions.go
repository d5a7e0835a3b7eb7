package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
)

// storedSession is a row of `pith sessions`.
type storedSession struct {
	Session     string    `json:"session_id"`
	Project     string    `json:"project"`
	Owner       string    `json:"owner"`
	Checkpoints int       `json:"checkpoints"`
	Damaged     int       `json:"damaged"`
	Latest      string    `json:"latest"`
	SavedAt     time.Time `json:"saved_at"`
	Goal        string    `json:"goal"`
}

func sessionsCommand(c *console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sessions [SESSION]",
		Short: "List the stored sessions, or the checkpoints of one",
		Long: `List the sessions that have checkpoints, those that were saved last first; with
a session (or the beginning of its id), its checkpoints.

Exit codes: 0 done, 2 usage, 6 store.`,
		Example: "  pith sessions\n  pith sessions 0199a213\n  pith sessions --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withStore(cmd.Context(), func(store pith.Store) error {
				entries, err := store.List(cmd.Context(), "")
				if err != nil {
					return inStore("list the checkpoints", err)
				}
				if len(args) == 0 {
					return c.printSessions(bySession(entries), asJSON)
				}
				session, err := pickSession(entries, args[0])
				if err != nil {
					return err
				}
				entries = slices.DeleteFunc(entries, func(e pith.Entry) bool { return e.SessionID != session })
				return c.printCheckpoints(entries, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// pickSession finds the one session whose id begins with a text; "latest" is
// the one that was saved last.
func pickSession(entries []pith.Entry, what string) (string, error) {
	if what == latest && len(entries) > 0 {
		return entries[0].SessionID, nil
	}
	switch sessions, _ := matching(entries, what); len(sessions) {
	case 0:
		return "", &pith.Error{
			Op: fmt.Sprintf("find session %q", what), Kind: pith.KindStore, Err: pith.ErrNotFound, Hint: "`pith sessions` lists what there is",
		}
	case 1:
		return sessions[0], nil
	default:
		return "", usage("give more of the id", "%q fits several sessions: %s", what, strings.Join(sessions, ", "))
	}
}

// bySession joins entries, the newest first, into sessions in the same order.
func bySession(entries []pith.Entry) []storedSession {
	list := []storedSession{}
	at := map[string]int{}
	for i := range entries {
		e := &entries[i]
		k, ok := at[e.SessionID]
		if !ok {
			k = len(list)
			at[e.SessionID] = k
			list = append(list, storedSession{Session: e.SessionID})
		}
		s := &list[k]
		s.Checkpoints++
		if e.Damaged != "" {
			s.Damaged++
		}
		if s.Latest == "" && e.Damaged == "" {
			s.Latest, s.SavedAt, s.Goal, s.Project, s.Owner = e.ID, e.SavedAt, e.Goal, e.Project, e.Owner
		}
	}
	return list
}

func (c *console) printSessions(list []storedSession, asJSON bool) error {
	if asJSON {
		return printJSON(c.out, list)
	}
	if len(list) == 0 {
		fmt.Fprintln(c.err, "pith: nothing is stored yet: `pith compact FILE --save` stores a session")
		return nil
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SESSION\tPROJECT\tN\tSAVED\tGOAL")
	for _, s := range list {
		goal := firstLine(s.Goal, max(c.width-80, 24))
		if s.Damaged > 0 {
			goal = fmt.Sprintf("(%d damaged) %s", s.Damaged, goal)
		}
		id := s.Session
		if c.people {
			id = id[:min(len(id), 18)]
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", id, underHome(s.Project), s.Checkpoints, when(s.SavedAt), goal)
	}
	return w.Flush()
}

func (c *console) printCheckpoints(entries []pith.Entry, asJSON bool) error {
	if asJSON {
		return printJSON(c.out, entries)
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "CHECKPOINT\tSEQ\tTURN\tTHROUGH\tSAVED\tMADE BY\tGOAL")
	for i := range entries {
		e := &entries[i]
		goal := firstLine(e.Goal, max(c.width-76, 24))
		if e.Damaged != "" {
			goal = "damaged: " + e.Damaged
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\t%s\t%s\n", short(e.ID), e.Seq, e.Turn, e.Through, when(e.SavedAt), or(e.How, "compact"), goal)
	}
	return w.Flush()
}

// when is a time as people here read it.
func when(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// underHome writes a folder of the user's with "~".
func underHome(dir string) string {
	home, err := os.UserHomeDir()
	if err != nil || !inside(dir, home) {
		return or(dir, "-")
	}
	return filepath.Join("~", strings.TrimPrefix(dir, home))
}
