package memory_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/schema"
)

// claudeSessions are Claude Code sessions by their names: those of the tests,
// and, unless in short mode, the ones of PITH_CORPUS.
func claudeSessions(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{"made": madeSession(256 << 10)}
	files := []string{filepath.Join("..", "testdata", "sessions", "claude-code.jsonl")}
	if dir := os.Getenv("PITH_CORPUS"); dir != "" && !testing.Short() {
		found, err := filepath.Glob(filepath.Join(dir, "claude-code", "*.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(f)] = data
	}
	return all
}

// replacedSessions are small ones in which a hook answered the compactions.
func replacedSessions(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, name := range []string{"claude-replaced-raw.jsonl", "claude-forked.jsonl"} {
		data, err := os.ReadFile(filepath.Join("..", "transcript", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = data
	}
	return all
}

// cutsOf are places behind rows, spread over a session.
func cutsOf(data []byte, n int) (cuts []int) {
	for i := 1; i <= n; i++ {
		if at := bytes.IndexByte(data[len(data)*i/(n+1):], '\n'); at >= 0 {
			cuts = append(cuts, len(data)*i/(n+1)+at+1)
		}
	}
	return append(cuts, len(data))
}

// substance is what two readings of a session must have in common.
func substance(s *pith.State) map[string][]string {
	out := map[string][]string{
		"goal":   {s.Goal.SHA256, s.Goal.Text},
		"next":   {s.Next.Kind, s.Next.Text, s.Next.Command, s.Next.TargetPath},
		"digest": {s.Checkpoint.TranscriptSHA256},
		"place":  {s.Checkpoint.Workspace.Root, s.Checkpoint.Workspace.CWD, s.Checkpoint.Workspace.Branch},
		"range":  {fmt.Sprint(s.Checkpoint.FromMessage, s.Checkpoint.ThroughMessage, s.Checkpoint.CompactedAtTurn, s.Checkpoint.FromTurn)},
	}
	for i := range s.Goal.Amendments {
		out["amendments"] = append(out["amendments"], s.Goal.Amendments[i].Text)
	}
	for i := range s.Constraints {
		out["constraints"] = append(out["constraints"], s.Constraints[i].Text)
	}
	for i := range s.Invariants {
		out["invariants"] = append(out["invariants"], s.Invariants[i].Text)
	}
	for i := range s.Files.Modified {
		out["modified"] = append(out["modified"], s.Files.Modified[i].Path+" "+string(s.Files.Modified[i].Op))
	}
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.Unresolved() {
			code := "unknown"
			if e.ExitCode != nil {
				code = fmt.Sprint(*e.ExitCode)
			}
			out["failures"] = append(out["failures"], e.Command+" "+code)
		}
	}
	for i := range s.Context.Todo {
		out["todo"] = append(out["todo"], s.Context.Todo[i].Status+" "+s.Context.Todo[i].Text)
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}

// TestBehind holds what is read of a session piece by piece, each piece from
// where the one before ended, against a reading of the whole.
func TestBehind(t *testing.T) {
	sessions := claudeSessions(t)
	maps.Copy(sessions, replacedSessions(t))
	for name, data := range sessions {
		t.Run(name, func(t *testing.T) {
			if n := readInPieces(t, data, 24); name == "made" && n < 6 {
				t.Errorf("%d pieces were read by themselves", n)
			}
		})
	}
}

// readInPieces reads a session in so many pieces, and gives how many of them
// were read by themselves.
func readInPieces(t *testing.T, data []byte, n int) (pieces int) {
	t.Helper()
	m := memory.New(memory.Config{})
	var previous *pith.State
	var mark *memory.Mark
	from := 0
	for _, to := range cutsOf(data, n) {
		if to == from {
			continue
		}
		whole := readPiece(t, m, data[:to], nil, nil)
		if whole == nil { // nothing is said yet
			continue
		}
		r := whole
		if mark != nil {
			if piece := readPiece(t, m, data[from:to], previous, mark); piece != nil {
				r = piece
				pieces++
				sameSubstance(t, to, whole.result.State, piece.result)
				holdsAgainst(t, data[:to], piece.result)
			}
		}
		previous, mark, from = r.result.State, r.mark, to
	}
	t.Logf("%d pieces", pieces)
	return pieces
}

type pieceRead struct {
	result *memory.Result
	mark   *memory.Mark
}

// readPiece compacts a part of a session; nil where it must be read whole.
func readPiece(t *testing.T, m *memory.Memory, data []byte, previous *pith.State, mark *memory.Mark) *pieceRead {
	t.Helper()
	o := memory.ReadOptions{Name: "/srv/session.jsonl", Previous: previous, Behind: mark}
	if previous != nil {
		o.Format = previous.Checkpoint.Format
	}
	s, err := m.Read(bytes.NewReader(data), o)
	if errors.Is(err, memory.ErrReadWhole) || mark == nil && pith.KindOf(err) == pith.KindInput {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		t.Fatal(err)
	}
	out := &pieceRead{result: r}
	if at, ok := s.Mark(); ok {
		out.mark = &at
	}
	return out
}

func sameSubstance(t *testing.T, cut int, whole *pith.State, r *memory.Result) {
	t.Helper()
	piece := r.State
	if w, p := whole.Checkpoint.ThroughMessage, piece.Checkpoint.ThroughMessage; w != p {
		t.Errorf("at byte %d: the last message is number %d, and read whole %d", cut, p, w)
	}
	want, got := substance(whole), substance(piece)
	for what := range want {
		if !slices.Equal(want[what], got[what]) {
			t.Errorf("at byte %d: %s differ:\n whole %q\n piece %q", cut, what, without(want[what], got[what]), without(got[what], want[what]))
		}
	}
	if w, p := whole.Metrics.TokensBefore, piece.Metrics.TokensBefore; !r.Unchanged && (p < w*95/100 || p > w*105/100) {
		t.Errorf("at byte %d: the context has %d tokens, and %d read whole", cut, p, w)
	}
}

func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// holdsAgainst checks a state against the whole session.
func holdsAgainst(t *testing.T, data []byte, r *memory.Result) {
	t.Helper()
	state, err := schema.Unmarshal(r.JSON)
	if err != nil {
		t.Fatal(err)
	}
	next, err := memory.MessagesOf(bytes.NewReader(data), state)
	if err != nil {
		t.Fatal(err)
	}
	if problems, _ := schema.CheckTranscript(state, next); len(problems) > 0 {
		t.Errorf("%d problems, the first %v", len(problems), problems[0])
	}
}

// TestGaugeOfReplaced cuts a session behind each of its rows: what the client
// writes again of the messages that stay is no second turn and no new failure.
func TestGaugeOfReplaced(t *testing.T) {
	data := replacedSessions(t)["claude-replaced-raw.jsonl"]
	var pieces memory.Gauge
	from := 0
	for to := range data {
		if data[to] != '\n' {
			continue
		}
		if !pieces.GoesOn() {
			pieces, from = memory.Gauge{}, 0
		}
		if _, _, err := pieces.Read(bytes.NewReader(data[from : to+1])); err != nil {
			t.Fatal(err)
		}
		from = to + 1
		var whole memory.Gauge
		if _, _, err := whole.Read(bytes.NewReader(data[:from])); err != nil {
			t.Fatal(err)
		}
		if pieces.Turns != whole.Turns || pieces.Failures != whole.Failures {
			t.Errorf("at byte %d: %d turns, %v; and read whole %d, %v", from, pieces.Turns, pieces.Failures, whole.Turns, whole.Failures)
		}
	}
	if pieces.Turns != 9 { // eight answers, and one that failed
		t.Errorf("%d turns", pieces.Turns)
	}
}

// TestGauge holds what is gauged of a session piece by piece against a look at
// the whole, and both against a full reading.
func TestGauge(t *testing.T) {
	for name, data := range claudeSessions(t) {
		t.Run(name, func(t *testing.T) {
			var pieces memory.Gauge
			from := 0
			for _, to := range cutsOf(data, 12) {
				if to == from {
					continue
				}
				if !pieces.GoesOn() {
					pieces, from = memory.Gauge{}, 0
				}
				if _, _, err := pieces.Read(bytes.NewReader(data[from:to])); err != nil {
					t.Fatal(err)
				}
				var whole memory.Gauge
				if _, _, err := whole.Read(bytes.NewReader(data[:to])); err != nil {
					t.Fatal(err)
				}
				from = to
				a, b := pieces.Reading(0), whole.Reading(0)
				if a.Reported != b.Reported || a.Window != b.Window || a.Used < b.Used*97/100 || a.Used > b.Used*103/100+10 {
					t.Errorf("at byte %d: %+v, and read whole %+v", to, a, b)
				}
				if pieces.Turns != whole.Turns || pieces.Failures != whole.Failures {
					t.Errorf("at byte %d: %d turns, %v; and read whole %d, %v", to, pieces.Turns, pieces.Failures, whole.Turns, whole.Failures)
				}
				s, err := memory.New(memory.Config{}).Read(bytes.NewReader(data[:to]), memory.ReadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if r := s.Reading(0); r.Reported != b.Reported || r.Window != b.Window || s.Facts().Turns != whole.Turns {
					t.Errorf("at byte %d: %+v and %d turns, and by the facts %+v and %d", to, b, whole.Turns, r, s.Facts().Turns)
				}
			}
		})
	}
}
