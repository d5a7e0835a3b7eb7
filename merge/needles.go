package merge

import (
	"strings"
	"unicode/utf8"
)

// needle is one way to write a claim, and what may stand around it.
type needle struct {
	text string
	// fold compares ASCII letters of either case.
	fold bool
	// edge says what may stand before and behind the needle.
	edge edge
	// unit is the group of units that has to follow a number, "" for none.
	unit string
	// at is where the word stands in text that the scanner looks for.
	at int
	// last is the part in which it was found last, 0 for none; tried is that in
	// which it was found or is known to be in vain.
	last uint32
	// claims are those that it is a way to write.
	claims []claimOf
}

// claimOf is a claim by its statement and its number there. near is the
// number of the claim's pair that the needle belongs to, -1 where it stands
// for the claim alone.
type claimOf struct{ statement, claim, near int }

// posting is a content word of a statement, by its bit in the mask.
type posting struct {
	statement int
	bit       uint8
}

// contentWord is a word of one or more statements.
type contentWord struct {
	postings []posting
	last     uint32
}

// entry is what a hash stands for.
type entry struct {
	word    *contentWord
	needles []int
}

// needleIndex finds, in one pass over a text, which of many needles and words
// stand in it. A word is a run of ASCII letters, digits and underscores; its
// hash is over the letters in lower case. A needle is looked for by its
// rarest word and compared as a whole there.
type needleIndex struct {
	needles []needle
	byText  map[needleKey]int
	entries map[uint64]*entry
	table   []cell
	// filter has a bit for the hash of every entry: most words of a text have none.
	filter [filterBits / 64]uint64
	// wide are the needles without an ASCII word; text beyond ASCII is searched
	// for them. letters and ideographs tell which words beyond ASCII there are.
	wide                []int
	letters, ideographs bool
	// hexPrefix is set where a short commit id is looked for.
	hexPrefix bool
	class     [256]uint8
	lower     [256]uint8
}

type needleKey struct {
	text string
	edge edge
	unit string
}

const (
	filterBits = 1 << 15
	hashSeed   = 0xcbf29ce484222325
	hashPrime  = 0x100000001b3
	// stemLength is how many letters of a content word count: enough to tell
	// words apart, few enough for their endings not to matter.
	stemLength = 5
	// shortSHA is the length of the shortest commit id.
	shortSHA = 7
	// stemSalt and hexSalt keep the beginnings of words apart from whole ones.
	stemSalt = 0x9e3779b97f4a7c15
	hexSalt  = 0xc2b2ae3d27d4eb4f
)

// The classes of bytes.
const (
	byteOther uint8 = iota
	byteWord
	byteWide
)

func (x *needleIndex) init() {
	x.byText, x.entries = map[needleKey]int{}, map[uint64]*entry{}
	for i := range x.class {
		b := byte(i)
		x.lower[i] = b
		switch {
		case b >= 0x80:
			x.class[i] = byteWide
		case isWordByte(b):
			x.class[i] = byteWord
		}
		if b >= 'A' && b <= 'Z' {
			x.lower[i] = b + 'a' - 'A'
		}
	}
}

func isWordByte(b byte) bool {
	return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' || b == '_'
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func (x *needleIndex) hash(word string) uint64 {
	h := uint64(hashSeed)
	for i := range len(word) {
		h = (h ^ uint64(x.lower[word[i]])) * hashPrime
	}
	return h
}

// slot is the bit of the filter that a hash has.
func slot(h uint64) (int, uint64) {
	h ^= h >> 29
	bit := h * stemSalt >> 49
	return int(bit >> 6), 1 << (bit & 63)
}

func (x *needleIndex) entry(h uint64) *entry {
	e := x.entries[h]
	if e == nil {
		e = &entry{}
		x.entries[h] = e
		i, bit := slot(h)
		x.filter[i] |= bit
	}
	return e
}

// lookup is the entry of a hash, nil for none.
func (x *needleIndex) lookup(h uint64) *entry {
	if i, bit := slot(h); x.filter[i]&bit == 0 {
		return nil
	}
	return x.probe(h)
}

// cell is a place of the table that a scan looks hashes up in.
type cell struct {
	hash  uint64
	entry *entry
}

// freeze lays the entries out for scanning; none is added behind it.
func (x *needleIndex) freeze() {
	size := 64
	for size < 4*len(x.entries) {
		size *= 2
	}
	x.table = make([]cell, size)
	for h, e := range x.entries {
		i := h % uint64(size)
		for x.table[i].entry != nil {
			i = (i + 1) % uint64(size)
		}
		x.table[i] = cell{h, e}
	}
}

func (x *needleIndex) probe(h uint64) *entry {
	mask := uint64(len(x.table) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		if c := &x.table[i]; c.entry == nil || c.hash == h {
			return c.entry
		}
	}
}

// need adds a needle and gives its number, -1 where it cannot be looked for.
func (x *needleIndex) need(n needle) int {
	key := needleKey{n.text, n.edge, n.unit}
	if i, ok := x.byText[key]; ok {
		return i
	}
	from, to := rarestWord(n.text)
	switch {
	case to > from:
		n.at = from
		word := n.text[from:to]
		h := x.hash(word)
		if n.edge == edgeHex {
			h = x.hash(word[:shortSHA]) ^ hexSalt
			x.hexPrefix = true
		}
		e := x.entry(h)
		e.needles = append(e.needles, len(x.needles))
	case strings.IndexFunc(n.text, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0:
		x.wide = append(x.wide, len(x.needles))
	default:
		return -1
	}
	x.byText[key] = len(x.needles)
	x.needles = append(x.needles, n)
	return len(x.needles) - 1
}

// rarestWord is the word of a text that is likely to stand in the fewest
// places: a long one, and one that somebody coined.
func rarestWord(text string) (from, to int) {
	best := 0
	for i := 0; i < len(text); {
		if !isWordByte(text[i]) {
			i++
			continue
		}
		start, letters, digits, coined := i, 0, 0, 0
		for ; i < len(text) && isWordByte(text[i]); i++ {
			switch b := text[i]; {
			case isDigit(b):
				digits++
			case b == '_' || b >= 'A' && b <= 'Z' && i > start:
				coined, letters = coinedWeight, letters+1
			default:
				letters++
			}
		}
		weight := 2*letters + digits + coined
		if letters > 0 && digits > 0 {
			weight += coinedWeight
		}
		if weight > best {
			best, from, to = weight, start, i
		}
	}
	return from, to
}

// coinedWeight is how many letters a sign that a word was coined is worth.
const coinedWeight = 12

// claimed notes whose claim the needles are.
func (x *needleIndex) claimed(statement, k int, c *claim) {
	for _, n := range c.needles {
		x.needles[n].claims = append(x.needles[n].claims, claimOf{statement, k, -1})
	}
	for i, pair := range c.near {
		for _, n := range pair {
			x.needles[n].claims = append(x.needles[n].claims, claimOf{statement, k, i})
		}
	}
}

// scan looks a text over once and tells c what stands in it.
func (x *needleIndex) scan(text string, seq uint32, c *Claims) {
	if x.table == nil {
		x.freeze()
	}
	beyond := false
	for i := 0; i < len(text); {
		switch x.class[text[i]] {
		case byteOther:
			i++
		case byteWide:
			beyond = true
			if x.letters || x.ideographs {
				i = x.wideRun(text, i, seq, c)
				continue
			}
			for i++; i < len(text) && text[i] >= 0x80; i++ {
			}
		default:
			i = x.wordRun(text, i, seq, c)
		}
	}
	if beyond {
		for _, n := range x.wide {
			if x.needles[n].last != seq && strings.Contains(text, x.needles[n].text) {
				x.hit(n, seq, c)
			}
		}
	}
}

// wordRun reads the word that begins at text[start] and returns where it ends.
func (x *needleIndex) wordRun(text string, start int, seq uint32, c *Claims) int {
	h, before := uint64(hashSeed), uint64(hashSeed)
	var stem, short uint64
	i := start
	for ; i < len(text); i++ {
		b := text[i]
		if x.class[b] != byteWord {
			break
		}
		before = h
		h = (h ^ uint64(x.lower[b])) * hashPrime
		switch i - start {
		case stemLength - 1:
			stem = h
		case shortSHA - 1:
			short = h
		}
	}
	if e := x.lookup(h); e != nil {
		x.visit(e, text, start, seq, c)
	}
	if n := i - start; n > stemLength {
		if e := x.lookup(stem ^ stemSalt); e != nil {
			x.visit(e, text, start, seq, c)
		}
	} else if n == stemLength {
		if e := x.lookup(h ^ stemSalt); e != nil {
			x.visit(e, text, start, seq, c)
		}
	}
	if last := text[i-1]; last == 's' && i-start <= stemLength { // a plural whose stem is short
		if e := x.lookup(before); e != nil && e.word != nil {
			x.visitWord(e.word, seq, c)
		}
	}
	if x.hexPrefix && i-start >= shortSHA {
		if e := x.lookup(short ^ hexSalt); e != nil {
			x.visit(e, text, start, seq, c)
		}
	}
	if isDigit(text[start]) && !isDigit(text[i-1]) {
		x.leadingNumber(text, start, i, seq, c)
	}
	if i < len(text) && text[i] >= 0x80 && x.letters {
		return x.wideRun(text, start, seq, c) // a word that goes on beyond ASCII
	}
	return i
}

// leadingNumber reads the digits that a word such as 15ms begins with.
func (x *needleIndex) leadingNumber(text string, start, end int, seq uint32, c *Claims) {
	h, i := uint64(hashSeed), start
	for ; i < end && isDigit(text[i]); i++ {
		h = (h ^ uint64(text[i])) * hashPrime
	}
	if e := x.lookup(h); e != nil {
		x.visit(e, text, start, seq, c)
	}
}

func (x *needleIndex) visit(e *entry, text string, at int, seq uint32, c *Claims) {
	if e.word != nil {
		x.visitWord(e.word, seq, c)
	}
	for _, n := range e.needles {
		if k := &x.needles[n]; k.last != seq && k.standsAt(text, at) {
			x.hit(n, seq, c)
		}
	}
}

func (x *needleIndex) visitWord(w *contentWord, seq uint32, c *Claims) {
	if w.last == seq {
		return
	}
	w.last = seq
	for _, p := range w.postings {
		c.word(p.statement, p.bit)
	}
}

// hit notes a needle in a part, and which claims it proves.
func (x *needleIndex) hit(n int, seq uint32, c *Claims) {
	k := &x.needles[n]
	k.last = seq
	for _, of := range k.claims {
		s := &c.items[of.statement].claims[of.claim]
		if of.near >= 0 && !x.together(s.near[of.near], seq) {
			continue
		}
		if s.last != seq {
			s.last = seq
			c.found(of.statement, of.claim)
		}
	}
}

// together tells whether both needles of a pair stand in this part or the one
// before it: a call that names a folder, and the result that lists it.
func (x *needleIndex) together(pair [2]int, seq uint32) bool {
	for _, n := range pair {
		if last := x.needles[n].last; last == 0 || last+1 < seq {
			return false
		}
	}
	return true
}
