package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/redact"
)

// maxDetail bounds what a Failure repeats of a provider's words. Units: bytes.
const maxDetail = 300

// maxWait bounds what is believed of a retry-after, so that no number overflows.
const maxWait = 24 * time.Hour

// classify makes the Failure that an attempt's error stands for. What ended the
// attempt goes before what the attempt saw of it: a body that was cancelled
// reads as a broken one.
func (c *Call) classify(caller, whole, one context.Context, err error) *compactor.Failure {
	f := &compactor.Failure{}
	known := compactor.FailureOf(err)
	switch {
	case caller.Err() != nil:
		f.Kind, f.Err = compactor.FailCancelled, caller.Err()
	case errors.Is(context.Cause(one), errIdle):
		f.Kind, f.Err = compactor.FailTimeout, errIdle
		f.Detail = fmt.Sprintf("no byte of the response for %s", c.limits.Idle)
	case whole.Err() != nil:
		f.Kind, f.Err = compactor.FailTimeout, errTimeout
		f.Detail = fmt.Sprintf("no answer in %s", c.limits.Timeout)
	case known != nil:
		*f = *known
	case errors.Is(err, errTooLong):
		f.Kind, f.Err = compactor.FailUnreadable, errTooLong
		f.Detail = fmt.Sprintf("the response is over %d bytes", c.limits.MaxBody)
	case isTimeout(err):
		f.Kind, f.Err, f.Detail = compactor.FailTimeout, cause(err), c.Detail(errorText(err))
	case c.attempts.value() == c.before && !fromNetwork(err):
		// Nothing was sent: an option is wrong, which no retry mends.
		f.Kind, f.Detail = compactor.FailInvalid, c.Detail(errorText(err))
	default:
		f.Kind, f.Err, f.Detail = compactor.FailNetwork, cause(err), c.Detail(errorText(err))
	}
	f.Model, f.Attempts = c.limits.Model, c.attempts.value()
	return f
}

// isTimeout tells the time limits of others: of a dialer, a transport, or an
// option of the SDK.
func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &t) && t.Timeout()
}

// fromNetwork tells an error of a request, be it one of signing in that the SDK
// sent before ours, from one of making it.
func fromNetwork(err error) bool {
	var u *url.Error
	return errors.As(err, &u)
}

// cause is what went wrong on the network, without the request that an SDK or
// net/http wraps around it: its URL may hold a key.
func cause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func errorText(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "the response broke off"
	}
	return cause(err).Error()
}

// Refused is the Failure that a response with an error status stands for.
func (c *Call) Refused(status int, h http.Header, p Problem) *compactor.Failure {
	if p.Message == "" {
		p.Message = http.StatusText(status)
	}
	return &compactor.Failure{Kind: Kind(status, p), Status: status, RetryAfter: RetryAfter(h), Detail: c.Detail(p.Message)}
}

// Unsendable is the Failure of a request that could not be made.
func (c *Call) Unsendable(err error) *compactor.Failure {
	return &compactor.Failure{Kind: compactor.FailInvalid, Detail: c.Detail(err.Error())}
}

// Unreadable is the Failure of an answer that is not what the API promises.
func (c *Call) Unreadable(status int, text string) *compactor.Failure {
	return &compactor.Failure{Kind: compactor.FailUnreadable, Status: status, Detail: c.Detail(text)}
}

// Detail is what a Failure may repeat of a provider's text: on one line, without
// secrets, at most 300 bytes and no half of a rune.
func (c *Call) Detail(text string) string {
	for _, secret := range c.limits.Secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "[key]")
		}
	}
	text = redact.New().Text(clip(strings.ToValidUTF8(text, "�"), 16*maxDetail))
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return clip(strings.Join(words, " "), maxDetail)
}

func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// RetryAfter is how long a response asks to wait, 0 where it does not say:
// retry-after-ms, or retry-after in seconds or as a date.
func RetryAfter(h http.Header) time.Duration {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	text := h.Get("Retry-After")
	if d, ok := number(text, time.Second); ok {
		return d
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(time.Until(at), 0), maxWait)
	}
	return 0
}

func number(text string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(n) || n < 0 {
		return 0, false
	}
	if n >= float64(maxWait/unit) {
		return maxWait, true
	}
	return time.Duration(n * float64(unit)), true
}
