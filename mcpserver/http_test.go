package mcpserver_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/mcpserver"
)

// withToken adds the token to every request.
type withToken string

func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

func TestListenOnlyHere(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "192.168.1.1:80", "[::]:0", "example.com:80", "8787", "", "127.0.0.1"} {
		if l, err := mcpserver.Listen(t.Context(), address); err == nil {
			l.Close()
			t.Errorf("%q is listened on", address)
		} else if pith.KindOf(err) != pith.KindUsage || pith.HintOf(err) == "" {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestHTTPRefuses(t *testing.T) {
	token := mcpserver.NewToken()
	h := mcpserver.New(newPlace(t).config()).Handler("127.0.0.1:8123", token)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"as it should be", func(*http.Request) {}, 200},
		{"localhost", func(r *http.Request) { r.Host = "localhost:8123" }, 200},
		{"its own page", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:8123") }, 200},
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"empty token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") }, 401},
		{"wrong token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token[:63]+"x") }, 401},
		{"the beginning of it", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token[:63]) }, 401},
		{"another scheme", func(r *http.Request) { r.Header.Set("Authorization", "Basic "+token) }, 401},
		{"two tokens", func(r *http.Request) { r.Header.Add("Authorization", "Bearer "+token) }, 401},
		{"another host", func(r *http.Request) { r.Host = "evil.example:8123" }, 403},
		{"a host that only begins so", func(r *http.Request) { r.Host = "127.0.0.1.evil.example:8123" }, 403},
		{"another port", func(r *http.Request) { r.Host = "127.0.0.1:80" }, 403},
		{"no host", func(r *http.Request) { r.Host = "" }, 403},
		{"another origin", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		{"a local page of another port", func(r *http.Request) { r.Header.Set("Origin", "http://localhost:3000") }, 403},
		{"a sandboxed page", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		{"another path", func(r *http.Request) { r.URL.Path = "/" }, 404},
		{"a stream that nobody needs", func(r *http.Request) { r.Method = http.MethodGet }, 405},
	} {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8123"+mcpserver.Path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		c.change(r)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.status || c.status != 200 && strings.Contains(w.Body.String(), token) {
			t.Errorf("%s: %d, want %d: %.200s", c.name, w.Code, c.status, w.Body)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8123"+mcpserver.Path, io.LimitReader(endless{}, 40<<20))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a body without end: %d", w.Code)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// Both versions of the protocol work over HTTP, a call can be cancelled, and the
// server ends when it is told to.
func TestHTTPServes(t *testing.T) {
	p := newPlace(t)
	ctx, stop := context.WithCancel(t.Context())
	l, err := mcpserver.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	token, done := mcpserver.NewToken(), make(chan error, 1)
	go func() { done <- mcpserver.New(p.config()).ServeHTTP(ctx, l, token) }()
	dial := func(version, token string) (*mcp.ClientSession, error) {
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		return client.Connect(ctx, &mcp.StreamableClientTransport{
			Endpoint: "http://" + l.Addr().String() + mcpserver.Path, HTTPClient: &http.Client{Transport: withToken(token)}, MaxRetries: -1,
		}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	}
	if _, err := dial("", "wrong"); err == nil {
		t.Error("a wrong token connects")
	}
	for _, version := range []string{"2026-07-28", "2025-06-18"} {
		s, err := dial(version, token)
		if err != nil {
			t.Fatal(version, err)
		}
		if text, _, failed := call(t, s, "state", nil); failed || !strings.Contains(text, "<pith-memory") {
			t.Errorf("%s: %v %s", version, failed, text)
		}
		if text, _, failed := call(t, s, "recall", args{"reference": "nothing-there"}); !failed {
			t.Errorf("%s: %s", version, text)
		}
		s.Close()
	}
	s, err := dial("2026-07-28", token)
	if err != nil {
		t.Fatal(err)
	}
	started, stopped := make(chan bool), make(chan bool)
	p.opening = func(ctx context.Context) error { close(started); <-ctx.Done(); close(stopped); return ctx.Err() }
	calling, cancel := context.WithCancel(ctx)
	result := make(chan error, 1)
	go func() {
		_, err := s.CallTool(calling, &mcp.CallToolParams{Name: "state"})
		result <- err
	}()
	<-started
	cancel()
	select {
	case <-stopped:
	case <-time.After(4 * time.Second): // less than the patience with a store
		t.Error("a cancelled call works on")
	}
	<-result
	s.Close()
	stop()
	if err := <-done; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}
