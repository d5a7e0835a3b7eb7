package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/handoff"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/schema"
)

// Delegation is a part of the work that another agent is to do.
type Delegation struct {
	// Key signs the task.
	Key handoff.Key
	// Role is who may accept it. Task says in a few words what is to be done,
	// Criteria when it is done.
	Role, Task string
	Criteria   []string
	// Tools and Paths are all that the delegate may use, nothing by default.
	Tools, Paths []string
	// Previous is the last envelope of this session that went to the role.
	Previous handoff.Link
	// Timeout is how long the delegate may take, after which the task cannot be
	// accepted any more either; 0 for no limit.
	Timeout time.Duration
	// Budget bounds the snapshot; 0 is handoff.DefaultBudget.
	Budget pith.Tokens
}

// Delegate makes the task that hands the session's state, as of now, over to
// another agent: signed, bounded, its unresolved failures declared first. The
// state is kept in the store. A tool may call it while the agent runs: the
// conversation stays as it is.
// Errors: KindUsage for what the contract of a task does not allow; KindStore.
func (a *Agent) Delegate(ctx context.Context, d Delegation) (*handoff.Built, error) {
	a.making.Lock()
	defer a.making.Unlock()
	facts, err := a.facts(pith.ReasonDelegation)
	if err != nil {
		return nil, err
	}
	c := Compaction{Reason: pith.ReasonDelegation, Turn: a.Turn(), FactsOnly: true}
	if err := a.save(ctx, facts, &c); err != nil {
		return nil, err
	}
	clean := redact.New()
	o := handoff.Options{
		Key: d.Key, Now: a.config.Now(), Previous: d.Previous, Delegator: "pith agent", Role: d.Role,
		Description: clean.Text(d.Task), Tools: d.Tools, Paths: d.Paths, Timeout: d.Timeout, Budget: d.Budget,
	}
	for _, criterion := range d.Criteria {
		o.Criteria = append(o.Criteria, clean.Text(criterion))
	}
	if d.Timeout > 0 {
		o.Expires = o.Now.Add(d.Timeout)
	}
	if _, err := rand.Read(o.Nonce[:]); err != nil {
		return nil, err
	}
	built, err := handoff.Build(facts.State, o)
	if err != nil {
		return nil, err
	}
	found := redact.Dirty(built.Snapshot.JSON)
	for _, text := range append([]string{built.Task.Description}, built.Task.Criteria...) {
		found = append(found, redact.Scan(text)...)
	}
	if len(found) > 0 {
		return nil, &pith.Error{Op: "delegate", Kind: pith.KindCheck, Err: fmt.Errorf("a secret of rule %s stands in the task", found[0].Rule)}
	}
	return built, nil
}

// Accept makes the agent that does a task which another agent delegated. The
// task is verified first; what it knows is the word of another agent, and of
// the tools of c the agent has those that the task lists and allowed allows:
// no text in the task grants anything. Run with an empty prompt does the task.
// The session has a name of its own, which c.Session may give; after a stop New
// goes on with it, and has to be given the same tools.
// Errors: those of handoff.Accept and of New.
func Accept(ctx context.Context, c Config, doc []byte, x handoff.Expect, allowed handoff.Permissions) (*Agent, *handoff.Accepted, error) {
	if err := c.check(); err != nil {
		return nil, nil, err // before the task is used up
	}
	accepted, err := handoff.Accept(doc, x, allowed)
	if err != nil {
		return nil, nil, err
	}
	c.Tools = slices.DeleteFunc(slices.Clone(c.Tools), func(t Tool) bool {
		return !slices.Contains(accepted.Granted.Tools, t.Name)
	})
	a, err := configured(c)
	if err != nil {
		return nil, nil, err
	}
	if c.Journal != nil {
		err := c.Journal.Each(ctx, func(*Entry) error { return usage("the journal has a session already") })
		if err != nil {
			return nil, nil, err
		}
	}
	if err := a.takeOver(ctx, accepted.State); err != nil {
		return nil, nil, err
	}
	return a, accepted, a.step(ctx, &Entry{Kind: EntryPrompt, Text: assignment(accepted), Peer: true})
}

// takeOver begins a session of the delegate's own with what another agent knows.
func (a *Agent) takeOver(ctx context.Context, known *pith.State) error {
	a.name = a.config.Session
	if a.name == "" {
		a.name = newName()
	}
	s := *known
	s.Checkpoint.SessionID, s.Checkpoint.Seq, s.Checkpoint.ParentID = a.name, 0, nil
	written, problems := schema.Seal(&s)
	if len(problems) > 0 {
		return &pith.Error{Op: "take over the task", Kind: pith.KindCheck, Err: errors.New(problems[0].String())}
	}
	if a.config.Store != nil {
		r := &memory.Result{State: &s, JSON: written}
		o := memory.SaveOptions{Store: a.config.Store, Owner: a.config.Owner, Project: a.config.Project, Now: a.config.Now(), How: "handoff"}
		if _, err := a.memory.Save(ctx, r, o); err != nil {
			return err
		}
	}
	if err := a.start(ctx, &s); err != nil {
		return err
	}
	return a.beginWith(ctx, &s, nil)
}

// assignment is what the delegate is told, beside the state.
func assignment(t *handoff.Accepted) string {
	text := "Task from another agent (" + t.Task.AssigneeRole + "):\n" + t.Task.Description
	if len(t.Task.Criteria) > 0 {
		text += "\n\nIt is done when:"
		for _, criterion := range t.Task.Criteria {
			text += "\n- " + criterion
		}
	}
	if len(t.Granted.Paths) > 0 {
		text += "\n\nOnly these paths may be used:"
		for _, p := range t.Granted.Paths {
			text += "\n- " + p
		}
	}
	return text
}
