package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
)

const chatAnswer = `{"id":"c1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}`

// step is one response of a server that is only played.
type step struct {
	status int
	header map[string]string
	body   string
	// stand is how long the body stands still before its end; cut ends it with a reset.
	stand time.Duration
	cut   bool
	err   error
}

// play answers a call's requests with the steps in turn, through the middleware.
func play(t *testing.T, ctx context.Context, l Limits, steps ...step) (compactor.Response, *compactor.Failure, int) {
	t.Helper()
	sent := 0
	l.Model = "openai/m"
	response, err := l.Do(ctx, func(ctx context.Context, call *Call) (compactor.Response, error) {
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://host/v1", nil)
		res, err := call.Middleware(req, func(req *http.Request) (*http.Response, error) {
			s := steps[min(sent, len(steps)-1)]
			sent++
			if s.err != nil {
				return nil, s.err
			}
			res := &http.Response{StatusCode: s.status, Header: http.Header{}, Body: &slowBody{ctx: req.Context(), text: strings.NewReader(s.body), stand: s.stand, cut: s.cut}}
			for name, value := range s.header {
				res.Header.Set(name, value)
			}
			return res, nil
		})
		reply, err := call.Reply(pith.FormatOpenAIChat, res, err, nil)
		if err != nil {
			return compactor.Response{}, err
		}
		return Response(reply, compactor.StopEnd), nil
	})
	if err == nil {
		return response, nil, sent
	}
	f := compactor.FailureOf(err)
	if f == nil {
		t.Fatalf("the error is no Failure: %v", err)
	}
	if f.Attempts != sent || f.Model != l.Model {
		t.Errorf("%d attempts of %q are told, %d were made", f.Attempts, f.Model, sent)
	}
	return response, f, sent
}

// slowBody gives its text at once and then stands, as a connection does: until
// its time is over or the request is given up.
type slowBody struct {
	ctx   context.Context
	text  *strings.Reader
	stand time.Duration
	cut   bool
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, b.ctx.Err()
	}
	if b.text.Len() > 0 {
		return b.text.Read(p)
	}
	select {
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	case <-time.After(b.stand):
	}
	if b.cut {
		return 0, io.ErrUnexpectedEOF
	}
	return 0, io.EOF
}

func (b *slowBody) Close() error { return nil }

func refused(status int, body string, header ...string) step {
	s := step{status: status, body: body, header: map[string]string{}}
	for i := 0; i+1 < len(header); i += 2 {
		s.header[header[i]] = header[i+1]
	}
	return s
}

func answered() step { return step{status: 200, body: chatAnswer} }

func TestRetries(t *testing.T) {
	const half = `data: {"choices":[{"index":0,"delta":{"content":"He"}}]}` + "\n\n"
	const broken = `data: {"error":{"type":"overloaded_error","message":"busy"}}` + "\n\n"
	tests := []struct {
		name    string
		limits  Limits
		steps   []step
		kind    compactor.FailureKind // "" is an answer
		sent    int
		atLeast time.Duration
		below   time.Duration
		after   time.Duration // the RetryAfter of the failure
	}{
		{name: "an answer", steps: []step{answered()}, sent: 1},
		{name: "503, 529, then an answer", steps: []step{refused(503, ``), refused(529, ``), answered()}, sent: 3, atLeast: 1 * time.Second, below: 2 * time.Second},
		{name: "the retries are used up", steps: []step{refused(500, ``)}, kind: compactor.FailServer, sent: 3, below: 3 * time.Second},
		{name: "no retries", limits: Limits{MaxRetries: -1}, steps: []step{refused(500, ``)}, kind: compactor.FailServer, sent: 1},
		{name: "six retries", limits: Limits{MaxRetries: 6}, steps: []step{refused(500, ``)}, kind: compactor.FailServer, sent: 7, atLeast: 17 * time.Second, below: 24 * time.Second},
		{name: "retry-after is kept to", steps: []step{refused(429, ``, "Retry-After", "7"), answered()}, sent: 2, atLeast: 7 * time.Second, below: 8 * time.Second},
		{name: "retry-after as a date", steps: []step{refused(429, ``, "Retry-After", time.Date(2000, 1, 1, 0, 0, 30, 0, time.UTC).Format(http.TimeFormat)), answered()}, sent: 2, atLeast: 30 * time.Second, below: 31 * time.Second},
		{name: "retry-after beyond the time left", limits: Limits{Timeout: time.Minute}, steps: []step{refused(429, ``, "Retry-After", "61"), answered()}, kind: compactor.FailRateLimit, sent: 1, below: time.Millisecond, after: 61 * time.Second},
		{name: "retry-after of forever", steps: []step{refused(503, ``, "Retry-After", "1e300")}, kind: compactor.FailOverloaded, sent: 1, below: time.Millisecond, after: maxWait},
		{name: "400", steps: []step{refused(400, `{"error":{"message":"no"}}`)}, kind: compactor.FailInvalid, sent: 1},
		{name: "401", steps: []step{refused(401, ``)}, kind: compactor.FailAuth, sent: 1},
		{name: "404", steps: []step{refused(404, ``)}, kind: compactor.FailNotFound, sent: 1},
		{name: "413", steps: []step{refused(413, ``)}, kind: compactor.FailTooLarge, sent: 1},
		{name: "a quota", steps: []step{refused(429, `{"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"m"}}`)}, kind: compactor.FailAuth, sent: 1},
		{name: "the server says to try again", steps: []step{refused(400, ``, "X-Should-Retry", "true"), answered()}, sent: 2, below: time.Second},
		{name: "the server says not to", steps: []step{refused(500, ``, "X-Should-Retry", "false"), answered()}, kind: compactor.FailServer, sent: 1},
		{name: "refused connections", steps: []step{{err: errors.New("dial tcp: connection refused")}}, kind: compactor.FailNetwork, sent: 3, below: 3 * time.Second},
		{name: "an error in mid-stream, then an answer", steps: []step{{status: 200, body: half + broken}, answered()}, sent: 2, below: time.Second},
		{name: "errors in mid-stream", steps: []step{{status: 200, body: half + broken}}, kind: compactor.FailOverloaded, sent: 3, below: 3 * time.Second},
		{name: "a reset in mid-stream", steps: []step{{status: 200, body: half, cut: true}, answered()}, sent: 2, below: time.Second},
		{name: "an early end", steps: []step{{status: 200, body: half}}, kind: compactor.FailNetwork, sent: 3, below: 3 * time.Second},
		{name: "a stream that stands still", limits: Limits{MaxRetries: -1}, steps: []step{{status: 200, body: half, stand: time.Hour}}, kind: compactor.FailTimeout, sent: 1, atLeast: DefaultIdle, below: DefaultIdle + time.Second},
		{name: "and is asked again", limits: Limits{Idle: time.Second}, steps: []step{{status: 200, body: half, stand: time.Hour}, answered()}, sent: 2, atLeast: time.Second, below: 2 * time.Second},
		{name: "a short stand", steps: []step{{status: 200, body: chatAnswer, stand: time.Minute}}, sent: 1, atLeast: time.Minute, below: time.Minute + time.Second},
		{name: "the time for all of it", limits: Limits{Timeout: 10 * time.Second}, steps: []step{{status: 200, body: half, stand: time.Hour}}, kind: compactor.FailTimeout, sent: 1, atLeast: 10 * time.Second, below: 11 * time.Second},
		{name: "an empty answer", steps: []step{{status: 200}}, kind: compactor.FailNetwork, sent: 3, below: 3 * time.Second},
		{name: "half an answer", steps: []step{{status: 200, body: chatAnswer[:60]}, answered()}, sent: 2, below: time.Second},
		{name: "an HTML page", steps: []step{{status: 200, body: "<html><title>Sign in</title></html>"}}, kind: compactor.FailUnreadable, sent: 1},
		{name: "a larger answer than allowed", limits: Limits{MaxBody: 100}, steps: []step{answered()}, kind: compactor.FailUnreadable, sent: 1},
		{name: "a larger error than allowed", limits: Limits{MaxBody: 100, MaxRetries: -1}, steps: []step{refused(500, strings.Repeat("x", 1000))}, kind: compactor.FailServer, sent: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				response, f, sent := play(t, context.Background(), tt.limits, tt.steps...)
				took := time.Since(start)
				if tt.kind == "" && (f != nil || response.Text != "Hello." || response.Attempts != tt.sent) {
					t.Errorf("got %+v, %v", response, f)
				}
				if tt.kind != "" && (f == nil || f.Kind != tt.kind || f.RetryAfter != tt.after) {
					t.Errorf("got %+v, want %s and RetryAfter %s", f, tt.kind, tt.after)
				}
				if sent != tt.sent {
					t.Errorf("%d requests were sent, want %d", sent, tt.sent)
				}
				if took < tt.atLeast || tt.below > 0 && took >= tt.below {
					t.Errorf("it took %s, want %s to %s", took, tt.atLeast, tt.below)
				}
			})
		})
	}
}

func TestCancel(t *testing.T) {
	tests := map[string]struct {
		step step
		wait time.Duration
		sent int
	}{
		"before it begins": {step{}, 0, 0},
		"while it waits":   {refused(429, ``, "Retry-After", "100"), 10 * time.Second, 1},
		"in mid-stream":    {step{status: 200, body: "data: {}\n\n", stand: time.Hour}, 10 * time.Second, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				if tt.wait == 0 {
					cancel()
				}
				defer time.AfterFunc(tt.wait, cancel).Stop()
				start := time.Now()
				_, f, sent := play(t, ctx, Limits{}, tt.step)
				if f == nil || f.Kind != compactor.FailCancelled || !errors.Is(f, context.Canceled) || sent != tt.sent {
					t.Errorf("got %+v after %d requests", f, sent)
				}
				if took := time.Since(start); took != tt.wait {
					t.Errorf("it took %s, want %s", took, tt.wait)
				}
			})
		})
	}
}

// An answer that is whole does not wait for a connection that stays open.
func TestStreamThatIsLeftOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		body := `data: {"choices":[{"index":0,"delta":{"content":"Hello."},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
		response, f, _ := play(t, t.Context(), Limits{}, step{status: 200, body: body, stand: time.Hour})
		if f != nil || response.Text != "Hello." || time.Since(start) != partingIdle {
			t.Errorf("got %+v, %v after %s", response, f, time.Since(start))
		}
	})
}

// The deadline of the caller is the caller's; that of Limits is not.
func TestDeadlineOfCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, f, _ := play(t, ctx, Limits{}, step{status: 200, body: "data: {}\n\n", stand: time.Hour})
		if f == nil || f.Kind != compactor.FailCancelled || !errors.Is(f, context.DeadlineExceeded) {
			t.Errorf("got %+v", f)
		}
	})
}

func TestWrongOption(t *testing.T) {
	_, err := Limits{Model: "m"}.Do(t.Context(), func(context.Context, *Call) (compactor.Response, error) {
		return compactor.Response{}, errors.New("azure: authentication requires azure.WithEndpoint")
	})
	if f := compactor.FailureOf(err); f == nil || f.Kind != compactor.FailInvalid || f.Attempts != 0 || !strings.Contains(f.Detail, "azure.WithEndpoint") {
		t.Errorf("got %+v", f)
	}
}

func TestHeader(t *testing.T) {
	got := Header(map[string][]string{"x-a": {"1", "2"}, "content-length": {"3"}, "Accept-Encoding": {"gzip"}, "host": {"h"}})
	if len(got) != 1 || strings.Join(got["X-A"], " ") != "1 2" {
		t.Errorf("got %v", got)
	}
}
