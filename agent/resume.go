package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/wire"
)

// Restoration is how a session was taken up again.
type Restoration struct {
	Session string
	// Checkpoint is the state that it goes on from, "" for none.
	Checkpoint string
	Turn       int
	// FromJournal is set where every step since is known.
	FromJournal bool
	// Interrupted counts the calls that were under way when the session stopped.
	Interrupted int
	// Findings are what the disk says otherwise than the state; Held is set
	// where the next action waits until they were looked into.
	Findings []restore.Finding
	Held     bool
}

// replay makes the conversation again from the journal. It reports false where
// the journal has no session.
func (a *Agent) replay(ctx context.Context) (bool, error) {
	if a.config.Journal == nil {
		return false, nil
	}
	n := 0
	err := a.config.Journal.Each(ctx, func(e *Entry) error {
		n++
		if n > 1 {
			return a.replayed(n, a.do(e))
		}
		return a.replayStart(e)
	})
	if err != nil || n == 0 {
		return false, err
	}
	a.resumed = !a.done && a.prompt != ""
	r := Restoration{Session: a.name, Turn: a.turn, FromJournal: true}
	for i := range a.open {
		if a.open[i].started && !a.open[i].answered {
			r.Interrupted++
		}
	}
	if err := a.catchUp(ctx, &r); err != nil {
		return false, err
	}
	if err := a.lookAround(ctx, &r); err != nil {
		return false, err
	}
	if a.config.OnRestore != nil {
		a.config.OnRestore(r)
	}
	return true, nil
}

func (a *Agent) replayed(n int, err error) error {
	if err == nil {
		return nil
	}
	return &pith.Error{Op: fmt.Sprintf("go on from step %d of the journal", n), Kind: pith.KindInput, Err: err}
}

// replayStart begins the session that the journal is of.
func (a *Agent) replayStart(e *Entry) error {
	switch {
	case e.Kind != EntryStart:
		return a.replayed(1, fmt.Errorf("it is a %q and not the start of a session", e.Kind))
	case e.Version > JournalVersion:
		return usage("the journal is of version %d, and this program reads %d", e.Version, JournalVersion)
	case a.config.Session != "" && a.config.Session != e.Session:
		return usage("the journal is of the session %q, not of %q", e.Session, a.config.Session)
	case e.Format != a.card.Format:
		return usage("the journal's session is in the format %q, and %s takes %q", e.Format, a.card, a.card.Format)
	}
	a.name = e.Session
	if e.System != digest(a.config.System) || e.Tools != digest(string(a.talk.request.Tools)) {
		a.warn(Warning{Kind: WarnChanged, Text: "the session was begun with another system prompt or other tools"})
	}
	var behind *pith.State
	if e.State != nil {
		var err error
		if behind, err = schema.Unmarshal(e.State); err != nil {
			return a.replayed(1, err)
		}
	}
	a.begin(behind)
	return nil
}

// catchUp takes the store's latest checkpoint for the parent of the next one:
// the stop may have come between the store and the journal.
func (a *Agent) catchUp(ctx context.Context, r *Restoration) error {
	if a.config.Store == nil {
		return nil
	}
	saved, err := a.config.Store.Latest(ctx, a.name)
	if errors.Is(err, pith.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := a.owns(saved); err != nil {
		return err
	}
	if through, last := saved.State.Checkpoint.ThroughMessage, a.session.LastMessage(); through > last {
		return &pith.Error{
			Op: "go on with the journal", Kind: pith.KindCheck,
			Err:  fmt.Errorf("the store has the session through message %d, and the journal through message %d", through, last),
			Hint: "the session went on elsewhere: without the journal it is taken up from the store",
		}
	}
	a.session.Took(saved.State)
	r.Checkpoint = saved.State.Checkpoint.ID
	return nil
}

// lookAround compares what was done up to the stop with what the disk says now.
// Where the session was stopped in the middle of something, the compaction that
// it goes on with tells the model as well.
func (a *Agent) lookAround(ctx context.Context, r *Restoration) error {
	if a.config.Look == nil || a.prompt == "" {
		return nil
	}
	facts, err := a.facts(pith.ReasonResume)
	if err != nil {
		return err
	}
	now, err := a.config.Look(ctx, restore.Paths(facts.State))
	if err != nil {
		return err
	}
	_, r.Findings = restore.Reconcile(facts.State, nil, now)
	r.Held = held(r.Findings)
	if a.resumed {
		a.disk = now
	}
	return nil
}

func held(findings []restore.Finding) bool {
	return slices.ContainsFunc(findings, func(f restore.Finding) bool { return f.Holds })
}

// withChanges is a state whose block tells what the disk says otherwise.
func (a *Agent) withChanges(r *memory.Result) *memory.Result {
	if a.disk == nil {
		return r
	}
	state, changes := restore.Reconcile(r.State, nil, a.disk)
	if len(changes) == 0 {
		return r
	}
	block, err := a.render(state, changes)
	if err != nil {
		return r
	}
	told := *r
	told.Block = block
	return &told
}

// restore takes a session up from its latest checkpoint. It reports false
// where the store has none.
func (a *Agent) restore(ctx context.Context) (bool, error) {
	if a.config.Store == nil || a.config.Session == "" {
		return false, nil
	}
	saved, err := a.config.Store.Latest(ctx, a.config.Session)
	if errors.Is(err, pith.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := a.owns(saved); err != nil {
		return false, err
	}
	state, findings, err := a.compare(ctx, saved)
	if err != nil {
		return false, err
	}
	if err := a.start(ctx, saved.State); err != nil {
		return false, err
	}
	if err := a.beginWith(ctx, state, findings); err != nil {
		return false, err
	}
	r := Restoration{Session: a.name, Checkpoint: saved.State.Checkpoint.ID, Turn: a.turn, Findings: findings, Held: held(findings)}
	if a.config.OnRestore != nil {
		a.config.OnRestore(r)
	}
	return true, nil
}

// owns refuses what belongs to somebody else or to another project.
func (a *Agent) owns(saved *pith.Saved) error {
	c := &a.config
	if saved.Owner == c.Owner && (saved.Project == c.Project || saved.Project == "") {
		return nil
	}
	return &pith.Error{
		Op: "restore the session " + a.config.Session, Kind: pith.KindCheck,
		Err:  errors.New("its checkpoint belongs to another account or another project"),
		Hint: "use another session name, or run in that project",
	}
}

// compare holds a state against the disk.
func (a *Agent) compare(ctx context.Context, saved *pith.Saved) (*pith.State, []restore.Finding, error) {
	if a.config.Look == nil {
		return saved.State, nil, nil
	}
	now, err := a.config.Look(ctx, restore.Paths(saved.State))
	if err != nil {
		return nil, nil, err
	}
	state, findings := restore.Reconcile(saved.State, saved.Disk, now)
	return state, findings, nil
}

// beginWith puts a state at the beginning of a conversation in which nothing
// was said yet.
func (a *Agent) beginWith(ctx context.Context, s *pith.State, changes []restore.Finding) error {
	block, err := a.render(s, changes)
	if err != nil {
		return err
	}
	e := &Entry{Kind: EntryCompaction, Checkpoint: s.Checkpoint.ID, Text: block.Text, InSystem: a.config.InSystem}
	if !e.InSystem {
		e.Messages = append(e.Messages, wire.UserMessage(a.talk.format(), block.Text))
		e.Numbers = []int{pith.SystemIndex}
	}
	return a.step(ctx, e)
}

// render is the block of a state with what changed since. Errors: KindCheck.
func (a *Agent) render(s *pith.State, changes []restore.Finding) (restore.Block, error) {
	m := a.config.memoryFor(a.card)
	block := restore.Render(s, restore.Options{
		Pattern: m.Pattern, Budget: m.Budget, Window: a.window, Live: s.Metrics.TokensBefore,
		RenderResent: m.RenderResent, Changes: changes,
	})
	if found := redact.Scan(block.Text); len(found) > 0 {
		return block, &pith.Error{Op: "restore the session", Kind: pith.KindCheck, Err: fmt.Errorf("a secret of rule %s stands in the block", found[0].Rule)}
	}
	return block, nil
}
