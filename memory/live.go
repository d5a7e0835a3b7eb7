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

// Conversation is what the client would have sent at the cut: the request body
// itself, or one made of the live context of a session file, whose system
// prompt and tools are not in the file.
func (s *Session) Conversation() pith.Conversation {
	if s.IsBody() {
		// It was read once already, so it can be read again.
		if c, err := wire.DecodeAs(s.Header.Format, s.body); err == nil {
			c.Messages = slices.DeleteFunc(c.Messages, func(m pith.Message) bool { return m.Index > s.lastMessage })
			return c
		}
	}
	format := pith.FormatAnthropic
	if s.Header.Format == pith.FormatCodex {
		format = pith.FormatOpenAIResponses
	}
	return wire.NewBody(format, s.Model(), s.kept.messages)
}
