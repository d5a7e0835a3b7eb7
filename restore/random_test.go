package restore

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"pgregory.net/rapid"
)

// randomSession draws what sessions are made of, faults included: parallel
// calls, results in another order, in parts, away from their calls or not at
// all, ids used again, signed and encrypted thinking, images, tools that the
// provider runs, blocks and items of kinds that nobody knows, empty texts and
// contents, half surrogates, text beside results, cache marks.
type randomSession struct {
	t      *rapid.T
	format pith.Format
	n      int
	ids    int
	turns  int
	marks  int
	out    []any
	// planted is what a history with meaning says, nil for one without.
	planted *planted
}

// planted is what was put into a history, to be looked for in its state.
type planted struct {
	// UserRules and Requests are a user's words; OtherRules are what a tool or
	// the assistant says in the same form.
	UserRules, OtherRules, Requests []string
	Secrets                         []string
	// Exits are the last runs of each command.
	Exits map[string]Runs
	// commands are the open calls' commands, by id.
	commands map[string]string
	turns    int
}

// Turns counts the turns so far.
func (p *planted) Turns() int { return p.turns }

type object = map[string]any

var formats = []pith.Format{pith.FormatAnthropic, pith.FormatOpenAIChat, pith.FormatOpenAIResponses}

// randomHistory draws a request body without meaning.
func randomHistory(t *rapid.T, format pith.Format) []byte {
	return (&randomSession{t: t, format: format}).history()
}

func (r *randomSession) history() []byte {
	t := r.t
	r.user("Make it work.")
	for range rapid.IntRange(1, 12).Draw(t, "turns") {
		r.turn()
	}
	if r.chance(40) {
		r.user("And now?")
	}
	return r.body()
}

// randomOptions draws where to cut.
func randomOptions(t *rapid.T) ApplyOptions {
	return ApplyOptions{
		Pattern:      Pattern(rapid.IntRange(0, 1).Draw(t, "pattern")),
		KeepTokens:   pith.Tokens(rapid.SampledFrom([]int{1, 50, 300, 2000}).Draw(t, "keep")),
		KeepMessages: rapid.IntRange(0, 6).Draw(t, "messages"),
		Window:       rapid.SampledFrom([]int{0, 600, 1500, 8000}).Draw(t, "window"),
	}
}

func (r *randomSession) chance(percent int) bool {
	return rapid.IntRange(0, 99).Draw(r.t, "chance") < percent
}

// Runs are the runs of a command that one turn made side by side: which of them
// was the last one, nobody can tell.
type Runs struct {
	Turn int
	// Codes are their exit codes. Unknown is set where one did not say it.
	Codes   []int
	Unknown bool
}

// ran notes how a command ended, nil for unknown.
func (r *randomSession) ran(command string, exit *int) {
	runs := r.planted.Exits[command]
	if runs.Turn != r.turns {
		runs = Runs{Turn: r.turns}
	}
	if exit == nil {
		runs.Unknown = true
	} else {
		runs.Codes = append(runs.Codes, *exit)
	}
	r.planted.Exits[command] = runs
}

// say is what a speaker says: where the history has meaning, a rule, a request
// or a secret among words that mean nothing.
func (r *randomSession) say(who pith.Role) string {
	p := r.planted
	if p == nil || r.chance(50) {
		return r.words()
	}
	r.n++
	switch kind := rapid.IntRange(0, 2).Draw(r.t, "meaning"); {
	case kind == 0 && who == pith.RoleUser:
		rule := fmt.Sprintf("Never change the folder part_%d.", r.n)
		p.UserRules = append(p.UserRules, rule)
		return rule
	case kind == 0:
		rule := fmt.Sprintf("You must never read the folder part_%d.", r.n)
		p.OtherRules = append(p.OtherRules, rule)
		return rule
	case kind == 1:
		secret := "ghp_" + fmt.Sprintf("%x", sha256.Sum256([]byte{byte(r.n), byte(r.n >> 8)}))[:36]
		p.Secrets = append(p.Secrets, secret)
		return "The token is " + secret + " for the upload."
	case who == pith.RoleUser:
		request := fmt.Sprintf("Please add the report number %d.", r.n)
		p.Requests = append(p.Requests, request)
		return request
	}
	return r.words()
}

// command is what a call runs that is answered under this id.
func (r *randomSession) command(id string) string {
	if r.planted == nil {
		return "ls"
	}
	command := fmt.Sprintf("go test ./part%d", rapid.IntRange(0, 4).Draw(r.t, "part"))
	r.planted.commands[id] = command
	return command
}

// forget: the call of this id is not a command.
func (r *randomSession) forget(id string) {
	if r.planted != nil {
		delete(r.planted.commands, id)
	}
}

// output is what a tool says.
func (r *randomSession) output(id string) string {
	command, ok := "", false
	if r.planted != nil {
		command, ok = r.planted.commands[id]
		delete(r.planted.commands, id)
	}
	if !ok {
		return r.say(pith.RoleAssistant)
	}
	if r.chance(20) { // it does not say how it ended
		r.ran(command, nil)
		return r.say(pith.RoleAssistant)
	}
	exit := rapid.IntRange(0, 2).Draw(r.t, "exit")
	r.ran(command, &exit)
	if exit == 0 {
		return "Exit code: 0\nok  \texample.test/part\t0.1s"
	}
	return fmt.Sprintf("Exit code: %d\n--- FAIL: TestPart (0.00s)\nFAIL\texample.test/part\t0.1s", exit)
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
	r.turns++
	if r.planted != nil {
		r.planted.turns = r.turns
	}
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
		r.user(r.say(pith.RoleUser))
	}
	r.note()
	if len(order) > 1 && r.chance(10) {
		r.results(order[:1])
		r.results(order[1:])
	} else {
		r.results(order)
	}
	if r.chance(35) {
		r.user(r.say(pith.RoleUser))
	}
	r.note()
	if r.chance(3) {
		r.user("")
	}
}

// note is what a client says in the system's name in mid-conversation.
func (r *randomSession) note() {
	switch {
	case r.format == pith.FormatAnthropic || !r.chance(4):
	case r.format == pith.FormatOpenAIChat:
		r.add(object{"role": rapid.SampledFrom([]string{"system", "developer"}).Draw(r.t, "role"), "content": "A note of the client."})
	default:
		r.add(object{"type": "message", "role": "developer", "content": []any{object{"type": "input_text", "text": "A note of the client."}}})
	}
}

func (r *randomSession) assistant(ids []string) {
	switch r.format {
	case pith.FormatAnthropic:
		content := r.blocks(ids)
		if r.chance(3) && len(ids) == 0 {
			content = []any{}
		}
		r.add(object{"role": "assistant", "content": content})
	case pith.FormatOpenAIChat:
		r.chatTurn(ids)
	default:
		r.items(ids)
	}
}

func (r *randomSession) add(m any) { r.out = append(r.out, m) }

// marked gives a block a cache mark, four to a request at most.
func (r *randomSession) marked(b object) object {
	if r.marks < 4 && r.chance(5) {
		r.marks++
		b["cache_control"] = object{"type": "ephemeral"}
	}
	return b
}

// blocks is the content of an assistant's message for Anthropic.
func (r *randomSession) blocks(ids []string) []any {
	var content []any
	for r.chance(30) {
		r.n++
		content = append(content, rapid.SampledFrom([]any{
			object{"type": "thinking", "thinking": fmt.Sprintf("thought %d", r.n), "signature": fmt.Sprintf("sig%d+/=", r.n)},
			object{"type": "redacted_thinking", "data": fmt.Sprintf("data%d==", r.n)},
			object{"type": "thinking", "thinking": "a cut LONE thought", "signature": fmt.Sprintf("sig%d+/=", r.n)},
		}).Draw(r.t, "thinking"))
	}
	content = append(content, r.marked(object{"type": "text", "text": r.say(pith.RoleAssistant)}))
	if r.chance(15) {
		content = append(content, r.serverTools()...)
	}
	if r.chance(5) {
		content = append(content, object{"type": "hologram", "depth": r.n, "parts": []any{object{"id": "x"}}})
	}
	for _, id := range ids {
		content = append(content, r.marked(object{"type": "tool_use", "id": id, "name": "bash", "input": object{"command": r.command(id)}}))
	}
	return content
}

// serverTools are calls that the provider ran, with their results.
func (r *randomSession) serverTools() []any {
	r.n++
	a, b := fmt.Sprintf("srv%da", r.n), fmt.Sprintf("srv%db", r.n)
	search := object{"type": "server_tool_use", "id": a, "name": "web_search", "input": object{"query": "q"}}
	found := object{"type": "web_search_tool_result", "tool_use_id": a, "content": []any{object{"type": "web_search_result", "url": "https://example.test", "title": "T", "encrypted_content": "E=="}}}
	switch rapid.IntRange(0, 4).Draw(r.t, "server") {
	case 0:
		return []any{search, object{"type": "server_tool_use", "id": b, "name": "bash_code_execution", "input": object{"command": "ls"}}, found,
			object{"type": "bash_code_execution_tool_result", "tool_use_id": b, "content": object{"type": "bash_code_execution_result", "stdout": "x", "stderr": "", "return_code": 0}},
			object{"type": "text", "text": r.words()}}
	case 1:
		return []any{object{"type": "mcp_tool_use", "id": a, "name": "look", "server_name": "s", "input": object{}},
			object{"type": "mcp_tool_result", "tool_use_id": a, "is_error": false, "content": []any{object{"type": "text", "text": "seen"}}}}
	case 2:
		return []any{search, object{"type": "web_search_tool_result", "tool_use_id": a, "content": object{"type": "web_search_tool_result_error", "error_code": "unavailable"}}}
	case 3:
		return []any{object{"type": "telepathy_tool_use", "id": a, "input": object{}}, object{"type": "telepathy_tool_result", "tool_use_id": a, "content": []any{}}}
	}
	return []any{search, found}
}

func (r *randomSession) chatTurn(ids []string) {
	m := object{"role": "assistant", "content": r.say(pith.RoleAssistant)}
	if r.chance(30) {
		m["content"] = []any{object{"type": "text", "text": m["content"]}}
	}
	if r.chance(15) {
		m["reasoning_content"] = fmt.Sprintf("thought %d", r.n)
	}
	if r.chance(5) {
		m["refusal"] = "No."
	}
	var calls []any
	for _, id := range ids {
		if r.chance(10) {
			r.forget(id)
			calls = append(calls, object{"id": id, "type": "custom", "custom": object{"name": "patch", "input": "*** Begin"}})
			continue
		}
		calls = append(calls, object{"id": id, "type": "function", "function": object{"name": "bash", "arguments": `{"command":"` + r.command(id) + `"}`}})
	}
	if len(calls) > 0 {
		m["tool_calls"] = calls
		if r.chance(30) {
			m["content"] = nil
		}
	}
	r.add(m)
}

func (r *randomSession) items(ids []string) {
	r.n++
	if r.chance(30) && len(ids) > 0 {
		r.add(object{"type": "reasoning", "id": fmt.Sprintf("rs_%d", r.n), "summary": []any{}, "encrypted_content": fmt.Sprintf("abc%d", r.n)})
	} else {
		r.add(object{"type": "message", "role": "assistant", "content": []any{object{"type": "output_text", "text": r.say(pith.RoleAssistant)}}})
	}
	if r.chance(10) {
		r.add(object{"type": "web_search_call", "id": fmt.Sprintf("ws_%d", r.n), "status": "completed", "action": object{"type": "search", "query": "q"}})
	}
	if r.chance(4) {
		r.add(object{"type": "hologram", "id": fmt.Sprintf("ho_%d", r.n)})
	}
	for _, id := range ids {
		if r.chance(10) {
			r.forget(id)
			r.add(object{"type": "custom_tool_call", "call_id": id, "name": "patch", "input": "*** Begin"})
			continue
		}
		r.add(object{"type": "function_call", "call_id": id, "name": "bash", "arguments": `{"command":"` + r.command(id) + `"}`})
	}
}

func (r *randomSession) results(ids []string) {
	var content []any
	for _, id := range ids {
		text := r.output(id)
		switch r.format {
		case pith.FormatAnthropic:
			content = append(content, r.result(id, text))
		case pith.FormatOpenAIChat:
			m := object{"role": "tool", "tool_call_id": id, "content": text}
			if r.chance(10) {
				m["content"] = []any{object{"type": "text", "text": text}}
			}
			r.add(m)
		default:
			kind := "function_call_output"
			if r.callKind(id) == "custom_tool_call" {
				kind = "custom_tool_call_output"
			}
			r.add(object{"type": kind, "call_id": id, "output": text})
		}
	}
	if r.format != pith.FormatAnthropic || len(content) == 0 {
		return
	}
	switch rapid.IntRange(0, 24).Draw(r.t, "beside") {
	case 0:
		content = append([]any{object{"type": "text", "text": r.say(pith.RoleUser)}}, content...)
	case 1, 2, 3, 4:
		content = append(content, object{"type": "text", "text": r.say(pith.RoleUser)})
	}
	r.add(object{"role": "user", "content": content})
}

// callKind is the type of the item that made the call last.
func (r *randomSession) callKind(id string) string {
	for i := len(r.out) - 1; i >= 0; i-- {
		if m, ok := r.out[i].(object); ok && m["call_id"] == id {
			kind, _ := m["type"].(string)
			return kind
		}
	}
	return ""
}

func (r *randomSession) result(id, text string) object {
	b := r.marked(object{"type": "tool_result", "tool_use_id": id, "content": text})
	switch rapid.IntRange(0, 19).Draw(r.t, "result") {
	case 0, 1, 2:
		b["content"] = []any{r.image(), object{"type": "text", "text": "shot"}}
		if r.planted != nil {
			b["content"] = []any{object{"type": "text", "text": text}, r.image()}
		}
	case 3:
		b["content"] = []any{object{"type": "text", "text": text}}
	case 4:
		b["is_error"] = true
	case 5:
		if r.planted == nil {
			b["content"] = []any{}
		}
	case 6:
		if r.planted == nil {
			delete(b, "content")
		}
	}
	return b
}

func (r *randomSession) image() object {
	return object{"type": "image", "source": object{"type": "base64", "media_type": "image/png", "data": strings.Repeat("AAAA", 50)}}
}

func (r *randomSession) user(text string) {
	switch r.format {
	case pith.FormatOpenAIResponses:
		content := []any{object{"type": "input_text", "text": text}}
		if r.chance(4) {
			content = append(content, object{"type": "input_image", "image_url": "data:image/png;base64,AAAA"})
		}
		r.add(object{"type": "message", "role": "user", "content": content})
	case pith.FormatOpenAIChat:
		if r.chance(4) {
			r.add(object{"role": "user", "content": []any{object{"type": "text", "text": text}, object{"type": "image_url", "image_url": object{"url": "data:image/png;base64,AAAA"}}}})
			return
		}
		r.add(object{"role": "user", "content": text})
	default:
		if r.chance(70) {
			r.add(object{"role": "user", "content": text})
			return
		}
		content := []any{r.marked(object{"type": "text", "text": text})}
		if r.chance(20) {
			content = append(content, r.image())
		}
		if r.chance(10) {
			content = append(content, object{"type": "document", "source": object{"type": "text", "media_type": "text/plain", "data": r.words()}}, object{"type": "hologram"})
		}
		r.add(object{"role": "user", "content": content})
	}
}

func (r *randomSession) body() []byte {
	b := object{"model": "m", "max_tokens": 100}
	key := "messages"
	switch r.format {
	case pith.FormatAnthropic:
		b["system"] = "You are an agent."
		if r.chance(30) {
			b["system"] = []any{r.marked(object{"type": "text", "text": "You are an agent."}), r.marked(object{"type": "text", "text": "Be brief."})}
		}
		if r.chance(30) {
			b["tools"] = []any{r.marked(object{"name": "bash", "description": "Runs a command.", "input_schema": object{"type": "object"}})}
		}
	case pith.FormatOpenAIChat:
		r.out = append([]any{object{"role": "system", "content": "You are an agent."}}, r.out...)
	default:
		key = "input"
		b["instructions"] = "You are an agent."
		if r.chance(20) {
			r.out = append([]any{object{"type": "message", "role": "developer", "content": []any{object{"type": "input_text", "text": "Be brief."}}}}, r.out...)
		}
	}
	b[key] = r.out
	raw, err := json.Marshal(b)
	if err != nil {
		r.t.Fatal(err)
	}
	return []byte(strings.ReplaceAll(string(raw), "LONE", `\ud83d`))
}

// histories sets how many histories a property is held against: few in every
// run, and as many as PITH_HISTORIES says where it is set.
func histories(t *testing.T, few int) {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv("PITH_HISTORIES")); err == nil && n > 0 {
		few = n
	}
	checks := flag.Lookup("rapid.checks")
	before := checks.Value.String()
	if err := flag.Set("rapid.checks", strconv.Itoa(few)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set("rapid.checks", before) })
}

// TestApplyInvariants: whatever a history is made of and wherever it is cut,
// what comes out is what a provider takes, smaller, and within the window.
func TestApplyInvariants(t *testing.T) {
	block := testBlock(t, "Make it work.")
	histories(t, 1500)
	changed := map[pith.Format]int{}
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom(formats).Draw(t, "format")
		body := randomHistory(t, format)
		o := randomOptions(t)
		t.Logf("%+v\n%s", o, body)
		if _, _, err := applied(t, body, block, o); err == nil {
			changed[format]++
		}
	})
	for _, format := range formats {
		if changed[format] == 0 {
			t.Errorf("no conversation of %s was ever made smaller: the property was not tested", format)
		}
	}
	t.Logf("made smaller: %v", changed)
}
