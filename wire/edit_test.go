package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"pgregory.net/rapid"
)

func message(t *testing.T, f pith.Format, raw string) pith.Message {
	t.Helper()
	m := ReadMessage(f, []byte(raw))
	m.Raw = []byte(raw)
	if len(m.Blocks) == 0 {
		t.Fatalf("no blocks in %s", raw)
	}
	return m
}

func TestRemoveBlocks(t *testing.T) {
	const a, o, r = pith.FormatAnthropic, pith.FormatOpenAIChat, pith.FormatOpenAIResponses
	for _, tt := range []struct {
		name   string
		format pith.Format
		raw    string
		drop   []int
		want   string
	}{
		{"orphan result beside text", a, `{"role":"user","content":[ {"type":"tool_result","tool_use_id":"x","content":"r"} , {"type":"text","text":"keep"} ]}`, []int{0}, `{"role":"user","content":[ {"type":"text","text":"keep"} ]}`},
		{"last", a, `{"content":[{"type":"text","text":"a"}, {"type":"text","text":"b"}],"role":"user"}`, []int{1}, `{"content":[{"type":"text","text":"a"}],"role":"user"}`},
		{"two of three", a, `{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"redacted_thinking","data":"d"},{"type":"text","text":"b"}]}`, []int{0, 1}, `{"role":"assistant","content":[{"type":"text","text":"b"}]}`},
		{"all", a, `{"role":"user","content":[{"type":"text","text":"a"}]}`, []int{0}, ``},
		{"a string", a, `{"role":"user","content":"a"}`, []int{0}, ``},
		{"chat call", o, `{"role":"assistant","content":"a","tool_calls":[{"id":"1","function":{"name":"x","arguments":"{}"}},{"id":"2","function":{"name":"y","arguments":"{}"}}]}`, []int{1}, `{"role":"assistant","content":"a","tool_calls":[{"id":"2","function":{"name":"y","arguments":"{}"}}]}`},
		{"chat all calls", o, `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"x","arguments":"{}"}}],"content":"a"}`, []int{1}, `{"role":"assistant","content":"a"}`},
		{"chat content", o, `{"role":"assistant","content":"a","tool_calls":[{"id":"1","function":{"name":"x","arguments":"{}"}}]}`, []int{0}, `{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"x","arguments":"{}"}}]}`},
		{"chat reasoning", o, `{"role":"assistant", "reasoning_content" : "r","content":"a"}`, []int{0}, `{"role":"assistant", "content":"a"}`},
		{"provider pair", r, `{"type":"web_search_call","id":"w","action":{"query":"q"}}`, []int{1}, ``},
	} {
		m := message(t, tt.format, tt.raw)
		got, err := RemoveBlocks(tt.format, m, func(i int) bool {
			for _, d := range tt.drop {
				if d == i {
					return true
				}
			}
			return false
		})
		if err != nil || string(got.Raw) != tt.want {
			t.Errorf("%s: %v\n got %s\nwant %s", tt.name, err, got.Raw, tt.want)
		}
		if len(got.Blocks) > 0 {
			if again := message(t, tt.format, string(got.Raw)); !reflect.DeepEqual(again.Blocks, got.Blocks) {
				t.Errorf("%s: blocks %+v, want %+v", tt.name, got.Blocks, again.Blocks)
			}
		}
		if string(m.Raw) != tt.raw {
			t.Errorf("%s: the message that came in was changed", tt.name)
		}
	}
}

func TestSetBlockText(t *testing.T) {
	const a, o, r = pith.FormatAnthropic, pith.FormatOpenAIChat, pith.FormatOpenAIResponses
	for _, tt := range []struct {
		format    pith.Format
		raw       string
		i         int
		want      string
		unchanged bool
	}{
		{a, `{"role":"user","content":"old"}`, 0, `{"role":"user","content":"n\"w"}`, false},
		{a, `{"role":"user","content":[{"type":"text","text":"old","x":1}]}`, 0, `{"role":"user","content":[{"type":"text","text":"n\"w","x":1}]}`, false},
		{a, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"old"}],"is_error":true}]}`, 0, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"n\"w","is_error":true}]}`, false},
		{a, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t" }]}`, 0, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"n\"w" }]}`, false},
		{a, `{"role":"user","content":[{"type":"image","source":{"type":"url","url":"u"},"cache_control":{"type":"ephemeral"}}]}`, 0, `{"role":"user","content":[{"type":"text","text":"n\"w","cache_control":{"type":"ephemeral"}}]}`, false},
		{a, `{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"}]}`, 0, ``, true},
		{a, `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{}}]}`, 0, ``, true},
		{o, `{"role":"tool","tool_call_id":"c","content":"old"}`, 0, `{"role":"tool","tool_call_id":"c","content":"n\"w"}`, false},
		{o, `{"role":"assistant","content":null,"refusal":"old"}`, 0, `{"role":"assistant","content":null,"refusal":"n\"w"}`, false},
		{r, `{"type":"function_call_output","call_id":"c","output":"old"}`, 0, `{"type":"function_call_output","call_id":"c","output":"n\"w"}`, false},
		{r, `{"type":"message","role":"user","content":[{"type":"input_image","image_url":"https://a.test/x.png"}]}`, 0, `{"type":"message","role":"user","content":[{"type":"input_text","text":"n\"w"}]}`, false},
	} {
		m := message(t, tt.format, tt.raw)
		got, err := SetBlockText(tt.format, m, tt.i, `n"w`)
		if tt.unchanged {
			if err == nil || string(got.Raw) != tt.raw {
				t.Errorf("%s could be changed to %s", tt.raw, got.Raw)
			}
			continue
		}
		if err != nil || string(got.Raw) != tt.want || got.Blocks[tt.i].Text != `n"w` {
			t.Errorf("%v\n got %s\nwant %s", err, got.Raw, tt.want)
		}
		if m.Blocks[tt.i].Text == `n"w` {
			t.Error("the message that came in was changed")
		}
	}
}

func TestReplaceImages(t *testing.T) {
	marker := func(mediaType string, size int) string { return fmt.Sprintf("[shot %s %d]", mediaType, size) }
	raw := `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}, {"type":"text","text":"b"}]}]}`
	m := message(t, pith.FormatAnthropic, raw)
	m.Blocks[0].Text = strings.Replace(m.Blocks[0].Text, "a\n", "[REDACTED]\n", 1)
	got, err := ReplaceImages(pith.FormatAnthropic, m, 0, marker)
	want := `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a"},{"type":"text","text":"[shot image/png 8]"}, {"type":"text","text":"b"}]}]}`
	if err != nil || string(got.Raw) != want {
		t.Errorf("%v\n got %s\nwant %s", err, got.Raw, want)
	}
	if b := got.Blocks[0]; b.Text != "[REDACTED]\n[shot image/png 8]\nb" || b.MediaBytes != 0 {
		t.Errorf("block %+v", b)
	}
	m = message(t, pith.FormatOpenAIChat, `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]}`)
	got, err = ReplaceImages(pith.FormatOpenAIChat, m, 0, marker)
	if err != nil || string(got.Raw) != `{"role":"user","content":[{"type":"text","text":"[shot image/png 8]"}]}` {
		t.Errorf("%v %s", err, got.Raw)
	}
}

func TestSetToolUseID(t *testing.T) {
	for _, tt := range []struct {
		format    pith.Format
		raw, want string
	}{
		{pith.FormatAnthropic, `{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"n","input":{"id":"x"}}]}`, `{"role":"assistant","content":[{"type":"tool_use","id":"y","name":"n","input":{"id":"x"}}]}`},
		{pith.FormatOpenAIChat, `{"role":"tool","tool_call_id":"x","content":"r"}`, `{"role":"tool","tool_call_id":"y","content":"r"}`},
		{pith.FormatOpenAIChat, `{"role":"assistant","tool_calls":[{"id":"x","function":{"name":"n","arguments":"{}"}}]}`, `{"role":"assistant","tool_calls":[{"id":"y","function":{"name":"n","arguments":"{}"}}]}`},
		{pith.FormatOpenAIResponses, `{"type":"function_call","id":"fc","call_id":"x","name":"n","arguments":"{}"}`, `{"type":"function_call","id":"fc","call_id":"y","name":"n","arguments":"{}"}`},
	} {
		got, err := SetToolUseID(tt.format, message(t, tt.format, tt.raw), 0, "y")
		if err != nil || string(got.Raw) != tt.want || got.Blocks[0].ToolUseID != "y" {
			t.Errorf("%v\n got %s\nwant %s", err, got.Raw, tt.want)
		}
	}
}

// Any mix of blocks loses exactly the dropped ones, and the bytes of the
// others stay in order.
func TestRemoveBlocksKeepsTheRest(t *testing.T) {
	blocks := []string{
		`{"type":"text","text":"a, b"}`, `{"type":"tool_use","id":"t","name":"n","input":{"x":[1,{"y":"]"}]}}`,
		`{"type":"tool_result","tool_use_id":"t","content":"r"}`, `{"type":"thinking","thinking":"x","signature":"s"}`,
		`{"type":"new","data":"\"}"}`,
	}
	rapid.Check(t, func(rt *rapid.T) {
		picked := rapid.SliceOfN(rapid.SampledFrom(blocks), 1, 6).Draw(rt, "blocks")
		space := rapid.SampledFrom([]string{"", " ", "\n  "}).Draw(rt, "space")
		dropped := rapid.SliceOfN(rapid.Bool(), len(picked), len(picked)).Draw(rt, "dropped")
		raw := `{"role":"assistant","content":[` + space + strings.Join(picked, space+","+space) + space + `],"x":1}`
		var kept []string
		for i := range picked {
			if !dropped[i] {
				kept = append(kept, picked[i])
			}
		}
		m := ReadMessage(pith.FormatAnthropic, []byte(raw))
		m.Raw = []byte(raw)
		got, err := RemoveBlocks(pith.FormatAnthropic, m, func(i int) bool { return dropped[i] })
		if err != nil {
			rt.Fatal(err)
		}
		if len(kept) == 0 {
			if got.Raw != nil || got.Blocks != nil {
				rt.Fatalf("something is left: %s", got.Raw)
			}
			return
		}
		var back struct{ Content []json.RawMessage }
		if err := json.Unmarshal(got.Raw, &back); err != nil || len(back.Content) != len(kept) || len(got.Blocks) != len(kept) {
			rt.Fatalf("%v: %s", err, got.Raw)
		}
		for i := range kept {
			if string(back.Content[i]) != kept[i] {
				rt.Fatalf("block %d is %s, want %s", i, back.Content[i], kept[i])
			}
		}
	})
}

func TestResultsFirst(t *testing.T) {
	const body = `[{"role":"user","content":[ {"type":"text","text":"a"},
 {"type":"tool_result","tool_use_id":"1","content":"x"} ,{"type":"image"}, {"type":"tool_result","tool_use_id":"2"}],"n":1.0}]`
	const want = `{"role":"user","content":[ {"type":"tool_result","tool_use_id":"1","content":"x"},
 {"type":"tool_result","tool_use_id":"2"} ,{"type":"text","text":"a"}, {"type":"image"}],"n":1.0}`
	c, err := DecodeAs(pith.FormatAnthropic, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	m, err := ResultsFirst(c.Format, c.Messages[0])
	if err != nil || string(m.Raw) != want {
		t.Fatalf("%v\n got %s\nwant %s", err, m.Raw, want)
	}
	again := ReadMessage(c.Format, m.Raw)
	if !reflect.DeepEqual(again.Blocks, m.Blocks) {
		t.Errorf("blocks %+v, read back %+v", m.Blocks, again.Blocks)
	}
	same, err := ResultsFirst(c.Format, m)
	if err != nil || string(same.Raw) != want {
		t.Errorf("moved again: %v %s", err, same.Raw)
	}
	if string(c.Messages[0].Raw) != body[1:len(body)-1] {
		t.Errorf("the message that came in was changed: %s", c.Messages[0].Raw)
	}
}
