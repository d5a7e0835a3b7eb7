package transcript

import (
	"bytes"
	"strconv"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// pi reads the sessions of the pi coding agent. Those of version 1 are a list
// and are read row by row. Later ones are a tree: each row names its parent,
// and the conversation is the path from the last row to the root. Which rows
// are on it is known at the end of the file only, so their bytes wait for it.
type pi struct {
	d     *Decoder
	calls wire.OpenCalls
	write translation
	cwd   string
	model string
	// signed: the signatures of the message at hand are of the API that bodies
	// are written for.
	signed bool
	// rows are those of a tree, in file order; next is the one to read.
	rows []heldRow
	next int
	held int
	// kept are the ids of the messages so far, that compactions point at.
	kept       keptRows
	count      int
	boundaries int
}

func newPi(d *Decoder) *pi { return &pi{d: d} }

// piRow is one row, undecoded.
type piRow struct {
	kind, id, parent, timestamp []byte
	cwd, message, modelID       []byte
	summary, firstKept, content []byte
	before, keptIndex           int
	hasIndex, hasParent         bool
}

func readPiRow(c *jsonscan.Cursor) (r piRow) {
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
		case "parentId":
			r.parent, r.hasParent = c.Value(), true
		case "timestamp":
			r.timestamp = c.Value()
		case "cwd":
			r.cwd = c.Value()
		case "message":
			r.message = c.Value()
		case "modelId":
			r.modelID = c.Value()
		case "summary":
			r.summary = c.Value()
		case "firstKeptEntryId":
			r.firstKept = c.Value()
		case "firstKeptEntryIndex":
			r.keptIndex, r.hasIndex = c.Int()
		case "tokensBefore":
			r.before, _ = c.Int()
		case "content":
			r.content = c.Value()
		default:
			c.Skip()
		}
	}
}

func (s *pi) object(c *jsonscan.Cursor, at place) bool {
	start := *c
	r := readPiRow(c)
	if c.Bad() || len(r.kind) == 0 || at.recovered && r.timestamp == nil {
		return false
	}
	if string(r.kind) == "session" {
		s.session(&r)
		return true
	}
	if s.held > maxBody && s.next == 0 { // too much to wait: the branch so far is taken for the one that lives
		s.d.skip(at.line, "over 512 MiB of rows: later branches are read in file order")
		for s.finish(); s.more(); {
		}
	}
	if !r.hasParent || s.held > maxBody {
		s.row(&r, at.line, false)
		return true
	}
	data := bytes.Clone(c.Since(&start))
	s.held += len(data)
	s.rows = append(s.rows, heldRow{data: data, line: at.line, id: jsonString(r.id), parent: jsonString(r.parent)})
	return true
}

func (s *pi) session(r *piRow) {
	if h := &s.d.header; h.SessionID == "" {
		h.SessionID = jsonString(r.id)
	}
	if cwd := jsonString(r.cwd); cwd != "" {
		s.cwd = cwd
	}
	s.setModel(r.modelID)
	s.count++
}

func (s *pi) setModel(value []byte) {
	if name := jsonString(value); name != "" {
		s.model, s.d.header.Model = name, name
	}
}

// finish finds the branch that lives.
func (s *pi) finish() { markLeft(s.rows) }

// markLeft marks the rows that are not on the path from the last one to the
// root. Where a parent is missing, because its row was torn, the row before the
// gap stands for it.
func markLeft(rows []heldRow) {
	byID := make(map[string]int, len(rows))
	for i := range rows {
		rows[i].left = true
		byID[rows[i].id] = i
	}
	for i := len(rows) - 1; i >= 0 && rows[i].left; {
		rows[i].left = false
		if rows[i].parent == "" {
			return
		}
		if p, ok := byID[rows[i].parent]; ok && p < i {
			i = p
		} else {
			i--
		}
	}
}

// more reads the next row that waited.
func (s *pi) more() bool {
	if s.next == len(s.rows) {
		return false
	}
	h := &s.rows[s.next]
	s.next++
	c := jsonscan.New(h.data)
	r := readPiRow(&c)
	s.row(&r, h.line, h.left)
	h.data = nil
	return true
}

// row reads a row of the conversation, or one of a branch that was left.
func (s *pi) row(r *piRow, line int, left bool) {
	id := jsonString(r.id)
	if id == "" {
		id = entryName(s.count)
	}
	s.count++
	switch string(r.kind) {
	case "message":
		s.message(r, id, line, left)
	case "compaction":
		if !left {
			s.compaction(r, id, line)
		}
	case "branch_summary", "custom_message":
		if left {
			return
		}
		s.write.begin(pith.RoleUser)
		s.content(r.content)
		s.write.text(r.summary)
		if m := s.write.message(s.d.opts.KeepRaw); m != nil {
			relabel(m.Blocks, pith.Harness)
			s.emit(m, r, id, line, false)
		}
	case "model_change":
		if !left {
			s.setModel(r.modelID)
		}
	default:
		s.d.pass(r.kind, nil)
	}
}

// entryName names a row of a version that gave none an id.
func entryName(n int) string { return "entry-" + strconv.Itoa(n) }

func (s *pi) compaction(r *piRow, id string, line int) {
	s.boundaries++
	first := jsonString(r.firstKept)
	if first == "" && r.hasIndex {
		first = entryName(r.keptIndex)
	}
	b := &pith.Boundary{N: s.boundaries, Line: line, Before: pith.Tokens(r.before)}
	b.PreservedRows = s.kept.since(first)
	s.d.ready = append(s.d.ready, pith.Record{Boundary: b})
	s.write.begin(pith.RoleUser)
	s.write.text(r.summary)
	if m := s.write.message(s.d.opts.KeepRaw); m != nil {
		relabel(m.Blocks, pith.Harness)
		s.number(m, r, id, line)
		s.d.emit(m)
	}
}

func (s *pi) number(m *pith.Message, r *piRow, id string, line int) {
	m.ID, m.RowIDs, m.Line = id, []string{id}, line
	m.CWD, m.Time = s.cwd, isoTime(r.timestamp)
}

// emit hands a message out.
func (s *pi) emit(m *pith.Message, r *piRow, id string, line int, left bool) {
	s.number(m, r, id, line)
	s.calls.Outcomes(m)
	impliedExit(m)
	if left {
		if onlyCalls(m) {
			s.d.emit(m)
		}
		return
	}
	s.kept.add(id)
	s.d.emit(m)
}
