package measure_test

import (
	"errors"
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

// TestWasteOnCorpus logs the calls that count as repeated at every compaction,
// to be read by hand; with -v they are shown.
func TestWasteOnCorpus(t *testing.T) {
	for client, files := range corpus(t) {
		var sum measure.Waste
		cuts := 0
		for _, file := range files {
			boundaries := 0
			readAll(t, file, func(r pith.Record) {
				if r.Boundary != nil {
					boundaries = r.Boundary.N
				}
			})
			w := measure.NewWaster()
			readAll(t, file, w.Record)
			control := w.Of(measure.Held{}, nil)
			sum.ControlCalls += control.ControlCalls
			sum.ControlRepeated += control.ControlRepeated
			for _, r := range w.Controls() {
				t.Logf("%s control %d: %s %q seen at %v", filepath.Base(file), r.Place.Line, r.Tool, brief(r.Text), r.Seen)
			}
			for n := 1; n <= boundaries; n++ {
				w, summary := cutAt(t, file, n)
				x := w.Of(measure.Held{Text: summary}, nil)
				cuts++
				sum.Calls += x.Calls
				sum.Repeated += x.Repeated
				sum.Answered += x.Answered
				sum.Residual += x.Residual
				for _, r := range w.Repeats() {
					t.Logf("%s#%d line %d: %s %q seen at %v", filepath.Base(file), n, r.Place.Line, r.Tool, brief(r.Text), r.Seen)
				}
			}
		}
		t.Logf("%s: %d cuts, %+v", client, cuts, sum)
		if sum.Repeated*2 > sum.Calls {
			t.Errorf("%s: more than half of the calls count as repeated", client)
		}
	}
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
