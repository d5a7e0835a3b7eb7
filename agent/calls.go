package agent

import (
	"bytes"
	"encoding/json"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
)

// call is a call of the last reply, and what became of it.
type call struct {
	Call
	// invalid says why it cannot be run, "" where it can.
	invalid string
	// started is set once it may have had an effect; answered with its result.
	started, answered bool
	// text is what it gave back, sent what the model gets of it.
	text, sent string
	isError    bool
}

// What a call that cannot be run is answered with.
const (
	saysCut     = "The answer was cut off at its token limit inside this call, so it was not run. Make the call again, with less in it."
	saysInvalid = "The arguments are not a JSON object, so the call was not run."
)

// readCalls finds the calls of a reply that are to be answered, in order. Where
// the answer was cut at its limit, what it ends with may be half a call.
func readCalls(f pith.Format, e *Entry) []call {
	var calls []call
	last := false
	for _, raw := range e.Messages {
		for _, c := range callsIn(f, raw) {
			last = c != nil
			if last {
				calls = append(calls, *c)
			}
		}
	}
	for i := range calls {
		c := &calls[i]
		input := bytes.TrimSpace(c.Input)
		switch {
		case e.Stop == compactor.StopMaxTokens && last && i == len(calls)-1:
			c.invalid = saysCut
		case len(input) == 0 || input[0] != '{' || !json.Valid(input):
			c.invalid = saysInvalid
		}
	}
	return calls
}

// message is what calls stand in, in all three formats.
type message struct {
	// Anthropic
	Content json.RawMessage `json:"content"`
	// chat
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
		Custom *struct {
			Name  string `json:"name"`
			Input string `json:"input"`
		} `json:"custom"`
	} `json:"tool_calls"`
	// responses
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Input     string `json:"input"`
}

type block struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// callsIn are the parts of one message: a call, or nil for anything else.
func callsIn(f pith.Format, raw json.RawMessage) []*call {
	var m message
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	made := func(id, name string, input []byte) *call {
		return &call{Call: Call{ID: id, Name: name, Input: input}}
	}
	switch f {
	case pith.FormatAnthropic:
		return blocksIn(m.Content, made)
	case pith.FormatOpenAIResponses:
		switch m.Type {
		case "function_call":
			return []*call{made(m.CallID, m.Name, arguments(m.Arguments))}
		case "custom_tool_call":
			return []*call{made(m.CallID, m.Name, []byte(m.Input))}
		}
		return []*call{nil}
	}
	parts := []*call{nil}
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		if c.Custom != nil {
			parts = append(parts, made(c.ID, c.Custom.Name, []byte(c.Custom.Input)))
			continue
		}
		parts = append(parts, made(c.ID, c.Function.Name, arguments(c.Function.Arguments)))
	}
	return parts
}

func blocksIn(content json.RawMessage, made func(id, name string, input []byte) *call) []*call {
	var blocks []block
	if json.Unmarshal(content, &blocks) != nil {
		return nil // a content that is one string
	}
	parts := make([]*call, len(blocks))
	for i, b := range blocks {
		if b.Type != "tool_use" {
			continue
		}
		parts[i] = made(b.ID, b.Name, b.Input)
		var wrapped map[string]json.RawMessage
		if json.Unmarshal(b.Input, &wrapped) == nil && len(wrapped) == 1 && wrapped["INVALID_JSON"] != nil {
			parts[i].Input = wrapped["INVALID_JSON"] // what was no object, as package wire keeps it
		}
	}
	return parts
}

// arguments of a call without any are an empty object.
func arguments(text string) []byte {
	if len(bytes.TrimSpace([]byte(text))) == 0 {
		return []byte("{}")
	}
	return []byte(text)
}
