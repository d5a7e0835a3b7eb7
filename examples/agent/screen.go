package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pith-memory/pith/agent"
	"github.com/pith-memory/pith/telemetry"
)

// screen is the person at the other end: what is said goes to out, and what
// happens meanwhile to err, a line for each thing.
type screen struct {
	in       *bufio.Reader
	out, err io.Writer
	// terminal is set where a person can be asked.
	terminal bool
	yes      bool
	// observe gets the figures of each compaction, where it is set.
	observe telemetry.Observer
	// midLine is set while a line of the answer is not ended.
	midLine bool
}

// talk says the prompt, or what is typed, until there is no more.
func (s *screen) talk(ctx context.Context, a *agent.Agent, prompt string) error {
	if prompt != "" || a.Unfinished() && !s.terminal {
		return s.turn(ctx, a, prompt)
	}
	if a.Unfinished() {
		s.note("the session was stopped in the middle of something; an empty line goes on with it")
	}
	for {
		if s.terminal {
			fmt.Fprintf(s.out, "> ")
		}
		line, err := s.line(ctx)
		if text := strings.TrimSpace(line); text != "" || a.Unfinished() && err == nil {
			if err := s.turn(ctx, a, text); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// line waits for a line, or for the end of ctx, whichever is first.
func (s *screen) line(ctx context.Context) (string, error) {
	type read struct {
		text string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := s.in.ReadString('\n')
		done <- read{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (s *screen) turn(ctx context.Context, a *agent.Agent, prompt string) error {
	reply, err := a.Run(ctx, prompt)
	s.endLine()
	if err != nil {
		return err
	}
	line := fmt.Sprintf("%d turns, %d tokens in (%d from the cache), %d out", reply.Turns,
		reply.Usage.Input+reply.Usage.CacheRead+reply.Usage.CacheWrite, reply.Usage.CacheRead, reply.Usage.Output)
	if reply.Cost > 0 {
		line += fmt.Sprintf(", $%.4f", reply.Cost)
	}
	s.note("%s", line)
	return nil
}

func (s *screen) text(piece string) {
	fmt.Fprintf(s.out, "%s", piece)
	s.midLine = piece != "" && !strings.HasSuffix(piece, "\n")
}

func (s *screen) endLine() {
	if s.midLine {
		fmt.Fprintln(s.out)
		s.midLine = false
	}
}

func (s *screen) note(format string, args ...any) {
	s.endLine()
	fmt.Fprintf(s.err, "["+format+"]\n", args...)
}

func (s *screen) call(c agent.Call) { s.note("%s %s", c.Name, brief(c.Input)) }

// brief is a call's arguments in one short line.
func brief(input json.RawMessage) string {
	const most = 100
	runes := []rune(strings.Join(strings.Fields(string(input)), " "))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}

// confirm asks before what cannot be brought back. Where nobody is there to be
// asked, the answer is no.
func (s *screen) confirm(ctx context.Context, c agent.Call) (bool, error) {
	if s.yes {
		return true, nil
	}
	s.note("%s %s: %s", c.Name, brief(c.Input), c.Why)
	if !s.terminal {
		s.note("refused: there is no terminal to ask on; -yes allows it")
		return false, nil
	}
	fmt.Fprintf(s.err, "run it? [y/N] ")
	line, err := s.line(ctx)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}

func (s *screen) warn(w agent.Warning) { s.note("warning: %s", w.Text) }

func (s *screen) compacted(c agent.Compaction) {
	if s.observe != nil {
		s.observe(context.Background(), c.Figures())
	}
	switch {
	case c.Err != nil:
		s.note("not compacted: %v", c.Err)
	case c.FactsOnly && c.Report.Err != nil:
		s.note("compacted: %d -> %d tokens, facts only: %v", c.Before, c.After, c.Report.Err)
	case c.FactsOnly:
		s.note("compacted: %d -> %d tokens, facts only", c.Before, c.After)
	default:
		s.note("compacted: %d -> %d tokens, judged by %s", c.Before, c.After, c.Report.Model)
	}
}

func (s *screen) restored(r agent.Restoration) {
	line := fmt.Sprintf("goes on with session %s at turn %d", r.Session, r.Turn)
	if r.Interrupted > 0 {
		line += fmt.Sprintf("; %d calls were under way when it stopped", r.Interrupted)
	}
	if n := len(r.Findings); n > 0 {
		line += fmt.Sprintf("; %d files are not as they were", n)
	}
	s.note("%s", line)
}
