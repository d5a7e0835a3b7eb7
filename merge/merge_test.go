package merge_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/extract"
	"github.com/pith-memory/pith/merge"
)

func facts(t *testing.T, blocks ...pith.Block) *extract.Facts {
	t.Helper()
	x := extract.New()
	for i, b := range blocks {
		role := pith.RoleUser
		if b.Origin == pith.Assistant {
			role = pith.RoleAssistant
		}
		x.Message(&pith.Message{Index: i, Role: role, Blocks: []pith.Block{b}})
	}
	return x.Facts()
}

func TestState(t *testing.T) {
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.FixedZone("CEST", 7200))
	f := facts(t, pith.Block{Kind: pith.KindText, Origin: pith.UserExplicit, Text: "Fix the parser. Never change the lexer.", Hash: [32]byte{0xab}})
	s := merge.State(f, merge.Session{ID: "s1", Format: pith.FormatAnthropic, Trigger: pith.ReasonManual, Time: at, Pins: []pith.Pin{{Text: "keep", By: "user"}}})

	if s.Checkpoint.CreatedAt == nil || !s.Checkpoint.CreatedAt.Equal(at) || s.Checkpoint.CreatedAt.Location() != time.UTC {
		t.Errorf("created_at %v", s.Checkpoint.CreatedAt)
	}
	if slices.Contains(s.EmptySlots, "active_constraints") || !slices.Contains(s.EmptySlots, "verification_and_evidence") {
		t.Errorf("empty slots %v with constraints %v", s.EmptySlots, s.Constraints)
	}
	ref, ok := s.Blocks[s.Goal.Source.BlockKey()]
	if !ok || ref.Role != pith.RoleUser || ref.Type != "text" || ref.Hash != "ab00000000000000" {
		t.Errorf("block of the goal: %+v", ref)
	}
	s.EachSource(func(at pith.Source) {
		if _, ok := s.Blocks[at.BlockKey()]; !ok {
			t.Errorf("source %v has no block", at)
		}
	})
	if len(s.Context.Pins) != 1 || s.Evidence == nil || s.Identifiers.Paths == nil || s.Next.Preconditions == nil {
		t.Error("a list is absent instead of empty")
	}
}

// TestNoTime holds that a session without a clock gets none.
func TestNoTime(t *testing.T) {
	s := merge.State(facts(t, pith.Block{Kind: pith.KindText, Origin: pith.UserExplicit, Text: "Hello there."}), merge.Session{})
	if s.Checkpoint.CreatedAt != nil {
		t.Errorf("created_at %v", s.Checkpoint.CreatedAt)
	}
}
