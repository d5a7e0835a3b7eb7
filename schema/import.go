package schema

import (
	"crypto/sha256"
	"errors"
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pith-memory/pith"
)

// importVersion names the rules by which eight fields become a state.
const importVersion = "import/1"

// FromCompact turns an 8-field memory into a state. Where it carries the state
// that it is a view of, and still shows that state, it is that state; else the
// eight fields are all that there is, and they become an import: every item is
// UNVERIFIED_IMPORT, the next action asks first, and what the ten slots have
// no home for goes to the extensions.
func FromCompact(c pith.Compact) (*pith.State, error) {
	if text, ok := c.RelevantToolResults[stateKey]; ok {
		if s, err := Unmarshal([]byte(text)); err == nil && sameView(s, c) && identified(s) {
			return s, nil
		}
	}
	s := imported(c)
	if problems := Check(s); len(problems) > 0 {
		return nil, &pith.Error{Op: "import a compact memory", Kind: pith.KindInput, Err: errors.New(problems[0].String())}
	}
	return s, nil
}

// identified tells whether a state is the one that its id names.
func identified(s *pith.State) bool {
	id, err := ID(s)
	return err == nil && id == s.Checkpoint.ID
}

// sameView tells whether c shows s and nothing else.
func sameView(s *pith.State, c pith.Compact) bool {
	shown, err := ToCompact(s)
	return err == nil && sameWritten(&shown, &c)
}

// imported builds the state that eight fields alone allow.
func imported(c pith.Compact) *pith.State {
	c.RelevantToolResults = withoutReserved(c.RelevantToolResults)
	doc, _ := encode(&c, false, true)
	sum := sha256.Sum256(doc)
	at := pith.Source{} // the memory itself stands for the session
	s := &pith.State{
		ContractType:  pith.ContractType,
		SchemaVersion: pith.SchemaVersion,
		Checkpoint: pith.Checkpoint{
			SessionID:        "import-" + pith.HashHex(sum),
			Trigger:          pith.ReasonImport,
			CompactedAtTurn:  c.CompactedAtTurn,
			TranscriptSHA256: sha256Hex(doc),
			ExtractorVersion: importVersion,
			Origin:           "imported",
			Format:           pith.FormatCompactMemory,
			FactsOnly:        true,
		},
		Goal: pith.Goal{
			Text: c.Task, Provenance: pith.UnverifiedImport, SHA256: sha256Hex([]byte(c.Task)), Source: at,
			Amendments: []pith.Amendment{},
		},
		WorkType:    pith.WorkUnspecified,
		Phase:       pith.Phase{Status: "in_progress"},
		Constraints: []pith.Constraint{},
		Files:       pith.Files{Modified: []pith.File{}, Inspected: []pith.File{}, Complete: true},
		Evidence:    []pith.Evidence{},
		Invariants:  []pith.Invariant{},
		Context:     emptyContext(),
		Identifiers: emptyIdentifiers(),
		Security:    untouched(),
		Metrics:     pith.Metrics{Tokenizer: "none"},
		Extensions:  &pith.Extensions{ProgressNote: c.CurrentState},
		Blocks:      map[string]pith.BlockRef{at.BlockKey(): {Role: pith.RoleUser, Type: "import", Hash: pith.HashHex(sum)}},
	}
	if len(c.RelevantToolResults) > 0 {
		s.Extensions.ToolResults = c.RelevantToolResults
	}
	importItems(s, c, at)
	importSteps(s, c, at)
	s.EmptySlots = s.FindEmpty()
	s.Checkpoint.ID, _ = ID(s)
	return s
}

func withoutReserved(results map[string]string) map[string]string {
	kept := maps.Clone(results)
	if kept == nil {
		kept = map[string]string{}
	}
	maps.DeleteFunc(kept, func(key, _ string) bool { return strings.HasPrefix(key, reservedPrefix) })
	return kept
}

// importItems fills the lists. The same words may stand in a list twice, so an
// item's id is taken over its words and its number.
func importItems(s *pith.State, c pith.Compact, at pith.Source) {
	s.Decisions = make([]pith.Decision, len(c.KeyDecisions))
	for i, d := range c.KeyDecisions {
		s.Decisions[i] = pith.Decision{
			ID:       pith.ItemID(pith.IDDecision, at, strconv.Itoa(i)+"\x00"+d.Decision),
			Decision: d.Decision, Rationale: d.Reason, Constraint: d.Constraint, Rejected: []pith.Alternative{},
			Status: "stated", Provenance: pith.UnverifiedImport, Source: at,
		}
	}
	s.Failed = make([]pith.FailedAttempt, len(c.EliminatedApproaches))
	for i, e := range c.EliminatedApproaches {
		s.Failed[i] = pith.FailedAttempt{
			ID:      pith.ItemID(pith.IDFailed, at, strconv.Itoa(i)+"\x00"+e.Approach),
			Attempt: e.Approach, Reason: e.Reason, Occurrences: 1, DoNotRetry: true,
			Provenance: pith.UnverifiedImport, Source: at,
		}
	}
	for _, q := range c.OpenQuestions {
		s.Context.OpenQuestions = append(s.Context.OpenQuestions, pith.Quote{Text: q, Provenance: pith.UnverifiedImport, Source: at})
	}
}

// importSteps takes the first step as the next action where it can be one: a
// single line. The rest, or all, remain steps.
func importSteps(s *pith.State, c pith.Compact, at pith.Source) {
	s.Next = pith.NextAction{
		Kind: "ask_user", Text: "Ask the user which step comes next.", Basis: "none",
		RequiresConfirmation: true, Preconditions: []pith.Precondition{},
		Provenance: pith.UnverifiedImport, Source: at,
	}
	rest := c.NextSteps
	if len(rest) > 0 && rest[0] != "" && !strings.Contains(rest[0], "\n") && utf8.RuneCountInString(rest[0]) <= maxNote {
		s.Next.Text, s.Next.Basis = rest[0], "intent"
		rest = rest[1:]
	}
	if len(rest) > 0 {
		s.Extensions.RemainingSteps = rest
	}
}

func emptyContext() pith.Context {
	return pith.Context{
		Todo: []pith.Todo{}, PendingCalls: []pith.PendingCall{}, OpenQuestions: []pith.Quote{},
		Pins: []pith.Pin{}, Environment: []pith.Quote{}, URLs: []pith.Quote{},
		Done: []pith.Quote{}, Unverified: []pith.Quote{},
	}
}

func emptyIdentifiers() pith.Identifiers {
	none := []pith.Identifier{}
	return pith.Identifiers{Tests: none, Symbols: none, Commits: none, Refs: none, Paths: none}
}

// untouched is the security of a state whose text nothing was taken out of:
// an import is read as it is, and scanned by whoever reads it.
func untouched() pith.Security {
	return pith.Security{
		SecretScan:  pith.SecretScan{RulesetSHA256: strings.Repeat("0", 64), Status: "clean", Redactions: []pith.RuleCount{}, Rescan: "clean"},
		Sanitized:   []pith.ClassCount{},
		Quarantined: []pith.Quarantine{},
	}
}
