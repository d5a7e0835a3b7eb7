package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// agreeing begin a reply that says yes.
var agreeing = []string{
	"yes", "yeah", "yep", "yup", "ok", "okay", "sure", "go ahead", "go for it", "do it", "do that", "sounds good", "looks good", "lgtm", "perfect", "agreed", "approved", "fine", "please do", "let's do", "proceed", "ship it", "right", "correct", "great", "good",
	"sí", "si", "vale", "de acuerdo", "adelante", "sim", "pode", "certo", "beleza", "oui", "d'accord", "vas-y", "ja", "gut", "einverstanden", "mach das", "да", "хорошо", "давай", "好", "好的", "可以", "是的", "行", "はい", "お願い", "了解", "네", "좋아", "그래", "예",
}

// choosing are the words with which a user makes a choice of their own.
var choosing = []string{"let's use", "let's go with", "let's try", "let's store", "let's keep", "let's do", "let's put", "let's make", "let's abandon", "lets use", "lets go with", "go with", "i decided", "we decided", "i prefer", "i'd rather", "we'll go", "we'll use", "we will use", "option ", "is now", "are now", "use that", "use this", "take the"}

// user reads a user's text for a verdict on the assistant's proposal, and for
// choices of the user's own.
func (d *decisionSlot) user(s *Said) {
	t := s.trimmed()
	if t.text == "" || len(t.text) > maxReply {
		return
	}
	lower := plainLower(t.text)
	if endsAsQuestion(lower) && !startsWithOne(lower, refusing) {
		return
	}
	p := d.proposal
	switch {
	case p.text != "" && startsWithOne(lower, refusing):
		d.verdict(t, "rejected", p)
	case p.text != "" && agrees(lower, p.asked):
		d.verdict(t, "approved", p)
	default:
		d.choices(s)
	}
}

func startsWithOne(lower string, list []string) bool {
	for _, p := range list {
		if rest, ok := strings.CutPrefix(lower, p); ok && (strings.HasSuffix(p, " ") || !wordAfter(rest, 0) || p[0] >= 0xe3) {
			return true
		}
	}
	return false
}

// agrees tells whether a reply says yes. Without a question before it, only a
// reply that does nothing else counts.
func agrees(lower string, asked bool) bool {
	if !startsWithOne(lower, agreeing) || strings.HasPrefix(lower, "right now") {
		return false
	}
	return asked || len(lower) <= 80
}

// verdict records the user's words; the proposal they answer is the reason
// for a yes, and what a no rules out.
func (d *decisionSlot) verdict(t said, status string, p proposal) {
	k := pith.Decision{Decision: t.text, Status: status, Provenance: pith.UserExplicit, Source: t.at}
	if status == "rejected" {
		k.Rejected = []pith.Alternative{{Alternative: p.text, Reason: reasonAfterNo(t.text)}}
	} else {
		k.Rationale = p.text
		d.settle(p)
	}
	d.add(k)
}

// settle takes a stated choice out of the list that the user has approved: it
// stands as the reason of the approval.
func (d *decisionSlot) settle(p proposal) {
	for i := range d.list {
		if d.list[i].Source == p.at && d.list[i].Status == "stated" {
			d.list = append(d.list[:i], d.list[i+1:]...)
			return
		}
	}
}

// reasonAfterNo is what follows the first clause of a refusal.
func reasonAfterNo(text string) string {
	if r := reasonIn(text); r != "" {
		return r
	}
	first, _, _ := strings.Cut(text, ". ")
	if i := strings.LastIndex(first, ", "); i > 0 && i+2 < len(first) {
		return strings.TrimRight(first[i+2:], ".")
	}
	return ""
}

// choices records the sentences in which the user chooses.
func (d *decisionSlot) choices(s *Said) {
	sentences(s.Text, func(p sentence) {
		text := s.Text[p.start:p.end]
		lower := plainLower(text)
		if len(text) > maxDecisionBytes || endsAsQuestion(lower) {
			return
		}
		for _, c := range choosing {
			if hasPhrase(lower, strings.TrimSpace(c)) && (c != "is now" && c != "are now" || strings.Contains(lower, " not ")) {
				d.add(pith.Decision{
					Decision: text, Rationale: reasonIn(text), Rejected: alternativesIn(text),
					Status: "approved", Provenance: pith.UserExplicit, Source: s.Span(p.start, p.end),
				})
				return
			}
		}
	})
}
