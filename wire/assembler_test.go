package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pith-memory/pith"
)

// TestOddStreams: what servers send that is not as the providers' pages say.
func TestOddStreams(t *testing.T) {
	for _, tt := range []struct {
		name, stream string
		format       pith.Format
		message      string
		text         string
	}{
		{"calls without index", `
{"choices":[{"delta":{"tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{\"n\":"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"1}"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"id":"b","type":"function","function":{"name":"x","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
			pith.FormatOpenAIChat, `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{\"n\":1}"}},{"id":"b","type":"function","function":{"name":"x","arguments":"{}"}}]}`, ""},
		{"whole calls under one index, content empty", `
{"choices":[{"delta":{"role":"assistant","content":"","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"x","arguments":"{}"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","type":"function","function":{"name":"y","arguments":"{}"}}]},"finish_reason":"stop"}]}`,
			pith.FormatOpenAIChat, `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"y","arguments":"{}"}}]}`, ""},
		{"calls in one chunk without id, type or text of arguments", `
{"id":"chatcmpl-7","choices":[{"delta":{"tool_calls":[{"function":{"name":"x","arguments":{"n":1.0}}},{"function":{"name":"x","arguments":{"n":2}}},{"function":{"name":"z"}}]},"finish_reason":"tool_calls"}]}`,
			pith.FormatOpenAIChat, `{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"x","arguments":"{\"n\":1.0}"},"id":"call_chatcmpl-7_0","type":"function"},{"function":{"name":"x","arguments":"{\"n\":2}"},"id":"call_chatcmpl-7_1","type":"function"},{"function":{"name":"z","arguments":"{}"},"id":"call_chatcmpl-7_2","type":"function"}]}`, ""},
		{"calls whose id and name are repeated", `
{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"x","arguments":"{\"s\":"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"x","arguments":"\"\"}"}}]},"finish_reason":"tool_calls"}]}`,
			pith.FormatOpenAIChat, `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{\"s\":\"\"}"}}]}`, ""},
		{"another id in every delta", `
{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"x","arguments":"{\"s\":"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":null,"arguments":"1}"}}]},"finish_reason":"tool_calls"}]}`,
			pith.FormatOpenAIChat, `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{\"s\":1}"}}]}`, ""},
		{"parts, then words", `
{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}}]}
{"choices":[{"delta":{"content":[{"type":"text","text":"a"}]}}]}
{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}`,
			pith.FormatOpenAIChat, `{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, "ab"},
		{"refusal", `
{"choices":[{"delta":{"role":"assistant","refusal":"I "}}]}
{"choices":[{"delta":{"refusal":"won't"},"finish_reason":"stop"}]}`,
			pith.FormatOpenAIChat, `{"role":"assistant","refusal":"I won't","content":""}`, ""},
		{"one chunk with a whole message", `{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`,
			pith.FormatOpenAIChat, `{"role":"assistant","content":"hi"}`, "hi"},
		{"nothing said", `{"choices":[{"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}`, pith.FormatOpenAIChat, "", ""},
		{"half a character at the end", `{"choices":[{"delta":{"content":"a\ud83d"},"finish_reason":"length"}]}
[DONE]`, pith.FormatOpenAIChat, `{"role":"assistant","content":"a` + "\ufffd" + `"}`, "a\ufffd"},
		{"blocks out of order and not announced", `
{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"second"}}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"first"}}
{"type":"message_stop"}`, pith.FormatAnthropic, `{"role":"assistant","content":[{"type":"thinking","thinking":"first"},{"type":"text","text":"second"}]}`, "second"},
		{"a call cut off, and thinking", `
{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}}
{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\": [1"}}
{"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":"","signature":""}}
{"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"cut o"}}
{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":5}}
{"type":"message_stop"}`, pith.FormatAnthropic, `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"INVALID_JSON":"{\"a\": [1"}}]}`, ""},
		{"responses without items", `
{"type":"response.output_text.delta","delta":"hi \u00e9"}
[DONE]
{"type":"response.completed","response":{"status":"completed","output":[]}}`, pith.FormatOpenAIResponses,
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi \u00e9"}]}`, "hi é"},
	} {
		r, err := assemble(t, tt.format, eventsOf(tt.stream))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got := ""
		for _, m := range r.Messages {
			got += string(m)
		}
		if got != tt.message || r.Text != tt.text {
			t.Errorf("%s: text %q\n got %s\nwant %s", tt.name, r.Text, got, tt.message)
		}
	}
}

func TestCutCallIsNoObject(t *testing.T) {
	for f, stream := range map[pith.Format]string{
		pith.FormatAnthropic: `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}}
{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\": [1"}}
{"type":"message_stop"}`,
		pith.FormatOpenAIChat: `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"t","function":{"name":"n","arguments":"{\"a\": [1"}}]},"finish_reason":"length"}]}`,
	} {
		r, err := assemble(t, f, eventsOf(stream))
		if err != nil || len(r.ToolCalls) != 1 || string(r.ToolCalls[0].Input) != `"{\"a\": [1"` {
			t.Errorf("%s: %v %+v", f, err, r.ToolCalls)
		}
	}
}

func TestReplyErrors(t *testing.T) {
	for _, tt := range []struct {
		name, data string
		format     pith.Format
		want       ReplyError
	}{
		{"error", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, pith.FormatAnthropic, ReplyError{"overloaded_error", "Overloaded", 529}},
		{"error", `{"type":"error","error":{"type":"rate_limit_error","message":"slow"},"request_id":"r"}`, pith.FormatAnthropic, ReplyError{"rate_limit_error", "slow", 429}},
		{"", `{"type":"error","error":{"type":"api_error","message":"x"}}`, pith.FormatAnthropic, ReplyError{"api_error", "x", 500}},
		{"error", `out of memory`, pith.FormatAnthropic, ReplyError{"error", "out of memory", 0}},
		{"", `{"error":{"message":"pay up","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, pith.FormatOpenAIChat, ReplyError{"insufficient_quota", "pay up", 429}},
		{"", `{"error":{"message":"bad gateway","code":502},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`, pith.FormatOpenAIChat, ReplyError{"", "bad gateway", 502}},
		{"", `{"error":"model not loaded"}`, pith.FormatOpenAIChat, ReplyError{"", "model not loaded", 0}},
		{"", `{"object":"error","message":"too long","type":"invalid_request_error","code":400}`, pith.FormatOpenAIChat, ReplyError{"invalid_request_error", "too long", 400}},
		{"error", `{"type":"error","code":"rate_limit_exceeded","message":"tpm","param":null,"sequence_number":3}`, pith.FormatOpenAIResponses, ReplyError{"rate_limit_exceeded", "tpm", 429}},
		{"response.failed", `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"sorry"}}}`, pith.FormatOpenAIResponses, ReplyError{"server_error", "sorry", 500}},
		{"response.failed", `{"type":"response.failed","response":{"status":"failed","error":null}}`, pith.FormatOpenAIResponses, ReplyError{"failed", "", 0}},
		{"", `{"error":{"type":"a word\nthat is a text","message":"m"}}`, pith.FormatOpenAIChat, ReplyError{"", "m", 0}},
	} {
		_, err := assemble(t, tt.format, []event{{tt.name, tt.data}})
		var got *ReplyError
		if !errors.As(err, &got) || *got != tt.want {
			t.Errorf("%s: %#v, %v", tt.data, got, err)
			continue
		}
		if tt.want.Message != "" && strings.Contains(got.Error(), tt.want.Message) || strings.ContainsAny(got.Error(), "\n") {
			t.Errorf("%s: its text tells what the provider said: %s", tt.data, got)
		}
		if tt.name != "" && strings.HasPrefix(tt.name, "response.") || !json.Valid([]byte(tt.data)) {
			continue
		}
		if _, err := ReadReply(tt.format, []byte(tt.data)); !errors.As(err, &got) || *got != tt.want {
			t.Errorf("as a body, %s: %v", tt.data, err)
		}
	}
}

func TestStops(t *testing.T) {
	for _, tt := range []struct {
		body          string
		format        pith.Format
		stop, refusal string
		messages      int
	}{
		{`{"type":"message","content":[],"stop_reason":"end_turn"}`, pith.FormatAnthropic, "end_turn", "", 0},
		{`{"type":"message","content":[{"type":"text","text":" \n"}],"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"I can't."}}`, pith.FormatAnthropic, "refusal", "I can't.", 0},
		{`{"type":"message","content":[{"type":"text","text":"x"}],"stop_reason":"refusal","stop_details":null}`, pith.FormatAnthropic, "refusal", "refusal", 1},
		{`{"choices":[{"message":{"role":"assistant","content":null,"refusal":"no"},"finish_reason":"stop"}]}`, pith.FormatOpenAIChat, "stop", "no", 1},
		{`{"choices":[{"message":{"role":"assistant","content":"x"},"finish_reason":"content_filter"}]}`, pith.FormatOpenAIChat, "content_filter", "", 1},
		{`{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"error":null,"output":[]}`, pith.FormatOpenAIResponses, "max_output_tokens", "", 0},
		{`{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}]}`, pith.FormatOpenAIResponses, "completed", "no", 1},
	} {
		r, err := ReadReply(tt.format, []byte(tt.body))
		if err != nil || r.Stop != tt.stop || r.Refusal != tt.refusal || len(r.Messages) != tt.messages || r.Usage != nil || r.Context != 0 {
			t.Errorf("%s: %v, %+v", tt.body, err, r)
		}
	}
	for _, tt := range []struct {
		body   string
		format pith.Format
	}{{`{}`, pith.FormatAnthropic}, {`{"choices":[]}`, pith.FormatOpenAIChat}, {`{"id":"x"}`, pith.FormatOpenAIResponses}, {`<html>`, pith.FormatOpenAIChat}, {`{}`, "pi"}} {
		if r, err := ReadReply(tt.format, []byte(tt.body)); err == nil {
			t.Errorf("%s: %+v", tt.body, r)
		}
	}
}

// TestAssemblerIsBounded: an answer without end is not kept without end.
func TestAssemblerIsBounded(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for f, data := range map[pith.Format]string{
		pith.FormatAnthropic:       `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + long + `"}}`,
		pith.FormatOpenAIChat:      `{"choices":[{"delta":{"content":"` + long + `"}}]}`,
		pith.FormatOpenAIResponses: `{"type":"response.output_item.done","item":{"x":"` + long + `"}}`,
	} {
		a := NewAssembler(f)
		n := 0
		for ; n < 100 && a.Event("", []byte(data)) == nil; n++ {
		}
		if _, err := a.Reply(); n > 64 || !errors.Is(err, errTooLong) {
			t.Errorf("%s: %d MiB, %v", f, n, err)
		}
	}
	a := NewAssembler(pith.FormatAnthropic)
	n := 0
	for ; n < 1<<20 && a.Event("", fmt.Appendf(nil, `{"type":"content_block_start","index":%d,"content_block":{}}`, 1<<20-n)) == nil; n++ {
	}
	if n != maxReplyBlocks {
		t.Errorf("%d blocks", n)
	}
}

// FuzzAssembler: whatever comes, nothing panics, and what is taken for an
// answer can be sent again and reads back.
func FuzzAssembler(f *testing.F) {
	for i, tt := range answers {
		f.Add(uint8(i), tt.stream)
	}
	f.Add(uint8(1), `{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{}}}],"content":["x"]},"finish_reason":"s"}]}`)
	f.Add(uint8(1), `{"choices":[{"delta":{"a":{"b":{"c":1}}}},{"delta":{"a":{"b":{"c":"x"}}}}]}`+"\n[DONE]")
	f.Fuzz(func(t *testing.T, format uint8, stream string) {
		wireFormat := bodyFormats[int(format)%len(bodyFormats)]
		r, err := assemble(t, wireFormat, eventsOf(stream))
		if err != nil {
			return
		}
		body, err := NewRequest(wireFormat, RequestParts{Model: "m", Messages: r.Messages})
		if err != nil || !utf8.Valid(body) || !json.Valid(body) {
			t.Fatalf("%v: %s", err, body)
		}
		conv, err := DecodeAs(wireFormat, body)
		if err != nil || len(conv.Messages) != len(r.Messages) {
			t.Fatalf("%v: %d of %d messages, %s", err, len(conv.Messages), len(r.Messages), body)
		}
		for _, call := range r.ToolCalls {
			if !json.Valid(call.Input) {
				t.Fatalf("input %s", call.Input)
			}
		}
	})
}

func FuzzReadReply(f *testing.F) {
	for i, tt := range answers {
		f.Add(uint8(i), tt.whole)
	}
	f.Fuzz(func(t *testing.T, format uint8, body string) {
		wireFormat := bodyFormats[int(format)%len(bodyFormats)]
		r, err := ReadReply(wireFormat, []byte(body))
		if err != nil {
			return
		}
		again, err := ReadReply(wireFormat, []byte(body))
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Fatalf("%v: %+v and %+v", err, r, again)
		}
		if _, err := NewRequest(wireFormat, RequestParts{Messages: r.Messages}); err != nil {
			t.Fatal(err)
		}
	})
}
