package merge

import (
	"maps"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/diff"
	"github.com/pith-memory/pith/redact"
)

// Verdict says what became of a draft.
type Verdict struct {
	// Kept and Dropped count statements; of a text of several sentences each is one.
	Kept, Dropped int
	// Kinds counts what was dropped by why, sorted by kind.
	Kinds []pith.KindCount
	// Quarantined counts the rules and permissions that no trusted text holds.
	Quarantined int
}

// Judge adds to the facts of a session what a model drafted and the transcript
// holds, as the table says. The claims are those of the draft, folded over the
// session. The result is a copy without an id; what an earlier draft had added
// to the facts is gone from it. model is as compactor.Card.String has it.
func Judge(facts *pith.State, d *compactor.Draft, c *Claims, model string) (*pith.State, Verdict) {
	j := &judge{state: withoutDraft(facts), claims: c, dropped: map[string]int{}, refs: map[string]pith.BlockRef{}}
	if d == nil {
		d = &compactor.Draft{}
	}
	c.facts(facts)
	c.underRoots(&facts.Checkpoint.Workspace)
	s := j.state
	s.Checkpoint.Compactor, s.Checkpoint.FactsOnly = model, false
	if model == "" {
		s.Checkpoint.Compactor = "unnamed"
	}
	j.values(d)
	j.decisions(d)
	j.eliminated(d)
	j.notes()
	j.lists(d)
	j.results(d)
	j.rules()
	j.tooMany(d)
	j.finish(facts)
	return s, j.verdict
}

// judge is one judgement in the making.
type judge struct {
	state   *pith.State
	claims  *Claims
	extra   pith.Extensions
	verdict Verdict
	dropped map[string]int
	// refs describes the blocks that the added items point to.
	refs map[string]pith.BlockRef
}

// withoutDraft is a copy of a state in which lists can be changed, without
// what an earlier draft had added.
func withoutDraft(facts *pith.State) *pith.State {
	s := facts.Facts()
	s.Checkpoint.ID = ""
	s.Security.Quarantined = slices.Clone(facts.Security.Quarantined)
	s.Security.ClaimsDropped = nil
	s.Extensions = nil
	return s
}

// take tells whether a statement of the draft stands, and counts it.
func (j *judge) take(n int) bool {
	s := &j.claims.items[n]
	why := s.refused
	if why == kindForged {
		j.quarantine("current_goal", s)
	}
	for _, k := range s.rules {
		r := &j.claims.items[k]
		if r.rule.held || why != "" {
			continue
		}
		why = r.rule.kind()
		if !r.rule.scoped {
			j.quarantine(slotOf(r.rule), r)
		}
	}
	if why == "" {
		why = s.missing()
	}
	if why == "" && !s.supported() {
		why = kindUnsupported
	}
	if why != "" {
		j.drop(why)
		return false
	}
	return true
}

func (j *judge) drop(why string) {
	j.verdict.Dropped++
	j.dropped[why]++
}

// one is the statement of a field, -1 where the draft has none.
func (j *judge) one(f field, index int) int {
	if at := j.claims.at[place{f, index}]; len(at) > 0 {
		return at[0]
	}
	return -1
}

// label is the lower of the assistant's trust and that of the supporting block.
func (j *judge) label(n int) (pith.Provenance, pith.Source) {
	b := &j.claims.items[n].best
	if b.known {
		j.refs[b.at.BlockKey()] = b.ref
	}
	return pith.Lowest(pith.Assistant, b.origin), b.at
}

// clean is a text of the draft on one line, as a state may hold it.
func clean(text string) string {
	text, _ = redact.Normalise(text)
	return oneLine(text)
}

// values fills the single values that the facts lack.
func (j *judge) values(d *compactor.Draft) {
	s := j.state
	switch w := pith.WorkType(strings.ToLower(strings.TrimSpace(d.WorkType))); {
	case w == "" || w == pith.WorkUnspecified:
	case !knownWork(w):
		j.drop(kindUnknown)
	case s.WorkType != pith.WorkUnspecified && s.WorkType != "":
	default:
		s.WorkType = w
		j.extra.DraftedSlots = append(j.extra.DraftedSlots, pith.DraftedWorkType)
		j.verdict.Kept++
	}
	if n := j.one(inPhase, 0); n >= 0 && j.take(n) {
		name := oneLine(j.claims.items[n].text)
		switch {
		case s.Phase.Name != "":
			j.drop(kindDuplicate)
		case len(name) > maxLine:
			j.drop(kindSize)
		default:
			s.Phase.Name = name
			j.extra.DraftedSlots = append(j.extra.DraftedSlots, pith.DraftedPhaseName)
			j.support(n, name)
		}
	}
}

func knownWork(w pith.WorkType) bool {
	switch w {
	case pith.WorkFeature, pith.WorkBugfix, pith.WorkRefactor, pith.WorkMigration, pith.WorkInvestigation, pith.WorkRelease:
		return true
	}
	return false
}

// decisions adds those that no fact says.
func (j *judge) decisions(d *compactor.Draft) {
	var said sayings
	for i := range j.state.Decisions {
		k := &j.state.Decisions[i]
		said.add(k.Decision + " " + k.Rationale)
	}
	for i := range capped(d.KeyDecisions, maxDecisions) {
		n := j.one(inDecision, i)
		if n < 0 || !j.take(n) {
			continue
		}
		text := clean(d.KeyDecisions[i].Decision)
		if text == "" || said.have(text) {
			j.drop(kindDuplicate)
			continue
		}
		said.add(text)
		origin, at := j.label(n)
		j.verdict.Kept++
		j.state.Decisions = append(j.state.Decisions, pith.Decision{
			ID: pith.ItemID(pith.IDDecision, at, text), Decision: text, Rationale: clean(d.KeyDecisions[i].Reason),
			Rejected: []pith.Alternative{}, Constraint: j.boundBy(i), Status: "stated", Drafted: true, Provenance: origin, Source: at,
		})
	}
}

// boundBy is the rule of the user's that a drafted decision names as its
// constraint, in the user's own words, "" where there is none such.
func (j *judge) boundBy(decision int) string {
	n := j.one(inDecisionConstraint, decision)
	if n < 0 || j.claims.items[n].rule == nil {
		return ""
	}
	r := j.claims.items[n].rule
	for i := range j.state.Constraints {
		if k := &j.state.Constraints[i]; r.sharedWith(k.Text) && isNegated(strings.ToLower(k.Text)) == r.negated && len(k.Text) <= maxStatement {
			return k.Text
		}
	}
	for i := range j.state.Invariants {
		if k := &j.state.Invariants[i]; k.Provenance <= pith.UserExplicit && r.sharedWith(k.Text) && len(k.Text) <= maxStatement {
			return k.Text
		}
	}
	return ""
}

// eliminated adds the approaches that were ruled out.
func (j *judge) eliminated(d *compactor.Draft) {
	var said sayings
	for i := range j.state.Failed {
		f := &j.state.Failed[i]
		said.add(f.Attempt)
	}
	for i := range capped(d.EliminatedApproaches, maxEliminated) {
		n := j.one(inEliminated, i)
		if n < 0 || !j.take(n) {
			continue
		}
		text := clean(d.EliminatedApproaches[i].Approach)
		if text == "" || said.have(text) {
			j.drop(kindDuplicate)
			continue
		}
		said.add(text)
		origin, at := j.label(n)
		j.verdict.Kept++
		j.state.Failed = append(j.state.Failed, pith.FailedAttempt{
			ID: pith.ItemID(pith.IDFailed, at, text), Attempt: text, Reason: clean(d.EliminatedApproaches[i].Reason), Occurrences: 1,
			DoNotRetry: true, Drafted: true, Provenance: origin, Source: at,
		})
	}
}

// finish makes the rest of the state fit what was added, and makes people's
// edits again: what somebody took out stays out.
func (j *judge) finish(facts *pith.State) {
	s := j.state
	for _, kind := range slices.Sorted(maps.Keys(j.dropped)) {
		k := pith.KindCount{Kind: kind, Count: j.dropped[kind]}
		j.verdict.Kinds = append(j.verdict.Kinds, k)
		if kind != kindDuplicate {
			s.Security.ClaimsDropped = append(s.Security.ClaimsDropped, k)
		}
	}
	if !j.extra.Empty() {
		s.Extensions = &j.extra
	}
	s.Security.Quarantined = newest(unique(s.Security.Quarantined, func(q *pith.Quarantine) string { return q.SHA256 }), maxQuarantined)
	fillLists(s)
	s.EmptySlots = s.FindEmpty()
	s.Blocks = map[string]pith.BlockRef{}
	s.EachSource(func(at pith.Source) {
		key := at.BlockKey()
		if ref, ok := facts.Blocks[key]; ok {
			s.Blocks[key] = ref
		} else if ref, ok := j.refs[key]; ok {
			s.Blocks[key] = ref
		}
	})
	// An edit that cannot be made leaves the state as it is; Chain reported it.
	_ = diff.Apply(s, s.Edits, s.Checkpoint.ThroughMessage)
}
