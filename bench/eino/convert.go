package main

import (
	"encoding/json"
	"strings"

	"github.com/cloudwego/eino/schema"
)

// toEino turns exchanged messages into eino's.
func toEino(in []message) []*schema.Message {
	out := make([]*schema.Message, 0, len(in))
	for i := range in {
		m := &in[i]
		switch m.Role {
		case "system":
			out = append(out, schema.SystemMessage(m.Text))
		case "tool":
			out = append(out, schema.ToolMessage(m.Text, m.CallID, schema.WithToolName(m.Name)))
		case "assistant":
			var calls []schema.ToolCall
			for _, c := range m.Calls {
				calls = append(calls, schema.ToolCall{ID: c.ID, Type: "function", Function: schema.FunctionCall{Name: c.Name, Arguments: string(c.Arguments)}})
			}
			out = append(out, schema.AssistantMessage(m.Text, calls))
		default:
			out = append(out, schema.UserMessage(m.Text))
		}
	}
	return out
}

// fromEino turns eino's messages back. A user's message that eino makes itself
// holds its text in parts.
func fromEino(in []*schema.Message) []message {
	out := make([]message, 0, len(in))
	for _, m := range in {
		x := message{Role: string(m.Role), Text: m.Content, CallID: m.ToolCallID, Name: m.ToolName}
		var parts []string
		for _, p := range m.UserInputMultiContent {
			parts = append(parts, p.Text)
		}
		if len(parts) > 0 {
			x.Text = strings.Join(parts, "\n")
		}
		for _, c := range m.ToolCalls {
			x.Calls = append(x.Calls, call{ID: c.ID, Name: c.Function.Name, Arguments: arguments(c.Function.Arguments)})
		}
		out = append(out, x)
	}
	return out
}

// arguments keeps what is JSON as it is and quotes what is not.
func arguments(s string) json.RawMessage {
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return quoted
}
