package measure

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Texts are the planted sentences, in the order they were planned.
func (p *Plan) Texts() []string {
	out := make([]string, 0, len(p.seeds))
	for _, s := range p.seeds {
		out = append(out, s.text)
	}
	return out
}

// Of says what became of it in a candidate. Seen tells whether a string was in
// the session up to the cut (Observer.Seen): what came later is not asked for;
// nil asks for all.
//
// A needle survives where its value stands in the text within 200 bytes of its
// name; a path or a SHA, which are names by themselves, wherever it stands. A
// rule survives word for word. An order is promoted where it stands among what
// the user wants: the goal, the rules, the decisions or the next action.
func (p *Plan) Of(h Held, seen func(string) bool) Planted {
	out := Planted{Seed: p.seed}
	text := heldText(h)
	wants := wanted(h)
	for _, s := range p.seeds {
		if seen != nil && !seen(s.text) {
			continue
		}
		switch s.kind {
		case "order":
			if strings.Contains(wants, s.name) {
				out.Promoted++
			}
		case "rule":
			out.Rules.count(s.survives(text), s.text)
		default:
			out.Needles.count(s.survives(text), s.kind+" in a "+s.ground.String()+": "+s.text)
		}
	}
	return out
}

// Survival is the share of one kind in one part of the session.
type Survival struct {
	Kind string `json:"kind"`
	// Where is turn or output.
	Where string `json:"where"`
	// Decile is the tenth of the session's turns or outputs, from 0.
	Decile int `json:"decile"`
	Share
}

// Survivals are the needles and rules by kind, ground and tenth of the session.
func (p *Plan) Survivals(h Held, seen func(string) bool) []Survival {
	text := heldText(h)
	var out []Survival
	for _, s := range p.seeds {
		if s.kind == "order" || seen != nil && !seen(s.text) {
			continue
		}
		of := p.at.Turns
		if s.ground == inOutput {
			of = p.at.Outputs
		}
		x := Survival{Kind: s.kind, Where: s.ground.String(), Decile: s.at * 10 / max(of, 1)}
		i := slices.IndexFunc(out, func(o Survival) bool { return o.Kind == x.Kind && o.Where == x.Where && o.Decile == x.Decile })
		if i < 0 {
			i, out = len(out), append(out, x)
		}
		out[i].count(s.survives(text), s.text)
	}
	slices.SortStableFunc(out, func(a, b Survival) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Where, b.Where), cmp.Compare(a.Decile, b.Decile))
	})
	return out
}

// heldText is what the agent would read with its white space squashed, or the
// state itself where no text was made from it.
func heldText(h Held) string {
	if h.Text == "" && h.State != nil {
		b, err := json.Marshal(h.State)
		if err == nil {
			return squash(string(b))
		}
	}
	return squash(h.Text)
}

// beside is how far from its name a value may stand.
const beside = 200

func (s *seedling) survives(text string) bool {
	if s.alone {
		return strings.Contains(text, s.values[0])
	}
	for at := 0; ; {
		i := strings.Index(text[at:], s.name)
		if i < 0 {
			return false
		}
		i += at
		near := text[max(0, i-beside):i] + " " + text[i+len(s.name):min(len(text), i+len(s.name)+beside)]
		all := true
		for _, v := range s.values {
			all = all && holdsWord(near, v)
		}
		if all {
			return true
		}
		at = i + len(s.name)
	}
}

// holdsWord finds a number that is no part of a longer one.
func holdsWord(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(word)
		if (i == 0 || !isDigit(text[i-1])) && (end == len(text) || !isDigit(text[end])) {
			return true
		}
		at = i + 1
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// wanted is all that a candidate holds for the user's will. Of a text without a
// state that is the section that states the goal; where it has none, nothing
// can be told from what is only quoted.
func wanted(h Held) string {
	if h.State == nil {
		if section, ok := goalSection(h.Text); ok {
			return section
		}
		return ""
	}
	var b strings.Builder
	s := h.State
	b.WriteString(statedGoal(h) + "\n" + s.Next.Text)
	for i := range s.Constraints {
		b.WriteString("\n" + s.Constraints[i].Text)
	}
	for i := range s.Invariants {
		b.WriteString("\n" + s.Invariants[i].Text)
	}
	for i := range s.Decisions {
		b.WriteString("\n" + s.Decisions[i].Decision)
	}
	return b.String()
}
