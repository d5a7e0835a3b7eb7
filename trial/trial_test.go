package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
)

// nopCloser is bytes that can be opened as a file.
type nopCloser struct{ *bytes.Reader }

func (nopCloser) Close() error { return nil }

func opens(data []byte) func() (io.ReadSeekCloser, error) {
	return func() (io.ReadSeekCloser, error) { return nopCloser{bytes.NewReader(data)}, nil }
}

func sample(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "sessions", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func run(t *testing.T, o Options) []measure.Report {
	t.Helper()
	reports, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return reports
}

func share(list []measure.Retained) (held, of float64) {
	for _, r := range list {
		held += float64(r.Full) + float64(r.Half)/2
		of += float64(r.Of)
	}
	return held, of
}

func named(reports []measure.Report, of, kind string, n int) *measure.Report {
	for i := range reports {
		if r := &reports[i]; r.Of == of && r.Cut.Kind == kind && r.Cut.N == n {
			return r
		}
	}
	return nil
}

func TestCandidatesSideBySide(t *testing.T) {
	reports := run(t, Options{
		File: "codex.jsonl", Open: opens(sample(t, "codex.jsonl")),
		Candidates: []Candidate{Pith(), Client(), Raw(), KeepLast(4), Mask(2), Text("nothing", "")},
	})
	var order []string
	for i := range reports {
		order = append(order, reports[i].Of+"@"+reports[i].Cut.Kind)
	}
	want := []string{
		"pith@boundary", "client@boundary", "raw@boundary", "keep-last:4@boundary", "mask:2@boundary", "nothing@boundary",
		"pith@end", "client@end", "raw@end", "keep-last:4@end", "mask:2@end", "nothing@end",
	}
	if !slices.Equal(order, want) {
		t.Fatalf("reports come as %v", order)
	}
	raw, pithy := named(reports, "raw", "boundary", 1), named(reports, "pith", "boundary", 1)
	if held, of := share(raw.All); of < 5 || held != of {
		t.Errorf("the whole context holds %v of %v of what was said in it", held, of)
	}
	if raw.Size.Tail != 0 || raw.Size.TCR > 1.05 || raw.Size.TCR < 0.95 {
		t.Errorf("the whole context is as large as itself, got %+v", raw.Size)
	}
	if held, of := share(pithy.InState); held < 0.8*of || of == 0 {
		t.Errorf("the state holds %v of %v: %+v", held, of, pithy.Lost)
	}
	if held, _ := share(named(reports, "nothing", "boundary", 1).All); held != 0 {
		t.Errorf("an empty text holds %v", held)
	}
	if c := named(reports, "client", "boundary", 1); c.Absent != "" || c.Size.Text == 0 {
		t.Errorf("the client's own history is not there: %+v", c)
	}
	if c := named(reports, "client", "end", 0); c.Absent == "" || len(c.All) > 0 || c.Size.Live != 0 {
		t.Errorf("the client made nothing at the end, and its report says %+v", c)
	}
	last, masked := named(reports, "keep-last:4", "boundary", 1), named(reports, "mask:2", "boundary", 1)
	if last.Size.Text >= masked.Size.Text || masked.Size.Text >= raw.Size.Text {
		t.Errorf("4 messages %d, masked %d, all %d tokens", last.Size.Text, masked.Size.Text, raw.Size.Text)
	}
	if _, needed := share(pithy.Needed); needed == 0 {
		t.Error("nothing was needed behind the client's compaction")
	}
	if pithy.Drift.GDM > 0.001 || !pithy.Drift.Goal || pithy.Drift.Other > 0.5 {
		t.Errorf("pith keeps the goal word for word, and the report says %+v", pithy.Drift)
	}
}

// TestLostIsWhatIsNotRetained: the list and the counts are about the same
// atoms, those that were needed among them, and each has a place that says it.
func TestLostIsWhatIsNotRetained(t *testing.T) {
	for _, r := range run(t, Options{Open: opens(sample(t, "codex.jsonl")), Candidates: []Candidate{Raw(), KeepLast(3), Text("t", "src/hub.rs")}}) {
		full, of := 0, 0
		for _, x := range r.All {
			full, of = full+x.Full, of+x.Of
		}
		needed := 0
		for _, x := range r.Needed {
			needed += x.Of - x.Full
		}
		marked := 0
		for _, l := range r.Lost {
			if l.Needed {
				marked++
			}
		}
		if n := len(r.Lost); n < of-full || n > of-full+needed || marked < needed {
			t.Errorf("%s at %s: %d of %d whole, and %d lost; %d needed ones lost, %d marked", r.Of, r.Cut.Kind, full, of, n, needed, marked)
		}
		if !slices.IsSortedFunc(r.Lost, func(a, b measure.Lost) int {
			if a.Needed != b.Needed {
				return map[bool]int{true: -1, false: 1}[a.Needed]
			}
			return a.Message - b.Message
		}) {
			t.Errorf("%s: the needed ones come first, then the order of the session", r.Of)
		}
	}
}

func TestCutsAtShares(t *testing.T) {
	s, err := readSession(&Options{Open: opens(sample(t, "claude-code.jsonl"))})
	if err != nil {
		t.Fatal(err)
	}
	cuts := s.cuts([]Place{End, 75, 25, 50, Boundaries, 50})
	if len(cuts) < 3 || cuts[len(cuts)-1].Kind != "end" || cuts[len(cuts)-1].record != len(s.records) {
		t.Fatalf("the cuts are %+v", cuts)
	}
	var list []*pith.Message
	for i := range s.records {
		list = append(list, s.records[i].Message)
	}
	last := -1
	for _, c := range cuts {
		if c.record <= last {
			t.Errorf("%s does not come after the one before", c.name())
		}
		last = c.record
		calls := map[string]bool{}
		for _, m := range list[:c.record] {
			for _, b := range m.Blocks {
				if b.Kind == pith.KindToolUse {
					calls[b.ToolUseID] = true
				}
				if b.Kind == pith.KindToolResult {
					delete(calls, b.ToolUseID)
				}
			}
		}
		for _, m := range list[c.record:] {
			for _, b := range m.Blocks {
				if b.Kind == pith.KindToolResult && calls[b.ToolUseID] {
					t.Errorf("%s parts call %s from its result", c.name(), b.ToolUseID)
				}
			}
		}
	}
}

// TestChainKnowsTheStateAlone: each round reads only its own segment, and what
// was said in the first is there after the last.
func TestChainKnowsTheStateAlone(t *testing.T) {
	for _, file := range []string{"claude-code.jsonl", "codex.jsonl"} {
		data := sample(t, file)
		s, err := readSession(&Options{Open: opens(data)})
		if err != nil {
			t.Fatal(err)
		}
		rounds := s.rounds(3)
		if len(rounds) != 3 || rounds[2].record != len(s.records) {
			t.Fatalf("%s: the rounds are %+v", file, rounds)
		}
		rows, ok := s.segment(&rounds[1])
		if !ok {
			t.Fatalf("%s has a row for each message", file)
		}
		part, err := rows.read(bytes.NewReader(data))
		if err != nil || part.Len() == 0 || part.Len() > len(data)*3/4 {
			t.Errorf("%s: the second segment has %d of %d bytes (%v)", file, part.Len(), len(data), err)
		}
		reports := run(t, Options{Open: opens(data), Candidates: []Candidate{Pith(), Raw()}, Cuts: []Place{End}, Rounds: 3})
		for n := 1; n <= 3; n++ {
			r := named(reports, "pith", "round", n)
			if r == nil || !r.Drift.Goal || !r.Drift.Amendments {
				t.Errorf("%s, round %d: the goal is not there: %+v", file, n, r)
				continue
			}
			if held, of := share(r.InState); of == 0 || held < 0.8*of {
				t.Errorf("%s, round %d: the state holds %v of %v: %+v", file, n, held, of, r.Lost)
			}
		}
		if a, b := named(reports, "raw", "round", 1).Size, named(reports, "raw", "round", 3).Size; a.Live >= b.Live {
			t.Errorf("%s: what does not compact grows, %d then %d", file, a.Live, b.Live)
		}
	}
}

func TestSameInputSameReports(t *testing.T) {
	once := func() string {
		out, err := json.Marshal(run(t, Options{Open: opens(sample(t, "codex.jsonl")), Candidates: []Candidate{Pith(), Client(), Mask(3)}, Rounds: 2}))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if a, b := once(), once(); a != b {
		t.Error("two runs over the same session differ")
	}
}

func TestErrorsNameCandidateAndCut(t *testing.T) {
	data := sample(t, "codex.jsonl")
	boom := errors.New("boom")
	fails := Candidate{Name: "mine", Make: func(context.Context, *At) (Given, error) { return Given{}, boom }}
	_, err := Run(context.Background(), Options{Open: opens(data), Candidates: []Candidate{fails}})
	if !errors.Is(err, boom) || !strings.Contains(err.Error(), "mine at boundary 1") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Options{Open: opens(data), Candidates: []Candidate{Raw()}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run gives %v", err)
	}
	if _, err := Run(context.Background(), Options{Open: opens(nil), Candidates: []Candidate{Raw()}}); pith.KindOf(err) != pith.KindInput {
		t.Errorf("an empty file gives %v", err)
	}
	gone := func() (io.ReadSeekCloser, error) { return nil, os.ErrNotExist }
	if _, err := Run(context.Background(), Options{Open: gone, Candidates: []Candidate{Raw()}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there gives %v", err)
	}
}

func TestProgressAndClock(t *testing.T) {
	now := time.Unix(0, 0)
	clock := func() time.Time { now = now.Add(3 * time.Millisecond); return now }
	var heard []int
	reports := run(t, Options{
		Open: opens(sample(t, "codex.jsonl")), Candidates: []Candidate{Pith(), Client()}, Rounds: 2, Clock: clock,
		Progress: func(done, of int) {
			if of != 4 {
				t.Errorf("of %d cuts", of)
			}
			heard = append(heard, done)
		},
	})
	if !slices.Equal(heard, []int{1, 2, 3, 4}) {
		t.Errorf("heard %v", heard)
	}
	if r := named(reports, "pith", "boundary", 1); r.Micros != 3000 {
		t.Errorf("took %d µs", r.Micros)
	}
	if r := named(reports, "client", "boundary", 1); r.Micros != 0 {
		t.Errorf("what was recorded took %d µs", r.Micros)
	}
}

// TestPlanted: what is planted runs through everything that the session does.
func TestPlanted(t *testing.T) {
	data := sample(t, "claude-code.jsonl")
	reports := run(t, Options{Open: opens(data), Candidates: []Candidate{Pith(), Raw(), KeepLast(1), Client(), Text("a text", "")}, Cuts: []Place{End}, Plant: 7})
	for _, r := range reports {
		if r.Of == "client" || r.Of == "a text" {
			if r.Absent == "" || r.Planted != nil {
				t.Errorf("%s was made before anything was planted, and the report says %+v", r.Of, r)
			}
			continue
		}
		p := r.Planted
		if p == nil || p.Seed != 7 || p.Needles.Of != seedlings || p.Rules.Of != seedlings {
			t.Fatalf("%s: planted %+v", r.Of, p)
		}
		switch r.Of {
		case "raw":
			if p.Needles.Found != p.Needles.Of || p.Rules.Found != p.Rules.Of {
				t.Errorf("the whole context lost some: %+v", p)
			}
		case "keep-last:1":
			if p.Rules.Found > 1 {
				t.Errorf("one message holds rules of all the session: %+v", p)
			}
		case "pith":
			if p.Rules.Found != p.Rules.Of || p.Promoted > 0 {
				t.Errorf("pith keeps rules and takes no orders of tools: %+v", p)
			}
		}
	}
	if r := run(t, Options{Open: opens(sample(t, "codex.jsonl")), Candidates: []Candidate{Pith()}, Plant: 7})[0]; r.Planted != nil {
		t.Errorf("nothing can be planted in rows of another kind, and the report says %+v", r.Planted)
	}
}

// TestReportsHoldNoSecrets: what is lost is quoted, secrets in it are not.
func TestReportsHoldNoSecrets(t *testing.T) {
	key := "ghp_" + strings.Repeat("a1B2", 9)
	body, err := json.Marshal(map[string]any{"model": "m", "messages": []map[string]any{
		{"role": "user", "content": "You must always use the token " + key + " for the mirror."},
		{"role": "assistant", "content": "Yes."},
		{"role": "user", "content": "Go on."},
	}})
	if err != nil {
		t.Fatal(err)
	}
	reports := run(t, Options{Open: opens(body), Candidates: []Candidate{Text("t", "the token "+key[:20]), Pith()}, Cuts: []Place{End}})
	out, err := json.Marshal(reports)
	if err != nil || len(reports[0].Lost) == 0 {
		t.Fatal("the rule is not among what is lost", err)
	}
	if strings.Contains(string(out), key) {
		t.Errorf("the reports hold the key: %s", out)
	}
}

// TestNeededNamesHaveAPlace: a name that no record states by itself is placed
// where the session said it last.
func TestNeededNamesHaveAPlace(t *testing.T) {
	s := &session{records: []pith.Record{
		{Message: &pith.Message{Index: 0, Line: 1, Blocks: []pith.Block{{Kind: pith.KindText, Text: "rename Split"}}}},
		{Message: &pith.Message{Index: 1, Line: 4, Blocks: []pith.Block{{Kind: pith.KindToolUse, Args: []pith.Arg{{Key: "path", Value: "a/split.go"}}}}}},
		{Message: &pith.Message{Index: 2, Line: 7, Blocks: []pith.Block{{Kind: pith.KindText, Text: "Split comes after the cut"}}}},
	}}
	p := &prefix{session: s, next: 2}
	lost := mostWanted([]measure.Lost{{Kind: measure.KindModified, Text: "/r/a/split.go", Message: 1, Line: 4}, {Kind: measure.KindRun, Text: "go test", Message: 1, Line: 4}},
		[]measure.Lost{{Kind: measure.KindSymbol, Text: "Split"}, {Kind: measure.KindInspected, Text: "/r/a/split.go"}, {Kind: measure.KindInspected, Text: "/q/split.go"}}, p.place)
	want := []measure.Lost{
		{Kind: measure.KindSymbol, Text: "Split", Needed: true, Message: 0, Line: 1},
		{Kind: measure.KindModified, Text: "/r/a/split.go", Needed: true, Message: 1, Line: 4},
		{Kind: measure.KindInspected, Text: "/q/split.go", Needed: true, Message: 1, Line: 4},
		{Kind: measure.KindRun, Text: "go test", Message: 1, Line: 4},
	}
	if !slices.Equal(lost, want) {
		t.Errorf("got %+v\nwant %+v", lost, want)
	}
}
