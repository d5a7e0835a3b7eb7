package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// ChatHistory is a conversation in the types of the SDK's chat completions.
type ChatHistory struct {
	Model    string
	Messages []openai.ChatCompletionMessageParamUnion
	Tools    []openai.ChatCompletionToolUnionParam
}

// ItemHistory is a conversation in the types of the SDK's responses.
type ItemHistory struct {
	Model        string
	Instructions string
	Items        []responses.ResponseInputItemUnionParam
	Tools        []responses.ToolUnionParam
}

// FromChat turns a history into a conversation, whose Raw is the body that the
// SDK would have sent of it.
// Errors: KindInput, naming the message, where the SDK cannot write one.
func FromChat(h ChatHistory) (pith.Conversation, error) {
	b := bodyWriter{}
	b.text("model", h.Model)
	writeList(&b, "tools", "tool", h.Tools, true)
	writeList(&b, "messages", "message", h.Messages, false)
	return b.decode(pith.FormatOpenAIChat)
}

// ToChat turns a conversation back into a history, without loss: what a message
// holds beside the fields that its type has becomes an extra field of it, and
// JSON null stands for a field that is not there. The other members of the
// conversation's body stay with whoever made it.
// Errors: KindInput, naming the message and the field, where the types cannot
// carry something; then there is no history.
func ToChat(c pith.Conversation) (ChatHistory, error) {
	h := ChatHistory{Model: c.Model}
	if c.Format != pith.FormatOpenAIChat {
		return ChatHistory{}, inputError(fmt.Errorf("the conversation is of format %q, not %q", c.Format, pith.FormatOpenAIChat))
	}
	for i := range c.Messages {
		raw := c.Messages[i].Raw
		if len(raw) == 0 {
			continue
		}
		m, err := carry[openai.ChatCompletionMessageParamUnion](raw)
		if err != nil {
			return ChatHistory{}, placeError("message", i, nameOf(raw, "role"), err)
		}
		h.Messages = append(h.Messages, m)
	}
	tools, err := elements(c.Tools)
	if err != nil {
		return ChatHistory{}, err
	}
	for i, raw := range tools {
		tool, err := carry(raw, func(t *openai.ChatCompletionToolUnionParam) {
			if t.OfFunction != nil {
				t.OfFunction.Function.Parameters = parameters(raw, "function")
			}
		})
		if err != nil {
			return ChatHistory{}, placeError("tool", i, nameOf(raw, "type"), err)
		}
		h.Tools = append(h.Tools, tool)
	}
	return h, nil
}

// FromItems turns a history into a conversation, whose Raw is the body that the
// SDK would have sent of it.
// Errors: KindInput, naming the item, where the SDK cannot write one.
func FromItems(h ItemHistory) (pith.Conversation, error) {
	b := bodyWriter{}
	b.text("model", h.Model)
	if h.Instructions != "" {
		b.text("instructions", h.Instructions)
	}
	writeList(&b, "tools", "tool", h.Tools, true)
	writeList(&b, "input", "item", h.Items, false)
	return b.decode(pith.FormatOpenAIResponses)
}

// ToItems turns a conversation back into a history, without loss, as ToChat
// does. An item of a type that the SDK does not know, of which it would drop
// the whole list, is an error here; so are instructions that are no text.
// Errors: KindInput, naming the item and the field.
func ToItems(c pith.Conversation) (ItemHistory, error) {
	h := ItemHistory{Model: c.Model}
	if c.Format != pith.FormatOpenAIResponses {
		return ItemHistory{}, inputError(fmt.Errorf("the conversation is of format %q, not %q", c.Format, pith.FormatOpenAIResponses))
	}
	if start, end, ok := jsonscan.Member(c.Raw, "instructions"); ok && string(c.Raw[start:end]) != "null" {
		if json.Unmarshal(c.Raw[start:end], &h.Instructions) != nil {
			return ItemHistory{}, inputError(errors.New("the instructions are no text"))
		}
	}
	for i := range c.Messages {
		raw := c.Messages[i].Raw
		if len(raw) == 0 {
			continue
		}
		item, err := carryItem(raw)
		if err != nil {
			return ItemHistory{}, placeError("item", i, nameOf(raw, "type"), err)
		}
		h.Items = append(h.Items, item)
	}
	tools, err := elements(c.Tools)
	if err != nil {
		return ItemHistory{}, err
	}
	for i, raw := range tools {
		tool, err := carry(raw, func(t *responses.ToolUnionParam) {
			if t.OfFunction != nil {
				t.OfFunction.Parameters = parameters(raw)
			}
		})
		if err != nil {
			return ItemHistory{}, placeError("tool", i, nameOf(raw, "type"), err)
		}
		h.Tools = append(h.Tools, tool)
	}
	return h, nil
}

// carryItem finds the variant that holds all of an item. The SDK itself goes by
// the type alone, so that it cannot read the messages without a type that it
// writes, and reads an answer's message, which has the same type, without its
// id and status.
func carryItem(raw []byte) (responses.ResponseInputItemUnionParam, error) {
	if raw[0] == '"' { // an input that was one string
		raw = append(append([]byte(`{"role":"user","content":`), raw...), '}')
	}
	kind := nameOf(raw, "type")
	if kind != "" && kind != "message" {
		return carry[responses.ResponseInputItemUnionParam](raw)
	}
	if nameOf(raw, "role") == "" {
		reference, err := carryVariant[responses.ResponseInputItemItemReferenceParam](raw, true)
		if err != nil {
			err = errNoVariant
		}
		return responses.ResponseInputItemUnionParam{OfItemReference: reference}, err
	}
	variants := []func(strictly bool) (responses.ResponseInputItemUnionParam, error){easyMessage(raw), outputMessage(raw), inputMessage(raw)}
	if nameOf(raw, "id") != "" && nameOf(raw, "role") == "assistant" {
		variants[0], variants[1] = variants[1], variants[0]
	}
	var first error
	for _, strictly := range []bool{true, false} {
		for i, variant := range variants {
			item, err := variant(strictly)
			if err == nil {
				return item, nil
			}
			if !strictly && i == 0 {
				first = err
			}
		}
	}
	if item, err := carry[responses.ResponseInputItemUnionParam](raw); err == nil {
		return item, nil
	}
	return responses.ResponseInputItemUnionParam{}, first
}

func easyMessage(raw []byte) func(bool) (responses.ResponseInputItemUnionParam, error) {
	return func(strictly bool) (responses.ResponseInputItemUnionParam, error) {
		m, err := carryVariant[responses.EasyInputMessageParam](raw, strictly)
		return responses.ResponseInputItemUnionParam{OfMessage: m}, err
	}
}

func outputMessage(raw []byte) func(bool) (responses.ResponseInputItemUnionParam, error) {
	return func(strictly bool) (responses.ResponseInputItemUnionParam, error) {
		m, err := carryVariant[responses.ResponseOutputMessageParam](raw, strictly)
		return responses.ResponseInputItemUnionParam{OfOutputMessage: m}, err
	}
}

func inputMessage(raw []byte) func(bool) (responses.ResponseInputItemUnionParam, error) {
	return func(strictly bool) (responses.ResponseInputItemUnionParam, error) {
		m, err := carryVariant[responses.ResponseInputItemMessageParam](raw, strictly)
		return responses.ResponseInputItemUnionParam{OfInputMessage: m}, err
	}
}

// parameters is a function's schema with its numbers as they are written; the
// SDK reads them as floating point.
func parameters(tool []byte, path ...string) map[string]any {
	for _, key := range append(path, "parameters") {
		start, end, ok := jsonscan.Member(tool, key)
		if !ok {
			return nil
		}
		tool = tool[start:end]
	}
	d := json.NewDecoder(bytes.NewReader(tool))
	d.UseNumber()
	var out map[string]any
	if d.Decode(&out) != nil {
		return nil
	}
	writtenNumbers(out)
	return out
}

// writtenNumbers makes numbers the JSON that they were: the SDK's encoder
// writes a json.Number as a string.
func writtenNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = writtenNumbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = writtenNumbers(v[i])
		}
	case json.Number:
		return json.RawMessage(v)
	}
	return v
}

// bodyWriter writes the members of a body, until one cannot be written.
type bodyWriter struct {
	out []byte
	err error
}

func (b *bodyWriter) member(key string, value []byte) {
	separator := byte(',')
	if len(b.out) == 0 {
		separator = '{'
	}
	b.out = append(jsonscan.AppendQuoted(append(b.out, separator), key), ':')
	b.out = append(b.out, value...)
}

func (b *bodyWriter) text(key, text string) { b.member(key, jsonscan.AppendQuoted(nil, text)) }

func (b *bodyWriter) decode(f pith.Format) (pith.Conversation, error) {
	if b.err != nil {
		return pith.Conversation{}, b.err
	}
	return wire.DecodeAs(f, append(b.out, '}'))
}

// writeList writes values of the SDK as a member of the body. One that is empty
// or two things at once would not reach the API either, so it is an error.
func writeList[T any](b *bodyWriter, key, what string, values []T, omitEmpty bool) {
	if b.err != nil || omitEmpty && len(values) == 0 {
		return
	}
	list := []byte{'['}
	for i := range values {
		raw, err := json.Marshal(values[i])
		if err == nil && string(raw) == "null" {
			err = errors.New("it holds nothing")
		}
		if err != nil {
			b.err = placeError(what, i, "", err)
			return
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, raw...)
	}
	b.member(key, append(list, ']'))
}

// elements are the values of a list, none for a list that is missing.
func elements(list []byte) ([]json.RawMessage, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var out []json.RawMessage
	if json.Unmarshal(list, &out) != nil {
		return nil, inputError(errors.New("the tools are no list"))
	}
	return out, nil
}

// nameOf is what an error calls a message or item besides its number: text that
// names a kind, and nothing else that a history may hold.
func nameOf(raw []byte, key string) string {
	c, ok := jsonscan.Find(raw, key)
	if !ok {
		return ""
	}
	const longest = 64
	name := c.String()
	return name[:min(len(name), longest)]
}

const carryHint = "Send the body as it is, as Request.Body, which takes everything; or use a version of the SDK that knows it."

func inputError(err error) error {
	return &pith.Error{Op: "convert a history in the types of OpenAI's SDK", Kind: pith.KindInput, Err: err, Hint: carryHint}
}

func placeError(what string, i int, kind string, err error) error {
	if kind != "" {
		return inputError(fmt.Errorf("%s %d (%q): %w", what, i, kind, err))
	}
	return inputError(fmt.Errorf("%s %d: %w", what, i, err))
}
