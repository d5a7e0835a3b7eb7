package memory

import (
	"time"

	"github.com/pith-memory/pith"
)

// Figures are what there is to count of one compaction: nothing of what was
// said in it. Package telemetry reports them.
type Figures struct {
	Trigger pith.Reason `json:"trigger"`
	Outcome Outcome     `json:"outcome"`
	// FactsOnly is set where the state holds nothing of a model's.
	FactsOnly bool `json:"facts_only"`
	// TokensBefore is the live context, TokensAfter the block that stands for
	// it, TCR how many times smaller that is.
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
	// Claims counts what the draft said, by kind of claim, sorted by kind.
	Claims []ClaimFigures `json:"claims,omitempty"`
	// Problems are the kinds of problem that were met, in order.
	Problems []string `json:"problems,omitempty"`
}

// ClaimFigures counts the claims of one kind.
type ClaimFigures struct {
	Kind    string `json:"kind"`
	Kept    int    `json:"kept"`
	Dropped int    `json:"dropped"`
}

// Outcome is how a compaction ended.
type Outcome string

// The outcomes.
const (
	OutcomeFacts   Outcome = "facts"    // no model was asked
	OutcomeJudged  Outcome = "judged"   // a model's draft is in the state
	OutcomeNoDraft Outcome = "no_draft" // a model was asked, and earned nothing
)

// Dropped counts the claims that are not in the state.
func (f *Figures) Dropped() int {
	n := 0
	for _, c := range f.Claims {
		n += c.Dropped
	}
	return n
}

// Kept counts the claims that are in the state.
func (f *Figures) Kept() int {
	n := 0
	for _, c := range f.Claims {
		n += c.Kept
	}
	return n
}
