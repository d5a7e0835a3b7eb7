package transport

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/pith-memory/pith/compactor"
)

// Problem is what a provider says of a failure, in a body or in a stream.
type Problem struct {
	// Type and Code are the provider's words for the kind: Anthropic has a type
	// alone, OpenAI both.
	Type, Code string
	Message    string
	// Param is the field of the request that was wrong, "" where none is named.
	Param string
}

// ReadProblem reads an error body in any of the shapes that are about: an error
// object (OpenAI, Anthropic, llama.cpp), an error string (Ollama), or the fields
// at the top (vLLM, FastAPI). Of anything else the text is the message.
func ReadProblem(body []byte) Problem {
	var top struct {
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
		problemFields
	}
	if json.Unmarshal(body, &top) != nil {
		return Problem{Message: pageText(string(body))}
	}
	p := top.problem()
	var inner problemFields
	var text string
	switch {
	case json.Unmarshal(top.Error, &text) == nil && text != "":
		p.Message = text
	case json.Unmarshal(top.Error, &inner) == nil && (inner != problemFields{}):
		p = inner.problem()
	case p.Message == "" && json.Unmarshal(top.Detail, &text) == nil:
		p.Message = text
	case p.Message == "":
		p.Message = string(top.Detail)
	}
	return p
}

type problemFields struct {
	Type, Code, Param word
	Message           word
}

func (f *problemFields) problem() Problem {
	return Problem{Type: string(f.Type), Code: string(f.Code), Message: string(f.Message), Param: string(f.Param)}
}

// word is a JSON string; of any other value, the number that some servers send
// as a code among them, nothing is kept.
type word string

func (w *word) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*w = word(s)
	}
	return nil
}

// pageText is what a body that is not JSON says: of an HTML page its title.
func pageText(body string) string {
	lower := strings.ToLower(body[:min(len(body), 4096)])
	if !strings.Contains(lower, "<html") && !strings.Contains(lower, "<!doctype html") {
		return body
	}
	start := strings.Index(lower, "<title>")
	end := strings.Index(lower, "</title>")
	if start < 0 || end < start || len(lower) != min(len(body), 4096) {
		return "an HTML page"
	}
	return "an HTML page: " + body[start+len("<title>"):end]
}

// Kind is what a failure with this status is, 0 where it came inside a stream.
// An account without credit is FailAuth whatever its status (429, 402, 400):
// waiting does not help, another account or model does.
func Kind(status int, p Problem) compactor.FailureKind {
	for _, word := range []string{p.Code, p.Type} {
		if kind := ofWord(word); decisive(kind) {
			return kind
		}
	}
	if tooLarge(status, p.Message) {
		return compactor.FailTooLarge
	}
	if status >= http.StatusBadRequest {
		return kindOfStatus(status, p)
	}
	for _, word := range []string{p.Code, p.Type} {
		if kind := ofWord(word); kind != "" {
			return kind
		}
	}
	return compactor.FailServer
}

func kindOfStatus(status int, p Problem) compactor.FailureKind {
	const overloaded = 529 // Anthropic's own
	switch status {
	case http.StatusTooManyRequests:
		return compactor.FailRateLimit
	case overloaded, http.StatusServiceUnavailable:
		return compactor.FailOverloaded
	case http.StatusRequestEntityTooLarge:
		return compactor.FailTooLarge
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusPaymentRequired:
		return compactor.FailAuth
	case http.StatusNotFound, http.StatusGone:
		return compactor.FailNotFound
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return compactor.FailTimeout
	case http.StatusConflict, http.StatusTooEarly:
		return compactor.FailServer
	}
	if status >= http.StatusInternalServerError {
		if ofWord(p.Type) == compactor.FailOverloaded {
			return compactor.FailOverloaded
		}
		return compactor.FailServer
	}
	return compactor.FailInvalid
}

// ofWord is what a provider's type or code means, "" where it is not known.
func ofWord(word string) compactor.FailureKind {
	switch word {
	case "rate_limit_error", "rate_limit_exceeded", "too_many_requests", "requests", "tokens":
		return compactor.FailRateLimit
	case "overloaded_error", "overloaded", "server_overloaded", "server_is_overloaded", "service_unavailable", "engine_overloaded", "slow_down":
		return compactor.FailOverloaded
	case "api_error", "server_error", "internal_error", "internal_server_error":
		return compactor.FailServer
	case "timeout_error", "timeout", "request_timeout":
		return compactor.FailTimeout
	case "request_too_large", "context_length_exceeded", "exceed_context_size_error", "string_above_max_length", "model_context_window_exceeded":
		return compactor.FailTooLarge
	case "invalid_request_error", "invalid_prompt", "BadRequestError":
		return compactor.FailInvalid
	case "authentication_error", "permission_error", "invalid_api_key", "account_deactivated",
		"billing_error", "billing_hard_limit_reached", "billing_not_active", "insufficient_quota":
		return compactor.FailAuth
	case "not_found_error", "model_not_found", "NotFoundError":
		return compactor.FailNotFound
	}
	return ""
}

// decisive tells the kinds that a word states more exactly than a status does:
// a quota comes with 429, a window and a missing model with 400.
func decisive(kind compactor.FailureKind) bool {
	return kind == compactor.FailTooLarge || kind == compactor.FailAuth || kind == compactor.FailNotFound
}

// tooLarge finds in words what some providers give no code for. A 429 of this
// kind is a request over a limit of tokens per minute, which no waiting passes.
func tooLarge(status int, message string) bool {
	message = strings.ToLower(message[:min(len(message), 4096)])
	switch status {
	case http.StatusTooManyRequests:
		return strings.Contains(message, "request too large")
	case 0, http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusInternalServerError:
	default:
		return false
	}
	for _, sign := range []string{
		"maximum context length", "context length", "context window", "context size", "context limit",
		"prompt is too long", "input is too long", "request too large", "too many input tokens",
	} {
		if strings.Contains(message, sign) {
			return true
		}
	}
	return false
}
