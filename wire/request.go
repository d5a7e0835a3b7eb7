package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// Tool is a function that the model may call.
type Tool struct {
	Name, Description string
	// Schema is the JSON schema of its input; nil takes no input.
	Schema json.RawMessage
}

// RequestParts is what a request is made of, whichever provider it goes to.
type RequestParts struct {
	Model, System string
	Tools         []Tool
	// Messages are in the request's format, as Reply.Messages, UserMessage and
	// ToolResults give them.
	Messages []json.RawMessage
	// MaxTokens bounds the answer, thinking included. 0 leaves it to the
	// provider; Anthropic, which insists, is told 8192.
	MaxTokens pith.Tokens
	Stream    bool
	// Schema is the JSON schema that the answer has to follow, nil for none.
	// OpenAI's strict form wants every property required and no others allowed.
	Schema     json.RawMessage
	SchemaName string
	// Cache marks the end of the system prompt for Anthropic's cache. The other
	// formats need no mark.
	Cache bool
	// CacheTail has Anthropic cache the request to its last message, by a mark of
	// the request's own: no message has one, so each keeps its bytes. Not every
	// server behind that API knows it.
	CacheTail bool
	// NoReasoning says that the model does not reason. OpenAI's responses API
	// refuses to such a model what a reasoning one needs to go on: its own
	// reasoning, encrypted.
	NoReasoning bool
}

const defaultMaxTokens = 8192

// NewRequest writes a whole request body. What stays the same from turn to
// turn comes first and the list of messages last: the body of a later turn is
// that of an earlier one, up to its last brackets, and more.
// Errors: KindUsage for a format without request bodies, and for messages or
// schemas that are not JSON.
func NewRequest(f pith.Format, r RequestParts) ([]byte, error) {
	f = bodyFormat(f)
	if err := checkParts(f, &r); err != nil {
		return nil, err
	}
	messages, err := listed(r.Messages)
	if err != nil {
		return nil, err
	}
	o := objectWriter{out: []byte{'{'}}
	o.text("model", r.Model)
	switch f {
	case pith.FormatAnthropic:
		anthropicRequest(&o, &r)
	case pith.FormatOpenAIChat:
		chatRequest(&o, &r)
		if r.System != "" {
			system := TextMessage(f, pith.RoleSystem, r.System).Raw
			if len(messages) > 0 {
				system = append(system, ',')
			}
			messages = append(system, messages...)
		}
	default:
		responsesRequest(&o, &r)
	}
	o.value(listKey(f), append(append([]byte{'['}, messages...), ']'))
	return append(o.out, '}'), nil
}

func checkParts(f pith.Format, r *RequestParts) error {
	if f == "" {
		return requestError(errors.New("the format has no request body"))
	}
	if r.Schema != nil && !isObject(r.Schema) {
		return requestError(errors.New("the schema of the answer is not a JSON object"))
	}
	if r.SchemaName == "" {
		r.SchemaName = "answer"
	}
	for i := range r.Tools {
		t := &r.Tools[i]
		if t.Schema != nil && !isObject(t.Schema) {
			return requestError(fmt.Errorf("the schema of tool %q is not a JSON object", t.Name))
		}
	}
	return nil
}

func isObject(value []byte) bool {
	c := jsonscan.New(value)
	return c.Peek() == '{' && json.Valid(value)
}

// objectWriter writes the members of an object in order.
type objectWriter struct{ out []byte }

func (o *objectWriter) value(key string, value []byte) {
	if o.out[len(o.out)-1] != '{' {
		o.out = append(o.out, ',')
	}
	o.out = append(jsonscan.AppendQuoted(o.out, key), ':')
	o.out = append(o.out, value...)
}

func (o *objectWriter) text(key, text string) { o.value(key, jsonscan.AppendQuoted(nil, text)) }

func (o *objectWriter) tokens(key string, n pith.Tokens) {
	if n > 0 {
		o.value(key, strconv.AppendInt(nil, int64(n), 10))
	}
}

func anthropicRequest(o *objectWriter, r *RequestParts) {
	if r.MaxTokens <= 0 {
		r.MaxTokens = defaultMaxTokens
	}
	o.tokens("max_tokens", r.MaxTokens)
	if r.Stream {
		o.value("stream", []byte("true"))
	}
	if r.CacheTail {
		o.value("cache_control", []byte(`{"type":"ephemeral"}`))
	}
	if r.System != "" {
		if r.Cache {
			block := appendMember(textElement("text", r.System), "cache_control", []byte(`{"type":"ephemeral"}`))
			o.value("system", append(append([]byte{'['}, block...), ']'))
		} else {
			o.text("system", r.System)
		}
	}
	o.tools(r.Tools, func(t *Tool) []byte {
		w := objectWriter{out: []byte{'{'}}
		w.function(t, "input_schema")
		return append(w.out, '}')
	})
	if r.Schema != nil {
		format := append([]byte(`{"format":{"type":"json_schema","schema":`), r.Schema...)
		o.value("output_config", append(format, `}}`...))
	}
}

func chatRequest(o *objectWriter, r *RequestParts) {
	o.tokens("max_completion_tokens", r.MaxTokens)
	if r.Stream {
		o.value("stream", []byte("true"))
		o.value("stream_options", []byte(`{"include_usage":true}`))
	}
	o.tools(r.Tools, func(t *Tool) []byte {
		w := objectWriter{out: []byte(`{"type":"function","function":{`)}
		w.function(t, "parameters")
		return append(w.out, `}}`...)
	})
	if r.Schema != nil {
		w := objectWriter{out: []byte(`{"type":"json_schema","json_schema":{`)}
		w.text("name", r.SchemaName)
		w.value("strict", []byte("true"))
		w.value("schema", r.Schema)
		o.value("response_format", append(w.out, `}}`...))
	}
}

// responsesRequest stores nothing at the provider, so the reasoning has to come
// back encrypted for the next turn to send it again.
func responsesRequest(o *objectWriter, r *RequestParts) {
	o.tokens("max_output_tokens", r.MaxTokens)
	if r.Stream {
		o.value("stream", []byte("true"))
	}
	o.value("store", []byte("false"))
	if !r.NoReasoning {
		o.value("include", []byte(`["reasoning.encrypted_content"]`))
	}
	if r.System != "" {
		o.text("instructions", r.System)
	}
	o.tools(r.Tools, func(t *Tool) []byte {
		w := objectWriter{out: []byte(`{"type":"function"`)}
		w.function(t, "parameters")
		w.value("strict", []byte("false")) // it is the default here, and few schemas qualify
		return append(w.out, '}')
	})
	if r.Schema != nil {
		w := objectWriter{out: []byte(`{"format":{"type":"json_schema"`)}
		w.text("name", r.SchemaName)
		w.value("strict", []byte("true"))
		w.value("schema", r.Schema)
		o.value("text", append(w.out, `}}`...))
	}
}

func (o *objectWriter) tools(tools []Tool, write func(*Tool) []byte) {
	if len(tools) == 0 {
		return
	}
	list := []byte{'['}
	for i := range tools {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, write(&tools[i])...)
	}
	o.value("tools", append(list, ']'))
}

// function writes what all formats say of a tool.
func (o *objectWriter) function(t *Tool, schemaKey string) {
	o.text("name", t.Name)
	if t.Description != "" {
		o.text("description", t.Description)
	}
	schema := []byte(t.Schema)
	if schema == nil {
		schema = []byte(`{"type":"object","properties":{}}`)
	}
	o.value(schemaKey, schema)
}

// UserMessage is a message of the user that says text. Providers refuse a text
// without words, which becomes "(no text)".
func UserMessage(f pith.Format, text string) json.RawMessage {
	if strings.TrimSpace(text) == "" {
		text = "(no text)"
	}
	return TextMessage(f, pith.RoleUser, text).Raw
}

// ToolResult answers a call.
type ToolResult struct {
	ID, Text string
	IsError  bool
}

// ToolResults are the messages that answer the calls of one turn, in their
// order: one message for Anthropic, one for each call elsewhere. A tool that
// said nothing says "(no output)". Only Anthropic has a mark for an error; the
// others are told in words.
func ToolResults(f pith.Format, results []ToolResult) []json.RawMessage {
	f = bodyFormat(f)
	var all []json.RawMessage
	for i := range results {
		r := &results[i]
		text := r.Text
		if strings.TrimSpace(text) == "" {
			text = "(no output)"
		}
		if r.IsError && f != pith.FormatAnthropic && !startsWithError(text) {
			text = "Error: " + text
		}
		o := objectWriter{}
		switch f {
		case pith.FormatAnthropic:
			o.out = []byte(`{"type":"tool_result"`)
			o.text("tool_use_id", r.ID)
			o.text("content", text)
			if r.IsError {
				o.value("is_error", []byte("true"))
			}
		case pith.FormatOpenAIResponses:
			o.out = []byte(`{"type":"function_call_output"`)
			o.text("call_id", r.ID)
			o.text("output", text)
		default:
			o.out = []byte(`{"role":"tool"`)
			o.text("tool_call_id", r.ID)
			o.text("content", text)
		}
		all = append(all, append(o.out, '}'))
	}
	if f != pith.FormatAnthropic || len(all) == 0 {
		return all
	}
	message := []byte(`{"role":"user","content":[`)
	for i, block := range all {
		if i > 0 {
			message = append(message, ',')
		}
		message = append(message, block...)
	}
	return []json.RawMessage{append(message, `]}`...)}
}

func startsWithError(text string) bool {
	return len(text) >= 5 && strings.EqualFold(text[:5], "error")
}
