package restore

import (
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// scale weighs parts of a request in tokens, with the caller's way to count
// text. It remembers what it counted: a plan weighs the same parts many times.
type scale struct {
	counter func(string) pith.Tokens
	counted map[string]pith.Tokens
}

func newScale(counter func(string) pith.Tokens) scale {
	if counter == nil {
		counter = meter.Count
	}
	return scale{counter: counter, counted: map[string]pith.Tokens{}}
}

func (s scale) count(text string) pith.Tokens {
	n, ok := s.counted[text]
	if !ok {
		n = s.counter(text)
		s.counted[text] = n
	}
	return n
}

// block counts a block's text and adds meter's estimate of what is no text.
func (s scale) block(b *pith.Block) pith.Tokens {
	if b.Kind == pith.KindOpaque || b.Kind == pith.KindImage {
		return meter.EstimateBlock(b)
	}
	bare := *b
	bare.Text, bare.ToolName, bare.Args = "", "", nil
	return meter.EstimateBlock(&bare) + s.count(b.Text)
}

func (s scale) message(m *pith.Message) pith.Tokens {
	n := meter.EstimateMessage(&pith.Message{})
	for i := range m.Blocks {
		n += s.block(&m.Blocks[i])
	}
	return n
}

func (s scale) messages(ms []pith.Message) pith.Tokens {
	n := pith.Tokens(0)
	for i := range ms {
		n += s.message(&ms[i])
	}
	return n
}

func (s scale) breakdown(c *pith.Conversation) meter.Breakdown {
	var b meter.Breakdown
	for i := range c.System {
		b.System += s.block(&c.System[i])
	}
	b.Tools = s.count(string(c.Tools))
	b.Messages = s.messages(c.Messages)
	return b
}

// limit is the largest input that a request may have: what the output leaves
// of the window, less a tenth for what an estimate may be too low by. 0 means
// that the window is unknown.
func limit(window int, maxTokens pith.Tokens) pith.Tokens {
	if window <= 0 {
		return 0
	}
	return max(1, (pith.Tokens(window)-maxTokens)*10/11)
}
