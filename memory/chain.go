package memory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/schema"
)

// readOn reads a session, from its beginning where the input holds what the
// previous checkpoint was made from, and as the part behind that otherwise: a
// conversation that was compacted and goes on holds only its later messages.
func readOn(r io.Reader, o ReadOptions) (*Session, error) {
	if o.Previous == nil {
		return read(r, o, 0)
	}
	if o.Behind != nil {
		return read(r, o, o.Previous.Checkpoint.ThroughMessage+1)
	}
	again, start, err := rewindable(r)
	if err != nil {
		return nil, &pith.Error{Op: "read the session", Kind: pith.KindInput, Err: err}
	}
	p := &o.Previous.Checkpoint
	s, err := read(again, o, p.FromMessage)
	if err != nil {
		return nil, err
	}
	if s.known.same() && !(s.IsBody() && s.known.restored) {
		return s, s.notShorter(p)
	}
	if _, err := again.Seek(start, io.SeekStart); err != nil {
		return nil, &pith.Error{Op: "read the session again", Kind: pith.KindInput, Err: err}
	}
	return read(again, o, p.ThroughMessage+1)
}

// rewindable gives what can be read twice, and where it begins. What is no
// file is held: a pipe gives its bytes once.
func rewindable(r io.Reader) (io.ReadSeeker, int64, error) {
	if seeker, ok := r.(io.ReadSeeker); ok {
		if at, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			return seeker, at, nil
		}
	}
	all, err := io.ReadAll(r)
	return bytes.NewReader(all), 0, err
}

// goOn sets the session up as the continuation of a checkpoint, its messages
// numbered from base.
func (s *Session) goOn(previous *pith.State, base int) {
	s.previous, s.base = previous, base
	if previous == nil {
		return
	}
	s.known = anchors{id: previous.Checkpoint.ID, blocks: previous.Blocks, from: previous.Checkpoint.FromMessage, through: previous.Checkpoint.ThroughMessage}
	if base > 0 {
		s.extract.GoOn(before(previous, base))
	}
}

// notShorter refuses to put a state of an earlier part of a session behind one
// of a later part.
func (s *Session) notShorter(p *pith.Checkpoint) error {
	if s.lastMessage >= p.ThroughMessage {
		return nil
	}
	return &pith.Error{
		Op: "go on from checkpoint " + shortID(p.ID), Kind: pith.KindDeclined,
		Err:  fmt.Errorf("it covers the session through message %d, and the input ends at message %d", p.ThroughMessage, s.lastMessage),
		Hint: "compact it without storing it, or go back with `pith undo` first",
	}
}

// anchors tells whether the messages at hand are those that a checkpoint was
// made from: by the blocks that it describes. Half of them must be the same,
// since another version of pith may redact some of them otherwise.
type anchors struct {
	id            string
	blocks        map[string]pith.BlockRef
	from, through int
	met, equal    int
	// restored is set where a request body holds the checkpoint's own block: it
	// goes on from there, even where its first messages are those of before.
	restored bool
}

// block looks for the checkpoint's own block, in the text as it came.
func (a *anchors) block(m *pith.Message) {
	if a.id == "" || a.restored || m.Role == pith.RoleAssistant {
		return
	}
	for i := range m.Blocks {
		if m.Blocks[i].Kind != pith.KindText {
			continue
		}
		if h, ok := restore.BlockIn(m.Blocks[i].Text); ok && h.CheckpointID != "" && strings.HasPrefix(a.id, h.CheckpointID) {
			a.restored = true
			return
		}
	}
}

func (a *anchors) message(m *pith.Message) {
	if len(a.blocks) == 0 || m.Index < a.from || m.Index > a.through {
		return
	}
	for i := range m.Blocks {
		ref, ok := a.blocks[pith.Source{Message: m.Index, Block: i}.BlockKey()]
		if !ok {
			continue
		}
		a.met++
		if ref.Hash == pith.HashHex(m.Blocks[i].Hash) {
			a.equal++
		}
	}
}

func (a *anchors) same() bool { return a.met > 0 && 2*a.equal >= a.met }

// before is what a state holds of the messages before base: what is behind is
// at hand and is read again.
func before(s *pith.State, base int) *pith.State {
	if s.Checkpoint.ThroughMessage < base {
		return s
	}
	old := func(at pith.Source) bool { return at.Message >= base }
	c := *s
	c.Checkpoint.CompactedAtTurn = s.Checkpoint.FromTurn
	c.Goal.Amendments = without(s.Goal.Amendments, func(a *pith.Amendment) bool { return old(a.Source) })
	c.Constraints = without(s.Constraints, func(k *pith.Constraint) bool { return old(k.Source) })
	c.Invariants = without(s.Invariants, func(k *pith.Invariant) bool { return old(k.Source) })
	c.Files.Modified = without(s.Files.Modified, func(f *pith.File) bool { return old(f.Source) })
	c.Files.Inspected = without(s.Files.Inspected, func(f *pith.File) bool { return old(f.Source) })
	c.Evidence = without(s.Evidence, func(e *pith.Evidence) bool { return old(e.Source) })
	c.Failed = without(s.Failed, func(f *pith.FailedAttempt) bool { return old(f.Source) })
	c.Decisions = without(s.Decisions, func(d *pith.Decision) bool { return old(d.Source) })
	c.Context.Done = without(s.Context.Done, func(q *pith.Quote) bool { return old(q.Source) })
	c.Context.Todo = without(s.Context.Todo, func(t *pith.Todo) bool { return old(t.Source) })
	c.Security.Quarantined = without(s.Security.Quarantined, func(q *pith.Quarantine) bool { return old(q.Source) })
	return &c
}

func without[T any](list []T, drop func(*T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool { return drop(&item) })
}

// fromTurn counts the turns before the messages at hand.
func (s *Session) fromTurn() int {
	switch p := &s.previous.Checkpoint; {
	case s.base == 0:
		return 0
	case s.base > p.ThroughMessage:
		return p.CompactedAtTurn
	default:
		return p.FromTurn
	}
}

// unchanged tells whether a state says nothing that the previous checkpoint
// does not say: the same messages, read by the same rules.
func (s *Session) unchanged(st *pith.State) bool {
	if s.previous == nil {
		return false
	}
	a, b := &st.Checkpoint, &s.previous.Checkpoint
	return a.TranscriptSHA256 == b.TranscriptSHA256 && a.ThroughMessage == b.ThroughMessage && a.FromMessage == b.FromMessage &&
		a.ExtractorVersion == b.ExtractorVersion && a.Transcript == b.Transcript && a.Origin == b.Origin &&
		s.previous.SchemaVersion == st.SchemaVersion && len(st.Context.Pins) == len(s.previous.Context.Pins) &&
		st.Security.SecretScan.RulesetSHA256 == s.previous.Security.SecretScan.RulesetSHA256
}

// again is the result of a session about which nothing new is known.
func (m *Memory) again(s *Session) (*Result, error) {
	written, err := schema.Marshal(s.previous, false)
	if err != nil {
		return nil, err
	}
	like := *m
	reading := s.Reading(m.config.Window)
	like.config.Window = reading.Window
	r, err := like.Restore(s.previous)
	if err != nil {
		return nil, err
	}
	r.JSON, r.Reading = written, reading
	return r, nil
}

// errNothing is the cause where there is no result to keep.
var errNothing = errors.New("there is no state")

func shortID(id string) string { return id[:min(len(id), 12)] }
