package memory_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/diff"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/restore"
)

// TestRecallOfDrafted holds that everything that a draft added has a reference
// that leads to the block that supports it, and that people can see and change it.
func TestRecallOfDrafted(t *testing.T) {
	data := []byte(row("user", "Fix the rounding in /srv/app/money.go. Never push to main.", 1) +
		call("go test ./money/", "Exit code 1\n--- FAIL: TestRound (0.00s)\nFAIL\tmoney\t0.1s", true, 2) +
		row("assistant", "Rounding half up drifts, so big.Rat is used in money.go. The report of TestRound is open.", 3))
	m := memory.New(memory.Config{Budget: 4000})
	s, err := m.Read(bytes.NewReader(data), memory.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		t.Fatal(err)
	}
	d := &compactor.Draft{
		CurrentState: "TestRound fails.", OpenQuestions: []string{"Is the report of TestRound open?"}, NextSteps: []string{"Use big.Rat in money.go"},
		KeyDecisions:         []compactor.Decision{{Decision: "big.Rat in money.go", Reason: "rounding half up drifts"}},
		EliminatedApproaches: []compactor.Eliminated{{Approach: "Rounding half up", Reason: "it drifts"}},
		ToolResults:          []compactor.ToolResult{{Name: "TestRound", Result: "FAIL money 0.1s"}},
	}
	j, v, err := m.Judge(s, r, &memory.Drafted{Draft: d, Model: "test/model"}, bytes.NewReader(data))
	if err != nil || v.Kept != 6 {
		t.Fatalf("verdict %+v: %v", v, err)
	}
	for _, section := range restore.DraftedSections() {
		items, _ := restore.References(j.State, section)
		if len(items) != 1 {
			t.Errorf("section %s has %d items", section, len(items))
			continue
		}
		for _, ref := range []string{section, items[0].ID} {
			got, err := memory.Recall(context.Background(), memory.RecallRequest{
				State: j.State, Ref: ref, Open: func(*pith.State) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
			})
			if err != nil || len(got) != 1 || got[0].Status != memory.StatusOK {
				t.Errorf("%s leads to %+v (%v)", ref, got, err)
			}
		}
	}
	edited := *j.State
	edited.Extensions = &pith.Extensions{OpenQuestions: []string{"None."}}
	edited.Decisions = r.State.Decisions
	slots := ""
	for _, e := range diff.Edits(j.State, &edited) {
		slots += " " + e.Slot
	}
	for _, want := range []string{"decisions_and_tradeoffs", "extensions/progress_note", "extensions/open_questions", "extensions/remaining_steps", "extensions/tool_results"} {
		if !strings.Contains(slots, want) {
			t.Errorf("the edits%s lack %s", slots, want)
		}
	}
}
