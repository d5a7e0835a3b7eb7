package trial

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/restore"
)

// Pith is this project's own compaction, as `pith compact` makes it: the block,
// and the messages that stay word for word behind it. Where it would decline
// because there is nothing to gain, it is made all the same and its size tells.
func Pith() Candidate {
	return Candidate{Name: "pith", Make: func(_ context.Context, at *At) (g Given, err error) {
		in, o, err := at.input()
		if err != nil {
			return g, err
		}
		defer func() { err = errors.Join(err, in.Close()) }()
		m := memory.New(at.options.Memory)
		var s *memory.Session
		var r *memory.Result
		g.Micros, err = at.timed(func() (err error) {
			if s, err = m.Read(in, o); err == nil {
				r, err = m.Compact(s, pith.ReasonManual)
			}
			return err
		})
		if err != nil {
			return g, err
		}
		g.Text, g.State, g.Root = r.Block.Text, r.State, r.State.Checkpoint.Workspace.Root
		g.Tail, err = tail(m, s, r)
		return g, err
	}}
}

// tail are the messages that stay beside a block. A history that cannot be
// built upon leaves the block alone.
func tail(m *memory.Memory, s *memory.Session, r *memory.Result) ([]pith.Message, error) {
	applied, err := m.Apply(s.Conversation(), r, restore.ApplyOptions{Force: true})
	if pith.KindOf(err) == pith.KindDeclined {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	messages := applied.Conversation.Messages
	return slices.DeleteFunc(slices.Clone(messages), func(m pith.Message) bool {
		return m.Role == pith.RoleSystem || slices.ContainsFunc(m.Blocks, func(b pith.Block) bool { return b.Text == r.Block.Text })
	}), nil
}

// input opens the part of the session that pith reads. In a chain that is the
// segment behind the previous round alone where the file has a row for each
// message, so that nothing is known of what was before but the state; other
// files are read from the beginning each time.
func (at *At) input() (io.ReadCloser, memory.ReadOptions, error) {
	o := memory.ReadOptions{Format: at.options.Format, Session: at.options.Session, KeepLive: true}
	in, err := at.options.Open()
	if err != nil {
		return nil, o, err
	}
	if at.cut.boundary > 0 {
		o.Boundary = at.cut.boundary
	} else if at.cut.Kind != "end" {
		o.Through = &at.cut.Message
	}
	if at.Previous == nil || at.Previous.State == nil {
		return in, o, nil
	}
	o.Previous = at.Previous.State
	rows, ok := at.session.segment(at.cut)
	if !ok {
		return in, o, nil
	}
	o.Through = nil
	part, err := rows.read(in)
	return io.NopCloser(part), o, errors.Join(err, in.Close())
}

// rows are lines of a session file, counted from 1: those before its first
// message, which say whose it is, and those of a segment.
type rows struct{ preamble, from, to int }

// segment finds the lines of what follows the previous round, as far as the
// cut. Only files whose rows stand for themselves can be read so.
func (s *session) segment(c *cut) (rows, bool) {
	if s.header.Format != pith.FormatClaudeCode && s.header.Format != pith.FormatCodex {
		return rows{}, false
	}
	r := rows{to: math.MaxInt}
	for i := range s.records {
		m := s.records[i].Message
		if m == nil {
			continue
		}
		if m.Line == 0 {
			return rows{}, false
		}
		if r.preamble == 0 {
			r.preamble = m.Line
		}
		if r.from == 0 && m.Index > c.previous {
			r.from = m.Line
		}
		if i >= c.record {
			r.to = m.Line
			break
		}
	}
	return r, r.from > 0
}

func (r rows) read(in io.Reader) (*bytes.Reader, error) {
	lines := bufio.NewReaderSize(in, 1<<16)
	var out bytes.Buffer
	for n := 1; n < r.to; {
		piece, err := lines.ReadSlice('\n')
		if n < r.preamble || n >= r.from {
			out.Write(piece)
		}
		switch {
		case err == nil:
			n++
		case errors.Is(err, io.EOF):
			return bytes.NewReader(out.Bytes()), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
	return bytes.NewReader(out.Bytes()), nil
}
