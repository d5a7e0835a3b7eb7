package mcpserver_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/mcpserver"
	"github.com/pith-memory/pith/memory"
)

// A cursor goes on in its own call only.
func TestCursorOfAnotherCall(t *testing.T) {
	p := newPlace(t)
	for n := range 40 {
		p.found = append(p.found, mcpserver.Hit{Passage: memory.Passage{Ref: fmt.Sprintf("%d.0", n)}, Snippet: "hit"})
	}
	p.doc = strings.Repeat("a line of the document\n", 200)
	s := connect(t, p)
	if text, _, failed := call(t, s, "checkpoint", nil); failed {
		t.Fatal(text)
	}
	calls := []struct {
		tool string
		args args
	}{
		{"search", args{"query": "one"}}, {"search", args{"query": "two"}}, {"search", args{"query": "one", "session": "latest"}},
		{"state", args{"section": "evidence"}}, {"state", args{"section": "constraints"}}, {"state", nil}, {"recall", args{"reference": "0.0"}},
		{"handoff", args{"to": "tester"}}, {"handoff", args{"to": "writer"}},
	}
	for i, from := range calls {
		_, cursor, failed := call(t, s, from.tool, with(from.args, args{"limit": 100}, from.tool))
		if failed || cursor == "" {
			continue // it has one page
		}
		for j, to := range calls {
			in := with(to.args, args{"limit": 100, "cursor": cursor}, to.tool)
			if text, _, failed := call(t, s, to.tool, in); failed != (i != j) || failed && !strings.Contains(text, "call again without cursor") {
				t.Errorf("the cursor of %s %v in %s %v: failed %v: %.100s", from.tool, from.args, to.tool, to.args, failed, text)
			}
		}
	}
}

// with joins arguments; a search has passages for its limit.
func with(a, b args, tool string) args {
	out := args{}
	for _, m := range []args{a, b} {
		for k, v := range m {
			out[k] = v
		}
	}
	if tool == "search" {
		out["limit"] = 3
	}
	return out
}

// The pages of a text stay what they were while the session goes on.
func TestPagesWhileTheSessionGoesOn(t *testing.T) {
	p := newPlace(t)
	s := connect(t, p)
	in := args{"section": "evidence", "limit": 100}
	first, cursor, failed := call(t, s, "state", in)
	if failed || cursor == "" {
		t.Fatal(first)
	}
	if text, _, failed := call(t, s, "checkpoint", nil); failed {
		t.Fatal(text)
	}
	in["cursor"] = cursor
	if text, _, failed := call(t, s, "state", in); failed {
		t.Errorf("the second page is lost: %s", text)
	}
}

// faster is a store in which somebody else is faster a number of times.
type faster struct {
	pith.Store
	times int
}

func (f *faster) Put(ctx context.Context, saved *pith.Saved) error {
	if f.times--; f.times >= 0 {
		return &pith.Conflict{}
	}
	return f.Store.Put(ctx, saved)
}

// What somebody else kept meanwhile is gone on from.
func TestCheckpointGoesOn(t *testing.T) {
	p := newPlace(t)
	p.store = &faster{Store: p.store, times: 9}
	s := connect(t, p)
	if text, _, failed := call(t, s, "checkpoint", nil); failed || !strings.Contains(text, `"saved":true`) {
		t.Error(text)
	}
}

// stuck is an output that nobody reads before the end.
type stuck struct{ reached, end chan struct{} }

func (o stuck) Write([]byte) (int, error) {
	close(o.reached)
	<-o.end
	return 0, io.ErrClosedPipe
}

// A server that cannot get its answer out ends when it is told to.
func TestStopsBehindAStuckClient(t *testing.T) {
	p := newPlace(t)
	synctest.Test(t, func(t *testing.T) {
		in, send := io.Pipe()
		out := stuck{make(chan struct{}), make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- mcpserver.New(p.config()).ServeLines(ctx, in, out) }()
		if _, err := io.WriteString(send, hello+"\n"); err != nil {
			t.Fatal(err)
		}
		<-out.reached
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		close(out.end)
		send.Close()
	})
}
