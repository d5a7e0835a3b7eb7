package transcript

import (
	"bytes"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// gemini reads the chats of Gemini CLI: one JSON object with a list of
// messages, which is read element by element, or rows. Rows may be written
// again with more in them, and a row may rewind the chat to an earlier one, so
// rows wait for the end of the file.
type gemini struct {
	d     *Decoder
	calls wire.OpenCalls
	write translation
	// whole: the file is one JSON object, whose messages are final.
	whole bool
	// peer: the "user" of this chat is another agent.
	peer       bool
	rows       []heldRow
	next, held int
	boundaries int
}

func newGemini(d *Decoder) *gemini {
	s := &gemini{d: d}
	if _, list := wholeFormat(d.rows.buf[d.rows.start+skipPadding(d.rows.buf[d.rows.start:d.rows.end], 0) : d.rows.end]); list != "" {
		s.whole = true
		d.source = newElementReader(d, list, s.member)
	}
	return s
}

// member reads what a chat says of itself.
func (s *gemini) member(key string, value []byte) {
	h := &s.d.header
	switch key {
	case "sessionId":
		if h.SessionID == "" {
			h.SessionID = jsonString(value)
		}
	case "kind":
		s.peer = s.peer || jsonString(value) == "subagent"
	}
	if s.peer && h.Agent == "" {
		h.Agent = h.SessionID
	}
}

// geminiRow is one message or another row, undecoded.
type geminiRow struct {
	kind, id, timestamp, content []byte
	calls, thoughts              []byte
	tokens, model                []byte
	set, rewindTo                []byte
	session, project             []byte
	agentKind                    []byte
}

func readGeminiRow(c *jsonscan.Cursor) (r geminiRow) {
	if !c.Object() {
		return r
	}
	for {
		key, ok := c.Key()
		if !ok {
			return r
		}
		switch string(key) {
		case "type":
			r.kind, _ = c.Raw()
		case "id":
			r.id = c.Value()
		case "timestamp":
			r.timestamp = c.Value()
		case "content":
			r.content = c.Value()
		case "toolCalls":
			r.calls = c.Value()
		case "thoughts":
			r.thoughts = c.Value()
		case "tokens":
			r.tokens = c.Value()
		case "model":
			r.model = c.Value()
		case "$set":
			r.set = c.Value()
		case "$rewindTo":
			r.rewindTo = c.Value()
		case "sessionId":
			r.session = c.Value()
		case "projectHash":
			r.project = c.Value()
		case "kind":
			r.agentKind = c.Value()
		default:
			c.Skip()
		}
	}
}

func (s *gemini) object(c *jsonscan.Cursor, at place) bool {
	start := *c
	r := readGeminiRow(c)
	known := r.kind != nil && (r.content != nil || r.calls != nil) || r.set != nil || r.rewindTo != nil || r.session != nil
	if c.Bad() || !known {
		return false
	}
	switch {
	case s.whole:
		s.message(&r, at.line, false)
	case r.rewindTo != nil:
		s.rewind(jsonString(r.rewindTo))
	case r.kind == nil && r.session != nil:
		s.member("sessionId", r.session)
		s.member("kind", r.agentKind)
	case s.held > maxBody:
		if s.next == 0 { // too much to wait: what follows is read as it comes
			s.d.skip(at.line, "over 512 MiB of rows: later rewinds are not followed")
			for s.more() {
			}
		}
		s.row(&r, at.line, false)
	default:
		s.hold(&r, bytes.Clone(c.Since(&start)), at.line)
	}
	return true
}

// hold keeps a row; one of the same id before it is replaced by it, in the
// place where that stood.
func (s *gemini) hold(r *geminiRow, data []byte, line int) {
	s.held += len(data)
	h := heldRow{data: data, line: line, id: jsonString(r.id)}
	for i := len(s.rows) - 1; h.id != "" && i >= max(0, len(s.rows)-maxAgain); i-- {
		if old := &s.rows[i]; old.id == h.id && !old.left {
			s.held -= len(old.data)
			old.data = data
			return
		}
	}
	s.rows = append(s.rows, h)
}

// maxAgain is how far back a row is looked for that is written again.
const maxAgain = 64

// rewind leaves the messages from id on. A chat is rewound to its beginning
// where the id is not among them.
func (s *gemini) rewind(id string) {
	from := 0
	for i := len(s.rows) - 1; i >= 0; i-- {
		if s.rows[i].id == id && !s.rows[i].left {
			from = i
			break
		}
	}
	for i := from; i < len(s.rows); i++ {
		s.rows[i].left = true
	}
}

func (s *gemini) finish() {}

func (s *gemini) more() bool {
	if s.next == len(s.rows) {
		return false
	}
	h := &s.rows[s.next]
	s.next++
	c := jsonscan.New(h.data)
	r := readGeminiRow(&c)
	s.row(&r, h.line, h.left)
	h.data = nil
	return true
}

func (s *gemini) row(r *geminiRow, line int, left bool) {
	if r.set == nil {
		s.message(r, line, left)
		return
	}
	if list, ok := jsonscan.Find(r.set, "messages"); ok && !left {
		s.replaced(&list, line)
	}
}

// replaced reads a history that the client put in the place of the one so far.
func (s *gemini) replaced(list *jsonscan.Cursor, line int) {
	s.boundaries++
	b := &pith.Boundary{N: s.boundaries, Line: line, Replacement: []pith.Message{}}
	first := s.d.index == 0
	if list.Array() {
		for list.More() {
			r := readGeminiRow(list)
			for _, m := range s.read(&r, line) {
				if first { // the file begins with it
					s.d.emit(m)
				} else {
					b.Replacement = append(b.Replacement, *m)
				}
			}
		}
	}
	if !first {
		s.d.ready = append(s.d.ready, pith.Record{Boundary: b})
	}
}

func (s *gemini) message(r *geminiRow, line int, left bool) {
	for _, m := range s.read(r, line) {
		if !left || onlyCalls(m) {
			s.d.emit(m)
		}
	}
}

// read turns a row into a message, and a second one with the results of its calls.
func (s *gemini) read(r *geminiRow, line int) (out []*pith.Message) {
	number := func(m *pith.Message) {
		if m == nil {
			return
		}
		m.ID, m.Line, m.Time = jsonString(r.id), line, isoTime(r.timestamp)
		if m.ID != "" {
			m.RowIDs = []string{m.ID}
		}
		s.calls.Outcomes(m)
		out = append(out, m)
	}
	switch string(r.kind) {
	case "user":
		s.write.begin(pith.RoleUser)
		s.parts(r.content)
		m := s.write.message(s.d.opts.KeepRaw)
		if m != nil {
			s.voices(m)
		}
		number(m)
	case "gemini":
		s.write.begin(pith.RoleAssistant)
		s.thoughts(r.thoughts)
		s.parts(r.content)
		calls := readGeminiCalls(r.calls)
		for i := range calls {
			s.write.call(calls[i].id, calls[i].name, calls[i].args)
		}
		number(s.write.thoughts())
		m := s.write.message(s.d.opts.KeepRaw)
		if name := jsonString(r.model); name != "" {
			s.d.header.Model = name
		}
		if m != nil {
			m.Model, m.Usage = s.d.header.Model, geminiUsage(r.tokens)
		}
		number(m)
		number(s.results(calls))
		finishGemini(out, calls)
	default:
		s.d.pass(r.kind, nil)
	}
	return out
}

// voices labels a user's message: what the client put before and behind the
// words is its own.
func (s *gemini) voices(m *pith.Message) {
	if s.peer {
		relabel(m.Blocks, pith.PeerAgent)
		return
	}
	attached := false
	for i := range m.Blocks {
		b := &m.Blocks[i]
		text := strings.TrimSpace(b.Text)
		attached = attached || i > 0 && strings.HasPrefix(text, "--- Content from referenced files ---")
		if attached || strings.HasPrefix(text, "<session_context>") || strings.HasPrefix(text, "<state_snapshot>") ||
			strings.HasPrefix(text, "This is the Gemini CLI. We are setting up the context for our chat.") {
			if b.Kind == pith.KindText {
				b.Origin = pith.Harness
			}
		}
	}
}
