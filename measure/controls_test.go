package measure_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
)

// work is a session with n files that were written and as many that were read,
// n runs that failed, and n rules.
func work(n int, name string) *measure.Observer {
	var s play
	for i := range n {
		s.user(fmt.Sprintf("Step %d of %s. Never touch table %s%d of the database.", i, name, name, i))
		s.call("Read", "1\tx", "file_path", fmt.Sprintf("/r/%s/%s_read%d.go", name, name, i))
		s.call("Edit", "updated", "file_path", fmt.Sprintf("/r/%s/%s_written%d.go", name, name, i))
		s.bash(fmt.Sprintf("go test -count=%d ./%s", i+1, name), 1, fmt.Sprintf("%d passed, %d failed", i+10, i+1))
	}
	return s.observed()
}

// kept is the state that holds all of it.
func kept(n int, name string) *pith.State {
	s := &pith.State{}
	for i := range n {
		text := fmt.Sprintf("Step %d of %s. Never touch table %s%d of the database.", i, name, name, i)
		s.Goal.Amendments = append(s.Goal.Amendments, pith.Amendment{Text: text})
		s.Files.Modified = append(s.Files.Modified, pith.File{Path: fmt.Sprintf("/r/%s/%s_written%d.go", name, name, i), Op: pith.FileEdited})
		s.Files.Inspected = append(s.Files.Inspected, pith.File{Path: fmt.Sprintf("/r/%s/%s_read%d.go", name, name, i)})
		s.Evidence = append(s.Evidence, pith.Evidence{
			Command: fmt.Sprintf("go test -count=%d ./%s", i+1, name), ExitCode: exit(1), Status: "fail", Counts: &pith.Counts{Passed: i + 10, Failed: i + 1},
		})
	}
	return s
}

// cirr is the share of all atoms that are retained.
func cirr(rows []measure.Retained) float64 {
	var sum measure.Retained
	for _, r := range rows {
		sum.Full, sum.Half, sum.Of = sum.Full+r.Full, sum.Half+r.Half, sum.Of+r.Of
	}
	return sum.Share()
}

func shares(rows []measure.Retained) map[measure.Kind]float64 {
	m := map[measure.Kind]float64{}
	for _, r := range rows {
		m[r.Kind] = r.Share()
	}
	return m
}

// TestControls holds that a state that is right scores 1, and that each fault
// costs what it must and nothing else.
func TestControls(t *testing.T) {
	const n = 20
	o := work(n, "shop")
	atoms := o.Atoms()
	score := func(s *pith.State) (map[measure.Kind]float64, float64, float64) {
		rows, _ := measure.RetainState(atoms, s)
		p := o.Precision(measure.Held{State: s})
		precision := 1.0
		if p.Of > 0 {
			precision = float64(p.Found) / float64(p.Of)
		}
		return shares(rows), cirr(rows), precision
	}
	if _, all, precision := score(kept(n, "shop")); all != 1 || precision != 1 {
		t.Errorf("the right state: CIRR %v, precision %v", all, precision)
	}
	if _, all, _ := score(&pith.State{}); all != 0 {
		t.Errorf("an empty state: CIRR %v", all)
	}
	if _, all, precision := score(kept(n, "bank")); all > 0.02 || precision > 0.02 {
		t.Errorf("the state of another session: CIRR %v, precision %v", all, precision)
	}

	altered := kept(n, "shop")
	for i := range n / 10 {
		altered.Files.Modified[i*10].Path = fmt.Sprintf("/r/shop/changed%d.go", i)
		altered.Files.Inspected[i*10].Path = fmt.Sprintf("/r/elsewhere/shop_read%d.go", i*10)
	}
	by, _, precision := score(altered)
	if by[measure.KindModified] != 0.9 || by[measure.KindInspected] != 0.95 || by[measure.KindRun] != 1 {
		t.Errorf("10 %% of the paths altered: %v", by)
	}
	if precision >= 1 || precision < 0.9 {
		t.Errorf("10 %% of the paths altered: precision %v", precision)
	}

	invented := kept(n, "shop")
	invented.Evidence = append(invented.Evidence, pith.Evidence{Command: "make release", ExitCode: exit(0), Status: "pass"})
	invented.Constraints = append(invented.Constraints, pith.Constraint{Text: "Always deploy on a Friday."})
	if _, all, precision := score(invented); all != 1 || precision >= 1 {
		t.Errorf("invented claims: CIRR %v, precision %v", all, precision)
	}
	p := o.Precision(measure.Held{State: invented})
	if p.Of-p.Found != 3 {
		t.Errorf("invented claims: %d wrong, want the command, its exit code and the sentence: %v", p.Of-p.Found, p.Missed)
	}

	off := kept(n, "shop")
	off.Evidence[3].ExitCode = exit(2)
	off.Evidence[4].Counts.Failed++
	by, _, _ = score(off)
	if by[measure.KindRun] != 0.9 {
		t.Errorf("a wrong exit code and a wrong count: %v", by[measure.KindRun])
	}
	if p := o.Precision(measure.Held{State: off}); p.Of-p.Found != 2 {
		t.Errorf("a wrong exit code and a wrong count: %v", p.Missed)
	}
}

// TestStale holds that an outcome that was superseded counts as nothing.
func TestStale(t *testing.T) {
	var s play
	s.bash("go test ./...", 1, "2 passed, 1 failed")
	s.bash("go test ./...", 0, "3 passed")
	o := s.observed()
	state := &pith.State{Evidence: []pith.Evidence{{Command: "go test ./...", ExitCode: exit(1), Status: "fail", Counts: &pith.Counts{Passed: 2, Failed: 1}}}}
	for name, h := range map[string]measure.Held{"state": {State: state}, "text": {Text: "`go test ./...` exit 1, 2 passed, 1 failed"}} {
		rows, gone := measure.Retain(o.Atoms(), h)
		if len(rows) != 1 || rows[0].Stale != 1 || rows[0].Share() != 0 || len(gone) != 1 || !gone[0].Stale {
			t.Errorf("%s: %+v, %+v", name, rows, gone)
		}
		if p := o.Precision(h); p.Found != p.Of {
			t.Errorf("%s: it did occur: %v", name, p.Missed)
		}
	}
}

func TestPrecisionOfText(t *testing.T) {
	var s play
	s.user("Please keep the public interface of the parser as it is now.")
	s.call("Read", "1\tx", "file_path", "/r/pkg/lexer.go")
	s.bash("cd sub/dir && cat notes.md", 0, "notes")
	s.bash("go test ./...", 1, "12 passed, 1 failed")
	s.bash("git commit -qm x", 0, "[main c4d81f7] x")
	s.bash("curl localhost/5b0d7c1e-3c7a-4a52-9a0e-2f1f6f0a9d11", 0, "")
	o := s.observed()
	tests := []struct {
		name, text string
		found, of  int
	}{
		{"nothing", "All went well, and the work goes on.", 0, 0},
		{"a path", "/r/pkg/lexer.go and pkg/lexer.go", 2, 2},
		{"a path that was not there", "/r/pkg/parser.go", 0, 1},
		{"a path of another folder", "/r/other/lexer.go", 0, 1},
		{"a path below a folder that was named with it", "/r/sub/dir/notes.md", 1, 1},
		{"a run", "- `go test ./...` exit 1, 12 passed, 1 failed", 4, 4},
		{"a run with another code", "- `go test ./...` exit 2", 1, 2},
		{"a run with other counts", "- `go test ./...` exit 1, 13 passed", 2, 3},
		{"a run that was not", "- `go vet ./...` exit 1", 0, 2},
		{"an outcome without a command", "It ended with exit code 1, then with exit code 9.", 1, 2},
		{"a SHA", "c4d81f7 and c4d81f7aa90c3, not 9f31c0e", 2, 3},
		{"a UUID", "5b0d7c1e-3c7a-4a52-9a0e-2f1f6f0a9d11", 1, 1},
		{"a UUID that was not there", "5b0d7c1e-3c7a-4a52-9a0e-2f1f6f0a9d12", 0, 1},
		{"a quotation", `The user: "keep the public interface of the parser as it is now."`, 1, 1},
		{"a quotation with a gap", "> Please keep the public … of the parser as it is now.", 1, 1},
		{"a quotation that nobody said", `The user: "drop the public interface of the parser"`, 0, 1},
		{"a fence", "<pith-memory checkpoint=\"775dd00376940c1c\" nonce=\"9baab87ec7cb0544\">\n9baab87ec7cb0544</pith-memory>", 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := o.Precision(measure.Held{Text: tt.text, Root: "/r"})
			if p.Found != tt.found || p.Of != tt.of {
				t.Errorf("%d of %d, want %d of %d: %v", p.Found, p.Of, tt.found, tt.of, p.Missed)
			}
		})
	}
}

// TestNeedsAsAtoms holds that what was needed is held against a text like
// everything else, and stands where the atom of its name does.
func TestNeedsAsAtoms(t *testing.T) {
	var s play
	s.call("Read", "func parseAll() { TestParseAll }", "file_path", "/r/pkg/lexer.go")
	s.bash("git show 9f31c0e", 0, "commit 9f31c0e")
	o := s.observed()
	var n measure.Needs
	n.Call(&pith.Block{Kind: pith.KindToolUse, Args: []pith.Arg{{Key: "command", Value: "grep parseAll pkg/lexer.go /r/pkg/lexer.go 9f31c0e TestParseAll unseenName"}}}, o.Seen)
	needed := n.Atoms(o.Atoms())
	want := "inspected_path pkg/lexer.go,inspected_path /r/pkg/lexer.go,test TestParseAll,commit 9f31c0e,symbol parseAll"
	if got := strings.Join(atomLines(needed), ","); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if needed[1].Message != 1 || needed[3].Message != 3 {
		t.Errorf("places: %+v", needed)
	}
	rows, _ := measure.Retain(needed, measure.Held{Text: "pkg/lexer.go, parseAll", Root: "/r"})
	if by := shares(rows); by[measure.KindInspected] != 1 || by[measure.KindSymbol] != 1 || by[measure.KindTest] != 0 || by[measure.KindCommit] != 0 {
		t.Errorf("%v", by)
	}
}

// text writes atoms as a block does.
func text(atoms []measure.Atom) string {
	var b strings.Builder
	for _, a := range atoms {
		switch a.Kind {
		case measure.KindRun:
			fmt.Fprintf(&b, "- `%s` exit %d, %s\n", a.Text, *a.Exit, strings.Join(a.Counts, ", "))
		default:
			fmt.Fprintf(&b, "- %s\n", a.Text)
		}
	}
	return b.String()
}

// TestLessTextHoldsLess: taking an atom out of a text never raises the score
// and loses at least that atom; what means nothing never changes it for the better.
func TestLessTextHoldsLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		atoms := work(n, rapid.SampledFrom([]string{"shop", "bank"}).Draw(t, "name")).Atoms()
		all := measure.Held{Text: text(atoms), Root: "/r"}
		rows, _ := measure.Retain(atoms, all)
		whole := cirr(rows)
		if whole != 1 {
			_, gone := measure.Retain(atoms, all)
			t.Fatalf("a text of all atoms holds %v of them: %+v", whole, gone)
		}
		out := rapid.IntRange(0, len(atoms)-1).Draw(t, "out")
		if atoms[out].Kind == measure.KindRequest || atoms[out].Kind == measure.KindRule {
			return // the one says what the other does
		}
		less := append(append([]measure.Atom{}, atoms[:out]...), atoms[out+1:]...)
		rows, gone := measure.Retain(atoms, measure.Held{Text: text(less), Root: "/r"})
		if cirr(rows) >= whole || len(gone) != 1 || gone[0].Text != atoms[out].Text {
			t.Fatalf("without %+v: %v, lost %+v", atoms[out], cirr(rows), gone)
		}
		noise := rapid.StringMatching(`([a-z ]{0,20}\n?){0,10}`).Draw(t, "noise")
		noisy, _ := measure.Retain(atoms, measure.Held{Text: text(less) + "\n\n\n" + noise, Root: "/r"})
		if cirr(noisy) > cirr(rows) {
			t.Fatalf("noise raised %v to %v", cirr(rows), cirr(noisy))
		}
	})
}

// TestAnyTextIsRead: no text makes it panic, and shares stay shares.
func TestAnyTextIsRead(t *testing.T) {
	o := work(3, "shop")
	atoms := o.Atoms()
	rapid.Check(t, func(t *rapid.T) {
		h := measure.Held{Text: rapid.OneOf(rapid.String(), rapid.StringMatching("([`…./\\\\ \n\\[\\]a-z0-9‹]|go test|exit 1|shop){0,80}")).Draw(t, "text"), Root: rapid.SampledFrom([]string{"", "/", "/r"}).Draw(t, "root")}
		rows, gone := measure.Retain(atoms, h)
		full := 0
		for _, r := range rows {
			full += r.Full
			if r.Full+r.Half+r.Stale > r.Of {
				t.Fatalf("%+v", r)
			}
		}
		if full+len(gone) != len(atoms) {
			t.Fatalf("%d held, %d lost, of %d", full, len(gone), len(atoms))
		}
		if p := o.Precision(h); p.Found > p.Of {
			t.Fatalf("%+v", p)
		}
	})
}

// TestLargeSession holds that megabytes are read once, not once per atom.
func TestLargeSession(t *testing.T) {
	var s play
	var b strings.Builder
	for i := range 1000 {
		path := fmt.Sprintf("/r/pkg%d/file%d.go", i%37, i)
		body := strings.Repeat(fmt.Sprintf("line %d of /r/pkg%d/other.go says exit 1\n", i, i%37), 90)
		s.call("Read", body, "file_path", path)
		s.bash(fmt.Sprintf("go test -run TestNumber%d ./...", i), 1, "--- FAIL: TestNumber\nFAIL")
		fmt.Fprintf(&b, "%s\n- `go test -run TestNumber%d ./...` exit 1, 1 failed\n%s", path, i, body)
	}
	start := time.Now()
	o := s.observed()
	atoms := o.Atoms()
	rows, _ := measure.Retain(atoms, measure.Held{Text: b.String(), Root: "/r"})
	o.Precision(measure.Held{Text: b.String(), Root: "/r"})
	took := time.Since(start)
	t.Logf("%d bytes, %d atoms: %v", b.Len(), len(atoms), took)
	if by := shares(rows); by[measure.KindInspected] != 1 || by[measure.KindRun] != 1 {
		t.Errorf("%+v", rows)
	}
	if took > 30*time.Second { // half a second where nothing else runs
		t.Errorf("it took %v", took)
	}
}

// TestHostileText holds that a text without lines, which says one thing over
// and over, is read in bounded time.
func TestHostileText(t *testing.T) {
	o := work(6, "shop")
	atoms := o.Atoms()
	for _, piece := range []string{
		"go test -count=1 ./shop ", "`go test …` ", "/r/shop/shop_read0.go ", "shop_read0.go ", "a/", "\"never touch ", "…", "`", "exit 1 ", "Step 0 of shop. ",
	} {
		h := measure.Held{Text: strings.Repeat(piece, (1<<18)/len(piece)), Root: "/r"}
		start := time.Now()
		measure.Retain(atoms, h)
		o.Precision(h)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%q: %v", piece, took)
		} else {
			t.Logf("%q: %v", piece, took)
		}
	}
}
