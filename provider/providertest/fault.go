package providertest

import (
	"net/http"
	"strconv"
	"time"

	"github.com/pith-memory/pith"
)

// Fault is something that goes wrong on the way of an answer.
type Fault struct {
	kind   faultKind
	status int
	// retryAfter is in seconds, retryAfterMS in milliseconds.
	retryAfter, retryAfterMS string
	contentType, body        string
}

type faultKind uint8

const (
	// instead: an error in the place of the answer.
	instead faultKind = iota
	// silent: nothing comes, not even a head.
	silent
	// stalls: half of the answer comes, then nothing.
	stalls
	// resets: half of the answer comes, then a reset of the connection.
	resets
	// ends: half of the answer comes, and then the end as if it were whole.
	ends
	// errorInStream: half of the answer comes, then the provider's error event.
	errorInStream
)

// HTTPError is an error of a status in the provider's own words. A status of
// 529 is 503 where OpenAI's format is spoken.
func HTTPError(status int) *Fault { return &Fault{kind: instead, status: status} }

// RateLimited is a 429 that asks the client to wait.
func RateLimited(after time.Duration) *Fault {
	seconds := int((after + time.Second - 1) / time.Second)
	return &Fault{
		kind: instead, status: http.StatusTooManyRequests,
		retryAfter: strconv.Itoa(seconds), retryAfterMS: strconv.FormatInt(after.Milliseconds(), 10),
	}
}

// Silence takes the request and never answers.
func Silence() *Fault { return &Fault{kind: silent} }

// Stall goes silent in the middle of the answer.
func Stall() *Fault { return &Fault{kind: stalls} }

// Reset resets the connection in the middle of the answer.
func Reset() *Fault { return &Fault{kind: resets} }

// EarlyEnd ends the answer in its middle as if it were whole.
func EarlyEnd() *Fault { return &Fault{kind: ends} }

// OverloadedMidStream breaks off a stream with the event for an overload. An
// answer that is not streamed is the error itself.
func OverloadedMidStream() *Fault { return &Fault{kind: errorInStream} }

// HTMLPage is the error page of a gateway in front of the provider.
func HTMLPage() *Fault {
	return &Fault{kind: instead, status: http.StatusBadGateway, contentType: "text/html", body: "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n"}
}

// NotJSON is an answer with status 200 that no API sends.
func NotJSON() *Fault {
	return &Fault{kind: instead, status: http.StatusOK, contentType: "application/json", body: "upstream connect error or disconnect/reset before headers"}
}

// OverWindow is Anthropic's refusal of an input that is longer than the window.
// Units: tokens.
func OverWindow(input, window int) *Fault {
	return &Fault{kind: instead, status: http.StatusBadRequest, contentType: "application/json", body: `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: ` +
		strconv.Itoa(input) + " tokens > " + strconv.Itoa(window) + ` maximum"}}`}
}

// problem is the error that the provider tells for the fault's status.
func (f *Fault) problem(format pith.Format) *problem {
	switch f.status {
	case http.StatusUnauthorized:
		return unauthorised(format)
	case http.StatusRequestEntityTooLarge:
		return tooLarge(format)
	case 529, http.StatusServiceUnavailable:
		return overloaded(format)
	}
	anthropic := format == pith.FormatAnthropic
	p := &problem{status: f.status}
	switch {
	case f.status == http.StatusTooManyRequests && anthropic:
		p.kind, p.message = "rate_limit_error", "This request would exceed your organization's rate limit of 30,000 input tokens per minute. For details, refer to: https://docs.claude.com/en/api/rate-limits."
	case f.status == http.StatusTooManyRequests:
		p.kind, p.code, p.message = "tokens", "rate_limit_exceeded", "Rate limit reached on tokens per min (TPM): Limit 30000, Used 29500, Requested 5200. Please try again later."
	case f.status == http.StatusForbidden && anthropic:
		p.kind, p.message = "permission_error", "Your API key does not have permission to use the specified resource."
	case f.status == http.StatusNotFound && anthropic:
		p.kind, p.message = "not_found_error", "model: no-such-model"
	case f.status == http.StatusNotFound:
		p.kind, p.code, p.message = "invalid_request_error", "model_not_found", "The model `no-such-model` does not exist or you do not have access to it."
	case f.status >= 500 && anthropic:
		p.kind, p.message = "api_error", "Internal server error"
	case f.status >= 500:
		p.kind, p.message = "server_error", "The server had an error while processing your request. Sorry about that!"
	case anthropic:
		p.kind, p.message = "invalid_request_error", "Your request could not be processed."
	default:
		p.kind, p.code, p.message = "invalid_request_error", "invalid_value", "Your request could not be processed."
	}
	return p
}

func overloaded(f pith.Format) *problem {
	if f == pith.FormatAnthropic {
		return &problem{status: 529, kind: "overloaded_error", message: "Overloaded"}
	}
	return &problem{status: http.StatusServiceUnavailable, kind: "server_error", message: "The engine is currently overloaded, please try again later"}
}

func unauthorised(f pith.Format) *problem {
	if f == pith.FormatAnthropic {
		return &problem{status: http.StatusUnauthorized, rule: "key", kind: "authentication_error", message: "invalid x-api-key"}
	}
	return &problem{status: http.StatusUnauthorized, rule: "key", kind: "invalid_request_error", code: "invalid_api_key", message: "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys."}
}

func tooLarge(f pith.Format) *problem {
	if f == pith.FormatAnthropic {
		return &problem{status: http.StatusRequestEntityTooLarge, rule: "size", kind: "request_too_large", message: "Request exceeds the maximum size"}
	}
	return &problem{status: http.StatusRequestEntityTooLarge, rule: "size", kind: "invalid_request_error", message: "Request body is too large"}
}
