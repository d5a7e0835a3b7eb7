package merge

import (
	"slices"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/redact"
)

// Claims is a draft taken apart into statements, and each statement into what
// it claims: paths, numbers, ids, commands, quotes and symbols. It is folded
// over the transcript that the draft is about, and knows then which of them
// occur there, and which block holds most of each statement.
type Claims struct {
	items []statement
	index needleIndex
	// at finds the statements of a field of the draft, by its number there.
	at map[place][]int
	// rules are the statements that are sentences of others and state a rule.
	rules []int
	part  part
	// asked are the open calls whose results are a user's answers, by id.
	asked map[string]bool
}

// place is a field of a draft and the number of an item in it.
type place struct {
	field field
	index int
}

// field is a member of a draft.
type field uint8

const (
	inTask field = iota
	inState
	inPhase
	inDecision
	inDecisionConstraint
	inEliminated
	inQuestion
	inStep
	inResult
	inConstraint
	inApproval
)

// statement is what is kept or dropped as a whole.
type statement struct {
	text   string
	claims []claim
	// words counts the content words that are looked for.
	words int
	// refused says why the statement is not even looked for, "" where it is.
	refused string
	// rules are the sentences of it that state a rule, by their number.
	rules []int
	rule  *rule
	best  support
	// mask and held are of the part at hand: its content words and its claims.
	mask  uint64
	held  int
	stamp uint32
}

// support is the part of the transcript that holds most of a statement.
type support struct {
	at     pith.Source
	origin pith.Provenance
	ref    pith.BlockRef
	// known is set where ref is.
	known         bool
	claims, words int
	found         bool
}

// claim is one thing that a statement says is there.
type claim struct {
	kind string
	// needles are the ways to write it; one that is found is enough.
	needles []int
	// near are two needles that have to stand in the same or in neighbouring
	// parts: the name of a file and its folder.
	near [][2]int
	// bare is the needle of a file's name alone, which is enough where the
	// path's folder is one that the work takes place in; -1 for none.
	bare   int
	folder string
	met    bool
	// last is the part in which it was found last.
	last uint32
}

// NewClaims takes a draft apart. The text of it is made fit for a state: what
// hides characters or holds a secret is refused.
func NewClaims(d *compactor.Draft) *Claims {
	c := &Claims{at: map[place][]int{}, asked: map[string]bool{}}
	c.index.init()
	if d == nil {
		return c
	}
	c.sentences(inTask, d.Task)
	c.sentences(inState, d.CurrentState)
	c.add(inPhase, 0, d.Phase)
	for i := range capped(d.KeyDecisions, maxDecisions) {
		k := &d.KeyDecisions[i]
		c.add(inDecision, i, joinedText(k.Decision, k.Reason))
		c.add(inDecisionConstraint, i, k.Constraint)
	}
	for i := range capped(d.EliminatedApproaches, maxEliminated) {
		e := &d.EliminatedApproaches[i]
		c.add(inEliminated, i, joinedText(e.Approach, e.Reason))
	}
	for i := range capped(d.ToolResults, maxResults) {
		r := &d.ToolResults[i]
		if strings.TrimSpace(r.Name) != "" && strings.TrimSpace(r.Result) != "" {
			c.add(inResult, i, pith.ToolResultText(oneLine(r.Name), r.Result))
		}
	}
	for _, l := range []struct {
		f     field
		list  []string
		limit int
	}{
		{inQuestion, d.OpenQuestions, maxQuestions}, {inStep, d.NextSteps, maxSteps},
		{inConstraint, d.Constraints, maxRules}, {inApproval, d.Approvals, maxRules},
	} {
		for i, text := range capped(l.list, l.limit) {
			c.add(l.f, i, text)
		}
	}
	return c
}

func capped[T any](list []T, limit int) []T { return list[:min(len(list), limit)] }

// joinedText is a statement and its reason as one text.
func joinedText(text, reason string) string {
	if strings.TrimSpace(reason) == "" {
		return text
	}
	return strings.TrimSpace(text) + "\n" + reason
}

// sentences adds each sentence of a text as a statement.
func (c *Claims) sentences(f field, text string) {
	n := 0
	eachSentence(text, func(s string) {
		if n < maxSentences {
			c.add(f, 0, s)
		}
		n++
	})
}

// add takes a statement apart.
func (c *Claims) add(f field, index int, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	s := statement{}
	s.text, s.refused = fit(text)
	n := len(c.items)
	c.items = append(c.items, s)
	c.at[place{f, index}] = append(c.at[place{f, index}], n)
	if s.refused != "" {
		return
	}
	c.take(n)
	own := f == inConstraint || f == inApproval || f == inDecisionConstraint
	if own {
		c.items[n].rule = newRule(s.text, f == inApproval)
		c.rules = append(c.rules, n)
		return
	}
	eachSentence(s.text, func(sentence string) {
		r := ruleOf(sentence)
		if r == nil {
			return
		}
		k := len(c.items)
		c.items = append(c.items, statement{text: sentence, rule: r})
		c.take(k)
		c.rules = append(c.rules, k)
		c.items[n].rules = append(c.items[n].rules, k)
	})
}

// take notes the claims and the content words of a statement.
func (c *Claims) take(n int) {
	s := &c.items[n]
	x := dissection{index: &c.index}
	x.text(s.text)
	s.claims = x.claims
	text, skip := s.text, isStopword
	if s.rule != nil {
		text, skip = withoutCues(text), isCueOrStopword
	}
	s.words = c.index.addWords(n, text, skip)
	for k := range s.claims {
		c.index.claimed(n, k, &s.claims[k])
	}
}

// fit makes a text of a draft fit for a state: in visible characters. It says
// why a text cannot be.
func fit(text string) (clean, refused string) {
	clean, classes := redact.Normalise(strings.TrimSpace(text))
	for _, c := range []redact.Class{redact.Bidi, redact.UnicodeTag, redact.ZeroWidth} {
		if classes[c] > 0 {
			return "", kindInvisible
		}
	}
	switch {
	case len(clean) > maxStatement:
		return "", kindSize
	case len(redact.Scan(clean)) > 0 || len(redact.Dirty([]byte(clean))) > 0:
		return "", kindSecret
	case forged(clean):
		return clean, kindForged
	}
	return clean, ""
}

// missing is the kind of the first claim that the transcript does not hold, ""
// where it holds all.
func (s *statement) missing() string {
	for i := range s.claims {
		if !s.claims[i].met {
			return s.claims[i].kind
		}
	}
	return ""
}

// quotes tells whether the statement quotes somebody.
func (s *statement) quotes() bool {
	return slices.ContainsFunc(s.claims, func(c claim) bool { return c.kind == kindQuote })
}

// supported tells whether some block holds enough of the statement's words.
func (s *statement) supported() bool {
	if !s.best.found {
		return false
	}
	if len(s.claims) > 0 {
		// What it claims is there; a few of its words have to be beside it.
		return s.words < 3 || 4*s.best.words >= s.words
	}
	return s.words > 0 && s.best.words >= enough(s.words)
}

// enough is how many of n content words one block has to hold.
func enough(n int) int { return max((n+1)/2, min(n, 2)) }
