package memory

import (
	"slices"
	"strings"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/merge"
)

// Figures are what there is to count of one compaction: nothing of what was
// said in it. Package telemetry reports them.
type Figures struct {
	Trigger pith.Reason `json:"trigger"`
	Outcome Outcome     `json:"outcome"`
	// FactsOnly is set where the state holds nothing of a model's.
	FactsOnly bool `json:"facts_only"`
	// TokensBefore is the live context, TokensAfter the block that stands for
	// it, of an agent the request before and after; TCR is how many times smaller
	// that is.
	TokensBefore pith.Tokens `json:"tokens_before"`
	TokensAfter  pith.Tokens `json:"tokens_after"`
	TCR          float64     `json:"tcr"`
	// Provider and Model are what answered, or was asked last; "" where no
	// model was.
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
	// Calls counts the requests, Retries those that told the model a problem.
	Calls   int `json:"calls"`
	Retries int `json:"retries"`
	// Input are the tokens that the model read afresh; those of its cache are
	// beside them.
	Input      int `json:"input_tokens"`
	CacheRead  int `json:"cache_read_tokens"`
	CacheWrite int `json:"cache_write_tokens"`
	Output     int `json:"output_tokens"`
	// Cost is in US dollars; Priced is set where the price is known.
	Cost   float64 `json:"cost_usd"`
	Priced bool    `json:"priced"`
	// Latency is what the calls took, in nanoseconds.
	Latency time.Duration `json:"latency_ns"`
	// Kept and Dropped count the statements of the draft, DroppedBy what was
	// dropped by why, sorted by kind. Quarantined counts the rules and
	// permissions that no trusted text holds.
	Kept        int              `json:"claims_kept"`
	Dropped     int              `json:"claims_dropped"`
	DroppedBy   []pith.KindCount `json:"claims_dropped_by,omitempty"`
	Quarantined int              `json:"quarantined"`
	// Problems are the kinds of problem that were met, in order.
	Problems []string `json:"problems,omitempty"`
}

// Outcome is how a compaction ended.
type Outcome string

// The outcomes.
const (
	OutcomeFacts      Outcome = "facts"       // no model was asked
	OutcomeJudged     Outcome = "judged"      // a model's draft is in the state
	OutcomeNoDraft    Outcome = "no_draft"    // a model was asked, and earned nothing
	OutcomeNotApplied Outcome = "not_applied" // an agent goes on without the compaction
)

// FiguresOf are the figures of a result: of one without a model where the
// report is the zero Report. took is what the calls took.
func FiguresOf(r *Result, report *compactor.Report, verdict *merge.Verdict, took time.Duration) Figures {
	c, m := &r.State.Checkpoint, &r.State.Metrics
	f := Figures{
		Trigger: c.Trigger, Outcome: OutcomeFacts, FactsOnly: c.FactsOnly,
		TokensBefore: m.TokensBefore, TokensAfter: r.Block.Tokens,
	}
	f.TCR = float64(f.TokensBefore) / float64(max(f.TokensAfter, 1))
	if report == nil || report.Model == "" {
		return f
	}
	f.Outcome = OutcomeNoDraft
	if !c.FactsOnly {
		f.Outcome = OutcomeJudged
	}
	f.Provider, f.Model, _ = strings.Cut(report.Model, "/")
	f.Calls, f.Retries, f.Latency = report.Calls, report.Retries, took
	u := &report.Usage
	f.Input, f.CacheRead, f.CacheWrite, f.Output = u.Input, u.CacheRead, u.CacheWrite, u.Output
	f.Cost, f.Priced = report.Cost, report.Cost > 0
	for _, p := range report.Problems {
		f.Problems = append(f.Problems, string(p.Kind))
	}
	if verdict != nil {
		f.Kept, f.Dropped, f.Quarantined = verdict.Kept, verdict.Dropped, verdict.Quarantined
		f.DroppedBy = slices.Clone(verdict.Kinds)
	}
	return f
}
