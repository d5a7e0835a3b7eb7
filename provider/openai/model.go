package openai

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/provider/internal/transport"
	"github.com/pith-memory/pith/wire"
)

// Model is a model behind one of OpenAI's APIs. It is safe for concurrent use.
type Model struct {
	card   compactor.Card
	client openai.Client
	path   string
	// complete is transport.Limits.Do. The limits hold the key, to take it out of
	// what a server says; as a function they cannot be printed.
	complete func(context.Context, attempt) (compactor.Response, error)
	// learned is what the server was found not to know: dialect bits.
	learned atomic.Uint32
}

type attempt = func(context.Context, *transport.Call) (compactor.Response, error)

var _ compactor.Model = (*Model)(nil)

// New returns the model that the options name. It sends nothing.
// Errors: KindUsage where the options can mean nothing.
func New(o Options) (*Model, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	m := &Model{card: o.card(), path: "chat/completions"}
	if m.card.Format == pith.FormatOpenAIResponses {
		m.path = "responses"
	}
	if !o.atOpenAI() {
		// The older name is the one that every other server knows; some ignore
		// the newer one and answer without a bound.
		m.learned.Store(uint32(oldMaxTokens))
	}
	m.complete = transport.Limits{
		Model: m.card.String(), Timeout: o.Timeout, Idle: o.Idle, MaxRetries: o.MaxRetries,
		Secrets: append(credentials(o.Header), o.Key),
	}.Do
	// A client that openai.NewClient makes has read the environment.
	m.client = openai.Client{Options: clientOptions(&o)}
	return m, nil
}

func clientOptions(o *Options) []option.RequestOption {
	out := []option.RequestOption{option.WithEnvironmentProduction()}
	if o.BaseURL != "" {
		out = append(out, option.WithBaseURL(o.BaseURL))
	}
	if o.Key != "" {
		out = append(out, option.WithAPIKey(o.Key))
	}
	out = append(out, headerOptions(o.Header)...)
	return append(out, o.Client...)
}

// headerOptions set each header to its values, in place of what stood there.
func headerOptions(h map[string][]string) []option.RequestOption {
	var out []option.RequestOption
	for name, values := range transport.Header(h) {
		for i, value := range values {
			if i == 0 {
				out = append(out, option.WithHeader(name, value))
			} else {
				out = append(out, option.WithHeaderAdd(name, value))
			}
		}
	}
	return out
}

// About is the model's card. Schema is cleared once the server was found not
// to know it.
func (m *Model) About() compactor.Card {
	card := m.card
	card.Schema = card.Schema && !m.dialect().has(noSchema)
	return card
}

// String is the model's name with its provider.
func (m *Model) String() string { return m.card.String() }

// GoString is String, so that %#v shows neither key nor headers.
func (m *Model) GoString() string { return m.card.String() }

// LogValue is String, for log/slog.
func (m *Model) LogValue() slog.Value { return slog.StringValue(m.card.String()) }

// Complete sends the request and reads the whole answer, streamed or not.
// Where a stream breaks off it is asked for again within MaxRetries, and then
// OnText gets the new answer from its start; Response.Text is the one that counts.
// Errors: *compactor.Failure. An account without quota is FailAuth, although
// its status is 429: no waiting helps.
func (m *Model) Complete(ctx context.Context, r compactor.Request) (compactor.Response, error) {
	return m.complete(ctx, func(ctx context.Context, call *transport.Call) (compactor.Response, error) {
		if len(r.Body) > 0 {
			return m.send(ctx, call, r.Body, r)
		}
		for {
			used := m.dialect()
			body, err := m.body(r, used)
			if err != nil {
				return compactor.Response{}, call.Unsendable(err)
			}
			response, err := m.send(ctx, call, body, r)
			if err == nil || !m.learn(err, used, r) {
				return response, err
			}
		}
	})
}

// send is one HTTP request.
func (m *Model) send(ctx context.Context, call *transport.Call, body []byte, r compactor.Request) (compactor.Response, error) {
	var res *http.Response
	options := append(headerOptions(r.Header), option.WithMaxRetries(0), option.WithMiddleware(call.Middleware))
	err := m.client.Post(ctx, m.path, body, &res, options...)
	if res == nil && isSetup(err) {
		return compactor.Response{}, call.Unsendable(err)
	}
	reply, err := call.Reply(m.card.Format, res, err, r.OnText)
	if err != nil {
		return compactor.Response{}, err
	}
	return transport.Response(reply, stopOf(&reply)), nil
}

// isSetup tells the SDK's own errors, which it found before anything went over
// the network; it marks them for itself alone.
func isSetup(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	return strings.HasPrefix(text, "azure: ") || strings.HasPrefix(text, "requestconfig: ") || strings.HasPrefix(text, "requestoption: ")
}

// stopOf is why the answer ended. Some servers say "stop" of an answer that
// calls tools; a cut call is cut all the same.
func stopOf(r *wire.Reply) compactor.Stop {
	switch r.Stop {
	case "length", "max_output_tokens", "max_tokens":
		return compactor.StopMaxTokens
	case "content_filter", "refusal":
		return compactor.StopRefusal
	}
	switch {
	case r.Refusal != "":
		return compactor.StopRefusal
	case len(r.ToolCalls) > 0, r.Stop == "tool_calls", r.Stop == "function_call":
		return compactor.StopToolUse
	case r.Stop == "stop", r.Stop == "completed":
		return compactor.StopEnd
	}
	return compactor.StopOther
}

var errNoPrompt = errors.New("the request has neither a prompt nor a body")
