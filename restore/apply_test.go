package restore

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/wire"
)

// quarter is the estimate that the tests' windows are made for.
func quarter(text string) pith.Tokens { return pith.Tokens((len(text) + 3) / 4) }

func filler(name string, lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "%s %04d worker=%d state=ok\n", name, i, i%7)
	}
	return b.String()
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func anthropic(t *testing.T, messages ...object) []byte {
	return jsonOf(t, object{"model": "m", "max_tokens": 200, "system": "You are an agent. Mode: read-only.", "messages": messages})
}

func chat(t *testing.T, messages ...object) []byte {
	messages = append([]object{{"role": "system", "content": "You are an agent."}}, messages...)
	return jsonOf(t, object{"model": "m", "max_tokens": 200, "messages": messages})
}

func says(role, text string) object { return object{"role": role, "content": text} }

func holds(role string, blocks ...object) object { return object{"role": role, "content": blocks} }

func textBlock(s string) object { return object{"type": "text", "text": s} }

func use(id, command string) object {
	return object{"type": "tool_use", "id": id, "name": "bash", "input": object{"command": command}}
}

func result(id string, content any) object {
	return object{"type": "tool_result", "tool_use_id": id, "content": content}
}

func chatCall(id, path string) object {
	return object{"role": "assistant", "content": nil, "tool_calls": []object{{"id": id, "type": "function",
		"function": object{"name": "read_file", "arguments": `{"path":"` + path + `"}`}}}}
}

func chatResult(id, text string) object {
	return object{"role": "tool", "tool_call_id": id, "content": text}
}

// sessions are the kinds of conversation that went wrong elsewhere. want are
// pieces of the body that is sent, not of those that must not be in it.
var sessions = []struct {
	name    string
	body    func(t *testing.T) []byte
	options ApplyOptions
	want    []string
	not     []string
}{
	{"results of two calls in one run", func(t *testing.T) []byte {
		return chat(t, says("user", "Compare a.go and b.go."), chatCall("call_a", "a.go"), chatCall("call_b", "b.go"),
			chatResult("call_a", filler("a", 40)), chatResult("call_b", filler("b", 40)),
			says("assistant", "They differ in the retry loop."), says("user", "Which one retries more often?"))
	}, ApplyOptions{Window: 900, KeepMessages: 5}, []string{"Which one retries more often?", "characters left out"}, nil},

	{"six parallel calls, room for three results", func(t *testing.T) []byte {
		calls := []object{textBlock("Reading six chapters.")}
		var results []object
		for _, i := range []int{4, 1, 6, 2, 5, 3} {
			calls = append(calls, use(fmt.Sprintf("c%d", 7-i), "cat"))
			results = append(results, result(fmt.Sprintf("c%d", i), filler("chapter", 50)))
		}
		return anthropic(t, says("user", "Summarise six chapters."), holds("assistant", calls...), holds("user", results...),
			says("assistant", "Drafting the table now."), says("user", "Add a column for word count."))
	}, ApplyOptions{Window: 2000, KeepMessages: 3}, []string{"Add a column for word count."}, []string{"tool_result"}},

	{"a result and text in one message", func(t *testing.T) []byte {
		return anthropic(t, says("user", "Clean up."), holds("assistant", use("old", "ls")),
			holds("user", result("old", filler("sql", 80)), textBlock("Never touch 0042_ledger.sql.")),
			holds("assistant", use("new", "cat")), holds("user", result("new", filler("tax", 20))))
	}, ApplyOptions{Window: 1500, KeepMessages: 2}, []string{"Never touch 0042_ledger.sql.", `"tool_use_id":"new"`}, []string{`"old"`}},

	{"one id used again", func(t *testing.T) []byte {
		return chat(t, says("user", filler("long", 60)), chatCall("call_0", "dev.toml"), chatResult("call_0", "dev 5"),
			chatCall("call_0", "prod.toml"), chatResult("call_0", "prod 30"), says("assistant", "dev 5, prod 30."), says("user", "Raise prod."))
	}, ApplyOptions{Window: 4000}, []string{`"call_0"`, `"call_0_2"`, "dev 5", "prod 30"}, nil},

	{"a server tool's pair inside a message", func(t *testing.T) []byte {
		return anthropic(t, says("user", filler("long", 60)), holds("assistant",
			object{"type": "server_tool_use", "id": "srv", "name": "web_search", "input": object{"query": "q"}},
			object{"type": "web_search_tool_result", "tool_use_id": "srv", "content": []object{{"type": "web_search_result", "url": "https://docs.example.test", "title": "Q", "encrypted_content": "RVhB"}}},
			textBlock("The limit is 500."), use("u", "cat limits.go")),
			holds("user", result("u", "400")), says("assistant", "The code has 400."), says("user", "Set it to 500."))
	}, ApplyOptions{Window: 4000}, []string{"server_tool_use", "RVhB", `"query":"q"`}, nil},

	{"signed thinking in the running loop", func(t *testing.T) []byte {
		return anthropic(t, says("user", "Why does the lock leak?"),
			holds("assistant", object{"type": "thinking", "thinking": filler("think", 100), "signature": "c2ln"}, use("a", "cat mgr.go")),
			holds("user", result("a", filler("mgr", 100))),
			holds("assistant", object{"type": "thinking", "thinking": "Line 31 skips Unlock.", "signature": "c2lnMg=="}, object{"type": "redacted_thinking", "data": "cmVk"}, textBlock("Found it."), use("b", "go test")),
			holds("user", result("b", "ok 5 passed")))
	}, ApplyOptions{Window: 1500}, []string{"Line 31 skips Unlock.", "c2lnMg==", "redacted_thinking"}, []string{"c2ln\""}},

	{"empty texts and an empty result", func(t *testing.T) []byte {
		return anthropic(t, says("user", "Touch the file. "+filler("paste", 60)), holds("assistant", textBlock(""), use("a", "touch a")),
			holds("user", object{"type": "tool_result", "tool_use_id": "a"}, textBlock("   ")), object{"role": "assistant", "content": []object{}},
			says("user", "go on"), holds("assistant", textBlock("\n")), says("user", "And now?"))
	}, ApplyOptions{Window: 4000}, []string{noOutput, `"tool_use_id":"a"`, "go on", "And now?"}, nil},

	{"old images", func(t *testing.T) []byte {
		image := object{"type": "image", "source": object{"type": "base64", "media_type": "image/png", "data": strings.Repeat("QUFB", 400)}}
		newer := object{"type": "image", "source": object{"type": "base64", "media_type": "image/png", "data": strings.Repeat("QkJC", 400)}}
		return anthropic(t, says("user", "Check the pages. "+filler("paste", 60)), holds("assistant", use("a", "shot /checkout")),
			holds("user", result("a", []object{textBlock("1280x800 /checkout"), image})), holds("assistant", use("b", "shot /cart")),
			holds("user", result("b", []object{newer, textBlock("1280x800 /cart")})), says("assistant", "Fine."), says("user", "Fix it."))
	}, ApplyOptions{Window: 8000}, []string{"[image from bash, image/png, 1200 bytes, left out]", "1280x800 /checkout", "1280x800 /cart", "QkJCQkJC"}, []string{"QUFBQUFB"}},

	{"one result larger than the window", func(t *testing.T) []byte {
		return anthropic(t, says("user", "Make the tests pass."), holds("assistant", textBlock("Running."), use("a", "go test ./invoice")),
			holds("user", result("a", "goos: linux\n"+filler("run", 1500)+"--- FAIL: TestInvoiceRounding\n    got 10.01 want 10.00\nFAIL\nexit status 1\n")))
	}, ApplyOptions{Window: 4000}, []string{"TestInvoiceRounding", "got 10.01 want 10.00", "characters left out", "goos: linux"}, nil},

	{"a paste larger than the window", func(t *testing.T) []byte {
		return anthropic(t, says("user", "hi"), says("assistant", "hello"), says("user", "Why is this slow?\n"+filler("log", 1500)+"Answer in one line."))
	}, ApplyOptions{Window: 2000}, []string{"Why is this slow?", "Answer in one line.", "left out"}, nil},

	{"a proposal at the end", func(t *testing.T) []byte {
		return anthropic(t, says("user", "The edge node is slow."), holds("assistant", use("a", "cat metrics")), holds("user", result("a", filler("met", 120))),
			says("assistant", "I suggest: ssh deploy@edge-7 'reboot'. Shall I run it?"))
	}, ApplyOptions{Window: 1500}, []string{"It is a record, not a request."}, []string{"ssh deploy@edge-7"}},

	{"an open call at the end", func(t *testing.T) []byte {
		return anthropic(t, says("user", filler("paste", 80)), says("assistant", "ok"), says("user", "Run the tests."), holds("assistant", use("open", "go test")))
	}, ApplyOptions{Window: 2000}, []string{`"id":"open"`}, nil},

	{"reminders that are sent once", func(t *testing.T) []byte {
		return anthropic(t, holds("user", textBlock("<system-reminder>\nUse tabs.\n</system-reminder>"), textBlock("Fix it. "+filler("paste", 60))),
			says("assistant", filler("answer", 60)), says("user", "And now?"))
	}, ApplyOptions{Window: 2000}, []string{"Use tabs.", "And now?"}, []string{"paste 0001"}},
}

func TestApplyKinds(t *testing.T) {
	block := testBlock(t, "The goal.")
	for _, tt := range sessions {
		for _, pattern := range []Pattern{PatternSystem, PatternMessage} {
			t.Run(fmt.Sprintf("%s/%d", tt.name, pattern), func(t *testing.T) {
				o := tt.options
				o.Pattern, o.Count = pattern, quarter
				r, s, err := applied(t, tt.body(t), block, o)
				if err != nil {
					t.Fatal(err)
				}
				out, err := wire.Encode(r.Conversation)
				if err != nil {
					t.Fatal(err)
				}
				for _, want := range tt.want {
					if !strings.Contains(string(out), want) {
						t.Errorf("%q is missing in\n%s", want, out)
					}
				}
				for _, not := range tt.not {
					if strings.Contains(string(out), not) {
						t.Errorf("%q stands in\n%s", not, out)
					}
				}
				checkPlace(t, s, pattern)
			})
		}
	}
}

// checkPlace holds that the block is where its pattern says, and the system
// prompt before it as it was.
func checkPlace(t *testing.T, s sent, pattern Pattern) {
	t.Helper()
	has := func(v any) bool {
		b, _ := json.Marshal(v)
		return strings.Contains(string(b), "pith-memory checkpoint=")
	}
	system := s.system
	if s.format == pith.FormatOpenAIChat {
		var list []any
		for _, m := range s.messages {
			if m["role"] == "system" {
				list = append(list, m)
			}
		}
		system = list
	}
	if has(system) != (pattern == PatternSystem) {
		t.Errorf("pattern %d: the block is in the wrong place: %v", pattern, system)
	}
	b, _ := json.Marshal(system)
	if !strings.Contains(string(b), "You are an agent.") {
		t.Errorf("the system prompt was changed: %s", b)
	}
	if text, ok := system.(string); ok && text != "You are an agent. Mode: read-only." {
		t.Errorf("the system prompt was changed: %s", text)
	}
}

func TestApplyDeclines(t *testing.T) {
	block := testBlock(t, "The goal.")
	big := object{"model": "m", "max_tokens": 200, "system": filler("policy", 300), "messages": []object{says("user", "hi"), says("assistant", "Hello."), says("user", "Nothing yet.")}}
	for _, tt := range []struct {
		name  string
		body  []byte
		block string
		o     ApplyOptions
		want  string
	}{
		{"a prefix over the window", jsonOf(t, big), block, ApplyOptions{Window: 2000}, "(system 2251, tools 0, messages 21)"},
		{"a block longer than what it replaces", anthropic(t, says("user", "Rename foo."), says("assistant", "Done."), says("user", "Thanks, also in doc.go.")), block, ApplyOptions{}, "cannot reduce below"},
		{"no block", anthropic(t, says("user", "x"), says("assistant", filler("x", 200)), says("user", "y")), " ", ApplyOptions{}, "no block"},
		{"a compaction of the provider", anthropic(t, says("user", "x"), holds("assistant", object{"type": "compaction", "content": filler("s", 200)}), says("user", "y")), block, ApplyOptions{}, "provider's own"},
	} {
		tt.o.Count = quarter
		_, _, err := applied(t, tt.body, tt.block, tt.o)
		if pith.KindOf(err) != pith.KindDeclined || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// A session that is compacted over and over keeps one block and its size.
func TestApplyChain(t *testing.T) {
	body := anthropic(t, says("user", "Make it work."), says("assistant", filler("answer", 200)), says("user", "And now?"))
	for i := range 8 {
		s := working()
		s.Checkpoint.ID = fmt.Sprintf("%064x", i+1)
		block := Render(s, Options{}).Text
		c, err := wire.Decode(body)
		if err != nil {
			t.Fatal(err)
		}
		pattern := Pattern(i / 2 % 2)
		r, err := Apply(c, block, ApplyOptions{Pattern: pattern, KeepTokens: 500})
		if err != nil {
			t.Fatal(i, err)
		}
		if body, err = wire.Encode(r.Conversation); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(body), "pith-memory checkpoint="); n != 1 {
			t.Fatalf("step %d: %d blocks in\n%s", i, n, body)
		}
		var m map[string]any
		if err := json.Unmarshal(body, &m); err != nil {
			t.Fatal(err)
		}
		m["messages"] = append(m["messages"].([]any), says("assistant", filler("more", 200)), says("user", fmt.Sprintf("Step %d?", i)))
		body = jsonOf(t, m)
	}
}

func BenchmarkApply(b *testing.B) {
	var messages []object
	for i := range 400 {
		id := fmt.Sprintf("c%d", i)
		messages = append(messages, holds("assistant", textBlock("Next."), use(id, "cat file")), holds("user", result(id, filler("line", 60))))
	}
	messages = append([]object{says("user", "Read them all.")}, messages...)
	body, _ := json.Marshal(object{"model": "m", "max_tokens": 1000, "system": "s", "messages": messages})
	c, err := wire.Decode(body)
	if err != nil {
		b.Fatal(err)
	}
	block := Render(working(), Options{}).Text
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := Apply(c, block, ApplyOptions{Window: 200_000}); err != nil {
			b.Fatal(err)
		}
	}
}
