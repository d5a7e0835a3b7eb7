package memory

import (
	"errors"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/extract"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/transcript"
)

// Mark is what a later reading of a session file must know of the part that was
// read, beside the state that was made of it. It holds nothing that was said.
type Mark struct {
	// Next is the number that the next message gets.
	Next int `json:"next"`
	// Digest is that of the messages so far, to go on with.
	Digest []byte `json:"digest,omitempty"`
	// Last is the id of the last message: more of it may follow.
	Last string `json:"last,omitempty"`
	// Version is the client's, Branch the one that it recorded last.
	Version string `json:"version,omitempty"`
	Branch  string `json:"branch,omitempty"`
	// Recent are the sizes of the last messages, of which a compaction of the
	// client's may keep some.
	Recent []meter.Sized `json:"recent,omitempty"`
	// Rest is what a reading of a Codex rollout left, nil in other formats, and
	// CWD the folder that its rows say once only.
	Rest *transcript.CodexRest `json:"rest,omitempty"`
	CWD  string                `json:"cwd,omitempty"`
}

// maxRecent bounds the messages that a mark has the sizes of.
const maxRecent = 100

// ErrReadWhole is given where a part of a session file cannot be read by itself.
var ErrReadWhole = errors.New("the file must be read from its beginning")

// Mark marks the end of what was read. It gives false where a reading cannot
// go on from there: in formats that are not read from the middle, while a call
// waits for its result, and right behind a compaction, of which the client may
// still be writing what it kept.
func (s *Session) Mark() (Mark, bool) {
	if !s.whole || s.follow != nil || len(s.open.waiting) > 0 || s.compactedLast() {
		return Mark{}, false
	}
	digest, err := s.digest.MarshalBinary()
	if err != nil {
		return Mark{}, false
	}
	m := Mark{Next: s.lastMessage + 1, Digest: digest, Last: s.open.last, Version: s.Header.ClientVersion, Branch: s.extract.RecordedBranch(), Recent: s.live.Last(maxRecent)}
	switch s.Header.Format {
	case pith.FormatClaudeCode:
		return m, true
	case pith.FormatCodex:
		m.Rest, m.CWD, m.Branch = s.rest.CodexRest, s.rest.cwd, s.rest.branch
		return m, m.Rest != nil
	}
	return Mark{}, false
}

// codexRest is what a reading of a Codex rollout left, where another can go on
// from its end.
type codexRest struct {
	*transcript.CodexRest
	cwd, branch string
}

// leave notes what a later reading must know.
func (s *Session) leave(d *transcript.Decoder) {
	if _, end := d.Settled(); !end || s.Header.SessionID == "" {
		return
	}
	rest, cwd, branch := d.Rest()
	if rest.Sandbox == "read-only" { // it bears on the next action, and no state says it
		return
	}
	if cleanLabel(cwd, longestPath) == cwd && cleanLabel(branch, longestBranch) == branch {
		s.rest = codexRest{&rest, cwd, branch}
	}
}

// compactedLast tells whether nothing was said since the client compacted.
func (s *Session) compactedLast() bool {
	return len(s.Boundaries) > 0 && s.liveFrom == s.lastMessage+1
}

// Covers tells whether a mark stands behind what a state was made from: by the
// messages, whatever was edited since.
func (m *Mark) Covers(st *pith.State) bool {
	var d schema.Digest
	c := &st.Checkpoint
	return m.Next > 0 && c.ThroughMessage+1 == m.Next && d.UnmarshalBinary(m.Digest) == nil && d.Sum() == c.TranscriptSHA256 &&
		st.Goal.Provenance != pith.Harness && // else the first request is still to come
		(c.Format == pith.FormatClaudeCode && m.Rest == nil || c.Format == pith.FormatCodex && m.Rest != nil) && c.Origin == "live" && c.ExtractorVersion == extract.Version &&
		st.SchemaVersion == pith.SchemaVersion && st.Security.SecretScan.RulesetSHA256 == redact.Ruleset()
}

// behind is what the decoder must know of the part before the input.
func behind(o *ReadOptions) *transcript.Behind {
	if o.Behind == nil || o.Previous == nil {
		return nil
	}
	c := &o.Previous.Checkpoint
	b := &transcript.Behind{
		Header: transcript.Header{ClientVersion: o.Behind.Version, Agent: c.Agent, Model: c.Model},
		CWD:    c.Workspace.CWD, Branch: o.Behind.Branch,
	}
	for i := range o.Behind.Recent {
		b.Rows = append(b.Rows, o.Behind.Recent[i].Rows...)
	}
	if m := o.Behind; m.Rest != nil {
		b.CWD, b.Codex, b.Header.SessionID = m.CWD, *m.Rest, sessionIn(o.Previous)
	}
	if c.Agent == "" { // each row says it as well
		b.Header.SessionID = sessionIn(o.Previous)
	}
	return b
}

// goBehind sets the session up as the later part of a file.
func (s *Session) goBehind(m *Mark) error {
	if s.previous == nil || !m.Covers(s.previous) {
		return ErrReadWhole
	}
	if err := s.digest.UnmarshalBinary(m.Digest); err != nil {
		return ErrReadWhole
	}
	c := &s.previous.Checkpoint
	s.behind, s.lastMessage, s.model = m, m.Next-1, c.Model
	s.open.items = m.Rest != nil
	s.open.last = m.Last
	if c.CreatedAt != nil {
		s.last = *c.CreatedAt
	}
	s.extract.Behind(m.Next, m.Branch)
	metrics := &s.previous.Metrics
	s.live.GoOn(metrics.TokensBefore, metrics.Reported, c.Model, m.Recent)
	return nil
}

// behindHolds tells whether a record can be read without what came before the
// input. It cannot be where the client compacted and kept what nobody has the
// size of; where a secret was found, since secrets are numbered over the
// session; and where a message or a call of before goes on.
func (s *Session) behindHolds(rec pith.Record) bool {
	if b := rec.Boundary; b != nil {
		return s.live.Holds(b.PreservedRows) && len(s.redactor.Counts()) == 0
	}
	if rec.Message == nil {
		return false
	}
	m := rec.Message
	if m.Role == pith.RoleAssistant && m.ID != "" && m.ID == s.behind.Last {
		return false
	}
	return !s.open.unknown && len(s.redactor.Counts()) == 0
}

// openCalls are the calls that wait for their results. Those of a message that
// the model has gone on from wait for none: they were broken off.
type openCalls struct {
	// waiting has the thread of each.
	waiting map[string]string
	// last is the id of the model's last message.
	last string
	// unknown is set where a result met no call.
	unknown bool
	// items is set in a format in which a message is one item of an answer: there
	// the user's next words break calls off.
	items bool
}

// breaksOff tells whether calls that still wait have been given up.
func (o *openCalls) breaksOff(m *pith.Message) bool {
	if o.items {
		return m.Role == pith.RoleUser && len(m.Blocks) > 0 && m.Blocks[0].Kind == pith.KindText && m.Blocks[0].Origin == pith.UserExplicit
	}
	return m.Role == pith.RoleAssistant && m.ID != o.last
}

func (o *openCalls) message(m *pith.Message) {
	if o.breaksOff(m) {
		for id, agent := range o.waiting {
			if agent == m.Agent {
				delete(o.waiting, id)
			}
		}
	}
	if m.Role == pith.RoleAssistant && m.ID != "" {
		o.last = m.ID
	}
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; b.Kind {
		case pith.KindToolUse:
			if o.waiting == nil {
				o.waiting = map[string]string{}
			}
			o.waiting[b.ToolUseID] = m.Agent
		case pith.KindToolResult:
			if _, ok := o.waiting[b.ToolUseID]; !ok {
				o.unknown = true
			}
			delete(o.waiting, b.ToolUseID)
		}
	}
}
