package measure

import "github.com/pith-memory/pith"

// Report is what one candidate kept of a session at one cut. Every recall has
// its precision beside it, and every figure about drift or waste its control.
type Report struct {
	File    string `json:"file"`
	Session string `json:"session,omitempty"` // its number in a file of several
	Cut     Cut    `json:"cut"`
	// Of names the candidate: pith, client, raw, keep-last:20, mask:10, file:NAME.
	Of string `json:"of"`
	// Absent says why the candidate has nothing to show at this cut ("the client
	// made no summary here"); the figures are zero then, and no misses.
	Absent string `json:"absent,omitempty"`

	Size Size `json:"size"`
	// All are the atoms of the session up to the cut, Needed those of them that
	// the agent's next calls used, in the text that the agent would be given.
	All    []Retained `json:"all"`
	Needed []Retained `json:"needed"`
	// InText and NeededInText are the same without what stays verbatim beside it.
	InText       []Retained `json:"in_text,omitempty"`
	NeededInText []Retained `json:"needed_in_text,omitempty"`
	// InState is All held against the state itself where the candidate has one.
	InState []Retained `json:"in_state,omitempty"`
	// Precision is how much of what the text alone states does occur in the
	// session, PrecisionInState the same of the state; of messages that are kept
	// verbatim nothing is stated.
	Precision        Share    `json:"precision"`
	PrecisionInState Share    `json:"precision_in_state,omitzero"`
	Drift            Drift    `json:"drift"`
	Waste            Waste    `json:"waste"`
	Planted          *Planted `json:"planted,omitempty"`
	// Lost are the atoms that are not in the text, with their place.
	Lost []Lost `json:"lost,omitempty"`
	// Micros is how long the candidate took to make, 0 where it was recorded.
	Micros int64 `json:"micros,omitempty"`
}

// Cut is the place at which a session is compacted.
type Cut struct {
	// Kind is boundary (where the client compacted), percent (of the session's
	// tokens, at a user's turn), end, or round (of a chain).
	Kind string `json:"kind"`
	N    int    `json:"n,omitempty"`
	// Message is the index of the last message before the cut.
	Message int `json:"message"`
}

// Size is how large things are. Units: tokens of Tokenizer.
type Size struct {
	Tokenizer string `json:"tokenizer"`
	// Live is the content that the candidate stands for, without the client's
	// fixed prompt; Text is what stands for it; Tail is what stays verbatim beside it.
	Live pith.Tokens `json:"live"`
	Text pith.Tokens `json:"text"`
	Tail pith.Tokens `json:"tail"`
	// TCR is Live / Text, Effective is Live / (Text + Tail).
	TCR       float64 `json:"tcr"`
	Effective float64 `json:"tcr_effective"`
	// BreakEven is the live size from which the candidate makes anything smaller.
	BreakEven pith.Tokens `json:"break_even"`
}

// Retained counts the atoms of one kind that a candidate holds.
type Retained struct {
	Kind Kind `json:"kind"`
	// Full counts those that are held whole, Half those of which only a part is
	// (a base name), Stale those that are held with a value that was superseded,
	// which counts as nothing.
	Full  int `json:"full"`
	Half  int `json:"half"`
	Stale int `json:"stale"`
	Of    int `json:"of"`
}

// Share is what is retained: 1 for all, NaN is never given (0 of 0 is 1).
func (r Retained) Share() float64 {
	if r.Of == 0 {
		return 1
	}
	return (float64(r.Full) + float64(r.Half)/2) / float64(r.Of)
}

// Drift is how far the goal moved. It is lexical: hashed words and characters,
// no meaning.
type Drift struct {
	// Goal and Amendments tell whether the hashes are those of the user's words.
	Goal       bool `json:"goal_equal"`
	Amendments bool `json:"amendments_equal"`
	// GDM is 1 - Cosine of the user's words and what the candidate says the goal is.
	GDM    float64 `json:"gdm_lexical"`
	Cosine float64 `json:"cosine_lexical"`
	// Other is the cosine with the goal of another session, Stale that with the
	// goal before the last amendment: the controls, which must be lower.
	Other float64 `json:"control_other_goal"`
	Stale float64 `json:"control_stale_goal"`
}

// Waste is a proxy: of the read-only calls that the agent really made after the
// cut, those whose answer it had seen, which still held, and which the
// candidate does not answer. What an agent would do with the candidate nobody knows.
type Waste struct {
	Calls int `json:"calls"`
	// Repeated were seen before and still valid, Answered are those of them that
	// the candidate (or recall) answers, Residual the rest.
	Repeated int `json:"repeated"`
	Answered int `json:"answered"`
	Residual int `json:"residual"`
	// Control is the share of repeated calls in windows without a compaction.
	ControlCalls    int `json:"control_calls"`
	ControlRepeated int `json:"control_repeated"`
}

// Planted is what became of needles and rules that were put into the session.
type Planted struct {
	Seed    uint64 `json:"seed"`
	Needles Share  `json:"needles"`
	Rules   Share  `json:"rules"`
	// Promoted counts planted orders in tool output that became rules: 0 is right.
	Promoted int `json:"promoted"`
}

// Lost is an atom that a candidate does not hold.
type Lost struct {
	Kind   Kind   `json:"kind"`
	Text   string `json:"text"`
	Needed bool   `json:"needed,omitempty"`
	Half   bool   `json:"half,omitempty"`
	Stale  bool   `json:"stale,omitempty"`
	// Message and Line are where it stands in the transcript.
	Message int `json:"message"`
	Line    int `json:"line,omitempty"`
}
