package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

var bodyFormats = []pith.Format{pith.FormatAnthropic, pith.FormatOpenAIChat, pith.FormatOpenAIResponses}

var parts = RequestParts{
	Model: "m", System: "Be brief.", MaxTokens: 1000, Stream: true, Cache: true,
	Tools:  []Tool{{"read", "Reads a file.", []byte(`{"type":"object","properties":{"n":{"type":"number"}}}`)}, {Name: "now"}},
	Schema: []byte(`{"type":"object"}`),
}

func TestNewRequest(t *testing.T) {
	for f, want := range map[pith.Format]string{
		pith.FormatAnthropic: `{"model":"m","max_tokens":1000,"stream":true,"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],` +
			`"tools":[{"name":"read","description":"Reads a file.","input_schema":{"type":"object","properties":{"n":{"type":"number"}}}},{"name":"now","input_schema":{"type":"object","properties":{}}}],` +
			`"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}},` +
			`"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`,
		pith.FormatOpenAIChat: `{"model":"m","max_completion_tokens":1000,"stream":true,"stream_options":{"include_usage":true},` +
			`"tools":[{"type":"function","function":{"name":"read","description":"Reads a file.","parameters":{"type":"object","properties":{"n":{"type":"number"}}}}},{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}}],` +
			`"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":{"type":"object"}}},` +
			`"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"hi"}]}`,
		pith.FormatOpenAIResponses: `{"model":"m","max_output_tokens":1000,"stream":true,"store":false,"include":["reasoning.encrypted_content"],"instructions":"Be brief.",` +
			`"tools":[{"type":"function","name":"read","description":"Reads a file.","parameters":{"type":"object","properties":{"n":{"type":"number"}}},"strict":false},{"type":"function","name":"now","parameters":{"type":"object","properties":{}},"strict":false}],` +
			`"text":{"format":{"type":"json_schema","name":"answer","strict":true,"schema":{"type":"object"}}},` +
			`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]}`,
	} {
		r := parts
		r.Messages = []json.RawMessage{UserMessage(f, "hi")}
		got, err := NewRequest(f, r)
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\n got %s\nwant %s", f, err, got, want)
		}
	}
}

// A model that does not reason is asked for no reasoning.
func TestNoReasoning(t *testing.T) {
	r := parts
	r.NoReasoning = true
	got, err := NewRequest(pith.FormatOpenAIResponses, r)
	if err != nil || strings.Contains(string(got), "include") || !strings.Contains(string(got), `"store":false`) {
		t.Errorf("%v: %s", err, got)
	}
}

// TestTurns holds a conversation of three turns: every request is the one
// before, up to its last brackets, and more, and reads back as what was said.
func TestTurns(t *testing.T) {
	for _, tt := range answers {
		reply, err := assemble(t, tt.format, eventsOf(tt.stream))
		if err != nil {
			t.Fatal(err)
		}
		r := parts
		r.Messages = []json.RawMessage{UserMessage(tt.format, "hi")}
		before, err := NewRequest(tt.format, r)
		if err != nil {
			t.Fatal(err)
		}
		results := make([]ToolResult, len(reply.ToolCalls))
		for i, call := range reply.ToolCalls {
			results[i] = ToolResult{call.ID, strings.Repeat("x", i), i == 0}
		}
		added := append(reply.Messages, ToolResults(tt.format, results)...)
		for turn := range 3 {
			r.Messages = append(r.Messages, added...)
			body, err := NewRequest(tt.format, r)
			if err != nil {
				t.Fatal(err)
			}
			appended, err := Append(tt.format, before, added...)
			if err != nil || !bytes.Equal(appended, body) {
				t.Fatalf("%s, turn %d: %v\nappended %s\n     new %s", tt.format, turn, err, appended, body)
			}
			if !bytes.HasPrefix(body, before[:len(before)-2]) {
				t.Fatalf("%s, turn %d: the prefix changed", tt.format, turn)
			}
			conv, err := Decode(body)
			if err != nil || conv.Format != tt.format || conv.Model != "m" || conv.MaxTokens != 1000 {
				t.Fatalf("%s, turn %d: %v, %s %s", tt.format, turn, err, conv.Format, conv.Model)
			}
			checkTurn(t, conv, r.Messages, reply)
			before = body
		}
	}
}

func checkTurn(t *testing.T, conv pith.Conversation, messages []json.RawMessage, reply Reply) {
	t.Helper()
	system := conv.System
	if conv.Format == pith.FormatOpenAIChat {
		system, conv.Messages = conv.Messages[0].Blocks, conv.Messages[1:]
	}
	if len(system) != 1 || system[0].Text != "Be brief." || len(conv.Messages) != len(messages) {
		t.Fatalf("%s: system %+v, %d messages of %d", conv.Format, system, len(conv.Messages), len(messages))
	}
	open := map[string]int{}
	for i := range conv.Messages {
		if !bytes.Equal(conv.Messages[i].Raw, messages[i]) {
			t.Fatalf("%s: message %d is %s", conv.Format, i, conv.Messages[i].Raw)
		}
		for _, b := range conv.Messages[i].Blocks {
			switch b.Kind {
			case pith.KindToolUse:
				open[b.ToolUseID]++
			case pith.KindToolResult:
				open[b.ToolUseID]--
			}
		}
	}
	for _, call := range reply.ToolCalls {
		if n, ok := open[call.ID]; n != 0 || !ok {
			t.Errorf("%s: call %s is unanswered", conv.Format, call.ID)
		}
	}
}

func TestToolResults(t *testing.T) {
	results := []ToolResult{{"a", "it's \xff", false}, {"b", " \n", false}, {"c", "no such file", true}, {"d", "Error: x", true}}
	for f, want := range map[pith.Format][]string{
		pith.FormatAnthropic: {`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"it's ` + "\ufffd" + `"},` +
			`{"type":"tool_result","tool_use_id":"b","content":"(no output)"},{"type":"tool_result","tool_use_id":"c","content":"no such file","is_error":true},` +
			`{"type":"tool_result","tool_use_id":"d","content":"Error: x","is_error":true}]}`},
		pith.FormatOpenAIChat: {
			`{"role":"tool","tool_call_id":"a","content":"it's ` + "\ufffd" + `"}`, `{"role":"tool","tool_call_id":"b","content":"(no output)"}`,
			`{"role":"tool","tool_call_id":"c","content":"Error: no such file"}`, `{"role":"tool","tool_call_id":"d","content":"Error: x"}`,
		},
		pith.FormatOpenAIResponses: {
			`{"type":"function_call_output","call_id":"a","output":"it's ` + "\ufffd" + `"}`, `{"type":"function_call_output","call_id":"b","output":"(no output)"}`,
			`{"type":"function_call_output","call_id":"c","output":"Error: no such file"}`, `{"type":"function_call_output","call_id":"d","output":"Error: x"}`,
		},
	} {
		got := ToolResults(f, results)
		if len(got) != len(want) {
			t.Fatalf("%s: %d messages", f, len(got))
		}
		for i := range want {
			if string(got[i]) != want[i] {
				t.Errorf("%s:\n got %s\nwant %s", f, got[i], want[i])
			}
		}
		if ToolResults(f, nil) != nil {
			t.Errorf("%s: no results make a message", f)
		}
		if m := ReadMessage(f, UserMessage(f, "\t")); m.Blocks[0].Text != "(no text)" {
			t.Errorf("%s: %+v", f, m)
		}
	}
}

func TestAppend(t *testing.T) {
	for _, tt := range []struct {
		name, body, want string
		format           pith.Format
	}{
		{"last", `{"model":"m","messages":[{"a":1}]}`, `{"model":"m","messages":[{"a":1},{"b":2},{"c":3}]}`, pith.FormatAnthropic},
		{"first", `{"messages": [ ] , "x":"é"}`, `{"messages": [{"b":2},{"c":3} ] , "x":"é"}`, pith.FormatOpenAIChat},
		{"between", "{\n \"messages\": [\n  {\"a\":1},\n  {\"a\":2}\n ],\n \"n\": 1.0\n}\n", "{\n \"messages\": [\n  {\"a\":1},\n  {\"a\":2},{\"b\":2},{\"c\":3}\n ],\n \"n\": 1.0\n}\n", pith.FormatClaudeCode},
		{"string", `{"input":"hi","n":1}`, `{"input":[{"role":"user","content":"hi"},{"b":2},{"c":3}],"n":1}`, pith.FormatOpenAIResponses},
		{"bare", `[{"a":1}]`, `[{"a":1},{"b":2},{"c":3}]`, pith.FormatOpenAIResponses},
	} {
		got, err := Append(tt.format, []byte(tt.body), []byte(`{"b":2}`), []byte(`{"c":3}`))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n got %s\nwant %s", tt.name, err, got, tt.want)
		}
		if same, err := Append(tt.format, []byte(tt.body)); err != nil || string(same) != tt.body {
			t.Errorf("%s: nothing appended: %v %s", tt.name, err, same)
		}
	}
	for _, tt := range []struct {
		body, message string
		kind          pith.Kind
	}{{`{"model":"m"}`, `{}`, pith.KindInput}, {`{"messages":null}`, `{}`, pith.KindInput}, {`{"messages":[]}`, `{`, pith.KindUsage}, {``, `{}`, pith.KindInput}} {
		if _, err := Append(pith.FormatAnthropic, []byte(tt.body), []byte(tt.message)); pith.KindOf(err) != tt.kind || err == nil {
			t.Errorf("%s: %v", tt.body, err)
		}
	}
}

func TestNewRequestErrors(t *testing.T) {
	for name, r := range map[string]RequestParts{
		"message": {Messages: []json.RawMessage{[]byte(`{"role":`)}},
		"schema":  {Schema: []byte(`[]`)},
		"tool":    {Tools: []Tool{{Name: "x", Schema: []byte(`{`)}}},
	} {
		for _, f := range bodyFormats {
			if _, err := NewRequest(f, r); pith.KindOf(err) != pith.KindUsage {
				t.Errorf("%s, %s: %v", f, name, err)
			}
		}
	}
	if _, err := NewRequest("pi", RequestParts{}); pith.KindOf(err) != pith.KindUsage {
		t.Errorf("a format without bodies: %v", err)
	}
	body, err := NewRequest(pith.FormatAnthropic, RequestParts{Model: "m"})
	if err != nil || string(body) != `{"model":"m","max_tokens":8192,"messages":[]}` {
		t.Errorf("%v %s", err, body)
	}
}
