// Package providertest is a scripted model provider on loopback: a server that
// turns a request into the answer that a test wrote down, in the wire format of
// Anthropic messages, OpenAI chat completions or OpenAI responses, streamed or
// whole. It judges each request as the real API does and refuses a wrong one
// with the status and the words of the real API, so that a history that would
// be refused in production fails a test. Errors of every kind that a provider
// shows (see Failures) can be had in place of an answer or in the middle of it.
package providertest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/wire"
)

// DefaultMaxBody is the size from where on a body is refused with 413, as the
// Anthropic API does it. Units: bytes.
const DefaultMaxBody = 32 << 20

// Options says how the server answers. The zero Options answers "ok" to every
// request that the real API would take.
type Options struct {
	// Script answers each request that is right. It is called for one request
	// at a time, in the order of Request.N, so it needs no lock of its own.
	Script func(*Request) Answer
	// Window is the model's context window: input and max_tokens together never
	// pass it. Units: tokens, 0 for no limit.
	Window int
	// MaxBody is the size limit of a body, 0 for DefaultMaxBody. Units: bytes.
	MaxBody int
	// Key is the API key that a request has to carry, "" for any.
	Key string
	// Strict asks what only some servers of a format ask: roles that alternate,
	// tool ids that are unique in the whole history, texts and results that say
	// something.
	Strict bool
	// PreservedThinking binds each signed thinking block to its model and to
	// everything before it: system, tools and earlier messages have to come back
	// unchanged.
	PreservedThinking bool
	// Clients takes what coding agents send beyond the documented API, under
	// betas of their own: messages of role system, and fields that are not
	// known here. What pairs of calls and results have to be like stays.
	Clients bool
	// IsCompaction tells a compaction request from an agent's turn. Nil takes
	// one that asks for the draft's fields as a compaction.
	IsCompaction func(*Request) bool
}

// Server is the provider. It is safe for concurrent use.
type Server struct {
	// URL is the server's root: the base URL of an Anthropic client. See BaseURL.
	URL string

	options Options
	http    *httptest.Server
	closing chan struct{}
	counts  counter

	script   sync.Mutex
	mu       sync.Mutex
	requests []*Request
	problems []string
	active   [2]int
	most     [2]int
	// reasons holds which reasoning item each item of an answer came with, and
	// thought the calls of answers that began with thinking.
	reasons map[string]string
	thought map[string]bool
}

// TB is what New needs of a testing.TB; the package itself does not import
// testing, so a program may use it too.
type TB interface {
	Helper()
	Cleanup(func())
}

// New starts a server that ends with the test.
func New(t TB, o Options) *Server {
	t.Helper()
	s := NewServer(o)
	t.Cleanup(s.Close)
	return s
}

// NewServer starts a server that the caller closes.
func NewServer(o Options) *Server {
	if o.MaxBody == 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.IsCompaction == nil {
		o.IsCompaction = asksForDraft
	}
	s := &Server{options: o, closing: make(chan struct{}), reasons: map[string]string{}, thought: map[string]bool{}}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL
	return s
}

// Close ends the server and every request that it holds.
func (s *Server) Close() {
	close(s.closing)
	s.http.CloseClientConnections()
	s.http.Close()
}

// BaseURL is what a client of a format takes as its base URL: OpenAI's have the
// version in it, Anthropic's have not.
func (s *Server) BaseURL(f pith.Format) string {
	if f == pith.FormatAnthropic {
		return s.URL
	}
	return s.URL + "/v1"
}

// Requests lists what was received, in order, refused requests included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Request, len(s.requests))
	for i, r := range s.requests {
		out[i] = *r
	}
	return out
}

// Problems lists what was wrong with the requests that were refused for their
// content. Errors that the script asked for are none.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// MaxInFlight is the most requests that were being answered at one time, and
// how many of them were compactions.
func (s *Server) MaxInFlight() (requests, compactions int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most[0], s.most[1]
}

func (s *Server) serve(w http.ResponseWriter, hr *http.Request) {
	if hr.Method == http.MethodHead {
		return // a client looks whether anybody is there
	}
	if s.options.Clients && hr.Method == http.MethodGet && strings.EqualFold(hr.Header.Get("Upgrade"), "websocket") {
		w.WriteHeader(http.StatusUpgradeRequired) // which has it come again without
		return
	}
	r := &Request{Path: hr.URL.Path, Header: hr.Header.Clone(), Format: formatOf(hr.URL.Path)}
	body, err := io.ReadAll(io.LimitReader(hr.Body, int64(s.options.MaxBody)+1))
	if err != nil {
		return // the client is gone
	}
	r.Body = body
	p, wrong := s.judge(hr, r)
	s.record(r, wrong)
	defer s.done(r)
	c := connection{w: w, done: hr.Context().Done(), closing: s.closing, format: r.Format, stream: r.Stream, n: r.N}
	if wrong != nil {
		c.refuse(wrong)
		return
	}
	answer := s.answer(r)
	if answer.Wait != nil && !c.wait(answer.Wait) {
		return
	}
	rep := s.reply(r, p, answer)
	c.send(rep)
}

// judge reads the request and finds what the API would refuse, nil for nothing.
func (s *Server) judge(hr *http.Request, r *Request) (parsed, *problem) {
	if wrong := s.envelope(hr, r); wrong != nil {
		return parsed{}, wrong
	}
	conv, err := wire.DecodeAs(r.Format, r.Body)
	if err != nil {
		return parsed{}, invalid("json", "", "We could not parse the JSON body of your request. (HINT: this likely means you aren't using your HTTP library correctly. The API expects a JSON payload, but what was sent was not valid JSON.)")
	}
	r.Conversation = conv
	p, wrong := parse(r.Format, r.Body)
	r.Stream, r.Schema = p.stream, p.schema
	r.Compaction = s.options.IsCompaction(r)
	if wrong == nil {
		wrong = s.rules(p)
	}
	r.Input = s.counts.of(p)
	if wrong == nil {
		wrong = overWindow(r.Format, r.Input, p.maxTokens, s.options.Window)
	}
	return p, wrong
}

// envelope judges everything but the content.
func (s *Server) envelope(hr *http.Request, r *Request) *problem {
	if r.Format == "" {
		r.Format = pith.FormatOpenAIChat
		return &problem{status: http.StatusNotFound, rule: "path", kind: "not_found_error", message: "Invalid URL (" + hr.Method + " " + r.Path + ")"}
	}
	if hr.Method != http.MethodPost {
		return &problem{status: http.StatusMethodNotAllowed, rule: "method", kind: "invalid_request_error", message: "Method Not Allowed"}
	}
	if s.options.Key != "" && hr.Header.Get("X-Api-Key") != s.options.Key && hr.Header.Get("Authorization") != "Bearer "+s.options.Key {
		return unauthorised(r.Format)
	}
	if len(r.Body) > s.options.MaxBody {
		return tooLarge(r.Format)
	}
	if r.Format == pith.FormatAnthropic && hr.Header.Get("Anthropic-Version") == "" {
		return invalid("header", "", "anthropic-version: header is required")
	}
	if kind := hr.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		return invalid("header", "", "Unsupported content type: '%s'. This API method only accepts 'application/json' requests.", kind)
	}
	return validText(r.Body)
}

func (s *Server) record(r *Request, wrong *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.N = len(s.requests) + 1
	r.SharedPrefix = s.sharedPrefix(r.Body)
	s.requests = append(s.requests, r)
	if wrong != nil {
		r.Problem = wrong.message
		s.problems = append(s.problems, fmt.Sprintf("request %d (%s): %s: %s", r.N, r.Format, wrong.rule, wrong.message))
	}
	s.count(r, 1)
}

func (s *Server) done(r *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(r, -1)
}

func (s *Server) count(r *Request, by int) {
	s.active[0] += by
	if r.Compaction {
		s.active[1] += by
	}
	for i := range s.active {
		s.most[i] = max(s.most[i], s.active[i])
	}
}

// cacheEntries is with how many earlier requests a body is compared: a
// provider's cache does not last for ever either.
const cacheEntries = 16

// sharedPrefix is how many bytes a body has in common with an earlier one.
func (s *Server) sharedPrefix(body []byte) int {
	longest := 0
	for _, r := range s.requests[max(0, len(s.requests)-cacheEntries):] {
		n := 0
		for most := min(len(r.Body), len(body)); n < most && r.Body[n] == body[n]; {
			n++
		}
		longest = max(longest, n)
	}
	return longest
}

func (s *Server) answer(r *Request) Answer {
	if s.options.Script == nil {
		return Say("ok")
	}
	s.script.Lock()
	defer s.script.Unlock()
	return s.options.Script(r)
}

// reply completes what the script left open: ids, signatures, usage.
func (s *Server) reply(r *Request, p parsed, a Answer) reply {
	rep := reply{Answer: a, n: r.N, model: p.model, usageChunk: p.usageChunk}
	for _, text := range []*string{&rep.Text, &rep.Thinking, &rep.Refusal} {
		*text = strings.ToValidUTF8(*text, "\ufffd") // as it is sent, and signed
	}
	rep.Calls = slices.Clone(a.Calls)
	for i := range rep.Calls {
		if rep.Calls[i].ID == "" {
			rep.Calls[i].ID = callPrefix(r.Format) + strconv.Itoa(r.N) + "_" + strconv.Itoa(i+1)
		}
		if len(rep.Calls[i].Input) == 0 {
			rep.Calls[i].Input = []byte("{}")
		}
	}
	if rep.Thinking != "" {
		rep.signature = sign(rep.Thinking, p.prefix())
		s.mu.Lock()
		for i := range rep.Calls {
			s.reasons[rep.itemID("fc", i)] = rep.itemID("rs", 0)
			s.thought[rep.Calls[i].ID] = true
		}
		s.mu.Unlock()
	}
	if a.Usage != nil {
		rep.usage = *a.Usage
	} else {
		rep.usage = s.usage(r, p, &rep)
	}
	return rep
}

// usage counts as the provider does: what an earlier request began with is read
// from the cache, at Anthropic only where the request carries a mark for it.
func (s *Server) usage(r *Request, p parsed, rep *reply) pith.Usage {
	u := pith.Usage{Input: int(r.Input), Output: s.counts.output(rep)}
	if r.Format == pith.FormatAnthropic && p.marks == 0 {
		return u
	}
	u.CacheRead = int(float64(r.Input) * float64(r.SharedPrefix) / float64(max(1, len(r.Body))))
	u.Input -= u.CacheRead
	if r.Format == pith.FormatAnthropic {
		u.CacheWrite, u.Input = u.Input, 0
	}
	return u
}
