package memory_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-memory/pith/memory"
)

// codexSessions are Codex rollouts by their names: those of the tests, and the
// ones of PITH_CORPUS unless in short mode.
func codexSessions(t *testing.T) map[string][]byte {
	t.Helper()
	files := []string{filepath.Join("..", "testdata", "sessions", "codex.jsonl")}
	for _, name := range []string{"codex.jsonl", "codex-newest.jsonl", "codex-subagent.jsonl", "codex-summary.jsonl"} {
		files = append(files, filepath.Join("..", "transcript", "testdata", name))
	}
	if dir := os.Getenv("PITH_CORPUS"); dir != "" && !testing.Short() {
		found, err := filepath.Glob(filepath.Join(dir, "codex", "*.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	all := map[string][]byte{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(filepath.Dir(f))+"/"+filepath.Base(f)] = data
	}
	return all
}

// TestBehindCodex is TestBehind for rollouts, which are cut behind many rows.
func TestBehindCodex(t *testing.T) {
	all := 0
	for name, data := range codexSessions(t) {
		t.Run(name, func(t *testing.T) { all += readInPieces(t, data, 60) })
	}
	if all < 4 {
		t.Errorf("%d pieces were read by themselves", all)
	}
}

// TestGaugeCodex holds what is gauged of a rollout piece by piece against a look
// at the whole: it is the same to the last figure.
func TestGaugeCodex(t *testing.T) {
	for name, data := range codexSessions(t) {
		t.Run(name, func(t *testing.T) {
			var kept memory.Gauge
			from, again := 0, 0
			for _, to := range cutsOf(data, 60) {
				if !kept.GoesOn() {
					kept, from = memory.Gauge{}, 0
				}
				now := kept
				next, n, err := now.Read(bytes.NewReader(data[from:to]))
				if errors.Is(err, memory.ErrReadWhole) {
					again++
					from, now = 0, memory.Gauge{}
					next, n, err = now.Read(bytes.NewReader(data[:to]))
				}
				if err != nil {
					t.Fatal(err)
				}
				var whole memory.Gauge
				if _, _, err := whole.Read(bytes.NewReader(data[:to])); err != nil {
					t.Fatal(err)
				}
				a, b := now.Reading(0), whole.Reading(0)
				if a != b || now.Turns != whole.Turns || now.Failures != whole.Failures {
					t.Errorf("at byte %d: %+v, %d turns, %v; and read whole %+v, %d, %v", to, a, now.Turns, now.Failures, b, whole.Turns, whole.Failures)
				}
				kept, from = next, from+int(n)
			}
			t.Logf("%d times from the beginning, %d bytes behind the end", again, len(data)-from)
		})
	}
}

// TestGaugeOnTheWay holds that a reading for a checkpoint gauges the session
// too, as a look at it would, or says that nobody can go on from its end.
func TestGaugeOnTheWay(t *testing.T) {
	sessions, filled := codexSessions(t), 0
	maps.Copy(sessions, claudeSessions(t))
	for name, data := range sessions {
		for _, to := range cutsOf(data, 5) {
			var whole, filling memory.Gauge
			if _, _, err := whole.Read(bytes.NewReader(data[:to])); err != nil {
				t.Fatal(err)
			}
			_, err := memory.New(memory.Config{}).Read(bytes.NewReader(data[:to]), memory.ReadOptions{Gauge: &filling})
			if err != nil || !filling.GoesOn() {
				continue
			}
			filled++
			a, b := filling.Reading(0), whole.Reading(0)
			if a.Reported != b.Reported || a.Used < b.Used*97/100 || a.Used > b.Used*103/100+10 || filling.Turns != whole.Turns || filling.Failures != whole.Failures {
				t.Errorf("%s, at byte %d: %+v, %d turns; and by a look %+v, %d", name, to, a, filling.Turns, b, whole.Turns)
			}
		}
	}
	if filled < 10 {
		t.Errorf("%d readings gauged a session", filled)
	}
}
