package anthropic

import (
	"context"
	"encoding/json"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/provider/internal/transport"
	"github.com/pith-memory/pith/wire"
)

// Model is a Claude model behind the messages API.
type Model struct {
	card   compactor.Card
	client sdk.Client
	header http.Header
	// complete is transport.Limits.Do. The limits know the key, to take it out
	// of what a provider says; as a function they cannot be printed.
	complete func(context.Context, attempt) (compactor.Response, error)
}

type attempt = func(context.Context, *transport.Call) (compactor.Response, error)

var _ compactor.Model = (*Model)(nil)

// New makes a model. It sends nothing. Errors: KindUsage.
func New(o Options) (*Model, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	m := &Model{card: o.card(), header: transport.Header(o.Header)}
	m.complete = transport.Limits{
		Model: m.card.String(), Timeout: o.Timeout, Idle: o.Idle, MaxRetries: o.MaxRetries,
		Secrets: append(credentials(o.Header), o.Key),
	}.Do
	// The SDK's spans are off because the environment can tell them to carry
	// the content of requests.
	options := []option.RequestOption{option.WithoutEnvironmentDefaults(), option.WithoutOpenTelemetry()}
	if o.Key != "" {
		options = append(options, option.WithAPIKey(o.Key))
	}
	options = append(options, o.Client...)
	if o.BaseURL != "" { // behind a platform's option, which sets its own
		options = append(options, option.WithBaseURL(o.BaseURL))
	}
	m.client = sdk.NewClient(options...)
	return m, nil
}

// About says what the model is.
func (m *Model) About() compactor.Card { return m.card }

// String is the model's name.
func (m Model) String() string { return m.card.String() }

// GoString is String, so that %#v shows no more.
func (m Model) GoString() string { return m.card.String() }

// Complete sends one request and waits for the whole answer. What may pass is
// tried again, within the model's retries and its time: a refusal, a broken
// connection, and an answer that was cut off. Such an answer comes again from
// its beginning, and OnText gets it again. Errors: *compactor.Failure.
func (m *Model) Complete(ctx context.Context, r compactor.Request) (compactor.Response, error) {
	body, err := m.body(&r)
	if err != nil {
		return compactor.Response{}, &compactor.Failure{Kind: compactor.FailInvalid, Model: m.card.String(), Detail: "the request cannot be made: " + err.Error(), Err: err}
	}
	header := append(headers(m.header), headers(transport.Header(r.Header))...)
	return m.complete(ctx, func(ctx context.Context, call *transport.Call) (compactor.Response, error) {
		options := append(header[:len(header):len(header)], option.WithMaxRetries(0), option.WithMiddleware(call.Middleware))
		var res *http.Response
		// A []byte, or the SDK would marshal the body anew.
		err := m.client.Post(ctx, "v1/messages", body, &res, options...)
		reply, err := call.Reply(pith.FormatAnthropic, res, err, r.OnText)
		if err != nil {
			return compactor.Response{}, err
		}
		return transport.Response(reply, stopOf(reply.Stop)), nil
	})
}

// body is what is sent for a request.
func (m *Model) body(r *compactor.Request) ([]byte, error) {
	if len(r.Body) > 0 {
		return r.Body, nil
	}
	limit := r.MaxTokens
	if limit <= 0 {
		limit = defaultMaxTokens
	}
	if m.card.MaxOutput > 0 {
		limit = min(limit, m.card.MaxOutput)
	}
	parts := wire.RequestParts{
		Model: m.card.Name, System: r.System, MaxTokens: limit, Stream: true,
		Messages: []json.RawMessage{wire.UserMessage(pith.FormatAnthropic, r.Prompt)},
	}
	if m.card.Schema {
		parts.Schema = r.Schema
	}
	return wire.NewRequest(pith.FormatAnthropic, parts)
}

// headers put a caller's headers in the place of the SDK's. A sign-in among
// them is the only one then.
func headers(h http.Header) []option.RequestOption {
	var options []option.RequestOption
	if len(credentials(h)) > 0 {
		options = append(options, option.WithHeaderDel("Authorization"), option.WithHeaderDel("X-Api-Key"))
	}
	for name, values := range h {
		options = append(options, option.WithHeaderDel(name))
		for _, value := range values {
			options = append(options, option.WithHeaderAdd(name, value))
		}
	}
	return options
}

// credentials are the secrets among headers.
func credentials(h map[string][]string) []string {
	return transport.Credentials(h, "Authorization", "X-Api-Key")
}

// stopOf maps the API's stop reasons. A full context window ended the answer
// as much as its own limit would have.
func stopOf(reason string) compactor.Stop {
	switch reason {
	case "end_turn", "stop_sequence":
		return compactor.StopEnd
	case "max_tokens", "model_context_window_exceeded":
		return compactor.StopMaxTokens
	case "tool_use":
		return compactor.StopToolUse
	case "refusal":
		return compactor.StopRefusal
	case "pause_turn":
		return compactor.StopPause
	}
	return compactor.StopOther
}
