package measure

import (
	"slices"
	"strings"
)

// gaps are what a text writes where it left something out.
var gaps = pattern(`\[…[^\]\n]{0,60}\]|…(?: ?\[[^\]\n]{1,60}\] ?…?)?|\[REDACTED:[^\]\n]{1,60}\]|\\u\{[0-9a-f]+\}|(?:^|[^./\w])\.\.\.(?:$|[^/\w])`)

// shortened is a piece of text with gaps: what stands between them.
type shortened struct {
	pieces []string
	// at and end are where it stands in the index's text.
	at, end int
}

// maxGaps bounds how many shortened pieces of a text are looked at.
const maxGaps = 20_000

// shortenings finds every line, and every span of code, that has a gap.
func (x *index) shortenings() []shortened {
	var out []shortened
	for i := range x.lines {
		if len(out) > maxGaps {
			break
		}
		line := x.between(i, i)
		if !strings.Contains(line, "…") && !strings.Contains(line, "...") && !strings.Contains(line, "[REDACTED:") {
			continue
		}
		at := int(x.lines[i])
		out = appendShortened(out, line, at)
		for _, c := range codeSpans(line) {
			out = appendShortened(out, line[c[0]:c[1]], at+c[0])
		}
	}
	return out
}

// codeSpans are the offsets of what stands in a line between backticks: as
// many close a span as opened it.
func codeSpans(line string) [][2]int {
	var out [][2]int
	for i := 0; i < len(line); {
		open := strings.IndexByte(line[i:], '`')
		if open < 0 {
			break
		}
		open += i
		from := open
		for from < len(line) && line[from] == '`' {
			from++
		}
		end := closing(line, from, from-open)
		if end < 0 {
			i = from
			continue
		}
		out = append(out, [2]int{from, end})
		i = end + from - open
	}
	return out
}

// closing is where a run of exactly n backticks begins, -1 where none does.
func closing(line string, from, n int) int {
	for i := from; i < len(line); i++ {
		run := 0
		for i+run < len(line) && line[i+run] == '`' {
			run++
		}
		if run == n {
			return i
		}
		i += run
	}
	return -1
}

const minPieces = 12 // fewer characters tell no command from another

func appendShortened(out []shortened, s string, at int) []shortened {
	if !gaps().MatchString(s) {
		return out
	}
	s = strings.TrimLeft(s, "-*>$• \"“")
	pieces := gaps().Split(s, -1)
	n := 0
	for i := range pieces {
		pieces[i] = strings.Trim(pieces[i], " `\"”")
		n += len(pieces[i])
	}
	if n < minPieces {
		return out
	}
	return append(out, shortened{pieces: pieces, at: at, end: at + len(s)})
}

// of tells whether the pieces are those of s, in order and from its beginning.
func (p *shortened) of(s string) bool {
	if !strings.HasPrefix(s, p.pieces[0]) {
		return false
	}
	for _, piece := range p.pieces {
		i := strings.Index(s, piece)
		if i < 0 {
			return false
		}
		s = s[i+len(piece):]
	}
	return true
}

// tokens are the words of a text in small letters.
func tokens(s string) []string {
	var out []string
	s = strings.ToLower(s)
	end := -1
	eachWord(s, func(start int, _ uint32) {
		if start < end {
			return // the rest of a word behind an escape
		}
		end = start + 1
		for end < len(s) && wordByte(s[start]) && wordByte(s[end]) {
			end++
		}
		for end < len(s) && s[end] >= 0x80 && s[end] < 0xc0 {
			end++
		}
		out = append(out, s[start:end])
	})
	return out
}

// f1 compares two lists of words as bags.
func f1(a, b []string) float64 {
	n := map[string]int{}
	for _, w := range a {
		n[w]++
	}
	same := 0
	for _, w := range b {
		if n[w] > 0 {
			n[w]--
			same++
		}
	}
	if len(a)+len(b) == 0 {
		return 0
	}
	return 2 * float64(same) / float64(len(a)+len(b))
}

// maxLines bounds the lines that are compared with one sentence.
const maxLines = 400

// nearest is the highest F1 of a sentence with a line of the text or one of
// its sentences, and the number of that line. Only lines that hold one of its
// rarer words are compared: a line that does not is far from it.
func (x *index) nearest(sentence string) (best float64, at int) {
	want := tokens(sentence)
	lines := x.candidates(sentence, 1+len(want)/4)
	for _, l := range lines {
		line := strings.TrimSpace(x.between(l, l))
		for _, s := range append(splitSentences(line), line) {
			if f := f1(want, tokens(s)); f > best {
				best, at = f, l
			}
		}
	}
	return best, at
}

// candidates are the lines that hold one of the n rarest words of a sentence.
func (x *index) candidates(sentence string, n int) []int {
	type word struct{ from, to int32 }
	var words []word
	seen := map[uint32]bool{}
	eachWord(sentence, func(_ int, hash uint32) {
		if h := hash & x.mask; !seen[h] {
			seen[h] = true
			words = append(words, word{x.buckets[h], x.buckets[h+1]})
		}
	})
	slices.SortStableFunc(words, func(a, b word) int { return int(a.to - a.from - b.to + b.from) })
	var lines []int
	for _, w := range words[:min(n, len(words))] {
		for _, start := range x.starts[w.from:w.to] {
			if len(lines) == maxLines {
				break
			}
			lines = append(lines, x.line(int(start)))
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
