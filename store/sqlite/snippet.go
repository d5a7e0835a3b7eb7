package sqlite

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// snippetBytes is about how much of a passage is shown.
const snippetBytes = 200

// snippet is the part of a text where most of the words are, on one line, and
// the bytes of it that matched.
func snippet(text string, words []string) (string, [][2]int) {
	found := findWords(text, words)
	start, end := snippetSpan(text, found)
	var b strings.Builder
	var marks [][2]int
	if start > 0 {
		b.WriteString("… ")
	}
	next := 0
	for i, r := range text[start:end] {
		for next < len(found) && found[next][1] <= start+i {
			next++
		}
		if unicode.IsControl(r) {
			r = ' '
		}
		at := b.Len()
		b.WriteRune(r)
		if next == len(found) || found[next][0] > start+i {
			continue
		}
		if n := len(marks); n > 0 && found[next][0] != start+i && marks[n-1][1] == at {
			marks[n-1][1] = b.Len()
		} else {
			marks = append(marks, [2]int{at, b.Len()})
		}
	}
	if end < len(text) {
		b.WriteString(" …")
	}
	return b.String(), marks
}

// findWords gives the spans of a text that begin words and say one of words, in
// their order. Letters are compared without their case.
func findWords(text string, words []string) [][2]int {
	var out [][2]int
	inside := false
	for i, r := range text {
		if len(out) > 0 && i < out[len(out)-1][1] {
			inside = isWordRune(r)
			continue
		}
		own := isUnspaced(r)
		if isWordRune(r) && (!inside || own) {
			if n := longestMatch(text[i:], words); n > 0 {
				out = append(out, [2]int{i, i + n})
			}
		}
		inside = isWordRune(r) && !own
	}
	return out
}

func longestMatch(text string, words []string) int {
	longest := 0
	for _, w := range words {
		longest = max(longest, matchLength(text, w))
	}
	return longest
}

// matchLength is how many bytes of a text say a word that is in lower case, 0
// where it says another one. Between the letters of a word, whatever parts
// words is as good as any other.
func matchLength(text, word string) int {
	i := 0
	for j := 0; j < len(word); {
		want, n := utf8.DecodeRuneInString(word[j:])
		if i >= len(text) {
			return 0
		}
		got, m := utf8.DecodeRuneInString(text[i:])
		if got != want && unicode.ToLower(got) != want && (isWordRune(got) || isWordRune(want)) {
			return 0
		}
		i, j = i+m, j+n
	}
	return i
}

// snippetSpan chooses the part of a text with most matches, and some text
// before the first of them; it cuts between words where there is one near.
func snippetSpan(text string, found [][2]int) (int, int) {
	best, most := 0, 0
	for i := range found {
		n := 0
		for _, f := range found[i:] {
			if f[1]-found[i][0] > snippetBytes*3/4 {
				break
			}
			n++
		}
		if n > most {
			best, most = found[i][0], n
		}
	}
	start := max(0, best-snippetBytes/4)
	if start > 0 {
		start = wordStart(text, start, best)
	}
	end := min(len(text), start+snippetBytes)
	if end < len(text) {
		if i := strings.LastIndexAny(text[start:end], " \n\t"); i > snippetBytes*3/4 {
			end = start + i
		}
		for end > start && !utf8.RuneStart(text[end]) {
			end--
		}
	}
	return start, end
}

// wordStart moves a place to the beginning of the next word, at most up to a limit.
func wordStart(text string, at, limit int) int {
	if i := strings.IndexAny(text[at:limit], " \n\t"); i >= 0 {
		return at + i + 1
	}
	for at < limit && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}
