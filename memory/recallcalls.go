package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
)

// RecallCalls gives back what the calls that name a path or a command returned,
// in order, up to the state's last message: what was shown of a file, or what a
// command said each time. The name stands in the call as the agent wrote it; of
// a path its end is enough, from the beginning of a part of it on. Where the
// transcript is not there, the archive stands for it. Errors: KindInput where
// neither has the session.
func RecallCalls(ctx context.Context, q RecallRequest, name string) (out []Passage, err error) {
	s := q.State
	in, err := io.ReadCloser(nil), errors.New("nobody opened it")
	if q.Open != nil {
		in, err = q.Open(s)
	}
	if err != nil {
		return q.archivedCalls(ctx, name, gone(s, err))
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

// archivedCalls is RecallCalls from the archive; absent is the error where that
// has nothing of the session.
func (q *RecallRequest) archivedCalls(ctx context.Context, name string, absent error) (out []Passage, err error) {
	if q.Archive == nil {
		return nil, absent
	}
	s, found, unpaired := q.State, false, false
	asked := map[string]string{} // the path of each call that has the name
	err = ArchivedPassages(ctx, q.Archive, s.Checkpoint.SessionID, func(p *Passage) error {
		switch found = true; {
		case p.Source.Message > s.Checkpoint.ThroughMessage:
			return errPassed
		case p.call == "":
			unpaired = unpaired || p.Kind == pith.KindToolUse && namedIn(p.Text, name)
		case p.Kind == pith.KindToolUse && namedIn(p.Text, name):
			asked[p.call] = p.Path
		case p.Kind == pith.KindToolResult:
			path, ok := asked[p.call]
			if !ok {
				return nil
			}
			delete(asked, p.call)
			p.Path = path
			compare(s, p)
			out = append(out, *p)
		}
		return nil
	})
	switch {
	case err != nil && !errors.Is(err, errPassed) && !errors.Is(err, pith.ErrNotFound):
		return nil, fmt.Errorf("read the archive: %w", err)
	case !found:
		return nil, absent
	case len(out) == 0 && unpaired:
		return nil, &pith.Error{
			Op: "recall the calls", Kind: pith.KindInput, Err: errors.New("the session was archived before it was kept which result answers which call"),
			Hint: "`pith recall --search " + name + "` finds both",
		}
	}
	return out, nil
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
