package trigger

import (
	"fmt"
	"math"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

// State is what a policy must remember between two decisions of a session, so
// that it neither loops nor repeats itself. The zero State is a new session.
type State struct {
	// Turn and Used are what the last decision saw.
	Turn int         `json:"turn"`
	Used pith.Tokens `json:"used"`
	// Compactions counts those that were made or declined.
	Compactions   int `json:"compactions"`
	CompactedTurn int `json:"compacted_turn"`
	// Before and After are the context's size around the last one.
	Before pith.Tokens `json:"before"`
	After  pith.Tokens `json:"after"`
	// Provisional is set while After is an estimate, which may lack the
	// client's fixed prompt; the next reported size takes its place.
	Provisional bool `json:"provisional"`
	// StagedTurn and StagedAt are when output was last staged, and the size.
	StagedTurn int         `json:"staged_turn"`
	StagedAt   pith.Tokens `json:"staged_at"`
	// Failures is the length of the failure run that was last compacted for.
	Failures int `json:"failures"`
	// FailureRun is the run that the last decision saw.
	FailureRun int `json:"failure_run"`
}

// Compacted takes in that the context was compacted, and how full it is now;
// or that a compaction was tried or declined, and how full it still is.
func (s *State) Compacted(after meter.Reading) {
	s.Compactions++
	s.CompactedTurn = s.Turn
	s.Before, s.After = s.Used, after.Used
	s.Provisional = after.Reported == 0
	s.StagedAt = 0
	s.Failures = s.FailureRun
	s.Used = after.Used
}

// see takes in what the decision is about.
func (s *State) see(in Input) {
	s.Turn, s.Used = in.Turn, in.Reading.Used
	s.FailureRun = in.FailureRun
	if in.FailureRun < s.Failures {
		s.Failures = 0 // another run
	}
	if s.Provisional && in.Reading.Reported > 0 {
		s.After, s.Provisional = max(s.After, in.Reading.Used), false
	}
}

// growth is how many tokens must come before another compaction can pay.
func (p Policy) growth(s *State, r meter.Reading) pith.Tokens {
	if p.Growth < 0 {
		return 0
	}
	of := float64(s.After)
	if r.Window > 0 {
		of = float64(r.Window)
	}
	return max(1, pith.Tokens(math.Ceil(p.Growth*of)))
}

// worthIt lets a compaction through that can help: not where the fixed part
// alone is over the threshold, and not soon after one that did not help.
func (p Policy) worthIt(s *State, in Input, d Decision) Decision {
	r := in.Reading
	threshold := p.threshold(r)
	if fixed := r.Parts.System + r.Parts.Tools; fixed > 0 && fixed >= threshold {
		d.Action = CannotReduce
		d.Text = fmt.Sprintf("cannot reduce below the threshold of %s: system %s, tools %s, messages %s tokens%s",
			number(threshold), number(r.Parts.System), number(r.Parts.Tools), number(r.Parts.Messages), unknown(r))
		return d
	}
	if s.Compactions == 0 || r.Used >= s.After+p.growth(s, r) {
		return d
	}
	gained := s.Before - s.After
	if s.After < threshold && float64(gained) >= p.MinGain*float64(s.Before) {
		return d
	}
	d.Action = CannotReduce
	d.Text = fmt.Sprintf("cannot reduce below the threshold of %s: the last compaction took %s to %s tokens; the next one waits for %s%s",
		number(threshold), number(s.Before), number(s.After), number(s.After+p.growth(s, r)), parts(r))
	return d
}

// stageOnce lets staging through once, and again when enough has come since.
func (p Policy) stageOnce(s *State, in Input, d Decision) Decision {
	r := in.Reading
	if d.Reason == pith.ReasonTokens60 && s.StagedAt > 0 && r.Used < s.StagedAt+p.growth(s, r) {
		if in.Turn-max(s.CompactedTurn, s.StagedTurn) < p.StageTurns {
			return Decision{Text: fill(r) + "; staged before", Parts: d.Parts}
		}
	}
	s.StagedTurn = in.Turn
	s.StagedAt = max(r.Used, 1)
	return d
}
