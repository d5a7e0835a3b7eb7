package pith

// Compact is the 8-field view of a State, for programs that follow that
// contract: contracts/schemas/compact-memory.json.
type Compact struct {
	Task                 string            `json:"task"`
	CurrentState         string            `json:"current_state"`
	KeyDecisions         []KeyDecision     `json:"key_decisions"`
	EliminatedApproaches []Eliminated      `json:"eliminated_approaches"`
	OpenQuestions        []string          `json:"open_questions"`
	NextSteps            []string          `json:"next_steps"`
	RelevantToolResults  map[string]string `json:"relevant_tool_results"`
	CompactedAtTurn      int               `json:"compacted_at_turn"`
}

// KeyDecision is a decision of the 8-field view.
type KeyDecision struct {
	Decision   string `json:"decision"`
	Reason     string `json:"reason"`
	Constraint string `json:"constraint,omitempty"`
}

// Eliminated is an approach that was ruled out.
type Eliminated struct {
	Approach string `json:"approach"`
	Reason   string `json:"reason_ruled_out"`
}
