package transport

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// partingIdle is how long the end of a body is awaited once the answer in it is
// whole: a body that was read to its end leaves the connection for the next
// request, and one that never ends costs no more than this.
const partingIdle = 250 * time.Millisecond

type counter struct{ n atomic.Int32 }

func (c *counter) add()       { c.n.Add(1) }
func (c *counter) value() int { return int(c.n.Load()) }

// Middleware counts the request and holds the response's body to the limits.
// It fits option.WithMiddleware of both SDKs.
func (c *Call) Middleware(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	c.attempts.add()
	res, err := next(req)
	if res == nil || res.Body == nil {
		return res, err
	}
	c.advice = res.Header.Get("X-Should-Retry")
	stop := c.stop
	timer := time.AfterFunc(c.limits.Idle, func() { stop(errIdle) })
	timer.Stop()
	res.Body = &watched{ReadCloser: res.Body, call: c, timer: timer, left: c.limits.MaxBody}
	return res, err
}

// watched is a body that ends its attempt when it stands still, and fails when
// it is too long. Time that its reader spends elsewhere does not count.
type watched struct {
	io.ReadCloser
	call  *Call
	timer *time.Timer
	left  int64
}

func (w *watched) Read(p []byte) (int, error) {
	idle := w.call.limits.Idle
	if w.call.parting {
		idle = min(idle, partingIdle)
	}
	w.timer.Reset(idle)
	n, err := w.ReadCloser.Read(p)
	w.timer.Stop()
	w.left -= int64(n)
	if w.left < 0 {
		return 0, errTooLong
	}
	return n, err
}

func (w *watched) Close() error {
	w.timer.Stop()
	return w.ReadCloser.Close()
}
