package mcpserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pith-memory/pith"
)

// Path is where the server answers over HTTP.
const Path = "/mcp"

const (
	// maxBody bounds a request. Units: bytes.
	maxBody = maxLine
	// farewell is how long answers may take after the server was told to stop.
	farewell = 5 * time.Second
)

// NewToken makes a token: 256 random bits in hexadecimal.
func NewToken() string {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // it never fails: see crypto/rand
	return hex.EncodeToString(secret[:])
}

// Listen opens an address of this machine that no other machine reaches.
// Errors: KindUsage for any other address.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, usage("give a host and a port, as 127.0.0.1:0", "%q is no address", address)
	}
	ip := net.ParseIP(host)
	if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, usage("127.0.0.1:0 takes any free port; other machines are never served", "%s is not an address of this machine alone", address)
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, &pith.Error{Op: "listen on " + address, Kind: pith.KindUnexpected, Err: err, Hint: "another program may have the port; :0 takes any free one"}
	}
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() { // a hosts file may say anything of localhost
		return nil, errors.Join(usage("use 127.0.0.1:0", "%s does not lead to this machine alone", address), l.Close())
	}
	return l, nil
}

// ServeHTTP serves clients that know the token until ctx ends; then what is
// being answered may end first.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, token string) error {
	server := &http.Server{
		Handler:           s.Handler(l.Addr().String(), token),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: s.config.Limit + 30*time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if server.Shutdown(stopping) != nil {
		_ = server.Close() // they were given their time
	}
	return nil
}

// Handler answers HTTP requests on an address to those that know the token.
func (s *Server) Handler(address, token string) http.Handler {
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
	})
	_, port, err := net.SplitHostPort(address)
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case err != nil || !ours(r.Host, port):
			refuse(w, http.StatusForbidden, "the Host is not this server's")
		case !sameOrigin(r.Header, port):
			refuse(w, http.StatusForbidden, "pages of other origins are not answered")
		case !knows(r.Header, want):
			w.Header().Set("WWW-Authenticate", `Bearer realm="pith"`)
			refuse(w, http.StatusUnauthorized, "the token is missing or wrong: send Authorization: Bearer TOKEN")
		case r.URL.Path != Path:
			refuse(w, http.StatusNotFound, "the server is at "+Path)
		default:
			w.Header().Set("Cache-Control", "no-store")
			inner.ServeHTTP(w, r)
		}
	})
}

// ours tells whether a name and a port are those of this server: a page that a
// browser has from elsewhere names its own host, whatever address that leads to.
func ours(host, port string) bool {
	name, at, err := net.SplitHostPort(host)
	if err != nil || at != port {
		return false
	}
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// sameOrigin refuses a browser's request from another page.
func sameOrigin(h http.Header, port string) bool {
	origins := h.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	host, plain := strings.CutPrefix(origins[0], "http://")
	return len(origins) == 1 && plain && ours(host, port)
}

// knows compares the token in constant time.
func knows(h http.Header, want [sha256.Size]byte) bool {
	sent := h.Values("Authorization")
	if len(sent) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(sent[0], " ")
	got := sha256.Sum256([]byte(token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, why) // a client that went away wants no reason
}
