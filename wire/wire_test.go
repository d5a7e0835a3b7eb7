package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// outline writes a conversation's blocks in one line each.
func outline(c pith.Conversation) string {
	var out strings.Builder
	for _, b := range c.System {
		fmt.Fprintf(&out, "system: %q\n", b.Text)
	}
	for _, m := range c.Messages {
		for _, b := range m.Blocks {
			fmt.Fprintf(&out, "%d %s %s %s", m.Index, m.Role, b.Kind, b.Origin)
			if b.ToolName != "" || b.ToolUseID != "" {
				fmt.Fprintf(&out, " %s#%s", b.ToolName, b.ToolUseID)
			}
			if b.Exit != nil {
				fmt.Fprintf(&out, " exit=%d", *b.Exit)
			}
			if b.MediaBytes > 0 {
				fmt.Fprintf(&out, " media=%s/%d", b.MediaType, b.MediaBytes)
			}
			fmt.Fprintf(&out, " %q\n", b.Text)
		}
	}
	return out.String()
}

const chatBody = `{"model":"m","max_tokens":50,"messages":[
 {"role":"developer","content":"rules"},
 {"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]},
 {"tool_calls":[{"id":"c0","type":"function","function":{"name":"bash","arguments":"{\"command\": \"make\", \"n\": 2}"}},{"id":"c1","type":"function","function":{"name":"odd","arguments":"{torn"}},{"id":"c2","type":"custom","custom":{"name":"patch","input":"*** Begin"}}],"role":"assistant","content":null,"reasoning_content":"hm"},
 {"role":"tool","tool_call_id":"c0","content":"2 failed\n(exit code 2)"},
 {"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
 {"role":"assistant","content":"done","refusal":null}
]}`

const responsesBody = `{"model":"m","instructions":"rules","input":[
 {"role":"user","content":"plain"},
 {"type":"message","role":"user","content":[{"type":"input_text","text":"go"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}]},
 {"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"s"}],"encrypted_content":"RVhB"},
 {"type":"function_call","call_id":"c0","name":"shell","arguments":"{\"command\":[\"ls\"]}"},
 {"type":"function_call_output","call_id":"c0","output":"{\"output\":\"a\\nb\",\"metadata\":{\"exit_code\":0}}"},
 {"type":"custom_tool_call","call_id":"c1","name":"apply_patch","input":"*** Begin"},
 {"type":"custom_tool_call_output","call_id":"c1","output":[{"type":"input_text","text":"ok"}]},
 {"type":"web_search_call","id":"w","action":{"type":"search","query":"q","sources":[{"url":"https://a.test"}]}},
 {"type":"local_shell_call","call_id":"c2","action":{"command":["pwd"]}},
 {"type":"computer_call_output","call_id":"c3","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,iVBORw0KGgo="}},
 {"type":"shell_call_output","call_id":"c2","output":[{"stdout":"/w","stderr":"","outcome":{"type":"exit","exit_code":4}}]},
 {"type":"additional_tools","tools":[]},
 {"type":"compaction","encrypted_content":"RVhB"},
 {"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}
]}`

const anthropicBody = `{"model":"claude-x", "max_tokens":100,"system":"rules","tools":[{"name":"bash","input_schema":{}}],
 "messages" : [ {"role":"user","content":"hi < & >"} ,
 {"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"redacted_thinking","data":"d"},{"type":"text","text":""},{"type":"tool_use","id":"t0","name":"bash","input":{"command":"x"}}]},
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"t0","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]},{"type":"text","text":"never touch it","cache_control":{"type":"ephemeral"}}]},
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"gone"},{"type":"text","text":"kept"}]}
 ] }`

var decoded = []struct {
	name, body string
	format     pith.Format
	want       string
}{
	{"anthropic", anthropicBody, pith.FormatAnthropic, `system: "rules"
0 user text USER_EXPLICIT "hi < & >"
1 assistant thinking ASSISTANT "t"
1 assistant thinking ASSISTANT ""
1 assistant text ASSISTANT ""
1 assistant tool_use ASSISTANT bash#t0 "bash\ncommand: x"
2 user tool_result TOOL_OUTPUT bash#t0 media=image/png/8 "a\n[image image/png, 8 bytes]"
2 user text USER_EXPLICIT "never touch it"
3 user tool_result TOOL_OUTPUT #gone ""
3 user text USER_EXPLICIT "kept"
`},
	{"chat", chatBody, pith.FormatOpenAIChat, `0 system text SYSTEM "rules"
1 user text USER_EXPLICIT "look"
1 user image TOOL_OUTPUT media=image/png/8 "[image image/png, 8 bytes]"
2 assistant thinking ASSISTANT "hm"
2 assistant tool_use ASSISTANT bash#c0 "bash\ncommand: make\nn: 2"
2 assistant tool_use ASSISTANT odd#c1 "odd\narguments: {torn"
2 assistant tool_use ASSISTANT patch#c2 "patch\narguments: *** Begin"
3 user tool_result TOOL_OUTPUT bash#c0 exit=2 "2 failed\n(exit code 2)"
4 user tool_result TOOL_OUTPUT odd#c1 "a\nb"
5 assistant text ASSISTANT "done"
`},
	{"responses", responsesBody, pith.FormatOpenAIResponses, `system: "rules"
0 user text USER_EXPLICIT "plain"
1 user text USER_EXPLICIT "go"
1 user image TOOL_OUTPUT media=image/png/8 "[image image/png, 8 bytes]"
2 assistant thinking ASSISTANT "s"
3 assistant tool_use ASSISTANT shell#c0 "shell\ncommand: [\"ls\"]"
4 user tool_result TOOL_OUTPUT shell#c0 exit=0 "a\nb"
5 assistant tool_use ASSISTANT apply_patch#c1 "apply_patch\ninput: *** Begin"
6 user tool_result TOOL_OUTPUT apply_patch#c1 "ok"
7 assistant tool_use ASSISTANT web_search#w "web_search\ntype: search\nquery: q\nsources: [{\"url\":\"https://a.test\"}]"
7 assistant tool_result TOOL_OUTPUT web_search#w "q\nhttps://a.test"
8 assistant tool_use ASSISTANT local_shell#c2 "local_shell\ncommand: [\"pwd\"]"
9 user tool_result TOOL_OUTPUT #c3 media=image/png/8 "[image image/png, 8 bytes]"
10 user tool_result TOOL_OUTPUT local_shell#c2 exit=4 "/w"
11 system opaque SYSTEM ""
12 assistant opaque ASSISTANT ""
13 assistant text ASSISTANT "done"
`},
	{"one string", `{"model":"m","input":"hi"}`, pith.FormatOpenAIResponses, "0 user text USER_EXPLICIT \"hi\"\n"},
	{"bare list", `[{"role":"system","content":"s"},{"role":"user","content":"u"}]`, pith.FormatOpenAIChat,
		"0 system text SYSTEM \"s\"\n1 user text USER_EXPLICIT \"u\"\n"},
	{"bare blocks", `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"r"}]}]`, pith.FormatAnthropic,
		"0 user tool_result TOOL_OUTPUT #x \"r\"\n"},
}

func TestDecode(t *testing.T) {
	for _, tt := range decoded {
		c, err := Decode([]byte(tt.body))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if c.Format != tt.format {
			t.Errorf("%s: format %s", tt.name, c.Format)
		}
		if got := outline(c); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
		checkSplice(t, c, []byte(tt.body))
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{``, "ends too early"},
		{`{"model":"m"}`, "no messages and no input"},
		{`{"messages":[{"role":"user","content":"torn`, "ends too early"},
		{`{"messages":[}`, "not valid JSON at byte 13"},
		{`[1,2,3]`, "no messages"},
		{`"text"`, "no messages"},
	} {
		_, err := Decode([]byte(tt.body))
		if err == nil || !strings.Contains(err.Error(), tt.want) || pith.KindOf(err) != pith.KindInput || pith.HintOf(err) == "" {
			t.Errorf("%s: %v (%s)", tt.body, err, pith.HintOf(err))
		}
	}
}

// checkSplice: what is not changed leaves byte for byte, and what is changed
// leaves everything else so.
func checkSplice(t testing.TB, c pith.Conversation, body []byte) {
	t.Helper()
	out, err := Encode(c)
	if err != nil || !bytes.Equal(out, body) {
		t.Fatalf("encode is not the identity: %v\n%s\n%s", err, out, body)
	}
	if len(c.Messages) < 2 || !json.Valid(body) {
		return
	}
	c.Messages = c.Messages[1:]
	out, err = Encode(c)
	if err != nil || !json.Valid(out) {
		t.Fatalf("without its first message: %v\n%s", err, out)
	}
	again, err := DecodeAs(c.Format, out)
	if err != nil || len(again.Messages) != len(c.Messages) {
		t.Fatalf("read back: %v, %d messages", err, len(again.Messages))
	}
	for i := range again.Messages {
		if !bytes.Equal(again.Messages[i].Raw, c.Messages[i].Raw) {
			t.Fatalf("message %d changed: %s", i, again.Messages[i].Raw)
		}
	}
}

func TestAppendSystem(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"string", `{"system":"old","messages":[]}`, `{"system":[{"type":"text","text":"old"},{"type":"text","text":"new"}],"messages":[]}`},
		{"blocks", `{"messages":[],"system":[{"type":"text","text":"old","cache_control":{"type":"ephemeral"}} ]}`,
			`{"messages":[],"system":[{"type":"text","text":"old","cache_control":{"type":"ephemeral"}},{"type":"text","text":"new"} ]}`},
		{"none", `{"model":"claude","messages":[{"role":"user","content":[{"type":"image"}]}]}`, `{"system":[{"type":"text","text":"new"}],"model":"claude","messages":[{"role":"user","content":[{"type":"image"}]}]}`},
		{"empty", `{"system":"","messages":[]}`, `{"system":[{"type":"text","text":"new"}],"messages":[]}`},
		{"chat", `{"messages":[{"role":"system","content":"old"}, {"role":"user","content":"u"}]}`,
			`{"messages":[{"role":"system","content":"old"}, {"role":"system","content":"new"}, {"role":"user","content":"u"}]}`},
		{"instructions", `{"instructions":"old","input":"u"}`, `{"instructions":"old\n\nnew","input":"u"}`},
		{"no instructions", `{"input":[]}`, `{"instructions":"new","input":[]}`},
	} {
		c, err := Decode([]byte(tt.body))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if err := AppendSystem(&c, "new"); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		out, err := Encode(c)
		if err != nil || string(out) != tt.want {
			t.Errorf("%s: %v\n got %s\nwant %s", tt.name, err, out, tt.want)
		}
		again, err := Decode(out)
		if err != nil || !reflect.DeepEqual(again.System, c.System) {
			t.Errorf("%s: %v, system %+v, want %+v", tt.name, err, again.System, c.System)
		}
	}
	bare := pith.Conversation{Format: pith.FormatAnthropic, Raw: []byte(`[]`)}
	if err := AppendSystem(&bare, "new"); pith.KindOf(err) != pith.KindUsage {
		t.Errorf("a bare list: %v", err)
	}
}

func TestNewBodyAndTextMessage(t *testing.T) {
	for f, want := range map[pith.Format]string{
		pith.FormatClaudeCode: `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a \"b\""}]},{"role":"assistant","content":[{"type":"text","text":"c"}]}]}`,
		pith.FormatCodex:      `{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"a \"b\""}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"c"}]}]}`,
		pith.FormatOpenAIChat: `{"model":"m","messages":[{"role":"user","content":"a \"b\""},{"role":"assistant","content":"c"}]}`,
	} {
		unsent := pith.Message{Role: pith.RoleUser, Blocks: []pith.Block{{Text: "the client's own"}}}
		c := NewBody(f, "m", []pith.Message{TextMessage(f, pith.RoleUser, `a "b"`), unsent, TextMessage(f, pith.RoleAssistant, "c")})
		out, err := Encode(c)
		if err != nil || string(out) != want {
			t.Errorf("%s: %v\n got %s\nwant %s", f, err, out, want)
		}
		again, err := DecodeAs(f, out)
		if err != nil || again.Messages[0].Blocks[0].Text != `a "b"` || again.Model != "m" {
			t.Errorf("%s: %v, %+v", f, err, again)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{anthropicBody, chatBody, responsesBody, `{"input":"x"}`, `[{"role":"user"}]`, `{"messages":[[],1,"x",{"content":{}}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := Decode(body)
		if err != nil {
			if pith.KindOf(err) != pith.KindInput {
				t.Fatalf("kind of %v", err)
			}
			return
		}
		checkSplice(t, c, body)
		for i := range c.Messages {
			fuzzEdits(t, c.Format, c.Messages[i])
		}
		_ = AppendSystem(&c, "x")
	})
}

func fuzzEdits(t *testing.T, f pith.Format, m pith.Message) {
	if out, err := ResultsFirst(f, m); err == nil && json.Valid(m.Raw) && (!json.Valid(out.Raw) || len(out.Raw) != len(m.Raw)) {
		t.Fatalf("results first: %s of %s", out.Raw, m.Raw)
	}
	for k := range m.Blocks {
		out, err := RemoveBlocks(f, m, func(i int) bool { return i == k })
		if err == nil && json.Valid(m.Raw) && len(out.Raw) > 0 && !json.Valid(out.Raw) {
			t.Fatalf("without block %d: %s of %s", k, out.Raw, m.Raw)
		}
		out, err = SetBlockText(f, m, k, "x")
		if err == nil && json.Valid(m.Raw) && !json.Valid(out.Raw) {
			t.Fatalf("with block %d set: %s of %s", k, out.Raw, m.Raw)
		}
		if _, err := ReplaceImages(f, m, k, func(string, int) string { return "i" }); err != nil && json.Valid(m.Raw) {
			t.Fatalf("images of block %d: %v", k, err)
		}
	}
}

// BenchmarkDecode reads a body of 4 MB, as a proxy does with every request.
func BenchmarkDecode(b *testing.B) {
	output := strings.Repeat(`ok  \tgithub.com/x/shop/internal/orders\t0.412s\n--- PASS: \"TestOrders\"\n`, 60)
	var body bytes.Buffer
	body.WriteString(`{"model":"claude-x","max_tokens":100,"system":"rules","messages":[{"role":"user","content":"go"}`)
	for i := 0; body.Len() < 4<<20; i++ {
		fmt.Fprintf(&body, `,{"role":"assistant","content":[{"type":"text","text":"I run it."},{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"go test ./..."}}]}`, i)
		fmt.Fprintf(&body, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"%s"}]}`, i, output)
	}
	body.WriteString(`]}`)
	b.SetBytes(int64(body.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(body.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
}
