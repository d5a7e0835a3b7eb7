package restore

import (
	"strings"

	"github.com/pith-memory/pith"
)

// sentOnce are the openings of what a client says at the beginning of a
// conversation and never again: its environment, its rules, its tools.
var sentOnce = []string{
	"<system-reminder", "<environment_context", "<user_instructions", "<INSTRUCTIONS", "<permissions",
	"<session-context", "<collaboration_mode", "<skill", "# AGENTS.md", "# CLAUDE.md",
}

// head is what stays in front of the memory: the system messages and the
// client's own first reminders, without the user's words among them.
type head struct {
	messages []pith.Message
	// from is the index of the first message that is not part of the opening.
	from int
}

// readHead takes what comes before the assistant's first message apart. The
// user's words in it are left out: they are the goal and stand in the block.
func readHead(e *editor, messages []pith.Message) head {
	h := head{from: len(messages)}
	for i := range messages {
		if messages[i].Role == pith.RoleAssistant {
			h.from = i
			break
		}
	}
	for i := range messages[:h.from] {
		m := messages[i]
		if m.Role == pith.RoleSystem {
			h.messages = append(h.messages, m)
			continue
		}
		if kept, ok := e.rewrite(m, onceText); ok {
			h.messages = append(h.messages, kept)
		}
	}
	return h
}

// systems drops the reminders from a head that does not fit.
func (h head) systems() head {
	out := head{from: h.from}
	for _, m := range h.messages {
		if m.Role == pith.RoleSystem {
			out.messages = append(out.messages, m)
		}
	}
	return out
}

// onceText is the part of a block that a client sends only once.
func onceText(b *pith.Block) (text string, keep bool) {
	if b.Kind != pith.KindText {
		return "", false
	}
	var parts []string
	for _, v := range b.Voices() {
		part := b.Text[v.Start:v.End]
		if v.Origin == pith.UserExplicit {
			continue
		}
		for _, opening := range sentOnce {
			if strings.HasPrefix(strings.TrimLeft(part, " \t\n"), opening) {
				parts = append(parts, part)
				break
			}
		}
	}
	text = strings.Join(parts, "\n")
	return text, !blank(text)
}

// withoutBlocks takes earlier blocks of pith's own out of a conversation: they
// are replaced, never stacked.
func withoutBlocks(e *editor, c pith.Conversation) pith.Conversation {
	for i := len(c.System) - 1; i >= 0; i-- {
		if text, found := cutBlocks(c.System[i].Text); found {
			c = e.setSystem(c, i, text)
		}
	}
	out := make([]pith.Message, 0, len(c.Messages))
	for _, m := range c.Messages {
		if m.Role == pith.RoleAssistant || !holdsBlock(&m) {
			out = append(out, m)
			continue
		}
		kept, ok := e.rewrite(m, func(b *pith.Block) (string, bool) {
			if b.Kind != pith.KindText {
				return b.Text, true
			}
			text, found := cutBlocks(b.Text)
			return text, !found || !blank(text)
		})
		if ok {
			out = append(out, kept)
		}
	}
	c.Messages = out
	return c
}

func holdsBlock(m *pith.Message) bool {
	for i := range m.Blocks {
		if m.Blocks[i].Kind != pith.KindText {
			continue
		}
		if start, _ := blockSpan(m.Blocks[i].Text); start >= 0 {
			return true
		}
	}
	return false
}

// cutBlocks removes every whole block from a text.
func cutBlocks(text string) (rest string, found bool) {
	for {
		start, end := blockSpan(text)
		if start < 0 {
			return text, found
		}
		found = true
		text = strings.TrimRight(text[:start], " \t\n") + strings.TrimRight("\n"+strings.TrimLeft(text[end:], " \t\n"), " \t\n")
		text = strings.TrimLeft(text, "\n")
	}
}
