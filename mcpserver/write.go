package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/truncate"
)

type checkpointIn struct {
	Reason     string `json:"reason"`
	Session    string `json:"session"`
	Transcript string `json:"transcript"`
}

// checkpointOut is what a new checkpoint holds, in figures.
type checkpointOut struct {
	Checkpoint  string      `json:"checkpoint"`
	Session     string      `json:"session_id"`
	Saved       bool        `json:"saved"`
	Turn        int         `json:"turn"`
	Messages    int         `json:"messages"`
	Constraints int         `json:"constraints"`
	Files       int         `json:"files"`
	Failures    int         `json:"unresolved_failures"`
	Decisions   int         `json:"decisions"`
	Before      pith.Tokens `json:"tokens_before"`
	After       pith.Tokens `json:"tokens_after"`
	Next        string      `json:"next_action"`
}

func checkpointSchema() *jsonschema.Schema {
	count := func(about string) *jsonschema.Schema { return number(about, 0, 1<<53) }
	return object(map[string]*jsonschema.Schema{
		"checkpoint": {Type: "string", Description: "The id; its beginning is enough for session."},
		"session_id": {Type: "string"},
		"saved":      {Type: "boolean", Description: "False where nothing was new since this checkpoint."},
		"turn":       count("Model requests so far."), "messages": count("Messages so far."), "constraints": count("Rules."), "files": count("Files written or read."),
		"unresolved_failures": count("Open failures."), "decisions": count("Decisions."),
		"tokens_before": count("Tokens of the live context."), "tokens_after": count("Tokens of the block that stands for it."),
		"next_action": {Type: "string"},
	}, "checkpoint", "session_id", "saved", "turn", "messages", "constraints", "files", "unresolved_failures", "decisions", "tokens_before", "tokens_after", "next_action")
}

// reasons are the values of the argument reason.
var reasons = map[string]pith.Reason{
	"": pith.ReasonManual, "manual": pith.ReasonManual, "phase": pith.ReasonPhase, "failures": pith.ReasonErrorLoop, "handoff": pith.ReasonDelegation,
}

// checkpoint keeps the state of a session as it is now.
func (s *Server) checkpoint(ctx context.Context, req *mcp.CallToolRequest, in checkpointIn) (_ *mcp.CallToolResult, out *checkpointOut, err error) {
	x := s.caller(ctx, req)
	err = s.withStore(ctx, func(store pith.Store) error {
		path, err := s.sessionFile(ctx, store, x, &in)
		if err != nil {
			return err
		}
		return again(ctx, func() error {
			out, err = s.keep(ctx, store, x, path, reasons[in.Reason])
			return err
		})
	})
	return nil, out, err
}

// tries is how often a call goes on from what somebody else kept meanwhile. Of
// those that try at once one gets through each time.
const tries = 50

// again does what adds to the latest checkpoint until nobody else was faster.
func again(ctx context.Context, f func() error) (err error) {
	for range tries {
		var conflict *pith.Conflict
		if err = f(); !errors.As(err, &conflict) || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// sessionFile is the file that a checkpoint is made from.
func (s *Server) sessionFile(ctx context.Context, store pith.Store, x scope, in *checkpointIn) (string, error) {
	if in.Transcript != "" {
		return s.config.Sessions.Allowed(in.Transcript, x.folder)
	}
	named := or(in.Session, x.session)
	if named == latest {
		named = ""
	}
	if in.Session != "" && named != "" {
		if k, err := s.config.Sessions.Pick(ctx, store, named, x.folder); err == nil {
			named = k.State.Checkpoint.SessionID // it was named by a part of its id, or by a checkpoint
		}
	}
	path, err := s.file(x, named)
	if err != nil {
		return "", &pith.Error{Op: "find the session's file", Kind: pith.KindInput, Err: err, Hint: "pass transcript, the path of the session's file"}
	}
	return path, nil
}

// keep makes a checkpoint on top of the latest one of the session.
func (s *Server) keep(ctx context.Context, store pith.Store, x scope, path string, why pith.Reason) (*checkpointOut, error) {
	previous, err := s.previous(ctx, store, path)
	if err != nil {
		return nil, err
	}
	var before *pith.State
	if previous != nil {
		before = previous.State
	}
	r, err := s.read(ctx, path, before, why)
	if err != nil {
		return nil, err
	}
	out := figuresOf(r)
	if r.Unchanged && previous != nil {
		return out, nil
	}
	project := s.projectOf(r.State, x.folder)
	disk, err := s.config.Look(ctx, project, restore.Paths(r.State))
	if err != nil {
		s.config.Log.Warn("the disk was not looked at", "kind", pith.KindOf(err))
		disk = nil
	}
	out.Saved, err = memory.New(s.config.Memory).Save(ctx, r, memory.SaveOptions{Store: store, Owner: s.config.Owner, Project: project, Disk: disk, Now: s.config.Now()})
	return out, err
}

// previous is the latest checkpoint of the session in a file, nil for none.
func (s *Server) previous(ctx context.Context, store pith.Store, path string) (*pith.Saved, error) {
	session, err := s.identity(ctx, path)
	if err != nil {
		return nil, err
	}
	saved, err := store.Latest(ctx, session)
	switch {
	case isNotFound(err):
		return nil, nil
	case err != nil:
		return nil, &pith.Error{Op: "read the latest checkpoint", Kind: pith.KindStore, Err: err}
	case saved.Owner != "" && saved.Owner != s.config.Owner:
		return nil, &pith.Error{Op: "go on from checkpoint " + short(saved.State.Checkpoint.ID), Kind: pith.KindCheck, Err: fmt.Errorf("%s saved it, and this is %s", saved.Owner, s.config.Owner)}
	}
	return saved, nil
}

// projectOf is the project that a session belongs to: by its own rows, else by
// the folder of the client.
func (s *Server) projectOf(state *pith.State, folder string) string {
	if root := state.Checkpoint.Workspace.Root; isFolder(root) {
		return s.config.Project(root)
	}
	return s.config.Project(folder)
}

func figuresOf(r *memory.Result) *checkpointOut {
	st := r.State
	out := &checkpointOut{
		Checkpoint: st.Checkpoint.ID, Session: st.Checkpoint.SessionID, Turn: st.Checkpoint.CompactedAtTurn, Messages: st.Checkpoint.ThroughMessage + 1,
		Constraints: len(st.Constraints), Files: len(st.Files.Modified) + len(st.Files.Inspected), Decisions: len(st.Decisions),
		Before: st.Metrics.TokensBefore, After: st.Metrics.TokensAfter, Next: truncate.Text(clean(st.Next.Text), 500),
	}
	for i := range st.Evidence {
		if st.Evidence[i].Unresolved() {
			out.Failures++
		}
	}
	return out
}

type pinIn struct {
	Text    string `json:"text"`
	Remove  bool   `json:"remove"`
	Session string `json:"session"`
}

type pinOut struct {
	Checkpoint string `json:"checkpoint"`
	Session    string `json:"session_id"`
	Changed    bool   `json:"changed"`
	Pins       int    `json:"pins"`
}

func pinSchema() *jsonschema.Schema {
	return object(map[string]*jsonschema.Schema{
		"checkpoint": {Type: "string"}, "session_id": {Type: "string"},
		"changed": {Type: "boolean", Description: "False where it was so already."},
		"pins":    number("Pins of the session now.", 0, 1<<53),
	}, "checkpoint", "session_id", "changed", "pins")
}

// pin keeps a text, or takes it back. A session without a checkpoint gets its
// first one for it.
func (s *Server) pin(ctx context.Context, req *mcp.CallToolRequest, in pinIn) (_ *mcp.CallToolResult, out *pinOut, err error) {
	x := s.caller(ctx, req)
	err = s.withStore(ctx, func(store pith.Store) error {
		k, err := s.find(ctx, store, x, in.Session)
		if err != nil {
			return err
		}
		var saved *pith.Saved
		var changed bool
		err = again(ctx, func() error {
			if !k.stored {
				if _, err := s.keep(ctx, store, x, k.State.Checkpoint.Transcript, pith.ReasonManual); err != nil {
					return err
				}
			}
			last, err := store.Latest(ctx, k.State.Checkpoint.SessionID)
			if err != nil {
				return &pith.Error{Op: "read the latest checkpoint", Kind: pith.KindStore, Err: err}
			}
			saved, changed, err = s.config.Work.Pin(ctx, store, last, in.Text, in.Remove)
			return err
		})
		if err != nil {
			return err
		}
		out = &pinOut{Checkpoint: saved.State.Checkpoint.ID, Session: saved.State.Checkpoint.SessionID, Changed: changed, Pins: len(saved.State.Context.Pins)}
		return nil
	})
	return nil, out, err
}

type handoffIn struct {
	To       string   `json:"to"`
	Task     string   `json:"task"`
	Criteria []string `json:"criteria"`
	Tools    []string `json:"allow_tools"`
	Paths    []string `json:"allow_paths"`
	Session  string   `json:"session"`
	Cursor   string   `json:"cursor"`
	Limit    int      `json:"limit"`
}

func handoffTool() *mcp.Tool {
	return writing("handoff", "Hand over", "A signed a2a-task.json that hands the work to another agent, with a bounded snapshot of the state; that agent accepts it once. It may do nothing but what is allowed here.",
		object(map[string]*jsonschema.Schema{
			"to":          text("The role that may accept it, as tester.", 100),
			"task":        text("What to do (default: the next action of the state).", 4000),
			"criteria":    list("When it is done.", 20, 1000),
			"allow_tools": list("Tools that it may use.", 50, 200),
			"allow_paths": list("Paths that it may work in.", 50, 4096),
			"session":     sessionArg(), "cursor": cursorArg(), "limit": limitArg("Tokens of a page (default 8000)."),
		}, "to"), nil, false)
}

// handoff makes a task for another agent. It is made once: its next pages are
// those of the same document.
func (s *Server) handoff(ctx context.Context, req *mcp.CallToolRequest, in handoffIn) (*mcp.CallToolResult, any, error) {
	if in.Limit <= 0 {
		in.Limit = maxPage
	}
	x := s.caller(ctx, req)
	call := x.callOf("handoff", in.To, in.Task, strings.Join(in.Criteria, "\n"), strings.Join(in.Tools, "\n"), strings.Join(in.Paths, "\n"), in.Session)
	if in.Cursor != "" {
		p, ok := s.kept.page(call, in.Cursor, in.Limit)
		if !ok {
			return nil, nil, staleCursor(in.Cursor)
		}
		return p.result(), nil, nil
	}
	var doc []byte
	var left []string
	err := s.withStore(ctx, func(store pith.Store) error {
		k, err := s.find(ctx, store, x, in.Session)
		if err != nil {
			return err
		}
		doc, left, err = s.config.Work.Handoff(k.State, Handoff{To: in.To, Task: in.Task, Criteria: in.Criteria, Tools: in.Tools, Paths: in.Paths})
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if found := redact.Dirty(doc); len(found) > 0 {
		return nil, nil, &pith.Error{Op: "scan the hand-over for secrets", Kind: pith.KindCheck, Err: fmt.Errorf("rule %s matches", found[0].Rule), Hint: "take the secret out of the task and call again"}
	}
	p, err := cut(call, string(doc), "", in.Limit)
	if err != nil {
		return nil, nil, err
	}
	if p.next != "" {
		s.kept.add(call, string(doc))
	}
	r := p.result()
	if len(left) > 0 {
		r.Content = append(r.Content, &mcp.TextContent{Text: "Left out of the snapshot: " + strings.Join(left, ", ")})
	}
	return r, nil, nil
}

type compactIn struct {
	Text  string `json:"text"`
	Body  string `json:"body"`
	Limit int    `json:"limit"`
}

// compactText shortens a text, or turns a conversation into its block.
func (s *Server) compactText(ctx context.Context, _ *mcp.CallToolRequest, in compactIn) (*mcp.CallToolResult, any, error) {
	if (in.Text == "") == (in.Body == "") {
		return nil, nil, usage("pass one of them", "text and body: exactly one is needed")
	}
	limit := bound(in.Limit)
	if in.Text != "" {
		return plain(shortened(redact.New().Text(in.Text), limit)), nil, nil
	}
	if !json.Valid([]byte(in.Body)) {
		return nil, nil, usage("pass the JSON of a request to /v1/messages, /v1/chat/completions or /v1/responses", "body is no JSON")
	}
	set := s.config.Memory
	set.Budget = pith.Tokens(limit)
	m := memory.New(set)
	session, err := m.Read(stopping{ctx, strings.NewReader(in.Body)}, memory.ReadOptions{})
	if err != nil {
		return nil, nil, err
	}
	r, err := m.Compact(session, pith.ReasonManual)
	if err != nil {
		return nil, nil, err
	}
	// What a block never drops may be over its budget; there are no pages, so its
	// middle gives way.
	return plain(shortened(r.Block.Text, maxPage)), nil, nil
}

// shortened brings a text under a number of tokens: its lines first, then its
// characters.
func shortened(text string, limit int) string {
	if fit(text, pith.Tokens(limit)) == len(text) {
		return text
	}
	if text = truncate.Lines(text, truncate.Options{Head: 20, Tail: 40, Verdicts: 12}).Text; fit(text, pith.Tokens(limit)) == len(text) {
		return text
	}
	for n := min(len(text), 4*limit); n > 0; n = n * 3 / 4 {
		if short := truncate.Text(text, n); fit(short, pith.Tokens(limit)) == len(short) {
			return short
		}
	}
	return ""
}

func plain(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: clean(text)}}}
}
