package extract

import (
	"slices"
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
		return slices.Contains([]string{"more", "fewer", "less"}, prev) && isNumber(next) && (command || mustBe(ws))
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
	return w != "" && (w[0] >= '0' && w[0] <= '9' || slices.Contains([]string{"one", "two", "three", "four", "five", "six", "ten", "a"}, w))
}

// onlyLimits tells "only analyse", "work only in X" and "explore only" from
// statements: "this commit is logic-only", "it only fails at night".
func onlyLimits(ws []word, i int, command bool) bool {
	prev, next := textAt(ws, i-1), textAt(ws, i+1)
	if containsAny(ws[:i], "whether") {
		return false
	}
	if slices.Contains([]string{"is", "are", "was", "were", "it", "this", "that", "i've", "i", "the", "an", "a", "not", "has", "have", "had", "there", "it's", "been", "be", "they", "he", "she", "can", "could", "would", "will", "if", "my", "our", "your"}, prev) {
		return containsAny(ws[:i], "must", "should") || prev == "can" && textAt(ws, i-2) == "you"
	}
	if ws[i].first || openClause(ws, i) {
		return next != "" && !isThirdPerson(next) && !slices.Contains([]string{"the", "thing", "one", "problem", "two", "then", "way", "a", "question", "really", "worth", "ever", "just", "because"}, next) || i > 0 && next == ""
	}
	if prev == "we" || prev == "you" {
		return slices.Contains([]string{"want", "need", "use", "change", "touch", "support"}, next)
	}
	return command && !isThirdPerson(next) || containsAny(ws[:i], "must", "should", "may")
}

// requiresAt tells whether ws[i] begins what a rule requires. In a question
// only the plainest cues count.
func requiresAt(ws []word, i int, command, question bool) bool {
	prev, next := textAt(ws, i-1), textAt(ws, i+1)
	switch ws[i].text {
	case "make", "be":
		return next == "sure" && (openClause(ws, i) || asks(ws)) && (!question || asks(ws))
	case "ensure":
		return openClause(ws, i) && (!question || asks(ws))
	}
	if question {
		return false
	}
	switch ws[i].text {
	case "must":
		return next != "have" && next != "be" || next == "be" && !slices.Contains([]string{"it", "that", "this", "there"}, prev)
	case "should":
		return len(ws) > 3 && obliges(ws, i)
	case "always":
		return command && next != "" && openClause(ws, i) || slices.Contains([]string{"must", "should", "please", "you"}, prev) || command && i > 1 && !containsAny(ws[:i], "is", "are", "was", "it", "they") && containsAny(ws[:i], "when", "if", "pr", "prs")
	case "keep":
		if next == "it" && slices.Contains([]string{"stable", "simple", "small", "short", "minimal", "compatible", "backwards", "private", "generic", "consistent", "readable", "concise"}, textAt(ws, i+2)) {
			return openClause(ws, i)
		}
		return openClause(ws, i) && next != "" && !slices.Contains([]string{"going", "in", "working", "up", "me", "it", "on", "trying", "iterating"}, next) && (prev != "to" || containsAny(ws[:i], "sure", "need", "needs", "want", "have", "must"))
	case "stop":
		return openClause(ws, i) && slices.Contains([]string{"after", "when", "before", "and", "once", "at", "if", "there", "here"}, next)
	case "want", "need", "prefer":
		return prefers(ws, i)
	case "needs", "has":
		return ws[i].text == "needs" && next == "to" || ws[i].text == "has" && next == "to" && textAt(ws, i+2) != "be"
	case "instead", "rather":
		return command && (ws[i].text == "instead" || next == "than")
	case "use":
		return openClause(ws, i) && containsAny(ws[i:], "not", "over") && next != "over"
	case "ask":
		return openClause(ws, i) && textAt(ws, i-2) != "need" && slices.Contains([]string{"me", "first", "before", "us"}, next)
	case "wait":
		return openClause(ws, i) && slices.Contains([]string{"for", "until", "till", "before"}, next)
	case "check", "confirm":
		return openClause(ws, i) && next == "with" && textAt(ws, i+2) == "me"
	case "stick":
		return openClause(ws, i) && (next == "to" || next == "with")
	case "remember":
		return openClause(ws, i) && next == "to"
	case "important":
		return (next == "that" || next == "to" || i == 0) && !containsAny(ws[:i], "not", "more")
	case "not":
		return ws[i].pause && next != "" && (command || textAt(ws, 0) == "we" && slices.Contains([]string{"use", "prefer", "write", "want", "call"}, textAt(ws, 1)))
	case "from":
		return next == "now" && textAt(ws, i+2) == "on"
	case "going":
		return next == "forward" && ws[i].first
	case "let's", "lets":
		return slices.Contains([]string{"keep", "use", "stick", "avoid"}, next)
	case "remain", "stay":
		return openClause(ws, i) && next != ""
	}
	return false
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
		return !slices.Contains([]string{"fine", "ok", "okay", "good", "enough", "possible", "easy", "correct", "able", "simple", "safe", "in", "there", "here", "at", "on", "still", "quick", "straightforward"}, after)
	}
	return true
}

// prefers: "I need them to ...", "we want X", "I'd prefer"; "I want to add X" is a goal.
func prefers(ws []word, i int) bool {
	prev, next := textAt(ws, i-1), textAt(ws, i+1)
	if ws[i].text == "need" && next == "to" {
		return slices.Contains([]string{"you", "they", "these", "those", "all", "tests"}, prev)
	}
	if ws[i].text == "prefer" && openClause(ws, i) {
		return next != ""
	}
	return slices.Contains([]string{"i", "we", "i'd", "we'd"}, prev) && !slices.Contains([]string{"", "to", "you", "help", "some"}, next)
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
		if (ws[i].text == "each" || ws[i].text == "every") && (textAt(ws, i-1) == "after" || textAt(ws, i-1) == "before") || ws[i].text == "per" && i > 1 && isNumber(textAt(ws, 0)) {
			return true
		}
	}
	return false
}
