package extract

import (
	"strings"
)

// limitsAt tells whether ws[i] begins what limits a command.
func limitsAt(ws []word, i int, command bool) bool {
	prev, next := textAt(ws, i-1), textAt(ws, i+1)
	switch ws[i].text {
	case "only":
		return onlyLimits(ws, i, command)
	case "unless", "except":
		return command || containsAny(ws[:i], "must", "should", "always", "never", "no")
	case "most", "least":
		return prev == "at" && isNumber(next) && (command || mustBe(ws))
	case "than":
		return isOneOf(prev, "more", "fewer", "less") && isNumber(next) && (command || mustBe(ws))
	case "under", "below", "within", "max", "maximum":
		return isNumber(next) && (command || mustBe(ws) || ws[i].first)
	case "limit", "restrict":
		return i == openingWord(ws) && next != ""
	case "up":
		return next == "to" && isNumber(textAt(ws, i+2)) && command
	}
	return false
}

// readOnlyMode: the sentence says that a mode or a session is read-only.
func readOnlyMode(lower string) bool {
	if !strings.Contains(lower, "read-only") && !strings.Contains(lower, "readonly") {
		return false
	}
	if len(strings.Fields(lower)) <= 4 {
		return true
	}
	for _, w := range [...]string{"mode", "sandbox", "session", "explore", "strictly", "stay", "access"} {
		if hasPhrase(lower, w) {
			return true
		}
	}
	return false
}

func mustBe(ws []word) bool {
	return containsAny(ws, "must", "should", "keep", "stay", "needs", "need")
}

func isNumber(w string) bool {
	return w != "" && (w[0] >= '0' && w[0] <= '9' || isOneOf(w, "one", "two", "three", "four", "five", "six", "ten", "a"))
}

// onlyLimits tells "only analyse", "work only in X" and "explore only" from
// statements: "this commit is logic-only", "it only fails at night".
func onlyLimits(ws []word, i int, command bool) bool {
	prev, next := textAt(ws, i-1), textAt(ws, i+1)
	if containsAny(ws[:i], "whether") {
		return false
	}
	if isOneOf(prev, "is", "are", "was", "were", "it", "this", "that", "i've", "i", "the", "an", "a", "not", "has", "have", "had", "there", "it's", "been", "be", "they", "he", "she", "can", "could", "would", "will", "if", "my", "our", "your") {
		return containsAny(ws[:i], "must", "should") || prev == "can" && textAt(ws, i-2) == "you"
	}
	if openClause(ws, i) {
		return next != "" && !isThirdPerson(next) && !isOneOf(next, "the", "thing", "one", "problem", "two", "then", "way", "a", "question", "really", "worth", "ever", "just", "because") || i > 0 && next == ""
	}
	if prev == "we" || prev == "you" {
		return isOneOf(next, "want", "need", "use", "change", "touch", "support")
	}
	return command && !isThirdPerson(next) || containsAny(ws[:i], "must", "should", "may")
}

// requiresAt tells whether ws[i] begins what a rule requires. In a question
// only the plainest cues count.
func requiresAt(ws []word, i int, command, question bool) bool {
	prev, next := textAt(ws, i-1), textAt(ws, i+1)
	switch ws[i].text {
	case "make", "be":
		return next == "sure" && (asks(ws) || !question && openClause(ws, i))
	case "ensure":
		return openClause(ws, i) && (!question || asks(ws))
	}
	if question {
		return false
	}
	switch ws[i].text {
	case "must":
		return next != "have" && next != "be" || next == "be" && !isOneOf(prev, "it", "that", "this", "there")
	case "should":
		return len(ws) > 3 && obliges(ws, i)
	case "always":
		return alwaysRequires(ws, i, command)
	case "keep":
		return keepRequires(ws, i)
	case "stop":
		return openClause(ws, i) && isOneOf(next, "after", "when", "before", "and", "once", "at", "if", "there", "here")
	case "want", "need", "prefer":
		return prefers(ws, i)
	case "needs":
		return next == "to"
	case "has":
		return next == "to" && textAt(ws, i+2) != "be"
	case "instead":
		return command
	case "rather":
		return command && next == "than"
	case "use":
		return openClause(ws, i) && containsAny(ws[i:], "not", "over") && next != "over"
	case "ask":
		return openClause(ws, i) && textAt(ws, i-2) != "need" && isOneOf(next, "me", "first", "before", "us")
	case "wait":
		return openClause(ws, i) && isOneOf(next, "for", "until", "till", "before")
	case "check", "confirm":
		return openClause(ws, i) && next == "with" && textAt(ws, i+2) == "me"
	case "stick":
		return openClause(ws, i) && (next == "to" || next == "with")
	case "remember":
		return openClause(ws, i) && next == "to"
	case "important":
		return (next == "that" || next == "to" || i == 0) && !containsAny(ws[:i], "not", "more")
	case "not":
		return ws[i].pause && next != "" && (command || textAt(ws, 0) == "we" && isOneOf(textAt(ws, 1), "use", "prefer", "write", "want", "call"))
	case "from":
		return next == "now" && textAt(ws, i+2) == "on"
	case "going":
		return next == "forward" && ws[i].first
	case "let's", "lets":
		return isOneOf(next, "keep", "use", "stick", "avoid")
	case "remain", "stay":
		return openClause(ws, i) && next != ""
	}
	return false
}

// alwaysRequires tells "always run the linter", "you always" and "for a PR,
// always" from "it always fails".
func alwaysRequires(ws []word, i int, command bool) bool {
	if isOneOf(textAt(ws, i-1), "must", "should", "please", "you") {
		return true
	}
	if command && openClause(ws, i) && textAt(ws, i+1) != "" {
		return true
	}
	states := containsAny(ws[:i], "is", "are", "was", "it", "they")
	return command && i > 1 && !states && containsAny(ws[:i], "when", "if", "pr", "prs")
}

// keepRequires tells "keep the API stable" from "keep going" and "to keep it".
func keepRequires(ws []word, i int) bool {
	next := textAt(ws, i+1)
	if !openClause(ws, i) {
		return false
	}
	if next == "it" && isOneOf(textAt(ws, i+2), "stable", "simple", "small", "short", "minimal", "compatible", "backwards", "private", "generic", "consistent", "readable", "concise") {
		return true
	}
	if isOneOf(next, "", "going", "in", "working", "up", "me", "it", "on", "trying", "iterating") {
		return false
	}
	return textAt(ws, i-1) != "to" || containsAny(ws[:i], "sure", "need", "needs", "want", "have", "must")
}

// obliges tells "it should be removed" from "that should be fine".
func obliges(ws []word, i int) bool {
	next, after := textAt(ws, i+1), textAt(ws, i+2)
	if containsAny(ws[:i], "whether") {
		return false
	}
	switch next {
	case "have", "mean", "work", "probably", "i", "we", "", "not": // "should not" forbids, or says nothing
		return false
	case "do":
		return after != "it" && after != "that" && after != "the"
	case "just", "also", "still", "now":
		return after != "work" && after != "be" || after == "be" && obliges(ws, i+1)
	case "be":
		return !isOneOf(after, "fine", "ok", "okay", "good", "enough", "possible", "easy", "correct", "able", "simple", "safe", "in", "there", "here", "at", "on", "still", "quick", "straightforward")
	}
	return true
}

// prefers: "I need them to ...", "we want X", "I'd prefer"; "I want to add X" is a goal.
func prefers(ws []word, i int) bool {
	prev, next := textAt(ws, i-1), textAt(ws, i+1)
	if ws[i].text == "need" && next == "to" {
		return isOneOf(prev, "you", "they", "these", "those", "all", "tests")
	}
	if ws[i].text == "prefer" && openClause(ws, i) {
		return next != ""
	}
	return isOneOf(prev, "i", "we", "i'd", "we'd") && !isOneOf(next, "", "to", "you", "help", "some")
}

// process finds rules about how the work is cut and delivered, which often
// have no modal verb: "let's do this in 3 commits", "make a new branch".
func process(lower string) bool {
	for _, p := range [...]string{"new branch", "separate branch", "one branch", "own branch", "feature branch", "separate commit", "individual commit", "meaningful commit", "small commit", "atomic commit", "single commit", "one commit", "another commit", "separate pr", "draft pr", "as a draft", "in draft", "squash", "conventional commit", "tests first", "test first", "stacked pr"} {
		if strings.Contains(lower, p) {
			return true
		}
	}
	i := strings.Index(lower, " commits")
	if i < 0 {
		return false
	}
	before := lower[:i]
	return isNumber(before[strings.LastIndexByte(before, ' ')+1:])
}

// forbidsOutright finds the phrases that forbid whatever stands around them.
func forbidsOutright(lower string) bool {
	for _, p := range [...]string{"under no circumstances", "in no case", "on no account", "not allowed to", "is not allowed", "are not allowed", "is forbidden", "are forbidden", "is prohibited", "are prohibited", "off limits", "off-limits", "is frozen", "are frozen", "rather you didn't", "rather not"} {
		if strings.Contains(lower, p) {
			return true
		}
	}
	return false
}

// routine finds what is to be done each time: "before committing, run the
// linter", "commit after each step".
func routine(ws []word, command bool) bool {
	if !command {
		return false
	}
	switch ws[openingWord(ws)].text {
	case "before", "after", "whenever":
		return containsAny(ws[1:min(4, len(ws))], "committing", "commit", "pushing", "push", "merging", "merge", "deploying", "each", "every", "any")
	}
	for i := range ws {
		switch ws[i].text {
		case "each", "every":
			if isOneOf(textAt(ws, i-1), "after", "before") {
				return true
			}
		case "per": // "one commit per step"
			if i > 1 && isNumber(ws[0].text) {
				return true
			}
		}
	}
	return false
}
