// Package trigger turns a reading of the window and what just happened into a
// decision: carry on, stage, compact, or block tools until a checked state
// exists. A decision names its reason and its numbers.
package trigger

import (
	"math"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

// Policy says when to compact. The zero Policy has the defaults; a negative
// value turns its rule off.
type Policy struct {
	// WarnAt is the fill from which verbose output is staged for truncation.
	// Default: 0.60.
	WarnAt float64
	// CompactAt is the fill from which to compact. Default: 0.70.
	CompactAt float64
	// BlockAt is the fill from which no tool may run before a checked state
	// exists. Default: 0.80, and where CompactAt is set above 0.75, 0.10 above
	// it but at most 0.95.
	BlockAt float64
	// CompactTokens is a size from which to compact, whatever the window.
	// Default: 150,000 where the window is unknown, else none.
	CompactTokens pith.Tokens
	// Turns since the last compaction from which to compact a window that is at
	// least MinFill full. Default: 40.
	Turns int
	// MinFill is the fill under which turns do not count. Default: 0.50.
	MinFill float64
	// StageTurns is how often output is staged and spent reasoning dropped, in
	// turns. Default: 15.
	StageTurns int
	// PhaseFill is the fill from which the end of a phase is a reason to
	// compact. Default: 0.30.
	PhaseFill float64
	// Failures of the same class in a row from which to compact. Default: 3.
	Failures int
	// MinGain is the share that a compaction must have freed to have been worth
	// it. After one that was not, or that ended above the threshold, the
	// context must grow by Growth first. Default: 0.20.
	MinGain float64
	// Growth is a share of the window; where that is unknown, of the context
	// after the last compaction. Default: 0.10.
	Growth float64
}

// unknownWindowTokens is CompactTokens where nobody knows the window.
const unknownWindowTokens = 150_000

// withDefaults returns the policy with a number for every rule; a rule that is
// off has one that nothing reaches.
func (p Policy) withDefaults(r meter.Reading) Policy {
	if p.BlockAt == 0 && p.CompactAt > 0.75 {
		p.BlockAt = max(p.CompactAt, min(p.CompactAt+0.10, 0.95))
	}
	for _, f := range []struct {
		value *float64
		or    float64
	}{
		{&p.WarnAt, 0.60}, {&p.CompactAt, 0.70}, {&p.BlockAt, 0.80},
		{&p.MinFill, 0.50}, {&p.PhaseFill, 0.30}, {&p.MinGain, 0.20}, {&p.Growth, 0.10},
	} {
		if *f.value == 0 || math.IsNaN(*f.value) {
			*f.value = f.or
		}
	}
	for _, f := range []*float64{&p.WarnAt, &p.CompactAt, &p.BlockAt} {
		if *f < 0 {
			*f = math.Inf(1)
		}
	}
	if p.CompactTokens == 0 && r.Window <= 0 {
		p.CompactTokens = unknownWindowTokens
	}
	if p.CompactTokens <= 0 {
		p.CompactTokens = math.MaxInt
	}
	for _, n := range []struct {
		value *int
		or    int
	}{{&p.Turns, 40}, {&p.StageTurns, 15}, {&p.Failures, 3}} {
		switch {
		case *n.value == 0:
			*n.value = n.or
		case *n.value < 0:
			*n.value = math.MaxInt
		}
	}
	return p
}

// threshold is the size from which the policy, with its defaults filled in,
// compacts this window.
func (p Policy) threshold(r meter.Reading) pith.Tokens {
	limit := p.CompactTokens
	if r.Window > 0 {
		window := pith.Tokens(r.Window)
		limit = min(limit, max(window-r.Reserve, 0)+1)
		if at := min(p.CompactAt, p.BlockAt); !math.IsInf(at, 1) {
			limit = min(limit, pith.Tokens(math.Ceil(at*float64(window))))
		}
	}
	return limit
}
