package measure

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// index finds strings in a text of megabytes without reading it again: the
// text with every run of white space as one space, and where each of its words
// begins. A word is a run of ASCII letters, digits and underscores, or one
// character of any other script; what is found begins and ends between words.
type index struct {
	text string
	// lines are the offsets at which lines begin.
	lines []int32
	// buckets[h] to buckets[h+1] are the offsets in starts of the words whose
	// hash has these low bits.
	buckets []int32
	starts  []int32
	mask    uint32
}

// newIndex reads a text once. A text of more than 2 GiB is cut.
func newIndex(text string) *index {
	x := &index{}
	x.squash(text[:min(len(text), 1<<31-2)])
	var hashes []uint32
	eachWord(x.text, func(start int, hash uint32) {
		x.starts = append(x.starts, int32(start))
		hashes = append(hashes, hash)
	})
	x.mask = 1<<bits.Len(uint(len(hashes))) - 1
	x.buckets = make([]int32, x.mask+2)
	for _, h := range hashes {
		x.buckets[h&x.mask+1]++
	}
	for i := 1; i < len(x.buckets); i++ {
		x.buckets[i] += x.buckets[i-1]
	}
	at := slices.Clone(x.buckets)
	sorted := make([]int32, len(hashes))
	for i, h := range hashes {
		sorted[at[h&x.mask]] = x.starts[i]
		at[h&x.mask]++
	}
	x.starts = sorted
	return x
}

// squash keeps one space for each run of white space, and where lines begin.
func (x *index) squash(text string) {
	var b strings.Builder
	b.Grow(len(text))
	x.lines = append(x.lines, 0)
	space := true
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch c {
		case ' ', '\t', '\r', '\n':
			if !space {
				b.WriteByte(' ')
				space = true
			}
			if c == '\n' {
				x.lines = append(x.lines, int32(b.Len()))
			}
		default:
			if n := wideSpace(text[i:]); n > 0 {
				if !space {
					b.WriteByte(' ')
					space = true
				}
				i += n - 1
				continue
			}
			b.WriteByte(c)
			space = false
		}
	}
	x.text = b.String()
}

// wideSpace is the length of a space outside ASCII that s begins with, 0 where
// it begins with none.
func wideSpace(s string) int {
	if s[0] != 0xc2 && s[0] != 0xe2 && s[0] != 0xe3 && s[0] != 0xe1 {
		return 0
	}
	r, n := utf8.DecodeRuneInString(s)
	if !unicode.IsSpace(r) {
		return 0
	}
	return n
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c == '_'
}

// eachWord calls f with every word of a text. A word that follows an escaped
// line break or tab, as texts quoted inside texts have, also begins behind it.
func eachWord(s string, f func(start int, hash uint32)) {
	for i := 0; i < len(s); {
		if !wordByte(s[i]) {
			if s[i] < utf8.RuneSelf {
				i++
				continue
			}
			_, n := utf8.DecodeRuneInString(s[i:])
			f(i, hashOf(s[i:i+n]))
			i += n
			continue
		}
		end := i + 1
		for end < len(s) && wordByte(s[end]) {
			end++
		}
		f(i, hashOf(s[i:end]))
		if isEscape(s, i) && i+1 < end {
			f(i+1, hashOf(s[i+1:end]))
		}
		i = end
	}
}

// isEscape tells whether s[i] is the letter of an escape for white space.
func isEscape(s string, i int) bool {
	return i > 0 && s[i-1] == '\\' && (s[i] == 'n' || s[i] == 't' || s[i] == 'r')
}

// hashOf is FNV-1a.
func hashOf(s string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// each calls f with every place of a squashed string until f gives false.
func (x *index) each(s string, f func(at int) bool) {
	offset, from, to := -1, int32(0), int32(0)
	eachWord(s, func(start int, hash uint32) {
		a, b := x.buckets[hash&x.mask], x.buckets[hash&x.mask+1]
		if offset < 0 || b-a < to-from {
			offset, from, to = start, a, b
		}
	})
	if offset < 0 {
		return
	}
	for _, start := range x.starts[from:to] {
		at := int(start) - offset
		if at >= 0 && strings.HasPrefix(x.text[at:], s) && x.bounded(at, at+len(s)) && !f(at) {
			return
		}
	}
}

// bounded tells whether text[from:to] cuts through no word.
func (x *index) bounded(from, to int) bool {
	t := x.text
	if from > 0 && wordByte(t[from]) && wordByte(t[from-1]) && !isEscape(t, from-1) {
		return false
	}
	return to >= len(t) || !wordByte(t[to]) || !wordByte(t[to-1])
}

// has tells whether a string stands in the text, its white space aside.
func (x *index) has(s string) bool {
	found := false
	x.each(squash(s), func(int) bool { found = true; return false })
	return found
}

// line is the number of the line, from 0, that holds text[at].
func (x *index) line(at int) int {
	i, found := slices.BinarySearch(x.lines, int32(at))
	if !found {
		return i - 1
	}
	for i+1 < len(x.lines) && int(x.lines[i+1]) == at {
		i++ // empty lines begin where the next one does
	}
	return i
}

// maxLine is how much of a line is looked at on either side of a place.
const maxLine = 4000

// between is the text of the lines from and to, both inclusive, as far as it
// is not longer than lines are.
func (x *index) between(from, to int) string {
	from = max(from, 0)
	if from >= len(x.lines) {
		return ""
	}
	start := int(x.lines[from])
	return x.text[start:min(x.lineEnd(to), start+(to-from+1)*2*maxLine)]
}

func (x *index) lineEnd(line int) int {
	if line+1 < len(x.lines) {
		return int(x.lines[line+1])
	}
	return len(x.text)
}

// before and behind are the parts of a line on either side of a place in it.
func (x *index) before(at int) string {
	return x.text[max(int(x.lines[x.line(at)]), at-maxLine):at]
}

func (x *index) behind(end int) string {
	return x.text[end:min(x.lineEnd(x.line(max(0, end-1))), end+maxLine)]
}

// around is the line of a place, as far as it is near.
func (x *index) around(at int) string {
	l := x.line(at)
	return x.text[max(int(x.lines[l]), at-maxLine):min(x.lineEnd(l), at+maxLine)]
}
