package compactor

import (
	_ "embed" // for the instructions and the schema
	"encoding/json"
	"unicode/utf8"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

//go:embed instruction.md
var instruction string

//go:embed fork.md
var forkInstruction string

//go:embed draft.schema.json
var draftSchema string

const (
	// assumedWindow stands for a window that nobody knows: smaller than that of
	// any model that is sold today, and of most that run at home.
	assumedWindow = 32_000
	// leastOutput is the least that max_tokens is lowered to before the history
	// is cut: a draft of few words.
	leastOutput pith.Tokens = 512
	// framing is what a provider adds around a system prompt and one message.
	framing pith.Tokens = 48
	// frameBytes is what a request body has beside the three texts.
	frameBytes = 2048
	// leastRoom is the room without which nothing is asked.
	leastRoom pith.Tokens = 96
)

// budget is what requests to one model may hold.
type budget struct {
	window  int
	assumed bool
	// percent scales o200k tokens to those of the model.
	percent pith.Tokens
	// output is the wanted max_tokens, outputCap the most that a retry may have.
	output, outputCap pith.Tokens
	maxBody           int
	schema            json.RawMessage
	// fixed is the size of the instruction and the schema, fixedBytes in a body.
	fixed      pith.Tokens
	fixedBytes int
	// shrink divides the room: a provider said that a request was too large.
	shrink pith.Tokens
}

// marginPercent is what o200k counts are raised by. Anthropic publishes no
// tokenizer; its models count up to a third more than o200k on code and JSON.
// Others stay within a seventh.
func marginPercent(provider string) pith.Tokens {
	if provider == "anthropic" {
		return 135
	}
	return 115
}

func newBudget(card Card, o *Options) *budget {
	b := &budget{window: o.Window, percent: marginPercent(card.Provider), output: o.MaxTokens, maxBody: o.MaxBody, shrink: 1}
	if b.window <= 0 {
		b.window = card.Window
	}
	if b.window <= 0 {
		b.window, b.assumed = assumedWindow, true
	}
	b.outputCap = pith.Tokens(b.window)
	if card.MaxOutput > 0 {
		b.output, b.outputCap = min(b.output, card.MaxOutput), min(b.outputCap, card.MaxOutput)
	}
	system := measure(nil, instruction)
	b.fixed, b.fixedBytes = framing+system.tokens, frameBytes+system.bytes
	if !card.Schema {
		return b
	}
	// A schema costs room in every request. Where the window is that small, the
	// instruction's words have to do.
	schema := measure(nil, draftSchema)
	if b.room(leastOutput) > 4*schema.tokens {
		b.schema = json.RawMessage(draftSchema)
		b.fixed += schema.tokens
		b.fixedBytes += schema.bytes
	}
	return b
}

// room is how many o200k tokens of prompt fit beside an answer.
func (b *budget) room(output pith.Tokens) pith.Tokens {
	return ((pith.Tokens(b.window)-output)*100/b.percent - b.fixed) / b.shrink
}

// roomBytes is how many bytes of a body the prompt may take.
func (b *budget) roomBytes() int { return (b.maxBody - b.fixedBytes) / int(b.shrink) }

// spare is how much output fits beside a prompt. Units: tokens of the model.
func (b *budget) spare(prompt pith.Tokens) pith.Tokens {
	return pith.Tokens(b.window) - ((b.fixed+prompt)*b.percent+99)/100
}

// outputFor is the max_tokens of a part that more parts follow: a quarter of
// a small window, so that the history gets most of it.
func (b *budget) outputFor() pith.Tokens {
	return min(b.output, max(leastOutput, pith.Tokens(b.window/4)))
}

// size is how much of a budget a text takes.
type size struct {
	tokens pith.Tokens
	// bytes are those that the text has as a JSON string in a body.
	bytes int
}

func (s *size) add(t size) { s.tokens, s.bytes = s.tokens+t.tokens, s.bytes+t.bytes }

// measure counts o200k tokens, at least one for four characters: other
// vocabularies hold fewer long runs.
func measure(c *meter.Counter, text string) size {
	var tokens pith.Tokens
	if c != nil {
		tokens = c.Count(text)
	} else {
		tokens = meter.Count(text)
	}
	return size{tokens: max(tokens, pith.Tokens((utf8.RuneCountInString(text)+3)/4)), bytes: quotedLen(text)}
}

// quotedLen is the most bytes that any JSON encoder writes for a text, without
// the quotes.
func quotedLen(text string) int {
	n := len(text)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t':
			n++
		case c < ' ' || c == '<' || c == '>' || c == '&' || c == 0x7f:
			n += 5
		}
	}
	return n
}
