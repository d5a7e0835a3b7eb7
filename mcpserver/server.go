// Package mcpserver gives agents their memory over the Model Context Protocol:
// a call of a tool becomes a short text with a page after it, or a checkpoint.
//
// Nothing that a client sends ends the server: a line that is no message gets an
// error, a store that is locked is the error of one call.
//
// Where a behaviour is found:
//
//	what the server offers       server.go, tools.go, resources.go, prompts.go
//	which session is meant       scope.go
//	what arguments may be        arguments.go
//	lines on standard input      lines.go
//	HTTP on loopback             http.go
//	bounds, pages, redaction     page.go
package mcpserver

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/truncate"
)

// Config says what the server works with. Store may be locked or broken at any
// time: a call that needs it says so, and the next one tries again.
type Config struct {
	Memory memory.Config
	// Open opens the store of checkpoints; the function closes it.
	Open func(context.Context) (pith.Store, func(), error)
	// Look looks at the disk, as workspace.Look does.
	Look func(ctx context.Context, root string, paths []string) (*pith.Disk, error)
	// Owner is the account, Project names the folder that work belongs to as
	// checkpoints name it.
	Owner   string
	Project func(folder string) string
	Now     func() time.Time
	Version string
	// Session is the id of the session that started the server, "" where the
	// client does not say; Folder is where it works.
	Session, Folder string
	// Sessions finds what a call is about, Work does what the programs of pith
	// do as well.
	Sessions Sessions
	Work     Work
	// Calling is the session of a folder's project whose file has the call of a
	// tool with this id, "" where none has it; nil where that cannot be known.
	Calling func(ctx context.Context, folder, call string) string
	// OpenFile opens a session file of Sessions.
	OpenFile func(path string) (io.ReadCloser, error)
	// Log takes what went wrong, without content; nil drops it.
	Log *slog.Logger
	// Limit bounds one call; 0 means 60 s.
	Limit time.Duration
}

// Sessions finds checkpoints and session files. All of them refuse what belongs
// to another account or to another project than the folder's.
type Sessions interface {
	// Pick fetches the checkpoint that a text means, as `pith restore` does.
	// Errors: pith.ErrNotFound, KindUsage, KindCheck.
	Pick(ctx context.Context, store pith.Store, what, folder string) (*pith.Saved, error)
	// Mine tells whether a stored checkpoint may be shown for a folder.
	Mine(e *pith.Entry, folder string) bool
	// File finds the file of a client's session, the newest one where session
	// is "". client is what the client calls itself, "" for any.
	File(client, folder, session string) (string, error)
	// Allowed resolves the path of a session file that the caller named.
	Allowed(path, folder string) (string, error)
}

// Work is what needs more than this package reaches.
type Work interface {
	// Transcript opens the session file of a checkpoint.
	Transcript(saved *pith.Saved, s *pith.State) (io.ReadCloser, error)
	// Search lists the passages that have all the words, the best first.
	Search(ctx context.Context, store pith.Store, saved *pith.Saved, q Query) ([]Hit, error)
	// Pin keeps a text in the states after this checkpoint, or takes it back.
	Pin(ctx context.Context, store pith.Store, last *pith.Saved, text string, remove bool) (saved *pith.Saved, changed bool, err error)
	// Handoff makes the signed task; left says what its snapshot leaves out.
	Handoff(s *pith.State, h Handoff) (doc []byte, left []string, err error)
}

// Query is a search.
type Query struct {
	Words         string
	Limit, Offset int
}

// Hit is a passage that was found, and the part of it that matched.
type Hit struct {
	memory.Passage
	Snippet string
}

// Handoff says what is delegated, to whom, and within which limits.
type Handoff struct {
	To, Task               string
	Criteria, Tools, Paths []string
}

// Server serves one store and one project folder to any number of clients.
type Server struct {
	config Config
	mcp    *mcp.Server
	// busy bounds how many calls work at once.
	busy  chan struct{}
	kept  kept
	roots sync.Map // of *mcp.ServerSession: the folder that the client named
	// takes are the arguments of the tools, by the tools' names.
	takes map[string]*jsonschema.Schema
}

// atOnce is how many calls work at the same time; the others wait.
const atOnce = 4

// instructions are shown to the model by most clients.
const instructions = `pith keeps the working state of this coding session through compactions.
After a compaction, a resume or when unsure what was agreed: call state.
When a block or a state shows a reference like 9f3a51c0/inspected or 12.0: recall gives the original text.
To find what was said or shown earlier by words: search; then recall what it lists.
Before a long detour, after a finished phase or three failures in a row: checkpoint. What must never be lost: pin.`

// New makes a server; nothing is opened before a call needs it.
func New(c Config) *Server {
	if c.Limit == 0 {
		c.Limit = time.Minute
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{config: c, busy: make(chan struct{}, atOnce), takes: map[string]*jsonschema.Schema{}}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "pith", Title: "pith: memory of coding sessions", Version: c.Version}, &mcp.ServerOptions{
		Instructions: instructions,
		Logger:       slog.New(slog.DiscardHandler), // its lines may quote what was sent
		Capabilities: &mcp.ServerCapabilities{
			Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{},
			Completions: &mcp.CompletionCapabilities{},
		},
		CompletionHandler: s.complete,
		SetCacheable:      func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
		//nolint:staticcheck // clients of older versions have roots
		RootsListChangedHandler: func(_ context.Context, req *mcp.RootsListChangedRequest) { s.roots.Delete(req.Session) },
	})
	s.addTools()
	s.addResources()
	s.addPrompts()
	s.mcp.AddReceivingMiddleware(s.guard)
	return s
}

// ServeLines serves one client over lines of JSON until its end or ctx's.
func (s *Server) ServeLines(ctx context.Context, in io.Reader, out io.Writer) error {
	ended := make(chan struct{})
	var err error
	go func() {
		err = s.mcp.Run(ctx, &lines{in: in, out: out})
		close(ended)
	}()
	select {
	case <-ended:
		if ctx.Err() == nil {
			return err
		}
	case <-ctx.Done():
		select {
		case <-ended:
		case <-time.After(farewell): // a client that does not read holds up the answers
		}
	}
	return nil // it was told to stop
}

// heavy are the methods whose work is bounded in number and time.
var heavy = map[string]bool{"tools/call": true, "resources/read": true, "prompts/get": true, "completion/complete": true}

// guard bounds every call, and turns a fault in pith into the error of one.
func (s *Server) guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		if !heavy[method] {
			return next(ctx, method, req)
		}
		if wrong := s.argumentsError(req); wrong != nil {
			called := failed(wrong)
			boundError(called)
			return called, nil
		}
		ctx, cancel := context.WithTimeout(ctx, s.config.Limit)
		defer cancel()
		select {
		case s.busy <- struct{}{}:
			defer func() { <-s.busy }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		defer func() {
			if p := recover(); p != nil {
				s.config.Log.Error("a fault in pith", "method", method, "fault", fmt.Sprintf("%T", p))
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "a fault in pith; other calls go on"}
			}
		}()
		result, err = next(ctx, method, req)
		if called, ok := result.(*mcp.CallToolResult); ok && called != nil && called.IsError {
			s.config.Log.Info("a tool call failed", "method", method)
			boundError(called)
		}
		return result, err
	}
}

// longError bounds the text of an error, which may quote what was sent. Units: bytes.
const longError = 1_500

func boundError(r *mcp.CallToolResult) {
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			t.Text = truncate.Text(redact.New().Text(t.Text), longError)
		}
	}
}
