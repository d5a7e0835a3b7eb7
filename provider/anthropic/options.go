package anthropic

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/provider/internal/transport"
)

// The defaults of Options.
const (
	DefaultTimeout    = transport.DefaultTimeout
	DefaultIdle       = transport.DefaultIdle
	DefaultMaxRetries = transport.DefaultRetries
)

// defaultMaxTokens bounds an answer that nobody bounded: the API has no default
// of its own. Units: tokens.
const defaultMaxTokens = 16384

// Options say which model, where it is and how to sign in. Printing them shows
// neither the key nor the values of headers.
type Options struct {
	// Model is the name that the API, or the platform, knows the model by.
	Model string
	// BaseURL is the host, "" for Anthropic's own or the one that Client sets.
	BaseURL string
	// Key is the API key. It may be "" where Header or Client sign in.
	Key string `json:"-"`
	// Window and MaxOutput are the model's limits in tokens, 0 for those of the
	// table of models. Price is likewise.
	Window    int
	MaxOutput pith.Tokens
	Price     compactor.Price
	// Schema says whether the model's answers can be held to a JSON schema; nil
	// goes by its name.
	Schema *bool
	// Timeout bounds a Complete with all its retries, 0 is DefaultTimeout.
	Timeout time.Duration
	// Idle bounds the silence before the next byte of a response that began, 0 is
	// DefaultIdle. A ping counts as a sign of life.
	Idle time.Duration
	// MaxRetries bounds how often a request is sent again, whether it was
	// refused or its answer cut off: 0 is DefaultMaxRetries, below 0 is never.
	MaxRetries int
	// Header is sent with every request.
	Header map[string][]string `json:"-"`
	// Client are options of the SDK: sign-in, platform, HTTP client, middleware.
	// Its retries are not used; MaxRetries counts instead.
	Client []option.RequestOption `json:"-"`
}

// String is the options without anything secret.
func (o Options) String() string {
	return "anthropic.Options{Model: " + o.Model + transport.Shown(o.BaseURL, o.Key, o.Header) + "}"
}

// GoString is String, so that %#v shows no more.
func (o Options) GoString() string { return o.String() }

// LogValue is String, for log/slog.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

const signInHint = "Set Options.Key to an API key of console.anthropic.com, or sign in through Options.Client, as in bedrock.WithConfig; the environment is not read."

// check refuses what can mean nothing.
func (o *Options) check() error {
	refuse := func(hint, format string, args ...any) error {
		return &pith.Error{Op: "set up the Anthropic model", Kind: pith.KindUsage, Err: fmt.Errorf(format, args...), Hint: hint}
	}
	switch {
	case o.Model == "":
		return refuse("Name one, as in claude-haiku-4-5.", "no model is named")
	case o.Key == "" && len(o.Client) == 0 && len(credentials(o.Header)) == 0:
		return refuse(signInHint, "there is no API key")
	case strings.ContainsAny(o.Key, "\r\n\x00"):
		return refuse("A key is one line; look for a line break at its end.", "the API key has a line break in it")
	case o.Timeout < 0 || o.Idle < 0:
		return refuse("0 is the default.", "a time limit is negative")
	case o.Window < 0 || o.MaxOutput < 0:
		return refuse("0 is the default.", "a limit is negative")
	}
	if err := transport.CheckBaseURL(o.BaseURL); err != nil {
		return refuse("It is the host alone, as in https://api.anthropic.com; the path /v1/messages is added.", "the base URL cannot be used: %w", err)
	}
	return nil
}

// card is what the options and the table of models know of the model.
func (o *Options) card() compactor.Card {
	c := compactor.Card{
		Provider: "anthropic", Name: o.Model, Format: pith.FormatAnthropic,
		MaxOutput: o.MaxOutput, Schema: holdsToSchema(o.Model), Price: o.Price,
	}
	if o.Schema != nil {
		c.Schema = *o.Schema
	}
	return transport.Complete(c, o.Window, true)
}

// before structured output, as the names begin behind a platform's prefix.
var freeTextModels = []string{
	"claude-instant", "claude-2", "claude-3",
	"claude-opus-4-0", "claude-sonnet-4-0", "claude-opus-4-2025", "claude-sonnet-4-2025", "claude-opus-4@", "claude-sonnet-4@",
}

// holdsToSchema tells whether the API can hold the model's answers to a JSON
// schema: Claude models can since Opus 4.1, and other vendors' models behind a
// look-alike API are not known to.
func holdsToSchema(model string) bool {
	_, name, found := strings.Cut(strings.ToLower(model), "claude-")
	if !found || name == "opus-4" || name == "sonnet-4" {
		return false
	}
	name = "claude-" + name
	return !slices.ContainsFunc(freeTextModels, func(old string) bool { return strings.HasPrefix(name, old) })
}
