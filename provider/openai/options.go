package openai

import (
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/option"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/provider/internal/transport"
)

// The APIs of Options.API.
const (
	// Responses is POST /responses.
	Responses = "responses"
	// Chat is POST /chat/completions, which every server speaks.
	Chat = "chat"
)

// The defaults of Options.
const (
	DefaultTimeout    = transport.DefaultTimeout
	DefaultIdle       = transport.DefaultIdle
	DefaultMaxRetries = transport.DefaultRetries
)

// Options say which model, where it is and how to sign in. Printing them shows
// neither the key nor the values of headers.
type Options struct {
	// Model is the name that the server knows the model by; on Azure, that of the
	// deployment.
	Model string
	// BaseURL is where the API's paths begin, with /v1 where the server has it, as
	// in http://localhost:11434/v1; "" is OpenAI's own or what Client sets.
	BaseURL string
	// Key is the API key. A server other than OpenAI's may need none, and Header
	// or Client may sign in instead.
	Key string `json:"-"`
	// API is Responses or Chat; "" is Responses at OpenAI and Chat elsewhere.
	API string
	// Schema says whether the server holds an answer to a JSON schema; nil is
	// that it does at OpenAI, and elsewhere does not.
	Schema *bool
	// Window and MaxOutput are the model's limits in tokens, 0 for those of the
	// table of models. Price is likewise.
	Window    int
	MaxOutput pith.Tokens
	Price     compactor.Price
	// Timeout bounds a Complete with all its retries, 0 is DefaultTimeout.
	Timeout time.Duration
	// Idle bounds the silence before the next byte of a response that began, 0 is
	// DefaultIdle.
	Idle time.Duration
	// MaxRetries bounds how often a request is sent again, in the same way
	// whether it was refused or cut off: 0 is DefaultMaxRetries, -1 is never. A
	// request without an option that the server does not know is not counted.
	MaxRetries int
	// Header is sent with every request.
	Header map[string][]string `json:"-"`
	// Client are options of the SDK: sign-in, platform, HTTP client, middleware.
	// Its retries are not used; MaxRetries counts instead.
	Client []option.RequestOption `json:"-"`
}

// String is the options without anything secret.
func (o Options) String() string {
	text := "openai.Options{Model: " + o.Model
	if o.API != "" {
		text += ", API: " + o.API
	}
	return text + transport.Shown(o.BaseURL, o.Key, o.Header) + "}"
}

// GoString is String, so that %#v shows no more.
func (o Options) GoString() string { return o.String() }

// LogValue is String, for log/slog.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

const signInHint = "Set Options.Key to an API key of platform.openai.com, or sign in through Options.Client, as with azure.WithAPIKey; " +
	"a local server needs a BaseURL and no key. The environment is not read."

// check refuses what can mean nothing.
func (o *Options) check() error {
	refuse := func(hint, format string, args ...any) error {
		return &pith.Error{Op: "set up the OpenAI model", Kind: pith.KindUsage, Err: fmt.Errorf(format, args...), Hint: hint}
	}
	switch {
	case o.Model == "":
		return refuse("Name one, as in gpt-5-mini.", "no model is named")
	case o.API != "" && o.API != Responses && o.API != Chat:
		return refuse("It is responses or chat, or empty.", "there is no API %q", o.API)
	case strings.ContainsAny(o.Key, "\r\n\x00"):
		return refuse("A key is one line; look for a line break at its end.", "the API key has a line break in it")
	case o.Timeout < 0 || o.Idle < 0:
		return refuse("0 is the default.", "a time limit is negative")
	case o.Window < 0 || o.MaxOutput < 0 || o.MaxRetries < -1:
		return refuse("0 is the default.", "a limit is negative")
	}
	if err := transport.CheckBaseURL(o.BaseURL); err != nil {
		return refuse("It is the URL up to /v1, as in http://localhost:11434/v1; the path of the API is added.", "the base URL cannot be used: %w", err)
	}
	if o.atOpenAI() && o.Key == "" && len(o.Client) == 0 && len(credentials(o.Header)) == 0 {
		return refuse(signInHint, "there is no API key for OpenAI")
	}
	return nil
}

// credentials are the secrets among headers.
func credentials(header map[string][]string) []string {
	return transport.Credentials(header, "Authorization", "Api-Key")
}

// atOpenAI tells whether the requests go to OpenAI itself, whose servers know
// every option. With options for Azure in Client it guesses wrong, and what
// Azure does not know is found out by its answer.
func (o *Options) atOpenAI() bool {
	if o.BaseURL == "" {
		return true
	}
	u, err := url.Parse(o.BaseURL)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com")
}

func (o *Options) format() pith.Format {
	if o.API == Chat || o.API == "" && !o.atOpenAI() {
		return pith.FormatOpenAIChat
	}
	return pith.FormatOpenAIResponses
}

func (o *Options) card() compactor.Card {
	card := compactor.Card{
		Provider: "openai", Name: o.Model, Format: o.format(), MaxOutput: o.MaxOutput, Schema: o.atOpenAI(), Price: o.Price,
	}
	if o.Schema != nil {
		card.Schema = *o.Schema
	}
	return transport.Complete(card, o.Window, o.atOpenAI())
}
