package measure

import (
	"strings"

	"github.com/pith-memory/pith"
)

// DriftOf compares what the user asked for with what a candidate says the goal
// is. A state says it in its goal and amendments; a text in the section that
// states the goal, or, where it has none, in all of it. Other is the goal of
// another session, stale the goal before the last amendment ("" takes it from
// the user's words): controls that must come out lower.
//
// A session in which the user said nothing has nothing to drift from: it has no
// GDM, and a cosine of 1.
//
// The two equalities are over words: white space is squashed, and where the
// candidate redacted a secret anything may stand. The rest is lexical (see
// Cosine): verbatim pinning reaches 1 trivially and a faithful paraphrase does
// not, so the figure says whether words were kept, not whether they were meant.
func DriftOf(user Words, h Held, other, stale string) Drift {
	says := statedGoal(h)
	d := Drift{Goal: holdsGoal(user, h), Amendments: holdsAmendments(user, h)}
	held := features(says)
	d.Cosine = 1
	if current := user.Current(); current != "" {
		d.Cosine = cosine(features(current), held)
	}
	d.GDM = 1 - d.Cosine
	if other != "" {
		d.Other = cosine(features(other), held)
	}
	if stale == "" {
		stale = user.Stale()
	}
	if stale != "" {
		d.Stale = cosine(features(stale), held)
	}
	return d
}

// statedGoal is what a candidate says the goal is.
func statedGoal(h Held) string {
	if h.State == nil {
		section, _ := goalSection(h.Text)
		return section
	}
	var b strings.Builder
	b.WriteString(h.State.Goal.Text)
	for i := range h.State.Goal.Amendments {
		b.WriteString("\n" + h.State.Goal.Amendments[i].Text)
	}
	return b.String()
}

// goalSection finds the section of a text that states the goal, and gives the
// whole text and false where it has none.
func goalSection(text string) (string, bool) {
	for _, form := range []struct{ opens, closes string }{
		{"§ Goal", "\n§ "},
		{"Primary Request and Intent", "\n2. "},
		{"## Goal", "\n## "},
		{"Goal:", "\n\n"},
	} {
		// Claude Code writes an analysis first that has the same heading in it.
		i := strings.LastIndex(text, form.opens)
		if i < 0 || form.opens == "Goal:" && i > 0 && text[i-1] != '\n' {
			continue
		}
		section, _, _ := strings.Cut(text[i+len(form.opens):], form.closes)
		if section = strings.Trim(section, ":* \t\r\n"); section != "" {
			return section, true
		}
	}
	return text, false
}

// holdsGoal tells whether the first request is kept word for word.
func holdsGoal(user Words, h Held) bool {
	if h.State == nil {
		return user.Goal == "" || sameWithin(squash(user.Goal), squash(h.Text))
	}
	if user.Goal == "" {
		return h.State.Goal.Provenance != pith.UserExplicit
	}
	return sameWords(squash(user.Goal), squash(h.State.Goal.Text))
}

// holdsAmendments tells whether everything that was said later is kept: whole,
// or head and tail where the state says that it shortened a pasted bulk, or as
// the beginning of a later text that only went on.
func holdsAmendments(user Words, h Held) bool {
	if h.State == nil {
		all := squash(h.Text)
		for _, a := range user.Amendments {
			if !sameWithin(squash(a), all) {
				return false
			}
		}
		return true
	}
	held := []string{squash(h.State.Goal.Text)}
	exact := map[string]bool{held[0]: true}
	for i := range h.State.Goal.Amendments {
		a := squash(h.State.Goal.Amendments[i].Text)
		held, exact[a] = append(held, a), true
	}
	for _, a := range user.Amendments {
		if a = squash(a); !exact[a] && !heldByAny(a, h.State, held) {
			return false
		}
	}
	return true
}

func heldByAny(said string, s *pith.State, held []string) bool {
	for i, text := range held {
		if sameWords(said, text) || strings.HasPrefix(text, said) {
			return true
		}
		if i > 0 && s.Goal.Amendments[i-1].Shortened && sameEnds(said, text) {
			return true
		}
	}
	return false
}

// sameEnds tells whether a shortened text begins and ends as what was said.
func sameEnds(said, held string) bool {
	const end = 300
	return len(held) > 2*end && len(said) > len(held)-end && strings.HasPrefix(said, held[:end]) && strings.HasSuffix(said, held[len(held)-end:])
}

const redactedMark = "[REDACTED:"

// sameWords tells whether two squashed texts are equal, where a redaction in
// the second stands for any text.
func sameWords(said, held string) bool {
	if said == held {
		return true
	}
	parts := aroundRedactions(held)
	if len(parts) == 1 || !strings.HasPrefix(said, parts[0]) || !strings.HasSuffix(said, parts[len(parts)-1]) {
		return false
	}
	return inOrder(said, parts)
}

// sameWithin tells whether a squashed text holds another. A text with
// redactions holds it where its first and last words are there and nothing but
// a redaction keeps the rest from being equal.
func sameWithin(said, text string) bool {
	if strings.Contains(text, said) {
		return true
	}
	if !strings.Contains(text, redactedMark) || len(said) < 40 {
		return false
	}
	const ends = 20
	i := strings.Index(text, said[:ends])
	if i < 0 {
		return false
	}
	j := strings.Index(text[i:], said[len(said)-ends:])
	return j >= 0 && sameWords(said, text[i:i+j+ends])
}

// aroundRedactions are the parts of a text between its redaction marks.
func aroundRedactions(text string) []string {
	var parts []string
	for {
		i := strings.Index(text, redactedMark)
		if i < 0 {
			return append(parts, text)
		}
		parts = append(parts, text[:i])
		_, text, _ = strings.Cut(text[i:], "]")
	}
}

func inOrder(text string, parts []string) bool {
	for _, p := range parts {
		i := strings.Index(text, p)
		if i < 0 {
			return false
		}
		text = text[i+len(p):]
	}
	return true
}
