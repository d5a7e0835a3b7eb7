package anthropic_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/provider/anthropic"
)

// step is what a server without a network does next: it says something, waits,
// or breaks off.
type step struct {
	text string
	wait time.Duration
	err  error
}

// scripted is a response body that follows its steps, in the time of the test.
type scripted struct {
	ctx   context.Context
	steps []step
}

func (s *scripted) Read(p []byte) (int, error) {
	for len(s.steps) > 0 {
		next := &s.steps[0]
		switch {
		case next.wait > 0:
			select {
			case <-time.After(next.wait):
			case <-s.ctx.Done():
				return 0, s.ctx.Err()
			}
		case next.err != nil:
			return 0, next.err
		case next.text != "":
			n := copy(p, next.text)
			next.text = next.text[n:]
			return n, nil
		}
		s.steps = s.steps[1:]
	}
	return 0, io.EOF
}

func (s *scripted) Close() error { return nil }

type reply struct {
	status int
	header map[string]string
	steps  []step
	// before is how long the status itself takes.
	before time.Duration
}

// offline is a model whose n-th request gets the n-th reply, and the last one
// from then on. It counts the requests and notes when they came.
func offline(t *testing.T, o anthropic.Options, replies ...reply) (*anthropic.Model, *[]time.Time) {
	t.Helper()
	var at []time.Time
	o.Key = key
	o.Client = []option.RequestOption{option.WithHTTPClient(&http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		next := replies[min(len(at), len(replies)-1)]
		at = append(at, time.Now())
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-time.After(next.before):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
		if next.status == 0 {
			next.status = 200
		}
		h := http.Header{"Content-Type": {"text/event-stream"}}
		for name, value := range next.header {
			h.Set(name, value)
		}
		return &http.Response{StatusCode: next.status, Header: h, Body: &scripted{r.Context(), append([]step(nil), next.steps...)}, Request: r}, nil
	})})}
	return newModel(t, o), &at
}

func says(text string) reply { return reply{steps: []step{{text: text}}} }

const overloadedInside = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"

func hello(t *testing.T, m *anthropic.Model) (compactor.Response, *compactor.Failure) {
	t.Helper()
	r, err := m.Complete(t.Context(), compactor.Request{Prompt: "Hi"})
	f := compactor.FailureOf(err)
	if err != nil && f == nil {
		t.Fatalf("the error is no Failure: %v", err)
	}
	return r, f
}

// An answer that breaks off is asked for again, and no more often than that.
func TestBrokenAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		broken reply
		kind   compactor.FailureKind
	}{
		"end without message_stop": {says(sse(5)), compactor.FailNetwork},
		"nothing at all":           {says(""), compactor.FailNetwork},
		"reset":                    {reply{steps: []step{{text: sse(4)}, {err: errors.New("connection reset by peer")}}}, compactor.FailNetwork},
		"overloaded inside":        {says(sse(4) + overloadedInside), compactor.FailOverloaded},
		"silence":                  {reply{steps: []step{{text: sse(4)}, {wait: time.Hour}}}, compactor.FailTimeout},
		"error as an answer":       {reply{header: map[string]string{"Content-Type": "application/json"}, steps: []step{{text: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}}}, compactor.FailOverloaded},
		"refused":                  {reply{status: 529, steps: []step{{text: "overloaded"}}}, compactor.FailOverloaded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := anthropic.Options{MaxRetries: 2, Idle: time.Second}
				m, at := offline(t, o, c.broken, c.broken, says(sse(-1)))
				r, f := hello(t, m)
				if f != nil || r.Text != "Good day." || r.Attempts != 3 || len(*at) != 3 {
					t.Fatalf("%+v, %v after %d requests", r, f, len(*at))
				}
				if first, second := (*at)[1].Sub((*at)[0]), (*at)[2].Sub((*at)[1]); first < 300*time.Millisecond || second <= first {
					t.Errorf("the pauses are %s and %s", first, second)
				}
				m, at = offline(t, o, c.broken)
				if _, f := hello(t, m); f == nil || f.Kind != c.kind || f.Attempts != 3 || len(*at) != 3 {
					t.Errorf("%v after %d requests", f, len(*at))
				}
				o.MaxRetries = -1
				m, at = offline(t, o, c.broken)
				if _, f := hello(t, m); f == nil || f.Kind != c.kind || f.Attempts != 1 || len(*at) != 1 {
					t.Errorf("without retries: %v after %d requests", f, len(*at))
				}
			})
		})
	}
}

func TestTimes(t *testing.T) {
	slow := reply{steps: []step{{text: sse(3)}}}
	for range 40 { // pings, 80 seconds apart
		slow.steps = append(slow.steps, step{wait: 80 * time.Second}, step{text: "event: ping\ndata: {\"type\":\"ping\"}\n\n"})
	}
	slow.steps = append(slow.steps, step{text: strings.TrimPrefix(sse(-1), sse(3))})
	for name, c := range map[string]struct {
		options anthropic.Options
		replies []reply
		kind    compactor.FailureKind // "" is an answer
		took    time.Duration         // at most
		sent    int
		wait    time.Duration
	}{
		"pings are a sign of life": {anthropic.Options{Timeout: time.Hour}, []reply{slow}, "", time.Hour, 1, 0},
		"the whole time":           {anthropic.Options{}, []reply{slow}, compactor.FailTimeout, 5 * time.Minute, 1, 0},
		"silence by default":       {anthropic.Options{MaxRetries: -1}, []reply{{steps: []step{{text: sse(4)}, {wait: time.Hour}}}}, compactor.FailTimeout, 90 * time.Second, 1, 0},
		"no status":                {anthropic.Options{Timeout: time.Minute}, []reply{{before: time.Hour}}, compactor.FailTimeout, time.Minute, 1, 0},
		"silent error":             {anthropic.Options{Timeout: time.Minute, Idle: time.Second, MaxRetries: -1}, []reply{{status: 500, steps: []step{{wait: time.Hour}}}}, compactor.FailTimeout, time.Second, 1, 0},
		"retry-after is waited for": {
			anthropic.Options{}, []reply{{status: 429, header: map[string]string{"Retry-After": "60"}}, says(sse(-1))},
			"", 61 * time.Second, 2, 0,
		},
		"retry-after is too long": {
			anthropic.Options{Timeout: 50 * time.Second}, []reply{{status: 429, header: map[string]string{"Retry-After": "60"}}, says(sse(-1))},
			compactor.FailRateLimit, 0, 1, time.Minute,
		},
		"x-should-retry": {
			anthropic.Options{}, []reply{{status: 529, header: map[string]string{"X-Should-Retry": "false"}}, says(sse(-1))},
			compactor.FailOverloaded, 0, 1, 0,
		},
		// The end of the connection is not waited for.
		"answer that stays open": {anthropic.Options{}, []reply{{steps: []step{{text: sse(-1)}, {wait: time.Hour}}}}, "", time.Second, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, at := offline(t, c.options, c.replies...)
				begin := time.Now()
				r, f := hello(t, m)
				took := time.Since(begin)
				switch {
				case c.kind == "" && (f != nil || r.Text != "Good day."):
					t.Errorf("%+v, %v", r, f)
				case c.kind != "" && (f == nil || f.Kind != c.kind || f.RetryAfter != c.wait || f.Attempts != c.sent):
					t.Errorf("%+v", f)
				}
				if took > c.took || len(*at) != c.sent {
					t.Errorf("%d requests took %s, want %d and %s", len(*at), took, c.sent, c.took)
				}
			})
		})
	}
}

func TestCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, at := offline(t, anthropic.Options{}, reply{status: 429, header: map[string]string{"Retry-After": "100"}})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		// The caller's own deadline is before the pause would be over.
		_, err := m.Complete(ctx, compactor.Request{Prompt: "Hi"})
		if f := compactor.FailureOf(err); f == nil || f.Kind != compactor.FailRateLimit || f.RetryAfter != 100*time.Second {
			t.Errorf("the error is %v", err)
		}
		stop, cancelLater := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Second, cancelLater)
		begin := time.Now()
		_, err = m.Complete(stop, compactor.Request{Prompt: "Hi"})
		if f := compactor.FailureOf(err); f == nil || f.Kind != compactor.FailCancelled || !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		if took := time.Since(begin); took != 20*time.Second || len(*at) != 2 {
			t.Errorf("%d requests took %s", len(*at), took)
		}
	})
}

// endless is a body that never ends.
type endless struct{ piece string }

func (e endless) Read(p []byte) (int, error) { return copy(p, e.piece), nil }
func (e endless) Close() error               { return nil }

func TestFloodIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		piece  string
		kind   compactor.FailureKind
	}{
		"one line": {200, "data: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", compactor.FailUnreadable},
		"pings":    {200, "event: ping\ndata: {\"type\":\"ping\",\"p\":\"" + strings.Repeat("a", 1<<14) + "\"}\n\n", compactor.FailUnreadable},
		"refusal":  {400, strings.Repeat("no ", 1<<12), compactor.FailInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			m := newModel(t, anthropic.Options{Key: key, MaxRetries: -1, Client: []option.RequestOption{
				option.WithHTTPClient(&http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
					return &http.Response{StatusCode: c.status, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: endless{c.piece}, Request: r}, nil
				})}),
			}})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, f := hello(t, m)
			runtime.ReadMemStats(&after)
			if f == nil || f.Kind != c.kind {
				t.Errorf("the failure is %v", f)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<30 {
				t.Errorf("%d MiB were allocated", grown>>20)
			}
		})
	}
}

// Nothing of a call is left behind when it ends.
func TestNoGoroutineStays(t *testing.T) {
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		writeSSE(w, sse(4))
		_ = http.NewResponseController(w).Flush()
		if n%2 == 0 {
			panic(http.ErrAbortHandler)
		}
		<-r.Context().Done()
	})
	transport := http.DefaultTransport.(*http.Transport).Clone()
	m := newModel(t, anthropic.Options{BaseURL: url, MaxRetries: -1, Key: key, Client: []option.RequestOption{option.WithHTTPClient(&http.Client{Transport: transport})}})
	before := runtime.NumGoroutine()
	for range 6 {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := m.Complete(ctx, compactor.Request{Prompt: "Hi", OnText: func(string) { cancel() }})
		if err == nil {
			t.Error("an answer without an end is an answer")
		}
		cancel()
	}
	transport.CloseIdleConnections()
	for end := time.Now().Add(3 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before:\n%s", n, before, stacks[:runtime.Stack(stacks, true)])
	}
}
