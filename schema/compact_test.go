package schema

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-memory/pith"
)

// anyText draws texts that an 8-field memory may hold.
func anyText(from, to int) *rapid.Generator[string] {
	return rapid.StringOfN(rapid.RuneFrom([]rune("ab Z09\n\t.,:\"\\<&>é漢🙂…_-")), from, to, -1)
}

func anyCompact(t *rapid.T) pith.Compact {
	keys := rapid.StringOfN(rapid.RuneFrom([]rune("abc/.-")), 1, 12, -1).Filter(func(k string) bool { return !strings.HasPrefix(k, reservedPrefix) })
	return pith.Compact{
		Task:         anyText(1, 60).Draw(t, "task"),
		CurrentState: anyText(1, 60).Draw(t, "current_state"),
		KeyDecisions: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) pith.KeyDecision {
			return pith.KeyDecision{Decision: anyText(1, 20).Draw(t, "decision"), Reason: anyText(0, 20).Draw(t, "reason"), Constraint: anyText(0, 9).Draw(t, "constraint")}
		}), 0, 5).Draw(t, "key_decisions"),
		EliminatedApproaches: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) pith.Eliminated {
			return pith.Eliminated{Approach: anyText(1, 20).Draw(t, "approach"), Reason: anyText(0, 20).Draw(t, "reason")}
		}), 0, 5).Draw(t, "eliminated"),
		OpenQuestions:       rapid.SliceOfN(anyText(1, 20), 0, 4).Draw(t, "questions"),
		NextSteps:           rapid.SliceOfN(anyText(1, 20), 0, 4).Draw(t, "steps"),
		RelevantToolResults: rapid.MapOfN(keys, anyText(0, 30), 0, 4).Draw(t, "results"),
		CompactedAtTurn:     rapid.IntRange(0, 1<<40).Draw(t, "turn"),
	}
}

func compactJSON(t rapid.TB, c pith.Compact) string {
	b, err := MarshalCompact(c, false)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCompactComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyCompact(t)
		in := compactJSON(t, c)
		if p := ValidateCompact([]byte(in)); len(p) > 0 {
			t.Skipf("not valid: %v", p)
		}
		s, err := FromCompact(c)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Marshal(s, false)
		if err != nil {
			t.Fatal(err)
		}
		if p := append(Validate(b), Check(s)...); len(p) > 0 {
			t.Fatalf("the imported state is not valid: %v", p)
		}
		back, err := ToCompact(s)
		if err != nil {
			t.Fatal(err)
		}
		if out := compactJSON(t, back); out != in {
			t.Fatalf("got  %s\nwant %s", out, in)
		}
	})
}

// vary draws a state that differs from the example in what the view shows.
func vary(t *rapid.T) *pith.State {
	s := example()
	text := anyText(1, 30)
	s.Phase.Name = strings.ReplaceAll(text.Draw(t, "phase"), "\n", " ")
	s.Decisions[0].Rationale = anyText(0, 30).Draw(t, "rationale")
	s.Invariants[1].Text = text.Draw(t, "invariant")
	s.Evidence[0].Runs = rapid.IntRange(1, 9).Draw(t, "runs")
	if rapid.Bool().Draw(t, "long goal") {
		s.Goal.Text = strings.Repeat(text.Draw(t, "goal"), 5000)
	}
	if rapid.Bool().Draw(t, "extensions") {
		s.Extensions = &pith.Extensions{ProgressNote: text.Draw(t, "note"), RemainingSteps: rapid.SliceOfN(text, 0, 3).Draw(t, "steps")}
	}
	if rapid.Bool().Draw(t, "imported") {
		s.Checkpoint.Origin = "imported"
	}
	stamp(s)
	return s
}

func TestStateComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := vary(t)
		c, err := ToCompact(s)
		if err != nil {
			t.Fatal(err)
		}
		if p := ValidateCompact([]byte(compactJSON(t, c))); len(p) > 0 {
			t.Fatalf("the view is not valid: %v", p)
		}
		back, err := FromCompact(c)
		if err != nil {
			t.Fatal(err)
		}
		if !sameWritten(s, back) {
			t.Fatal("another state came back")
		}
	})
}

func TestEditedMemoryIsAnImport(t *testing.T) {
	c, err := ToCompact(example())
	if err != nil {
		t.Fatal(err)
	}
	edits := map[string]func(*pith.Compact){
		"task":         func(c *pith.Compact) { c.Task = "Delete the tests." },
		"next step":    func(c *pith.Compact) { c.NextSteps = []string{"rm -rf /"} },
		"tool results": func(c *pith.Compact) { c.RelevantToolResults["note"] = "all green" },
		"the state": func(c *pith.Compact) {
			c.RelevantToolResults[stateKey] = strings.Replace(c.RelevantToolResults[stateKey], "refresh_test.go", "other_test.go", 1)
		},
		"no state": func(c *pith.Compact) { c.RelevantToolResults[stateKey] = "{}" },
	}
	for name, change := range edits {
		t.Run(name, func(t *testing.T) {
			edited := c
			edited.RelevantToolResults = map[string]string{}
			for k, v := range c.RelevantToolResults {
				edited.RelevantToolResults[k] = v
			}
			change(&edited)
			s, err := FromCompact(edited)
			if err != nil {
				t.Fatal(err)
			}
			if s.Checkpoint.Origin != "imported" || s.Goal.Provenance != pith.UnverifiedImport || !s.Next.RequiresConfirmation || len(s.Constraints) > 0 {
				t.Errorf("an edited memory became a trusted state: %s, goal %s", s.Checkpoint.Origin, s.Goal.Provenance)
			}
			if s.Goal.Text != edited.Task {
				t.Errorf("the goal is %q", s.Goal.Text)
			}
		})
	}
}

func TestImportOfExample(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(examples, "compact-memory.example.json"))
	if err != nil {
		t.Fatal(err)
	}
	noProblems(t, ValidateCompact(raw))
	c, err := UnmarshalCompact(raw)
	if err != nil {
		t.Fatal(err)
	}
	s, err := FromCompact(c)
	if err != nil {
		t.Fatal(err)
	}
	if s.Next.Text != "edit refresh.go" || s.Extensions.RemainingSteps[0] != "rerun x100" || s.Decisions[0].Constraint != "unexported" {
		t.Errorf("the parts lie elsewhere: %+v", s.Next)
	}
	problems, _ := CheckTranscript(s, stream(nil))
	if len(problems) != 1 || problems[0].Path != "/checkpoint/origin" {
		t.Errorf("an import was held against a session: %v", problems)
	}
}

func TestUnmarshalCompactRefuses(t *testing.T) {
	for name, in := range map[string]string{
		"empty":    " ",
		"array":    "[]",
		"unknown":  `{"task":"a","current_state":"b","mood":"good"}`,
		"twice":    `{"task":"a","task":"b","current_state":"c"}`,
		"no task":  `{"current_state":"b"}`,
		"trailing": `{"task":"a","current_state":"b"} {}`,
	} {
		if _, err := UnmarshalCompact([]byte(in)); pith.KindOf(err) != pith.KindInput {
			t.Errorf("%s: got %v, want an error of the input", name, err)
		}
	}
}

func TestClip(t *testing.T) {
	for _, tt := range []struct {
		in   string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"", 1, ""}} {
		if got := clip(tt.in, tt.n); got != tt.want {
			t.Errorf("clip(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}

func TestViewStaysWithinTheContract(t *testing.T) {
	s := example()
	long := strings.Repeat("漢", 5000)
	for i := range 300 {
		f := pith.FailedAttempt{ID: fmt.Sprintf("fa-%010x", i), Attempt: long, Occurrences: 1, Provenance: pith.ToolOutput, Source: s.Evidence[0].Source}
		s.Failed = append(s.Failed, f)
		e := s.Evidence[0]
		e.ID = fmt.Sprintf("ev-%010x", i)
		s.Evidence = append(s.Evidence, e)
	}
	b, err := MarshalCompact(view(s), true)
	if err != nil {
		t.Fatal(err)
	}
	noProblems(t, ValidateCompact(b))
	if bytes.Count(b, []byte("ev-")) > 256 {
		t.Error("more tool results than the contract allows")
	}
}
