package meter

import (
	"math"

	"github.com/pith-memory/pith"
)

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

// Calibration is how many tokens a model reports for one that is counted here.
// Only OpenAI's models use o200k_base; Claude's and others' vocabularies are
// not public and differ by family, by 15 to 40 % on code. The zero Calibration
// has the factor 1 and leaves the difference to the margin of a Reading.
type Calibration struct {
	// Factor is reported tokens divided by counted ones; 0 means 1.
	Factor float64 `json:"factor"`
	// Samples is how many requests the factor was learned from.
	Samples int `json:"samples"`
}

const (
	// A sample under this size says more of the overheads than of the vocabulary.
	minSample pith.Tokens = 1000
	// A factor outside these limits is a miscount, not another vocabulary.
	minFactor, maxFactor = 0.5, 3.0
	// Later samples count for a fifth, so that a change of model is followed.
	learningRate = 0.2
	// trusted is the number of samples from which the smaller margin is enough.
	trusted = 3
)

// Learn takes in one request: the estimate of its whole body, and the input
// that the provider reported for it. Samples that cannot be meant are ignored.
func (c *Calibration) Learn(estimated, reported pith.Tokens) {
	if estimated < minSample || reported <= 0 {
		return
	}
	seen := float64(reported) / float64(estimated)
	if seen < minFactor || seen > maxFactor {
		return
	}
	c.Samples++
	rate := max(learningRate, 1/float64(c.Samples))
	c.Factor = c.factor() + rate*(seen-c.factor())
}

func (c Calibration) factor() float64 {
	if c.Factor <= 0 || math.IsNaN(c.Factor) {
		return 1
	}
	return min(max(c.Factor, minFactor), maxFactor)
}

// Apply turns counted tokens into the model's own.
func (c Calibration) Apply(t pith.Tokens) pith.Tokens {
	return pith.Tokens(math.Round(float64(t) * c.factor()))
}

// margin is what an estimate of t tokens may be too low by: 10 %, and 3 % once
// the factor was learned.
func (c Calibration) margin(t pith.Tokens) pith.Tokens {
	if c.Samples >= trusted {
		return (t*3 + 99) / 100
	}
	return (t + 9) / 10
}
