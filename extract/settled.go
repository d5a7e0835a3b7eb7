package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// What an earlier state has under way may be ended, taken back or changed by
// words alone, where no list is written again.

// newValue reads "the timeout is now 15, not 5": what it is about and the
// value that no longer holds.
func newValue(text string) (name, old string, ok bool) {
	lower := plainLower(text)
	name, rest, ok := strings.Cut(lower, " is now ")
	if !ok {
		return "", "", false
	}
	for _, not := range [...]string{", not ", " instead of ", " (was ", ", no longer "} {
		if _, was, found := strings.Cut(rest, not); found {
			old = strings.Trim(firstField(was), ".,;:!)\"'`")
			break
		}
	}
	if i := strings.LastIndexAny(name, ".,;:!?\n"); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimSpace(name)
	for _, article := range [...]string{"the ", "our ", "that ", "my "} {
		name = strings.TrimPrefix(name, article)
	}
	return name, old, name != "" && old != "" && len(name) < 60
}

func firstField(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, " \n\t"); i >= 0 {
		return s[:i]
	}
	return s
}

// supersede drops the decisions that set a value which the user's words change.
func (d *decisionSlot) supersede(k *pith.Decision) {
	if k.Provenance != pith.UserExplicit {
		return
	}
	name, old, ok := newValue(k.Decision)
	if !ok {
		return
	}
	kept := d.list[:0]
	for _, was := range d.list {
		lower := plainLower(was.Decision)
		if hasWord(lower, name) && hasWord(lower, old) {
			k.Rejected = append(k.Rejected, pith.Alternative{Alternative: was.Decision})
			continue
		}
		kept = append(kept, was)
	}
	d.list = kept
}

// hasWord finds a word, or several, that stand alone in a text.
func hasWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		if !wordBefore(text, i) && (end == len(text) || !isWordByte(text[end])) {
			return true
		}
		from = end
	}
}

// isDone and takenBack are what an assistant says of a step that it ended.
var (
	isDone    = [...]string{" is done", " is finished", " is complete", " is ready", " is implemented", " is in place", " are done", " are finished"}
	takenBack = [...]string{"i reverted", "i've reverted", "i have reverted", "i rolled back", "i removed it", "i backed out", "i took it out"}
)

// said settles the steps that came from an earlier state by what the assistant
// says of them: their thing is named, and that it is done or taken back.
func (t *todoSlot) said(s *Said) {
	if !t.carried || s.Origin != pith.Assistant {
		return
	}
	previous := ""
	sentences(s.Text, func(at sentence) {
		text := plainLower(s.Text[at.start:at.end])
		back := hasPhraseOf(text, takenBack[:])
		about := text
		if back && !t.names(text) {
			about = previous // "It made things slower. I reverted it."
		}
		for i := range t.tasks {
			k := &t.tasks[i]
			thing := thingOf(k.text)
			switch {
			case len(thing) < 3:
			case back && hasWord(about, thing) && k.status == "completed":
				k.status, k.at = "cancelled", s.Span(at.start, at.end)
			case k.status != "completed" && k.status != "cancelled" && endsThing(text, thing):
				k.status, k.at = "completed", s.Span(at.start, at.end)
			}
		}
		previous = text
	})
}

// names tells whether a sentence is about any of the steps.
func (t *todoSlot) names(text string) bool {
	for i := range t.tasks {
		if thing := thingOf(t.tasks[i].text); len(thing) >= 3 && hasWord(text, thing) {
			return true
		}
	}
	return false
}

// endsThing tells whether a sentence says that a thing is done, right behind its name.
func endsThing(text, thing string) bool {
	for _, f := range isDone {
		if i := strings.Index(text, thing+f); i >= 0 && !wordBefore(text, i) && !strings.Contains(text[:i], "once ") && !strings.Contains(text[:i], "when ") && !strings.Contains(text[:i], "if ") {
			return true
		}
	}
	return false
}

func hasPhraseOf(text string, phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// thingOf is what a step is about: "write parser" is about the parser.
func thingOf(text string) string {
	words := strings.Fields(plainLower(text))
	if len(words) == 0 {
		return ""
	}
	return strings.Trim(words[len(words)-1], ".,;:!?\"'`")
}
