package memory

import (
	"slices"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/wire"
)

// liveMessages keeps the messages of the live context with their own bytes,
// where somebody wants the conversation to send next.
type liveMessages struct {
	on       bool
	messages []pith.Message
}

func (l *liveMessages) add(m *pith.Message) {
	if l.on && m.Agent == "" && m.Raw != nil {
		l.messages = append(l.messages, *m)
	}
}

// boundary goes on with what the client went on with: its replacement history,
// or the rows that it preserved. Messages that no API ever saw, such as the
// title of a session, have no bytes and are not among them.
func (l *liveMessages) boundary(b *pith.Boundary) {
	if !l.on {
		return
	}
	if b.Replacement != nil {
		l.messages = slices.Clone(b.Replacement)
		return
	}
	l.messages = slices.DeleteFunc(l.messages, func(m pith.Message) bool {
		return !slices.ContainsFunc(m.RowIDs, func(id string) bool { return slices.Contains(b.PreservedRows, id) })
	})
}

// Conversation is the live context as an API body: what the client would have
// sent at the cut, without its system prompt and tools, which are not in the file.
func (s *Session) Conversation() pith.Conversation {
	format := pith.FormatAnthropic
	if s.Header.Format == pith.FormatCodex {
		format = pith.FormatOpenAIResponses
	}
	return wire.NewBody(format, s.Model(), s.kept.messages)
}
