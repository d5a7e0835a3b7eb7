package extract

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// decayPerCall is what a use is worth one call later.
const decayPerCall = 0.985

// maxNames bounds a table: past it the names of the lower half go.
const maxNames = 50000

// failingLead lifts a failing test over every name that does not fail: no score
// of uses comes near it.
const failingLead = 1000

// mention is where a name was seen and what that weighs.
type mention struct {
	at     pith.Source
	weight float32
	// hex is set where a hexadecimal word can be a commit.
	hex bool
	// call is set in the arguments of a call, output in what a tool printed,
	// failing where the call failed.
	call, output, failing bool
}

// nameTable counts the uses of names of one kind.
type nameTable struct {
	index map[string]int32
	uses  []nameUse
	decay *[1024]float32
}

type nameUse struct {
	name    string
	note    string
	at      pith.Source
	score   float32
	counted float32 // of the score, by the text that was read last
	last    int32
	block   int32
	failing bool
}

// add counts a mention. A text counts once, by its weightiest mention.
func (t *nameTable) add(n *nameSlot, name string, m *mention, factor float32) *nameUse {
	w := m.weight * factor
	i, ok := t.index[name]
	if !ok {
		if len(t.uses) >= maxNames {
			t.prune(n.now)
		}
		i = int32(len(t.uses))
		name = strings.Clone(name)
		t.index[name] = i
		t.uses = append(t.uses, nameUse{name: name, at: m.at, score: w, counted: w, last: n.now, block: n.block})
		return &t.uses[i]
	}
	u := &t.uses[i]
	if u.block == n.block {
		if w > u.counted {
			u.score += w - u.counted
			u.counted = w
		}
		return u
	}
	u.score = u.score*t.after(n.now-u.last) + w
	u.counted, u.last, u.block, u.at = w, n.now, n.block, m.at
	return u
}

// after is what a score is worth some calls later.
func (t *nameTable) after(calls int32) float32 {
	return t.decay[min(max(int(calls), 0), len(t.decay)-1)]
}

// ranked orders the uses: failing names first, then by score, then by name.
func (t *nameTable) ranked(now int32) []int32 {
	order := make([]int32, len(t.uses))
	score := make([]float32, len(t.uses))
	for i := range t.uses {
		u := &t.uses[i]
		order[i] = int32(i)
		score[i] = u.score * t.after(now-u.last)
		if u.failing {
			score[i] += failingLead
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		if score[a] != score[b] {
			return cmp.Compare(score[b], score[a])
		}
		return strings.Compare(t.uses[a].name, t.uses[b].name)
	})
	return order
}

// best lists the first names that keep accepts.
func (t *nameTable) best(now int32, limit int, keep func(string) bool) []pith.Identifier {
	out := make([]pith.Identifier, 0, min(limit, len(t.uses)))
	for _, i := range t.ranked(now) {
		if len(out) == limit {
			break
		}
		u := &t.uses[i]
		if keep == nil || keep(u.name) {
			out = append(out, pith.Identifier{Name: u.name, Source: u.at, Note: u.note})
		}
	}
	return out
}

// with is the table together with the uses of another one.
func (t *nameTable) with(other *nameTable, now int32) *nameTable {
	all := &nameTable{decay: t.decay, uses: slices.Clone(t.uses)}
	for i := range other.uses {
		u := other.uses[i]
		k, ok := t.index[u.name]
		if !ok {
			all.uses = append(all.uses, u)
			continue
		}
		own := &all.uses[k]
		own.score = own.score*t.after(now-own.last) + u.score*t.after(now-u.last)
		own.last = now
	}
	return all
}

// prune drops the lower half of the names.
func (t *nameTable) prune(now int32) {
	order := t.ranked(now)
	kept := make([]nameUse, 0, maxNames)
	clear(t.index)
	for _, i := range order[:len(order)/2] {
		t.index[t.uses[i].name] = int32(len(kept))
		kept = append(kept, t.uses[i])
	}
	t.uses = kept
}
