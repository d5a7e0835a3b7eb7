package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"pgregory.net/rapid"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/wire"
)

// Messages and items as clients and servers write them, each of which the
// SDK's types can hold.
var (
	goodMessages = []string{
		`{"role":"system","content":"Be brief."}`,
		`{"role":"developer","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"name":"n"}`,
		`{"role":"user","content":"Grüße \u4e16 <&>"}`,
		`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA==","detail":"low"}},{"type":"file","file":{"file_id":"f"}},{"type":"input_audio","input_audio":{"data":"AA==","format":"wav"}}]}`,
		`{"role":"user","content":[{"type":"future_part","n":[1.10,1e3]}],"name":"u"}`,
		`{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\": 1.10}"}},{"id":"c2","type":"custom","custom":{"name":"g","input":"raw"}}]}`,
		`{"role":"assistant","content":"Yes.","annotations":[],"audio":null,"reasoning_content":"hm <b>","n":12345678901234567890}`,
		`{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"refusal","refusal":"no"}]}`,
		`{"role":"assistant","refusal":"no","function_call":{"name":"f","arguments":"{}"}}`,
		`{"role":"tool","tool_call_id":"c1","content":"done"}`,
		`{"tool_call_id":"c2","content":[{"type":"text","text":"x"}],"role":"tool"}`,
		`{"role":"function","name":"f","content":"x"}`,
	}
	goodItems = []string{
		`{"role":"user","content":"hi"}`,
		`{"role":"developer","content":[{"type":"input_text","text":"x"}]}`,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"x"},{"type":"input_image","image_url":"u","detail":"auto"},{"type":"input_file","file_id":"f"}]}`,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}],"status":"completed"}`,
		`{"type":"message","role":"assistant","id":"msg_1","status":"completed","content":[{"type":"output_text","text":"x","annotations":[],"logprobs":[]}],"phase":"final_answer"}`,
		`{"type":"message","role":"assistant","id":"msg_2","status":"incomplete","content":[{"type":"output_text","text":"x","annotations":[{"type":"url_citation","start_index":0,"end_index":1,"url":"u","title":"t"}]},{"type":"refusal","refusal":"no"}],"future":{"x":1.10}}`,
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}`,
		`{"role":"assistant","content":[{"type":"output_text","text":"x"}]}`,
		`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"s"}],"encrypted_content":"gA==","content":null,"status":null}`,
		`{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\": 1.10}","id":"fc_1","status":"completed"}`,
		`{"type":"function_call_output","call_id":"c1","output":"done"}`,
		`{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"x"}],"id":"o"}`,
		`{"type":"custom_tool_call","call_id":"c2","name":"g","input":"raw"}`,
		`{"type":"custom_tool_call_output","call_id":"c2","output":"x"}`,
		`{"type":"compaction","id":"cmp_1","encrypted_content":"gA=="}`,
		`{"type":"item_reference","id":"x"}`,
		`{"id":"x"}`,
		`{"type":"web_search_call","id":"w","status":"completed","action":{"type":"search","query":"q","sources":[{"type":"url","url":"u"}]}}`,
		`{"type":"local_shell_call","id":"l","call_id":"c","status":"completed","action":{"type":"exec","command":["ls"],"env":{"A":"b"},"timeout_ms":1000}}`,
		`{"type":"image_generation_call","id":"w","result":"AA==","status":"completed","future_field":[1,{"a":null}]}`,
		`{"type":"mcp_call","id":"w","arguments":"{}","name":"n","server_label":"s","output":"o","error":null}`,
	}
	goodChatTools = []string{
		`{"type":"function","function":{"name":"f","description":"d","strict":null,"parameters":{"type":"object","properties":{"n":{"type":"number","minimum":1.10,"maximum":1e3,"big":12345678901234567890}},"required":[]}}}`,
		`{"type":"function","function":{"name":"f"},"future":true}`,
		`{"type":"custom","custom":{"name":"g","description":"d"}}`,
	}
	goodItemTools = []string{
		`{"type":"function","name":"f","strict":false,"parameters":{"type":"object","maximum":1.10}}`,
		`{"type":"function","name":"f","parameters":{},"strict":true,"description":"d","defer_loading":true}`,
		`{"type":"web_search","search_context_size":"low"}`,
		`{"type":"mcp","server_label":"s","server_url":"u","require_approval":"never","allowed_tools":["a"]}`,
	}
)

func conversation(t interface{ Fatal(...any) }, f pith.Format, tools, messages []string) pith.Conversation {
	key := "messages"
	if f == pith.FormatOpenAIResponses {
		key = "input"
	}
	body := fmt.Sprintf(`{"model":"m","temperature":0.5,"tools":[%s],%q:[%s]}`, strings.Join(tools, ","), key, strings.Join(messages, ","))
	c, err := wire.DecodeAs(f, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// There and back is the same conversation, whatever it is made of.
func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			words, _ := json.Marshal(rapid.String().Draw(t, "text"))
			return fmt.Sprintf(`{"role":"user","content":%s}`, words)
		})
		messages := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(goodMessages), text)).Draw(t, "messages")
		chat := conversation(t, pith.FormatOpenAIChat, rapid.SliceOf(rapid.SampledFrom(goodChatTools)).Draw(t, "tools"), messages)
		h, err := ToChat(chat)
		if err != nil {
			t.Fatal(err)
		}
		back, err := FromChat(h)
		if err != nil {
			t.Fatal(err)
		}
		sameConversation(t, &chat, &back)

		list := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(goodItems), text)).Draw(t, "items")
		items := conversation(t, pith.FormatOpenAIResponses, rapid.SliceOf(rapid.SampledFrom(goodItemTools)).Draw(t, "item tools"), list)
		i, err := ToItems(items)
		if err != nil {
			t.Fatal(err)
		}
		back, err = FromItems(i)
		if err != nil {
			t.Fatal(err)
		}
		sameConversation(t, &items, &back)
	})
}

func sameConversation(t *rapid.T, want, got *pith.Conversation) {
	if len(want.Messages) != len(got.Messages) || want.Model != got.Model || want.Format != got.Format {
		t.Fatalf("%d messages became %d", len(want.Messages), len(got.Messages))
	}
	for i := range want.Messages {
		same(t, want.Messages[i].Raw, got.Messages[i].Raw)
	}
	if len(want.Tools) > len("[]") {
		same(t, want.Tools, got.Tools)
	}
}

// same compares by the standard library, which the code under test does not use for it.
func same(t *rapid.T, want, got []byte) {
	if a, b := plain(t, want), plain(t, got); a != b {
		t.Fatalf("%s\nbecame\n%s", a, b)
	}
}

func plain(t *rapid.T, raw []byte) string {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, _ := json.Marshal(withoutNulls(v))
	return string(out)
}

func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if e == nil {
				delete(v, k)
			} else {
				v[k] = withoutNulls(e)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutNulls(v[i])
		}
	}
	return v
}

// What the types cannot hold is refused, with its place and without its content.
func TestWhatCannotBeCarried(t *testing.T) {
	chat := map[string]string{
		`{"role":"critic","content":"private"}`: `message 1 ("critic"): the SDK has no type for it`,
		`{"content":"private"}`:                 `message 1: the SDK has no type for it`,
		`3`:                                     `message 1: the SDK has no type for it`,
		`{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"private","arguments":"{}"},"future":1}]}`: `message 1 ("assistant"): the SDK's type does not carry its field tool_calls[0].future`,
		`{"role":"user","content":"private","content":"twice"}`:                                                                      `message 1 ("user"): it is not JSON that can be kept: a name is there twice, or half a character`,
		`{"role":"user","content":"private \ud800"}`:                                                                                 `message 1 ("user"): it is not JSON that can be kept: a name is there twice, or half a character`,
		`{"role":"user","content":12}`:                                                                                               `message 1 ("user"): the SDK's type does not carry its field content`,
	}
	for raw, want := range chat {
		_, err := ToChat(conversation(t, pith.FormatOpenAIChat, nil, []string{goodMessages[0], raw}))
		refusedAs(t, err, want)
	}
	items := map[string]string{
		`{"type":"future_item","x":"private"}`: `item 1 ("future_item"): the SDK has no type for it`,
		`{"id":"private","x":1}`:               `item 1: the SDK has no type for it`,
		`{"type":"web_search_call","id":"w","status":"completed","action":{"type":"private_action"}}`:                                          `item 1 ("web_search_call"): the SDK's type does not carry its field action`,
		`{"type":"local_shell_call","id":"l","call_id":"c","status":"completed","action":{"type":"exec","command":["ls"],"env":{},"limit":5}}`: `item 1 ("local_shell_call"): the SDK's type does not carry its field action.limit`,
	}
	for raw, want := range items {
		_, err := ToItems(conversation(t, pith.FormatOpenAIResponses, nil, []string{goodItems[0], raw}))
		refusedAs(t, err, want)
	}
	_, err := ToItems(conversation(t, pith.FormatOpenAIResponses, []string{`{"type":"future_tool"}`}, nil))
	refusedAs(t, err, `tool 0 ("future_tool"): the SDK has no type for it`)
	_, err = ToChat(conversation(t, pith.FormatOpenAIChat, []string{`{"type":"function","function":{"name":"f","future":1}}`}, nil))
	refusedAs(t, err, `tool 0 ("function"): the SDK's type does not carry its field function.future`)
	_, err = ToChat(conversation(t, pith.FormatOpenAIResponses, nil, nil))
	refusedAs(t, err, `the conversation is of format "openai-responses"`)
	_, err = ToItems(conversation(t, pith.FormatOpenAIChat, nil, nil))
	refusedAs(t, err, `the conversation is of format "openai-chat"`)
	_, err = ToItems(pith.Conversation{Format: pith.FormatOpenAIResponses, Raw: []byte(`{"instructions":["private"],"input":[]}`)})
	refusedAs(t, err, "the instructions are no text")
	_, err = ToChat(pith.Conversation{Format: pith.FormatOpenAIChat, Tools: []byte(`{}`)})
	refusedAs(t, err, "the tools are no list")
}

func refusedAs(t *testing.T, err error, want string) {
	t.Helper()
	if pith.KindOf(err) != pith.KindInput || !strings.Contains(err.Error(), want) || strings.Contains(strings.ReplaceAll(err.Error(), "private_action", ""), "private") || pith.HintOf(err) == "" {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestHistoriesThatCannotBeWritten(t *testing.T) {
	user := openai.UserMessage("hi")
	two := user
	two.OfSystem = &openai.ChatCompletionSystemMessageParam{}
	for want, m := range map[string]openai.ChatCompletionMessageParamUnion{"it holds nothing": {}, "only one present variant": two} {
		_, err := FromChat(ChatHistory{Messages: []openai.ChatCompletionMessageParamUnion{user, m}})
		refusedAs(t, err, "message 1: ")
		refusedAs(t, err, want)
	}
	_, err := FromItems(ItemHistory{Items: []responses.ResponseInputItemUnionParam{{}}})
	refusedAs(t, err, "item 0: it holds nothing")
	_, err = FromItems(ItemHistory{Tools: []responses.ToolUnionParam{{}}})
	refusedAs(t, err, "tool 0: it holds nothing")
}

// A history in the types comes back in the same variants.
func TestVariants(t *testing.T) {
	h := ItemHistory{Model: "m", Instructions: "Be brief.", Items: []responses.ResponseInputItemUnionParam{
		responses.ResponseInputItemParamOfMessage("hi", responses.EasyInputMessageRoleUser),
		responses.ResponseInputItemParamOfOutputMessage([]responses.ResponseOutputMessageContentUnionParam{{OfOutputText: &responses.ResponseOutputTextParam{Text: "yes"}}}, "msg_1", responses.ResponseOutputMessageStatusCompleted),
		responses.ResponseInputItemParamOfFunctionCall(`{"a":1}`, "c1", "f"),
		{OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{CallID: openai.String("c1"), Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String("done")}}},
		param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(`{"type":"compaction","encrypted_content":"gA=="}`)),
	}}
	c, err := FromItems(h)
	if err != nil || len(c.System) != 1 || c.System[0].Text != "Be brief." || c.Model != "m" {
		t.Fatalf("got %+v, %v", c, err)
	}
	back, err := ToItems(c)
	if err != nil {
		t.Fatal(err)
	}
	if i := back.Items; i[0].OfMessage == nil || i[1].OfOutputMessage == nil || i[2].OfFunctionCall == nil || i[3].OfFunctionCallOutput == nil || i[4].OfCompaction == nil {
		t.Errorf("got %+v", i)
	}
	if back.Instructions != h.Instructions || back.Items[1].OfOutputMessage.ID != "msg_1" {
		t.Errorf("got %+v", back)
	}
	one, err := wire.DecodeAs(pith.FormatOpenAIResponses, []byte(`{"input":"just \"this\""}`))
	if err != nil {
		t.Fatal(err)
	}
	if back, err = ToItems(one); err != nil || len(back.Items) != 1 || back.Items[0].OfMessage.Content.OfString.Value != `just "this"` {
		t.Errorf("got %+v, %v", back, err)
	}
}

// A field that the type does not have is extra, and one that is written later counts.
func TestExtraFields(t *testing.T) {
	c := conversation(t, pith.FormatOpenAIChat, nil, []string{`{"role":"assistant","content":null,"reasoning_content":"hm"}`})
	h, err := ToChat(c)
	if err != nil {
		t.Fatal(err)
	}
	h.Messages[0].OfAssistant.Content.OfString = openai.String("later")
	c, err = FromChat(h)
	if err != nil {
		t.Fatal(err)
	}
	if raw := string(c.Messages[0].Raw); !strings.Contains(raw, `"content":"later"`) || !strings.Contains(raw, `"reasoning_content":"hm"`) {
		t.Errorf("got %s", raw)
	}
}

// Whatever becomes of a body's bytes, it is a history that writes as many
// messages again, or an error. It is no fuzz target, since to build the SDK for
// fuzzing takes minutes.
func TestDamagedBodies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := []byte(`{"messages":[` + rapid.SampledFrom(goodMessages).Draw(t, "message") + `],"tools":[` + rapid.SampledFrom(goodChatTools).Draw(t, "tool") +
			`],"instructions":"x","input":[` + rapid.SampledFrom(goodItems).Draw(t, "item") + `]}`)
		pieces := []string{"", "null", "{}", "[]", `""`, "1e999", `"a":`, "}", "]", ",", `\ud800`, `"type":"message",`, "\xff", "0"}
		for range rapid.IntRange(1, 4).Draw(t, "damages") {
			at := rapid.IntRange(0, len(body)).Draw(t, "at")
			end := min(len(body), at+rapid.IntRange(0, 12).Draw(t, "cut"))
			body = append(append(append([]byte(nil), body[:at]...), rapid.SampledFrom(pieces).Draw(t, "piece")...), body[end:]...)
		}
		if c, err := wire.DecodeAs(pith.FormatOpenAIChat, body); err == nil {
			if h, err := ToChat(c); err == nil {
				back, err := FromChat(h)
				if err != nil {
					t.Fatal(err)
				}
				sameConversation(t, &c, &back)
			}
		}
		if c, err := wire.DecodeAs(pith.FormatOpenAIResponses, body); err == nil {
			if h, err := ToItems(c); err == nil {
				back, err := FromItems(h)
				if err != nil || len(back.Messages) != len(c.Messages) {
					t.Fatalf("%d items became %d: %v", len(c.Messages), len(back.Messages), err)
				}
			}
		}
	})
}
