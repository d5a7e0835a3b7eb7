package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// Reply is a model's whole answer, however it arrived.
type Reply struct {
	Format pith.Format
	// Messages are the answer as the next request repeats it: one message, or
	// the items of a responses body. Every value is in the provider's own bytes.
	// An answer that says nothing gives none, since no provider takes it back.
	Messages []json.RawMessage
	// Text is the answer channel alone, its blocks joined by nothing.
	Text string
	// Stop is the provider's word for why the answer ended: a stop_reason, a
	// finish_reason, or a response's status or what left it incomplete.
	Stop string
	// ToolCalls are the calls that the client has to answer. What the provider
	// runs itself is not among them.
	ToolCalls []ToolCall
	// Thought is set where the answer holds thinking, readable or not.
	Thought bool
	// Refusal is what a model that refused says of it, or the provider's word
	// for the refusal; "" where it did not refuse.
	Refusal string
	// Usage is what the answer cost: all iterations, a compaction among them.
	Usage *pith.Usage
	// Context is how full the window was after the answer, which is less than
	// what was paid for where the provider went round several times. 0 unknown.
	Context pith.Tokens
	// Model and ID are the provider's names for what answered and for the answer.
	Model, ID string
}

// ToolCall is a call that the client is to answer.
type ToolCall struct {
	ID, Name string
	// Input is the JSON object of the arguments, in the model's own bytes.
	// Where the model wrote no whole object, it is a JSON string of what it wrote.
	Input json.RawMessage
}

// ReplyError is an error that a provider sent as its answer, or inside one.
type ReplyError struct {
	// Type is the provider's name for it, as in "overloaded_error".
	Type string
	// Message is the provider's own text, which may repeat what was sent to it.
	Message string
	// Status is the HTTP status that the error stands for, 0 unknown.
	Status int
}

// Error names the kind of error. The message stays out of it, since what a
// provider says may quote the conversation.
func (e *ReplyError) Error() string {
	text := "the provider answered with an error"
	if e.Type != "" {
		text += ": " + e.Type
	}
	if e.Status > 0 {
		text += fmt.Sprintf(" (status %d)", e.Status)
	}
	return text
}

// ReadReply reads an answer that came as one body.
// Errors: *ReplyError for an error body; others where the body is no answer.
func ReadReply(f pith.Format, body []byte) (Reply, error) {
	if !json.Valid(body) {
		return Reply{}, unreadable("the body is not whole JSON")
	}
	s, err := newStream(f)
	if err != nil {
		return Reply{}, err
	}
	if e := errorIn(body); e != nil {
		return Reply{}, e
	}
	r, err := s.body(body)
	if err != nil {
		return Reply{}, err
	}
	return finished(r, bodyFormat(f)), nil
}

// finished is what all formats have in common: a message is valid UTF-8.
func finished(r Reply, f pith.Format) Reply {
	r.Format = f
	for i, m := range r.Messages {
		if !utf8.Valid(m) {
			r.Messages[i] = []byte(strings.ToValidUTF8(string(m), "\ufffd"))
		}
	}
	r.Text = strings.ToValidUTF8(r.Text, "\ufffd")
	if r.Context == 0 {
		r.Context = r.Usage.Context()
	}
	return r
}

var errUnreadable = errors.New("not the answer that the API promises")

func unreadable(what string) error { return fmt.Errorf("%w: %s", errUnreadable, what) }

const maxErrorText = 4 << 10

// errorIn reads the error of a body or of an event's data, nil where there is
// none: the shapes of both providers, and those of local servers.
func errorIn(object []byte) *ReplyError {
	value, ok := jsonscan.Find(object, "error")
	if kind := value.Peek(); !ok || kind != '{' && kind != '"' {
		if kind := memberString(object, "object"); kind == "error" || memberString(object, "type") == "error" {
			return readError(object)
		}
		return nil
	}
	if value.Peek() == '"' {
		if message := value.String(); message != "" {
			return &ReplyError{Message: limited(message, maxErrorText)}
		}
		return nil
	}
	return readError(value.Value())
}

// readError reads {type, code, message}. A code that says more than the type
// becomes the type, as OpenAI's do; a code that is a number is a status.
func readError(object []byte) *ReplyError {
	e := &ReplyError{Message: limited(memberString(object, "message"), maxErrorText)}
	kind, code := memberString(object, "type"), memberString(object, "code")
	for _, word := range []string{code, kind} {
		if word = errorWord(word); word != "" && word != "error" && e.Type == "" {
			e.Type = word
		}
	}
	for _, word := range []string{code, kind} {
		if e.Status == 0 {
			e.Status = statusOf(word)
		}
	}
	for _, key := range []string{"status", "status_code", "code"} {
		if c, ok := jsonscan.Find(object, key); ok && e.Status == 0 {
			if n, ok := c.Int(); ok && n >= 400 && n < 600 {
				e.Status = n
			}
		}
	}
	return e
}

// statusOf is the HTTP status that an error would have had if the stream had
// not begun yet.
func statusOf(word string) int {
	switch word {
	case "overloaded_error":
		return 529
	case "rate_limit_error", "rate_limit_exceeded", "insufficient_quota", "tokens", "requests":
		return 429
	case "api_error", "server_error", "internal_server_error", "internal_error":
		return 500
	case "service_unavailable", "service_unavailable_error", "engine_overloaded", "server_overloaded", "slow_down":
		return 503
	case "timeout_error", "timeout":
		return 504
	case "authentication_error", "invalid_api_key":
		return 401
	case "billing_error":
		return 402
	case "permission_error", "permission_denied":
		return 403
	case "not_found_error", "model_not_found":
		return 404
	case "request_too_large":
		return 413
	case "invalid_request_error", "invalid_request", "invalid_prompt", "context_length_exceeded", "context_window_exceeded":
		return 400
	}
	return 0
}

// errorWord passes an identifier and nothing else, so that it may be printed.
func errorWord(word string) string {
	if len(word) > 64 {
		return ""
	}
	for i := range len(word) {
		if x := word[i]; !isWordByte(x) && x != '.' && x != '-' {
			return ""
		}
	}
	return word
}

// limited cuts text to at most n bytes, between characters.
func limited(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// memberString is the text of an object's member, "" where it is no string.
func memberString(object []byte, key string) string {
	c, ok := jsonscan.Find(object, key)
	if !ok {
		return ""
	}
	return c.String()
}

// memberValue is the bytes of an object's member, nil where there is none.
func memberValue(object []byte, key string) []byte {
	start, end, ok := jsonscan.Member(object, key)
	if !ok {
		return nil
	}
	return object[start:end]
}

// elements are the bytes of each element of a list, nil for any other value.
func elements(list []byte) [][]byte {
	c := jsonscan.New(list)
	if c.Peek() != '[' || !c.Array() {
		return nil
	}
	var all [][]byte
	for c.More() {
		all = append(all, c.Value())
	}
	return all
}

// inputOf is a call's input from the text that the model wrote.
func inputOf(text string) json.RawMessage {
	switch trimmed := strings.TrimSpace(text); {
	case trimmed == "" || trimmed == "null":
		return json.RawMessage("{}")
	case trimmed[0] == '{' && json.Valid([]byte(trimmed)):
		return json.RawMessage(trimmed)
	}
	return jsonscan.AppendQuoted(nil, text)
}
