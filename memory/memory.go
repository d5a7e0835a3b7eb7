// Package memory is the pipeline: the only package that knows the order in
// which a transcript becomes a working state and a block to restore. Most Go
// programs need no other.
//
//	transcript -> redacted messages -> facts -> state -> checked -> block
package memory

import (
	"errors"
	"fmt"
	"io"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/trigger"
)

// Config is what a Memory works by. Every zero value has one meaning.
type Config struct {
	// Policy decides when to compact; the zero Policy has the defaults of trigger.
	Policy trigger.Policy
	// Window is the model's context window in tokens; 0 asks the transcript,
	// then the table of models.
	Window int
	// Budget bounds the rendered block; 0 is restore's default for the window.
	Budget pith.Tokens
	// Pattern says where the block goes; the zero Pattern is the system prompt.
	Pattern restore.Pattern
	// Pins are texts that must stay.
	Pins []pith.Pin
	// RenderResent writes out the rules of system prompts and rules files too,
	// for a target that will not send them again by itself.
	RenderResent bool
	// Steady gives a block at least the room of the one before it in its chain,
	// for clients whose context holds little beside that one.
	Steady bool
	// Explain keeps, for every item of the block, whether it was kept and why.
	Explain bool
}

// Memory compacts sessions. It holds no session and may be shared.
type Memory struct{ config Config }

// New returns a Memory.
func New(c Config) *Memory { return &Memory{config: c} }

// Result is a compaction: the state, the block that restores it, and the
// figures that the decision to compact rests on.
type Result struct {
	State *pith.State
	// JSON is the state as it is written, on one line.
	JSON    []byte
	Block   restore.Block
	Reading meter.Reading
	// Unchanged is set where nothing was said since the previous checkpoint:
	// then it is this one.
	Unchanged bool
}

// Compact turns a session that was read into a checked state and its block.
// Errors: KindCheck when the state breaks its own contract or a secret is
// still in it; then nothing of it is returned.
func (m *Memory) Compact(s *Session, why pith.Reason) (*Result, error) {
	if s.behind != nil && s.Messages == 0 {
		return m.again(s)
	}
	state, err := s.state(why, m.config.Pins)
	if err != nil {
		return nil, err
	}
	if s.unchanged(state) {
		return m.again(s)
	}
	return m.finish(s, state)
}

// finish renders, checks and writes a state.
func (m *Memory) finish(s *Session, state *pith.State) (*Result, error) {
	draft := restore.Prepare(state, m.renderOptions(s))
	// The id stands in the block and the block's size in the state, so the
	// size is taken from a block with an empty id.
	state.Metrics.TokensAfter = draft.Block().Tokens
	written, problems := schema.Seal(state)
	if len(problems) > 0 {
		return nil, problemError("check the state", problems)
	}
	r := &Result{State: state, JSON: written, Block: draft.Block(), Reading: s.Reading(m.config.Window)}
	if err := r.rescan(); err != nil {
		return nil, err
	}
	return r, nil
}

func (m *Memory) renderOptions(s *Session) restore.Options {
	var replaces pith.Tokens
	if m.config.Steady && s.previous != nil {
		replaces = s.previous.Metrics.TokensAfter
	}
	return restore.Options{
		Replaces:     replaces,
		Pattern:      m.config.Pattern,
		Budget:       m.config.Budget,
		Window:       s.Reading(m.config.Window).Window,
		Live:         s.Live(),
		RenderResent: m.config.RenderResent,
		Explain:      m.config.Explain,
		Count:        s.live.Count,
	}
}

// rescan looks for secrets in the final bytes. Redaction has been over all of
// it already, so a finding is a fault, and what has it is never handed out.
func (r *Result) rescan() error {
	found := redact.Dirty(r.JSON)
	if len(found) == 0 {
		found = redact.Scan(r.Block.Text)
	}
	if len(found) == 0 {
		return nil
	}
	return &pith.Error{
		Op: "scan the finished state for secrets", Kind: pith.KindCheck,
		Err:  fmt.Errorf("rule %s still matches at byte %d", found[0].Rule, found[0].Start),
		Hint: "nothing was written; please report the rule's name (not the text)",
	}
}

// Observe decides whether it is time to compact a conversation. last is what
// the provider reported for the last request, nil where that is unknown.
func (m *Memory) Observe(c *pith.Conversation, last *pith.Usage) (meter.Reading, trigger.Decision) {
	reading := meter.Read(c, meter.ReadOptions{Window: m.config.Window, Usage: last})
	return reading, m.config.Policy.Decide(trigger.Input{Reading: reading})
}

// Apply turns a conversation into the one to send next: its head, the block
// and a safe tail. Errors: KindDeclined when that would not be smaller, with
// the conversation as it came.
func (m *Memory) Apply(c pith.Conversation, r *Result, o restore.ApplyOptions) (restore.Result, error) {
	o.Pattern = m.config.Pattern
	if o.Window == 0 {
		o.Window = r.Reading.Window
	}
	return restore.Apply(c, r.Block.Text, o)
}

// problemError makes one error of a list of problems.
func problemError(op string, problems []schema.Problem) error {
	p := problems[0]
	err := fmt.Errorf("%s at %s: %s", p.Rule, p.Path, p.Text)
	if n := len(problems) - 1; n > 0 {
		err = fmt.Errorf("%w (and %d more)", err, n)
	}
	return &pith.Error{Op: op, Kind: pith.KindCheck, Err: err}
}

// Read reads a session up to a cut.
func (m *Memory) Read(r io.Reader, o ReadOptions) (*Session, error) {
	s, err := readOn(r, o)
	if err != nil && errors.Is(err, io.ErrUnexpectedEOF) {
		err = &pith.Error{Op: "read the session", Kind: pith.KindInput, Err: err}
	}
	return s, err
}
