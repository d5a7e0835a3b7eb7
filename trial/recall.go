package trial

import (
	"context"
	"io"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
	"github.com/pith-memory/pith/memory"
)

// recall tells whether what was seen before comes back by the recall that an
// agent would use, over the session's own file: by a reference of the state, or
// by the path or the command that the repeated call itself names. It is nil for
// a candidate without a state.
func (j *judge) recall(ctx context.Context, g *Given) func(measure.Repeat) bool {
	if g.State == nil {
		return nil
	}
	r := recaller{
		request: memory.RecallRequest{State: g.State, Open: func(*pith.State) (io.ReadCloser, error) { return j.options.Open() }},
		byRef:   map[string]bool{}, byName: map[string]map[string]bool{},
	}
	return func(again measure.Repeat) bool { return r.answers(ctx, &again) }
}

// recaller remembers what was asked.
type recaller struct {
	request memory.RecallRequest
	byRef   map[string]bool
	// byName are the blocks that came back by a name.
	byName map[string]map[string]bool
}

func (r *recaller) answers(ctx context.Context, again *measure.Repeat) bool {
	for _, at := range again.Seen {
		key := pith.Source{Message: at.Message, Block: at.Block}.BlockKey()
		if !r.referred(ctx, key) && !r.named(ctx, again.Text, key) {
			return false
		}
	}
	return len(again.Seen) > 0
}

// referred tells whether a block that the state describes comes back as it was.
func (r *recaller) referred(ctx context.Context, key string) bool {
	if _, described := r.request.State.Blocks[key]; !described {
		return false
	}
	ok, asked := r.byRef[key]
	if !asked {
		q := r.request
		q.Ref = key
		passages, err := memory.Recall(ctx, q)
		ok = err == nil && len(passages) > 0 && passages[0].Status == memory.StatusOK
		r.byRef[key] = ok
	}
	return ok
}

// named tells whether a block comes back by a name in the text of a call.
func (r *recaller) named(ctx context.Context, call, key string) bool {
	for _, name := range names(call) {
		blocks, asked := r.byName[name]
		if !asked {
			blocks = map[string]bool{}
			passages, err := memory.RecallCalls(ctx, r.request, name)
			for i := range passages {
				if err == nil && passages[i].Status != memory.StatusChanged {
					blocks[passages[i].Ref] = true
				}
			}
			r.byName[name] = blocks
		}
		if blocks[key] {
			return true
		}
	}
	return false
}

// names are the paths in the text of a call, and the whole of a command.
func names(call string) []string {
	var out []string
	for _, word := range strings.Fields(call) {
		word = strings.Trim(word, `'"();&|`)
		if len(word) > 3 && strings.ContainsAny(word, "./") && strings.Trim(word, "./0123456789,") != "" {
			out = append(out, word)
		}
	}
	if !strings.Contains(call, "\n") {
		out = append(out, strings.TrimSpace(call))
	}
	return out
}
