package providertest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/provider/providertest"
)

var paths = map[pith.Format]string{
	pith.FormatAnthropic:       "/v1/messages",
	pith.FormatOpenAIChat:      "/v1/chat/completions",
	pith.FormatOpenAIResponses: "/v1/responses",
}

var formats = []pith.Format{pith.FormatAnthropic, pith.FormatOpenAIChat, pith.FormatOpenAIResponses}

func post(t *testing.T, s *providertest.Server, f pith.Format, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+paths[f], strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Anthropic-Version", "2023-06-01")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(answer)
}

// The good bodies: two parallel calls, their results, and a word of the user.
const (
	anthropicHead = `{"model":"m","max_tokens":100,"system":"You are an agent.","tools":[{"name":"bash","input_schema":{"type":"object"}},{"name":"read","input_schema":{"type":"object"}}],"messages":[`
	anthropicUser = `{"role":"user","content":"Fix it."}`
	anthropicCall = `{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"a","name":"bash","input":{}},{"type":"tool_use","id":"b","name":"read","input":{}}]}`
	anthropicDone = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"two"},{"type":"tool_result","tool_use_id":"a","content":"one"},{"type":"text","text":"Go on."}]}`

	chatHead = `{"model":"m","tools":[{"type":"function","function":{"name":"bash","parameters":{"type":"object"}}}],"messages":[{"role":"system","content":"You are an agent."},`
	chatUser = `{"role":"user","content":"Fix it."}`
	chatCall = `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"bash","arguments":"{}"}}]}`
	chatDone = `{"role":"tool","tool_call_id":"b","content":"two"},{"role":"tool","tool_call_id":"a","content":"one"}`

	responsesHead = `{"model":"m","instructions":"You are an agent.","tools":[{"type":"function","name":"bash","parameters":{"type":"object"}}],"input":[`
	responsesUser = `{"role":"user","content":"Fix it."}`
	responsesCall = `{"type":"function_call","call_id":"a","name":"bash","arguments":"{}"},{"type":"function_call","call_id":"b","name":"bash","arguments":"{}"}`
	responsesDone = `{"type":"function_call_output","call_id":"b","output":"two"},{"type":"function_call_output","call_id":"a","output":"one"}`
)

var good = map[pith.Format]string{
	pith.FormatAnthropic:       anthropicHead + anthropicUser + "," + anthropicCall + "," + anthropicDone + "]}",
	pith.FormatOpenAIChat:      chatHead + chatUser + "," + chatCall + "," + chatDone + "]}",
	pith.FormatOpenAIResponses: responsesHead + responsesUser + "," + responsesCall + "," + responsesDone + "]}",
}

func TestGoodBodiesPass(t *testing.T) {
	s := providertest.New(t, providertest.Options{Strict: true, Window: 1000})
	for _, f := range formats {
		if status, answer := post(t, s, f, good[f]); status != http.StatusOK {
			t.Errorf("%s: %d %s", f, status, answer)
		}
	}
	if p := s.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

// wrong is a change of a good body, and the words of the API that refuse it.
type wrong struct {
	format   pith.Format
	old, new string
	words    string
	strict   bool
}

const (
	anthropic = pith.FormatAnthropic
	chat      = pith.FormatOpenAIChat
	responses = pith.FormatOpenAIResponses
)

var wrongBodies = []wrong{
	// Pairs.
	{anthropic, `{"type":"tool_result","tool_use_id":"a","content":"one"},`, "", "ids were found without `tool_result` blocks immediately after: a.", false},
	{anthropic, `{"type":"tool_use","id":"a","name":"bash","input":{}},`, "", "unexpected `tool_use_id` found", false},
	{anthropic, `"tool_use_id":"b"`, `"tool_use_id":"a"`, "multiple `tool_result` blocks", false},
	{anthropic, anthropicDone, anthropicUser + "," + anthropicCall + "," + anthropicDone, "ids were found without", false},
	{anthropic, "," + anthropicDone, "", "must end with a user message", false},
	{anthropic, `[{"type":"tool_result"`, `[{"type":"text","text":"First this."},{"type":"tool_result"`, "ids were found without", false},
	{chat, `{"role":"tool","tool_call_id":"b","content":"two"},`, "", "did not have response messages: b", false},
	{chat, chatCall + ",", "", "must be a response to a preceeding message", false},
	{chat, `"tool_call_id":"b"`, `"tool_call_id":"c"`, "not found in 'tool_calls'", false},
	{chat, chatCall + ",", chatCall + "," + chatUser + ",", "did not have response messages: a, b", false},
	{responses, `{"type":"function_call_output","call_id":"b","output":"two"},`, "", "No tool output found for function call b", false},
	{responses, `{"type":"function_call","call_id":"a","name":"bash","arguments":"{}"},`, "", "No tool call found for function call output with call_id a", false},
	{responses, responsesCall + ",", responsesCall + "," + responsesUser + ",", "No tool output found for function call a", false},
	{responses, `{"type":"function_call_output","call_id":"a"`, responsesCall + `,{"type":"function_call_output","call_id":"a"`, "No tool output found for function call a", false},
	// The provider's own tools.
	{anthropic, `{"type":"text","text":"I look."}`, `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`, "without a corresponding `web_search_tool_result` block", false},
	{anthropic, `{"type":"text","text":"I look."}`, `{"type":"web_search_tool_result","tool_use_id":"s","content":[]}`, "unexpected `tool_use_id` found in `web_search_tool_result`", false},
	// Who speaks.
	{anthropic, anthropicUser + ",", "", `first message must use the \"user\" role`, false},
	{anthropic, anthropicDone, anthropicDone + `,{"role":"assistant","content":"Done."}`, "must end with a user message", false},
	{anthropic, anthropicUser, anthropicUser + "," + anthropicUser, "roles must alternate", true},
	{anthropic, `{"role":"user","content":"Fix it."}`, `{"role":"system","content":"Fix it."}`, "Unexpected role", false},
	{chat, chatUser + ",", "", "The first message", false},
	{chat, chatDone, chatDone + `,{"role":"assistant","content":"Done."}`, "The last message", false},
	{chat, chatUser, chatUser + "," + chatUser, "must alternate", true},
	{chat, `{"role":"user","content":"Fix it."}`, `{"role":"human","content":"Fix it."}`, "Invalid value: 'human'", false},
	{responses, responsesUser + ",", "", "The first input item", false},
	{responses, responsesDone, responsesDone + `,{"role":"assistant","content":[{"type":"output_text","text":"Done."}]}`, "The last input item", false},
	{responses, responsesUser, responsesUser + "," + responsesUser, "must alternate", true},
	{responses, `"role":"user"`, `"role":"tool"`, "Invalid value: 'tool'", false},
	// Nothing said.
	{anthropic, `"text":"I look."`, `"text":""`, "text content blocks must be non-empty", false},
	{anthropic, `"text":"I look."`, `"text":" \n"`, "must contain non-whitespace", false},
	{anthropic, `"content":"Fix it."`, `"content":""`, "must have non-empty content", false},
	{anthropic, `"content":"Fix it."`, `"content":[]`, "must have non-empty content", false},
	{anthropic, `"content":"two"`, `"content":[{"type":"text","text":""}]`, "text content blocks must be non-empty", false},
	{anthropic, `"content":"two"`, `"content":""`, "must not be empty", true},
	{anthropic, `"system":"You are an agent."`, `"system":[{"type":"text","text":""}]`, "system: text content blocks", false},
	{chat, `"content":"Fix it."`, `"content":""`, "must be non-empty", false},
	{chat, `"content":"Fix it."`, `"content":" \n"`, "must be non-empty", true},
	{responses, `"content":"Fix it."`, `"content":" \n"`, "must be non-empty", true},
	{chat, `"content":"Fix it."`, `"content":[]`, "empty array", false},
	{chat, `"content":"Fix it."`, `"content":null`, "got null", false},
	{chat, `"content":"two"`, `"content":""`, "must have non-empty content", true},
	{responses, `"content":"Fix it."`, `"content":""`, "must be non-empty", false},
	{responses, `"content":"Fix it."`, `"content":[]`, "non-empty array", false},
	{responses, `"content":"Fix it."`, `"content":[{"type":"text","text":"Fix it."}]`, "Invalid value: 'text'", false},
	{responses, `"content":"Fix it."`, `"content":[{"type":"output_text","text":"Fix it."}]`, "Invalid value: 'output_text'", false},
	{responses, `"output":"two"`, `"output":""`, "Missing required parameter", true},
	{responses, `,"output":"two"`, ``, "Missing required parameter", false},
	// Tools and ids.
	{anthropic, `"name":"read","input_schema"`, `"name":"bash","input_schema"`, "Tool names must be unique", false},
	{anthropic, `"tools":[{"name":"bash","input_schema":{"type":"object"}},{"name":"read","input_schema":{"type":"object"}}],`, "", "must define tools", false},
	{anthropic, `"id":"b"`, `"id":"a"`, "ids must be unique", false},
	{anthropic, anthropicDone, anthropicDone + "," + anthropicCall + "," + anthropicDone, "ids must be unique", true},
	{anthropic, `"id":"b"`, `"id":"b.1"`, "String should match pattern", false},
	{anthropic, `"name":"bash","input":{}`, `"name":"bash","input":"ls"`, "valid dictionary", false},
	{anthropic, `"messages"`, `"tool_choice":{"type":"tool","name":"write"},"messages"`, "not found in provided tools", false},
	{chat, `"tools":[`, `"tools":[{"type":"function","function":{"name":"bash","parameters":{}}},`, "must be unique", false},
	{chat, `"tools":[{"type":"function","function":{"name":"bash","parameters":{"type":"object"}}}]`, `"tools":[]`, "empty array", false},
	{chat, `"tools":[{"type":"function","function":{"name":"bash","parameters":{"type":"object"}}}]`, `"tool_choice":"none"`, "only allowed when 'tools'", false},
	{chat, `"tools":[{"type":"function","function":{"name":"bash","parameters":{"type":"object"}}}]`, `"parallel_tool_calls":true`, "only allowed when 'tools'", false},
	{chat, `"id":"b"`, `"id":"a"`, "Duplicate value", false},
	{chat, chatDone, chatDone + "," + chatCall + "," + chatDone, "Duplicate value", true},
	{chat, `"arguments":"{}"`, `"arguments":"{"`, "not valid JSON", false},
	{responses, `"tools":[`, `"tools":[{"type":"function","name":"bash"},`, "must be unique", false},
	{responses, `"tools":[{"type":"function","name":"bash","parameters":{"type":"object"}}]`, `"tool_choice":"none"`, "must be specified with 'tools'", false},
	{responses, `"call_id":"b","name"`, `"call_id":"a","name"`, "Duplicate value", false},
	{responses, responsesDone, responsesDone + "," + responsesCall + "," + responsesDone, "Duplicate value", true},
	// Fields, marks, types.
	{anthropic, `"max_tokens":100,`, "", "max_tokens: Field required", false},
	{anthropic, `"model":"m",`, "", "model: Field required", false},
	{anthropic, `"system"`, `"colour":1,"system"`, "colour: Extra inputs are not permitted", false},
	{anthropic, `"role":"user","content":"Fix`, `"id":"x","role":"user","content":"Fix`, "messages.0.id: Extra inputs are not permitted", false},
	{anthropic, `"max_tokens":100`, `"max_tokens":100,"thinking":{"type":"enabled","budget_tokens":1024}`, "must be greater than `thinking.budget_tokens`", false},
	{anthropic, `{"type":"text","text":"I look."}`, strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"I look.","cache_control":{"type":"ephemeral"}},`, 5), ","), "Found 5", false},
	{anthropic, `{"type":"text","text":"I look."}`, `{"type":"text","text":"I look.","cache_control":{"type":"ephemeral"}},{"type":"text","text":"More.","cache_control":{"type":"ephemeral","ttl":"1h"}}`, "must not come after", false},
	{anthropic, `{"type":"text","text":"I look."}`, `{"type":"speech"}`, "Input tag 'speech'", false},
	{anthropic, `{"type":"text","text":"Go on."}`, `{"type":"thinking","thinking":"Hm.","signature":"x"}`, "can only be in `assistant` messages", false},
	{anthropic, `{"type":"text","text":"I look."}`, `{"type":"thinking","thinking":"Hm.","signature":"x"}`, "Invalid `signature`", false},
	{chat, `"model":"m",`, "", "model parameter", false},
	{chat, `"model"`, `"colour":1,"model"`, "Unrecognized request argument", false},
	{chat, `"model"`, `"max_tokens":1,"max_completion_tokens":1,"model"`, "at the same time", false},
	{chat, `"model"`, `"stream_options":{"include_usage":true},"model"`, "only allowed when 'stream'", false},
	{chat, `"model"`, `"response_format":{"type":"json_schema"},"model"`, "response_format.json_schema", false},
	{responses, `"model":"m",`, "", "Missing required parameter: 'model'", false},
	{responses, `"model"`, `"messages":[],"model"`, "Unknown parameter: 'messages'", false},
	{responses, `"model"`, `"text":{"format":{"type":"json_schema","schema":{}}},"model"`, "text.format.name", false},
	{responses, `"type":"function_call","call_id":"a"`, `"type":"tool_use","call_id":"a"`, "Invalid value: 'tool_use'", false},
	{responses, responsesCall, `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"},` + responsesCall, "could not be verified", false},
	{responses, `"model":"m"`, `"model":"m","store":false`, "", false},
	{anthropic, anthropicDone, anthropicDone + `,{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}}]}`, "", false},
	{anthropic, `"role":"user","content":"Fix`, `"role":"human","content":"Fix`, "Input should be 'user' or 'assistant'", false},
	{anthropic, anthropicUser + "," + anthropicCall + "," + anthropicDone, "", "at least one message", false},
	{anthropic, `{"type":"text","text":"I look."}`, `{"type":"tool_result","tool_use_id":"a","content":"one"}`, "can only be in `user` messages", false},
	{anthropic, `"name":"bash","input":{}`, `"name":"","input":{}`, "at least 1 character", false},
	{anthropic, `"max_tokens":100`, `"max_tokens":0`, "greater than or equal to 1", false},
	{chat, `"role":"user","content":"Fix it."`, `"role":"user","content":"Fix it.","tool_calls":[{"id":"x","type":"function","function":{"name":"bash","arguments":"{}"}}]`, "only messages with role 'assistant'", false},
	{chat, `"type":"function","function":{"name":"bash","arguments":"{}"}`, `"function":{"name":"bash","arguments":"{}"}`, "Missing required parameter", false},
	{responses, responsesCall + "," + responsesDone, `{"type":"reasoning","id":"rs_1","summary":[]},` + responsesCall + "," + responsesDone + `],"store":false,"include":[`, "not persisted", false},
	{responses, `"arguments":"{}"`, `"arguments":"{"`, "Missing required parameter", false},
	{responses, responsesUser + "," + responsesCall + "," + responsesDone, "", "empty array", false},
	// Characters.
	{anthropic, "Fix it.", "Fix \xf0\x9f\x98 it.", "not valid UTF-8", false},
	{chat, "Fix it.", `Fix \ud83d it.`, "no low surrogate", false},
	{responses, "Fix it.", `Fix \ude00 it.`, "no low surrogate", false},
	{chat, "Fix it.", `Fix \ud83d\ude00 \\ud83d it.`, "", false},
	{anthropic, `"max_tokens":100`, `"max_tokens":`, "not valid JSON", false},
	// The window.
	{anthropic, "Fix it.", strings.Repeat("Fix it now. ", 300), "prompt is too long: ", false},
	{anthropic, `"max_tokens":100`, `"max_tokens":950`, "exceed context limit", false},
	{chat, "Fix it.", strings.Repeat("Fix it now. ", 300), "context_length_exceeded", false},
	{chat, `"model"`, `"max_completion_tokens":990,"model"`, "context_length_exceeded", false},
	{responses, "Fix it.", strings.Repeat("Fix it now. ", 300), "context_length_exceeded", false},
}

// TestWrongBodiesAreRefused: each rule refuses a body that breaks it, and the
// same body passes where the rule is for strict servers and this one is not.
func TestWrongBodiesAreRefused(t *testing.T) {
	lenient := providertest.New(t, providertest.Options{Window: 1000})
	strict := providertest.New(t, providertest.Options{Window: 1000, Strict: true})
	for _, w := range wrongBodies {
		if !strings.Contains(good[w.format], w.old) {
			t.Errorf("%s: the good body has no %q", w.format, w.old)
			continue
		}
		body := strings.Replace(good[w.format], w.old, w.new, 1)
		status, answer := post(t, strict, w.format, body)
		if w.words == "" {
			if status != http.StatusOK {
				t.Errorf("%s: %s for %s: %d %s", w.format, w.new, w.old, status, answer)
			}
			continue
		}
		if status/100 != 4 || !strings.Contains(answer, w.words) {
			t.Errorf("%s: %q for %q gave %d %s, want 4xx and %q", w.format, w.new, w.old, status, answer, w.words)
		}
		if status, answer := post(t, lenient, w.format, body); (status == http.StatusOK) != w.strict {
			t.Errorf("%s: %q for %q, not strict: %d %s", w.format, w.new, w.old, status, answer)
		}
	}
	if len(strict.Problems()) < 80 || !strings.Contains(strict.Problems()[0], "request 1 (anthropic): pairs: ") {
		t.Errorf("%d problems, the first is %q", len(strict.Problems()), strict.Problems()[0])
	}
}

// TestThinkingFirst: with a budget for thinking, results come behind calls that
// have the thinking they began with, whatever the calls behind them have.
func TestThinkingFirst(t *testing.T) {
	thinks := true
	s := providertest.New(t, providertest.Options{Script: func(*providertest.Request) providertest.Answer {
		a := providertest.Use("bash", "{}")
		if thinks {
			a.Thinking = "Let me look."
		}
		return a
	}})
	call := func(head, history string) (string, string, int) {
		status, answer := post(t, s, anthropic, head+history+"]}")
		var m struct {
			Content json.RawMessage `json:"content"`
		}
		if err := json.Unmarshal([]byte(answer), &m); err != nil {
			t.Fatal(err)
		}
		last := string(m.Content)
		_, id, _ := strings.Cut(last, `"type":"tool_use","id":"`)
		id, _, _ = strings.Cut(id, `"`)
		return `,{"role":"assistant","content":` + last + `}`, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `","content":"one"}]}`, status
	}
	budget := strings.Replace(anthropicHead, `"max_tokens":100,`, `"max_tokens":3000,"thinking":{"type":"enabled","budget_tokens":1024},`, 1)
	said, done, _ := call(budget, anthropicUser)
	thinks = false
	next, more, _ := call(budget, anthropicUser+said+done)
	at := strings.Index(said, `{"type":"thinking"`)
	bare := said[:at] + said[strings.Index(said, `{"type":"tool_use"`):]
	for _, c := range []struct {
		name, head, history string
		want                int
	}{
		{"whole", budget, said + done + next + more, http.StatusOK},
		{"without its thinking", budget, bare + done, http.StatusBadRequest},
		{"without its thinking, and a call more", budget, bare + done + next + more, http.StatusBadRequest},
		{"behind a word of the user", budget, bare + done + `,{"role":"assistant","content":"Done."},{"role":"user","content":"Again."}`, http.StatusOK},
		{"adaptive", strings.Replace(budget, `{"type":"enabled","budget_tokens":1024}`, `{"type":"adaptive"}`, 1), bare + done, http.StatusOK},
		{"a call that never had any", budget, next + more, http.StatusOK},
	} {
		if status, answer := post(t, s, anthropic, c.head+anthropicUser+c.history+"]}"); status != c.want || status != http.StatusOK && !strings.Contains(answer, "messages.1.content.0.type: Expected `thinking`") {
			t.Errorf("%s: %d %s", c.name, status, answer)
		}
	}
}

func TestEnvelope(t *testing.T) {
	s := providertest.New(t, providertest.Options{Key: "k", MaxBody: 2000})
	for _, c := range []struct {
		name, path, key, version, kind, body string
		want                                 int
	}{
		{"good", "/v1/messages", "k", "2023-06-01", "application/json", good[anthropic], 200},
		{"no key", "/v1/messages", "", "2023-06-01", "application/json", good[anthropic], 401},
		{"no version", "/v1/messages", "k", "", "application/json", good[anthropic], 400},
		{"no type", "/v1/messages", "k", "2023-06-01", "text/plain", good[anthropic], 400},
		{"too large", "/v1/messages", "k", "2023-06-01", "application/json", strings.Repeat("x", 2001), 413},
		{"no path", "/v1/complete", "k", "2023-06-01", "application/json", good[anthropic], 404},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+c.path, bytes.NewReader([]byte(c.body)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Api-Key", c.key)
		req.Header.Set("Anthropic-Version", c.version)
		req.Header.Set("Content-Type", c.kind)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", c.name, res.StatusCode, c.want)
		}
	}
}
