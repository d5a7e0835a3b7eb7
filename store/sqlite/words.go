package sqlite

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unspaced are the scripts that are written without spaces between words, or,
// as Korean, with endings that belong to the word. Each of their characters is
// a word of its own in the index and a word of a query is a phrase of them: so
// that one and two characters are found, which an index of trigrams cannot do
// and would pay for with three times the size of the text.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

// firstUnspaced is the first character of the first of those scripts.
const firstUnspaced = 0x0e00

func isUnspaced(r rune) bool {
	return r >= firstUnspaced && unicode.IsOneOf(unspaced, r)
}

// spaced puts spaces around the characters that are words of their own. A text
// without them comes back as it is.
func spaced(text string) string {
	first := strings.IndexFunc(text, isUnspaced)
	if first < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/2)
	b.WriteString(text[:first])
	for _, r := range text[first:] {
		if !isUnspaced(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteByte(' ')
		b.WriteRune(r)
		b.WriteByte(' ')
	}
	return b.String()
}

// isWordRune tells what belongs to a word from what parts words, as the
// unicode61 tokenizer does.
func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r) || unicode.Is(unicode.Co, r)
}

// maxQueryWords bounds the work that a query may ask for.
const maxQueryWords = 32

// queryWords are the words of a query, in lower case: what stands between
// spaces, and what stands in double quotes, without what parts words at its ends.
func queryWords(query string) []string {
	var out []string
	for i, part := range strings.Split(strings.ToValidUTF8(query, " "), `"`) {
		words := []string{part}
		if i%2 == 0 {
			words = strings.Fields(part)
		}
		for _, w := range words {
			w = strings.TrimFunc(w, func(r rune) bool { return !isWordRune(r) })
			if w != "" && len(out) < maxQueryWords {
				out = append(out, strings.ToLower(w))
			}
		}
	}
	return out
}

// matchExpression is a query in the language of FTS5: every word must be
// there, as a word or as the beginning of one. Nothing of the user's reaches
// FTS5 outside of quotes.
func matchExpression(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteString(" AND ")
		}
		phrase := `"` + strings.Join(strings.FieldsFunc(spaced(w), func(r rune) bool { return !isWordRune(r) }), " ") + `"`
		last, _ := utf8.DecodeLastRuneInString(w)
		if isUnspaced(last) {
			b.WriteString(phrase)
			continue
		}
		// The word itself counts twice: it comes before what only begins with it.
		b.WriteString("(" + phrase + " OR " + phrase + " *)")
	}
	return b.String()
}
