package memory

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
)

// RecallCalls gives back what the calls that name a path or a command returned,
// in order, up to the state's last message: what was shown of a file, or what a
// command said each time. The name stands in the call as the agent wrote it; of
// a path its end is enough, from the beginning of a part of it on. Errors:
// KindInput where the transcript is not there.
func RecallCalls(ctx context.Context, q RecallRequest, name string) (out []Passage, err error) {
	s := q.State
	if q.Open == nil {
		return nil, gone(s, errors.New("nobody opened it"))
	}
	in, err := q.Open(s)
	if err != nil {
		return nil, gone(s, err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	w, err := newWalk(in, NumberingOf(s))
	if err != nil {
		return nil, another(s, err)
	}
	w.redactor = redact.New()
	asked := map[string]bool{}
	for n := 0; ; n++ {
		m, err := w.next()
		if errors.Is(err, io.EOF) || err == nil && m.Index > s.Checkpoint.ThroughMessage {
			return out, nil
		}
		if err == nil && n%1024 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return nil, another(s, err)
		}
		for i := range m.Blocks {
			b := &m.Blocks[i]
			switch {
			case b.Kind == pith.KindToolUse:
				asked[b.ToolUseID] = namedIn(b.Text, name)
			case b.Kind == pith.KindToolResult && asked[b.ToolUseID]:
				delete(asked, b.ToolUseID)
				p := w.passage(m, i)
				p.hash = b.Hash
				compare(s, &p)
				out = append(out, p)
			}
		}
	}
}

// namedIn tells whether a call's text has a name that no longer one contains:
// "a.go" is in "cat x/a.go" and not in "cat xa.go" or "cat a.gob".
func namedIn(text, name string) bool {
	const inside = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
	for rest := text; name != ""; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		before, after := rest[:i], rest[i+len(name):]
		if (before == "" || !strings.ContainsAny(before[len(before)-1:], inside)) && (after == "" || !strings.ContainsAny(after[:1], inside+"/")) {
			return true
		}
		rest = rest[i+1:]
	}
	return false
}
