package measure

import (
	"slices"
	"strings"
)

// verdict is what a candidate holds of an atom.
type verdict uint8

const (
	lost verdict = iota
	stale
	half
	full
)

// holder holds atoms against something.
type holder interface {
	hold(a *Atom) verdict
}

// Retain holds atoms against a text: what an agent that reads it would know of
// them. Retained has a row for every kind that there are atoms of, in a fixed order.
func Retain(atoms []Atom, h Held) ([]Retained, []Lost) {
	if h.Text == "" && h.State != nil {
		return RetainState(atoms, h.State)
	}
	return retain(atoms, newReader(h.Text, h.Root))
}

func retain(atoms []Atom, h holder) ([]Retained, []Lost) {
	rows := map[Kind]*Retained{}
	var gone []Lost
	for i := range atoms {
		a := &atoms[i]
		r := rows[a.Kind]
		if r == nil {
			r = &Retained{Kind: a.Kind}
			rows[a.Kind] = r
		}
		r.Of++
		v := h.hold(a)
		switch v {
		case full:
			r.Full++
			continue
		case half:
			r.Half++
		case stale:
			r.Stale++
		}
		gone = append(gone, Lost{
			Kind: a.Kind, Text: a.Text, Half: v == half, Stale: v == stale, Message: a.Message, Line: a.Line,
		})
	}
	var out []Retained
	for _, k := range kindOrder {
		if rows[k] != nil {
			out = append(out, *rows[k])
		}
	}
	return out, gone
}

// reader holds atoms against a text that is read once.
type reader struct {
	x      *index
	root   string
	gaps   []shortened
	hashes map[string]bool
}

func newReader(text, root string) *reader {
	x := newIndex(unfenced(text))
	r := &reader{x: x, root: strings.TrimSuffix(root, "/"), gaps: x.shortenings(), hashes: map[string]bool{}}
	eachHash(x.text, func(w string) { r.hashes[w[:7]] = true })
	return r
}

// unfenced gives back what a block writes in the place of a bracket that might
// end it.
func unfenced(text string) string { return strings.ReplaceAll(text, "‹", "<") }

func (r *reader) hold(a *Atom) verdict {
	switch a.Kind {
	case KindModified, KindInspected:
		return r.path(a)
	case KindRun:
		return r.run(a)
	case KindError:
		return r.failure(a)
	case KindRule:
		return r.sentence(a.Text)
	case KindDecision:
		return r.decision(a)
	case KindTodo:
		return r.todo(a)
	case KindRequest:
		return r.request(a.Text)
	case KindCommit:
		return r.commit(a)
	}
	return r.name(a)
}

// sameF1 is the F1 from which two sentences are the same.
const sameF1 = 0.9

// sentence wants a sentence word for word, or a line or sentence with the same
// words. A text that left a part out holds half of it.
func (r *reader) sentence(s string) verdict {
	if r.x.has(s) {
		return full
	}
	if best, _ := r.x.nearest(s); best >= sameF1 {
		return full
	}
	for i := range r.gaps {
		if r.gaps[i].of(s) {
			return half
		}
	}
	return lost
}

// request wants the beginning of what the user said last. A text that holds
// most of its sentences holds half. A word or two must stand alone in a line.
func (r *reader) request(s string) verdict {
	if len(s) < 20 {
		return r.alone(s)
	}
	if r.x.has(s) {
		return full
	}
	if best, _ := r.x.nearest(s); best >= sameF1 {
		return full
	}
	parts := slices.DeleteFunc(splitSentences(s), func(p string) bool { return len(p) < 15 })
	n := 0
	for _, p := range parts {
		if r.sentence(p) == full {
			n++
		}
	}
	if n > 0 && 2*n >= len(parts) {
		return half
	}
	return lost
}

// alone wants words that a longer text has by accident as a line or a quotation.
func (r *reader) alone(s string) verdict {
	v := lost
	r.x.each(s, func(at int) bool {
		l := r.x.line(at)
		line := strings.Trim(r.x.between(l, l), " -*>#\"“”'`.:")
		quoted := at > 0 && strings.ContainsAny(r.x.text[at-1:at], "\"'`") || strings.HasSuffix(r.x.text[:at], "“")
		if quoted || line == strings.Trim(s, " .:") {
			v = full
		}
		return v == lost
	})
	return v
}

// decision wants the words of a choice. An answer must stand by its question:
// the answer alone is half, where it is more than a word.
func (r *reader) decision(a *Atom) verdict {
	question, answer, ok := strings.Cut(a.Text, choice)
	if !ok {
		return r.sentence(a.Text)
	}
	want := tokens(question)
	v, n := lost, 0
	r.x.each(answer, func(at int) bool {
		l := r.x.line(at)
		near := tokens(r.x.between(l-1, l+1))
		if recall(want, near) >= 0.5 {
			v = full
			return false
		}
		if len(tokens(answer)) > 1 {
			v = half
		}
		n++
		return n < maxPlaces
	})
	return v
}

// recall is how many of the wanted words are there.
func recall(want, there []string) float64 {
	if len(want) == 0 {
		return 1
	}
	n := 0
	for _, w := range want {
		if slices.Contains(there, w) {
			n++
		}
	}
	return float64(n) / float64(len(want))
}

func (r *reader) commit(a *Atom) verdict {
	if len(a.Text) < 7 {
		return r.name(a)
	}
	if r.hashes[a.Text[:7]] || r.x.has(a.Text) || r.x.has(a.Text[:7]) {
		return full
	}
	for _, was := range a.Was {
		if len(was) >= 7 && r.hashes[was[:7]] {
			return stale
		}
	}
	return lost
}

// name wants every word of a name. An issue may be told by its address.
func (r *reader) name(a *Atom) verdict {
	if r.named(a.Text) {
		return full
	}
	if slices.ContainsFunc(a.Was, r.named) {
		return stale
	}
	return lost
}

func (r *reader) named(name string) bool {
	if n, ok := strings.CutPrefix(name, "#"); ok {
		return r.x.has(name) || r.x.has("/pull/"+n) || r.x.has("/issues/"+n) || r.x.has("PR "+n)
	}
	if name == "" {
		return false
	}
	for _, w := range strings.Fields(name) {
		if !r.x.has(w) {
			return false
		}
	}
	return true
}
