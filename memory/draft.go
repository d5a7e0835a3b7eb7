package memory

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/merge"
	"github.com/pith-memory/pith/meter"
)

// DraftOptions say which model drafts the judgement, and from what.
type DraftOptions struct {
	Model     compactor.Model
	Compactor compactor.Options
	// Focus is what the user asked to keep an eye on, "" for nothing.
	Focus string
	// Fork asks over the session's own request instead of sending the history
	// once more, nil for not.
	Fork *compactor.Fork
	// Earlier is a draft of the first part of the session: only what came since
	// is read, and nothing is asked where that is little.
	Earlier *Drafted
}

// Drafted is what a model said, and how far it had read.
type Drafted struct {
	Draft *compactor.Draft
	// Model is what answered.
	Model string
	// Through is the number of the last message that the model read.
	Through int
}

// worthAsking is how much must have come since an earlier draft before a model
// is asked again. Units: tokens.
const worthAsking = 2_000

// Draft asks a model for what code cannot extract of a session: reasons, what
// was ruled out, where the work stands. r is the state that code made of it
// and from the session's bytes, nil for one that was followed. The model reads
// what came since the last draft; without one, the live context. It gives nil
// where no answer was earned, and the report says why.
func (m *Memory) Draft(ctx context.Context, s *Session, r *Result, from io.ReadSeeker, o DraftOptions) (*Drafted, compactor.Report) {
	name := o.Model.About().String()
	if r.Unchanged && !r.State.Checkpoint.FactsOnly {
		return nil, compactor.Report{Model: name}
	}
	in := compactor.Input{State: r.State, Previous: s.previous, Focus: o.Focus, Replaces: s.Live(), Fork: o.Fork}
	first := s.liveFrom
	if p := s.previous; p != nil && !p.Checkpoint.FactsOnly {
		first = max(first, p.Checkpoint.ThroughMessage+1)
	}
	if e := o.Earlier; e != nil {
		first = e.Through + 1
		few, err := s.fewSince(from, first)
		if err == nil && few {
			return e, compactor.Report{Model: e.Model}
		}
		in.Previous = remembering(r.State, e.Draft)
	}
	next, err := s.replay(from)
	if err != nil {
		return nil, compactor.Report{Model: name, Err: err}
	}
	in.Next = func() (*pith.Message, error) {
		for {
			if msg, err := next(); err != nil || msg.Index >= first {
				return msg, err
			}
		}
	}
	draft, report := compactor.Run(ctx, o.Model, in, o.Compactor)
	if draft == nil {
		return nil, report
	}
	return &Drafted{Draft: draft, Model: report.Model, Through: s.lastMessage}, report
}

// remembering is a state with a draft in it, for the model that goes on from
// that draft. Nothing of it is checked, since nothing of it is kept.
func remembering(st *pith.State, d *compactor.Draft) *pith.State {
	c := st.Facts()
	x := pith.Extensions{
		ProgressNote: d.CurrentState, TaskRestatement: d.Task, OpenQuestions: d.OpenQuestions, RemainingSteps: d.NextSteps,
		ToolResults: make(map[string]string, len(d.ToolResults)),
	}
	for _, k := range d.KeyDecisions {
		c.Decisions = append(c.Decisions, pith.Decision{Decision: k.Decision, Rationale: k.Reason, Constraint: k.Constraint, Drafted: true})
	}
	for _, e := range d.EliminatedApproaches {
		c.Failed = append(c.Failed, pith.FailedAttempt{Attempt: e.Approach, Reason: e.Reason, Drafted: true})
	}
	for _, r := range d.ToolResults {
		x.ToolResults[r.Name] = r.Result
	}
	c.Extensions = &x
	return c
}

// fewSince tells whether what came from a message on is too little to ask for.
func (s *Session) fewSince(from io.ReadSeeker, first int) (bool, error) {
	next, err := s.replay(from)
	if err != nil {
		return false, err
	}
	total := pith.Tokens(0)
	for total < worthAsking {
		msg, err := next()
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if msg.Index >= first {
			total += meter.EstimateMessage(msg)
		}
	}
	return false, nil
}

// Judge joins a draft to the state that code made: what the session does not
// hold of it is dropped and counted, and where code and draft speak of the same
// thing, code is believed. On every error the result is the one that came in.
func (m *Memory) Judge(s *Session, r *Result, d *Drafted, from io.ReadSeeker) (*Result, merge.Verdict, error) {
	if d == nil {
		return r, merge.Verdict{}, nil
	}
	facts := r.State
	if r.Unchanged {
		// The draft is new, so the state that holds it is a child of this one.
		var err error
		if facts, err = s.state(r.State.Checkpoint.Trigger, m.config.Pins); err != nil {
			return r, merge.Verdict{}, err
		}
	}
	claims := merge.NewClaims(d.Draft)
	next, err := s.replay(from)
	for err == nil {
		var msg *pith.Message
		if msg, err = next(); err == nil {
			claims.Message(msg)
		}
	}
	if !errors.Is(err, io.EOF) {
		return r, merge.Verdict{}, fmt.Errorf("read the session again to check the draft: %w", err)
	}
	state, verdict := merge.Judge(facts, d.Draft, claims, d.Model)
	if verdict.Kept == 0 {
		return r, verdict, nil
	}
	judged, err := m.finish(s, state)
	if err != nil {
		return r, verdict, err
	}
	return judged, verdict, nil
}

// replay gives the messages of the session once more, redacted as they were,
// to the cut that it was read to.
func (s *Session) replay(from io.ReadSeeker) (func() (*pith.Message, error), error) {
	if s.follow != nil {
		i := 0
		return func() (*pith.Message, error) {
			if i == len(s.follow.messages) {
				return nil, io.EOF
			}
			i++
			return &s.follow.messages[i-1], nil
		}, nil
	}
	if from == nil {
		return nil, &pith.Error{Op: "read the session again", Kind: pith.KindUsage, Err: errors.New("its bytes were not passed")}
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return nil, &pith.Error{Op: "read the session again", Kind: pith.KindInput, Err: err}
	}
	next, err := messages(from, s.options, s.base)
	if err != nil {
		return nil, err
	}
	return func() (*pith.Message, error) {
		msg, err := next()
		if err == nil && msg.Index > s.lastMessage {
			return nil, io.EOF
		}
		return msg, err
	}, nil
}
