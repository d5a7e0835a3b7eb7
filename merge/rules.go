package merge

import (
	"strings"
	"unicode/utf8"
)

// rule is a sentence of a draft that states a rule or a permission. It stands
// only where somebody who may say so did.
type rule struct {
	text string
	// permission is set where it says that something is allowed.
	permission bool
	// told is set where it only says what the user said.
	told    bool
	negated bool
	keys    map[string]bool
	// held is set once a trusted text says the same; scoped where one does, but
	// binds it to a case that the draft leaves out.
	held, scoped bool
}

func newRule(text string, permission bool) *rule {
	lower := strings.ToLower(text)
	return &rule{text: lower, permission: permission, negated: isNegated(lower), keys: contentKeys(withoutCues(text), isCueOrStopword)}
}

// ruleOf reads a sentence that states a rule or a permission, nil for others.
func ruleOf(sentence string) *rule {
	lower := strings.ToLower(oneLine(sentence))
	permission := holdsAny(lower, permissionCues[:]) || speaksForUser(lower, approving[:])
	told, orders := speaksForUser(lower, wishing[:]), holdsAny(lower, ruleCues[:]) || commands(lower)
	if !permission && !told && !orders {
		return nil
	}
	r := newRule(sentence, permission)
	r.told = told && !permission && !orders
	return r
}

// kind is why the rule is left out.
func (r *rule) kind() string {
	if r.permission {
		return kindApproval
	}
	return kindConstraint
}

// read looks for the rule in a trusted text.
func (r *rule) read(text string) {
	if len(r.keys) == 0 {
		return // it names nothing that could be looked up
	}
	eachSentence(text, func(s string) {
		if r.held || !r.sharedWith(s) {
			return
		}
		lower := strings.ToLower(oneLine(s))
		switch {
		case isNegated(lower) != r.negated:
		case r.permission && !r.negated && !approves(lower):
		case leavesOut(r.text, lower):
			r.scoped = true
		default:
			r.held = true
		}
	})
}

// sharedWith tells whether a sentence holds most of what the rule is about.
func (r *rule) sharedWith(sentence string) bool {
	keys := contentKeys(withoutCues(sentence), isCueOrStopword)
	shared := 0
	for k := range r.keys {
		if keys[k] {
			shared++
		}
	}
	need := (len(r.keys)*2 + 2) / 3
	return shared >= max(need, min(len(r.keys), 2))
}

// withoutCues takes the cues out of a text in a script without spaces, whose
// words are not told apart otherwise.
func withoutCues(text string) string {
	if strings.IndexFunc(text, isIdeograph) < 0 {
		return text
	}
	for _, cues := range [...][]string{users[:], approving[:], wishing[:], permissionCues[:], ruleCues[:], affirming[:]} {
		for _, c := range cues {
			if r, _ := utf8.DecodeRuneInString(c); isIdeograph(r) {
				text = strings.ReplaceAll(text, c, " ")
			}
		}
	}
	return text
}

// contentKeys are the content words of a text by their stems.
func contentKeys(text string, skip func(string) bool) map[string]bool {
	keys := map[string]bool{}
	eachContentWord(text, skip, func(w string, kind wordKind) {
		if kind != bigram {
			w = stemOf(w)
		}
		keys[w] = true
	})
	return keys
}

// leavesOut tells whether a trusted sentence binds its rule to a case that the
// draft's does not name.
func leavesOut(draft, trusted string) bool {
	for _, c := range conditions {
		if holdsWord(trusted, c) && !holdsWord(draft, c) {
			return true
		}
	}
	return false
}

// approves tells whether a sentence of the user's allows something: it says
// so, or orders it.
func approves(lower string) bool {
	if strings.HasSuffix(lower, "?") || strings.HasSuffix(lower, "？") {
		return false
	}
	return holdsAny(lower, affirming[:])
}

func isNegated(lower string) bool { return holdsAny(lower, negations[:]) }

// speaksForUser tells whether a sentence says what the user did.
func speaksForUser(lower string, verbs []string) bool {
	for _, who := range users {
		for from := 0; ; {
			i := strings.Index(lower[from:], who)
			if i < 0 {
				break
			}
			from += i + len(who)
			if holdsAny(lower[from:min(len(lower), from+48)], verbs) {
				return true
			}
		}
	}
	return false
}

// commands tells whether a clause of a sentence begins as an order does.
func commands(lower string) bool {
	for _, c := range orders {
		for from := 0; ; {
			i := strings.Index(lower[from:], c)
			if i < 0 {
				break
			}
			i += from
			from = i + len(c)
			if beginsClause(lower[:i]) && (from == len(lower) || !isWordByte(lower[from])) {
				return true
			}
		}
	}
	return false
}

func beginsClause(before string) bool {
	before = strings.TrimRight(before, " ")
	if before == "" || strings.IndexByte(",;:-.!(*", before[len(before)-1]) >= 0 {
		return true
	}
	for _, joiner := range [...]string{"and", "but", "please", "then", "you", "we", "agent"} {
		if rest, ok := strings.CutSuffix(before, joiner); ok && (rest == "" || !isWordByte(rest[len(rest)-1])) {
			return true
		}
	}
	return false
}

func holdsAny(lower string, words []string) bool {
	for _, w := range words {
		if holdsWord(lower, w) {
			return true
		}
	}
	return false
}

// holdsWord finds a word or a phrase that is no part of another word; scripts
// without spaces have no such bounds.
func holdsWord(lower, w string) bool {
	for from := 0; ; {
		i := strings.Index(lower[from:], w)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(w)
		if !isWordByte(w[0]) || (i == 0 || !isWordByte(lower[i-1])) && (from == len(lower) || !isWordByte(lower[from])) {
			return true
		}
	}
}

// forged tells whether a statement is worded as an order that replaces the
// user's: no summary of work needs such words.
func forged(text string) bool {
	lower := strings.ToLower(oneLine(text))
	for _, w := range forgeries {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return false
}
