package extract

import (
	"strings"
	"sync"

	"github.com/pith-memory/pith"
)

// approach is a sentence of the assistant that gives something up.
type approach struct {
	quote pith.Quote
	// reverts is set where the sentence says that work is taken back.
	reverts bool
}

const maxApproaches = 40

func (s *failureSlot) said(said *Said) {
	switch said.Origin {
	case pith.UserExplicit:
		s.userSaid(said)
	case pith.Assistant:
		if said.Agent == "" {
			s.assistantSaid(said)
		}
	}
}

// userSaid joins the user's words with the call that they refused, or with the
// proposal that they turn down.
func (s *failureSlot) userSaid(said *Said) {
	words := strings.TrimSpace(said.Text)
	if s.refused != nil {
		if said.Command == "" {
			s.refused.item.Reason = shorten(firstLines(words), maxReason)
			s.refused = nil
		}
		s.proposal = pith.Quote{}
		return
	}
	if s.proposal.Text != "" && turnsDown(words) {
		a := &attempt{item: pith.FailedAttempt{
			Attempt: s.proposal.Text, ErrorSignature: "rejected by the user", Reason: shorten(firstLines(words), maxReason),
			Occurrences: 1, DoNotRetry: true, Provenance: pith.UserExplicit, Source: said.At,
		}}
		s.attempts = append(s.attempts, a)
	}
	s.proposal = pith.Quote{}
}

func firstLines(words string) string {
	if i := strings.Index(words, "\n\n"); i > 0 {
		return words[:i]
	}
	return words
}

// turnsDown tells whether an answer begins with a refusal.
func turnsDown(words string) bool {
	lower := strings.ToLower(words[:min(len(words), 60)])
	for _, no := range [...]string{"no problem", "no worries", "no rush", "no need to ask", "no idea", "no preference", "not yet", "no further", "nothing else"} {
		if strings.HasPrefix(lower, no) {
			return false
		}
	}
	for _, no := range [...]string{"no", "nope", "nah", "don't", "dont", "do not", "never", "please don't", "nein", "non", "nicht", "нет", "não", "いいえ", "不要", "不用", "不行", "아니"} {
		rest, ok := strings.CutPrefix(lower, no)
		if ok && (rest == "" || strings.IndexByte(" ,.!;:-\n", rest[0]) >= 0 || no[0] >= 0x80) {
			return true
		}
	}
	return false
}

// assistantSaid notes proposals and approaches that were given up.
func (s *failureSlot) assistantSaid(said *Said) {
	s.proposal = pith.Quote{}
	text := said.Text
	if tail := strings.TrimRight(text, " \n*_"); strings.HasSuffix(tail, "?") {
		start := lastSentence(tail)
		if q := tail[start:]; proposes(q) {
			s.proposal = pith.Quote{Text: shorten(q, 600), Provenance: pith.Assistant, Source: said.Span(start, len(tail))}
		}
	}
	if !mayGiveUp(text) {
		return
	}
	previous := sentence{}
	sentences(text, func(at sentence) {
		before := previous
		previous = at
		q := text[at.start:at.end]
		reverts, ok := givesUp(q)
		if !ok || len(s.approaches) >= maxApproaches*4 {
			return
		}
		start := at.start
		if reverts && before.end > 0 && at.start-before.end < 3 && before.end-before.start < 200 {
			start = before.start
		}
		words := shorten(text[start:at.end], 500)
		s.approaches = append(s.approaches, approach{reverts: reverts, quote: pith.Quote{
			Text: words, Provenance: pith.Assistant, Source: said.Span(start, start+len(words)),
		}})
	})
}

// lastSentence is where the last sentence of a text begins.
func lastSentence(text string) int {
	for i := len(text) - 2; i > 0; i-- {
		if text[i] == '\n' || text[i] == ' ' && strings.IndexByte(".!?:", text[i-1]) >= 0 {
			return i + 1
		}
	}
	return 0
}

func proposes(question string) bool {
	q := strings.ToLower(question)
	for _, w := range [...]string{"shall i", "should i", "want me to", "would you like me to", "do you want me", "shall we", "should we", "how about", "may i", "can i ", "ok to ", "okay to ", "ready for me to", "soll ich"} {
		if strings.Contains(q, w) {
			return true
		}
	}
	return false
}

// givingUp are the phrases that state, as a fact, that something tried did not
// do. "revert" is one only in the first person.
var givingUp = [...]string{
	"didn't work", "did not work", "doesn't work because", "does not work because", "won't work because", "is too slow", "was too slow",
	"deadlocks", "deadlocked", "gave up on", "giving up on", "ruled out", "dead end", "made it worse", "makes it worse", "made things worse",
	"abandoned", "abandoning", "that approach fail", "this approach fail", "that failed because", "rolled back", "backed out", "backing out", "was tried and ", "were tried and ", "made it slower",
}

// givingUpSet also holds what all forms of "revert" have in common.
var givingUpSet = sync.OnceValue(func() *phraseSet { return newPhraseSet(append(givingUp[:], "evert")...) })

func mayGiveUp(text string) bool { return givingUpSet().in(text) }

// givesUp tells whether a sentence gives up something that was tried, and
// whether it takes work back.
func givesUp(sentence string) (reverts, ok bool) {
	if len(sentence) > 400 || strings.ContainsAny(sentence, "?|") {
		return false, false
	}
	lower := " " + strings.ToLower(sentence) + " "
	if strings.Contains(lower, " was tried and ") || strings.Contains(lower, " were tried and ") {
		return false, true // what came of it follows, whatever the condition
	}
	for _, w := range [...]string{" if ", " would ", " could ", " might ", " should ", " unless ", " whether ", " may ", " will ", " to avoid ", " can ", " when ", " must ", " before ", " until ", " test "} {
		if strings.Contains(lower, w) {
			return false, false
		}
	}
	for _, w := range [...]string{" i revert ", " i reverted ", " i'm reverting ", " i am reverting ", " i have reverted ", " i've reverted ", " i'll revert ", " let me revert "} {
		if strings.Contains(lower, w) {
			return true, true
		}
	}
	if strings.HasPrefix(lower, " reverting ") || strings.HasPrefix(lower, " reverted ") {
		return true, true
	}
	for _, w := range givingUp {
		if strings.Contains(lower, w) {
			return false, true
		}
	}
	return false, false
}

// givenUp turns the sentences into failed attempts, with what the last
// verification before each of them said.
func (s *failureSlot) givenUp(ev *evidenceSlot) []pith.FailedAttempt {
	from := max(0, len(s.approaches)-maxApproaches)
	var out []pith.FailedAttempt
	for _, a := range s.approaches[from:] {
		it := pith.FailedAttempt{
			Attempt: a.quote.Text, Reason: causeOf(a.quote.Text), Occurrences: 1,
			Provenance: pith.Assistant, Source: a.quote.Source,
		}
		if a.reverts {
			it.EndedBy = "reverted"
		}
		r := ev.lastBefore(a.quote.Source)
		if r != nil && a.quote.Source.Message-r.item.Source.Message <= 4 {
			it.ErrorSignature = r.says()
		}
		if it.ErrorSignature == "" {
			if a.reverts && it.Reason == it.Attempt {
				continue // a revert without a failure or a reason is no lesson
			}
			it.ErrorSignature = firstLine(it.Reason)
		}
		out = append(out, it)
	}
	return out
}

// says is the line of a run that tells most: its failure, or its last words.
func (r *evidenceRun) says() string {
	if r.item.Signature != "" {
		return r.item.Signature
	}
	if r.item.Excerpt == nil {
		return ""
	}
	for i := len(r.item.Excerpt.Tail) - 1; i >= 0; i-- {
		if s := strings.TrimSpace(r.item.Excerpt.Tail[i]); s != "" && lineRank(s) != rankEnd {
			return s
		}
	}
	return ""
}

// causeOf is the part of a sentence that gives the reason, or all of it.
func causeOf(text string) string {
	for _, w := range [...]string{" because ", " since ", " due to ", " — ", " – ", ": "} {
		if i := strings.Index(text, w); i > 0 && i+len(w) < len(text) {
			return strings.TrimSpace(text[i:])
		}
	}
	return text
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line)
}
