package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// event is one server-sent event.
type event struct{ name, data string }

// eventsOf reads "name data" lines, or data alone.
func eventsOf(stream string) []event {
	var events []event
	for _, line := range strings.Split(strings.TrimSpace(stream), "\n") {
		name, data, ok := strings.Cut(line, " ")
		if strings.HasPrefix(line, "{") || !ok {
			name, data = "", line
		}
		events = append(events, event{name, data})
	}
	return events
}

// assemble also checks that the text that came in pieces is the answer's.
func assemble(t testing.TB, f pith.Format, events []event) (Reply, error) {
	t.Helper()
	a := NewAssembler(f)
	text := ""
	for _, e := range events {
		if err := a.Event(e.name, []byte(e.data)); err != nil {
			_, again := a.Reply()
			if again != err { //nolint:errorlint // the very same
				t.Fatalf("Reply says %v after %v", again, err)
			}
			return Reply{}, err
		}
		text += a.Text()
	}
	r, err := a.Reply()
	if err == nil && text != r.Text {
		t.Fatalf("text in pieces %q, whole %q", text, r.Text)
	}
	return r, err
}

const anthropicStreamed = `
message_start {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[],"stop_reason":null,"usage":{"input_tokens":100,"cache_creation_input_tokens":7,"cache_read_input_tokens":55096,"output_tokens":7}}}
content_block_start {"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":null}}
ping {"type": "ping"}
content_block_delta {"type":"content_block_delta","index":0,"delta":{"type":"compaction_delta","content":"The task.","encrypted_content":"EN=="}}
content_block_stop {"type":"content_block_stop","index":0}
content_block_start {"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":"","signature":""}}
content_block_delta {"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"I \u00fcber"}}
content_block_delta {"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"lege"}}
content_block_delta {"type":"content_block_delta","index":1,"delta":{"type":"signature_delta","signature":"Sig+/=="}}
content_block_stop {"type":"content_block_stop","index":1}
content_block_start {"type":"content_block_start","index":2,"content_block":{"type":"redacted_thinking","data":"RED=="}}
content_block_stop {"type":"content_block_stop","index":2}
content_block_start {"type":"content_block_start","index":3,"content_block":{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{},"caller":{"type":"direct"}}}
content_block_delta {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"query\": "}}
content_block_delta {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"\"pith\"}"}}
content_block_stop {"type":"content_block_stop","index":3}
content_block_start {"type":"content_block_start","index":4,"content_block":{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"type":"web_search_result","url":"https://a.test","title":"A","encrypted_content":"W=="}]}}
content_block_stop {"type":"content_block_stop","index":4}
content_block_start {"type":"content_block_start","index":5,"content_block":{"type":"text","text":"","citations":[]}}
content_block_delta {"type":"content_block_delta","index":5,"delta":{"type":"text_delta","text":"It \ud83d"}}
content_block_delta {"type":"content_block_delta","index":5,"delta":{"type":"text_delta","text":"\ude00 is."}}
content_block_delta {"type":"content_block_delta","index":5,"delta":{"type":"citations_delta","citation":{"type":"web_search_result_location","url":"https://a.test","n":1.0}}}
content_block_delta {"type":"content_block_delta","index":5,"delta":{"type":"citations_delta","citation":{"type":"char_location"}}}
content_block_stop {"type":"content_block_stop","index":5}
content_block_start {"type":"content_block_start","index":6,"content_block":{"type":"text","text":""}}
content_block_stop {"type":"content_block_stop","index":6}
content_block_start {"type":"content_block_start","index":7,"content_block":{"type":"hologram","depth":3,"meta":{"a":"x"},"parts":["p"]}}
content_block_delta {"type":"content_block_delta","index":7,"delta":{"type":"hologram_delta","light":"ab","meta":{"a":"y","b":2},"parts":["q"]}}
content_block_delta {"type":"content_block_delta","index":7,"delta":{"type":"hologram_delta","light":"cd","depth":4}}
content_block_stop {"type":"content_block_stop","index":7}
content_block_start {"type":"content_block_start","index":8,"content_block":{"type":"tool_use","id":"toolu_1","name":"Edit","input":{}}}
content_block_delta {"type":"content_block_delta","index":8,"delta":{"type":"input_json_delta","partial_json":""}}
content_block_delta {"type":"content_block_delta","index":8,"delta":{"type":"input_json_delta","partial_json":"{\"n\": 1.50, \"big\": 12345678901234567890,"}}
content_block_delta {"type":"content_block_delta","index":8,"delta":{"type":"input_json_delta","partial_json":" \"s\":\"\\u00e9\"}"}}
content_block_stop {"type":"content_block_stop","index":8}
content_block_start {"type":"content_block_start","index":9,"content_block":{"type":"tool_use","id":"toolu_2","name":"Now","input":{}}}
content_block_stop {"type":"content_block_stop","index":9}
message_delta {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null,"stop_details":null},"usage":{"input_tokens":181,"output_tokens":80,"cache_read_input_tokens":0,"iterations":[{"type":"compaction","input_tokens":100,"output_tokens":83,"cache_read_input_tokens":55096,"cache_creation_input_tokens":7},{"type":"message","input_tokens":181,"output_tokens":80}]},"context_management":{"applied_edits":[]}}
message_stop {"type":"message_stop"}
`

const anthropicMessage = `{"role":"assistant","content":[` +
	`{"type":"compaction","content":"The task.","encrypted_content":"EN=="},` +
	`{"type":"thinking","thinking":"I \u00fcberlege","signature":"Sig+/=="},` +
	`{"type":"redacted_thinking","data":"RED=="},` +
	`{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{"query": "pith"},"caller":{"type":"direct"}},` +
	`{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"type":"web_search_result","url":"https://a.test","title":"A","encrypted_content":"W=="}]},` +
	`{"type":"text","text":"It 😀 is.","citations":[{"type":"web_search_result_location","url":"https://a.test","n":1.0},{"type":"char_location"}]},` +
	`{"type":"hologram","depth":4,"meta":{"a":"xy","b":2},"parts":["p","q"],"light":"abcd"},` +
	`{"type":"tool_use","id":"toolu_1","name":"Edit","input":{"n": 1.50, "big": 12345678901234567890, "s":"\u00e9"}},` +
	`{"type":"tool_use","id":"toolu_2","name":"Now","input":{}}]}`

// The body that the same answer has without streaming.
var anthropicWhole = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-x",` +
	strings.TrimSuffix(strings.TrimPrefix(anthropicMessage, `{"role":"assistant",`), "}") +
	`,"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":181,"output_tokens":80,"iterations":[{"type":"compaction","input_tokens":100,"output_tokens":83,"cache_read_input_tokens":55096,"cache_creation_input_tokens":7},{"type":"message","input_tokens":181,"output_tokens":80}]}}`

const chatStreamed = `
{"id":"chatcmpl-1","object":"chat.completion.chunk","model":"gpt-x","choices":[{"index":0,"delta":{"role":"assistant","content":null,"refusal":null},"finish_reason":null}],"usage":null}
{"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"delta":{"reasoning_content":"I th"},"finish_reason":null}]}
{"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"delta":{"reasoning_content":"ink","role":"assistant"},"finish_reason":null}]}
{"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"delta":{"content":"Let me "},"finish_reason":null}]}
{"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"delta":{"content":"look."},"finish_reason":null},{"index":1,"delta":{"content":"other"}}]}
{"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"read","arguments":""}}]}}]}
{"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"n\": 1.50"}}]}}]}
{"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"now","arguments":"{}"},"extra_content":{"google":{"thought_signature":"S=="}}}]}}]}
{"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":", \"k\":\"v\"}"}}]}}]}
{"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
{"id":"chatcmpl-1","model":"gpt-x","choices":[],"usage":{"prompt_tokens":50,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":20}}}
[DONE]
`

const chatMessage = `{"role":"assistant","content":"Let me look.","refusal":null,"reasoning_content":"I think","tool_calls":[` +
	`{"id":"call_a","type":"function","function":{"name":"read","arguments":"{\"n\": 1.50, \"k\":\"v\"}"}},` +
	`{"id":"call_b","type":"function","extra_content":{"google":{"thought_signature":"S=="}},"function":{"name":"now","arguments":"{}"}}]}`

const chatWhole = `{"id":"chatcmpl-1","object":"chat.completion","model":"gpt-x","choices":[{"index":0,"message":` + chatMessage +
	`,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":50,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":20}}}`

const (
	reasoningItem = `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"DONE=="}`
	messageItem   = `{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"text":"Hello"}]}`
	callItem      = `{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\"n\": 1.50}","call_id":"call_1","name":"read"}`
	response      = `{"id":"resp_1","object":"response","status":"completed","model":"gpt-x","error":null,"incomplete_details":null,"output":[` +
		reasoningItem + `,` + messageItem + `,` + callItem +
		`],"usage":{"input_tokens":50,"input_tokens_details":{"cached_tokens":20},"output_tokens":9}}`
)

var responsesStreamed = `
response.created {"type":"response.created","response":{"id":"resp_1","model":"gpt-x","status":"in_progress","error":null,"output":[]}}
response.output_item.added {"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"ADDED=="}}
response.output_item.added {"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}}
response.output_text.delta {"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"Hel"}
response.output_text.delta {"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"lo"}
response.output_text.done {"type":"response.output_text.done","item_id":"msg_1","output_index":1,"content_index":0,"text":"Hello"}
response.output_item.done {"type":"response.output_item.done","output_index":2,"item":` + callItem + `}
response.output_item.done {"type":"response.output_item.done","output_index":1,"item":` + messageItem + `}
response.output_item.done {"type":"response.output_item.done","output_index":0,"item":` + reasoningItem + `}
response.completed {"type":"response.completed","response":` + response + `}
`

var answers = []struct {
	name, stream, whole string
	format              pith.Format
	want                Reply
}{
	{"anthropic", anthropicStreamed, anthropicWhole, pith.FormatAnthropic, Reply{
		Format: pith.FormatAnthropic, Messages: []json.RawMessage{[]byte(anthropicMessage)}, Text: "It 😀 is.", Stop: "tool_use",
		ToolCalls: []ToolCall{
			{"toolu_1", "Edit", []byte(`{"n": 1.50, "big": 12345678901234567890, "s":"\u00e9"}`)},
			{"toolu_2", "Now", []byte(`{}`)},
		},
		Thought: true, Usage: &pith.Usage{Input: 281, CacheRead: 55096, CacheWrite: 7, Output: 163}, Context: 261, Model: "claude-x", ID: "msg_1",
	}},
	{"chat", chatStreamed, chatWhole, pith.FormatOpenAIChat, Reply{
		Format: pith.FormatOpenAIChat, Messages: []json.RawMessage{[]byte(chatMessage)}, Text: "Let me look.", Stop: "tool_calls",
		ToolCalls: []ToolCall{{"call_a", "read", []byte(`{"n": 1.50, "k":"v"}`)}, {"call_b", "now", []byte(`{}`)}},
		Thought:   true, Usage: &pith.Usage{Input: 30, CacheRead: 20, Output: 9}, Context: 59, Model: "gpt-x", ID: "chatcmpl-1",
	}},
	{"responses", responsesStreamed, response, pith.FormatOpenAIResponses, Reply{
		Format: pith.FormatOpenAIResponses, Messages: []json.RawMessage{[]byte(reasoningItem), []byte(messageItem), []byte(callItem)},
		Text: "Hello", Stop: "completed", ToolCalls: []ToolCall{{"call_1", "read", []byte(`{"n": 1.50}`)}},
		Thought: true, Usage: &pith.Usage{Input: 30, CacheRead: 20, Output: 9}, Context: 59, Model: "gpt-x", ID: "resp_1",
	}},
}

func TestReply(t *testing.T) {
	for _, tt := range answers {
		got, err := assemble(t, tt.format, eventsOf(tt.stream))
		if err != nil {
			t.Fatalf("%s, streamed: %v", tt.name, err)
		}
		sameReply(t, tt.name+", streamed", got, tt.want)
		whole, err := ReadReply(tt.format, []byte(tt.whole))
		if err != nil {
			t.Fatalf("%s, whole: %v", tt.name, err)
		}
		sameReply(t, tt.name+", whole", whole, tt.want)
	}
}

func sameReply(t testing.TB, name string, got, want Reply) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	for i := range max(len(got.Messages), len(want.Messages)) {
		var g, w json.RawMessage
		if i < len(got.Messages) {
			g = got.Messages[i]
		}
		if i < len(want.Messages) {
			w = want.Messages[i]
		}
		if !bytes.Equal(g, w) {
			t.Errorf("%s, message %d:\n got %s\nwant %s", name, i, g, w)
		}
	}
	t.Errorf("%s:\n got %+v\n%+v\nwant %+v\n%+v", name, got, got.Usage, want, want.Usage)
}

// TestTornStream: an answer is whole with its last event, and not before.
func TestTornStream(t *testing.T) {
	for _, tt := range answers {
		events := eventsOf(tt.stream)
		whole := len(events)
		if tt.format == pith.FormatOpenAIChat { // from its finish_reason on
			whole -= 2
		}
		for n := range events {
			_, err := assemble(t, tt.format, events[:n])
			if n >= whole && err != nil || n < whole && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s, %d of %d events: %v", tt.name, n, len(events), err)
			}
		}
	}
}

// TestEveryCut: however a text is cut into deltas, the answer is the same.
func TestEveryCut(t *testing.T) {
	const input = `{"path":"a\\b\"\n\u00e9😀","n":1e3}`
	for _, text := range []string{"a 😀 \\ud83d é\n\"q\" \\", input} {
		quoted, _ := json.Marshal(text)
		body := strings.ReplaceAll(string(quoted[1:len(quoted)-1]), "😀", `\ud83d\ude00`)
		for cut := 1; cut < len(body); cut++ {
			first, second := body[:cut], body[cut:]
			if !json.Valid([]byte(`"`+first+`"`)) || !json.Valid([]byte(`"`+second+`"`)) {
				continue
			}
			for f, deltas := range map[pith.Format][2]string{
				pith.FormatAnthropic:       {`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"%s"}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"%s"}}`},
				pith.FormatOpenAIChat:      {`{"choices":[{"delta":{"content":"%s"}}]}`, `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"%s"}}]}}]}`},
				pith.FormatOpenAIResponses: {`{"type":"response.output_text.delta","delta":"%s"}`, ``},
			} {
				events := opening(f)
				for _, delta := range deltas {
					if delta != "" {
						events = append(events, event{"", fmt.Sprintf(delta, first)}, event{"", fmt.Sprintf(delta, second)})
					}
				}
				r, err := assemble(t, f, append(events, closing(f)...))
				if err != nil || r.Text != text || len(r.Messages) != 1 {
					t.Fatalf("%s, cut at %d: %v, %q", f, cut, err, r.Text)
				}
				if f != pith.FormatOpenAIResponses && text == input && string(r.ToolCalls[0].Input) != input {
					t.Fatalf("%s, cut at %d: input %s", f, cut, r.ToolCalls[0].Input)
				}
				read := ReadMessage(f, r.Messages[0])
				if read.Blocks[0].Text != text {
					t.Fatalf("%s, cut at %d: read back %q", f, cut, read.Blocks[0].Text)
				}
			}
		}
	}
}

func opening(f pith.Format) []event {
	switch f {
	case pith.FormatAnthropic:
		return eventsOf(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}}`)
	case pith.FormatOpenAIChat:
		return eventsOf(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"n"}}]}}]}`)
	}
	return nil
}

func closing(f pith.Format) []event {
	switch f {
	case pith.FormatAnthropic:
		return eventsOf(`{"type":"message_stop"}`)
	case pith.FormatOpenAIChat:
		return eventsOf(`[DONE]`)
	}
	return eventsOf(`{"type":"response.completed","response":{"status":"completed","output":[]}}`)
}
