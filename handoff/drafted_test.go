package handoff

import (
	"fmt"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/schema"
)

// TestDraftedNotesGiveWay: what a model drafted goes where the budget does not
// hold it, and whatever is left of it is a valid state.
func TestDraftedNotesGiveWay(t *testing.T) {
	s := crowded(t, 2)
	x := &pith.Extensions{ProgressNote: "The work is half done.", ToolResults: map[string]string{}}
	for i := range 20 {
		x.RemainingSteps = append(x.RemainingSteps, fmt.Sprintf("Step %d of what is planned next.", i))
		x.OpenQuestions = append(x.OpenQuestions, fmt.Sprintf("Question %d?", i))
		x.ToolResults[fmt.Sprintf("result %02d", i)] = "passed"
	}
	x.Support = []pith.Support{{ID: pith.DraftID(x.RemainingSteps[19]), Provenance: pith.Assistant, Source: s.Goal.Source}}
	s.Extensions = x
	s.Checkpoint.Compactor, s.Checkpoint.FactsOnly = "test/model", false
	s.Checkpoint.ID = ""
	if _, problems := schema.Seal(s); len(problems) > 0 {
		t.Fatal(problems)
	}
	r := &reducer{state: s, budget: 1, blocks: s.Blocks}
	cut := r.draftedNotes()
	for k := 0; k <= cut.n; k++ {
		cut.cut(k)
		r.tidy()
		if _, problems := schema.Seal(s); len(problems) > 0 {
			t.Fatalf("without %d: %v", k, problems)
		}
	}
	if cut.n != 60 || s.Extensions == nil || s.Extensions.ProgressNote == "" || len(s.Extensions.RemainingSteps)+len(s.Extensions.Support) > 0 {
		t.Errorf("of %d notes %+v is left", cut.n, s.Extensions)
	}
}
