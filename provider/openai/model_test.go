package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openai/openai-go/v3/option"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/provider/providertest"
)

const (
	chatHello = `{"id":"c1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}`
	itemHello = `{"id":"r1","model":"m","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello."}]}],"usage":{"input_tokens":5,"output_tokens":2}}`
)

// fast is options for a server on loopback, with waits that a test can bear.
func fast(o Options) Options {
	if o.Model == "" {
		o.Model = "m"
	}
	if o.Timeout == 0 {
		o.Timeout = 20 * time.Second
	}
	if o.Idle == 0 {
		o.Idle = 150 * time.Millisecond
	}
	if o.MaxRetries == 0 {
		o.MaxRetries = -1
	}
	return o
}

func newModel(t *testing.T, o Options) *Model {
	t.Helper()
	m, err := New(fast(o))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// seen is a request as a server got it.
type seen struct {
	path   string
	header http.Header
	body   string
}

// serve answers every request with respond, and tells what it got.
func serve(t *testing.T, respond func(n int, w http.ResponseWriter, r seen)) (url string, all func() []seen) {
	t.Helper()
	var mu sync.Mutex
	var got []seen
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		got = append(got, seen{r.URL.String(), r.Header, string(body)})
		n := len(got)
		mu.Unlock()
		respond(n, w, seen{r.URL.String(), r.Header, string(body)})
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []seen {
		mu.Lock()
		defer mu.Unlock()
		return append([]seen(nil), got...)
	}
}

func hello(_ int, w http.ResponseWriter, r seen) {
	if strings.HasSuffix(r.path, "/responses") {
		_, _ = io.WriteString(w, itemHello)
	} else {
		_, _ = io.WriteString(w, chatHello)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, o := range map[string]Options{
		"no model":     {Key: "k"},
		"no key":       {Model: "m"},
		"no key in EU": {Model: "m", BaseURL: "https://eu.api.openai.com/v1"},
		"an API":       {Model: "m", Key: "k", API: "messages"},
		"a key":        {Model: "m", Key: "k\n"},
		"a scheme":     {Model: "m", BaseURL: "localhost:11434/v1"},
		"a URL":        {Model: "m", BaseURL: "http://user:secret-word@%zz"},
		"a host":       {Model: "m", BaseURL: "http:///v1"},
		"a time":       {Model: "m", Key: "k", Timeout: -1},
		"a limit":      {Model: "m", Key: "k", MaxRetries: -2},
	} {
		_, err := New(o)
		if pith.KindOf(err) != pith.KindUsage || pith.HintOf(err) == "" || strings.Contains(err.Error(), "secret-word") {
			t.Errorf("%s: got %v (hint %q)", name, err, pith.HintOf(err))
		}
	}
	for name, o := range map[string]Options{
		"a key":          {Model: "m", Key: "k"},
		"a local server": {Model: "m", BaseURL: "http://localhost:11434/v1"},
		"a header":       {Model: "m", Header: map[string][]string{"authorization": {"Bearer k"}}},
		"an option":      {Model: "m", Client: []option.RequestOption{option.WithAPIKey("k")}},
	} {
		if _, err := New(o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCard(t *testing.T) {
	yes := true
	price := compactor.Price{Input: 1}
	at := newModel(t, Options{Model: "gpt-4.1", Key: "k"}).About()
	if at.Format != pith.FormatOpenAIResponses || !at.Schema || at.Window == 0 || at.MaxOutput == 0 || at.Price.Input == 0 || at.String() != "openai/gpt-4.1" {
		t.Errorf("at OpenAI: %+v", at)
	}
	local := newModel(t, Options{Model: "qwen", BaseURL: "http://localhost:1/v1"}).About()
	if local.Format != pith.FormatOpenAIChat || local.Schema || local.Price.Input != 0 {
		t.Errorf("local: %+v", local)
	}
	set := newModel(t, Options{Model: "qwen", BaseURL: "http://localhost:1/v1", API: Responses, Schema: &yes, Window: 4096, MaxOutput: 512, Price: price}).About()
	if set.Format != pith.FormatOpenAIResponses || !set.Schema || set.Window != 4096 || set.MaxOutput != 512 || set.Price != price {
		t.Errorf("set: %+v", set)
	}
}

// The environment that the SDK would read does not reach a request.
func TestEnvironmentIsIgnored(t *testing.T) {
	url, all := serve(t, hello)
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "env-key", "OPENAI_ADMIN_KEY": "env-admin", "OPENAI_BASE_URL": "http://127.0.0.1:1/env", "OPENAI_ORG_ID": "env-org",
		"OPENAI_PROJECT_ID": "env-project", "OPENAI_WEBHOOK_SECRET": "env-hook", "OPENAI_CUSTOM_HEADERS": "X-Env: env-header",
		"AZURE_OPENAI_API_KEY": "env-azure", "AZURE_OPENAI_ENDPOINT": "http://127.0.0.1:1",
	} {
		t.Setenv(name, value)
	}
	for _, key := range []string{"", "own-key"} {
		if _, err := newModel(t, Options{BaseURL: url + "/v1", Key: key}).Complete(t.Context(), compactor.Request{Prompt: "hi"}); err != nil {
			t.Fatal(err)
		}
	}
	requests := all()
	for _, r := range requests {
		if text := fmt.Sprint(r); strings.Contains(text, "env-") {
			t.Errorf("the environment is in %s", text)
		}
	}
	if got := requests[0].header["Authorization"]; got != nil {
		t.Errorf("without a key the request is signed: %v", got)
	}
	if got := requests[1].header.Get("Authorization"); got != "Bearer own-key" {
		t.Errorf("got %q", got)
	}
	if _, err := New(Options{Model: "m"}); err == nil {
		t.Error("a key was taken from the environment")
	}
}

// A body arrives as it was made, whatever is in it, and so do the headers.
func TestBodyIsSentAsItIs(t *testing.T) {
	url, all := serve(t, hello)
	body := "{ \"model\":\"m\",\n\t\"future\": [1.10, 1e3, 12345678901234567890, {\"a\":null,\"a\":2}], \"messages\":[{\"role\":\"user\",\"content\":\"<&>\\u2028 \\/ \xf0\x9f\x98\x80\"}] , \"stream\":false}\n"
	r := compactor.Request{Body: json.RawMessage(body), System: "not this", Prompt: "nor this", MaxTokens: 1, Header: map[string][]string{
		"openai-beta": {"a", "b"}, "OpenAI-Organization": {"org"}, "Content-Length": {"3"}, "Accept-Encoding": {"br"}, "X-Own": {"request"},
	}}
	for _, api := range []string{Chat, Responses} {
		m := newModel(t, Options{BaseURL: url + "/v1/", API: api, Header: map[string][]string{"X-Own": {"options"}, "X-Fixed": {"1"}}})
		if _, err := m.Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{"/v1/chat/completions", "/v1/responses"}
	for i, got := range all() {
		if got.body != body || got.path != paths[i] {
			t.Errorf("the server got %s %q", got.path, got.body)
		}
		h := got.header
		if fmt.Sprint(h["Openai-Beta"]) != "[a b]" || h.Get("OpenAI-Organization") != "org" || h.Get("X-Own") != "request" || h.Get("X-Fixed") != "1" || h.Get("Accept-Encoding") != "gzip" {
			t.Errorf("the headers are %v", h)
		}
	}
}

// Both APIs, streamed, against the scripted server.
func TestAnswers(t *testing.T) {
	tests := []struct {
		answer providertest.Answer
		stop   compactor.Stop
		word   map[string]string
		text   string
		calls  string
	}{
		{providertest.Say("Grüße, 世界 😀!"), compactor.StopEnd, map[string]string{Chat: "stop", Responses: "completed"}, "Grüße, 世界 😀!", ""},
		{providertest.Answer{Thinking: "hm", Text: "Yes."}, compactor.StopEnd, nil, "Yes.", ""},
		{providertest.Answer{Text: "I look.", Calls: []providertest.Call{{Name: "read", Input: json.RawMessage(`{"path":"a"}`)}, {Name: "bash"}}}, compactor.StopToolUse, nil, "I look.", "read bash"},
		{providertest.Answer{Text: "It was c", Stop: compactor.StopMaxTokens}, compactor.StopMaxTokens, map[string]string{Chat: "length", Responses: "max_output_tokens"}, "It was c", ""},
		{providertest.Answer{Refusal: "No."}, compactor.StopRefusal, nil, "", ""},
	}
	for _, api := range []string{Chat, Responses} {
		for i, tt := range tests {
			t.Run(fmt.Sprint(api, i), func(t *testing.T) {
				s := providertest.New(t, providertest.Options{Key: "k", Strict: true, Script: func(*providertest.Request) providertest.Answer { return tt.answer }})
				m := newModel(t, Options{BaseURL: s.BaseURL(pith.FormatOpenAIChat), API: api, Key: "k"})
				var pieces []string
				got, err := m.Complete(t.Context(), compactor.Request{System: "Be brief.", Prompt: "Go.", MaxTokens: 100, OnText: func(p string) { pieces = append(pieces, p) }})
				if err != nil {
					t.Fatal(err, s.Problems())
				}
				if got.Text != tt.text || got.Stop != tt.stop || strings.Join(got.ToolCalls, " ") != tt.calls || got.Thought != (tt.answer.Thinking != "") {
					t.Errorf("got %+v", got)
				}
				if word := tt.word[api]; word != "" && got.StopReason != word {
					t.Errorf("the provider's word is %q", got.StopReason)
				}
				if strings.Join(pieces, "") != tt.text || len(tt.text) > 10 && len(pieces) < 2 {
					t.Errorf("the text came as %q", pieces)
				}
				if got.Attempts != 1 || got.Usage.Input == 0 || got.Usage.Output == 0 || got.ID == "" || got.Model == "" || len(got.Messages) == 0 {
					t.Errorf("got %+v", got)
				}
				if r := s.Requests()[0]; !r.Stream || r.LastText() != "Go." || !strings.Contains(r.Text(), "Be brief.") {
					t.Errorf("the server got %s", r.Body)
				}
			})
		}
	}
}

// The ways of failing that the scripted server knows, each with what it is.
func TestFaults(t *testing.T) {
	tests := map[string]struct {
		fault *providertest.Fault
		kind  compactor.FailureKind
	}{
		"429":          {providertest.RateLimited(10 * time.Millisecond), compactor.FailRateLimit},
		"503":          {providertest.HTTPError(529), compactor.FailOverloaded},
		"500":          {providertest.HTTPError(500), compactor.FailServer},
		"400":          {providertest.HTTPError(400), compactor.FailInvalid},
		"401":          {providertest.HTTPError(401), compactor.FailAuth},
		"403":          {providertest.HTTPError(403), compactor.FailAuth},
		"404":          {providertest.HTTPError(404), compactor.FailNotFound},
		"413":          {providertest.HTTPError(413), compactor.FailTooLarge},
		"a page":       {providertest.HTMLPage(), compactor.FailServer},
		"no JSON":      {providertest.NotJSON(), compactor.FailUnreadable},
		"a reset":      {providertest.Reset(), compactor.FailNetwork},
		"an early end": {providertest.EarlyEnd(), compactor.FailNetwork},
		"a stall":      {providertest.Stall(), compactor.FailTimeout},
		"an error":     {providertest.OverloadedMidStream(), ""},
	}
	for _, api := range []string{Chat, Responses} {
		for name, tt := range tests {
			t.Run(api+" "+name, func(t *testing.T) {
				s := providertest.New(t, providertest.Options{Script: func(*providertest.Request) providertest.Answer {
					return providertest.Answer{Text: strings.Repeat("word ", 100), Fault: tt.fault}
				}})
				m := newModel(t, Options{BaseURL: s.BaseURL(pith.FormatOpenAIChat), API: api})
				_, err := m.Complete(t.Context(), compactor.Request{Prompt: "Go."})
				f := compactor.FailureOf(err)
				if f == nil || tt.kind != "" && f.Kind != tt.kind || tt.kind == "" && !f.Passing() {
					t.Fatalf("got %v, want %s", err, tt.kind)
				}
				if f.Attempts != 1 || f.Model != "openai/m" || f.Detail == "" {
					t.Errorf("got %+v", f)
				}
			})
		}
	}
}

func TestRetryGivesTheAnswer(t *testing.T) {
	n := 0
	s := providertest.New(t, providertest.Options{Script: func(*providertest.Request) providertest.Answer {
		if n++; n == 1 {
			return providertest.Answer{Text: strings.Repeat("word ", 100), Fault: providertest.Reset()}
		}
		return providertest.Say("fine")
	}})
	m := newModel(t, Options{BaseURL: s.BaseURL(pith.FormatOpenAIChat), MaxRetries: 2})
	got, err := m.Complete(t.Context(), compactor.Request{Prompt: "Go."})
	if err != nil || got.Text != "fine" || got.Attempts != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestCancelledInMidStream(t *testing.T) {
	s := providertest.New(t, providertest.Options{Script: func(*providertest.Request) providertest.Answer {
		return providertest.Answer{Text: strings.Repeat("word ", 100), Fault: providertest.Stall()}
	}})
	client := &http.Client{Transport: &http.Transport{}}
	m := newModel(t, Options{BaseURL: s.BaseURL(pith.FormatOpenAIChat), Idle: time.Minute, MaxRetries: 5, Client: []option.RequestOption{option.WithHTTPClient(client)}})
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := m.Complete(ctx, compactor.Request{Prompt: "Go.", OnText: func(string) { cancel() }})
	f := compactor.FailureOf(err)
	if f == nil || f.Kind != compactor.FailCancelled || !errors.Is(err, context.Canceled) || f.Attempts != 1 {
		t.Errorf("got %v", err)
	}
	client.CloseIdleConnections()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("goroutines were left:\n%s", stacks[:runtime.Stack(stacks, true)])
}

// What a server says of a key stays between it and us.
func TestKeyIsNowhere(t *testing.T) {
	const key = "plain-looking-key-77"
	url, _ := serve(t, func(_ int, w http.ResponseWriter, r seen) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"wrong: %s %s"}}`, r.header.Get("Authorization"), r.header.Get("Api-Key"))
	})
	o := Options{Model: "m", Key: key, BaseURL: strings.Replace(url, "//", "//user:"+key+"@", 1), Header: map[string][]string{"Api-Key": {key}}}
	m := newModel(t, o)
	_, err := m.Complete(t.Context(), compactor.Request{Prompt: "Go."})
	f := compactor.FailureOf(err)
	if f == nil || f.Kind != compactor.FailAuth || !strings.Contains(f.Detail, "[key]") {
		t.Errorf("got %v", err)
	}
	for _, text := range []string{
		fmt.Sprintf("%v %+v %#v %s", o, o, o, o), fmt.Sprintf("%v %+v %#v", &o, m, m), fmt.Sprintf("%+v %#v", []any{o, m}, struct{ M *Model }{m}),
		err.Error(), fmt.Sprintf("%+v %#v", f, f), o.LogValue().String(), m.LogValue().String(),
	} {
		if strings.Contains(text, key) {
			t.Errorf("the key is in %s", text)
		}
	}
}

// Options of the SDK apply to raw bodies: middleware that reads the body and
// changes the path and the sign-in, as Azure's does.
func TestClientOptions(t *testing.T) {
	url, all := serve(t, func(n int, w http.ResponseWriter, r seen) {
		if n == 1 {
			w.Header().Set("Retry-After-Ms", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		hello(n, w, r)
	})
	azureLike := option.WithMiddleware(func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		var model struct{ Model string }
		if err := json.Unmarshal(body, &model); err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		r.URL.Path = "/openai/deployments/" + model.Model + r.URL.Path
		return next(r)
	})
	m := newModel(t, Options{Model: "dep", API: Chat, MaxRetries: 1, Client: []option.RequestOption{
		option.WithBaseURL(url), option.WithHeader("Api-Key", "az"), option.WithQuery("api-version", "v1"), option.WithMaxRetries(9), azureLike,
	}})
	body := `{"model":"dep","messages":[ ]}`
	got, err := m.Complete(t.Context(), compactor.Request{Body: json.RawMessage(body)})
	if err != nil || got.Text != "Hello." || got.Attempts != 2 {
		t.Fatalf("got %+v, %v", got, err)
	}
	for _, r := range all() {
		if r.path != "/openai/deployments/dep/chat/completions?api-version=v1" || r.body != body || r.header.Get("Api-Key") != "az" || r.header["Authorization"] != nil {
			t.Errorf("the server got %+v", r)
		}
	}
}

func TestNothingToSend(t *testing.T) {
	url, all := serve(t, hello)
	_, err := newModel(t, Options{BaseURL: url}).Complete(t.Context(), compactor.Request{System: "x"})
	if f := compactor.FailureOf(err); f == nil || f.Kind != compactor.FailInvalid || f.Attempts != 0 || len(all()) != 0 {
		t.Errorf("got %v", err)
	}
}
