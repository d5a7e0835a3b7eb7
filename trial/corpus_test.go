package trial

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-memory/pith/measure"
)

// TestCorpus tries every candidate on real sessions, in the folder that
// PITH_CORPUS names: what a report counts adds up, and who is given less of the
// same context does not hold more of what was needed.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("PITH_CORPUS")
	if dir == "" {
		t.Skip("PITH_CORPUS names no folder of sessions")
	}
	files, err := filepath.Glob(filepath.Join(dir, "c*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions in %s (%v)", dir, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			reports, err := Run(context.Background(), Options{
				File: file, Open: func() (io.ReadSeekCloser, error) { return os.Open(file) },
				Candidates: []Candidate{Raw(), Pith(), Client(), Mask(10), KeepLast(20), KeepLast(5), Text("empty", "")},
				Cuts:       []Place{Boundaries, 25, 50, 75, End}, Rounds: 3,
			})
			if err != nil {
				t.Fatal(err)
			}
			checkReports(t, reports)
		})
	}
}

// checkReports wants the same atoms for every candidate at a cut. The raw
// context comes first at each.
func checkReports(t *testing.T, reports []measure.Report) {
	t.Helper()
	var raw *measure.Report
	for i := range reports {
		r := &reports[i]
		if r.Of == "raw" {
			raw = r
		}
		if r.Absent != "" {
			continue
		}
		for _, lists := range [][2][]measure.Retained{{raw.All, r.All}, {raw.Needed, r.Needed}} {
			_, want := share(lists[0])
			if _, of := share(lists[1]); of != want {
				t.Errorf("%s at %+v: of %v atoms, the raw context of %v", r.Of, r.Cut, of, want)
			}
		}
		for _, x := range append(append([]measure.Retained{}, r.All...), r.Needed...) {
			if x.Full < 0 || x.Full+x.Half+x.Stale > x.Of {
				t.Errorf("%s at %+v: %+v", r.Of, r.Cut, x)
			}
		}
		held, _ := share(r.Needed)
		most, _ := share(raw.Needed)
		switch {
		case r.Of == "empty" && held > 0:
			t.Errorf("an empty text holds %v at %+v", held, r.Cut)
		case (r.Of == "keep-last:5" || r.Of == "keep-last:20" || r.Of == "mask:10") && held > most:
			t.Errorf("%s holds %v of what was needed at %+v, all of the context %v", r.Of, held, r.Cut, most)
		}
		if s := r.Size; s.Live <= 0 || s.BreakEven != s.Text+s.Tail {
			t.Errorf("%s at %+v: %+v", r.Of, r.Cut, s)
		}
	}
}

func TestReportsAddUp(t *testing.T) {
	for _, file := range []string{"claude-code.jsonl", "codex.jsonl"} {
		checkReports(t, run(t, Options{
			Open: opens(sample(t, file)), Candidates: []Candidate{Raw(), Pith(), Client(), Mask(2), KeepLast(5), Text("empty", "")},
			Cuts: []Place{Boundaries, 30, 60, End}, Rounds: 3,
		}))
	}
}
