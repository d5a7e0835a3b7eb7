package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/pith-memory/pith/transcript"
)

// printFileSessions lists the sessions of a file that holds several.
func (c *console) printFileSessions(file string, sessions []transcript.SessionInfo, asJSON bool) error {
	if asJSON {
		return printJSON(c.out, struct {
			File     string                   `json:"file"`
			Sessions []transcript.SessionInfo `json:"sessions"`
		}{file, sessions})
	}
	fmt.Fprintf(c.out, "%s holds %d sessions; choose one with --session ID, or by its number\n", or(file, stdinName), len(sessions))
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, s := range sessions {
		fmt.Fprintf(w, "%d\t%s\t%s\n", s.Number, s.ID, s.Task)
	}
	return w.Flush()
}

// sessionIDs are the sessions of a file, or one "" where it holds a single one.
func sessionIDs(file string) ([]string, error) {
	in, _, err := openFile(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // it was only read
	sessions, err := transcript.Sessions(in)
	if err != nil || len(sessions) < 2 {
		return []string{""}, err
	}
	ids := make([]string, len(sessions))
	for i := range sessions {
		ids[i] = fmt.Sprint(sessions[i].Number)
	}
	return ids, nil
}
