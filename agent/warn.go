package agent

import (
	"context"
	"fmt"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/trigger"
)

// WarningKind says what a warning is about.
type WarningKind string

// The kinds of warning. Each is told once between two compactions, and WarnCompactor
// once until the model answers again.
const (
	WarnWindow       WarningKind = "window"        // the window is filling up
	WarnCannotReduce WarningKind = "cannot_reduce" // a compaction is due and would not help
	WarnNotReduced   WarningKind = "not_reduced"   // one was tried and would not have made the conversation smaller
	WarnNotKept      WarningKind = "not_kept"      // a state could not be made or kept
	WarnCompactor    WarningKind = "compactor"     // its model earned no draft: facts only until it does
	WarnChanged      WarningKind = "changed"       // the session was begun with another prompt or other tools
)

// Warning is told to the user once, and stops nothing.
type Warning struct {
	Kind WarningKind
	// Text is one line for people: figures, and nothing of what was said.
	Text    string
	Reading meter.Reading
	Err     error
}

// CannotReduce is the cause of a warning or an error about a conversation that
// no compaction makes small enough: what fills it is not the history.
type CannotReduce struct {
	Parts     meter.Breakdown
	Window    int
	MaxTokens pith.Tokens
}

func (e *CannotReduce) Error() string {
	return fmt.Sprintf("cannot reduce: system %d, tools %d and messages %d tokens, %d for the answer, in a window of %d",
		e.Parts.System, e.Parts.Tools, e.Parts.Messages, e.MaxTokens, e.Window)
}

func (a *Agent) warn(w Warning) {
	if a.warned[w.Kind] {
		return
	}
	a.warned[w.Kind] = true
	a.tell(w)
}

func (a *Agent) tell(w Warning) {
	w.Reading = a.Reading()
	a.config.Logger.Warn("the agent warns", "kind", w.Kind, "used", w.Reading.Used, "window", w.Reading.Window)
	if a.config.OnWarn != nil {
		a.config.OnWarn(w)
	}
}

// stage is what is done at 60 % of the window: the user is told, long output is
// shortened from now on as it enters, and the next checkpoint is prepared. After
// many turns in a window that is not that full, spent reasoning is taken out.
func (a *Agent) stage(ctx context.Context, d trigger.Decision) error {
	if d.Reason != pith.ReasonTokens60 {
		return a.prune(ctx)
	}
	a.staging = true
	a.warn(Warning{Kind: WarnWindow, Text: d.Text})
	a.prepare(ctx)
	return nil
}

func (a *Agent) cannotReduce(d trigger.Decision) {
	a.warn(Warning{Kind: WarnCannotReduce, Text: d.Text, Err: a.unreducible()})
}

func (a *Agent) unreducible() *CannotReduce {
	r := a.reading()
	return &CannotReduce{Parts: r.Parts, Window: r.Window, MaxTokens: a.talk.request.MaxTokens}
}

// tooLarge is the error of a request that is not sent.
func (a *Agent) tooLarge() error {
	return &pith.Error{
		Op: "send the request", Kind: pith.KindDeclined, Err: a.unreducible(),
		Hint: "use a model with a larger window, a shorter system prompt or fewer tools",
	}
}
