package transport

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pith-memory/pith/compactor"
)

func TestKindOfProblem(t *testing.T) {
	tests := []struct {
		status int
		body   string
		kind   compactor.FailureKind
		detail string
	}{
		{429, `{"error":{"message":"Rate limit reached","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, compactor.FailRateLimit, "Rate limit reached"},
		{429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM)","type":"tokens","code":"rate_limit_exceeded"}}`, compactor.FailTooLarge, "Request too large for gpt-4o on tokens per min (TPM)"},
		{429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, compactor.FailAuth, "You exceeded your current quota"},
		{402, `{"error":{"message":"Insufficient Balance"}}`, compactor.FailAuth, "Insufficient Balance"},
		{400, `{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`, compactor.FailTooLarge, "This model's maximum context length is 8192 tokens."},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, compactor.FailTooLarge, "prompt is too long: 210000 tokens > 200000 maximum"},
		{400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, compactor.FailTooLarge, "the request exceeds the available context size"},
		{400, `{"object":"error","message":"[{'type': 'extra_forbidden'}]","type":"BadRequestError","param":null,"code":400}`, compactor.FailInvalid, "[{'type': 'extra_forbidden'}]"},
		{422, `{"detail":[{"loc":["body","x"],"msg":"bad"}]}`, compactor.FailInvalid, `[{"loc":["body","x"],"msg":"bad"}]`},
		{404, `{"error":"model 'x' not found"}`, compactor.FailNotFound, "model 'x' not found"},
		{404, `{"error":{"message":"model \"x\" not found","type":"api_error"}}`, compactor.FailNotFound, `model "x" not found`},
		{400, `{"error":{"message":"The model x does not exist","code":"model_not_found"}}`, compactor.FailNotFound, "The model x does not exist"},
		{403, `{"error":{"message":"Country not supported"}}`, compactor.FailAuth, "Country not supported"},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, compactor.FailOverloaded, "Overloaded"},
		{502, "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>", compactor.FailServer, "an HTML page: 502 Bad Gateway"},
		{503, "", compactor.FailOverloaded, "Service Unavailable"},
		{504, "upstream request timeout", compactor.FailTimeout, "upstream request timeout"},
		{413, `null`, compactor.FailTooLarge, "Request Entity Too Large"},
		{418, `[]`, compactor.FailInvalid, "[]"},
	}
	for _, tt := range tests {
		call := &Call{}
		f := call.Refused(tt.status, nil, ReadProblem([]byte(tt.body)))
		if f.Kind != tt.kind || f.Detail != tt.detail || f.Status != tt.status {
			t.Errorf("%d %s: got %s %q", tt.status, tt.body, f.Kind, f.Detail)
		}
	}
}

func TestDetail(t *testing.T) {
	call := &Call{limits: Limits{Secrets: []string{"", "local-secret-1"}}}
	tests := map[string]string{
		"key local-secret-1 is wrong": "key [key] is wrong",
		"one\n\ttwo\r\n three\n":      "one two three",
		"":                            "",
	}
	for text, want := range tests {
		if got := call.Detail(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
	if got := call.Detail("Incorrect API key provided: sk-proj-" + strings.Repeat("aB3dE6gH", 8) + "."); strings.Contains(got, "aB3dE6gH") {
		t.Errorf("a key is in %q", got)
	}
	for n := range 6 {
		got := call.Detail(strings.Repeat("x", n) + strings.Repeat("語", 200) + "\xff")
		if len(got) > maxDetail || len(got) < maxDetail-3 || !utf8.ValidString(got) {
			t.Errorf("%d bytes, valid %t", len(got), utf8.ValidString(got))
		}
	}
}

func TestEvents(t *testing.T) {
	tests := map[string][]string{
		"data: a\n\ndata: b\n\n":                            {" a", " b"},
		"event: x\r\ndata: a\r\ndata: b\r\n\r\n":            {"x a\nb"},
		"\xef\xbb\xbfdata:a\n\n: comment\n\ndata\n\n":       {" a", " "},
		"event: gone\n\ndata: a\n\n":                        {" a"},
		"data: {\"a\":1}\n":                                 {` {"a":1}`},
		"data: [DONE]":                                      {" [DONE]"},
		"data: {\"a\":1":                                    nil,
		"id: 1\nretry: 5\nevent: e\ndata: {}\nnoise: x\n\n": {"e {}"},
		"": nil,
	}
	for text, want := range tests {
		var got []string
		err := Events(strings.NewReader(text), 1000, func(name string, data []byte) error {
			got = append(got, name+" "+string(data))
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
	stop := errors.New("stop")
	if err := Events(strings.NewReader("data: a\n\n"), 1000, func(string, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	if err := Events(strings.NewReader("data: "+strings.Repeat("a", 2000)), 1000, nil); err == nil {
		t.Error("a line without end was read")
	}
	broken := io.MultiReader(strings.NewReader("data: {}\n"), &slowBody{ctx: t.Context(), text: strings.NewReader(""), cut: true})
	if err := Events(broken, 1000, func(string, []byte) error { t.Error("half an event counts"); return nil }); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}
