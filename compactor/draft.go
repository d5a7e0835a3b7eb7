// Package compactor turns a stretch of conversation into the judgement that no
// code can extract: why something was decided, what was ruled out, where the
// work stands and what comes next. It asks a model in a call of its own and
// takes nothing for an answer that was not earned: an answer that is empty,
// refused, cut, a skeleton or larger than what it stands for is told what is
// wrong with it once, and then there is none.
//
// What a draft claims is held against the transcript by package merge.
package compactor

// Draft is what a model says of a stretch of work: the fields of the 8-field
// memory without the turn, which code counts, and three that
// only judge. Any of them may be empty, not all.
type Draft struct {
	Task                 string       `json:"task,omitempty"`
	CurrentState         string       `json:"current_state,omitempty"`
	WorkType             string       `json:"work_type,omitempty"`
	Phase                string       `json:"phase,omitempty"`
	KeyDecisions         []Decision   `json:"key_decisions,omitempty"`
	EliminatedApproaches []Eliminated `json:"eliminated_approaches,omitempty"`
	OpenQuestions        []string     `json:"open_questions,omitempty"`
	NextSteps            []string     `json:"next_steps,omitempty"`
	ToolResults          []ToolResult `json:"relevant_tool_results,omitempty"`
	// Constraints and Approvals are accepted to be checked: what no user's text
	// holds is quarantined.
	Constraints []string `json:"constraints,omitempty"`
	Approvals   []string `json:"approvals,omitempty"`
}

// Decision is a choice with its reason, and what it was bound by.
type Decision struct {
	Decision   string `json:"decision"`
	Reason     string `json:"reason"`
	Constraint string `json:"constraint,omitempty"`
}

// Eliminated is an approach that was ruled out.
type Eliminated struct {
	Approach string `json:"approach"`
	Reason   string `json:"reason_ruled_out"`
}

// ToolResult is a result that later steps need, under a short name.
type ToolResult struct {
	Name   string `json:"name"`
	Result string `json:"result"`
}
