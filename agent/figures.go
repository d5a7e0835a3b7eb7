package agent

import (
	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/restore"
)

// Figures are what there is to count of a compaction, for package telemetry:
// the sizes are those of the request before and after.
func (c *Compaction) Figures() memory.Figures {
	state := c.State
	if state == nil {
		state = &pith.State{}
		state.Checkpoint.FactsOnly = true
	}
	f := memory.FiguresOf(&memory.Result{State: state, Block: restore.Block{Tokens: state.Metrics.TokensAfter}}, &c.Report, &c.Verdict, c.Took)
	f.Trigger, f.FactsOnly = c.Reason, c.FactsOnly
	f.TokensBefore, f.TokensAfter = c.Before, c.After
	f.TCR = float64(f.TokensBefore) / float64(max(f.TokensAfter, 1))
	if !c.Applied {
		f.Outcome = memory.OutcomeNotApplied
	}
	return f
}
