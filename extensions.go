package pith

import "slices"

// Extensions is what the 8-field memory and a model's draft hold and the ten
// slots do not.
type Extensions struct {
	ProgressNote    string `json:"progress_note,omitempty"`
	TaskRestatement string `json:"task_restatement,omitempty"`
	// OpenQuestions are drafted: those that were asked are Context.OpenQuestions.
	OpenQuestions  []string          `json:"open_questions,omitempty"`
	RemainingSteps []string          `json:"remaining_steps,omitempty"`
	ToolResults    map[string]string `json:"tool_results,omitempty"`
	Order          []string          `json:"compact_memory_order,omitempty"`
	// DraftedSlots names the single values that a draft filled: work_type,
	// phase_name.
	DraftedSlots []string `json:"drafted_slots,omitempty"`
	// Support says where the drafted texts above have theirs.
	Support []Support `json:"support,omitempty"`
}

// Support is the block that holds most of a drafted text.
type Support struct {
	// ID is DraftID of the text.
	ID string `json:"id"`
	// Provenance is the lower of ASSISTANT and the block's own.
	Provenance Provenance `json:"provenance"`
	Source     Source     `json:"source"`
}

// DraftID names a drafted text that is no item of a slot.
func DraftID(text string) string { return ItemID(IDDrafted, Source{}, text) }

// ToolResultText is a tool result of a draft as one text: what DraftID is over.
func ToolResultText(name, result string) string { return name + ": " + result }

// SupportOf finds the support of a drafted text, nil where there is none.
func (x *Extensions) SupportOf(text string) *Support {
	if x == nil || len(x.Support) == 0 {
		return nil
	}
	id := DraftID(text)
	for i := range x.Support {
		if x.Support[i].ID == id {
			return &x.Support[i]
		}
	}
	return nil
}

// Empty tells whether there is nothing in it.
func (x *Extensions) Empty() bool {
	return x.ProgressNote == "" && x.TaskRestatement == "" && len(x.OpenQuestions)+len(x.RemainingSteps)+len(x.ToolResults)+len(x.Order)+len(x.DraftedSlots)+len(x.Support) == 0
}

// The single values that a draft may fill, as DraftedSlots names them.
const (
	DraftedWorkType  = "work_type"
	DraftedPhaseName = "phase_name"
)

// Facts is a copy of the state without what a model drafted: lists and the
// single values, not what is said of them in the extensions.
func (s *State) Facts() *State {
	c := *s
	c.Decisions = slices.DeleteFunc(slices.Clone(s.Decisions), func(d Decision) bool { return d.Drafted })
	c.Failed = slices.DeleteFunc(slices.Clone(s.Failed), func(f FailedAttempt) bool { return f.Drafted })
	if x := s.Extensions; x != nil {
		if slices.Contains(x.DraftedSlots, DraftedWorkType) {
			c.WorkType = WorkUnspecified
		}
		if slices.Contains(x.DraftedSlots, DraftedPhaseName) {
			c.Phase.Name = ""
		}
	}
	return &c
}

// KeepSupport leaves out the support of texts that are no longer there.
func (x *Extensions) KeepSupport(phase string) {
	used := map[string]bool{}
	for _, text := range [...]string{x.ProgressNote, x.TaskRestatement, phase} {
		used[DraftID(text)] = true
	}
	for _, list := range [...][]string{x.OpenQuestions, x.RemainingSteps} {
		for _, text := range list {
			used[DraftID(text)] = true
		}
	}
	for name, result := range x.ToolResults {
		used[DraftID(ToolResultText(name, result))] = true
	}
	x.Support = slices.DeleteFunc(slices.Clone(x.Support), func(u Support) bool { return !used[u.ID] })
}
