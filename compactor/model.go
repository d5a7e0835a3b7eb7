package compactor

import (
	"context"
	"encoding/json"

	"github.com/pith-memory/pith"
)

// Model is a large language model behind somebody's API: it drafts compactions,
// and package agent runs its turns through it. An implementation is safe for
// concurrent use.
type Model interface {
	// About says what the model is and can do. It is known without a request.
	About() Card
	// Complete sends one request and waits for the whole answer. Errors: the
	// context's own, or a *Failure that says what went wrong.
	Complete(ctx context.Context, r Request) (Response, error)
}

// Card is what a caller has to know of a model before it asks it anything.
type Card struct {
	// Provider and Name are as in "anthropic/claude-haiku-4-5".
	Provider, Name string
	// Format is that of the request bodies that the model takes.
	Format pith.Format
	// Window is the context window in tokens, 0 unknown.
	Window int
	// MaxOutput is the most that one answer may have, 0 unknown.
	MaxOutput pith.Tokens
	// Schema is set where the provider can hold an answer to a JSON schema.
	Schema bool
	// Price is per million tokens, zero where it is unknown.
	Price Price
}

// String is the model's name with its provider.
func (c Card) String() string { return c.Provider + "/" + c.Name }

// Price is what a million tokens cost. Units: US dollars.
type Price struct {
	Input, Output, CacheRead, CacheWrite float64
}

// Cost is what a request cost. Units: US dollars; 0 where the price is unknown.
func (p Price) Cost(u pith.Usage) float64 {
	const million = 1e6
	return (float64(u.Input)*p.Input + float64(u.Output)*p.Output + float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite) / million
}

// Request is one call of a model: a system prompt and one message of the user,
// or a whole body that somebody made.
type Request struct {
	System, Prompt string
	// Schema is the JSON schema that the answer is to follow, nil for free text.
	// A model whose Card says no Schema is asked in words alone.
	Schema json.RawMessage
	// MaxTokens bounds the answer; 0 is the body's own, or the model's default.
	MaxTokens pith.Tokens
	// Body is a whole request body in the model's format. It is sent byte for
	// byte, and the fields above are not looked at.
	Body json.RawMessage
	// Header is sent beside a Body, as the session that it goes on from sends it.
	Header map[string][]string
	// OnText gets the answer's text while it arrives, where it is set.
	OnText func(piece string)
}

// Stop is why an answer ended.
type Stop uint8

// The reasons. A provider that names none of the others ended for a reason of
// its own, which Response.StopReason has.
const (
	StopOther Stop = iota
	StopEnd
	StopMaxTokens
	StopToolUse
	StopRefusal
	StopPause // the provider's own tools ran long; the turn is to be sent again
)

// Response is a model's whole answer.
type Response struct {
	// Text is the answer channel alone: neither thinking nor calls.
	Text string
	Stop Stop
	// StopReason is the provider's own word for it.
	StopReason string
	// ToolCalls names the tools that the answer calls.
	ToolCalls []string
	// Thought is set where the answer holds thinking.
	Thought bool
	// Messages are the answer as the next request has to repeat it: one message,
	// or the items of a responses body. Every byte is the provider's own.
	Messages []json.RawMessage
	Usage    pith.Usage
	// Model is what answered, as the provider names it.
	Model string
	// By is the model of a list that answered, nil where one model was asked.
	By *Card
	// ID is the provider's id of the answer.
	ID string
	// Attempts counts the requests that were sent, the provider's retries included.
	Attempts int
}
