package merge

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/redact"
)

// sayings are what is said already, by the content words of each.
type sayings struct {
	keys  []map[string]bool
	texts map[string]bool
}

func (s *sayings) add(text string) {
	if s.texts == nil {
		s.texts = map[string]bool{}
	}
	s.texts[strings.ToLower(oneLine(text))] = true
	s.keys = append(s.keys, contentKeys(text, isStopword))
}

// have tells whether one of them says the same: it has the same words, or
// three quarters of the content words of the shorter one.
func (s *sayings) have(text string) bool {
	if s.texts[strings.ToLower(oneLine(text))] {
		return true
	}
	keys := contentKeys(text, isStopword)
	for _, other := range s.keys {
		least := min(len(keys), len(other))
		if least < 4 {
			continue
		}
		shared := 0
		for k := range keys {
			if other[k] {
				shared++
			}
		}
		if 4*shared >= 3*least && 2*shared >= max(len(keys), len(other)) {
			return true
		}
	}
	return false
}

// support notes where a text of the extensions has its support.
func (j *judge) support(n int, text string) {
	j.verdict.Kept++
	origin, at := j.label(n)
	id := pith.DraftID(text)
	for i := range j.extra.Support {
		if j.extra.Support[i].ID == id {
			return
		}
	}
	j.extra.Support = append(j.extra.Support, pith.Support{ID: id, Provenance: origin, Source: at})
}

// notes keeps what stands of the two texts: where the work is, and what it is.
// The task is what people and the assistant said it is; no tool says that.
func (j *judge) notes() {
	j.extra.ProgressNote = j.note(inState, pith.UnverifiedImport)
	j.extra.TaskRestatement = j.note(inTask, pith.Assistant)
}

// note joins the sentences that stand, and gives them the lowest label.
func (j *judge) note(f field, atMost pith.Provenance) string {
	var kept []string
	lowest := -1
	for _, n := range j.claims.at[place{f, 0}] {
		if !j.take(n) {
			continue
		}
		s := &j.claims.items[n]
		if s.best.origin > atMost {
			j.drop(kindUnsupported)
			continue
		}
		if len(kept) > 0 {
			j.verdict.Kept++
		}
		kept = append(kept, oneLine(s.text))
		if lowest < 0 || s.best.origin >= j.claims.items[lowest].best.origin {
			lowest = n
		}
	}
	text := strings.Join(kept, " ")
	if text != "" {
		j.support(lowest, text)
	}
	return text
}

// lists keeps the open questions and the steps, in order.
func (j *judge) lists(d *compactor.Draft) {
	var asked, planned sayings
	for i := range j.state.Context.OpenQuestions {
		asked.add(j.state.Context.OpenQuestions[i].Text)
	}
	planned.add(j.state.Next.Text)
	for i := range j.state.Context.Todo {
		planned.add(j.state.Context.Todo[i].Text)
	}
	j.extra.OpenQuestions = j.list(inQuestion, capped(d.OpenQuestions, maxQuestions), &asked)
	j.extra.RemainingSteps = j.list(inStep, capped(d.NextSteps, maxSteps), &planned)
}

func (j *judge) list(f field, texts []string, said *sayings) []string {
	var out []string
	for i := range texts {
		n := j.one(f, i)
		if n < 0 || !j.take(n) {
			continue
		}
		text := clean(texts[i])
		if f == inStep && j.forbidden(text) {
			j.drop(kindForbidden)
			continue
		}
		if said.have(text) {
			j.drop(kindDuplicate)
			continue
		}
		said.add(text)
		out = append(out, text)
		j.support(n, text)
	}
	return out
}

// results keeps tool results under their names.
func (j *judge) results(d *compactor.Draft) {
	for i := range capped(d.ToolResults, maxResults) {
		n := j.one(inResult, i)
		if n < 0 || !j.take(n) {
			continue
		}
		name, result := clean(d.ToolResults[i].Name), visible(d.ToolResults[i].Result)
		if name == "" || result == "" { // all of it was control characters
			j.drop(kindInvisible)
			continue
		}
		if _, again := j.extra.ToolResults[name]; again || len(name) > maxLine || strings.HasPrefix(name, "cws/") {
			j.drop(kindDuplicate)
			continue
		}
		if len(redact.Dirty([]byte(`{"`+name+`":"`+result+`"}`))) > 0 {
			j.drop(kindSecret)
			continue
		}
		if j.extra.ToolResults == nil {
			j.extra.ToolResults = map[string]string{}
		}
		j.extra.ToolResults[name] = result
		j.support(n, pith.ToolResultText(name, result))
	}
}

// visible is a text of the draft as a state may hold it, its lines kept.
func visible(text string) string {
	text, _ = redact.Normalise(strings.TrimSpace(text))
	return text
}

// rules looks at what the draft says the rules and the approvals are. None is
// added: what a trusted text holds, the facts have already.
func (j *judge) rules() {
	for n := range j.claims.items {
		s := &j.claims.items[n]
		if s.rule == nil || !j.ownRule(n) {
			continue
		}
		switch {
		case s.rule.held && s.missing() == "":
			j.drop(kindDuplicate)
		case s.rule.scoped && s.missing() == "":
			j.drop(s.rule.kind())
		default:
			j.drop(s.rule.kind())
			j.quarantine(slotOf(s.rule), s)
		}
	}
	for _, f := range []field{inConstraint, inApproval, inDecisionConstraint} {
		for i := range maxRules {
			if n := j.one(f, i); n >= 0 && j.claims.items[n].refused != "" {
				j.drop(j.claims.items[n].refused)
			}
		}
	}
}

// ownRule tells a rule that the draft lists from a sentence of another statement.
func (j *judge) ownRule(n int) bool {
	for _, f := range []field{inConstraint, inApproval, inDecisionConstraint} {
		for i := range maxRules {
			if j.one(f, i) == n {
				return true
			}
		}
	}
	return false
}

func slotOf(r *rule) string {
	if r.permission {
		return "decisions_and_tradeoffs"
	}
	return "active_constraints"
}

// quarantine notes a statement by its hash and the block that is nearest to it.
func (j *judge) quarantine(slot string, s *statement) {
	j.verdict.Quarantined++
	sum := sha256.Sum256([]byte(s.text))
	q := pith.Quarantine{Slot: slot, SHA256: hex.EncodeToString(sum[:])}
	if b := &s.best; b.found {
		q.Source, q.Provenance = b.at, pith.Lowest(pith.Assistant, b.origin)
		if b.known {
			j.refs[b.at.BlockKey()] = b.ref
		}
	} else {
		q.Source, q.Provenance = j.state.Goal.Source, pith.Lowest(pith.Assistant, j.state.Goal.Provenance)
	}
	j.state.Security.Quarantined = append(j.state.Security.Quarantined, q)
}

// tooMany counts what the limits left out.
func (j *judge) tooMany(d *compactor.Draft) {
	for _, over := range []int{
		len(d.KeyDecisions) - maxDecisions, len(d.EliminatedApproaches) - maxEliminated, len(d.OpenQuestions) - maxQuestions,
		len(d.NextSteps) - maxSteps, len(d.ToolResults) - maxResults, len(d.Constraints) - maxRules, len(d.Approvals) - maxRules,
	} {
		for range max(over, 0) {
			j.drop(kindSize)
		}
	}
}

// forbidden tells whether a step does all that one of the user's rules forbids:
// no such step is planned, whatever the model says.
func (j *judge) forbidden(step string) bool {
	lower := strings.ToLower(step)
	if isNegated(lower) || holdsAny(lower, conditions[:]) || holdsAny(lower, asking[:]) {
		return false
	}
	keys := contentKeys(withoutCues(step), isCueOrStopword)
	for i := range j.state.Constraints {
		k := &j.state.Constraints[i]
		if k.Polarity != "forbid" || k.Exception != "" || k.Scope != "" || leavesOut("", strings.ToLower(k.Text)) {
			continue
		}
		of := contentKeys(withoutCues(k.Text), isCueOrStopword)
		shared := 0
		for w := range of {
			if keys[w] {
				shared++
			}
		}
		if shared == len(of) && shared >= 2 {
			return true
		}
	}
	return false
}

// asking are the words of a step that leaves the matter to the user.
var asking = [...]string{"ask", "confirm", "approval", "permission", "whether", "check", "verify", "make sure", "ensure", "review", "preguntar", "demander", "fragen", "спросить", "确认", "询问", "確認", "확인"}
