package extract

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// word is a word of an English sentence, in lower case.
type word struct {
	text string
	// first is set where a clause begins: after a comma, a colon, "and", "please".
	first bool
	// pause is set where a mark stands before the word.
	pause bool
}

// englishWords splits a lower-case sentence into words.
func englishWords(lower string) []word {
	var out []word
	first, pause := true, false
	for i := 0; i < len(lower); {
		r, n := utf8.DecodeRuneInString(lower[i:])
		if !isWordRune(r) {
			if strings.ContainsRune(",:;—–*", r) || r == '-' && i > 0 && lower[i-1] == ' ' || r == '.' && i+1 < len(lower) && lower[i+1] == ' ' || r == '.' && i > 0 && lower[i-1] == '.' {
				first, pause = true, true
			}
			i += n
			continue
		}
		from := i
		for i < len(lower) {
			r, n := utf8.DecodeRuneInString(lower[i:])
			inside := (r == '\'' || r == '-') && i+n < len(lower) && wordAfter(lower, i+n)
			if !isWordRune(r) && !inside {
				break
			}
			i += n
		}
		w := word{lower[from:i], first, pause}
		pause = false
		out = append(out, w)
		first = first && slices.Contains(fillers, w.text) || slices.Contains(joiners, w.text)
	}
	return out
}

var (
	// fillers may stand before the first word that counts.
	fillers = []string{"pls", "plz", "ok", "okay", "yes", "yeah", "yep", "yup", "sure", "no", "nope", "hmm", "well", "also", "now", "just", "actually", "so", "great", "good", "perfect", "thanks", "maybe", "again", "first", "next", "rules", "note", "important", "finally", "really", "always"}
	// joiners begin a new clause.
	joiners = []string{"and", "but", "please", "pls", "plz", "then", "or", "so", "let's", "lets", "to"}
	// subjects begin a statement, or a question.
	subjects = []string{"i", "we", "you", "it", "he", "she", "they", "this", "that", "these", "those", "there", "the", "a", "an", "my", "our", "your", "its", "their", "his", "i'm", "i've", "i'd", "i'll", "it's", "that's", "there's", "we're", "we've", "they're", "he's", "she's", "some", "all", "most", "each", "every", "currently", "since", "because", "although", "tests", "which", "who", "one", "still", "already"}
	asking   = []string{"what", "why", "how", "where", "who", "which", "whose", "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "am", "isn't", "aren't", "doesn't", "didn't", "wasn't", "don't", "should", "shouldn't", "would", "could", "can", "can't", "couldn't", "may", "will", "won't"}
	persons  = []string{"i", "we", "you", "it", "they", "he", "she", "this", "that", "these", "those", "there", "the", "a", "an", "my", "our", "your", "anyone", "someone"}
	auxiliar = []string{"is", "are", "was", "were", "has", "have", "had", "can", "will", "does", "did", "seems", "looks", "got", "isn't", "aren't", "doesn't", "didn't", "don't", "cannot", "can't"}
	leading  = []string{"for", "in", "on", "at", "if", "when", "until", "before", "after", "while", "unless", "as", "from", "during", "once", "with", "whenever", "by"}
	wishes   = []string{"want", "need", "prefer", "wish", "expect", "insist"}
)

// englishRule tells whether a sentence forbids, requires or limits something.
// In a pasted document (strict) a sentence counts only where it says so in
// plain words: much of such a text describes what is.
func englishRule(lower string, strict bool) (polarity string, ok bool) {
	ws := englishWords(withoutBrackets(lower))
	if len(ws) < 2 {
		return "", false
	}
	question := isQuestion(lower, ws)
	command := commands(ws)
	// What somebody else is reported to say is no rule of the speaker's.
	ws = ws[:reported(ws)]
	if !question && forbidsOutright(lower) {
		return forbids, true
	}
	for i := range ws {
		if strict && !plainCue(ws, i) || question && !asks(ws) && !(i == 0 && ws[0].text == "without") && !(ws[i].first && ws[i].pause && !strings.HasPrefix(ws[i].text, "should")) {
			continue
		}
		if forbidsAt(ws, i, command) {
			return forbids, true
		}
	}
	for i := range ws {
		if !question && !(strict && !plainCue(ws, i)) && limitsAt(ws, i, command) {
			return limits, true
		}
	}
	if !question && readOnlyMode(lower) {
		return limits, true
	}
	for i := range ws {
		if !(strict && !plainCue(ws, i)) && requiresAt(ws, i, command, question) {
			return requires, true
		}
	}
	if !question && !strict && (command || asks(ws) || ws[0].text == "one" && len(ws) <= 6) && process(lower) {
		return requires, true
	}
	if !question && !strict && (routine(ws, command) || strings.Contains(lower, " in ") && wishedLanguage(lower) != "") {
		return requires, true
	}
	return "", false
}

// plainCue tells whether ws[i] is a word that makes a rule by itself, or
// opens its sentence.
func plainCue(ws []word, i int) bool {
	return i == openingWord(ws) || slices.Contains([]string{"must", "mustn't", "should", "shouldn't", "never", "always"}, ws[i].text)
}

// withoutBrackets leaves out what stands in brackets within a sentence: it
// explains, and seldom commands.
func withoutBrackets(s string) string {
	open := strings.IndexByte(s, '(')
	if open <= 0 {
		return s
	}
	end := strings.IndexByte(s[open:], ')')
	if end < 0 {
		return s
	}
	return s[:open] + withoutBrackets(s[open+end+1:])
}

// isQuestion tells a question from a request that is put as one: "can you fix
// it without ..." asks for something and may set a limit to it.
func isQuestion(lower string, ws []word) bool {
	if strings.HasSuffix(strings.TrimRight(lower, `"')*`), "?") {
		return true
	}
	first := openingWord(ws)
	if first+1 >= len(ws) || !slices.Contains(asking, ws[first].text) || !slices.Contains(persons, ws[first+1].text) {
		return false
	}
	// "Do it without a restart" and "Don't you dare" are orders.
	return ws[first].text != "do" && ws[first].text != "don't" || slices.Contains([]string{"i", "we", "they", "he", "she"}, ws[first+1].text) || ws[first].text == "do" && ws[first+1].text == "you"
}

// asks tells whether a sentence is a request put as a question: "can you", "could you please".
func asks(ws []word) bool {
	i := openingWord(ws)
	return i+1 < len(ws) && ws[i+1].text == "you" && slices.Contains([]string{"can", "could", "would", "will"}, ws[i].text)
}

func openingWord(ws []word) int {
	i := 0
	for i < len(ws)-1 && ws[i].text != "let's" && (slices.Contains(fillers, ws[i].text) || slices.Contains(joiners, ws[i].text) || isAdverb(ws[i].text)) {
		i++
	}
	return i
}

func isAdverb(w string) bool {
	return len(w) > 5 && strings.HasSuffix(w, "ly") && !slices.Contains([]string{"supply", "multiply", "anomaly"}, w)
}

// commands tells whether a sentence tells somebody to do something: it begins
// with a verb, as far as one can see without a dictionary.
func commands(ws []word) bool {
	i := openingWord(ws)
	if slices.Contains(leading, ws[i].text) {
		for j := i + 1; j < len(ws); j++ {
			if ws[j].first && !slices.Contains(joiners, ws[j].text) && !slices.Contains(leading, ws[j].text) {
				return startsCommand(ws[j:])
			}
		}
		return true
	}
	return startsCommand(ws[i:])
}

func startsCommand(ws []word) bool {
	switch {
	case len(ws) > 1 && (ws[0].text == "i" || ws[0].text == "we") && (slices.Contains(wishes, ws[1].text) || ws[1].text == "should" || ws[1].text == "must"):
		return true
	case ws[0].text == "i'd" || ws[0].text == "let's" || ws[0].text == "lets" || ws[0].text == "let" || ws[0].text == "please":
		return true
	case slices.Contains(subjects, ws[0].text), slices.Contains(asking, ws[0].text) && ws[0].text != "do" && ws[0].text != "don't":
		return false
	case strings.HasSuffix(ws[0].text, "ing") && ws[0].text != "bring", isNumber(ws[0].text), strings.ContainsAny(ws[0].text, "-_") && !strings.HasPrefix(ws[0].text, "re-") && !strings.HasPrefix(ws[0].text, "de-"):
		return false
	}
	return len(ws) < 2 || !slices.Contains(auxiliar, ws[1].text)
}

func textAt(ws []word, i int) string {
	if i < 0 || i >= len(ws) {
		return ""
	}
	return ws[i].text
}

// openClause tells whether no subject stands before ws[i] in its clause.
func openClause(ws []word, i int) bool {
	j := i
	for j > 0 && !ws[j].first {
		j--
	}
	for j < i && (slices.Contains(fillers, ws[j].text) || slices.Contains(joiners, ws[j].text)) {
		j++
	}
	return j == i || slices.Contains(leading, ws[j].text)
}

func forbidsAt(ws []word, i int, command bool) bool {
	prev, next := textAt(ws, i-1), textAt(ws, i+1)
	switch w := ws[i].text; w {
	case "never":
		return next != "mind" && next != "" && !strings.HasSuffix(next, "ed") && !isThirdPerson(next) && (openClause(ws, i) && !describes(ws, i) || slices.Contains([]string{"must", "should", "shall", "please", "will", "you", "we", "to", "can"}, prev))
	case "don't", "dont", "don’t":
		return negates(ws, i, i+1)
	case "do", "must", "should", "shall", "may":
		switch {
		case next != "not" && !(w == "must" && next == "never"):
			return false
		case w == "do":
			return negates(ws, i, i+2)
		case w == "may":
			return prev == "you"
		}
		return textAt(ws, i+2) != "have" && textAt(ws, i+2) != "mean" && len(ws) > 3
	case "mustn't", "shouldn't", "shouldnt":
		return next != "have" && len(ws) > 3 && !(i == 0 && slices.Contains(persons, next))
	case "cannot", "can't":
		return prev == "you" && next != "see" || prev == "we" && slices.Contains([]string{"change", "break", "touch", "use", "add", "modify", "drop", "lose", "push", "deploy", "upgrade", "rename", "remove", "afford", "have"}, next)
	case "no":
		return deniesNoun(ws, i) || sparesWork(ws, i)
	case "nothing", "nobody", "none":
		return ws[i].first && slices.Contains([]string{"gets", "may", "should", "must", "can", "is", "leaves", "goes", "else", "of", "touches", "changes"}, next) && textAt(ws, i+2) != "wrong" && !containsAny(ws[:i], "nothing")
	case "without":
		return (command || asks(ws)) && next != "" && next != "any" || openClause(ws, i) && i == 0
	case "avoid":
		return ws[i].first && !describes(ws, i) && prev != "to" || openClause(ws, i) && prev != "to" || slices.Contains([]string{"must", "should", "please"}, prev)
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

// negates tells whether "don't" before ws[verb] is an order, not a statement.
func negates(ws []word, i, verb int) bool {
	next := textAt(ws, verb)
	switch prev := textAt(ws, i-1); {
	case next == "" || next == "worry":
		return false
	case ws[i].first || openClause(ws, i):
		return !describes(ws, i) && !slices.Contains([]string{"i", "we", "you", "they", "know", "think", "get", "see"}, next) || next == "you" && textAt(ws, verb+1) == "dare"
	case next == "think" && (prev == "i" || prev == "we"):
		then := textAt(ws, verb+2)
		return slices.Contains([]string{"i", "we", "you"}, textAt(ws, verb+1)) && (then == "should" || then == "must" || then == "want")
	case prev == "i" || prev == "we":
		return slices.Contains([]string{"want", "wish", "like", "allow", "accept", "commit", "use", "push", "do"}, next)
	case prev == "you":
		return !slices.Contains([]string{"need", "have", "know", "see", "seem", "get", "think", "want"}, next)
	}
	return false
}

// sparesWork: "no need to look outside of this folder", but neither "no need"
// nor "no need to ask", which allows something.
func sparesWork(ws []word, i int) bool {
	return ws[i].first && textAt(ws, i+1) == "need" && textAt(ws, i+2) == "to" && len(ws) > i+4 &&
		!slices.Contains([]string{"ask", "worry", "wait", "confirm", "apologise", "apologize", "thank", "say", "tell", "explain", "rush", "panic"}, ws[i+3].text)
}

// deniesNoun: "no new dependencies", but not "no, it is fine" or "no need".
func deniesNoun(ws []word, i int) bool {
	next := textAt(ws, i+1)
	if !ws[i].first || next == "" || ws[i+1].pause || containsAny(ws[i+1:], "needed", "necessary", "required") || containsAny(ws[:i], auxiliar...) {
		return false
	}
	if containsAny(ws[i+1:min(i+6, len(ws))], "was", "were", "got", "has", "had") || i > openingWord(ws)+1 && !commands(ws) {
		return false
	}
	return !slices.Contains([]string{"i", "it", "it's", "its", "we", "you", "they", "he", "she", "that", "that's", "this", "the", "don't", "do", "not", "need", "problem", "problems", "worries", "idea", "let's", "just", "wait", "please", "way", "thanks", "matter", "longer", "actually", "use", "we're", "but", "and", "because", "remove", "thank", "clue", "rush", "there", "keep", "make", "go", "why", "what", "how", "is", "are", "a", "in", "for", "my", "your", "our", "issue", "issues", "errors", "error", "reason", "doubt", "luck", "big", "changes"}, next) || next == "changes" && len(ws) <= i+6
}

func containsAny(ws []word, texts ...string) bool {
	for i := range ws {
		if slices.Contains(texts, ws[i].text) {
			return true
		}
	}
	return false
}

// isThirdPerson: "finishes" and "reaches" state, "finish" and "pass" command.
func isThirdPerson(w string) bool {
	return strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && w != "focus" && w != "bias"
}

// describes tells whether the clause before "and", "but" or "or" belongs to a
// relative clause, which the words after it go on with: "where we use X but
// don't change Y".
func describes(ws []word, i int) bool {
	if prev := textAt(ws, i-1); prev != "and" && prev != "but" && prev != "or" {
		return false
	}
	for j := i - 2; j >= 0; j-- {
		if slices.Contains([]string{"where", "which", "who", "that", "because", "stays", "is", "has", "does", "gets"}, ws[j].text) {
			return true
		}
		if ws[j].pause {
			return false
		}
	}
	return false
}

// reported is where a sentence begins to report what somebody else says.
func reported(ws []word) int {
	for i := range ws {
		switch ws[i].text {
		case "say", "says", "said", "told", "claims", "reads", "complains", "saying":
			return i + 1
		}
	}
	return len(ws)
}
