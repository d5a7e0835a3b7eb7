package memory

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/transcript"
)

// Passage is the text of one block of a session, redacted, with where it stands.
type Passage struct {
	// Ref is what Recall takes for it.
	Ref    string
	Source pith.Source
	Role   pith.Role
	Kind   pith.BlockKind
	Origin pith.Provenance
	// Tool and Path are of the call, or of the call that a result answers; ""
	// where there are none.
	Tool, Path, Agent string
	// Turn counts the model requests up to here.
	Turn int
	Time time.Time
	Text string
	// Status is one of the values below.
	Status string
	// Items are the items of the state that rest on the block, as the block of
	// the state would write them.
	Items []string
	hash  [32]byte
	// call is the same for a call and its result in the archive.
	call string
}

// What a recalled passage is, compared with what the state was made from.
const (
	// StatusOK: the hash of the block is the one that the state has.
	StatusOK = "ok"
	// StatusChanged: the session was changed since; the text is what stands there now.
	StatusChanged = "changed"
	// StatusUnchecked: the state has no hash of this block.
	StatusUnchecked = "unchecked"
	// StatusState: no session holds it; the text is the state's own.
	StatusState = "state"
)

// Numbering says how the messages of a part of a session are counted: by the
// checkpoint that was made from it. The zero value counts from 0.
type Numbering struct {
	Format pith.Format
	// Session selects one of several sessions in a file.
	Session string
	// FromMessage and FromTurn are those of the checkpoint.
	FromMessage, FromTurn int
}

// NumberingOf is the numbering of a checkpoint.
func NumberingOf(s *pith.State) Numbering {
	c := &s.Checkpoint
	return Numbering{Format: c.Format, Session: sessionIn(s), FromMessage: c.FromMessage, FromTurn: c.FromTurn}
}

// Passages turns a transcript into the passages that a search looks through,
// one at a time and in order. The function it returns gives io.EOF at the end.
func Passages(r io.Reader, n Numbering) (func() (*Passage, error), error) {
	w, err := newWalk(r, n)
	if err != nil {
		return nil, err
	}
	w.redactor = redact.New()
	var ready []Passage
	return func() (*Passage, error) {
		for len(ready) == 0 {
			m, err := w.next()
			if err != nil {
				return nil, err
			}
			for i := range m.Blocks {
				if p := w.passage(m, i); p.Text != "" {
					ready = append(ready, p)
				}
			}
		}
		p := ready[0]
		ready = ready[1:]
		return &p, nil
	}, nil
}

// walk reads the messages of a session in order and knows of each block which
// call and which turn it belongs to.
type walk struct {
	decoder  *transcript.Decoder
	base     int
	names    labels
	redactor *redact.Redactor // nil leaves the messages as they are
	// own is the agent whose thread is counted: "" in a main session, the
	// sub-agent in a file of its own.
	own      string
	begun    bool
	turn     int
	lastRole pith.Role
	lastID   string
	calls    map[string]call
	// of are the calls of the blocks of the message at hand.
	of []call
}

// call is what a tool use says of itself.
type call struct{ tool, path string }

// maxOpenCalls bounds how many calls are remembered that wait for a result.
const maxOpenCalls = 4096

func newWalk(r io.Reader, n Numbering) (*walk, error) {
	d, err := transcript.NewDecoder(r, transcript.Options{Format: n.Format, Session: n.Session})
	if err != nil {
		return nil, err
	}
	return &walk{decoder: d, base: n.FromMessage, turn: n.FromTurn, calls: map[string]call{}}, nil
}

// next returns the next message. Errors: io.EOF; KindInput.
func (w *walk) next() (*pith.Message, error) {
	for {
		rec, err := w.decoder.Next()
		if err != nil {
			return nil, err
		}
		if rec.Boundary != nil && w.redactor != nil {
			// Markers are numbered over everything that was read.
			for i := range rec.Boundary.Replacement {
				w.redactor.Message(&rec.Boundary.Replacement[i])
			}
		}
		m := rec.Message
		if m == nil {
			continue
		}
		if m.Index >= 0 {
			m.Index += w.base
		}
		w.names.message(m)
		if w.redactor != nil {
			w.redactor.Message(m)
		}
		w.follow(m)
		return m, nil
	}
}

// follow counts the turns and pairs results with their calls.
func (w *walk) follow(m *pith.Message) {
	if !w.begun || m.Agent == "" {
		w.begun, w.own = true, m.Agent
	}
	if m.Agent == w.own && !m.Nested {
		if m.Role == pith.RoleAssistant && (w.lastRole != pith.RoleAssistant || m.ID != "" && m.ID != w.lastID && m.Usage != nil) {
			w.turn++
		}
		w.lastRole, w.lastID = m.Role, m.ID
	}
	w.of = w.of[:0]
	for i := range m.Blocks {
		b := &m.Blocks[i]
		var c call
		switch b.Kind {
		case pith.KindToolUse:
			c = call{tool: b.ToolName, path: touched(b)}
			if len(w.calls) < maxOpenCalls {
				w.calls[b.ToolUseID] = c
			}
		case pith.KindToolResult:
			c = w.calls[b.ToolUseID]
			delete(w.calls, b.ToolUseID)
		}
		w.of = append(w.of, c)
	}
}

// pathArgs are the arguments in which tools take the file that they work on.
var pathArgs = []string{"file_path", "path", "filePath", "notebook_path", "absolute_path", "target_file", "filename", "file"}

// touched is the file that a call works on, "" where it names none.
func touched(b *pith.Block) string {
	if p := b.Arg(pathArgs...); p != "" {
		return p
	}
	for _, a := range [...]string{"input", "patch", "command"} {
		if p := patched(b.Arg(a)); p != "" {
			return p
		}
	}
	return ""
}

// patched is the first file of a patch.
func patched(text string) string {
	for _, mark := range [...]string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} {
		if _, rest, ok := strings.Cut(text, mark); ok {
			path, _, _ := strings.Cut(rest, "\n")
			path, _, _ = strings.Cut(path, `\n`)
			return strings.TrimSpace(path)
		}
	}
	return ""
}

// passage makes a passage of a redacted block. Blocks without a text that can
// be quoted have none.
func (w *walk) passage(m *pith.Message, i int) Passage {
	b, at := &m.Blocks[i], pith.Source{Message: m.Index, Block: i}
	p := Passage{
		Ref: at.BlockKey(), Source: at, Role: m.Role, Kind: b.Kind, Origin: b.Origin, Turn: w.turn,
		Tool: w.of[i].tool, Path: cleanLabel(w.of[i].path, longestPath), Agent: m.Agent, Time: m.Time,
	}
	if quotable(b.Kind) {
		p.Text = b.Text
	}
	return p
}

// quotable tells the kinds of block whose text is redacted.
func quotable(k pith.BlockKind) bool {
	return k == pith.KindText || k == pith.KindToolUse || k == pith.KindToolResult
}

// errPassed ends a walk early.
var errPassed = errors.New("all that was wanted was met")
