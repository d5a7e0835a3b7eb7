package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/wire"
)

// talk is the conversation as the model gets it: the next request's body, which
// is only appended to, the messages in it, and how large they are.
type talk struct {
	// pristine is the request of a session in which nothing was said yet.
	pristine pith.Conversation
	// request is the body's beginning as it stands: system prompt and tools.
	request pith.Conversation
	// messages are those of the body, the system message of a chat among them.
	// Index is the number in the session, SystemIndex for what is not part of it.
	messages []pith.Message
	// written is the body up to the brackets that close it, so that a message
	// costs no look at those before it; whole is the body where it was asked for
	// since the last message.
	written, whole []byte
	// fixed is the system prompt and the tools; total is the messages.
	fixed meter.Breakdown
	total pith.Tokens
	// usage is what the model that usageOf names reported last, nil unknown;
	// since is the estimate of what came behind that answer.
	usage   *pith.Usage
	usageOf string
	since   pith.Tokens
}

// newTalk begins a conversation with nothing said.
func newTalk(f pith.Format, parts wire.RequestParts) (*talk, error) {
	parts.Messages = nil
	body, err := wire.NewRequest(f, parts)
	if err != nil {
		return nil, err
	}
	// A request without a message is none that can be read.
	parts.Messages = []json.RawMessage{wire.UserMessage(f, "-")}
	one, err := wire.NewRequest(f, parts)
	if err != nil {
		return nil, err
	}
	c, err := wire.DecodeAs(f, one)
	if err != nil {
		return nil, err
	}
	c.Messages, c.Raw = c.Messages[:len(c.Messages)-1], body
	for i := range c.Messages {
		c.Messages[i].Index = pith.SystemIndex
	}
	t := &talk{pristine: c}
	t.fixed.Tools = meter.Count(string(c.Tools))
	return t, t.set(c)
}

// closing ends a body, whose list of messages is last.
const closing = "]}"

var errNotLast = errors.New("the list of messages is not the last part of the request")

// set makes a conversation with its body the one to go on with.
func (t *talk) set(c pith.Conversation) error {
	written, last := bytes.CutSuffix(c.Raw, []byte(closing))
	if !last {
		return errNotLast
	}
	t.request, t.written, t.whole = c, slices.Clone(written), c.Raw
	t.request.Messages, t.request.Raw = nil, nil
	t.fixed.System = meter.EstimateConversation(&pith.Conversation{System: c.System}).System
	t.messages, t.total = nil, 0
	for _, m := range c.Messages {
		t.push(m)
	}
	t.usage, t.since = nil, 0
	return nil
}

// body is the next request. It stays as it is when messages are added.
func (t *talk) body() []byte {
	if t.whole == nil {
		t.whole = slices.Concat(t.written, []byte(closing))
	}
	return t.whole
}

func (t *talk) format() pith.Format { return t.request.Format }

func (t *talk) push(m pith.Message) {
	t.messages = append(t.messages, m)
	size := meter.EstimateMessage(&m)
	t.since += size
	if m.Role == pith.RoleSystem {
		t.fixed.System += size
		return
	}
	t.total += size
}

// add appends messages to the body. Every byte before them stays.
func (t *talk) add(messages ...pith.Message) error {
	for i := range messages {
		if !json.Valid(messages[i].Raw) {
			return fmt.Errorf("message %d is not JSON", messages[i].Index)
		}
	}
	for _, m := range messages {
		if t.written[len(t.written)-1] != '[' {
			t.written = append(t.written, ',')
		}
		t.written = append(t.written, m.Raw...)
		t.push(m)
	}
	t.whole = nil
	return nil
}

// answered takes in what was reported with the answer that was added last.
func (t *talk) answered(u pith.Usage, model string) {
	if u.Context() > 0 {
		t.usage, t.usageOf, t.since = &u, model, 0
	}
}

// replace makes the conversation one that begins with a block and goes on with
// these messages. System and tools are those that it began with, and the block
// stands behind the system prompt where inSystem is set; otherwise it is one of
// the messages. What was reported before counted a context that is gone.
func (t *talk) replace(block string, inSystem bool, messages []pith.Message) error {
	c := t.pristine
	if inSystem && block != "" {
		if err := wire.AppendSystem(&c, block); err != nil {
			return err
		}
	}
	c.Messages = append(slices.Clone(c.Messages), messages...)
	body, err := wire.Encode(c)
	if err != nil {
		return err
	}
	c.Raw = body
	return t.set(c)
}

// ownMessages are those that are not part of the prompt.
func ownMessages(messages []pith.Message) []pith.Message {
	return slices.DeleteFunc(slices.Clone(messages), func(m pith.Message) bool { return m.Role == pith.RoleSystem })
}

// conversation is the next request as a value.
func (t *talk) conversation() pith.Conversation {
	c := t.request
	c.Raw, c.Messages = t.body(), t.messages[:len(t.messages):len(t.messages)]
	return c
}

// reading is how full the window is before the next request.
func (t *talk) reading(card compactor.Card, window int) meter.Reading {
	parts := meter.Breakdown{System: t.fixed.System, Tools: t.fixed.Tools, Messages: t.total}
	since := parts.Total()
	if t.usage != nil {
		since = t.since
	}
	return meter.ReadSizes(parts, since, meter.ReadOptions{
		Window: window, Model: card.Name, Usage: t.usage, UsageModel: t.usageOf, MaxTokens: t.request.MaxTokens,
	})
}

// read turns raw messages into ones that can be counted and followed.
func read(f pith.Format, raws []json.RawMessage) []pith.Message {
	out := make([]pith.Message, len(raws))
	for i, raw := range raws {
		out[i] = wire.ReadMessage(f, raw)
		out[i].Raw = raw
	}
	return out
}
