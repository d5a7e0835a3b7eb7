package measure_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
	"github.com/pith-memory/pith/transcript"
)

// corpus lists real sessions, which are no part of this repository.
func corpus(t *testing.T) map[string][]string {
	root := os.Getenv("PITH_CORPUS")
	if root == "" {
		t.Skip("set PITH_CORPUS to a folder of real sessions to run this")
	}
	out := map[string][]string{}
	for _, client := range []string{"claude-code", "codex", "pi"} {
		files, err := filepath.Glob(filepath.Join(root, client, "*.jsonl"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no sessions of %s in %s", client, root)
		}
		out[client] = files
	}
	return out
}

func readAll(t *testing.T, file string, each func(pith.Record)) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := transcript.NewDecoder(f, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		r, err := d.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		each(r)
	}
}

// TestWasteOnCorpus logs the calls that count as repeated, to be read by hand:
// at every compaction, and at a quarter, a half and three quarters of the
// session's calls, where nothing was compacted.
func TestWasteOnCorpus(t *testing.T) {
	for client, files := range corpus(t) {
		var cuts, quarters, control measure.Waste
		for _, file := range files {
			boundaries, calls := 0, 0
			whole := measure.NewWaster()
			readAll(t, file, func(r pith.Record) {
				whole.Record(r)
				calls += callsIn(r)
				if r.Boundary != nil {
					boundaries = r.Boundary.N
				}
			})
			join(&control, whole.Of(measure.Held{}, nil))
			show(t, file+" control", whole.Controls())
			for n := 1; n <= boundaries; n++ {
				w, summary := cutAt(t, file, n)
				join(&cuts, w.Of(measure.Held{Text: summary}, nil))
				show(t, fmt.Sprintf("%s#%d", file, n), w.Repeats())
			}
			for q := 1; q < 4; q++ {
				w := quarterOf(t, file, calls*q/4)
				join(&quarters, w.Of(measure.Held{}, nil))
				show(t, fmt.Sprintf("%s at %d/4", file, q), w.Repeats())
			}
		}
		t.Logf("%s: compactions %+v", client, cuts)
		t.Logf("%s: quarters %+v", client, quarters)
		t.Logf("%s: control %+v", client, control)
		if cuts.Repeated*2 > cuts.Calls || quarters.Repeated*2 > quarters.Calls {
			t.Errorf("%s: more than half of the calls count as repeated", client)
		}
	}
}

func callsIn(r pith.Record) int {
	n := 0
	if m := r.Message; m != nil && m.Agent == "" && !m.Nested {
		for i := range m.Blocks {
			if m.Blocks[i].Kind == pith.KindToolUse {
				n++
			}
		}
	}
	return n
}

func join(sum *measure.Waste, w measure.Waste) {
	sum.Calls += w.Calls
	sum.Repeated += w.Repeated
	sum.Answered += w.Answered
	sum.Residual += w.Residual
	sum.ControlCalls += w.ControlCalls
	sum.ControlRepeated += w.ControlRepeated
}

func show(t *testing.T, where string, repeats []measure.Repeat) {
	for _, r := range repeats {
		t.Logf("%s line %d: %s %q seen at %v", filepath.Base(where), r.Place.Line, r.Tool, brief(r.Text), r.Seen)
	}
}

// quarterOf cuts a session where a number of calls was made.
func quarterOf(t *testing.T, file string, at int) *measure.Waster {
	w, calls := measure.NewWaster(), 0
	readAll(t, file, func(r pith.Record) {
		if calls >= at {
			w.Cut()
		}
		calls += callsIn(r)
		w.Record(r)
	})
	return w
}

func brief(s string) string { return s[:min(len(s), 160)] }

func cutAt(t *testing.T, file string, n int) (*measure.Waster, string) {
	w, summary := measure.NewWaster(), ""
	passed := false
	readAll(t, file, func(r pith.Record) {
		if r.Boundary != nil && r.Boundary.N == n {
			w.Cut()
			passed = true
			summary = measure.TextOf(r.Boundary.Replacement)
		} else if m := r.Message; m != nil && passed && summary == "" {
			for _, b := range m.Blocks {
				if b.Kind == pith.KindText && strings.HasPrefix(b.Text, "This session is being continued") {
					summary = b.Text
				}
			}
		}
		w.Record(r)
	})
	return w, summary
}
