package handoff

import (
	"crypto/hmac"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/schema"
)

// maxTask is the largest task file that is read.
const maxTask = maxEnvelope + 4<<20

// Accepted is a task that passed every check.
type Accepted struct {
	Task *Task
	// State is what the sender knows, as the word of another agent: no label
	// in it is above PEER_AGENT, nothing in it binds, and its next action is
	// not taken unasked. Its origin is delegated, its parent the snapshot.
	State *pith.State
	// JSON is the state as it is written.
	JSON []byte
	// Granted is what the task lists and the receiver allows.
	Granted Permissions
	// Link is the envelope's place in its chain, for Expect.Last of the next.
	Link    Link
	KeyID   string
	Expires time.Time // zero where it never does
}

// Accept reads a task file. What the delegate may do is what the task lists as
// far as allowed allows it: whatever else a text in it asks for has no effect.
// Errors: those of Open.
func Accept(doc []byte, x Expect, allowed Permissions) (*Accepted, error) {
	t := new(Task)
	if err := decode(doc, t, maxTask); err != nil {
		return nil, err
	}
	o := &opening{envelope: &t.Input.Envelope, expect: &x}
	if err := o.authentic(); err != nil {
		return nil, err
	}
	if err := t.check(o.key); err != nil {
		return nil, err
	}
	if err := o.valid(); err != nil {
		return nil, err
	}
	if t.AssigneeRole != x.Audience {
		return nil, refuse(RefusedAudience, "the task is for %.200q, not for %.200q", t.AssigneeRole, x.Audience)
	}
	opened, err := o.claim()
	if err != nil {
		return nil, err
	}
	a := &Accepted{
		Task: t, Granted: t.Input.Permissions.Within(allowed),
		Link: opened.Envelope.Link(), KeyID: opened.Envelope.KeyID, Expires: opened.Expires,
	}
	a.State, a.JSON, err = relay(opened.State)
	return a, err
}

// check holds the task against its MAC, and then against its contract.
func (t *Task) check(k Key) error {
	if t.Input.MAC == "" {
		return refuse(RefusedTask, "the task around the envelope is not signed")
	}
	want, err := t.sign(k)
	if err != nil {
		return refuse(RefusedTask, "the task has no canonical form")
	}
	if !hmac.Equal([]byte(want), []byte(t.Input.MAC)) {
		return refuse(RefusedTask, "the signature does not fit the task")
	}
	doc, err := t.marshal()
	if err != nil {
		return refuse(RefusedShape, "the task cannot be written")
	}
	if problems := schema.ValidateTask(doc); len(problems) > 0 {
		return refuse(RefusedShape, "the task is not what its contract describes: %s", problems[0])
	}
	return nil
}

// relay turns the state of another agent into one that says so everywhere.
func relay(s *pith.State) (*pith.State, []byte, error) {
	parent := s.Checkpoint.ID
	c := &s.Checkpoint
	c.ParentID, c.Seq, c.Origin, c.Trigger = &parent, c.Seq+1, pith.OriginDelegated, pith.ReasonDelegation
	Lower(s, pith.PeerAgent, "another agent")
	written, problems := schema.Seal(s)
	if len(problems) > 0 {
		return nil, nil, refuse(RefusedPayload, "the state cannot stand as another agent's: %s", problems[0])
	}
	return s, written, nil
}

// Lower takes every label of a state that came from elsewhere down to this one
// at most, and with it what only higher labels have: nothing is approved,
// nothing binds, nothing is done unasked, and a pin is somebody else's (by).
func Lower(s *pith.State, to pith.Provenance, by string) {
	eachLabel(s, func(p *pith.Provenance) { *p = pith.Lowest(*p, to) })
	for i := range s.Decisions {
		if s.Decisions[i].Status == "approved" {
			s.Decisions[i].Status = "stated"
		}
	}
	for i := range s.Invariants {
		s.Invariants[i].Binding = "advisory"
	}
	for i := range s.Constraints {
		s.Constraints[i].Resent = false // the receiver's client does not send it
	}
	for i := range s.Context.Pins {
		s.Context.Pins[i].By = by
	}
	if s.Context.Plan != nil {
		s.Context.Plan.Approved = false
	}
	for _, files := range [][]pith.File{s.Files.Modified, s.Files.Inspected} {
		for i := range files {
			files[i].Disk = "" // nobody looked at the receiver's disk
		}
	}
	s.Edits = nil
	s.Next.RequiresConfirmation = true
	if !schema.OneCommand(s.Next.Command) {
		// Only a user's own words may be several commands in one step.
		s.Next.Kind, s.Next.Command = "ask_user", ""
	}
}

// eachLabel calls f with every label of the state.
func eachLabel(s *pith.State, f func(*pith.Provenance)) {
	f(&s.Goal.Provenance)
	for i := range s.Goal.Amendments {
		f(&s.Goal.Amendments[i].Provenance)
	}
	for i := range s.Constraints {
		f(&s.Constraints[i].Provenance)
	}
	for i := range s.Decisions {
		f(&s.Decisions[i].Provenance)
	}
	for i := range s.Evidence {
		f(&s.Evidence[i].Provenance)
	}
	for i := range s.Failed {
		f(&s.Failed[i].Provenance)
	}
	for i := range s.Invariants {
		f(&s.Invariants[i].Provenance)
	}
	f(&s.Next.Provenance)
	lowerSupport(s.Extensions, f)
	x := &s.Context
	for _, quotes := range [][]pith.Quote{x.OpenQuestions, x.Environment, x.URLs, x.Done, x.Unverified} {
		for i := range quotes {
			f(&quotes[i].Provenance)
		}
	}
	if x.LastWords != nil {
		f(&x.LastWords.Provenance)
	}
	for i := range s.Security.Quarantined {
		f(&s.Security.Quarantined[i].Provenance)
	}
}
