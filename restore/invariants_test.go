package restore

import (
	"bytes"
	"encoding/json"
	"slices"
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
	body     []byte
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
	s := sent{format: f, system: m["system"], body: body}
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

// tools is what a request has used and left open of calls while it is walked.
type tools struct {
	used map[string]bool
	// open are the calls of the message before, by id; server those that the
	// provider runs itself and answers in the same turn.
	open, server map[string]bool
}

func checkAnthropic(t failer, ms []map[string]any) {
	t.Helper()
	if ms[0]["role"] != "user" {
		t.Fatalf("the first message is of the %v", ms[0]["role"])
	}
	w := &tools{used: map[string]bool{}, open: map[string]bool{}, server: map[string]bool{}}
	for i, m := range ms {
		blocks := parts(m)
		if len(blocks) == 0 {
			t.Fatalf("message %d has no content", i)
		}
		// The API joins messages of one role that follow each other.
		turns := i > 0 && ms[i-1]["role"] != m["role"]
		if m["role"] == "assistant" {
			if len(w.open) > 0 && turns {
				t.Fatalf("message %d: no result for %v", i, w.open)
			}
			w.assistant(t, i, blocks)
			continue
		}
		if turns && len(w.server) > 0 {
			t.Fatalf("message %d: no result of the provider's for %v", i, w.server)
		}
		w.results(t, i, blocks)
	}
	last := ms[len(ms)-1]
	if last["role"] != "user" && len(w.open) == 0 {
		t.Fatalf("the last message is of the assistant")
	}
	if last["role"] == "user" && len(w.open) > 0 || len(w.server) > 0 {
		t.Fatalf("no result for %v %v", w.open, w.server)
	}
}

func (w *tools) assistant(t failer, i int, blocks []map[string]any) {
	t.Helper()
	for k, b := range blocks {
		id, _ := b["id"].(string)
		useID, _ := b["tool_use_id"].(string)
		switch kind := kindOf(b); {
		case kind == "text" && strings.TrimSpace(b["text"].(string)) == "":
			t.Fatalf("message %d has an empty text", i)
		case kind == "tool_use":
			if w.used[id] {
				t.Fatalf("id %s is used twice", id)
			}
			w.used[id], w.open[id] = true, true
		case strings.HasSuffix(kind, "_tool_use"):
			w.server[id] = true
		case kind == "tool_result":
			t.Fatalf("message %d: a result in the assistant's turn", i)
		case strings.HasSuffix(kind, "_tool_result"):
			if !w.server[useID] {
				t.Fatalf("message %d: %s of %s does not follow its call", i, kind, useID)
			}
			delete(w.server, useID)
		case strings.HasSuffix(kind, "thinking") && k == len(blocks)-1:
			t.Fatalf("message %d ends with thinking", i)
		}
	}
}

// results: those of the calls before come first in the user's turn.
func (w *tools) results(t failer, i int, blocks []map[string]any) {
	t.Helper()
	for _, b := range blocks {
		useID, _ := b["tool_use_id"].(string)
		switch kind := kindOf(b); {
		case kind == "text" && strings.TrimSpace(b["text"].(string)) == "":
			t.Fatalf("message %d has an empty text", i)
		case kind == "tool_result":
			if !w.open[useID] {
				t.Fatalf("message %d: result %s does not follow its call", i, useID)
			}
			delete(w.open, useID)
		case len(w.open) > 0:
			t.Fatalf("message %d: %s stands before the results of %v", i, kind, w.open)
		}
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
		if role != "system" && role != "developer" && first {
			if first = false; role != "user" {
				t.Fatalf("the first message after the system's is of the %v", role)
			}
		}
		if text, ok := m["content"].(string); ok && strings.TrimSpace(text) == "" {
			t.Fatalf("message %d is empty", i)
		}
		calls, _ := m["tool_calls"].([]any)
		if m["content"] == nil && m["refusal"] == nil && len(calls) == 0 {
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
	// waits is where the turn begins that the client has not answered yet.
	waits := len(ms)
	for waits > 0 && ofAssistant(ms[waits-1]) {
		waits--
	}
	for i, m := range ms {
		role, kind := m["role"], kindOf(m)
		if role != "system" && role != "developer" && first {
			if first = false; role != "user" {
				t.Fatalf("the first item is %v", m)
			}
		}
		id, _ := m["call_id"].(string)
		switch kind {
		case "function_call", "custom_tool_call":
			if used[id] && i < waits {
				t.Fatalf("id %s is used twice", id)
			}
			used[id], open[kind+"_output "+id] = true, true
		case "function_call_output", "custom_tool_call_output":
			if id = kind + " " + id; !open[id] {
				t.Fatalf("item %d: output %s does not follow its call", i, id)
			}
			if text, _ := m["output"].(string); strings.TrimSpace(text) == "" {
				t.Fatalf("item %d: empty output", i)
			}
			delete(open, id)
		case "reasoning":
			if i+1 >= len(ms) || strings.HasSuffix(kindOf(ms[i+1]), "_output") || ms[i+1]["role"] == "user" {
				t.Fatalf("item %d: reasoning without what it led to", i)
			}
		}
	}
	for _, m := range ms[waits:] {
		id, _ := m["call_id"].(string)
		delete(open, kindOf(m)+"_output "+id) // what the client was just asked to run
	}
	if len(open) > 0 {
		t.Fatalf("calls without an output: %v", open)
	}
}

// ofAssistant tells whether an item of a responses body is the model's.
func ofAssistant(m map[string]any) bool {
	return !strings.HasSuffix(kindOf(m), "_output") && (m["role"] == nil || m["role"] == "assistant")
}

// sealed are the bytes of every block and item that nobody may change: what a
// provider signed or encrypted, calls and results of its own, and what is of no
// known kind, in order.
func sealed(t failer, c *pith.Conversation) []string {
	t.Helper()
	var out []string
	for i := range c.Messages {
		raw := c.Messages[i].Raw
		if c.Format == pith.FormatOpenAIResponses {
			if isSealed(t, raw) {
				out = append(out, string(raw))
			}
			continue
		}
		var m struct {
			Content   json.RawMessage `json:"content"`
			Reasoning string          `json:"reasoning_content"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		if m.Reasoning != "" {
			out = append(out, m.Reasoning)
		}
		var blocks []json.RawMessage
		if json.Unmarshal(m.Content, &blocks) != nil {
			continue
		}
		for _, b := range blocks {
			if isSealed(t, b) {
				out = append(out, string(b))
			}
		}
	}
	return out
}

func isSealed(t failer, raw []byte) bool {
	t.Helper()
	var b struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	switch b.Type {
	case "thinking", "redacted_thinking", "reasoning", "hologram", "web_search_call":
		return true
	case "tool_use", "tool_result":
		return false
	}
	return strings.HasSuffix(b.Type, "_tool_use") || strings.HasSuffix(b.Type, "_tool_result")
}

// checkSealed: of those there is nothing in the result that did not come in,
// byte for byte, and in the same order.
func checkSealed(t failer, in, out *pith.Conversation) {
	t.Helper()
	was := sealed(t, in)
	for _, text := range sealed(t, out) {
		at := slices.Index(was, text)
		if at < 0 {
			t.Fatalf("changed, doubled or moved: %s", text)
		}
		was = was[at+1:]
	}
}

const cacheMark = `"cache_control"`

// openCalls are the bytes of the calls that wait for their results at the end.
func openCalls(c *pith.Conversation) []string {
	answered := map[string]bool{}
	var out []string
	for i := len(c.Messages) - 1; i >= 0; i-- {
		m := &c.Messages[i]
		if m.Role != pith.RoleAssistant && c.Format != pith.FormatOpenAIResponses {
			break
		}
		for j := len(m.Blocks) - 1; j >= 0; j-- {
			b := &m.Blocks[j]
			switch b.Kind {
			case pith.KindToolResult:
				answered[b.ToolUseID] = true
			case pith.KindToolUse:
				if !answered[b.ToolUseID] {
					out = append(out, b.ToolUseID+" "+b.Text)
				}
			}
		}
		if c.Format != pith.FormatOpenAIResponses || m.Role != pith.RoleAssistant {
			break
		}
	}
	return out
}

// checkOpen: the calls that the client is about to answer are still there,
// under the ids that it knows.
func checkOpen(t failer, in, out *pith.Conversation) {
	t.Helper()
	if was, is := openCalls(in), openCalls(out); !slices.Equal(was, is) {
		t.Fatalf("the open calls %q became %q", was, is)
	}
}

// checkHead: the system prompt is the one that came in, and behind it at most
// the block; there are no cache marks but those that came in.
func checkHead(t failer, in, out *pith.Conversation, block string) {
	t.Helper()
	if was, is := bytes.Count(in.Raw, []byte(cacheMark)), bytes.Count(encoded(t, out), []byte(cacheMark)); is > was || is > 4 {
		t.Fatalf("%d cache marks became %d", was, is)
	}
	was, is := "", ""
	for i := range in.System {
		was += in.System[i].Text
	}
	for i := range out.System {
		is += out.System[i].Text
	}
	was, _, _ = strings.Cut(was, "<pith-memory ") // an earlier block makes room for this one
	was = strings.TrimSpace(was)
	rest, ok := strings.CutPrefix(is, was)
	if rest = strings.TrimSpace(rest); !ok || rest != "" && rest != strings.TrimSpace(block) {
		t.Fatalf("the system prompt %q became %q", was, is)
	}
	next := 0
	for i := range in.Messages {
		if in.Messages[i].Role != pith.RoleSystem {
			break
		}
		if bytes.Contains(in.Messages[i].Raw, []byte("<pith-memory ")) {
			continue
		}
		if !bytes.Equal(in.Messages[i].Raw, out.Messages[next].Raw) {
			t.Fatalf("the system message %s became %s", in.Messages[i].Raw, out.Messages[next].Raw)
		}
		next++
	}
}

func encoded(t failer, c *pith.Conversation) []byte {
	t.Helper()
	out, err := wire.Encode(*c)
	if err != nil {
		t.Fatalf("%v", err)
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
	out := encoded(t, &r.Conversation)
	s := readSent(t, in.Format, out)
	checkSent(t, s)
	checkSealed(t, &in, &r.Conversation)
	checkOpen(t, &in, &r.Conversation)
	checkHead(t, &in, &r.Conversation, block)
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
	out := encoded(t, &r.Conversation)
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
