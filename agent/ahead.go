package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/wire"
)

// preparation is a draft that is made ahead, while the session goes on. What it
// came to may be read once done is closed.
type preparation struct {
	cancel  context.CancelFunc
	done    chan struct{}
	drafted *memory.Drafted
	report  compactor.Report
	// forks is set where the session's own request was to be asked.
	forks bool
}

// prepare begins a draft in the background, one at most. It outlives the run,
// and ends with the compaction that uses it, with its time, or with Close.
func (a *Agent) prepare(ctx context.Context) {
	a.making.Lock()
	defer a.making.Unlock()
	if a.config.Compactor == nil || a.ahead != nil || a.closed || a.breaker.rest > 0 {
		return
	}
	facts, err := a.facts(pith.ReasonTokens60)
	if err != nil {
		return // the compaction itself will say so
	}
	a.mu.Lock()
	// The facts have counted the session, so that nothing of it is shared that
	// still changes.
	snapshot, options, m := a.session.Snapshot(), a.draftOptions(""), a.memory
	a.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.config.CompactTimeout)
	p := &preparation{cancel: cancel, done: make(chan struct{}), forks: options.Fork != nil}
	a.ahead = p
	go func() {
		defer close(p.done)
		defer cancel()
		defer func() {
			if broke := recover(); broke != nil {
				p.drafted, p.report.Err = nil, fmt.Errorf("the model broke off: %v", broke)
			}
		}()
		p.drafted, p.report = m.Draft(ctx, snapshot, facts, nil, options)
	}()
}

// takeAhead waits for the draft that was begun, nil where none was or it failed.
// It reports whether it had to wait: then a failure is news, and asking again at
// once would be no better.
func (a *Agent) takeAhead(ctx context.Context) (p *preparation, waited bool) {
	if p = a.ahead; p == nil {
		return nil, false
	}
	select {
	case <-p.done:
	default:
		waited = true
		select {
		case <-p.done:
		case <-ctx.Done():
			return nil, true
		}
	}
	a.ahead = nil
	a.learn(ctx, p.drafted, &p.report)
	a.learnFork(p.forks, p.drafted, &p.report)
	if p.drafted == nil {
		return nil, waited
	}
	return p, waited
}

// spared is a draft that was made and not used, for the next compaction.
func spared(drafted *memory.Drafted, report compactor.Report) *preparation {
	p := &preparation{cancel: func() {}, done: make(chan struct{}), drafted: drafted, report: report}
	close(p.done)
	return p
}

// dropAhead ends the draft that is being made, and waits for that.
func (a *Agent) dropAhead() {
	if a.ahead == nil {
		return
	}
	a.ahead.cancel()
	<-a.ahead.done
	a.ahead = nil
}

// judged is the state with the judgement of a model, nil where there is none. A
// draft that was made ahead is used, and at the gate nothing more is asked then.
func (a *Agent) judged(ctx context.Context, facts *memory.Result, why *cause, c *Compaction) *memory.Result {
	if a.config.Compactor == nil {
		return nil
	}
	var drafted *memory.Drafted
	ahead, waited := a.takeAhead(ctx)
	if ahead != nil {
		drafted, c.Report = ahead.drafted, ahead.report
	}
	enough := drafted != nil && why.gate || drafted == nil && waited
	if !enough && a.breaker.allows() && ctx.Err() == nil {
		a.mu.Lock()
		options := a.draftOptions(why.focus)
		a.mu.Unlock()
		if why.focus == "" { // what was drafted ahead knew of no focus
			options.Earlier = drafted
		}
		asked, report := a.draft(ctx, facts, options)
		if asked != nil {
			drafted = asked
		}
		if report.Calls > 0 {
			c.Report = report
		}
	}
	if drafted == nil {
		return nil
	}
	a.spare = spared(drafted, c.Report)
	c.Prepared = ahead != nil && drafted == ahead.drafted
	result, verdict, err := a.memory.Judge(a.session, facts, drafted, nil)
	if err != nil {
		a.config.Logger.Warn("the draft was not judged", "error_kind", pith.KindOf(err))
		return nil
	}
	c.Verdict = verdict
	return result
}

// draft asks the compactor, for a bounded time.
func (a *Agent) draft(ctx context.Context, facts *memory.Result, o memory.DraftOptions) (*memory.Drafted, compactor.Report) {
	bounded, cancel := context.WithTimeout(ctx, a.config.CompactTimeout)
	defer cancel()
	drafted, report := a.memory.Draft(bounded, a.session, facts, nil, o)
	if ctx.Err() == nil {
		a.learn(ctx, drafted, &report)
		a.learnFork(o.Fork != nil, drafted, &report)
	}
	return drafted, report
}

// learn tells the breaker how a model did. The user is told once, until it
// answers again.
func (a *Agent) learn(ctx context.Context, drafted *memory.Drafted, report *compactor.Report) {
	switch {
	case drafted != nil && report.Calls > 0:
		a.breaker.succeeded()
	case drafted == nil && report.Err != nil && ctx.Err() == nil:
		if a.breaker.failed() {
			a.tell(Warning{
				Kind: WarnCompactor, Err: report.Err,
				Text: fmt.Sprintf("the compactor %s earned no draft: facts only until it does", a.config.Compactor.About()),
			})
		}
	}
}

// draftOptions needs a.mu.
func (a *Agent) draftOptions(focus string) memory.DraftOptions {
	o := memory.DraftOptions{Model: a.config.Compactor, Compactor: a.config.Drafting, Focus: focus}
	if a.config.Fork && a.unforked < maxUnforked {
		o.Fork = a.fork()
	}
	return o
}

// maxUnforked is how often in a row a draft may come of the plain request only,
// after one over the session's own was made for nothing, before that is not
// tried any more: some servers take no two messages of the user in a row.
const maxUnforked = 2

func (a *Agent) learnFork(tried bool, drafted *memory.Drafted, report *compactor.Report) {
	switch {
	case report.Forked:
		a.unforked = 0
	case tried && drafted != nil && report.Calls > 1:
		a.unforked++
	}
}

// fork is the session's own request as it was sent last, whose prefix the
// provider has: without calls that are still open, which no message may follow.
func (a *Agent) fork() *compactor.Fork {
	body, f := a.talk.body(), a.talk.format()
	if len(a.open) > 0 {
		body = a.sent
	}
	if body == nil {
		return nil
	}
	return &compactor.Fork{
		Size: a.reading().Used, MaxTokens: a.talk.request.MaxTokens, Header: a.config.Header,
		Body: func(text string) (json.RawMessage, error) { return wire.Append(f, body, wire.UserMessage(f, text)) },
	}
}
