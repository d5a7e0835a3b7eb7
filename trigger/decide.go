package trigger

import (
	"fmt"
	"strconv"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

// Action is what to do before the next request.
type Action uint8

// The actions, each stronger than the one before; CannotReduce is none of them.
const (
	// None: carry on.
	None Action = iota
	// Stage: warn, stage verbose output for truncation, drop spent reasoning.
	Stage
	// Compact: put a state in the place of the history.
	Compact
	// Block: compact, and run no tool before a checked state exists.
	Block
	// CannotReduce: a compaction is due and would not help. The request goes on
	// as it is; Decision.Parts says what fills it.
	CannotReduce
)

var actionNames = [...]string{"none", "stage", "compact", "block", "cannot_reduce"}

func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return "none"
}

// MarshalText writes the action's name.
func (a Action) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// Decision is what to do, and why in numbers.
type Decision struct {
	Action Action `json:"action"`
	// Reason is "" where there is nothing to do.
	Reason pith.Reason `json:"reason,omitempty"`
	// Text is one line for people: "71.2 % of 200,000 (reported) >= 70 %".
	Text string `json:"text"`
	// Parts is what fills the request, where the reading knows it.
	Parts meter.Breakdown `json:"parts"`
}

// Compacts says whether the decision asks for a compaction.
func (d Decision) Compacts() bool { return d.Action == Compact || d.Action == Block }

// Input is the reading and what happened since the last decision.
type Input struct {
	Reading meter.Reading
	// Turn counts the session's model requests from 1.
	Turn int
	// FailureRun is the number of tool executions in a row, up to now, that
	// failed with the same class of error.
	FailureRun int
	// FailureClass is that class, for the decision's text.
	FailureClass string
	// UserText is what the user said; "@compact" in it asks for a compaction.
	UserText string
	// Phase names the phase that just ended, "" where none did.
	Phase string
	// Delegation names the sub-agent that is about to start, "" where none is.
	Delegation string
	// Resumed is set for the first decision of a session that was interrupted.
	Resumed bool
}

// Decide is the decision for a session that was never compacted.
func (p Policy) Decide(in Input) Decision {
	return p.Next(&State{}, in)
}

// Next is the decision for a session whose earlier compactions are in s, which
// it keeps up to date. When a compaction was made or declined, the caller
// tells s.Compacted.
func (p Policy) Next(s *State, in Input) Decision {
	p = p.withDefaults(in.Reading)
	s.see(in)
	d := p.due(s, in)
	d.Parts = in.Reading.Parts
	switch {
	case isRequest(d.Reason):
		return d
	case d.Compacts():
		return p.worthIt(s, in, d)
	case d.Action == Stage:
		return p.stageOnce(s, in, d)
	}
	return d
}

// isRequest says whether somebody waits for the compaction, whatever it gains.
func isRequest(r pith.Reason) bool {
	return r == pith.ReasonManual || r == pith.ReasonDelegation || r == pith.ReasonResume
}

// due applies the rules, the strongest action first.
func (p Policy) due(s *State, in Input) Decision {
	if Asked(in.UserText) {
		return Decision{Action: Compact, Reason: pith.ReasonManual, Text: "the user asked for it"}
	}
	size := p.bySize(in.Reading)
	if size.Compacts() {
		return size
	}
	if d := p.byEvent(s, in); d.Action != None {
		return d
	}
	if size.Action != None {
		return size
	}
	if turns := in.Turn - max(s.CompactedTurn, s.StagedTurn); turns >= p.StageTurns {
		return Decision{Action: Stage, Reason: pith.ReasonTurns, Text: fmt.Sprintf("%d turns since output was last staged >= %d", turns, p.StageTurns)}
	}
	return Decision{Text: fill(in.Reading)}
}

// bySize applies the rules that look at the reading alone.
func (p Policy) bySize(r meter.Reading) Decision {
	if r.Window > 0 {
		window := pith.Tokens(r.Window)
		switch {
		case r.Fraction >= p.BlockAt:
			return Decision{Action: Block, Reason: pith.ReasonTokens80, Text: fillAgainst(r, p.BlockAt) + ": compact before any further tool runs"}
		case r.Fraction >= p.CompactAt:
			return Decision{Action: Compact, Reason: pith.ReasonTokens70, Text: fillAgainst(r, p.CompactAt)}
		case r.Used+r.Reserve > window:
			return Decision{Action: Compact, Reason: pith.ReasonTokens70, Text: fmt.Sprintf(
				"%s (%s) + %s in reserve for output and error > %s", number(r.Used), r.Basis, number(r.Reserve), number(window))}
		}
	}
	if r.Used >= p.CompactTokens {
		return Decision{Action: Compact, Reason: pith.ReasonTokens70, Text: fmt.Sprintf("%s tokens (%s) >= %s%s", number(r.Used), r.Basis, number(p.CompactTokens), unknown(r))}
	}
	if r.Window > 0 && r.Fraction >= p.WarnAt {
		return Decision{Action: Stage, Reason: pith.ReasonTokens60, Text: fillAgainst(r, p.WarnAt)}
	}
	return Decision{}
}

// byEvent applies the rules about what happened.
func (p Policy) byEvent(s *State, in Input) Decision {
	r := in.Reading
	grown := s.Compactions == 0 || r.Used >= s.After+p.growth(s, r)
	turns := in.Turn - s.CompactedTurn
	switch {
	case in.Delegation != "":
		return Decision{Action: Compact, Reason: pith.ReasonDelegation, Text: "work is delegated to " + in.Delegation + "; " + fill(r)}
	case in.Resumed:
		return Decision{Action: Compact, Reason: pith.ReasonResume, Text: "an interrupted session is resumed; " + fill(r)}
	case !grown:
		return Decision{}
	case in.FailureRun-s.Failures >= p.Failures:
		return Decision{Action: Compact, Reason: pith.ReasonErrorLoop, Text: failures(in) + " >= " + strconv.Itoa(p.Failures)}
	case in.Phase != "" && (r.Window <= 0 || r.Fraction >= p.PhaseFill):
		return Decision{Action: Compact, Reason: pith.ReasonPhase, Text: "the phase " + strconv.Quote(in.Phase) + " ended; " + fill(r)}
	case turns >= p.Turns && (r.Window <= 0 || r.Fraction >= p.MinFill):
		return Decision{Action: Compact, Reason: pith.ReasonTurns, Text: fmt.Sprintf("%d turns since the last compaction >= %d; %s", turns, p.Turns, fill(r))}
	}
	return Decision{}
}
