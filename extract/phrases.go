package extract

import (
	"math"
	"strings"
)

// phraseSet finds any of several phrases in a text in one pass, as Wu and
// Manber do: two bytes of the text tell how far it is at least to the end of the
// next phrase's head.
type phraseSet struct {
	list []string
	// head is the length of the shortest phrase, 2 to 255 bytes.
	head int
	// skip is by how much to go on after two bytes, 0 where a head may end.
	skip [1 << pairBits]uint8
}

const pairBits = 11

// pairOf numbers two neighbouring bytes; several pairs share a number.
func pairOf(a, b byte) uint {
	return (uint(a)<<5 ^ uint(b)) & (1<<pairBits - 1)
}

func newPhraseSet(list ...string) *phraseSet {
	p := &phraseSet{list: list, head: math.MaxUint8}
	for _, s := range list {
		p.head = min(p.head, len(s))
	}
	for i := range p.skip {
		p.skip[i] = uint8(p.head - 1)
	}
	for _, s := range list {
		for i := 1; i < p.head; i++ {
			pair := pairOf(s[i-1], s[i])
			p.skip[pair] = min(p.skip[pair], uint8(p.head-1-i))
		}
	}
	return p
}

// index is where the first phrase in text[from:] begins in text, or -1.
func (p *phraseSet) index(text string, from int) int {
	for i := from + p.head - 1; i < len(text); {
		if skip := p.skip[pairOf(text[i-1], text[i])]; skip > 0 {
			i += int(skip)
			continue
		}
		start := i - p.head + 1
		for _, s := range p.list {
			if strings.HasPrefix(text[start:], s) {
				return start
			}
		}
		i++
	}
	return -1
}

// in tells whether a text holds one of the phrases.
func (p *phraseSet) in(text string) bool { return p.index(text, 0) >= 0 }
