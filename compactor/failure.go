package compactor

import (
	"errors"
	"fmt"
	"time"
)

// FailureKind says what kept a model from answering.
type FailureKind string

// The kinds.
const (
	FailRateLimit  FailureKind = "rate_limit" // 429
	FailOverloaded FailureKind = "overloaded" // 529, 503, also inside a stream
	FailServer     FailureKind = "server"     // other 5xx
	FailTimeout    FailureKind = "timeout"    // no answer in time
	FailNetwork    FailureKind = "network"    // refused, reset, cut off in mid-stream
	FailTooLarge   FailureKind = "too_large"  // 413, or over the model's window
	FailInvalid    FailureKind = "invalid"    // 400, 422
	FailAuth       FailureKind = "auth"       // 401, 403
	FailNotFound   FailureKind = "not_found"  // 404: no such model or path
	FailUnreadable FailureKind = "unreadable" // an answer that is not what the API promises
	FailCancelled  FailureKind = "cancelled"  // the caller's context ended
)

// Failure is the error of a model that did not answer.
type Failure struct {
	Kind FailureKind
	// Model is as Card.String has it.
	Model string
	// Status is the HTTP status, 0 where there was none.
	Status int
	// RetryAfter is how long the provider asked to wait, 0 where it did not say.
	RetryAfter time.Duration
	// Detail is the provider's own message, redacted and at most 300 bytes.
	Detail string
	// Attempts counts the requests that were sent.
	Attempts int
	Err      error
}

// Error names the model, the kind and what the provider said.
func (f *Failure) Error() string {
	text := fmt.Sprintf("%s: %s", f.Model, f.Kind)
	if f.Status > 0 {
		text += fmt.Sprintf(" (HTTP %d)", f.Status)
	}
	if f.Attempts > 1 {
		text += fmt.Sprintf(" after %d attempts", f.Attempts)
	}
	if f.Detail != "" {
		text += ": " + f.Detail
	}
	return text
}

// Unwrap is the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Passing tells whether the same request may be answered later: by this model
// or by another one.
func (f *Failure) Passing() bool {
	switch f.Kind {
	case FailRateLimit, FailOverloaded, FailServer, FailTimeout, FailNetwork:
		return true
	}
	return false
}

// FailureOf is the failure in err's chain, nil where there is none.
func FailureOf(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return nil
}
