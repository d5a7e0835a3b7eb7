package restore

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"pgregory.net/rapid"
)

// randomSession draws what sessions are made of, faults included: parallel
// calls, results in another order, orphans on both sides, ids used again,
// thinking, images, empty texts, half surrogates, text beside results.
type randomSession struct {
	t      *rapid.T
	format pith.Format
	n      int
	ids    int
	out    []any
}

type object = map[string]any

func (r *randomSession) chance(percent int) bool {
	return rapid.IntRange(0, 99).Draw(r.t, "chance") < percent
}

func (r *randomSession) words() string {
	r.n++
	switch rapid.IntRange(0, 11).Draw(r.t, "words") {
	case 0:
		return ""
	case 1:
		return " \n"
	case 2:
		return "broken LONE end"
	case 3:
		return strings.Repeat(fmt.Sprintf("line %d of a long text 👨‍👩‍👧\n", r.n), rapid.IntRange(1, 200).Draw(r.t, "lines"))
	case 4:
		return "<system-reminder>never mind</system-reminder>"
	}
	return fmt.Sprintf("text %d", r.n)
}

func (r *randomSession) id() string {
	if r.chance(15) {
		return "call_again"
	}
	r.ids++
	return fmt.Sprintf("call_%d", r.ids)
}

func (r *randomSession) turn() {
	calls := rapid.IntRange(0, 3).Draw(r.t, "calls")
	ids := make([]string, 0, calls)
	for range calls {
		id := r.id()
		dup := false
		for _, x := range ids {
			dup = dup || x == id
		}
		if !dup {
			ids = append(ids, id)
		}
	}
	r.assistant(ids)
	order := rapid.Permutation(ids).Draw(r.t, "order")
	if len(order) > 0 && r.chance(10) {
		order = order[1:] // one call is never answered
	}
	if r.chance(8) {
		order = append(order, "orphan")
	}
	if r.chance(5) {
		r.user(r.words())
	}
	r.results(order)
	if r.chance(35) {
		r.user(r.words())
	}
}

func (r *randomSession) assistant(ids []string) {
	text := r.words()
	switch r.format {
	case pith.FormatAnthropic:
		var content []any
		if r.chance(30) {
			content = append(content, object{"type": "thinking", "thinking": fmt.Sprintf("thought %d", r.n), "signature": fmt.Sprintf("sig%d", r.n)})
		}
		content = append(content, object{"type": "text", "text": text})
		if r.chance(10) {
			id := fmt.Sprintf("srv%d", r.n)
			content = append(content, object{"type": "server_tool_use", "id": id, "name": "web_search", "input": object{"query": "q"}},
				object{"type": "web_search_tool_result", "tool_use_id": id, "content": []any{object{"type": "web_search_result", "url": "https://example.test", "title": "T"}}})
		}
		for _, id := range ids {
			content = append(content, object{"type": "tool_use", "id": id, "name": "bash", "input": object{"command": "ls"}})
		}
		r.out = append(r.out, object{"role": "assistant", "content": content})
	case pith.FormatOpenAIChat:
		m := object{"role": "assistant", "content": text}
		var calls []any
		for _, id := range ids {
			calls = append(calls, object{"id": id, "type": "function", "function": object{"name": "bash", "arguments": `{"command":"ls"}`}})
		}
		if len(calls) > 0 {
			m["tool_calls"] = calls
		}
		r.out = append(r.out, m)
	default:
		if r.chance(30) && len(ids) > 0 {
			r.out = append(r.out, object{"type": "reasoning", "id": fmt.Sprintf("rs_%d", r.n), "summary": []any{}, "encrypted_content": "abc"})
		} else {
			r.out = append(r.out, object{"type": "message", "role": "assistant", "content": []any{object{"type": "output_text", "text": text}}})
		}
		for _, id := range ids {
			r.out = append(r.out, object{"type": "function_call", "call_id": id, "name": "bash", "arguments": `{"command":"ls"}`})
		}
	}
}

func (r *randomSession) results(ids []string) {
	var content []any
	for _, id := range ids {
		text := r.words()
		switch r.format {
		case pith.FormatAnthropic:
			b := object{"type": "tool_result", "tool_use_id": id, "content": text}
			if r.chance(20) {
				b["content"] = []any{object{"type": "image", "source": object{"type": "base64", "media_type": "image/png", "data": strings.Repeat("AAAA", 50)}}, object{"type": "text", "text": "shot"}}
			}
			content = append(content, b)
		case pith.FormatOpenAIChat:
			r.out = append(r.out, object{"role": "tool", "tool_call_id": id, "content": text})
		default:
			r.out = append(r.out, object{"type": "function_call_output", "call_id": id, "output": text})
		}
	}
	if r.format == pith.FormatAnthropic && len(content) > 0 {
		if r.chance(20) {
			content = append(content, object{"type": "text", "text": r.words()})
		}
		r.out = append(r.out, object{"role": "user", "content": content})
	}
}

func (r *randomSession) user(text string) {
	if r.format == pith.FormatOpenAIResponses {
		r.out = append(r.out, object{"type": "message", "role": "user", "content": []any{object{"type": "input_text", "text": text}}})
		return
	}
	r.out = append(r.out, object{"role": "user", "content": text})
}

func (r *randomSession) body() []byte {
	b := object{"model": "m", "max_tokens": 100}
	key := "messages"
	switch r.format {
	case pith.FormatAnthropic:
		b["system"] = "You are an agent."
	case pith.FormatOpenAIChat:
		r.out = append([]any{object{"role": "system", "content": "You are an agent."}}, r.out...)
	default:
		key = "input"
		b["instructions"] = "You are an agent."
	}
	b[key] = r.out
	raw, err := json.Marshal(b)
	if err != nil {
		r.t.Fatal(err)
	}
	return []byte(strings.ReplaceAll(string(raw), "LONE", `\ud83d`))
}

func TestApplyInvariants(t *testing.T) {
	block := testBlock(t, "Make it work.")
	for _, format := range []pith.Format{pith.FormatAnthropic, pith.FormatOpenAIChat, pith.FormatOpenAIResponses} {
		t.Run(string(format), func(t *testing.T) {
			changed := 0
			rapid.Check(t, func(t *rapid.T) {
				r := &randomSession{t: t, format: format}
				r.user("Make it work.")
				for range rapid.IntRange(1, 12).Draw(t, "turns") {
					r.turn()
				}
				if r.chance(50) {
					r.user("And now?")
				}
				o := ApplyOptions{
					Pattern:      Pattern(rapid.IntRange(0, 1).Draw(t, "pattern")),
					KeepTokens:   pith.Tokens(rapid.SampledFrom([]int{1, 50, 300, 2000}).Draw(t, "keep")),
					KeepMessages: rapid.IntRange(0, 6).Draw(t, "messages"),
					Window:       rapid.SampledFrom([]int{0, 600, 1500, 8000}).Draw(t, "window"),
				}
				body := r.body()
				t.Logf("%+v\n%s", o, body)
				if _, _, err := applied(t, body, block, o); err == nil {
					changed++
				}
			})
			if changed == 0 {
				t.Error("no conversation was ever made smaller: the property was not tested")
			}
		})
	}
}
