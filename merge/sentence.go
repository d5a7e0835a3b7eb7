package merge

import (
	"strings"
	"unicode/utf8"
)

// oneLine puts a text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// eachSentence calls yield with the sentences of a text, in any language, none
// of them empty. Code between backticks stays whole.
func eachSentence(text string, yield func(string)) {
	from, code := 0, false
	emit := func(to int) {
		if s := strings.TrimSpace(text[from:to]); s != "" {
			yield(s)
		}
		from = to
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch r {
		case '`':
			code = !code
		case '\n':
			code = false
			emit(i)
		case '。', '！', '？', '；':
			if !code {
				emit(i)
			}
		case '.', '!', '?', ';':
			if !code && (i == len(text) || text[i] == ' ' || text[i] == '\n') && !(r == '.' && abbreviated(text[from:i-1])) {
				emit(i)
			}
		}
	}
	emit(len(text))
}

// abbreviated tells whether the full stop behind a text is no sentence's end:
// that of an abbreviation, an initial or the number of a list.
func abbreviated(before string) bool {
	word := before
	if i := strings.LastIndexAny(before, " \t\n("); i >= 0 {
		word = before[i+1:]
	}
	switch strings.ToLower(word) {
	case "e.g", "i.e", "vs", "cf", "approx", "incl", "no", "z.b", "d.h", "bzw", "ca", "p.ej", "p.ex":
		return true
	}
	digits := word != "" && len(word) < 4
	for i := range len(word) {
		digits = digits && word[i] >= '0' && word[i] <= '9'
	}
	return digits && strings.TrimSpace(before) == word
}
