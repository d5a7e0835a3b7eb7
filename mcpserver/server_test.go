package mcpserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/mcpserver"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/store/file"
)

// place is a project with one session file and a store; it stands for what the
// command gives the server.
type place struct {
	folder, transcript string
	store              pith.Store
	// opening is called before the store is opened, nil for nothing.
	opening func(context.Context) error
	found   []mcpserver.Hit
	doc     string
}

func newPlace(t testing.TB) *place {
	t.Helper()
	store, err := file.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	transcript, err := filepath.Abs(filepath.Join("..", "testdata", "sessions", "claude-code.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return &place{folder: t.TempDir(), transcript: transcript, store: store}
}

func (p *place) config() mcpserver.Config {
	return mcpserver.Config{
		Open: func(ctx context.Context) (pith.Store, func(), error) {
			if p.opening != nil {
				if err := p.opening(ctx); err != nil {
					return nil, nil, err
				}
			}
			return p.store, func() {}, nil
		},
		Look: func(_ context.Context, root string, _ []string) (*pith.Disk, error) {
			return nil, errors.New("nobody looks in this test")
		},
		Owner: "me", Project: func(string) string { return p.folder }, Now: time.Now, Version: "test",
		Folder: p.folder, Sessions: p, Work: p, OpenFile: func(path string) (io.ReadCloser, error) { return os.Open(path) },
	}
}

func (p *place) Pick(ctx context.Context, store pith.Store, what, _ string) (*pith.Saved, error) {
	all, err := store.List(ctx, "")
	if err != nil {
		return nil, err
	}
	for i := range all {
		if what == "latest" || strings.HasPrefix(all[i].SessionID, what) || strings.HasPrefix(all[i].ID, what) {
			return store.Get(ctx, all[i].ID)
		}
	}
	return nil, pith.ErrNotFound
}

func (p *place) Mine(e *pith.Entry, folder string) bool {
	return e.Project == folder && e.Owner == "me"
}

func (p *place) File(_, _, session string) (string, error) {
	if p.transcript == "" || session != "" && !strings.HasPrefix(sessionID, session) {
		return "", errors.New("no such session")
	}
	return p.transcript, nil
}

func (p *place) Allowed(path, _ string) (string, error) {
	if path == p.transcript {
		return path, nil
	}
	return "", &pith.Error{Kind: pith.KindUsage, Err: errors.New("no agent has it"), Hint: "leave it out"}
}

func (p *place) Transcript(_ *pith.Saved, s *pith.State) (io.ReadCloser, error) {
	return os.Open(s.Checkpoint.Transcript)
}

func (p *place) Search(_ context.Context, _ pith.Store, _ *pith.Saved, q mcpserver.Query) ([]mcpserver.Hit, error) {
	if q.Words == "panic" {
		panic("a fault")
	}
	from := min(q.Offset, len(p.found))
	return p.found[from:min(from+q.Limit, len(p.found))], nil
}

func (p *place) Pin(_ context.Context, _ pith.Store, last *pith.Saved, _ string, _ bool) (*pith.Saved, bool, error) {
	return last, true, nil
}

func (p *place) Handoff(*pith.State, mcpserver.Handoff) ([]byte, []string, error) {
	if p.doc == "" {
		return nil, nil, &pith.Error{Kind: pith.KindUsage, Err: errors.New("there is no key"), Hint: "`pith key new` makes one"}
	}
	return []byte(p.doc), []string{"2 of urls"}, nil
}

// sessionID is that of the session file.
const sessionID = "5b0d7c1e-3c7a-4a52-9a0e-2f1f6f0a9d11"

// connect serves a client of the SDK in memory.
func connect(t *testing.T, p *place) *mcp.ClientSession { return connectAs(t, p, "") }

// connectAs is connect with a version of the protocol.
func connectAs(t *testing.T, p *place, version string) *mcp.ClientSession {
	t.Helper()
	in, out := io.Pipe()
	back, forth := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- mcpserver.New(p.config()).ServeLines(ctx, in, forth) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: back, Writer: out}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return session
}

// call calls a tool and gives its text, its next cursor and whether it failed.
func call(t *testing.T, s *mcp.ClientSession, name string, args any) (text, next string, failed bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, c := range r.Content {
		text += c.(*mcp.TextContent).Text
	}
	next, _ = r.Meta["pith/nextCursor"].(string)
	return text, next, r.IsError
}

type args = map[string]any

func TestSchemasAreClosed(t *testing.T) {
	s := connect(t, newPlace(t))
	want := map[string]bool{"state": true, "recall": true, "search": true, "checkpoint": false, "pin": false, "handoff": false, "compact_text": true}
	list, err := s.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != len(want) {
		t.Fatalf("%d tools, %v", len(list.Tools), err)
	}
	for _, tool := range list.Tools {
		reads, known := want[tool.Name]
		if !known || tool.Title == "" || tool.Annotations == nil || tool.Annotations.ReadOnlyHint != reads || len(tool.Description) < 40 || len(tool.Description) > 300 {
			t.Errorf("%s: %+v", tool.Name, tool)
		}
		closedSchema(t, tool.Name, tool.InputSchema)
		if tool.OutputSchema != nil {
			closedSchema(t, tool.Name+" (output)", tool.OutputSchema)
		}
		if _, _, failed := call(t, s, tool.Name, args{"surprise": 1}); !failed {
			t.Errorf("%s takes an argument that it does not have", tool.Name)
		}
	}
}

// closedSchema holds a schema to bounds on all that comes in.
func closedSchema(t *testing.T, name string, schema any) {
	t.Helper()
	m, ok := schema.(map[string]any)
	if !ok || m["type"] != "object" || m["additionalProperties"] != false {
		t.Errorf("%s: the schema is open: %v", name, m)
		return
	}
	for key, v := range m["properties"].(map[string]any) {
		p := v.(map[string]any)
		bounded := p["maxLength"] != nil || p["enum"] != nil || p["maximum"] != nil || p["maxItems"] != nil || p["type"] == "boolean"
		if !bounded && !strings.HasSuffix(name, "(output)") {
			t.Errorf("%s: %s has no bound: %v", name, key, p)
		}
	}
}

func TestStateBeforeAnyCheckpoint(t *testing.T) {
	s := connect(t, newPlace(t))
	text, _, failed := call(t, s, "state", nil)
	if failed || !strings.Contains(text, "session "+sessionID) || !strings.Contains(text, "no checkpoint is stored") || !strings.Contains(text, "<pith-memory") {
		t.Errorf("state: %v %s", failed, text)
	}
	for _, section := range []string{"goal", "constraints", "files", "evidence", "failures", "decisions", "progress", "identifiers", "workspace", "next"} {
		text, _, failed := call(t, s, "state", args{"section": section})
		if failed || !strings.Contains(text, "\n- ") {
			t.Errorf("section %s: %v %s", section, failed, text)
		}
	}
	if text, _, failed := call(t, s, "state", args{"session": "nobody"}); !failed || !strings.Contains(text, "What to do") {
		t.Errorf("an unknown session: %v %s", failed, text)
	}
}

func TestCheckpointThenState(t *testing.T) {
	p := newPlace(t)
	s := connect(t, p)
	for n, saved := range []bool{true, false} {
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "checkpoint", Arguments: args{"reason": "phase"}})
		if err != nil || r.IsError {
			t.Fatalf("%v %+v", err, r)
		}
		out := r.StructuredContent.(map[string]any)
		if out["saved"] != saved || out["session_id"] != sessionID || out["files"].(float64) == 0 || out["next_action"] == "" {
			t.Errorf("checkpoint %d: %v", n, out)
		}
	}
	all, err := p.store.List(t.Context(), "")
	if err != nil || len(all) != 1 || all[0].Owner != "me" || all[0].Project != p.folder {
		t.Errorf("stored: %+v %v", all, err)
	}
	if text, _, failed := call(t, s, "state", args{"session": all[0].ID[:12]}); failed || !strings.Contains(text, "checkpoint "+all[0].ID[:12]) {
		t.Errorf("state: %v %s", failed, text)
	}
	if text, _, failed := call(t, s, "checkpoint", args{"transcript": "/etc/passwd"}); !failed || !strings.Contains(text, "no agent has it") {
		t.Errorf("any file can be read: %v %s", failed, text)
	}
	p.transcript = filepath.Join(p.folder, "gone.jsonl")
	if text, _, failed := call(t, s, "checkpoint", nil); !failed || !strings.Contains(text, "gone.jsonl") {
		t.Errorf("a transcript that is gone: %v %s", failed, text)
	}
}

// Pages that are put together are the whole, and each is within its bound.
func TestPagesToTheEnd(t *testing.T) {
	p := newPlace(t)
	p.doc = `{"text":"` + strings.Repeat("one line of the document, ", 4000) + `"}`
	s := connect(t, p)
	whole, _, _ := call(t, s, "recall", args{"reference": "modified", "limit": 8000})
	for _, c := range []struct {
		tool string
		args args
		want string
	}{
		{"recall", args{"reference": "modified", "limit": 100}, whole},
		{"handoff", args{"to": "tester", "limit": 2000}, p.doc},
	} {
		var all strings.Builder
		pages := 0
		for cursor := ""; ; pages++ {
			if cursor != "" {
				c.args["cursor"] = cursor
			}
			text, next, failed := call(t, s, c.tool, c.args)
			if failed || pages > 500 {
				t.Fatalf("%s, page %d: %s", c.tool, pages, text)
			}
			if at := strings.LastIndex(text, "\n["); next != "" && at >= 0 {
				text, _, _ = strings.Cut(text, fmt.Sprintf("\n[%s", text[at+2:at+3]))
				text += "\n"
			}
			all.WriteString(text)
			if cursor = next; cursor == "" {
				break
			}
		}
		got, want := strings.ReplaceAll(all.String(), "\n", ""), strings.ReplaceAll(c.want, "\n", "")
		if pages < 2 || len(got) != len(want) {
			t.Errorf("%s: %d pages hold %d bytes, want %d", c.tool, pages+1, len(got), len(want))
		}
	}
	for _, cursor := range []string{"x", "-", "5", "99999999-abcdef012345", "3-abcdef012345"} {
		if text, _, failed := call(t, s, "recall", args{"reference": "modified", "cursor": cursor}); !failed {
			t.Errorf("cursor %q: %s", cursor, text)
		}
	}
}

func TestSearchPages(t *testing.T) {
	p := newPlace(t)
	for n := range 21 {
		p.found = append(p.found, mcpserver.Hit{Passage: memory.Passage{Ref: fmt.Sprintf("%d.0", n)}, Snippet: fmt.Sprintf("hit %d token=ghp_%s", n, strings.Repeat("a1B2", 9))})
	}
	for _, at := range []int{0, 1, 9, 15} { // its own earlier answers are no finds
		own := mcpserver.Hit{Passage: memory.Passage{Ref: "own", Tool: "mcp__plugin_pith_pith__search"}, Snippet: "own"}
		p.found = slices.Insert(p.found, at, own)
	}
	s := connect(t, p)
	a, seen := args{"query": "words"}, 0
	for range 10 {
		text, next, failed := call(t, s, "search", a)
		if failed || strings.Contains(text, "ghp_a1B2") || strings.Contains(text, "own") {
			t.Fatal(text)
		}
		seen += strings.Count(text, "## ")
		if next == "" {
			break
		}
		a["cursor"] = next
	}
	if seen != 21 {
		t.Errorf("%d of 21 hits", seen)
	}
}

// A fault, a store that is locked and a store that is broken are the error of
// one call.
func TestServerStaysUp(t *testing.T) {
	p := newPlace(t)
	s := connect(t, p)
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "search", Arguments: args{"query": "panic"}}); err == nil {
		t.Error("a fault is no error")
	}
	p.opening = func(context.Context) error { return errors.New("database is locked") }
	for _, tool := range []string{"state", "checkpoint"} {
		if text, _, failed := call(t, s, tool, nil); !failed || !strings.Contains(text, "locked") || !strings.Contains(text, "What to do") {
			t.Errorf("%s: %v %s", tool, failed, text)
		}
	}
	p.opening = nil
	if text, _, failed := call(t, s, "state", nil); failed {
		t.Errorf("afterwards: %s", text)
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "nothing"}); err == nil {
		t.Error("an unknown tool is no error")
	}
}

// A cancelled call stops its work.
func TestCancel(t *testing.T) {
	p := newPlace(t)
	started, stopped := make(chan bool), make(chan bool)
	p.opening = func(ctx context.Context) error {
		close(started)
		<-ctx.Done()
		close(stopped)
		return ctx.Err()
	}
	for _, version := range []string{"2026-07-28", "2025-06-18"} {
		started, stopped = make(chan bool), make(chan bool)
		s := connectAs(t, p, version)
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go func() {
			_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "state"})
			result <- err
		}()
		<-started
		cancel()
		<-stopped
		if err := <-result; err == nil {
			t.Errorf("%s: no error", version)
		}
	}
}

func TestHandoffWithoutKey(t *testing.T) {
	s := connect(t, newPlace(t))
	if text, _, failed := call(t, s, "handoff", args{"to": "tester"}); !failed || !strings.Contains(text, "pith key new") {
		t.Errorf("%v %s", failed, text)
	}
}

func TestCompactText(t *testing.T) {
	p := newPlace(t)
	p.opening = func(context.Context) error { return errors.New("nothing is to be stored") }
	s := connect(t, p)
	long := strings.Repeat("ok  \tsome/package\t0.1s\n", 3000) + "--- FAIL: TestX\nexit status 1 token=ghp_" + strings.Repeat("a1B2", 9)
	text, _, failed := call(t, s, "compact_text", args{"text": long, "limit": 500})
	if failed || len(text) > 4000 || !strings.Contains(text, "FAIL: TestX") || strings.Contains(text, "ghp_a1B2") {
		t.Errorf("%v %d bytes: %s", failed, len(text), text)
	}
	body := `{"model":"m","messages":[{"role":"user","content":"Fix the parser. Never touch src/legacy.go."},{"role":"assistant","content":"I will."},{"role":"user","content":"go on"}]}`
	if text, _, failed = call(t, s, "compact_text", args{"body": body}); failed || !strings.Contains(text, "<pith-memory") || !strings.Contains(text, "src/legacy.go") {
		t.Errorf("%v %s", failed, text)
	}
	for _, a := range []args{{}, {"text": "a", "body": "b"}, {"body": "no JSON"}, {"body": `{"x":1}`}} {
		if text, _, failed := call(t, s, "compact_text", a); !failed {
			t.Errorf("%v: %s", a, text)
		}
	}
}
