package extract

import (
	"strings"
	"sync"

	"github.com/pith-memory/pith"
)

// choiceMarks begin a plainly stated choice or finding. The needle is quick
// to search for; one of the marks must stand in the sentence, in lower case.
var choiceMarks = [...]struct {
	needle string
	marks  []string
	// contrast wants a reason or an alternative in the same sentence.
	contrast bool
}{
	{"oot cause", []string{"root cause:", "root cause is", "root cause was", "root cause**:", "root cause:**"}, false},
	{"he fix", []string{"the fix:", "the fix is to", "the fix is simple:", "the fix was to", "the fix**:", "the fix:**"}, false},
	{"ecision", []string{"decision:", "decision is", "decision**:", "decision:**"}, false},
	{"ecided", []string{"i decided", "we decided", "i've decided", "decided to", "decided against"}, false},
	{"oing with", []string{"i'm going with", "going with", "i am going with"}, false},
	{"go with", []string{"i'll go with", "let's go with", "i will go with"}, false},
	{"chose", []string{"i chose", "we chose", "chose to"}, true},
	{"pting for", []string{"opting for"}, false},
	{"'ll use", []string{"i'll use", "we'll use"}, true},
	{"ill use", []string{"i will use", "we will use"}, true},
	{"nstead of", []string{"i'll", "i will", "i used", "i switched", "switching to", "switched to", "replaced", "i'm"}, true},
}

// idle are alternatives that nobody would have taken: to name them is no choice.
var idle = []string{"just ", "only ", "merely ", "simply ", "guess", "speculat", "assum", "papering", "hoping", "leaving changes", "getting stuck", "waiting"}

// proposalMarks begin what the assistant only proposes.
var proposalMarks = []string{"i suggest", "i recommend", "i propose", "i'd suggest", "i'd recommend", "i would suggest", "i would recommend", "shall i", "should i", "want me to", "would you like me to", "do you want me to", "my recommendation", "recommended:", "proposal:", "we could", "i could", "i can ", "option ", "if you want", "if you'd like", "ready to proceed", "ok to proceed", "proceed?", "go ahead?", "¿quieres que", "quer que eu", "devo ", "voulez-vous que", "veux-tu que", "soll ich", "мне сделать", "хотите", "要不要", "需要我", "是否要", "しましょうか", "よろしいですか", "할까요", "decision:"}

// assistant reads the choices that the assistant states and the proposal it
// ends with.
func (d *decisionSlot) assistant(s *Said) {
	if at := choicesIn(s.Text); len(at) > 0 {
		sentences(s.Text, func(p sentence) {
			for _, i := range at {
				if p.start <= i && i < p.end {
					d.choice(s, p)
					return
				}
			}
		})
	}
	d.latest[0], d.latest[1] = d.latest[1], *s
}

// maxChoices bounds the places in one text that are looked at.
const maxChoices = 64

// choiceNeedles holds the needles of choiceMarks.
var choiceNeedles = sync.OnceValue(func() *phraseSet {
	var all []string
	for i := range choiceMarks {
		all = append(all, choiceMarks[i].needle)
	}
	return newPhraseSet(all...)
})

// choicesIn gives the places in a text where a choice may be stated.
func choicesIn(text string) []int {
	var out []int
	needles := choiceNeedles()
	for at := needles.index(text, 0); at >= 0 && len(out) < maxChoices; at = needles.index(text, at+1) {
		out = append(out, at)
	}
	return out
}

func (d *decisionSlot) choice(s *Said, p sentence) {
	text := s.Text[p.start:p.end]
	if len(text) > maxDecisionBytes || len(text) < 15 || strings.HasSuffix(text, "?") {
		return
	}
	lower := plainLower(text)
	if !statesChoice(lower) {
		return
	}
	d.add(pith.Decision{
		Decision: text, Rationale: reasonIn(text), Rejected: alternativesIn(text),
		Status: "stated", Provenance: pith.Assistant, Source: s.Span(p.start, p.end),
	})
	// The user may answer to it: "OK, cursor."
	d.proposal = proposal{text: text, at: s.Span(p.start, p.end), turn: s.Turn}
}

// statesChoice tells a choice from a plan to find one, a condition, or the
// choice to go on looking.
func statesChoice(lower string) bool {
	for _, w := range idle {
		if strings.Contains(lower, "instead of "+w) || strings.Contains(lower, "rather than "+w) {
			return false
		}
	}
	for _, p := range [...]string{"let me", "requesting permission", "if ", "once ", "find the root cause", "could be", "might be", "whether", "need to decide", "you decided", "to decide"} {
		if strings.HasPrefix(lower, p) || p != "if " && p != "once " && strings.Contains(lower, p) {
			return false
		}
	}
	for i := range choiceMarks {
		m := &choiceMarks[i]
		for _, mark := range m.marks {
			if strings.Contains(lower, m.needle) && strings.Contains(lower, mark) && (!m.contrast || contrasts(lower)) {
				return true
			}
		}
	}
	return false
}

func contrasts(lower string) bool {
	for _, w := range [...]string{"because", "instead of", "rather than", " since ", "so that", " over "} {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return false
}

// reasonIn returns the part of a sentence that says why.
func reasonIn(text string) string {
	lower := foldCase(text)
	for _, p := range [...]string{"because ", "since ", "so that "} {
		if i := phraseAt(lower, strings.TrimSpace(p)); i > 0 {
			return strings.TrimRight(text[i:], ".!")
		}
	}
	return ""
}

// alternativesIn returns what a sentence rules out.
func alternativesIn(text string) []pith.Alternative {
	lower := foldCase(text)
	for _, p := range [...]string{"instead of ", "rather than ", "decided against "} {
		i := strings.Index(lower, p)
		if i < 0 {
			continue
		}
		rest := clauseFrom(text[i+len(p):], 0)
		for _, stop := range [...]string{" because", " since", " so that", " — ", " - "} {
			rest, _, _ = strings.Cut(rest, stop)
		}
		if rest = strings.TrimSpace(rest); rest != "" {
			return []pith.Alternative{{Alternative: rest}}
		}
	}
	return nil
}

// maxTail is how much of the end of a text is searched for a proposal: a
// question that more than this follows was not meant to be answered.
const maxTail = 1200

// propose looks for a proposal in the assistant's last texts: one that is not
// of the latest turns is no longer on the table.
func (d *decisionSlot) propose() {
	for i := range d.latest {
		if s := &d.latest[i]; s.Text != "" {
			d.proposeIn(s)
		}
	}
}

// proposeIn keeps the last proposal of a text that ends by asking for a word
// on it. A question about facts is no proposal.
func (d *decisionSlot) proposeIn(s *Said) {
	if d.proposal.text != "" && s.Turn-d.proposal.turn > 2 {
		d.proposal = proposal{}
	}
	tail := cutFrom(s.Text, maxTail)
	base := len(s.Text) - len(tail)
	if !leavesOpen(tail) {
		return
	}
	var all []sentence
	sentences(tail, func(p sentence) { all = append(all, p) })
	if len(all) == 0 {
		return
	}
	last := all[len(all)-1]
	closing := tail[last.start:last.end]
	if !endsAsQuestion(closing) && !offers(closing) {
		return
	}
	var proposed sentence
	for _, p := range all {
		lower := plainLower(tail[p.start:p.end])
		if marked(lower) && (proposed.end == 0 || !endsAsQuestion(lower) || proposed.start < p.start-maxReply) {
			proposed = p
		}
	}
	if proposed.end == 0 && len(all) > 1 && asksForAWord(closing) {
		proposed = all[len(all)-2]
	}
	if proposed.end == 0 {
		return
	}
	if text := tail[proposed.start:proposed.end]; len(text) <= maxDecisionBytes {
		d.proposal = proposal{text: text, at: s.Span(base+proposed.start, base+proposed.end), asked: true, turn: s.Turn}
	}
}

// offers tells whether a sentence leaves it to the user: "if you want".
func offers(closing string) bool {
	return strings.Contains(closing, "f you want") || strings.Contains(closing, "f you’d like") || strings.Contains(closing, "f you'd like")
}

// leavesOpen is a quick look for what offers and endsAsQuestion want.
func leavesOpen(tail string) bool {
	if strings.IndexByte(tail, '?') >= 0 || offers(tail) {
		return true
	}
	for _, end := range questionEnds {
		if strings.Contains(tail, end) {
			return true
		}
	}
	return false
}

// asksForAWord: "OK?", "Run it?" ask for a word on the sentence before.
func asksForAWord(closing string) bool {
	ws := englishWords(strings.ToLower(closing))
	return endsAsQuestion(closing) && len(ws) > 0 && len(ws) <= 3 && !containsAny(ws, "or") && !isOneOf(ws[0].text, asking...) && !isOneOf(ws[0].text, "what's", "how's", "anything")
}

var proposalSet = sync.OnceValue(func() *phraseSet { return newPhraseSet(proposalMarks...) })

func marked(lower string) bool { return proposalSet().in(lower) }
