package meter

import "github.com/pith-memory/pith"

// What a provider's prompt format adds around the content. The figures are
// estimates: no provider documents them for tool calls.
const (
	messageOverhead  pith.Tokens = 4
	textOverhead     pith.Tokens = 1
	thinkingOverhead pith.Tokens = 3
	callOverhead     pith.Tokens = 8
	resultOverhead   pith.Tokens = 6
	opaqueOverhead   pith.Tokens = 3
)

// An image costs by its size in pixels, which is not known here; its bytes
// bound it. Source: Anthropic counts width*height/750 and scales an image down
// to at most about 1,600 tokens.
const (
	maxImage           pith.Tokens = 1600
	minImage           pith.Tokens = 85
	imageBytesPerToken             = 200
)

// opaqueBytesPerToken is for blocks that are not read: signed or encrypted
// data and types that nobody here knows.
const opaqueBytesPerToken = 4

// weight is what a block costs: text that is to be counted, tokens of what is
// no text, and what the prompt format adds.
type weight struct {
	text            string
	fixed, overhead pith.Tokens
}

func weigh(b *pith.Block) weight {
	w := weight{text: b.Text, overhead: textOverhead}
	switch b.Kind {
	case pith.KindThinking:
		w.overhead = thinkingOverhead
	case pith.KindToolUse:
		w.overhead = callOverhead
		if w.text == "" {
			w.text = pith.ToolUseText(b.ToolName, b.Args)
		}
	case pith.KindToolResult:
		w.overhead = resultOverhead
		if b.MediaBytes > 0 {
			w.fixed = imageTokens(b.MediaBytes)
		}
	case pith.KindImage:
		return weight{fixed: imageTokens(b.MediaBytes), overhead: textOverhead}
	case pith.KindOpaque:
		bytes := max(len(b.Text), b.MediaBytes)
		return weight{fixed: pith.Tokens(bytes / opaqueBytesPerToken), overhead: opaqueOverhead}
	}
	return w
}

func imageTokens(bytes int) pith.Tokens {
	if bytes <= 0 {
		return maxImage // named by an address: nothing is known of it
	}
	return min(max(pith.Tokens(bytes/imageBytesPerToken), minImage), maxImage)
}

// EstimateBlock is what a block takes of the window: the exact count of its
// text (of a tool use, its name and its input) and an estimate of the rest. An
// image's data is never counted as text.
func EstimateBlock(b *pith.Block) pith.Tokens {
	w := weigh(b)
	return Count(w.text) + w.fixed + w.overhead
}

// EstimateMessage is what a message takes of the window.
func EstimateMessage(m *pith.Message) pith.Tokens {
	total := messageOverhead
	for i := range m.Blocks {
		total += EstimateBlock(&m.Blocks[i])
	}
	return total
}

// Breakdown says what fills a request. Units: tokens.
type Breakdown struct {
	System   pith.Tokens `json:"system"`
	Tools    pith.Tokens `json:"tools"`
	Messages pith.Tokens `json:"messages"`
}

// Total is the size of the whole request.
func (b Breakdown) Total() pith.Tokens { return b.System + b.Tools + b.Messages }

// EstimateConversation counts every part of a request: the system prompt, the
// schemas of the tools, and all blocks of all messages.
func EstimateConversation(c *pith.Conversation) Breakdown {
	var b Breakdown
	for i := range c.System {
		b.System += EstimateBlock(&c.System[i])
	}
	b.Tools = Count(string(c.Tools))
	for i := range c.Messages {
		b.Messages += EstimateMessage(&c.Messages[i])
	}
	return b
}

// margin is what an estimate of t tokens may be too low by, a tenth. Only
// OpenAI's models count with o200k_base; other vocabularies are not public.
func margin(t pith.Tokens) pith.Tokens { return (t + 9) / 10 }
