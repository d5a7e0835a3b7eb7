package main

import (
	"encoding/json"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/trial"
)

// message is a message as it is exchanged with every peer, in the shape that
// most libraries share: a call's result is a message of its own.
type message struct {
	Role   string `json:"role"` // system, user, assistant or tool
	Text   string `json:"text,omitempty"`
	Calls  []call `json:"calls,omitempty"`
	CallID string `json:"call_id,omitempty"`
	Name   string `json:"name,omitempty"`
}

type call struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// exchanged turns messages into those that peers read. Thinking stays behind:
// no peer sends it to a model again. An image is named, not sent. What a model
// said in one turn is one message, as every library keeps it: some clients write
// a row for each call.
func exchanged(messages []pith.Message) []message {
	out := []message{}
	names := map[string]string{}
	for i := range messages {
		out = appendExchanged(out, &messages[i], names)
	}
	return out
}

func appendExchanged(out []message, m *pith.Message, names map[string]string) []message {
	own := message{Role: string(m.Role)}
	var texts []string
	for k := range m.Blocks {
		b := &m.Blocks[k]
		switch b.Kind {
		case pith.KindText:
			texts = append(texts, b.Text)
		case pith.KindImage:
			texts = append(texts, "[image "+b.MediaType+"]")
		case pith.KindToolUse:
			names[b.ToolUseID] = b.ToolName
			own.Calls = append(own.Calls, call{ID: b.ToolUseID, Name: b.ToolName, Arguments: arguments(b.Args)})
		case pith.KindToolResult:
			out = append(out, message{Role: "tool", Text: b.Text, CallID: b.ToolUseID, Name: names[b.ToolUseID]})
		}
	}
	own.Text = strings.Join(texts, "\n")
	if own.Text == "" && len(own.Calls) == 0 {
		return out
	}
	if last := len(out) - 1; last >= 0 && own.Role == "assistant" && out[last].Role == own.Role {
		if out[last].Text != "" && own.Text != "" {
			own.Text = "\n" + own.Text
		}
		out[last].Text += own.Text
		out[last].Calls = append(out[last].Calls, own.Calls...)
		return out
	}
	return append(out, own)
}

// arguments writes the fields of a call's input as the object that they were.
func arguments(args []pith.Arg) json.RawMessage {
	var b strings.Builder
	b.WriteByte('{')
	for i, a := range args {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(a.Key) + ":")
		if !a.IsString && json.Valid([]byte(a.Value)) {
			b.WriteString(a.Value)
		} else {
			b.WriteString(quoted(a.Value))
		}
	}
	b.WriteByte('}')
	return json.RawMessage(b.String())
}

func quoted(s string) string {
	out, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(out)
}

// sent is the text of messages as a model would read it: what is said, each
// call with its input, each result.
func sent(messages []message) string {
	var b strings.Builder
	for i := range messages {
		m := &messages[i]
		if m.Text != "" {
			b.WriteString(m.Text + "\n")
		}
		for _, c := range m.Calls {
			b.WriteString(pith.ToolUseText(c.Name, fields(c.Arguments)) + "\n")
		}
	}
	return b.String()
}

// fields reads a call's input back, in its order.
func fields(raw json.RawMessage) []pith.Arg {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return []pith.Arg{{Key: "input", Value: string(raw)}}
	}
	var out []pith.Arg
	for d.More() {
		key, err := d.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
		a := pith.Arg{Value: string(value)}
		a.Key, _ = key.(string)
		a.IsString = json.Unmarshal(value, &a.Value) == nil
		out = append(out, a)
	}
	return out
}

// parted are the ids of calls without a result and of results without a call:
// an API refuses a request that has one. Those that were parted before (a call
// that was still open at the cut) are no fault of who made the messages.
func parted(messages []message, before map[string]bool) map[string]bool {
	out, waiting := map[string]bool{}, map[string]bool{}
	for i := range messages {
		m := &messages[i]
		for _, c := range m.Calls {
			waiting[c.ID] = true
		}
		if m.Role != "tool" {
			continue
		}
		if !waiting[m.CallID] && !before[m.CallID] {
			out[m.CallID] = true
		}
		delete(waiting, m.CallID)
	}
	for id := range waiting {
		if !before[id] {
			out[id] = true
		}
	}
	return out
}

// exchangedLive are the messages of the context that the client held at a cut.
func exchangedLive(at *trial.At) []message {
	out := []message{}
	names := map[string]string{}
	for _, m := range at.Live {
		out = appendExchanged(out, m, names)
	}
	return out
}
