package diff_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/diff"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/schema"
)

// compacted is the state of a session of testdata, through a message; -1 is all.
func compacted(t testing.TB, name string, through int) *pith.State {
	t.Helper()
	doc, err := os.ReadFile("../testdata/sessions/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var o memory.ReadOptions
	if through >= 0 {
		o.Through = &through
	}
	m := memory.New(memory.Config{Pins: []pith.Pin{{Text: "the auditors come on Friday", By: "user"}}})
	s, err := m.Read(bytes.NewReader(doc), o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		t.Fatal(err)
	}
	return reread(t, r.State)
}

// reread is a copy of a state that shares nothing with it.
func reread(t testing.TB, s *pith.State) *pith.State {
	t.Helper()
	doc, err := schema.Marshal(s, false)
	if err != nil {
		t.Fatal(err)
	}
	again, err := schema.Unmarshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func written(t testing.TB, s *pith.State) string {
	t.Helper()
	doc, err := schema.Canonical(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

func TestNoDifference(t *testing.T) {
	s := compacted(t, "claude-code.jsonl", -1)
	changes := diff.States(s, s)
	if len(changes) < 20 {
		t.Fatalf("only %d items are compared", len(changes))
	}
	for _, c := range changes {
		if c.Op != diff.Kept {
			t.Errorf("%s %q is %s (%s)", c.Slot, c.Item, c.Op, c.Why)
		}
	}
	if e := diff.Edits(s, s); len(e) != 0 {
		t.Errorf("edits between a state and itself: %v", e)
	}
}

func TestStates(t *testing.T) {
	whole := compacted(t, "claude-code.jsonl", -1)
	part := compacted(t, "claude-code.jsonl", whole.Checkpoint.ThroughMessage/2)
	ops := map[string]int{}
	for _, c := range diff.States(part, whole) {
		ops[c.Op]++
		if c.Op == diff.Dropped && c.Why == "" {
			t.Errorf("%s %q is dropped without a reason", c.Slot, c.Item)
		}
	}
	if ops[diff.Added] == 0 || ops[diff.Kept] == 0 {
		t.Errorf("from half a session to the whole: %v", ops)
	}
}

func TestReasons(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(a, b *pith.State)
		slot, op string
		why      string
	}{
		{"a run that was repeated", func(a, b *pith.State) {
			a.Evidence[0].SupersededBy, a.Evidence[0].ResolvedBy = nil, ""
			b.Evidence[0].SupersededBy, b.Evidence[0].ResolvedBy = &b.Evidence[1].ID, ""
		}, "verification_and_evidence", diff.Closed, "superseded by ev-"},
		{"a failure that ended", func(a, b *pith.State) {
			a.Failed, b.Failed = []pith.FailedAttempt{{ID: "fa-0000000000"}}, []pith.FailedAttempt{{ID: "fa-0000000000", EndedBy: "passed later"}}
		}, "failed_attempts_and_antipatterns", diff.Closed, "ended: passed later"},
		{"a finished step", func(a, b *pith.State) {
			a.Context.Todo = []pith.Todo{{Text: "x", Status: "pending"}}
			b.Context.Todo = []pith.Todo{{Text: "x", Status: "completed"}}
		}, "context/todo", diff.Closed, "the list says completed"},
		{"a new list", func(a, b *pith.State) {
			a.Context.Todo = []pith.Todo{{Text: "x", Status: "pending"}}
			b.Context.Todo = []pith.Todo{}
		}, "context/todo", diff.Dropped, "replaced by a later list"},
		{"an unpinned text", func(_, b *pith.State) { b.Context.Pins = []pith.Pin{} }, "context/pins", diff.Dropped, "unpinned"},
		{"a removal", func(a, b *pith.State) {
			b.Constraints = b.Constraints[1:]
			b.Edits = diff.Edits(a, b)
		}, "active_constraints", diff.Dropped, "edited by a person"},
		{"another phase", func(_, b *pith.State) { b.Phase.Status = "blocked" }, "phase_control", diff.Changed, "status"},
		{"a file that was read, then written", func(_, b *pith.State) {
			b.Files.Modified = append(b.Files.Modified, b.Files.Inspected[0])
			b.Files.Inspected = b.Files.Inspected[1:]
		}, "files_modified_and_inspected/inspected", diff.Dropped, "it was modified since"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := compacted(t, "claude-code.jsonl", -1)
			b := reread(t, a)
			c.change(a, b)
			for _, got := range diff.States(a, b) {
				if got.Slot == c.slot && got.Op == c.op && strings.HasPrefix(got.Why, c.why) {
					return
				}
			}
			t.Errorf("no %s of %s because %q", c.op, c.slot, c.why)
		})
	}
}

// edited is a state as a person might leave it.
func edited(t testing.TB, s *pith.State) *pith.State {
	e := reread(t, s)
	e.Goal.Text = "Export the ledger, in euros only."
	e.Constraints = e.Constraints[1:]
	e.Next.Text = "Ask Ada first."
	e.Files.Inspected[0].Via = "a person"
	e.Invariants = append(e.Invariants, pith.Invariant{
		ID: "in-00000000aa", Text: "Cents are whole.", Binding: "binding", Provenance: pith.UserExplicit, Source: e.Goal.Source,
	})
	diff.Mend(e)
	return e
}

func TestApplyGivesWhatWasEdited(t *testing.T) {
	s := compacted(t, "claude-code.jsonl", -1)
	want := edited(t, s)
	edits := diff.Edits(s, want)
	if len(edits) != 5 {
		t.Fatalf("%d edits, want 5: %+v", len(edits), edits)
	}
	if err := diff.Apply(s, edits, s.Checkpoint.ThroughMessage); err != nil {
		t.Fatal(err)
	}
	if got := written(t, s); got != written(t, want) {
		t.Errorf("applied:\n%s\nwant:\n%s", got, written(t, want))
	}
	once := written(t, s)
	if err := diff.Apply(s, edits, s.Checkpoint.ThroughMessage); err != nil || written(t, s) != once {
		t.Errorf("a second time it is another state (%v)", err)
	}
	if _, problems := schema.Seal(s); len(problems) > 0 {
		t.Errorf("the edited state has problems: %v", problems)
	}
}

// What says where the work stands gives way to what came later; the rest holds.
func TestApplyAfterTheWorkWentOn(t *testing.T) {
	s := compacted(t, "claude-code.jsonl", -1)
	next := s.Next.Text
	rule := s.Constraints[0].ID
	edits := diff.Edits(s, edited(t, s))
	if err := diff.Apply(s, edits, s.Checkpoint.ThroughMessage+1); err != nil {
		t.Fatal(err)
	}
	if s.Next.Text != next {
		t.Errorf("the next action is the old edit's: %q", s.Next.Text)
	}
	if s.Goal.Text != "Export the ledger, in euros only." {
		t.Errorf("the goal is %q again", s.Goal.Text)
	}
	for _, k := range s.Constraints {
		if k.ID == rule {
			t.Error("the removed constraint is back")
		}
	}
}

// What happened to an edited item after the edit is not undone by it.
func TestApplyIsOvertaken(t *testing.T) {
	old := compacted(t, "claude-code.jsonl", -1)
	by := old.Evidence[1].ID
	old.Evidence[0].SupersededBy, old.Evidence[0].ResolvedBy = nil, ""
	want := reread(t, old)
	want.Evidence[0].Signature = "a person's words"
	want.Files.Modified[0].Via = "a person"
	edits := diff.Edits(old, want)
	if len(edits) != 2 {
		t.Fatalf("%d edits", len(edits))
	}
	s := reread(t, old)
	s.Evidence[0].SupersededBy = &by
	s.Files.Modified[0].Op, s.Files.Modified[0].Source = pith.FileDeleted, pith.Source{Message: 9999}
	if err := diff.Apply(s, edits, s.Checkpoint.ThroughMessage+1); err != nil {
		t.Fatal(err)
	}
	if e := &s.Evidence[0]; e.SupersededBy == nil || *e.SupersededBy != by || e.Signature != "a person's words" {
		t.Errorf("the run is %+v", e)
	}
	if f := &s.Files.Modified[0]; f.Op != pith.FileDeleted || f.Via == "a person" {
		t.Errorf("the file is %+v", f)
	}
}

func TestApplyUnknownItems(t *testing.T) {
	s := compacted(t, "codex.jsonl", -1)
	before := written(t, s)
	edits := []pith.Edit{
		{Slot: "active_constraints", Item: "co-ffffffffff", Op: "removed"},
		{Slot: "active_constraints", Item: "co-ffffffffff", Op: "changed", Value: []byte(`{"id":"co-ffffffffff"}`)},
		{Slot: "no_such_slot", Op: "removed"},
		{Slot: "context/todo", Item: "?", Op: "removed"},
	}
	if err := diff.Apply(s, edits, s.Checkpoint.ThroughMessage); err != nil {
		t.Fatal(err)
	}
	if written(t, s) != before {
		t.Error("the state changed")
	}
	bad := []pith.Edit{{Slot: "current_goal", Op: "changed", Value: []byte(`[1]`)}}
	if err := diff.Apply(s, bad, 0); err == nil {
		t.Error("a goal that is a list is no error")
	}
	if written(t, s) != before {
		t.Error("an edit that does not fit left its trace")
	}
}

func TestJoin(t *testing.T) {
	older := []pith.Edit{{Slot: "a", Item: "1", Op: "changed"}, {Slot: "a", Item: "2", Op: "removed"}}
	later := []pith.Edit{{Slot: "a", Item: "1", Op: "removed"}}
	got := diff.Join(older, later)
	if len(got) != 2 || got[0].Item != "2" || got[1].Op != "removed" {
		t.Errorf("joined: %+v", got)
	}
}

// Whatever of the lists is left out, its edits make the same state of the old one.
func TestEditsRoundTrip(t *testing.T) {
	s := compacted(t, "claude-code.jsonl", -1)
	rapid.Check(t, func(rt *rapid.T) {
		old, now := reread(t, s), reread(t, s)
		now.Constraints = some(rt, now.Constraints)
		now.Files.Modified = some(rt, now.Files.Modified)
		now.Evidence = some(rt, now.Evidence)
		now.Context.Todo = some(rt, now.Context.Todo)
		now.Identifiers.Tests = some(rt, now.Identifiers.Tests)
		diff.Mend(now)
		if err := diff.Apply(old, diff.Edits(old, now), now.Checkpoint.ThroughMessage); err != nil {
			rt.Fatal(err)
		}
		if got, want := written(t, old), written(t, now); got != want {
			rt.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	})
}

func some[T any](t *rapid.T, list []T) []T {
	out := []T{}
	for _, item := range list {
		if rapid.Bool().Draw(t, "keep") {
			out = append(out, item)
		}
	}
	return out
}
