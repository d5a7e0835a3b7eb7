package compactor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/redact"
)

// Input is what a draft is made from.
type Input struct {
	// State is the facts-only state of the session: what is known already, so
	// that the model need not repeat it. Nil is a session without one.
	State *pith.State
	// Previous is the checkpoint that the session goes on from, nil for none.
	Previous *pith.State
	// Next yields the redacted messages of the history in order, then io.EOF.
	// It is never held whole.
	Next func() (*pith.Message, error)
	// Focus is what the user asked to keep an eye on, "" for nothing.
	Focus string
	// Replaces is the size of what the state will stand for: an answer that is
	// as large is refused. 0 is unknown.
	Replaces pith.Tokens
	// Fork asks over the session's own request instead of sending the history
	// again, nil for not.
	Fork *Fork
}

// Fork is the session's own request, which a compaction can go on from: the
// provider has its prefix in the cache.
type Fork struct {
	// Size is the input of the session's request, MaxTokens the output that its
	// body reserves. Units: tokens of the model.
	Size, MaxTokens pith.Tokens
	// Header is what the session sends beside its body.
	Header map[string][]string
	// Body is the session's body with one user message appended that says text.
	Body func(text string) (json.RawMessage, error)
}

// Options bound a compaction. Every zero means the default.
type Options struct {
	// MaxTokens caps the answer. Default: 4096.
	MaxTokens pith.Tokens
	// MessageCap is the most characters of one block of a message that the model
	// sees. Default: 2000; negative: no cap.
	MessageCap int
	// MaxCalls bounds the requests of one compaction, parts and retries
	// together. Default: 12.
	MaxCalls int
	// Window is the context window; 0 is that of the model's card.
	Window int
	// MaxBody bounds a request. Units: bytes. Default: 4 MiB.
	MaxBody int
}

func (o Options) withDefaults() Options {
	if o.MaxTokens <= 0 {
		o.MaxTokens = 4096
	}
	o.MaxTokens = max(o.MaxTokens, leastOutput)
	switch {
	case o.MessageCap < 0:
		o.MessageCap = 0
	case o.MessageCap == 0:
		o.MessageCap = 2000
	default:
		o.MessageCap = max(o.MessageCap, leastText)
	}
	if o.MaxCalls <= 0 {
		o.MaxCalls = 12
	}
	if o.MaxBody <= 0 {
		o.MaxBody = 4 << 20
	}
	return o
}

// Run asks a model for the judgement on a history. The draft is nil where none
// was earned, and Report.Err says why. Every request fits the model's window
// with its answer, and MaxBody; a history that does not is asked about in
// parts, each with the draft of those before it. What a model answers wrongly
// it is told once for each part. Passing failures are not repeated here: a
// model does that itself.
func Run(ctx context.Context, m Model, in Input, o Options) (*Draft, Report) {
	o = o.withDefaults()
	card := m.About()
	r := &runner{ctx: ctx, model: m, in: in, options: o, card: card, budget: newBudget(card, &o)}
	r.report.Model = card.String()
	r.focus = redact.New().Text(in.Focus)
	r.reader = reader{cap: o.MessageCap, tools: map[string]string{}, hasPrevious: in.Previous != nil}
	if r.budget.assumed {
		r.problem(problemf(ProblemWindow, "the window of %s is unknown: %d tokens are assumed", card, assumedWindow))
	}
	d, err := r.run()
	if err != nil {
		d = nil
	}
	r.finish(err)
	return d, r.report
}

// runner is one compaction.
type runner struct {
	ctx     context.Context
	model   Model
	in      Input
	options Options
	card    Card
	budget  *budget
	reader  reader
	counter meter.Counter
	focus   string
	report  Report
	// pending are the entries that were read and are in no part yet.
	pending []packed
	entries []entry
	ended   bool
	// shown says of each message with entries whether a part showed one of them.
	shown []bool
}

func (r *runner) run() (*Draft, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	if r.in.Fork != nil {
		if d, done, err := r.fork(r.in.Fork); done {
			return d, err
		}
	}
	memory := previousDraft(r.in.Previous)
	var drafted *Draft
	for n := 1; ; n++ {
		p, err := r.nextPart(n, memory)
		if err != nil {
			return nil, r.met(err)
		}
		if p == nil {
			break
		}
		if drafted, err = r.ask(p); err != nil {
			return nil, err
		}
		memory = drafted
		r.report.Parts++
		for i := range p.entries {
			r.shown[p.entries[i].message] = true
		}
		if p.last {
			break
		}
	}
	if drafted == nil {
		return nil, r.met(*problemf(ProblemHistory, "the history holds nothing to draft from"))
	}
	return drafted, nil
}

// ask gets a draft for a part: it sends the request, and once more with what
// was wrong with the answer.
func (r *runner) ask(p *part) (*Draft, error) {
	var again *retry
	for try := 0; ; try++ {
		request, err := r.request(p, again)
		if err != nil {
			return nil, r.met(err)
		}
		response, err := r.complete(request, try)
		if err != nil {
			if try == 0 && r.smaller(p, err) {
				continue
			}
			return nil, err
		}
		d, problem := r.judge(&response, p.last)
		if problem == nil {
			return d, nil
		}
		r.problem(problem)
		if try > 0 || r.report.Calls >= r.options.MaxCalls || !r.adjust(p, request.MaxTokens, problem) {
			return nil, *problem
		}
		again = &retry{Problem: r.told(problem, p.output), Answer: excerpt(response.Text)}
	}
}

// request writes the request for a part. Where it does not fit, the part gives
// up its newest entries to the next one, or its oldest where there is no next.
func (r *runner) request(p *part, again *retry) (Request, error) {
	for {
		prompt := p.prompt(again)
		took := measure(&r.counter, prompt)
		spare := r.budget.spare(took.tokens * r.budget.shrink)
		if spare >= min(leastOutput, p.output) && took.bytes <= r.budget.roomBytes() {
			return Request{System: instruction, Prompt: prompt, Schema: r.budget.schema, MaxTokens: min(p.output, spare)}, nil
		}
		if !r.less(p, len(p.entries)/8) {
			return Request{}, *problemf(ProblemNoRoom, "a window of %d tokens has no room for a request", r.budget.window)
		}
	}
}

// complete sends a request and counts what it took.
func (r *runner) complete(request Request, try int) (Response, error) {
	if r.report.Calls >= r.options.MaxCalls {
		return Response{}, r.met(*problemf(ProblemUnread, "the %d calls of a compaction are used up", r.options.MaxCalls))
	}
	r.report.Calls++
	if try > 0 {
		r.report.Retries++
	}
	response, err := r.model.Complete(r.ctx, request)
	u, card := response.Usage, r.card
	if response.By != nil {
		card = *response.By
		r.report.Model = card.String()
	}
	r.report.Usage.Input += u.Input
	r.report.Usage.CacheRead += u.CacheRead
	r.report.Usage.CacheWrite += u.CacheWrite
	r.report.Usage.Output += u.Output
	r.report.Cost += card.Price.Cost(u)
	if err == nil {
		return response, nil
	}
	if cancelled := r.ctx.Err(); cancelled != nil {
		return Response{}, cancelled
	}
	r.problem(problemf(ProblemUnavailable, "%s", excerpt(err.Error())))
	return Response{}, fmt.Errorf("ask %s: %w", r.card, err)
}

// smaller halves all room where the provider says that a request is too large:
// its tokens are not those that were counted, or the window is not the one
// that is known.
func (r *runner) smaller(p *part, err error) bool {
	f := FailureOf(err)
	if f == nil || f.Kind != FailTooLarge || r.report.Calls >= r.options.MaxCalls {
		return false
	}
	r.budget.shrink *= 2
	p.output = min(p.output, r.budget.outputFor())
	return r.less(p, len(p.entries)/2)
}

// problem notes a problem.
func (r *runner) problem(p *Problem) { r.report.Problems = append(r.report.Problems, *p) }

// met notes an error that is a problem and returns it.
func (r *runner) met(err error) error {
	var p Problem
	if !errors.As(err, &p) {
		if r.ctx.Err() != nil {
			return err
		}
		err = fmt.Errorf("read the history: %w", err)
		p = Problem{Kind: ProblemHistory, Text: excerpt(err.Error())}
	}
	r.problem(&p)
	return err
}

// finish counts what was shown, and says why some was not.
func (r *runner) finish(err error) {
	for _, shown := range r.shown {
		if shown {
			r.report.Messages++
		} else {
			r.report.Unread++
		}
	}
	if r.report.Unread > 0 && err == nil {
		r.problem(problemf(ProblemUnread, "%d messages were not read: %d calls with a window of %d tokens and bodies of %d bytes hold no more",
			r.report.Unread, r.options.MaxCalls, r.budget.window, r.options.MaxBody))
	}
	r.report.Problems = slices.Clip(r.report.Problems)
	r.report.Err = err
}
