package agent_test

import (
	"errors"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/agent"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/merge"
)

func TestFiguresOfACompaction(t *testing.T) {
	c := agent.Compaction{
		Reason: pith.ReasonTokens70, Applied: true, State: &pith.State{}, Before: 16_000, After: 4_000, Took: time.Second,
		Report:  compactor.Report{Model: "openai/gpt-5-mini", Calls: 2, Retries: 1, Usage: pith.Usage{Input: 10, Output: 5}, Cost: 0.5},
		Verdict: merge.Verdict{Kept: 3, Dropped: 1, Kinds: []pith.KindCount{{Kind: "path", Count: 1}}},
	}
	f := c.Figures()
	if f.Trigger != pith.ReasonTokens70 || f.Outcome != memory.OutcomeJudged || f.FactsOnly || f.TCR != 4 || f.Provider != "openai" || f.Model != "gpt-5-mini" ||
		f.Calls != 2 || f.Retries != 1 || f.Kept != 3 || f.Dropped != 1 || f.Cost != 0.5 || !f.Priced || f.Latency != time.Second {
		t.Errorf("%+v", f)
	}
	c = agent.Compaction{Reason: pith.ReasonManual, FactsOnly: true, Before: 100, After: 100, Err: errors.New("declined")}
	if f := c.Figures(); f.Outcome != memory.OutcomeNotApplied || !f.FactsOnly || f.Model != "" || f.TCR != 1 {
		t.Errorf("%+v", f)
	}
}
