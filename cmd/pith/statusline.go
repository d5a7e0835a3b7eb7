package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/hook"
)

// statusInput is what Claude Code sends to a status line, as far as it is
// looked at.
type statusInput struct {
	SessionID string `json:"session_id"`
	Window    struct {
		// Used counts the last request; it is 0 before the first and right
		// after a compaction.
		Used pith.Tokens `json:"total_input_tokens"`
		Size int         `json:"context_window_size"`
	} `json:"context_window"`
}

// maxStatusInput bounds what is read. Units: bytes.
const maxStatusInput = 1 << 20

func statuslineCommand(c *console) *cobra.Command {
	var asJSON, colour bool
	cmd := &cobra.Command{
		Use:   "statusline",
		Short: "Print a segment for a coding agent's status line",
		Long: `Print one segment for the status line of Claude Code, which sends its JSON on
standard input: how full the context is, when it was compacted last and how many
times smaller it became, and how much of the state the model still has.

It reads one small file and never fails: where nothing is known it prints an
empty line and exits with 0.`,
		Example: `  pith statusline < status.json      # pith 62 % of 200k · compacted 14:02, 8.1x · kept 100 %`,
		Args:    cobra.NoArgs,
		// No configuration is read: a broken one must not spoil a status line.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(*cobra.Command, []string) error {
			s := c.status()
			text := s.Line(time.Local)
			switch {
			case asJSON:
				if doc, err := json.Marshal(s); err == nil {
					text = string(doc)
				}
			case colour && text != "" && os.Getenv("NO_COLOR") == "":
				text = shade(&s) + text + "\x1b[0m"
			}
			fmt.Fprintln(c.out, text)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the figures as JSON")
	cmd.Flags().BoolVar(&colour, "color", false, "colour it by how full the context is, unless NO_COLOR is set")
	return cmd
}

// status is what hooks noted of the session, with the client's own figures of
// this moment.
func (c *console) status() hook.Status {
	var in statusInput
	data, err := io.ReadAll(io.LimitReader(c.in, maxStatusInput))
	if err != nil {
		return hook.Status{}
	}
	_ = json.Unmarshal(data, &in) // what can be read of it is enough
	var s hook.Status
	if in.SessionID != "" {
		s = hook.New(hook.Config{Dir: hookFolder()}).Status(in.SessionID)
	}
	if in.Window.Used > 0 {
		s.Used = in.Window.Used
	}
	if in.Window.Size > 0 {
		s.Window = in.Window.Size
	}
	return s
}

// shade is the colour of a segment: green, yellow from 60 %, red from 80 %.
func shade(s *hook.Status) string {
	switch full := float64(s.Used) / float64(max(s.Window, 1)); {
	case s.Window == 0 || full < 0.60:
		return "\x1b[32m"
	case full < 0.80:
		return "\x1b[33m"
	}
	return "\x1b[31m"
}
