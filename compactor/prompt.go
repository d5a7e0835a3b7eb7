package compactor

import (
	"github.com/pith-memory/pith"
)

// head is what a prompt has before the history: a JSON object without its end.
type head struct {
	json []byte
	size
}

// document is the head's shape. The history follows it as its last field but
// one, a retry as its last.
type document struct {
	Part     partOf `json:"part"`
	Focus    string `json:"focus,omitempty"`
	Facts    *facts `json:"known_facts,omitempty"`
	Previous *Draft `json:"previous_memory,omitempty"`
}

// partOf numbers the parts from 1. How many there are is not known while the
// history streams.
type partOf struct {
	N int `json:"n"`
}

// retry tells the model what was wrong with its last answer, in our words,
// beside the beginning of that answer.
type retry struct {
	Problem string `json:"problem"`
	Answer  string `json:"your_answer_began,omitempty"`
}

// The shares of a prompt's room that the head may take, and the most of each.
const (
	factsShare    = 6
	previousShare = 2
	maxFacts      = pith.Tokens(1500)
	maxFocus      = 600 // characters
)

func (r *runner) head(n int, memory *Draft, room pith.Tokens) head {
	d := document{Part: partOf{N: n}, Focus: shortenTo(r.focus, min(maxFocus, max(0, int(room))))}
	d.Facts = knownFacts(r.in.State, min(maxFacts, max(0, room/factsShare)))
	d.Previous = memory.fitted(max(0, room/previousShare))
	h := head{json: encode(d)}
	h.json = h.json[:len(h.json)-1]
	h.size = measure(&r.counter, string(h.json)+historyOpens+historyEnds)
	return h
}

const (
	historyOpens = `,"history":[`
	historyEnds  = `]}`
)

// prompt joins the head and the entries of a part into one JSON document.
func (p *part) prompt(again *retry) string {
	n := len(p.head.json) + len(historyOpens) + len(historyEnds)
	for i := range p.entries {
		n += len(p.entries[i].json) + 1
	}
	b := make([]byte, 0, n+1024)
	b = append(append(b, p.head.json...), historyOpens...)
	if p.omitted > 0 {
		b = append(b, encode(entry{I: p.entries[0].I, From: "harness", Kind: "text", Text: omission(p.omitted)})...)
		b = append(b, ',')
	}
	for i := range p.entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, p.entries[i].json...)
	}
	b = append(b, ']')
	if again != nil {
		b = append(append(b, `,"retry":`...), encode(again)...)
	}
	return string(append(b, '}'))
}
