package merge

// What a draft may add to a state, slot by slot. Facts are code's, judgement is
// the model's, and where both speak the facts win.
//
//	slot                              who wins
//	current_goal, amendments          facts only
//	active_constraints                facts only; what no trusted text holds is quarantined
//	preserved_invariants              facts only
//	files_modified_and_inspected      facts only
//	verification_and_evidence         facts only
//	next_single_safe_action           facts only; the draft's steps stay steps
//	context (todo, plan, pins, ...)   facts only
//	identifiers, metrics, security    facts only, but security counts what was dropped
//	work_type                         the draft's, of the known values, where the facts have none
//	phase_control.phase_name          the draft's where the facts have none
//	decisions_and_tradeoffs           facts stay; drafted ones that say something else are added, stated, never approved
//	failed_attempts_and_antipatterns  facts stay; drafted eliminated_approaches are added, not to be retried
//	extensions.progress_note          the draft's current_state, sentence by sentence
//	extensions.task_restatement       the draft's task, where people or the assistant said it
//	extensions.open_questions         the draft's, where context.open_questions has no such one
//	extensions.remaining_steps        the draft's next_steps, in order
//	extensions.tool_results           the draft's relevant_tool_results
//
// A draft replaces all of what an earlier one added: the model was given it.

// The limits of what a draft may add.
const (
	maxDecisions  = 40
	maxEliminated = 40
	maxQuestions  = 24
	maxSteps      = 24
	maxResults    = 24
	maxRules      = 64
	maxSentences  = 24
	// maxStatement is the longest statement, in bytes.
	maxStatement = 2_400
	// maxLine is the longest name or phase, in bytes.
	maxLine = 160
)

// Why a drafted statement was left out. The first are kinds of claims that the
// transcript does not hold.
const (
	kindPath    = "path"
	kindNumber  = "number"
	kindID      = "id"
	kindCommand = "command"
	kindQuote   = "quote"
	kindSymbol  = "symbol"
	// kindUnsupported: it claims nothing that could be looked up, and no block
	// holds its words.
	kindUnsupported = "unsupported"
	// kindConstraint, kindApproval: a rule or a permission of which no trusted
	// text knows, or which leaves out what the user bound it to.
	kindConstraint = "constraint"
	kindApproval   = "approval"
	// kindForbidden: a step that the user forbade.
	kindForbidden = "forbidden_step"
	// kindDuplicate: the facts say it already.
	kindDuplicate = "duplicate"
	// kindForged: an order that is worded as if it were a new goal.
	kindForged    = "forged"
	kindInvisible = "invisible"
	kindSecret    = "secret"
	kindSize      = "size"
	kindUnknown   = "unknown_value"
)
