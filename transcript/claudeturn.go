package transcript

import (
	"bytes"
	"slices"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// claudeTurn holds the rows of one API message until another one begins. A
// client writes a row for each content block and may write the result of a
// first call before the block of a second one, so the results of a message
// wait for all of its blocks and then form one user message behind it.
type claudeTurn struct {
	assistant, results *draft
	// after are the user's other rows behind the message.
	after []*draft
}

// maxAfter bounds what waits behind a message that never ends.
const maxAfter = 64

// draft is a message whose rows are still coming. raws are the bytes of its
// blocks, kept only where the caller wants them.
type draft struct {
	m    pith.Message
	raws [][]byte
}

func (s *claudeCode) draft(m *pith.Message, row string, blocks []pith.Block, content []byte) *draft {
	dr := &draft{m: *m}
	dr.add(row, blocks, content, s.d.opts.KeepRaw)
	return dr
}

func (dr *draft) add(row string, blocks []pith.Block, content []byte, keepRaw bool) {
	if row != "" {
		dr.m.RowIDs = append(dr.m.RowIDs, row)
	}
	if dr.m.Blocks == nil {
		dr.m.Blocks = blocks
	} else {
		dr.m.Blocks = append(dr.m.Blocks, blocks...)
	}
	if keepRaw {
		dr.raws = append(dr.raws, rawBlocks(content)...)
	}
}

// rawBlocks copies the elements of a content list. A string is written as the
// text block that it stands for.
func rawBlocks(content []byte) (out [][]byte) {
	c := jsonscan.New(content)
	text := func() []byte {
		return append(append([]byte(`{"type":"text","text":`), c.Value()...), '}')
	}
	switch c.Peek() {
	case '"':
		return [][]byte{text()}
	case '[':
		c.Array()
		for c.More() {
			if c.Peek() == '"' {
				out = append(out, text())
			} else {
				out = append(out, bytes.Clone(c.Value()))
			}
		}
	}
	return out
}

// add takes a row's blocks into the turn, or ends the turn before them.
func (t *claudeTurn) add(s *claudeCode, m *pith.Message, row string, blocks []pith.Block, content []byte) {
	if t.foreignTo(m) {
		t.flush(s)
	}
	if m.Role == pith.RoleAssistant {
		if t.assistant != nil && m.ID != "" && m.ID == t.assistant.m.ID {
			t.assistant.join(m, row, blocks, content, s.d.opts.KeepRaw)
			return
		}
		t.flush(s)
		t.assistant = s.draft(m, row, blocks, content)
		return
	}
	if !hasResult(blocks) {
		if t.assistant == nil || len(t.after) >= maxAfter {
			t.flush(s)
		}
		t.after = append(t.after, s.draft(m, row, blocks, content))
		return
	}
	if t.results == nil {
		t.results = s.draft(m, row, blocks, content)
		return
	}
	t.results.join(m, row, blocks, content, s.d.opts.KeepRaw)
}

// foreignTo tells whether a row is of another thread than the open turn.
func (t *claudeTurn) foreignTo(m *pith.Message) bool {
	switch {
	case t.assistant != nil:
		return t.assistant.m.Agent != m.Agent
	case t.results != nil:
		return t.results.m.Agent != m.Agent
	}
	return len(t.after) > 0
}

func (dr *draft) join(m *pith.Message, row string, blocks []pith.Block, content []byte, keepRaw bool) {
	dr.add(row, blocks, content, keepRaw)
	if m.Usage != nil { // every row repeats it; the last one is complete
		dr.m.Usage = m.Usage
	}
}

func hasResult(blocks []pith.Block) bool {
	return slices.ContainsFunc(blocks, func(b pith.Block) bool { return b.Kind == pith.KindToolResult })
}

// flush ends the turn and emits its messages.
func (t *claudeTurn) flush(s *claudeCode) {
	if t.assistant != nil {
		if m := &t.assistant.m; m.ID != "" {
			if !s.messages.add(m.ID) { // the rest of a message that another thread cut in two
				m.Usage = nil
			}
		}
		t.assistant.emit(s)
	}
	if t.results != nil {
		t.results.resultsFirst()
		t.results.emit(s)
	}
	for _, dr := range t.after {
		dr.emit(s)
	}
	clear(t.after)
	*t = claudeTurn{after: t.after[:0]}
}

// resultsFirst moves results before the other blocks, where the API wants them.
func (dr *draft) resultsFirst() {
	blocks := dr.m.Blocks
	order := make([]int, len(blocks))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int {
		if blocks[i].Kind == pith.KindToolResult {
			return 0
		}
		return 1
	}
	if slices.IsSortedFunc(order, func(a, b int) int { return rank(a) - rank(b) }) {
		return
	}
	slices.SortStableFunc(order, func(a, b int) int { return rank(a) - rank(b) })
	sorted, raws := make([]pith.Block, len(blocks)), dr.raws
	for to, from := range order {
		sorted[to] = blocks[from]
	}
	dr.m.Blocks = sorted
	if len(raws) == len(order) {
		dr.raws = make([][]byte, len(raws))
		for to, from := range order {
			dr.raws[to] = raws[from]
		}
	}
}

func (dr *draft) emit(s *claudeCode) {
	if len(dr.raws) > 0 {
		raw := append([]byte(`{"role":"`), dr.m.Role...)
		raw = append(raw, `","content":[`...)
		raw = append(raw, bytes.Join(dr.raws, []byte{','})...)
		dr.m.Raw = append(raw, "]}"...)
	}
	s.calls.Outcomes(&dr.m)
	impliedExit(&dr.m)
	if b := s.copies.boundary; b != nil {
		b.Replacement = append(b.Replacement, dr.m)
		return
	}
	s.d.emit(&dr.m)
}

// recentRows remembers the last ids of rows or messages: a file may hold a row twice, and a
// boundary may name rows by the first and last of them. Its size is bounded.
type recentRows struct {
	young, old map[string]struct{}
	ring       []string
	next       int
}

const (
	recentSet  = 8192
	recentRing = 1024
)

// add notes an id and gives false where it was there already.
func (r *recentRows) add(id string) bool {
	if _, ok := r.young[id]; ok {
		return false
	}
	if _, ok := r.old[id]; ok {
		return false
	}
	if r.young == nil || len(r.young) >= recentSet {
		r.old, r.young = r.young, make(map[string]struct{}, 512)
	}
	r.young[id] = struct{}{}
	if len(r.ring) < recentRing {
		r.ring = append(r.ring, id)
	} else {
		r.ring[r.next] = id
	}
	r.next = (r.next + 1) % recentRing
	return true
}

// between lists the ids from head to tail in file order; only the two where
// they are too far back.
func (r *recentRows) between(head, tail string) []string {
	if head == "" || tail == "" {
		return nil
	}
	var out []string
	for i := range r.ring {
		at := i
		if len(r.ring) == recentRing {
			at = (r.next + i) % recentRing
		}
		id := r.ring[at]
		if out == nil && id != head {
			continue
		}
		out = append(out, id)
		if id == tail {
			return out
		}
	}
	if head == tail {
		return []string{head}
	}
	return []string{head, tail}
}
