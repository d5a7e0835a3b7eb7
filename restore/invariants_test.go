package restore

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/wire"
)

// failer is what *testing.T and *rapid.T share.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// sent is a request body as a provider's own validation would read it: plain
// JSON, by code that shares nothing with package wire.
type sent struct {
	format   pith.Format
	system   any
	messages []map[string]any
}

func readSent(t failer, f pith.Format, body []byte) sent {
	t.Helper()
	if !utf8.Valid(body) {
		t.Fatalf("the body is not UTF-8")
	}
	if loneSurrogate(body) {
		t.Fatalf("the body has half of a surrogate pair:\n%s", body)
	}
	var m map[string]any
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatalf("%v:\n%s", err, body)
	}
	key := "messages"
	if f == pith.FormatOpenAIResponses {
		key = "input"
	}
	s := sent{format: f, system: m["system"]}
	if f == pith.FormatOpenAIResponses {
		s.system = m["instructions"]
	}
	list, _ := m[key].([]any)
	for _, x := range list {
		s.messages = append(s.messages, x.(map[string]any))
	}
	return s
}

func loneSurrogate(body []byte) bool {
	for i := 0; i+5 < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		if body[i+1] != 'u' {
			i++
			continue
		}
		hex := strings.ToLower(string(body[i+2 : i+6]))
		switch {
		case hex >= "d800" && hex <= "dbff":
			if i+11 >= len(body) || body[i+6] != '\\' || body[i+7] != 'u' {
				return true
			}
			if next := strings.ToLower(string(body[i+8 : i+12])); next < "dc00" || next > "dfff" {
				return true
			}
			i += 11
		case hex >= "dc00" && hex <= "dfff":
			return true
		default:
			i += 5
		}
	}
	return false
}

func kindOf(b map[string]any) string { k, _ := b["type"].(string); return k }

// parts are the blocks of an Anthropic message, a string being one text.
func parts(m map[string]any) []map[string]any {
	switch c := m["content"].(type) {
	case string:
		return []map[string]any{{"type": "text", "text": c}}
	case []any:
		var out []map[string]any
		for _, x := range c {
			out = append(out, x.(map[string]any))
		}
		return out
	}
	return nil
}

// checkSent holds the invariants of a body that a provider takes.
func checkSent(t failer, s sent) {
	t.Helper()
	if len(s.messages) == 0 {
		t.Fatalf("no messages")
	}
	switch s.format {
	case pith.FormatAnthropic:
		checkAnthropic(t, s.messages)
	case pith.FormatOpenAIChat:
		checkChat(t, s.messages)
	default:
		checkResponses(t, s.messages)
	}
}

func checkAnthropic(t failer, ms []map[string]any) {
	t.Helper()
	if ms[0]["role"] != "user" {
		t.Fatalf("the first message is of the %v", ms[0]["role"])
	}
	used := map[string]bool{}
	var open map[string]bool // the calls of the message before
	for i, m := range ms {
		blocks := parts(m)
		if len(blocks) == 0 {
			t.Fatalf("message %d has no content", i)
		}
		answered, calls, server := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, b := range blocks {
			id, _ := b["id"].(string)
			useID, _ := b["tool_use_id"].(string)
			switch kind := kindOf(b); {
			case kind == "text" && strings.TrimSpace(b["text"].(string)) == "":
				t.Fatalf("message %d has an empty text", i)
			case kind == "tool_use":
				if used[id] {
					t.Fatalf("id %s is used twice", id)
				}
				used[id], calls[id] = true, true
			case kind == "server_tool_use":
				server[id] = true
			case kind == "web_search_tool_result":
				if !server[useID] {
					t.Fatalf("message %d: server result without its call", i)
				}
				delete(server, useID)
			case kind == "tool_result":
				if !open[useID] || answered[useID] {
					t.Fatalf("message %d: result %s does not follow its call", i, useID)
				}
				answered[useID] = true
			}
		}
		if len(server) > 0 {
			t.Fatalf("message %d: server call without its result", i)
		}
		for id := range open {
			if !answered[id] {
				t.Fatalf("message %d: call %s has no result", i, id)
			}
		}
		if open = nil; m["role"] == "assistant" {
			open = calls
		}
	}
	if last := ms[len(ms)-1]; last["role"] != "user" && len(open) == 0 {
		t.Fatalf("the last message is of the assistant")
	}
}

func checkChat(t failer, ms []map[string]any) {
	t.Helper()
	first := true
	used, open := map[string]bool{}, map[string]bool{}
	for i, m := range ms {
		role := m["role"]
		if role != "tool" && len(open) > 0 {
			t.Fatalf("message %d comes before the results of %v", i, open)
		}
		if role != "system" && first {
			if first = false; role != "user" {
				t.Fatalf("the first message after the system's is of the %v", role)
			}
		}
		if text, ok := m["content"].(string); ok && strings.TrimSpace(text) == "" {
			t.Fatalf("message %d is empty", i)
		}
		calls, _ := m["tool_calls"].([]any)
		if m["content"] == nil && len(calls) == 0 {
			t.Fatalf("message %d has neither content nor calls", i)
		}
		for _, c := range calls {
			id := c.(map[string]any)["id"].(string)
			if used[id] {
				t.Fatalf("id %s is used twice", id)
			}
			used[id], open[id] = true, true
		}
		if role == "tool" {
			id := m["tool_call_id"].(string)
			if !open[id] {
				t.Fatalf("message %d: result %s does not follow its call", i, id)
			}
			delete(open, id)
		}
	}
	switch last := ms[len(ms)-1]["role"]; {
	case last == "assistant" && len(open) == 0:
		t.Fatalf("the last message is of the assistant")
	case last != "assistant" && len(open) > 0:
		t.Fatalf("calls without a result: %v", open)
	}
}

func checkResponses(t failer, ms []map[string]any) {
	t.Helper()
	first := true
	used, open := map[string]bool{}, map[string]bool{}
	for i, m := range ms {
		role, kind := m["role"], kindOf(m)
		if role != "system" && role != "developer" && first {
			if first = false; role != "user" {
				t.Fatalf("the first item is %v", m)
			}
		}
		id, _ := m["call_id"].(string)
		switch kind {
		case "function_call":
			if used[id] {
				t.Fatalf("id %s is used twice", id)
			}
			used[id], open[id] = true, true
		case "function_call_output":
			if !open[id] {
				t.Fatalf("item %d: output %s does not follow its call", i, id)
			}
			if text, _ := m["output"].(string); strings.TrimSpace(text) == "" {
				t.Fatalf("item %d: empty output", i)
			}
			delete(open, id)
		case "reasoning":
			if i+1 >= len(ms) || kindOf(ms[i+1]) == "function_call_output" || ms[i+1]["role"] == "user" {
				t.Fatalf("item %d: reasoning without what it led to", i)
			}
		}
	}
	for i := len(ms) - 1; i >= 0 && (kindOf(ms[i]) == "function_call" || ms[i]["role"] == "assistant"); i-- {
		id, _ := ms[i]["call_id"].(string)
		delete(open, id) // what the client was just asked to run
	}
	if len(open) > 0 {
		t.Fatalf("calls without an output: %v", open)
	}
}

// thinking collects every signed block of a body, byte for byte.
func thinking(c *pith.Conversation) map[string]bool {
	out := map[string]bool{}
	for i := range c.Messages {
		raw := c.Messages[i].Raw
		for {
			at := bytes.Index(raw, []byte(`{"type":"thinking"`))
			if at < 0 {
				break
			}
			end := bytes.IndexByte(raw[at:], '}')
			out[string(raw[at:at+end+1])] = true
			raw = raw[at+end+1:]
		}
	}
	return out
}

// applied runs Apply and checks everything that must hold whatever it does.
func applied(t failer, body []byte, block string, o ApplyOptions) (Result, sent, error) {
	t.Helper()
	f := wire.Detect(body)
	in, err := wire.DecodeAs(f, body)
	if err != nil {
		t.Fatalf("%v", err)
	}
	before := snapshot(t, &in)
	r, err := Apply(in, block, o)
	if after := snapshot(t, &in); after != before {
		t.Fatalf("the input was changed:\n%s\n%s", before, after)
	}
	if err != nil {
		if pith.KindOf(err) != pith.KindDeclined {
			t.Fatalf("%v", err)
		}
		if snapshot(t, &r.Conversation) != before {
			t.Fatalf("declined, and yet the conversation is another")
		}
		return r, sent{}, err
	}
	if r.After >= r.Before {
		t.Fatalf("%d tokens became %d", r.Before, r.After)
	}
	if l := limit(o.Window, max(o.MaxTokens, in.MaxTokens)); l > 0 && r.After > l {
		t.Fatalf("%d tokens are over the limit of %d", r.After, l)
	}
	out, err := wire.Encode(r.Conversation)
	if err != nil {
		t.Fatalf("%v", err)
	}
	s := readSent(t, in.Format, out)
	checkSent(t, s)
	was := thinking(&in)
	for text := range thinking(&r.Conversation) {
		if !was[text] {
			t.Fatalf("a thinking block was changed: %s", text)
		}
	}
	checkAgain(t, out, block, o, r.After)
	return r, s, nil
}

// checkAgain compacts the result once more: it must not grow.
func checkAgain(t failer, body []byte, block string, o ApplyOptions, size pith.Tokens) {
	t.Helper()
	in, err := wire.Decode(body)
	if err != nil {
		t.Fatalf("%v", err)
	}
	r, _ := Apply(in, block, o)
	if r.After > size {
		t.Fatalf("compacting again made %d tokens of %d", r.After, size)
	}
	out, err := wire.Encode(r.Conversation)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if n := bytes.Count(out, []byte("</pith-memory>")); n != 1 {
		t.Fatalf("%d blocks stand in the result:\n%s", n, out)
	}
}

func snapshot(t failer, c *pith.Conversation) string {
	t.Helper()
	b, err := json.Marshal(c)
	if err != nil {
		b = nil
	}
	var s strings.Builder
	s.Write(b)
	s.Write(c.Raw)
	for i := range c.Messages {
		s.Write(c.Messages[i].Raw)
	}
	return s.String()
}

// testBlock is a block of a small state.
func testBlock(t testing.TB, goal string) string {
	t.Helper()
	s := &pith.State{}
	s.Checkpoint.ID = testID
	s.Goal = pith.Goal{Text: goal, Provenance: pith.UserExplicit}
	s.Next = pith.NextAction{Kind: "none"}
	return Render(s, Options{}).Text
}
