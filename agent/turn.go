package agent

import (
	"context"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/trigger"
)

// Reply is what the model said when it ended its turn.
type Reply struct {
	Text string
	// Stop is why the answer ended: StopMaxTokens where it was cut, StopRefusal
	// where the model refused. StopReason is the provider's own word.
	Stop       compactor.Stop
	StopReason string
	// Turns, Compactions, Usage and Cost are those of this run. Cost is in US
	// dollars, without that of compactions.
	Turns       int
	Compactions int
	Usage       pith.Usage
	Cost        float64
}

// maxPauses is how often in a row a paused answer is sent again.
const maxPauses = 16

// Run says prompt to the model, runs the tools that it calls, and returns when
// it ends its turn. An empty prompt, or the one that was not answered yet, goes
// on with what was left unfinished; any other one gives up calls that are open.
// "@compact" in it asks for a compaction first: what stands behind the word on
// its line is what the compaction shall keep in mind.
//
// Errors: those of the model, of the journal and of the store, and the
// context's. The conversation is whole after each of them, and nothing of it is
// lost: the same prompt, or an empty one, goes on.
func (a *Agent) Run(ctx context.Context, prompt string) (Reply, error) {
	if !a.busy.TryLock() {
		return Reply{}, &pith.Error{Op: "run the agent", Kind: pith.KindUsage, Err: ErrBusy}
	}
	defer a.busy.Unlock()
	r := run{agent: a}
	err := r.run(ctx, prompt)
	return r.reply(), err
}

// run is one call of Run.
type run struct {
	agent       *Agent
	turns       int
	compactions int
	pauses      int
	usage       pith.Usage
	cost        float64
}

func (r *run) reply() Reply {
	out := r.agent.last
	out.Turns, out.Compactions, out.Usage, out.Cost = r.turns, r.compactions, r.usage, r.cost
	if !r.agent.done {
		out.Text, out.Stop, out.StopReason = "", compactor.StopOther, ""
	}
	return out
}

func (r *run) run(ctx context.Context, prompt string) error {
	a := r.agent
	if err := a.flush(ctx); err != nil {
		return err
	}
	if trigger.Asked(prompt) {
		rest, focus := split(prompt)
		if err := r.asked(ctx, prompt, focus); err != nil || strings.TrimSpace(rest) == "" && !a.Unfinished() {
			return err
		}
		prompt = rest
	}
	if err := r.hear(ctx, prompt); err != nil {
		return err
	}
	for !a.done {
		if err := r.calls(ctx); err != nil {
			return err
		}
		if a.config.MaxTurns > 0 && r.turns >= a.config.MaxTurns {
			return &pith.Error{Op: "run the agent", Kind: pith.KindDeclined, Err: ErrMaxTurns, Hint: "an empty prompt goes on"}
		}
		if err := r.before(ctx); err != nil {
			return err
		}
		if err := r.turn(ctx); err != nil {
			return err
		}
	}
	return nil
}

// hear takes in what the user says.
func (r *run) hear(ctx context.Context, prompt string) error {
	a := r.agent
	unfinished := !a.done && a.prompt != ""
	switch {
	case strings.TrimSpace(prompt) == "":
		if a.prompt == "" {
			return nothingToGoOn()
		}
		return nil
	case unfinished && prompt == a.prompt:
		return nil
	}
	if err := a.giveUp(ctx); err != nil {
		return err
	}
	return a.step(ctx, &Entry{Kind: EntryPrompt, Text: prompt})
}

// calls runs what the last reply calls. At the policy's highest threshold no
// tool runs before a checked state exists.
func (r *run) calls(ctx context.Context) error {
	a := r.agent
	if len(a.open) == 0 {
		return nil
	}
	d := a.decide(false)
	switch d.Action {
	case trigger.Stage:
		if err := a.stage(ctx, d); err != nil {
			return err
		}
	case trigger.Block:
		if err := r.compact(ctx, cause{reason: d.Reason, gate: true, text: d.Text}); err != nil {
			return err
		}
	case trigger.CannotReduce:
		a.cannotReduce(d)
	}
	return a.runCalls(ctx)
}

// before makes the conversation ready for the next request.
func (r *run) before(ctx context.Context) error {
	a := r.agent
	d := a.decide(true)
	switch {
	case d.Action == trigger.Stage:
		if err := a.stage(ctx, d); err != nil {
			return err
		}
	case d.Compacts():
		if err := r.compact(ctx, cause{reason: d.Reason, gate: d.Action == trigger.Block, text: d.Text}); err != nil {
			return err
		}
	case d.Action == trigger.CannotReduce:
		a.cannotReduce(d)
	}
	if a.fits() {
		return nil
	}
	// Whatever the policy says: what does not fit is not sent.
	if err := r.compact(ctx, cause{reason: pith.ReasonTokens80, text: d.Text}); err != nil {
		return err
	}
	if !a.fits() {
		return a.tooLarge()
	}
	return nil
}

// decide asks the policy. Where last is set, what counts for one decision only
// has counted with this one.
func (a *Agent) decide(last bool) trigger.Decision {
	a.mu.Lock()
	defer a.mu.Unlock()
	in := trigger.Input{
		Reading: a.reading(), Turn: a.turn, FailureRun: a.failures.N, FailureClass: a.failures.Class,
		Phase: a.phase, Resumed: a.resumed,
	}
	if last {
		a.phase, a.resumed = "", false
	}
	return a.config.Memory.Policy.Next(&a.trigger, in)
}

// turn is one request and its answer.
func (r *run) turn(ctx context.Context) error {
	a := r.agent
	answer, err := r.ask(ctx)
	if err != nil {
		return err
	}
	r.turns++
	r.usage = sum(r.usage, answer.Usage)
	card := a.card
	if answer.By != nil {
		card = *answer.By
	}
	r.cost += card.Price.Cost(answer.Usage)
	e := &Entry{
		Kind: EntryReply, Messages: answer.Messages, Stop: answer.Stop, Reason: answer.StopReason,
		Usage: &answer.Usage, Model: answer.Model, Answer: answer.Text,
	}
	switch answer.Stop {
	case compactor.StopRefusal:
		e.Messages = nil // a refused turn that is sent again is refused again
	case compactor.StopPause:
		if r.pauses++; r.pauses > maxPauses {
			e.Stop = compactor.StopOther
		}
	default:
		r.pauses = 0
		if !says(a.talk.format(), answer) {
			e.Messages = nil // an answer that is empty, or thinking alone, is not taken back
		}
	}
	return a.step(ctx, e)
}

// says tells whether an answer holds anything but thinking.
func says(f pith.Format, answer compactor.Response) bool {
	for _, m := range read(f, answer.Messages) {
		for i := range m.Blocks {
			if b := &m.Blocks[i]; b.Kind != pith.KindThinking && (b.Kind != pith.KindText || strings.TrimSpace(b.Text) != "") {
				return true
			}
		}
	}
	return false
}

// ask sends the request. One that the provider finds too large is compacted and
// sent once again, one whose thinking it does not take is sent without it.
func (r *run) ask(ctx context.Context) (compactor.Response, error) {
	a := r.agent
	for again := false; ; again = true {
		a.mu.Lock()
		a.sent = a.talk.body()
		a.mu.Unlock()
		answer, err := a.model.Complete(ctx, compactor.Request{Body: a.sent, Header: a.config.Header, OnText: a.config.OnText})
		if err == nil {
			return answer, nil
		}
		f := compactor.FailureOf(err)
		if !again && a.unbind(ctx, f) {
			continue
		}
		if again || f == nil || f.Kind != compactor.FailTooLarge {
			return answer, err
		}
		before := len(a.talk.written)
		if compactErr := r.compact(ctx, cause{reason: pith.ReasonTokens80}); compactErr != nil {
			return answer, compactErr
		}
		if len(a.talk.written) >= before {
			return answer, err
		}
	}
}

func sum(a, b pith.Usage) pith.Usage {
	return pith.Usage{
		Input: a.Input + b.Input, CacheRead: a.CacheRead + b.CacheRead,
		CacheWrite: a.CacheWrite + b.CacheWrite, Output: a.Output + b.Output, Window: b.Window,
	}
}
