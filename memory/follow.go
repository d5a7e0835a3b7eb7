package memory

import (
	"context"
	"slices"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/extract"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/transcript"
	"github.com/pith-memory/pith/wire"
)

// BeginOptions say what session a program follows while it happens.
type BeginOptions struct {
	// Format is that of the messages, an API's.
	Format pith.Format
	// ID names the session; CWD is the folder of the work.
	ID, Model, CWD string
	// System is the session's system prompt.
	System string
	// Previous is the latest checkpoint of a session that was interrupted, nil
	// for a new one. What is appended came after it and is numbered on from it.
	Previous *pith.State
}

// Begin starts to follow a session: a program that holds the conversation hands
// over each message once, as it is sent or received, and may ask for a state at
// any time. Nothing is read twice, and what was compacted away stays known.
func (m *Memory) Begin(o BeginOptions) *Session {
	s := &Session{extract: extract.New(), redactor: redact.New(), empty: true, follow: &followed{cwd: o.CWD}}
	s.Header = s.labels.header(transcript.Header{Format: o.Format, SessionID: o.ID, Model: o.Model})
	base := 0
	if o.Previous != nil {
		base = o.Previous.Checkpoint.ThroughMessage + 1
	}
	s.goOn(o.Previous, base)
	s.lastMessage = max(base-1, 0)
	s.follow.archived = base
	if o.System != "" {
		prompt := pith.Message{
			Index: pith.SystemIndex, Role: pith.RoleSystem, CWD: o.CWD,
			Blocks: []pith.Block{{Kind: pith.KindText, Text: o.System, Origin: pith.System}},
		}
		s.take(&prompt)
	}
	return s
}

// followed is what a session keeps of messages that no file holds.
type followed struct {
	cwd string
	// messages are redacted, without their own bytes.
	messages []pith.Message
	calls    wire.OpenCalls
	// archived is the index of the first message that is in no archive.
	archived int
}

// Append takes in the next message of the conversation and returns its number.
// The message itself is left as it is.
func (s *Session) Append(m pith.Message) int {
	m.Index = s.base + s.Messages
	m.Raw = nil
	m.Blocks = slices.Clone(m.Blocks)
	for i := range m.Blocks {
		m.Blocks[i].Args = slices.Clone(m.Blocks[i].Args)
	}
	if m.CWD == "" {
		m.CWD = s.follow.cwd
	}
	s.follow.calls.Outcomes(&m)
	s.take(&m)
	return m.Index
}

func (s *Session) take(m *pith.Message) {
	s.add(pith.Record{Message: m})
	s.follow.messages = append(s.follow.messages, *m)
}

// Replaced takes in that the context now holds a block and, of the messages
// followed, only those with these numbers. The facts stay those of the whole
// session; its size begins anew, and so does what a model is given to read
// where no earlier draft says more.
func (s *Session) Replaced(block string, kept []int) {
	history := []pith.Message{wire.TextMessage(s.Header.Format, pith.RoleUser, block)}
	s.liveFrom = s.lastMessage + 1
	for i := range s.follow.messages {
		if m := &s.follow.messages[i]; slices.Contains(kept, m.Index) {
			history = append(history, *m)
			s.liveFrom = min(s.liveFrom, m.Index)
		}
	}
	s.live.Boundary(&pith.Boundary{Replacement: history})
}

// Took makes a state the latest checkpoint of the session: the next one is its
// child.
func (s *Session) Took(st *pith.State) { s.previous = st }

// Snapshot is the session as it stands, for a draft that is made while the
// session goes on. It follows nothing more.
func (s *Session) Snapshot() *Session {
	c := *s
	c.follow = &followed{messages: slices.Clip(s.follow.messages)}
	return &c
}

// ArchiveTo keeps the blocks that came since the last call, so that they can be
// recalled.
func (s *Session) ArchiveTo(ctx context.Context, a pith.Archive) error {
	var blocks []pith.ArchivedBlock
	names := map[string]string{}
	for i := range s.follow.messages {
		m := &s.follow.messages[i]
		for j := range m.Blocks {
			b := &m.Blocks[j]
			if b.Kind == pith.KindToolUse {
				names[b.ToolUseID] = b.ToolName
			}
			if m.Index < s.follow.archived || !quotable(b.Kind) {
				continue
			}
			blocks = append(blocks, pith.ArchivedBlock{
				Message: m.Index, Block: j, Role: m.Role, Kind: b.Kind, Tool: names[b.ToolUseID], Call: callKey(b.ToolUseID),
				Agent: m.Agent, Origin: b.Origin, Time: m.Time, Text: b.Text, Hash: b.Hash,
			})
		}
	}
	for part := range slices.Chunk(blocks, batch) {
		if err := a.PutBlocks(ctx, s.sessionID(), part); err != nil {
			return err
		}
	}
	s.follow.archived = s.base + s.Messages
	return nil
}
