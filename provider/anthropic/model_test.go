package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/provider/anthropic"
)

const key = "sk-test-not-a-pattern-7f3a"

const answerJSON = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-haiku-4-5-20251001",` +
	`"content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"Hello."},` +
	`{"type":"tool_use","id":"toolu_1","name":"read","input":{"n":12345678901234567890}}],` +
	`"stop_reason":"tool_use","usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":2}}`

// sse writes an answer of two pieces of text, cut off after n events; -1 is all.
func sse(n int) string {
	events := []string{
		`{"type":"message_start","message":{"id":"msg_2","type":"message","role":"assistant","model":"claude-haiku-4-5","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"ping"}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Good "}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"day."}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":4}}`,
		`{"type":"message_stop"}`,
	}
	if n < 0 {
		n = len(events)
	}
	var b strings.Builder
	for _, data := range events[:n] {
		var e struct{ Type string }
		_ = json.Unmarshal([]byte(data), &e)
		b.WriteString("event: " + e.Type + "\ndata: " + data + "\n\n")
	}
	return b.String()
}

func writeSSE(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	_, _ = io.WriteString(w, text)
}

func writeJSON(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// received is what a server was sent.
type received struct {
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

func (r *received) add(req *http.Request) int {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, req)
	r.bodies = append(r.bodies, string(body))
	return len(r.bodies)
}

// serve answers the n-th request, from 1.
func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, n int)) (string, *received) {
	t.Helper()
	got := &received{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, got.add(r))
	}))
	t.Cleanup(s.Close)
	return s.URL, got
}

func newModel(t *testing.T, o anthropic.Options) *anthropic.Model {
	t.Helper()
	if o.Model == "" {
		o.Model = "claude-haiku-4-5"
	}
	if o.Key == "" && o.Client == nil {
		o.Key = key
	}
	m, err := anthropic.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBodyIsSentAsItIs(t *testing.T) {
	url, got := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { writeJSON(w, 200, answerJSON) })
	m := newModel(t, anthropic.Options{BaseURL: url, Header: map[string][]string{"X-Team": {"a"}}})
	body := "{ \"model\":\"other\", \"max_tokens\":9,\n\t\"x_unknown\":[1.10,1e3,12345678901234567890],\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"hologram\",\"u\":\"\\u00e9<>&\"}]}] }"
	r, err := m.Complete(t.Context(), compactor.Request{
		Body: json.RawMessage(body),
		Header: map[string][]string{
			"anthropic-beta": {"context-1m-2025-08-07", "interleaved-thinking-2025-05-14"}, "Anthropic-Version": {"2023-06-01"},
			"Content-Length": {"3"}, "Accept-Encoding": {"br"}, "Connection": {"close"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.bodies[0] != body {
		t.Errorf("the server got\n%s\nwant\n%s", got.bodies[0], body)
	}
	h := got.requests[0].Header
	if beta := h.Values("Anthropic-Beta"); !slices.Equal(beta, []string{"context-1m-2025-08-07", "interleaved-thinking-2025-05-14"}) {
		t.Errorf("anthropic-beta is %q", beta)
	}
	if version := h.Values("Anthropic-Version"); !slices.Equal(version, []string{"2023-06-01"}) {
		t.Errorf("anthropic-version is %q", version)
	}
	if h.Get("X-Team") != "a" || h.Get("Authorization") != "Bearer "+key || h.Get("Accept-Encoding") == "br" {
		t.Errorf("the headers are %v", h)
	}
	if path := got.requests[0].URL.Path; path != "/v1/messages" {
		t.Errorf("the path is %s", path)
	}
	want := compactor.Response{
		Text: "Hello.", Stop: compactor.StopToolUse, StopReason: "tool_use", ToolCalls: []string{"read"}, Thought: true,
		Usage: pith.Usage{Input: 7, CacheRead: 3, Output: 2}, Model: "claude-haiku-4-5-20251001", ID: "msg_1", Attempts: 1,
	}
	if len(r.Messages) != 1 || !strings.Contains(string(r.Messages[0]), `{"n":12345678901234567890}`) {
		t.Errorf("the message to repeat is %s", r.Messages)
	}
	r.Messages = nil
	if a, b := asJSON(r), asJSON(want); a != b {
		t.Errorf("the response is\n%s\nwant\n%s", a, b)
	}
}

func asJSON(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func TestOwnRequest(t *testing.T) {
	url, got := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { writeSSE(w, sse(-1)) })
	schema := json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	var pieces []string
	ask := func(model string, r compactor.Request) map[string]json.RawMessage {
		m := newModel(t, anthropic.Options{BaseURL: url, Model: model})
		r.OnText = func(piece string) { pieces = append(pieces, piece) }
		answer, err := m.Complete(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Text != "Good day." || answer.Stop != compactor.StopEnd || answer.Usage != (pith.Usage{Input: 5, Output: 4}) {
			t.Errorf("the answer is %+v", answer)
		}
		var body map[string]json.RawMessage
		if err := json.Unmarshal([]byte(got.bodies[len(got.bodies)-1]), &body); err != nil {
			t.Fatal(err)
		}
		return body
	}
	body := ask("claude-haiku-4-5", compactor.Request{System: "Be brief.", Prompt: "Hi", Schema: schema, MaxTokens: 77})
	for key, want := range map[string]string{"model": `"claude-haiku-4-5"`, "max_tokens": "77", "stream": "true", "system": `"Be brief."`} {
		if string(body[key]) != want {
			t.Errorf("%s is %s, want %s", key, body[key], want)
		}
	}
	if !strings.Contains(string(body["output_config"]), `"additionalProperties":false`) {
		t.Errorf("output_config is %s", body["output_config"])
	}
	if !slices.Equal(pieces, []string{"Good ", "day."}) {
		t.Errorf("the text arrived as %q", pieces)
	}
	if v := got.requests[0].Header.Get("Anthropic-Version"); v == "" {
		t.Error("the SDK's own anthropic-version is missing")
	}
	body = ask("claude-sonnet-4-20250514", compactor.Request{Prompt: "Hi", Schema: schema})
	for _, key := range []string{"output_config", "temperature", "thinking", "top_p"} {
		if value, there := body[key]; there {
			t.Errorf("%s is %s for a model that does not have it", key, value)
		}
	}
	if string(body["max_tokens"]) != "16384" {
		t.Errorf("max_tokens is %s", body["max_tokens"])
	}
}

func TestMaxOutputBoundsTheAnswer(t *testing.T) {
	url, got := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { writeSSE(w, sse(-1)) })
	m := newModel(t, anthropic.Options{BaseURL: url, MaxOutput: 500})
	if _, err := m.Complete(t.Context(), compactor.Request{Prompt: "Hi", MaxTokens: 9000}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got.bodies[0], `"max_tokens":500,`) {
		t.Errorf("the body is %s", got.bodies[0])
	}
}

func TestStopReasons(t *testing.T) {
	reason := ""
	url, _ := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		writeJSON(w, 200, strings.Replace(answerJSON, `"stop_reason":"tool_use"`, `"stop_reason":"`+reason+`"`, 1))
	})
	m := newModel(t, anthropic.Options{BaseURL: url})
	for r, want := range map[string]compactor.Stop{
		"end_turn": compactor.StopEnd, "stop_sequence": compactor.StopEnd, "max_tokens": compactor.StopMaxTokens,
		"model_context_window_exceeded": compactor.StopMaxTokens, "tool_use": compactor.StopToolUse, "refusal": compactor.StopRefusal,
		"pause_turn": compactor.StopPause, "compaction": compactor.StopOther, "something_new": compactor.StopOther,
	} {
		reason = r
		got, err := m.Complete(t.Context(), compactor.Request{Prompt: "Hi"})
		if err != nil {
			t.Fatal(err)
		}
		if got.Stop != want || got.StopReason != r {
			t.Errorf("%s: stop is %d (%s), want %d", r, got.Stop, got.StopReason, want)
		}
	}
}

func TestFailures(t *testing.T) {
	said := func(kind, message string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_1"}`
	}
	for name, c := range map[string]struct {
		status   int
		body     string
		kind     compactor.FailureKind
		attempts int
		detail   string
	}{
		"rate limit":      {429, said("rate_limit_error", "slow down"), compactor.FailRateLimit, 2, "slow down"},
		"overloaded":      {529, said("overloaded_error", "Overloaded"), compactor.FailOverloaded, 2, "Overloaded"},
		"server":          {500, said("api_error", "Internal server error"), compactor.FailServer, 2, "Internal server error"},
		"gateway":         {502, "<html><title>Bad Gateway</title></html>", compactor.FailServer, 2, "Bad Gateway"},
		"too long":        {400, said("invalid_request_error", "prompt is too long: 205000 tokens > 200000 maximum"), compactor.FailTooLarge, 1, "205000"},
		"window":          {400, said("invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 16384 > 200000"), compactor.FailTooLarge, 1, "context limit"},
		"request size":    {413, said("request_too_large", "Request exceeds the maximum size"), compactor.FailTooLarge, 1, "maximum size"},
		"invalid":         {400, said("invalid_request_error", "max_tokens: 100000 > 64000"), compactor.FailInvalid, 1, "64000"},
		"key":             {401, said("authentication_error", "invalid x-api-key"), compactor.FailAuth, 1, "invalid x-api-key"},
		"permission":      {403, said("permission_error", "not allowed"), compactor.FailAuth, 1, "not allowed"},
		"no model":        {404, said("not_found_error", "model: claude-nine"), compactor.FailNotFound, 1, "claude-nine"},
		"page with 200":   {200, "<!doctype html><p>Sign in to the hotel", compactor.FailUnreadable, 1, ""},
		"number with 200": {200, "42", compactor.FailUnreadable, 1, ""},
		"bedrock":         {400, `{"message":"Input is too long for requested model."}`, compactor.FailTooLarge, 1, "Input is too long"},
	} {
		t.Run(name, func(t *testing.T) {
			url, got := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				w.Header().Set("Retry-After-Ms", "1")
				writeJSON(w, c.status, c.body)
			})
			m := newModel(t, anthropic.Options{BaseURL: url, MaxRetries: 1})
			_, err := m.Complete(t.Context(), compactor.Request{Prompt: "Hi"})
			f := compactor.FailureOf(err)
			if f == nil {
				t.Fatalf("the error is %v", err)
			}
			if f.Kind != c.kind || f.Attempts != c.attempts || len(got.bodies) != c.attempts || !strings.Contains(f.Detail, c.detail) {
				t.Errorf("%+v after %d requests, want %s after %d with %q", *f, len(got.bodies), c.kind, c.attempts, c.detail)
			}
			if c.status >= 400 && f.Status != c.status || f.Model != "anthropic/claude-haiku-4-5" {
				t.Errorf("status %d, model %s", f.Status, f.Model)
			}
		})
	}
}

func TestDetailIsShortAndWithoutSecrets(t *testing.T) {
	long := strings.Repeat("ü", 400)
	url, _ := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		writeJSON(w, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"`+key+` and sk-ant-api03-`+strings.Repeat("aB3-", 24)+`AA `+long+`"}}`)
	})
	m := newModel(t, anthropic.Options{BaseURL: url})
	_, err := m.Complete(t.Context(), compactor.Request{Prompt: "Hi"})
	f := compactor.FailureOf(err)
	if f == nil || len(f.Detail) > 300 || !strings.Contains(f.Detail, "ü") || strings.Contains(f.Detail, "\uFFFD") {
		t.Fatalf("the failure is %v", err)
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		if strings.Contains(e.Error(), key) || strings.Contains(e.Error(), "sk-ant-api03") {
			t.Errorf("a secret is in %q", e)
		}
	}
}

func TestCancel(t *testing.T) {
	release := make(chan struct{})
	url, got := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		writeSSE(w, sse(4))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-release:
		}
	})
	defer close(release)
	m := newModel(t, anthropic.Options{BaseURL: url})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begin := time.Now()
	_, err := m.Complete(ctx, compactor.Request{Prompt: "Hi", OnText: func(string) { cancel() }})
	f := compactor.FailureOf(err)
	if f == nil || f.Kind != compactor.FailCancelled || !errors.Is(err, context.Canceled) || f.Passing() || len(got.bodies) != 1 {
		t.Errorf("the error is %v after %d requests", err, len(got.bodies))
	}
	if d := time.Since(begin); d > 2*time.Second {
		t.Errorf("it took %s", d)
	}
}

// What a platform's option does: its own host, sign-in and path.
func TestPlatformOptions(t *testing.T) {
	url, got := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { writeSSE(w, sse(-1)) })
	platform := option.Join(
		option.WithBaseURL("http://unused.invalid"),
		option.WithMiddleware(func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			r.URL.Path = "/model/claude/invoke"
			r.Header.Set("Authorization", "AWS4 signature")
			return next(r)
		}))
	m := newModel(t, anthropic.Options{Client: []option.RequestOption{platform}, BaseURL: url})
	if _, err := m.Complete(t.Context(), compactor.Request{Prompt: "Hi"}); err != nil {
		t.Fatal(err)
	}
	if r := got.requests[0]; r.URL.Path != "/model/claude/invoke" || r.Header.Get("Authorization") != "AWS4 signature" {
		t.Errorf("%s %v", r.URL, r.Header)
	}
}

// The session that a fork goes on from signs in as itself.
func TestCallersSignIn(t *testing.T) {
	url, got := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { writeJSON(w, 200, answerJSON) })
	m := newModel(t, anthropic.Options{BaseURL: url})
	_, err := m.Complete(t.Context(), compactor.Request{
		Body: json.RawMessage(`{"messages":[]}`), Header: map[string][]string{"x-api-key": {"theirs"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if h := got.requests[0].Header; h.Get("X-Api-Key") != "theirs" || h.Get("Authorization") != "" {
		t.Errorf("the headers are %v", h)
	}
}

// A host that cannot be reached may be reached later, also where it is the one
// that gives out tokens; two sign-ins at once never work.
func TestSignInFailures(t *testing.T) {
	token := option.WithFederationTokenProvider(
		func(context.Context) (string, error) { return "jwt", nil },
		option.FederationOptions{FederationRuleID: "fdrl_1", OrganizationID: "org"})
	down := httptest.NewServer(nil)
	down.Close()
	for name, c := range map[string]struct {
		options []option.RequestOption
		kind    compactor.FailureKind
	}{
		"host is down": {[]option.RequestOption{token}, compactor.FailNetwork},
		"two sign-ins": {[]option.RequestOption{token, option.WithAuthToken("x")}, compactor.FailInvalid},
	} {
		m := newModel(t, anthropic.Options{BaseURL: down.URL, Client: c.options, MaxRetries: -1})
		_, err := m.Complete(t.Context(), compactor.Request{Prompt: "Hi"})
		if f := compactor.FailureOf(err); f == nil || f.Kind != c.kind || f.Attempts != 0 || f.Detail == "" {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

func TestCard(t *testing.T) {
	card := newModel(t, anthropic.Options{}).About()
	if card.String() != "anthropic/claude-haiku-4-5" || card.Format != pith.FormatAnthropic || card.Window != 200000 ||
		card.MaxOutput != 64000 || !card.Schema || card.Price.Input != 1 || card.Price.Output != 5 {
		t.Errorf("the card is %+v", card)
	}
	card = newModel(t, anthropic.Options{Model: "house-model", Window: 9, MaxOutput: 8, Price: compactor.Price{Input: 7}}).About()
	if card.Window != 9 || card.MaxOutput != 8 || card.Price.Input != 7 || card.Schema {
		t.Errorf("the card is %+v", card)
	}
	yes := true
	if !newModel(t, anthropic.Options{Model: "house-model", Schema: &yes}).About().Schema {
		t.Error("Options.Schema is not heard")
	}
	for name, want := range map[string]bool{
		"claude-opus-4-1": true, "claude-opus-4-8": true, "claude-fable-5": true, "us.anthropic.claude-sonnet-4-5-20250929-v1:0": true,
		"claude-sonnet-4-20250514": false, "claude-opus-4-0": false, "claude-sonnet-4@20250514": false, "claude-3-7-sonnet-latest": false,
		"anthropic.claude-3-haiku-20240307-v1:0": false, "deepseek-chat": false,
	} {
		if got := newModel(t, anthropic.Options{Model: name}).About().Schema; got != want {
			t.Errorf("%s: schema %v, want %v", name, got, want)
		}
	}
}
