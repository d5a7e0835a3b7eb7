// Package transport is what the providers have in common around one HTTP
// request, whatever SDK sends it: one budget of time and retries for a whole
// Complete, a bound on idle time and on size, and what an answer or an error
// turns into. It imports no SDK.
//
// A provider's Complete is
//
//	limits := transport.Limits{Model: card.String(), Timeout: …, MaxRetries: …, Secrets: []string{key}}
//	limits.Do(ctx, func(ctx context.Context, call *transport.Call) (compactor.Response, error) {
//		var res *http.Response
//		err := client.Post(ctx, path, body, &res, option.WithMaxRetries(0), option.WithMiddleware(call.Middleware))
//		reply, err := call.Reply(format, res, err, r.OnText)
//		if err != nil {
//			return compactor.Response{}, err
//		}
//		return transport.Response(reply, stop(reply)), nil
//	})
//
// The SDK's own retries are off: it knows neither of a failure in mid-stream,
// nor of a quota that waiting does not bring back, nor that the time will be
// up before retry-after is over; and two budgets are none. Do retries instead,
// on the same statuses and headers. Call.Middleware comes last among the
// options, next to the wire: it counts requests, and holds every body to the
// limits, also the error bodies that the SDKs read whole.
package transport

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/pith-memory/pith/compactor"
)

// What a zero field of Limits means.
const (
	DefaultTimeout = 5 * time.Minute
	DefaultIdle    = 90 * time.Second
	DefaultRetries = 2
	DefaultMaxBody = 64 << 20
)

// The wait before a retry that the provider said nothing of: it doubles.
const (
	firstWait = 500 * time.Millisecond
	longWait  = 8 * time.Second
)

// Limits bound one Complete.
type Limits struct {
	// Model names the model in a Failure, as Card.String has it.
	Model string
	// Timeout is for everything, the retries and the waits between them
	// included; 0 is DefaultTimeout.
	Timeout time.Duration
	// Idle is how long a response that began may go without a byte; 0 is
	// DefaultIdle. The wait for its first byte is Timeout's alone, since a local
	// server may load a model first.
	Idle time.Duration
	// MaxRetries is how many further requests a passing failure may cost; 0 is
	// DefaultRetries, below 0 is none.
	MaxRetries int
	// MaxBody bounds a response; 0 is DefaultMaxBody. Units: bytes.
	MaxBody int64
	// Secrets are never in a Failure, whatever a server echoes.
	Secrets []string
}

var (
	errTimeout = errors.New("the time for the whole call is up")
	errIdle    = errors.New("the response stood still")
	errTooLong = errors.New("the response is larger than allowed")
)

// Call is one Complete on its way.
type Call struct {
	limits   Limits
	attempts counter
	// stop ends the attempt that is under way.
	stop context.CancelCauseFunc
	// advice is the server's x-should-retry, "" where it sent none.
	advice string
	// parting is set once the answer is whole, and only the end of the body is awaited.
	parting bool
	// before is attempts when the attempt that is under way began.
	before int
}

// Do calls try until it answers, fails for good, or the budget is spent. Try
// sends one request, through Call.Middleware and with the context that it is
// given, and has read the response when it returns. What it returns for an
// error is classified here: the error of Do is a *compactor.Failure always.
func (l Limits) Do(ctx context.Context, try func(ctx context.Context, call *Call) (compactor.Response, error)) (compactor.Response, error) {
	l = l.filled()
	call := &Call{limits: l}
	whole, cancel := context.WithTimeoutCause(ctx, l.Timeout, errTimeout)
	defer cancel()
	for retry := 0; ; retry++ {
		response, failure := call.attempt(ctx, whole, try)
		if failure == nil {
			response.Attempts = call.attempts.value()
			return response, nil
		}
		if retry >= l.MaxRetries || !call.retryable(failure) {
			return compactor.Response{}, failure
		}
		wait := backoff(retry)
		if failure.RetryAfter > 0 {
			wait = failure.RetryAfter
		}
		if deadline, ok := whole.Deadline(); ok && time.Until(deadline) <= wait {
			return compactor.Response{}, failure
		}
		if pause(whole, wait) != nil {
			return compactor.Response{}, call.classify(ctx, whole, whole, context.Cause(whole))
		}
	}
}

// attempt is one try; its context ends with it, so nothing of it stays behind.
func (c *Call) attempt(ctx, whole context.Context, try func(ctx context.Context, call *Call) (compactor.Response, error)) (compactor.Response, *compactor.Failure) {
	if ctx.Err() != nil {
		return compactor.Response{}, c.classify(ctx, whole, whole, ctx.Err())
	}
	one, stop := context.WithCancelCause(whole)
	defer stop(nil)
	c.stop, c.advice, c.parting, c.before = stop, "", false, c.attempts.value()
	response, err := try(one, c)
	if err == nil {
		return response, nil
	}
	return compactor.Response{}, c.classify(ctx, whole, one, err)
}

// retryable tells whether the same request is worth sending again. A server's
// own advice goes before the status, as in the SDKs, save where the kind of
// failure says that it cannot help.
func (c *Call) retryable(f *compactor.Failure) bool {
	switch {
	case errors.Is(f.Err, errTimeout), f.Kind == compactor.FailCancelled, f.Kind == compactor.FailTooLarge, f.Kind == compactor.FailAuth:
		return false
	case c.advice == "true":
		return true
	case c.advice == "false":
		return false
	}
	return f.Passing()
}

func (l Limits) filled() Limits {
	if l.Timeout <= 0 {
		l.Timeout = DefaultTimeout
	}
	if l.Idle <= 0 {
		l.Idle = DefaultIdle
	}
	if l.MaxRetries == 0 {
		l.MaxRetries = DefaultRetries
	}
	if l.MaxBody <= 0 {
		l.MaxBody = DefaultMaxBody
	}
	return l
}

// backoff is how long to wait before retry number n, from 0: a part of it is
// drawn, so that those who failed together do not come back together.
func backoff(n int) time.Duration {
	wait := longWait
	if n < 5 {
		wait = min(longWait, firstWait<<n)
	}
	return wait - rand.N(wait/4)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Header is what of a session's own headers may be sent again: not those that
// belong to one connection or one body. An Accept-Encoding of ours would hand
// us a compressed body.
func Header(h map[string][]string) http.Header {
	out := http.Header{}
	for name, values := range h {
		name = http.CanonicalHeaderKey(name)
		switch name {
		case "Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect", "Host", "Keep-Alive",
			"Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade":
			continue
		}
		out[name] = append(out[name], values...)
	}
	return out
}
