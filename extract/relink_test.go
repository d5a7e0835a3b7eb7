package extract

import (
	"testing"

	"github.com/pith-memory/pith"
)

// TestRelink leaves runs out and looks for ids that name them.
func TestRelink(t *testing.T) {
	run := func(id, status string) evidenceRun {
		return evidenceRun{item: pith.Evidence{ID: id, Status: status}}
	}
	runs := []evidenceRun{run("a", "fail"), run("b", "fail"), run("c", "pass"), run("d", "fail"), run("e", "pass")}
	for i := range len(runs) - 1 {
		runs[i].item.SupersededBy = &runs[i+1].item.ID
	}
	runs[0].item.ResolvedBy = "c"
	keep := []bool{true, false, false, false, true}
	relink(runs, keep)
	if !keep[2] || keep[1] || keep[3] {
		t.Errorf("kept %v: the pass that ended the failure is needed, nothing else", keep)
	}
	if by := *runs[0].item.SupersededBy; by != "c" {
		t.Errorf("a is superseded by %s, want c, the next that stays", by)
	}
	if by := *runs[2].item.SupersededBy; by != "e" {
		t.Errorf("c is superseded by %s, want e", by)
	}
}
