package mcpserver

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
)

const (
	sessionsURI   = "pith://sessions"
	sessionURI    = "pith://session/"
	checkpointURI = "pith://checkpoint/"
	jsonType      = "application/json"
	// rows is a page of a list.
	rows = 50
)

// addResources offers the sessions and checkpoints of this account and project.
func (s *Server) addResources() {
	s.mcp.AddResource(&mcp.Resource{
		URI: sessionsURI, Name: "sessions", Title: "Sessions of this project", MIMEType: jsonType,
		Description: "The stored sessions of this project, the newest first, fifty on a page.",
	}, s.readSessions)
	for _, t := range []struct{ uri, name, title, about string }{
		{sessionsURI + "{?cursor}", "sessions_page", "More sessions", "The next page of pith://sessions."},
		{sessionURI + "{id}", "session", "A session", "The checkpoints of a session, the newest first, fifty on a page."},
		{sessionURI + "{id}{?cursor}", "session_page", "More checkpoints", "The next page of pith://session/{id}."},
		{checkpointURI + "{id}", "checkpoint", "A checkpoint", "The working state of a checkpoint as JSON, whole."},
	} {
		handle := s.readSessions
		switch {
		case strings.HasPrefix(t.uri, sessionURI):
			handle = s.readSession
		case strings.HasPrefix(t.uri, checkpointURI):
			handle = s.readCheckpoint
		}
		s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: t.uri, Name: t.name, Title: t.title, Description: t.about, MIMEType: jsonType}, handle)
	}
}

// sessionRow describes a session in the list.
type sessionRow struct {
	Session     string `json:"session_id"`
	URI         string `json:"uri"`
	Checkpoints int    `json:"checkpoints"`
	Latest      string `json:"latest_checkpoint"`
	SavedAt     string `json:"saved_at"`
	Turn        int    `json:"turn"`
	Goal        string `json:"goal,omitempty"`
}

// checkpointRow describes a checkpoint in the list.
type checkpointRow struct {
	Checkpoint string `json:"checkpoint"`
	URI        string `json:"uri"`
	Seq        int    `json:"seq"`
	SavedAt    string `json:"saved_at"`
	Turn       int    `json:"turn"`
	How        string `json:"how,omitempty"`
	Damaged    string `json:"damaged,omitempty"`
}

// listPage is a page of a list.
type listPage struct {
	Session     string          `json:"session_id,omitempty"`
	Sessions    []sessionRow    `json:"sessions,omitempty"`
	Checkpoints []checkpointRow `json:"checkpoints,omitempty"`
	Total       int             `json:"total"`
	NextURI     string          `json:"next_uri,omitempty"`
}

func (s *Server) readSessions(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	all, err := s.entries(ctx, req.Session, "")
	if err != nil {
		return nil, err
	}
	order, of := []string{}, map[string]*sessionRow{}
	for i := range all {
		e := &all[i]
		row := of[e.SessionID]
		if row == nil {
			row = &sessionRow{
				Session: e.SessionID, URI: sessionURI + url.PathEscape(e.SessionID), Latest: e.ID, SavedAt: stamp(e),
				Turn: e.Turn, Goal: e.Goal,
			}
			of[e.SessionID], order = row, append(order, e.SessionID)
		}
		row.Checkpoints++
	}
	from, to, next, err := slice(req.Params.URI, len(order))
	if err != nil {
		return nil, err
	}
	p := listPage{Total: len(order), NextURI: next}
	for _, id := range order[from:to] {
		p.Sessions = append(p.Sessions, *of[id])
	}
	return document(req.Params.URI, p)
}

func (s *Server) readSession(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id := idOf(req.Params.URI, sessionURI)
	all, err := s.entries(ctx, req.Session, id)
	if err != nil {
		return nil, err
	}
	if id == "" || len(all) == 0 {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	from, to, next, err := slice(req.Params.URI, len(all))
	if err != nil {
		return nil, err
	}
	p := listPage{Session: id, Total: len(all), NextURI: next}
	for i := from; i < to; i++ {
		e := &all[i]
		p.Checkpoints = append(p.Checkpoints, checkpointRow{
			Checkpoint: e.ID, URI: checkpointURI + e.ID, Seq: e.Seq, SavedAt: stamp(e), Turn: e.Turn, How: e.How, Damaged: e.Damaged,
		})
	}
	return document(req.Params.URI, p)
}

func (s *Server) readCheckpoint(ctx context.Context, req *mcp.ReadResourceRequest) (r *mcp.ReadResourceResult, err error) {
	id := idOf(req.Params.URI, checkpointURI)
	all, err := s.entries(ctx, req.Session, "")
	if err != nil {
		return nil, err
	}
	whole := ""
	for i := range all {
		if strings.HasPrefix(all[i].ID, id) && len(id) >= 6 && all[i].Damaged == "" {
			whole = all[i].ID
			break
		}
	}
	if whole == "" {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	err = s.withStore(ctx, func(store pith.Store) error {
		saved, err := store.Get(ctx, whole)
		if err != nil {
			return err
		}
		doc := saved.JSON
		if len(redact.Dirty(doc)) > 0 {
			doc = redact.New().JSON(doc)
		}
		r = contents(req.Params.URI, doc)
		return nil
	})
	return r, protocol(err)
}

// entries lists the checkpoints that a client may see, the newest first.
func (s *Server) entries(ctx context.Context, session *mcp.ServerSession, id string) (mine []pith.Entry, err error) {
	x := s.scopeOf(ctx, session)
	err = s.withStore(ctx, func(store pith.Store) error {
		all, err := store.List(ctx, id)
		if err != nil {
			return err
		}
		for i := range all {
			if s.config.Sessions.Mine(&all[i], x.folder) {
				mine = append(mine, all[i])
			}
		}
		return nil
	})
	return mine, protocol(err)
}

// protocol makes an error one of the protocol, which resources and prompts have
// instead of a result that says what is wrong.
func protocol(err error) error {
	if err == nil {
		return nil
	}
	code := int64(jsonrpc.CodeInternalError)
	if pith.KindOf(err) == pith.KindUsage || isNotFound(err) {
		code = jsonrpc.CodeInvalidParams
	}
	text := redact.New().Text(strings.ReplaceAll(err.Error(), "\n", " "))
	if hint := pith.HintOf(err); hint != "" {
		text += " (" + hint + ")"
	}
	return &jsonrpc.Error{Code: code, Message: text}
}

// idOf is the id in the address of a resource.
func idOf(uri, prefix string) string {
	rest, _, _ := strings.Cut(strings.TrimPrefix(uri, prefix), "?")
	id, err := url.PathUnescape(rest)
	if err != nil {
		return ""
	}
	return id
}

// slice is the page of a list that an address means, and the address of the next.
func slice(uri string, n int) (from, to int, next string, err error) {
	base, query, _ := strings.Cut(uri, "?")
	if cursor, ok := strings.CutPrefix(query, "cursor="); ok && cursor != "" {
		if from, err = strconv.Atoi(cursor); err != nil || from < 0 || from > n {
			return 0, 0, "", protocol(usage("begin again without it", "%q is no cursor of this list", cursor))
		}
	}
	if to = min(from+rows, n); to < n {
		next = base + "?cursor=" + strconv.Itoa(to)
	}
	return from, to, next, nil
}

func stamp(e *pith.Entry) string { return e.SavedAt.UTC().Format("2006-01-02T15:04:05Z") }

func document(uri string, v any) (*mcp.ReadResourceResult, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(redact.Dirty(data)) > 0 {
		data = redact.New().JSON(data)
	}
	return contents(uri, data), nil
}

func contents(uri string, data []byte) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: jsonType, Text: string(data)}}}
}
