package extract

import (
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
	out := make([]word, 0, len(lower)/4)
	first, pause := true, false
	for i := 0; i < len(lower); {
		r, n := utf8.DecodeRuneInString(lower[i:])
		if !isWordRune(r) {
			if isPause(lower, i, r) {
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
		first = first && isOneOf(w.text, fillers...) || isOneOf(w.text, joiners...)
	}
	return out
}

// isPause tells whether the mark r at lower[i] ends a clause: a hyphen only
// where it stands for a dash, a full stop only within the text or as one of several.
func isPause(lower string, i int, r rune) bool {
	switch r {
	case ',', ':', ';', '—', '–', '*':
		return true
	case '-':
		return i > 0 && lower[i-1] == ' '
	case '.':
		return i+1 < len(lower) && lower[i+1] == ' ' || i > 0 && lower[i-1] == '.'
	}
	return false
}

var (
	// fillers may stand before the first word that counts.
	fillers = []string{"pls", "plz", "ok", "okay", "yes", "yeah", "yep", "yup", "sure", "no", "nope", "hmm", "well", "also", "now", "just", "actually", "so", "great", "good", "perfect", "thanks", "maybe", "again", "first", "next", "rules", "note", "important", "finally", "really", "always"}
	// joiners begin a new clause.
	joiners = []string{"and", "but", "please", "pls", "plz", "then", "or", "so", "let's", "lets", "to"}
	// subjects begin a statement, or a question.
	subjects    = []string{"i", "we", "you", "it", "he", "she", "they", "this", "that", "these", "those", "there", "the", "a", "an", "my", "our", "your", "its", "their", "his", "i'm", "i've", "i'd", "i'll", "it's", "that's", "there's", "we're", "we've", "they're", "he's", "she's", "some", "all", "most", "each", "every", "currently", "since", "because", "although", "tests", "which", "who", "one", "still", "already"}
	asking      = []string{"what", "why", "how", "where", "who", "which", "whose", "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "am", "isn't", "aren't", "doesn't", "didn't", "wasn't", "don't", "should", "shouldn't", "would", "could", "can", "can't", "couldn't", "may", "will", "won't"}
	persons     = []string{"i", "we", "you", "it", "they", "he", "she", "this", "that", "these", "those", "there", "the", "a", "an", "my", "our", "your", "anyone", "someone"}
	auxiliaries = []string{"is", "are", "was", "were", "has", "have", "had", "can", "will", "does", "did", "seems", "looks", "got", "isn't", "aren't", "doesn't", "didn't", "don't", "cannot", "can't"}
	leading     = []string{"for", "in", "on", "at", "if", "when", "until", "before", "after", "while", "unless", "as", "from", "during", "once", "with", "whenever", "by"}
	wishes      = []string{"want", "need", "prefer", "wish", "expect", "insist"}
)

// englishRule tells whether a sentence forbids, requires or limits something.
// In a pasted document (strict) a sentence counts only where it says so in
// plain words: much of such a text describes what is.
func englishRule(lower string, strict bool) (polarity string, ok bool) {
	ws := englishWords(withoutBrackets(lower))
	if len(ws) < 2 {
		return "", false
	}
	question, command := isQuestion(lower, ws), commands(ws)
	// What somebody else is reported to say is no rule of the speaker's.
	ws = ws[:reported(ws)]
	counts := func(i int) bool { return !strict || plainCue(ws, i) }
	if !question && forbidsOutright(lower) {
		return forbids, true
	}
	for i := range ws {
		if counts(i) && (!question || ordersWithin(ws, i)) && forbidsAt(ws, i, command) {
			return forbids, true
		}
	}
	for i := range ws {
		if !question && counts(i) && limitsAt(ws, i, command) {
			return limits, true
		}
	}
	if !question && readOnlyMode(lower) {
		return limits, true
	}
	for i := range ws {
		if counts(i) && requiresAt(ws, i, command, question) {
			return requires, true
		}
	}
	if !question && !strict && requiresWhole(lower, ws, command) {
		return requires, true
	}
	return "", false
}

// ordersWithin tells whether a question may forbid something from ws[i] on: it
// is a request, it opens with "without", or a clause with an order of its own
// begins there.
func ordersWithin(ws []word, i int) bool {
	ownClause := ws[i].first && ws[i].pause && !strings.HasPrefix(ws[i].text, "should")
	return asks(ws) || i == 0 && ws[0].text == "without" || ownClause
}

// requiresWhole finds the rules that no single word gives away: how the work is
// delivered ("one commit per step"), what is done each time, the language of
// the answers.
func requiresWhole(lower string, ws []word, command bool) bool {
	shortNote := ws[0].text == "one" && len(ws) <= 6
	return (command || shortNote) && process(lower) || routine(ws, command) ||
		strings.Contains(lower, " in ") && wishedLanguage(lower) != ""
}

// plainCue tells whether ws[i] is a word that makes a rule by itself, or
// opens its sentence.
func plainCue(ws []word, i int) bool {
	return i == openingWord(ws) || isOneOf(ws[i].text, "must", "mustn't", "should", "shouldn't", "never", "always")
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
	if first+1 >= len(ws) || !isOneOf(ws[first].text, asking...) || !isOneOf(ws[first+1].text, persons...) {
		return false
	}
	switch next := ws[first+1].text; ws[first].text {
	case "do": // "Do it without a restart" is an order.
		return isOneOf(next, "i", "we", "you", "they", "he", "she")
	case "don't": // So is "Don't you dare".
		return isOneOf(next, "i", "we", "they", "he", "she")
	}
	return true
}

// asks tells whether a sentence is a request put as a question: "can you", "could you please".
func asks(ws []word) bool {
	i := openingWord(ws)
	return i+1 < len(ws) && ws[i+1].text == "you" && isOneOf(ws[i].text, "can", "could", "would", "will")
}

// openingWord is the index of the first word that is no filler, joiner or adverb.
func openingWord(ws []word) int {
	i := 0
	for i < len(ws)-1 && ws[i].text != "let's" && (isLeadIn(ws[i].text) || isAdverb(ws[i].text)) {
		i++
	}
	return i
}

// isLeadIn tells whether a word only leads up to the first one that counts.
func isLeadIn(w string) bool { return isOneOf(w, fillers...) || isOneOf(w, joiners...) }

func isAdverb(w string) bool {
	return len(w) > 5 && strings.HasSuffix(w, "ly") && !isOneOf(w, "supply", "multiply", "anomaly")
}

// commands tells whether a sentence tells somebody to do something: it begins
// with a verb, as far as one can see without a dictionary.
func commands(ws []word) bool {
	i := openingWord(ws)
	if isOneOf(ws[i].text, leading...) {
		for j := i + 1; j < len(ws); j++ {
			if ws[j].first && !isOneOf(ws[j].text, joiners...) && !isOneOf(ws[j].text, leading...) {
				return startsCommand(ws[j:])
			}
		}
		return true
	}
	return startsCommand(ws[i:])
}

// startsCommand is commands for words without a filler or a condition before them.
func startsCommand(ws []word) bool {
	first, second := ws[0].text, textAt(ws, 1)
	question := isOneOf(first, asking...) && first != "do" && first != "don't"
	switch {
	case first == "i" || first == "we":
		return isOneOf(second, wishes...) || second == "should" || second == "must"
	case isOneOf(first, "i'd", "let's", "lets", "let", "please"):
		return true
	case question, isOneOf(first, subjects...), isNoVerb(first):
		return false
	}
	return !isOneOf(second, auxiliaries...)
}

// isNoVerb tells the words that no command begins with: gerunds, numbers and
// compounds other than verbs like "re-run".
func isNoVerb(w string) bool {
	gerund := strings.HasSuffix(w, "ing") && w != "bring"
	compound := strings.ContainsAny(w, "-_") && !strings.HasPrefix(w, "re-") && !strings.HasPrefix(w, "de-")
	return gerund || compound || isNumber(w)
}

// textAt is the text of ws[i], "" where there is no such word.
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
	for j < i && isLeadIn(ws[j].text) {
		j++
	}
	return j == i || isOneOf(ws[j].text, leading...)
}

func containsAny(ws []word, texts ...string) bool {
	for i := range ws {
		if isOneOf(ws[i].text, texts...) {
			return true
		}
	}
	return false
}

// isThirdPerson: "finishes" and "reaches" state, "finish" and "pass" command.
func isThirdPerson(w string) bool {
	return strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && w != "focus" && w != "bias"
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
