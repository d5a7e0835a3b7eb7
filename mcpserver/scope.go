package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/restore"
)

// latest is the argument that means the newest session of the project.
const latest = "latest"

// scope is what a call is about: the folder that the client works in, the
// client's name, and the session that it is in, "" where nothing says so.
type scope struct{ folder, client, session string }

// patience is how long a call waits for a store that somebody else holds, and
// for a client to say in which folder it works.
const patience = 5 * time.Second

// scopeOf works out in which folder a client works: what it offers as its
// first root, else what the server was started with.
func (s *Server) scopeOf(ctx context.Context, session *mcp.ServerSession) scope {
	x := scope{folder: s.config.Folder, session: s.config.Session}
	if session == nil {
		return x
	}
	p := session.InitializeParams()
	if p == nil {
		return x
	}
	if p.ClientInfo != nil {
		x.client = p.ClientInfo.Name
	}
	if p.Capabilities == nil || p.Capabilities.RootsV2 == nil { //nolint:staticcheck // clients of older versions have roots
		return x
	}
	folder, known := s.roots.Load(session)
	if !known {
		folder = firstRoot(ctx, session)
		s.roots.Store(session, folder)
	}
	if dir, ok := folder.(string); ok && dir != "" {
		x.folder = dir
	}
	return x
}

// callMeta is where Claude Code puts the id of the tool call.
const callMeta = "claudecode/toolUseId"

// caller is scopeOf for a call of a tool. A client may have begun another
// session since it started the server, as Claude Code does at /clear: the
// session is the one whose file has the call.
func (s *Server) caller(ctx context.Context, req *mcp.CallToolRequest) scope {
	x := s.scopeOf(ctx, req.Session)
	if id, ok := req.Params.Meta[callMeta].(string); ok && id != "" && s.config.Calling != nil {
		x.session = or(s.config.Calling(ctx, x.folder, id), x.session)
	}
	return x
}

// firstRoot asks a client for its roots. Where it does not answer there are none.
func firstRoot(ctx context.Context, session *mcp.ServerSession) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	roots, err := session.ListRoots(ctx, nil) //nolint:staticcheck // as above
	if err != nil {
		return ""
	}
	for _, r := range roots.Roots {
		u, err := url.Parse(r.URI)
		if err != nil || u.Scheme != "file" {
			continue
		}
		if dir := folderOf(u); isFolder(dir) {
			return dir
		}
	}
	return ""
}

// folderOf is the path that a file URI names; of file:///C:/src it is C:\src.
func folderOf(u *url.URL) string {
	path := filepath.FromSlash(u.Path)
	if rest := strings.TrimPrefix(path, string(filepath.Separator)); filepath.VolumeName(rest) != "" {
		return rest
	}
	return path
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// known is a session as far as pith knows it.
type known struct {
	*pith.Saved
	// stored is unset where the session file alone is known.
	stored bool
	parent func(id string) (*pith.Saved, error)
	// archive has what no client keeps, nil for none.
	archive pith.Archive
}

// version changes with what is known of the session: with its checkpoints, and
// not with every call where none is stored.
func (k *known) version() string {
	if k.stored {
		return k.State.Checkpoint.ID
	}
	return k.State.Checkpoint.SessionID
}

// find fetches the session that an argument means: the one named, else the one
// that the caller is in, else the one whose file is the newest of the project.
// A session without a checkpoint is read from its file, and kept nowhere.
func (s *Server) find(ctx context.Context, store pith.Store, x scope, what string) (*known, error) {
	named := or(what, x.session)
	if named == "" {
		named = s.newest(ctx, x)
	}
	if named == latest {
		named = ""
	}
	saved, err := s.config.Sessions.Pick(ctx, store, or(named, latest), x.folder)
	if err == nil && what == "" && named != "" && saved.State.Checkpoint.SessionID != named {
		err = fmt.Errorf("session %s: %w", named, pith.ErrNotFound) // another one, whose id begins with this one's
	}
	if err == nil {
		k := &known{Saved: saved, stored: true}
		k.parent = func(id string) (*pith.Saved, error) { return store.Get(ctx, id) }
		k.archive, _ = store.(pith.Archive) // not every store is one
		return k, nil
	}
	if pith.KindOf(err) != pith.KindStore && !errors.Is(err, pith.ErrNotFound) {
		return nil, err
	}
	path, fileErr := s.file(x, named)
	if fileErr != nil {
		return nil, nothingKnown(err, what)
	}
	r, err := s.read(ctx, path, nil, pith.ReasonManual)
	if err != nil {
		return nil, err
	}
	return &known{Saved: &pith.Saved{State: r.State, JSON: r.JSON, Owner: s.config.Owner, Project: s.config.Project(x.folder)}}, nil
}

// file is the file of a session, of the client's newest where none is named.
func (s *Server) file(x scope, named string) (string, error) {
	if named != "" {
		return s.config.Sessions.File("", x.folder, named) // any client's: it is no other's id
	}
	return s.config.Sessions.File(x.client, x.folder, "")
}

// newest is the session whose file of the client's is the newest, "" for none.
func (s *Server) newest(ctx context.Context, x scope) string {
	path, err := s.file(x, "")
	if err != nil {
		return ""
	}
	id, err := s.identity(ctx, path)
	if err != nil {
		return ""
	}
	return id
}

// identity is the id of the session in a file.
func (s *Server) identity(ctx context.Context, path string) (string, error) {
	f, err := s.config.OpenFile(path)
	if err != nil {
		return "", gone(path, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	_, session, err := memory.Identity(stopping{ctx, f}, memory.Numbering{})
	if err != nil {
		return "", &pith.Error{Op: "read the session", Kind: pith.KindInput, Err: err}
	}
	return session, nil
}

// nothingKnown says of a session that was not found what can be done.
func nothingKnown(err error, what string) error {
	hint := "the resource pith://sessions lists what there is; pass session: \"latest\" or the beginning of an id"
	if what == "" {
		hint = "call checkpoint to make the first one; or " + hint
	}
	return &pith.Error{Op: "find the session", Kind: pith.KindStore, Err: err, Hint: hint}
}

// read turns a session file into a state, on top of an earlier one where there
// is one. A call that was cancelled reads no further.
func (s *Server) read(ctx context.Context, path string, previous *pith.State, why pith.Reason) (*memory.Result, error) {
	f, err := s.config.OpenFile(path)
	if err != nil {
		return nil, gone(path, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	m := memory.New(s.config.Memory)
	session, err := m.Read(stopping{ctx, f}, memory.ReadOptions{Name: path, Previous: previous})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, &pith.Error{Op: "read the session", Kind: pith.KindInput, Err: err}
	}
	return m.Compact(session, why)
}

func gone(path string, err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &pith.Error{Op: "open the session file " + path, Kind: pith.KindInput, Err: err, Hint: "the client may have removed it; name another session"}
}

// stopping is a reader that ends with a context.
type stopping struct {
	ctx context.Context
	in  io.Reader
}

func (r stopping) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}

// look compares a state with the disk. Where that is impossible the state comes
// back as it is, and nothing is said of changes.
func (s *Server) look(ctx context.Context, k *known, folder string) (*pith.State, []restore.Finding) {
	root := or(k.Project, s.config.Project(folder))
	now, err := s.config.Look(ctx, root, restore.Paths(k.State))
	if err != nil {
		s.config.Log.Warn("the disk was not looked at", "kind", pith.KindOf(err))
		now = nil
	}
	return restore.Reconcile(k.State, k.Disk, now)
}

// withStore runs a call on the store.
func (s *Server) withStore(ctx context.Context, f func(store pith.Store) error) error {
	opening, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	store, done, err := s.config.Open(opening)
	if err != nil {
		if pith.HintOf(err) == "" {
			err = &pith.Error{Op: "open the store", Kind: pith.KindStore, Err: err, Hint: "try again in a moment; `pith doctor` says what is wrong"}
		}
		return err
	}
	defer done()
	return f(store)
}

// head is one line that says which session a text is about.
func (k *known) head() string {
	p := &k.State.Checkpoint
	line := "session " + p.SessionID
	if k.stored {
		line += ", checkpoint " + short(p.ID)
	} else {
		line += ", read from its file just now (no checkpoint is stored)"
	}
	line += fmt.Sprintf(", through message %d, turn %d", p.ThroughMessage, p.CompactedAtTurn)
	if p.CreatedAt != nil {
		line += ", " + p.CreatedAt.UTC().Format("2006-01-02 15:04Z")
	}
	if p.Origin != "live" {
		line += "; UNVERIFIED: it is " + p.Origin
	}
	return strings.ReplaceAll(line, "\n", " ") + "\n"
}

// short is an id as people read it.
func short(id string) string { return id[:min(len(id), 12)] }

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
