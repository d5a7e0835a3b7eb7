package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pith-memory/pith/compactor"
)

const draftSchema = `{"type":"object","properties":{"task":{"type":"string"}},"required":["task"],"additionalProperties":false}`

// An old server complains of one option after the other; each is left out once,
// and from then on at once.
func TestOldServer(t *testing.T) {
	complaints := map[string]string{
		`"stream_options"`:        `{"error":"unknown field stream_options"}`,
		`"response_format"`:       `{"error":{"message":"'response_format.type' must be 'text'","param":"response_format"}}`,
		`"max_completion_tokens"`: `{"detail":[{"loc":["body","max_completion_tokens"],"msg":"extra fields not permitted"}]}`,
	}
	url, all := serve(t, func(n int, w http.ResponseWriter, r seen) {
		for field, complaint := range complaints {
			if strings.Contains(r.body, field) {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, complaint)
				return
			}
		}
		hello(n, w, r)
	})
	yes := true
	m := newModel(t, Options{BaseURL: url + "/v1", Schema: &yes})
	m.learned.Store(0) // as if it were OpenAI
	r := compactor.Request{Prompt: "Go.", MaxTokens: 50, Schema: json.RawMessage(draftSchema)}
	for i, want := range []int{4, 1} {
		got, err := m.Complete(t.Context(), r)
		if err != nil || got.Text != "Hello." || got.Attempts != want {
			t.Errorf("call %d: %+v, %v", i, got, err)
		}
	}
	last := all()[4].body
	if !json.Valid([]byte(last)) || !strings.Contains(last, `"max_tokens":50`) || !strings.Contains(last, `"stream":true`) {
		t.Errorf("the last body is %s", last)
	}
	if m.About().Schema {
		t.Error("the card still promises a schema")
	}
}

// A server that complains whatever is sent is asked a bounded number of times.
func TestServerThatOnlyComplains(t *testing.T) {
	url, all := serve(t, func(_ int, w http.ResponseWriter, _ seen) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"stream_options, response_format, max_tokens and max_completion_tokens are bad"}}`)
	})
	yes := true
	m := newModel(t, Options{BaseURL: url, Schema: &yes, MaxRetries: 2})
	r := compactor.Request{Prompt: "Go.", MaxTokens: 50, Schema: json.RawMessage(draftSchema)}
	_, err := m.Complete(t.Context(), r)
	if f := compactor.FailureOf(err); f == nil || f.Kind != compactor.FailInvalid || f.Attempts != 4 || len(all()) != 4 {
		t.Errorf("got %v after %d requests", err, len(all()))
	}
	if _, err := m.Complete(t.Context(), compactor.Request{Body: json.RawMessage(`{"stream_options":{}}`)}); err == nil || len(all()) != 5 {
		t.Error("a whole body was changed")
	}
}

func TestBodies(t *testing.T) {
	r := compactor.Request{System: "S", Prompt: "P", MaxTokens: 5000, Schema: json.RawMessage(draftSchema)}
	tests := []struct {
		name      string
		options   Options
		has, lack []string
	}{
		{"OpenAI's responses", Options{Key: "k"}, []string{`"max_output_tokens":5000`, `"text":{"format"`, `"stream":true`, `"store":false`}, []string{"temperature", `"reasoning"`, `"include"`}},
		{"OpenAI's chat", Options{Key: "k", API: Chat, MaxOutput: 1000}, []string{`"max_completion_tokens":1000`, `"response_format"`, `"stream_options"`}, []string{"temperature", `"max_tokens"`}},
		{"a local server", Options{BaseURL: "http://localhost:1/v1"}, []string{`"max_tokens":5000`, `"stream":true`, `"messages":[{"role":"system","content":"S"},{"role":"user","content":"P"}]}`}, []string{"response_format", "max_completion_tokens", "temperature"}},
	}
	for _, tt := range tests {
		m := newModel(t, tt.options)
		body, err := m.body(r, m.dialect())
		if err != nil || !json.Valid(body) {
			t.Fatalf("%s: %s, %v", tt.name, body, err)
		}
		for _, text := range tt.has {
			if !strings.Contains(string(body), text) {
				t.Errorf("%s: %s is not in %s", tt.name, text, body)
			}
		}
		for _, text := range tt.lack {
			if strings.Contains(string(body), text) {
				t.Errorf("%s: %s is in %s", tt.name, text, body)
			}
		}
	}
}

// Servers of all kinds: what they send, and what it is.
func TestLocalServers(t *testing.T) {
	tests := []struct {
		name, kind, body string
		status           int
		stop             compactor.Stop
		fails            compactor.FailureKind
	}{
		{"JSON for a stream", "application/json", chatHello, 200, compactor.StopEnd, ""},
		{"JSON that says it is a stream", "text/event-stream", chatHello, 200, compactor.StopEnd, ""},
		{"a stream that says it is text", "text/plain", "data: {\"choices\":[{\"delta\":{\"content\":\"Hello.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", 200, compactor.StopEnd, ""},
		{"lines that keep the connection", "text/event-stream", ": waiting\n\n\n: waiting\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"Hello.\"},\"finish_reason\":\"stop\"}]}\n\n", 200, compactor.StopEnd, ""},
		{"stop with a call", "application/json", `{"choices":[{"message":{"role":"assistant","content":"Hello.","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}]}`, 200, compactor.StopToolUse, ""},
		{"a filter", "application/json", `{"choices":[{"message":{"role":"assistant","content":"Hello."},"finish_reason":"content_filter"}]}`, 200, compactor.StopRefusal, ""},
		{"a word of its own", "application/json", `{"choices":[{"message":{"role":"assistant","content":"Hello."},"finish_reason":"eos_token"}]}`, 200, compactor.StopOther, ""},
		{"a page", "text/html", "<!doctype html><title>Login</title>", 200, 0, compactor.FailUnreadable},
		{"a page with an error", "text/html", "<html><body>bad gateway", 502, 0, compactor.FailServer},
		{"a word", "text/plain", "Ollama is running", 200, 0, compactor.FailUnreadable},
		{"no content", "", "", 204, 0, compactor.FailUnreadable},
		{"an error with status 200", "application/json", `{"error":{"message":"model is loading","code":503}}`, 200, 0, compactor.FailOverloaded},
		{"an error chunk", "text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"He\"}}]}\n\ndata: {\"error\":{\"message\":\"the request exceeds the available context size\",\"type\":\"exceed_context_size_error\",\"code\":400}}\n\n", 200, 0, compactor.FailTooLarge},
		{"a chunk that is no JSON", "text/event-stream", "data: {oops}\n\n", 200, 0, compactor.FailUnreadable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url, _ := serve(t, func(_ int, w http.ResponseWriter, _ seen) {
				w.Header().Set("Content-Type", tt.kind)
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			var told string
			got, err := newModel(t, Options{BaseURL: url + "/v1"}).Complete(t.Context(), compactor.Request{Prompt: "Go.", OnText: func(p string) { told += p }})
			if tt.fails != "" {
				if f := compactor.FailureOf(err); f == nil || f.Kind != tt.fails || f.Detail == "" {
					t.Errorf("got %v, want %s", err, tt.fails)
				}
				return
			}
			if err != nil || got.Text != "Hello." || told != "Hello." || got.Stop != tt.stop {
				t.Errorf("got %+v, %q, %v", got, told, err)
			}
		})
	}
}
