package agent

import (
	"context"
	"strings"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/merge"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/trigger"
)

// Compaction is what became of one attempt to compact.
type Compaction struct {
	Reason pith.Reason
	// Why is the policy's decision in numbers: "71.2 % of 200,000 (reported) >= 70 %".
	Why  string
	Turn int
	// Checkpoint is the state's id, State the state itself, nil where none was made.
	Checkpoint string
	State      *pith.State
	// Before and After are the sizes of the request, counted in the same way.
	Before, After pith.Tokens
	// Applied is set where the conversation goes on with the state; Saved where
	// the store has it.
	Applied, Saved bool
	// FactsOnly is set where nothing of a model's is in the state; Prepared where
	// what is was drafted ahead.
	FactsOnly, Prepared bool
	// Report is what asking the model took, zero where none was asked. It is that
	// of the draft ahead where that was used.
	Report compactor.Report
	// Verdict counts what the session holds of the draft, and what it does not.
	Verdict merge.Verdict
	// Took is how long the agent waited.
	Took time.Duration
	// Err says why it was not applied, or that the journal does not have it yet.
	// It is of KindDeclined where there was nothing to gain.
	Err error
}

// cause is why a compaction is made.
type cause struct {
	reason pith.Reason
	focus  string
	// gate is set where no tool may run before the state is kept.
	gate bool
	// text is the policy's decision, in numbers.
	text string
}

// Compact compacts now. focus is what the compaction shall keep in mind, "" for
// nothing in particular. Errors: KindDeclined where the conversation would not
// get smaller: it stays as it is then, as on every error; ErrBusy.
func (a *Agent) Compact(ctx context.Context, focus string) (Compaction, error) {
	if !a.busy.TryLock() {
		return Compaction{}, &pith.Error{Op: "compact", Kind: pith.KindUsage, Err: ErrBusy}
	}
	defer a.busy.Unlock()
	c := a.compact(ctx, cause{reason: pith.ReasonManual, focus: focus})
	return c, c.Err
}

// asked compacts because the user asks for it.
func (r *run) asked(ctx context.Context, prompt, focus string) error {
	d := r.agent.decideAsked(prompt)
	return r.compact(ctx, cause{reason: d.Reason, focus: focus, text: d.Text})
}

func (a *Agent) decideAsked(prompt string) trigger.Decision {
	return a.config.Memory.Policy.Next(&a.trigger, trigger.Input{Reading: a.reading(), Turn: a.turn, FailureRun: a.failures.N, UserText: prompt})
}

// compact is a compaction of a run, which goes on after one that was declined or
// failed: only the end of the context and, at the gate, a state that could not
// be kept stop it. A draft that was paid for waits for the next one.
func (r *run) compact(ctx context.Context, why cause) error {
	a := r.agent
	c := a.compact(ctx, why)
	if c.Applied {
		r.compactions++
		return c.Err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	switch {
	case pith.KindOf(c.Err) == pith.KindDeclined:
		a.warn(Warning{Kind: WarnNotReduced, Text: c.Err.Error(), Err: c.Err})
		return nil
	case why.gate:
		return c.Err
	}
	a.warn(Warning{Kind: WarnNotKept, Text: "the conversation was not compacted: " + c.Err.Error(), Err: c.Err})
	return nil
}

// compact makes a state, keeps it, and goes on with it.
func (a *Agent) compact(ctx context.Context, why cause) Compaction {
	a.making.Lock()
	defer a.making.Unlock()
	began := a.config.Now()
	c := Compaction{Reason: why.reason, Why: why.text, Turn: a.turn, FactsOnly: true}
	c.Err = a.attempt(ctx, &why, &c)
	if !c.Applied && a.spare != nil && a.ahead == nil {
		a.ahead = a.spare // it was paid for
	}
	a.spare = nil
	c.Took = a.config.Now().Sub(began)
	log := a.config.Logger.With("reason", c.Reason, "turn", c.Turn, "before", c.Before, "after", c.After, "facts_only", c.FactsOnly, "calls", c.Report.Calls)
	if c.Err != nil {
		log.Info("compaction not applied", "error_kind", pith.KindOf(c.Err))
	} else {
		log.Info("compacted")
	}
	if a.config.OnCompact != nil {
		a.config.OnCompact(c)
	}
	return c
}

// attempt is the order of things: facts, which cost nothing, and whether they
// would make the conversation smaller; then the judgement; then the store; and
// at last the conversation.
func (a *Agent) attempt(ctx context.Context, why *cause, c *Compaction) error {
	facts, err := a.facts(why.reason)
	if err != nil {
		return err
	}
	c.State, c.Checkpoint = facts.State, facts.State.Checkpoint.ID
	if why.reason == pith.ReasonResume {
		facts = a.withChanges(facts)
		defer func() { a.disk = nil }()
	}
	chosen := facts
	applied, err := a.apply(facts)
	c.Before, c.After = applied.Before, applied.After
	if err == nil {
		if judged := a.judged(ctx, facts, why, c); judged != nil {
			if why.reason == pith.ReasonResume {
				judged = a.withChanges(judged)
			}
			if with, fits := a.apply(judged); fits == nil {
				chosen, applied, c.FactsOnly = judged, with, judged.State.Checkpoint.FactsOnly
				c.State, c.Checkpoint, c.After = judged.State, judged.State.Checkpoint.ID, applied.After
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	declined := err
	if declined == nil || why.gate {
		if err := a.save(ctx, chosen, c); err != nil {
			return err
		}
	}
	if declined != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.trigger.Compacted(a.reading())
		return declined
	}
	e, err := a.install(chosen, &applied.Conversation)
	if err != nil {
		return err
	}
	c.Applied = true
	return a.keep(ctx, e)
}

// facts is what code alone knows of the session.
func (a *Agent) facts(why pith.Reason) (*memory.Result, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.memory.Compact(a.session, why)
}

// apply is the conversation with a state in the place of its history.
func (a *Agent) apply(r *memory.Result) (restore.Result, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.memory.Apply(a.talk.conversation(), r, restore.ApplyOptions{Window: a.window, MaxTokens: a.talk.request.MaxTokens})
}

// save keeps a state in the store, with what the disk says now.
func (a *Agent) save(ctx context.Context, r *memory.Result, c *Compaction) error {
	if a.config.Store != nil {
		var disk *pith.Disk
		if a.config.Look != nil {
			seen, err := a.config.Look(ctx, restore.Paths(r.State))
			if err != nil {
				a.config.Logger.Warn("the disk was not looked at")
			}
			disk = seen
		}
		_, err := a.memory.Save(ctx, r, memory.SaveOptions{
			Store: a.config.Store, Owner: a.config.Owner, Project: a.config.Project, Disk: disk, Now: a.config.Now(),
		})
		if err != nil {
			return err
		}
		c.Saved = true
		a.archive(ctx)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.session.Took(r.State)
	return nil
}

// archive keeps the blocks that no client's file has, so that they can be recalled.
func (a *Agent) archive(ctx context.Context) {
	archive, ok := a.config.Store.(pith.Archive)
	if !ok {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.session.ArchiveTo(ctx, archive); err != nil {
		a.config.Logger.Warn("the blocks were not archived", "error_kind", pith.KindOf(err))
	}
}

// install goes on with a shorter conversation, and returns the step that it is.
func (a *Agent) install(r *memory.Result, short *pith.Conversation) (*Entry, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := &Entry{Kind: EntryCompaction, Checkpoint: r.State.Checkpoint.ID, Text: r.Block.Text, InSystem: a.config.InSystem}
	kept, err := unbound(a.card.Format, ownMessages(short.Messages))
	if err != nil {
		return nil, err
	}
	for _, m := range kept {
		e.Messages = append(e.Messages, m.Raw)
		e.Numbers = append(e.Numbers, max(m.Index, pith.SystemIndex))
		if m.Index == pith.SystemIndex && holds(&m, r.Block.Text) {
			e.InSystem = false
		}
	}
	before := a.trigger
	if err := a.do(e); err != nil {
		return nil, err
	}
	a.trigger = before
	a.trigger.Compacted(a.reading())
	after := a.trigger
	e.Trigger = &after
	clear(a.warned)
	return e, nil
}

func holds(m *pith.Message, text string) bool {
	for i := range m.Blocks {
		if strings.Contains(m.Blocks[i].Text, text) {
			return true
		}
	}
	return false
}

// fits tells whether the next request and its answer have room.
func (a *Agent) fits() bool {
	if a.window <= 0 {
		return true
	}
	return a.reading().Used+a.talk.request.MaxTokens <= pith.Tokens(a.window)
}
