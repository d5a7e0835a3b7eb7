package memory_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/wire"
)

// TestFollowedSessionSaysTheSame hands over the messages of each case one by
// one, asks for a state after every one of them, and ends with the state that
// reading the whole body gives.
func TestFollowedSessionSaysTheSame(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	checked := 0
	for _, file := range files {
		c := loadCase(t, filepath.Base(file[:len(file)-len(".json")]))
		if c.Request == nil {
			continue
		}
		body, err := wire.Decode(c.Request)
		if err != nil || len(body.System) > 1 || len(body.Messages) > 0 && body.Messages[0].Role == pith.RoleSystem {
			continue
		}
		m := memory.New(memory.Config{Window: c.Params.Window})
		whole, err := m.Read(bytes.NewReader(c.Request), memory.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.Compact(whole, pith.ReasonManual)
		if err != nil {
			t.Fatal(err)
		}
		system := ""
		if len(body.System) > 0 {
			system = body.System[0].Text
		}
		s := m.Begin(memory.BeginOptions{Format: body.Format, Model: body.Model, ID: want.State.Checkpoint.SessionID, System: system})
		var got *memory.Result
		for i := range body.Messages {
			if n := s.Append(body.Messages[i]); n != body.Messages[i].Index {
				t.Fatalf("%s: message %d got the number %d", c.ID, body.Messages[i].Index, n)
			}
			if got, err = m.Compact(s, pith.ReasonManual); err != nil {
				t.Fatalf("%s after message %d: %v", c.ID, i, err)
			}
		}
		if string(got.JSON) != string(want.JSON) {
			t.Errorf("%s: the followed session says\n%s\nand the body\n%s", c.ID, got.JSON, want.JSON)
		}
		checked++
	}
	if checked < 25 {
		t.Errorf("only %d cases were followed", checked)
	}
}

// TestFollowedSessionGoesOn compacts a session twice and resumes it: each state
// is the child of the one before, and numbers and turns only grow.
func TestFollowedSessionGoesOn(t *testing.T) {
	m := memory.New(memory.Config{Window: 10_000})
	s := m.Begin(memory.BeginOptions{Format: pith.FormatAnthropic, ID: "s1", System: "Be brief.", CWD: "/srv/app"})
	say := func(s *memory.Session, role pith.Role, text string) int {
		return s.Append(wire.TextMessage(pith.FormatAnthropic, role, text))
	}
	say(s, pith.RoleUser, "Add a cache to the parser. Never touch go.sum.")
	say(s, pith.RoleAssistant, "I start with /srv/app/parser.go.")
	first := compactNow(t, m, s)
	s.Took(first.State)
	kept := say(s, pith.RoleUser, "Use a ring buffer.")
	say(s, pith.RoleAssistant, "Done.")
	before := s.Live()
	s.Replaced(first.Block.Text, []int{kept})
	if s.Live() >= before+first.Block.Tokens {
		t.Errorf("the context is %d tokens after %d and a block of %d", s.Live(), before, first.Block.Tokens)
	}
	second := compactNow(t, m, s)
	if c := &second.State.Checkpoint; c.ParentID == nil || *c.ParentID != first.State.Checkpoint.ID || c.Seq != 1 || c.CompactedAtTurn != 2 {
		t.Errorf("the second checkpoint is %+v", second.State.Checkpoint)
	}
	resumed := m.Begin(memory.BeginOptions{Format: pith.FormatAnthropic, ID: "s1", Previous: second.State})
	if n := say(resumed, pith.RoleUser, "Now write the test."); n != 4 {
		t.Errorf("the first message after the stop got the number %d", n)
	}
	say(resumed, pith.RoleAssistant, "Writing parser_test.go.")
	third := compactNow(t, m, resumed)
	c := &third.State.Checkpoint
	if c.CompactedAtTurn != 3 || *c.ParentID != second.State.Checkpoint.ID {
		t.Errorf("the third checkpoint is %+v", c)
	}
	if third.State.Goal.SHA256 != first.State.Goal.SHA256 || len(third.State.Constraints) != 1 {
		t.Errorf("goal %q, constraints %v", third.State.Goal.Text, third.State.Constraints)
	}
}

func compactNow(t *testing.T, m *memory.Memory, s *memory.Session) *memory.Result {
	t.Helper()
	r, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		t.Fatal(err)
	}
	if problems := schema.Check(r.State); len(problems) > 0 {
		t.Fatal(problems)
	}
	return r
}

// TestFollowedCorpus does the same as the first test with real sessions, asking
// now and then.
func TestFollowedCorpus(t *testing.T) {
	dir := os.Getenv("PITH_CORPUS")
	if dir == "" {
		t.Skip("set PITH_CORPUS to a folder of session files to run this")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "c*", "*.jsonl")) // claude-code and codex
	if len(files) == 0 {
		t.Fatal("PITH_CORPUS holds no sessions")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := memory.New(memory.Config{})
		want := readAll(t, m, data, nil)
		n := 0
		got := readAll(t, m, data, func(s *memory.Session, _ pith.Record, _ int64) {
			if n++; n%97 == 0 {
				if _, err := m.Compact(s, pith.ReasonManual); err != nil {
					t.Fatal(err)
				}
			}
		})
		if got.State.Checkpoint.ID != want.State.Checkpoint.ID {
			t.Errorf("%s: asking in between changes the state", filepath.Base(file))
		}
	}
}

func readAll(t *testing.T, m *memory.Memory, data []byte, each func(*memory.Session, pith.Record, int64)) *memory.Result {
	t.Helper()
	s, err := m.Read(bytes.NewReader(data), memory.ReadOptions{Each: each})
	if err != nil {
		t.Fatal(err)
	}
	return compactNow(t, m, s)
}
