package trial

import (
	"errors"
	"io"
	"slices"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/transcript"
)

// session is a session as its file tells it, unredacted: a cut is judged by
// what lies on both sides of it, so its records are held.
type session struct {
	records []pith.Record
	header  transcript.Header
	body    bool
	// own is the agent whose session it is, "" for the main one.
	own string
	// root is the folder that the session began in.
	root string
	// plan is what was planted in it, nil for nothing.
	plan *measure.Plan
}

func readSession(o *Options) (s *session, err error) {
	in, err := o.Open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	d, err := transcript.NewDecoder(in, transcript.Options{Format: o.Format, Session: o.Session})
	if err != nil {
		return nil, err
	}
	s = &session{}
	for {
		r, err := d.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		s.records = append(s.records, r)
	}
	s.header, s.body = d.Header(), d.Body() != nil
	s.own = owner(s.records)
	for i := range s.records {
		if m := s.records[i].Message; m != nil && m.CWD != "" {
			s.root = m.CWD
			break
		}
	}
	if !slices.ContainsFunc(s.records, func(r pith.Record) bool { return r.Message != nil }) {
		return nil, &pith.Error{Op: "read the session", Kind: pith.KindInput, Err: errors.New("it holds no messages")}
	}
	return s, nil
}

// owner is the agent that all messages belong to, "" where any is the main one's.
func owner(records []pith.Record) string {
	own, begun := "", false
	for i := range records {
		if m := records[i].Message; m != nil {
			if !begun {
				own, begun = m.Agent, true
			}
			if m.Agent == "" {
				return ""
			}
		}
	}
	return own
}

// main tells whether a message is part of the session's own conversation.
func (s *session) main(m *pith.Message) bool {
	return m != nil && m.Agent == s.own && !m.Nested
}

// prefix is the part of a session before a cut: what was said in it, and the
// context that the client held at its end.
type prefix struct {
	session  *session
	observer *measure.Observer
	// live are the messages of the client's context, size its size.
	live []*pith.Message
	size meter.Live
	next int
	// compacts is set where the client's own compactions count.
	compacts bool
}

func newPrefix(s *session, compacts bool) *prefix {
	return &prefix{session: s, observer: measure.NewObserver(), compacts: compacts}
}

// advance reads on to a record, which stays unread.
func (p *prefix) advance(to int) {
	for ; p.next < to; p.next++ {
		r := p.session.records[p.next]
		p.observer.Record(r)
		switch {
		case r.Message != nil && p.session.main(r.Message):
			p.live = append(p.live, r.Message)
			p.size.Add(r.Message)
		case r.Boundary != nil && p.compacts:
			p.live = afterBoundary(p.live, r.Boundary)
			p.size.Boundary(r.Boundary)
		}
	}
}

// afterBoundary is the context with which the client goes on: its replacement
// history, or the messages that it preserved.
func afterBoundary(live []*pith.Message, b *pith.Boundary) []*pith.Message {
	var out []*pith.Message
	if len(b.Replacement) == 0 {
		return preserved(live, b)
	}
	for i := range b.Replacement {
		out = append(out, &b.Replacement[i])
	}
	return out
}

func preserved(live []*pith.Message, b *pith.Boundary) []*pith.Message {
	if len(b.PreservedRows) == 0 {
		return nil
	}
	rows := make(map[string]bool, len(b.PreservedRows))
	for _, id := range b.PreservedRows {
		rows[id] = true
	}
	var out []*pith.Message
	for _, m := range live {
		if slices.ContainsFunc(m.RowIDs, func(id string) bool { return rows[id] }) {
			out = append(out, m)
		}
	}
	return out
}

// next are the records behind a cut: as far as the window of calls reaches,
// and never behind another compaction, from where the agent knew other things.
func (s *session) continuation(c *cut, calls int) []pith.Record {
	from := c.record
	if c.boundary > 0 {
		from++ // the cut's own boundary
	}
	n := 0
	for i := from; i < len(s.records); i++ {
		r := &s.records[i]
		if r.Boundary != nil {
			return s.records[from:i]
		}
		if s.main(r.Message) {
			for k := range r.Message.Blocks {
				if r.Message.Blocks[k].Kind == pith.KindToolUse {
					n++
				}
			}
		}
		if n > calls {
			return s.records[from:i]
		}
	}
	return s.records[from:]
}
