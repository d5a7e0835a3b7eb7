package pith

// EachList calls f with the name and the length of every slot that is a list,
// and so may be empty.
func (s *State) EachList(f func(slot string, n int)) {
	f("active_constraints", len(s.Constraints))
	f("files_modified_and_inspected", len(s.Files.Modified)+len(s.Files.Inspected))
	f("decisions_and_tradeoffs", len(s.Decisions))
	f("verification_and_evidence", len(s.Evidence))
	f("failed_attempts_and_antipatterns", len(s.Failed))
	f("preserved_invariants", len(s.Invariants))
}

// FindEmpty lists the slots that hold nothing, for EmptySlots: one that is empty
// and not named there is an extraction that failed.
func (s *State) FindEmpty() []string {
	empty := []string{}
	s.EachList(func(slot string, n int) {
		if n == 0 {
			empty = append(empty, slot)
		}
	})
	return empty
}

// Decision is an item of slot 6.
type Decision struct {
	ID         string        `json:"id"`
	Decision   string        `json:"decision"`
	Rationale  string        `json:"rationale,omitempty"`
	Rejected   []Alternative `json:"rejected_alternatives"`
	Constraint string        `json:"constraint,omitempty"`
	// Status is approved, rejected, proposed or stated; only a user's words approve.
	Status string `json:"status"`
	// Drafted is set where a model drafted the item: it is nobody's words.
	Drafted    bool       `json:"drafted,omitempty"`
	Provenance Provenance `json:"provenance"`
	Source     Source     `json:"source"`
}

// Alternative is what a decision ruled out.
type Alternative struct {
	Alternative string `json:"alternative"`
	Reason      string `json:"reason,omitempty"`
}

// Evidence is an item of slot 7: a command and what it proved.
type Evidence struct {
	ID      string `json:"id"`
	Command string `json:"command"`
	// Verifies names the verifying part of the command ("go test"), "" for a
	// command that only failed.
	Verifies string `json:"verifies,omitempty"`
	// ExitCode is null where the tool reported none; it is never guessed.
	ExitCode *int `json:"exit_code"`
	// Status is pass, fail, error, timeout or unknown.
	Status string `json:"status"`
	// Masked is set where the exit code is not the verifier's own: a pipe,
	// "|| true" or a later command came after it.
	Masked bool `json:"masked,omitempty"`
	// ExpectedNonZero is set where the exit code only answers a question: grep
	// found nothing, files differ, a path is not there. That is no failure.
	ExpectedNonZero bool     `json:"expected_nonzero,omitempty"`
	Counts          *Counts  `json:"counts"`
	Excerpt         *Excerpt `json:"excerpt,omitempty"`
	// Signature is one line that names the failure.
	Signature string `json:"signature,omitempty"`
	Runs      int    `json:"runs"`
	// SupersededBy is the id of a later run of the same command.
	SupersededBy *string `json:"superseded_by"`
	// ResolvedBy is the id of the later evidence that ended this failure.
	ResolvedBy string     `json:"resolved_by,omitempty"`
	Provenance Provenance `json:"provenance"`
	Source     Source     `json:"source"`         // the result
	CallSource *Source    `json:"call,omitempty"` // the call
}

// Unresolved tells whether the failure is still open: such an item is never dropped.
func (e *Evidence) Unresolved() bool {
	failed := e.Status == "fail" || e.Status == "error" || e.Status == "timeout"
	ended := e.SupersededBy != nil || e.ResolvedBy != ""
	return failed && !e.ExpectedNonZero && !ended
}

// Counts are the tests of a verification run.
type Counts struct {
	Passed  int  `json:"passed"`
	Failed  int  `json:"failed"`
	Errors  int  `json:"errors,omitempty"`
	Skipped int  `json:"skipped,omitempty"`
	Total   *int `json:"total,omitempty"`
	// Unit is what was counted where it is not tests: packages, problems.
	Unit string `json:"unit,omitempty"`
}

// Excerpt is the head and the tail of an output.
type Excerpt struct {
	Head         []string `json:"head"`
	Tail         []string `json:"tail"`
	OmittedLines int      `json:"omitted_lines"`
	OmittedBytes int      `json:"omitted_bytes,omitempty"`
}

// FailedAttempt is an item of slot 8: a command, edit or approach that led nowhere.
type FailedAttempt struct {
	ID             string `json:"id"`
	Attempt        string `json:"attempt"`
	ErrorSignature string `json:"error_signature"`
	Reason         string `json:"reason"`
	Occurrences    int    `json:"occurrences"`
	DoNotRetry     bool   `json:"do_not_retry"`
	// EndedBy says what ended it ("edit applied", "passed later"), "" while open.
	EndedBy string `json:"ended_by,omitempty"`
	// Drafted is set where a model drafted the item: it is nobody's words.
	Drafted    bool       `json:"drafted,omitempty"`
	Provenance Provenance `json:"provenance"`
	Source     Source     `json:"source"`
}

// Invariant is an item of slot 9: what must stay true.
type Invariant struct {
	ID         string     `json:"id"`
	Text       string     `json:"text"`
	Binding    string     `json:"binding"` // binding | advisory
	Provenance Provenance `json:"provenance"`
	Source     Source     `json:"source"`
}

// NextAction is slot 10: one atomic step.
type NextAction struct {
	Kind                 string         `json:"kind"` // command | edit | inspect | ask_user | none
	Text                 string         `json:"text"`
	Command              string         `json:"command,omitempty"`
	TargetPath           string         `json:"target_path,omitempty"`
	Destructive          bool           `json:"destructive"`
	RequiresConfirmation bool           `json:"requires_confirmation"`
	Preconditions        []Precondition `json:"preconditions"`
	Basis                string         `json:"basis"` // todo | pending_call | user_request | question | intent | none
	Provenance           Provenance     `json:"provenance"`
	Source               Source         `json:"source"`
}

// Precondition must hold on the disk before the action is taken.
type Precondition struct {
	Path   string  `json:"path"`
	Must   string  `json:"must"` // exist | absent | unchanged
	SHA256 *string `json:"sha256"`
}
