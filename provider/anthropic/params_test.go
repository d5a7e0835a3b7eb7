package anthropic_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"
	"pgregory.net/rapid"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/provider/anthropic"
	"github.com/pith-memory/pith/wire"
)

func conversation(t testing.TB, body string) pith.Conversation {
	t.Helper()
	c, err := wire.DecodeAs(pith.FormatAnthropic, []byte(body))
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return c
}

// plain is a body as the API reads it: texts as lists of blocks, fields that
// are null or say nothing left out, numbers as they are written.
func plain(t testing.TB, body []byte) map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	blocks := func(v any) any {
		if text, ok := v.(string); ok {
			return []any{map[string]any{"type": "text", "text": text}}
		}
		return v
	}
	if v["system"] = blocks(v["system"]); v["system"] == nil {
		delete(v, "system")
	}
	messages, _ := v["messages"].([]any)
	for _, m := range messages {
		m := m.(map[string]any)
		m["content"] = blocks(m["content"])
		for _, b := range m["content"].([]any) {
			b := b.(map[string]any)
			if b["type"] == "tool_result" {
				if b["content"] == "" {
					delete(b, "content")
				} else if b["content"] != nil {
					b["content"] = blocks(b["content"])
				}
			}
			for key, value := range b {
				if value == nil && key != "input" {
					delete(b, key)
				}
			}
		}
	}
	return v
}

func check(t testing.TB, body string, back []byte) {
	t.Helper()
	if a, b := plain(t, []byte(body)), plain(t, back); !reflect.DeepEqual(a, b) {
		t.Fatalf("it was\n%s\nand came back as\n%s", body, back)
	}
}

// pick makes one JSON value of several.
func pick(values ...string) *rapid.Generator[string] { return rapid.SampledFrom(values) }

// drawJSON makes a value that belongs to a tool: any JSON, with numbers that
// are no float64.
func drawJSON(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0, 1:
		return pick("0", "-1", "1.10", "1e3", "12345678901234567890", "0.1", "1E+2", "-0", "3").Draw(t, "number")
	case 2:
		return quoted(rapid.String().Draw(t, "text"))
	case 3:
		return pick("null", "true", "false", "[]", "{}").Draw(t, "word")
	case 4:
		n := rapid.IntRange(0, 3).Draw(t, "n")
		var list []string
		for range n {
			list = append(list, drawJSON(t, depth-1))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	return drawObject(t, depth-1)
}

func drawObject(t *rapid.T, depth int) string {
	var members []string
	for i := range rapid.IntRange(0, 3).Draw(t, "members") {
		name := fmt.Sprintf("%s%d", pick("path", "type", "content", "a.b", "<&>", "input").Draw(t, "name"), i)
		if rapid.Bool().Draw(t, "short") {
			name = strings.TrimRight(name, "0123456789") + strings.Repeat("x", i)
		}
		members = append(members, quoted(name)+":"+drawJSON(t, depth))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func quoted(s string) string { b, _ := json.Marshal(s); return string(b) }

const cache = `,"cache_control":{"type":"ephemeral","ttl":"1h"}`

func drawBlock(t *rapid.T, role string) string {
	text := quoted(rapid.StringN(1, 8, -1).Draw(t, "said"))
	mark := pick("", "", cache, `,"cache_control":null`).Draw(t, "mark")
	if role == "assistant" {
		return pick(
			`{"type":"text","text":`+text+`,"citations":null}`,
			`{"type":"thinking","thinking":`+text+`,"signature":"c2ln"}`,
			`{"type":"redacted_thinking","data":"ZGF0YQ=="}`,
			`{"type":"tool_use","id":"toolu_1","name":"edit","input":`+drawObject(t, 2)+mark+`}`,
			`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":`+drawObject(t, 1)+`}`,
		).Draw(t, "block")
	}
	return pick(
		`{"type":"text","text":`+text+mark+`}`,
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}`+mark+`}`,
		`{"type":"document","title":"T","source":{"type":"text","media_type":"text/plain","data":`+text+`}}`,
		`{"type":"tool_result","tool_use_id":"toolu_1","content":`+text+mark+`}`,
		`{"type":"tool_result","tool_use_id":"toolu_1","content":"","is_error":false}`,
		`{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[{"type":"text","text":`+text+`},{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}]}`,
		`{"type":"tool_result","tool_use_id":"toolu_1"}`,
	).Draw(t, "block")
}

func drawBody(t *rapid.T) string {
	var parts []string
	if system := pick("", `"Be brief."`, `[{"type":"text","text":"a"`+cache+`},{"type":"text","text":"<b>"}]`, `[]`).Draw(t, "system"); system != "" {
		parts = append(parts, `"system":`+system)
	}
	if rapid.Bool().Draw(t, "tools") {
		parts = append(parts, `"tools":[{"name":"edit","description":"Edits.","input_schema":{"type":"object","properties":`+drawObject(t, 2)+
			`,"required":["path"],"additionalProperties":false,"$defs":`+drawObject(t, 1)+`}`+cache+`},{"type":"web_search_20250305","name":"web_search","max_uses":3}]`)
	}
	var messages []string
	for i := range rapid.IntRange(0, 4).Draw(t, "messages") {
		role := []string{"user", "assistant"}[i%2]
		if rapid.IntRange(0, 4).Draw(t, "string") == 0 {
			messages = append(messages, `{"role":"`+role+`","content":`+quoted(rapid.String().Draw(t, "text"))+`}`)
			continue
		}
		var blocks []string
		for range rapid.IntRange(1, 3).Draw(t, "blocks") {
			blocks = append(blocks, drawBlock(t, role))
		}
		messages = append(messages, `{"role":"`+role+`","content":[`+strings.Join(blocks, ",")+`]}`)
	}
	return "{" + strings.Join(append(parts, `"messages":[`+strings.Join(messages, ",")+"]"), ",") + "}"
}

func TestHistoriesComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		body := drawBody(rt)
		system, tools, messages, err := anthropic.ToParams(conversation(t, body))
		if err != nil {
			rt.Fatalf("%v in %s", err, body)
		}
		back, err := anthropic.FromParams(system, tools, messages)
		if err != nil {
			rt.Fatalf("%v in %s", err, body)
		}
		check(t, body, back.Raw)

		bs, bt, bm, err := anthropic.ToBetaParams(conversation(t, body))
		if err != nil {
			rt.Fatalf("beta: %v in %s", err, body)
		}
		if back, err = anthropic.FromBetaParams(bs, bt, bm); err != nil {
			rt.Fatalf("beta: %v in %s", err, body)
		}
		check(t, body, back.Raw)
	})
}

// What the types cannot carry is named: in the error are all of the words.
func TestLossIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		words []string
	}{
		"unknown block":          {`{"messages":[{"role":"user","content":"a"},{"role":"user","content":[{"type":"text","text":"b"},{"type":"hologram","u":1}]}]}`, []string{"messages.1.content.1", `"hologram"`}},
		"unknown block in front": {`{"messages":[{"role":"assistant","content":[{"type":"hologram"},{"type":"text","text":"b"}]}]}`, []string{"messages.0.content.0", `"hologram"`}},
		"unknown inner block":    {`{"messages":[{"role":"user","content":[{"type":"text","text":"b"},{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"b"},{"type":"hologram"}]}]}]}`, []string{"messages.0.content.1.content.1", `"hologram"`}},
		"field of a block":       {`{"messages":[{"role":"user","content":[{"type":"text","text":"b","x_meta":1}]}]}`, []string{"messages.0.content.0.x_meta", `"text"`}},
		"field of a source":      {`{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aa","x_meta":1}}]}]}`, []string{"messages.0.content.0.source.x_meta"}},
		"field of a message":     {`{"messages":[{"role":"user","content":"b","x_meta":1}]}`, []string{"messages.0.x_meta"}},
		"field of a tool":        {`{"tools":[{"name":"a","input_schema":{"type":"object"},"x_meta":1}],"messages":[]}`, []string{"tools.0.x_meta"}},
		"field of the system":    {`{"system":[{"type":"text","text":"b","x_meta":1}],"messages":[]}`, []string{"system.0.x_meta"}},
		"unknown role":           {`{"messages":[{"role":"narrator","content":"b"}]}`, []string{"messages.0"}},
		"unknown tool":           {`{"tools":[{"type":"teleport_20990101","name":"t","where":1}],"messages":[]}`, []string{"tools.0"}},
		"number in a field":      {`{"tools":[{"type":"web_search_20250305","name":"web_search","max_uses":12345678901234567890}],"messages":[]}`, []string{"tools.0.max_uses"}},
		"number in an example":   {`{"tools":[{"name":"a","input_schema":{"type":"object"},"input_examples":[{"a":1.10}]}],"messages":[]}`, []string{"tools.0.input_examples.0.a", "1.10"}},
		"compaction":             {`{"messages":[{"role":"assistant","content":[{"type":"compaction","content":"s"}]}]}`, []string{"messages.0.content.0", `"compaction"`}},
		"messages of no list":    {`{"messages":"b"}`, []string{"messages"}},
		"a message of no object": {`{"messages":[7]}`, []string{"messages.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, messages, err := anthropic.ToParams(conversation(t, c.body))
			if pith.KindOf(err) != pith.KindInput || pith.HintOf(err) == "" || messages != nil {
				t.Fatalf("the error is %v, with %d messages", err, len(messages))
			}
			for _, word := range c.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q is not in %q", word, err)
				}
			}
		})
	}
}

func TestBetaCarriesCompaction(t *testing.T) {
	for _, body := range []string{
		`{"messages":[{"role":"assistant","content":[{"type":"compaction","content":"s","encrypted_content":"ZQ=="},{"type":"text","text":"b"}]}]}`,
		`{"messages":[{"role":"assistant","content":[{"type":"mcp_tool_use","id":"m","name":"n","server_name":"s","input":{"n":1.10}}]}]}`,
	} {
		s, tools, m, err := anthropic.ToBetaParams(conversation(t, body))
		if err != nil {
			t.Fatal(err)
		}
		back, err := anthropic.FromBetaParams(s, tools, m)
		if err != nil {
			t.Fatal(err)
		}
		check(t, body, back.Raw)
	}
}

// A map stays a map where no number is lost, for programs that look into it.
func TestInputsStayMaps(t *testing.T) {
	_, _, messages, err := anthropic.ToParams(conversation(t, `{"messages":[{"role":"assistant","content":[`+
		`{"type":"tool_use","id":"a","name":"n","input":{"a":1}},{"type":"tool_use","id":"b","name":"n","input":{"a":1.10}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	blocks := messages[0].OfAssistant.Content
	if m, ok := blocks[0].OfToolUse.Input.(map[string]any); !ok || m["a"] != 1.0 {
		t.Errorf("the input is %#v", blocks[0].OfToolUse.Input)
	}
	if raw, ok := blocks[1].OfToolUse.Input.(json.RawMessage); !ok || string(raw) != `{"a":1.10}` {
		t.Errorf("the input is %#v", blocks[1].OfToolUse.Input)
	}
}

func TestFromParams(t *testing.T) {
	extra := sdk.TextBlockParam{Text: "a"}
	extra.SetExtraFields(map[string]any{"x_meta": json.RawMessage("1.10")})
	c, err := anthropic.FromParams(nil, nil, []sdk.MessageParam{
		sdk.NewUserMessage(sdk.NewTextBlock("<hi>"), sdk.ContentBlockParamUnion{OfText: &extra}),
		sdk.NewAssistantMessage(sdk.NewToolUseBlock("t1", json.RawMessage(`{"n":1e3}`), "run"),
			param.Override[sdk.ContentBlockParamUnion](json.RawMessage(`{"type":"hologram"}`))),
		sdk.NewUserMessage(sdk.NewToolResultBlock("t1", "done", false)),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"x_meta":1.10`, `{"n":1e3}`, `{"type":"hologram"}`} {
		if !bytes.Contains(c.Raw, []byte(part)) {
			t.Errorf("%s is not in %s", part, c.Raw)
		}
	}
	if len(c.Messages) != 3 || c.Messages[0].Blocks[0].Text != "<hi>" || c.Messages[2].Blocks[0].Text != "done" {
		t.Errorf("the messages are %+v", c.Messages)
	}
	if _, _, _, err := anthropic.ToParams(c); err == nil || !strings.Contains(err.Error(), "messages.0.content.1.x_meta") {
		t.Errorf("the error is %v", err)
	}
	two := sdk.NewTextBlock("a")
	two.OfThinking = &sdk.ThinkingBlockParam{}
	for name, messages := range map[string][]sdk.MessageParam{
		"messages.1 is empty":                {sdk.NewUserMessage(sdk.NewTextBlock("a")), {}},
		"messages.0.content.1 is empty":      {sdk.NewUserMessage(sdk.NewTextBlock("a"), sdk.ContentBlockParamUnion{})},
		"messages.0 cannot be written":       {sdk.NewUserMessage(two)},
		"messages.0.content.0.content.0 is ": {sdk.NewUserMessage(sdk.ContentBlockParamUnion{OfToolResult: &sdk.ToolResultBlockParam{ToolUseID: "t", Content: []sdk.ToolResultBlockParamContentUnion{{}}}})},
	} {
		if _, err := anthropic.FromParams(nil, nil, messages); pith.KindOf(err) != pith.KindInput || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

func TestToParamsOfAnotherFormat(t *testing.T) {
	c, err := wire.DecodeAs(pith.FormatOpenAIChat, []byte(`{"messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err = anthropic.ToParams(c); pith.KindOf(err) != pith.KindInput {
		t.Errorf("the error is %v", err)
	}
	if s, tools, m, err := anthropic.ToParams(conversation(t, `[{"role":"user","content":"a"}]`)); err != nil || s != nil || tools != nil || len(m) != 1 {
		t.Errorf("a bare list: %v %v %v %v", s, tools, m, err)
	}
}
