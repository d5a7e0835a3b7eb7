package extract

import "strings"

// forbidsAt tells whether ws[i] begins what a rule forbids. Each cue has its own
// ways of only stating something.
func forbidsAt(ws []word, i int, command bool) bool {
	prev, next := textAt(ws, i-1), textAt(ws, i+1)
	switch ws[i].text {
	case "never":
		return neverForbids(ws, i)
	case "don't", "dont":
		return negates(ws, i, i+1)
	case "do", "must", "should", "shall", "may":
		return modalForbids(ws, i)
	case "mustn't", "shouldn't", "shouldnt":
		return next != "have" && len(ws) > 3 && !(i == 0 && isOneOf(next, persons...))
	case "cannot", "can't":
		return prev == "you" && next != "see" || prev == "we" && isOneOf(next, "change", "break", "touch", "use", "add", "modify", "drop", "lose", "push", "deploy", "upgrade", "rename", "remove", "afford", "have")
	case "no":
		return deniesNoun(ws, i) || sparesWork(ws, i)
	case "nothing", "nobody", "none":
		return ws[i].first && isOneOf(next, "gets", "may", "should", "must", "can", "is", "leaves", "goes", "else", "of", "touches", "changes") && textAt(ws, i+2) != "wrong" && !containsAny(ws[:i], "nothing")
	case "without":
		return i == 0 || (command || asks(ws)) && next != "" && next != "any"
	case "avoid":
		return openClause(ws, i) && prev != "to" || isOneOf(prev, "must", "should", "please")
	case "leave":
		return openClause(ws, i) && containsAny(ws[i:], "alone", "untouched", "as-is", "as", "unchanged", "intact", "place", "be")
	case "stop":
		return openClause(ws, i) && strings.HasSuffix(next, "ing")
	case "longer":
		return prev == "no" && openClause(ws, i-1)
	case "hands", "hold":
		return next == "off" && openClause(ws, i)
	case "careful", "sure", "try":
		return next == "not" && textAt(ws, i+2) == "to"
	case "let's", "lets":
		return next == "not"
	case "skip", "exclude":
		return ws[i].first && i == openingWord(ws) && next != ""
	}
	return false
}

// neverForbids tells "never push" and "you must never" from "never mind", "it
// never finishes" and "it never worked".
func neverForbids(ws []word, i int) bool {
	prev, next := textAt(ws, i-1), textAt(ws, i+1)
	if next == "" || next == "mind" || strings.HasSuffix(next, "ed") || isThirdPerson(next) {
		return false
	}
	return openClause(ws, i) && !describes(ws, i) || isOneOf(prev, "must", "should", "shall", "please", "will", "you", "we", "to", "can")
}

// modalForbids reads "do not", "you may not", "must never" and "should not".
func modalForbids(ws []word, i int) bool {
	next, after := textAt(ws, i+1), textAt(ws, i+2)
	if next != "not" && !(ws[i].text == "must" && next == "never") {
		return false
	}
	switch ws[i].text {
	case "do":
		return negates(ws, i, i+2)
	case "may":
		return textAt(ws, i-1) == "you"
	}
	return after != "have" && after != "mean" && len(ws) > 3
}

// negates tells whether "don't" before ws[verb] is an order, not a statement.
func negates(ws []word, i, verb int) bool {
	next := textAt(ws, verb)
	switch prev := textAt(ws, i-1); {
	case next == "" || next == "worry":
		return false
	case openClause(ws, i):
		return !describes(ws, i) && !isOneOf(next, "i", "we", "you", "they", "know", "think", "get", "see") || next == "you" && textAt(ws, verb+1) == "dare"
	case next == "think" && (prev == "i" || prev == "we"):
		then := textAt(ws, verb+2)
		return isOneOf(textAt(ws, verb+1), "i", "we", "you") && (then == "should" || then == "must" || then == "want")
	case prev == "i" || prev == "we":
		return isOneOf(next, "want", "wish", "like", "allow", "accept", "commit", "use", "push", "do")
	case prev == "you":
		return !isOneOf(next, "need", "have", "know", "see", "seem", "get", "think", "want")
	}
	return false
}

// sparesWork: "no need to look outside of this folder", but neither "no need"
// nor "no need to ask", which allows something.
func sparesWork(ws []word, i int) bool {
	return ws[i].first && textAt(ws, i+1) == "need" && textAt(ws, i+2) == "to" && len(ws) > i+4 &&
		!isOneOf(ws[i+3].text, "ask", "worry", "wait", "confirm", "apologise", "apologize", "thank", "say", "tell", "explain", "rush", "panic")
}

// afterPlainNo are the words before which "no" is an answer, or denies nothing
// that could be done.
var afterPlainNo = []string{"i", "it", "it's", "its", "we", "you", "they", "he", "she", "that", "that's", "this", "the", "don't", "do", "not", "need", "problem", "problems", "worries", "idea", "let's", "just", "wait", "please", "way", "thanks", "matter", "longer", "actually", "use", "we're", "but", "and", "because", "remove", "thank", "clue", "rush", "there", "keep", "make", "go", "why", "what", "how", "is", "are", "a", "in", "for", "my", "your", "our", "issue", "issues", "errors", "error", "reason", "doubt", "luck", "big", "changes"}

// deniesNoun: "no new dependencies", but not "no, it is fine" or "no need".
func deniesNoun(ws []word, i int) bool {
	next := textAt(ws, i+1)
	if !ws[i].first || next == "" || ws[i+1].pause || containsAny(ws[i+1:], "needed", "necessary", "required") || containsAny(ws[:i], auxiliaries...) {
		return false
	}
	if containsAny(ws[i+1:min(i+6, len(ws))], "was", "were", "got", "has", "had") || i > openingWord(ws)+1 && !commands(ws) {
		return false
	}
	// "No changes" is an order; with much more after it, it tells what happened.
	return !isOneOf(next, afterPlainNo...) || next == "changes" && len(ws) <= i+6
}

// describes tells whether the clause before "and", "but" or "or" belongs to a
// relative clause, which the words after it go on with: "where we use X but
// don't change Y".
func describes(ws []word, i int) bool {
	if prev := textAt(ws, i-1); prev != "and" && prev != "but" && prev != "or" {
		return false
	}
	for j := i - 2; j >= 0; j-- {
		if isOneOf(ws[j].text, "where", "which", "who", "that", "because", "stays", "is", "has", "does", "gets") {
			return true
		}
		if ws[j].pause {
			return false
		}
	}
	return false
}
