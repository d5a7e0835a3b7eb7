package compactor

import (
	"strings"
	"sync"
	"unicode"
)

// stopWords are frequent short words of the languages in the Latin script that
// pith reads, of which few are words of another.
var stopWords = map[string]string{
	"en": "the and is to of that it in for with this not are on be was what how from should has were which after before",
	"es": "el los las que y por una un con es se lo esta este como pero más del al para en está también fue ser hay",
	"pt": "o os as que em e não uma um com por é se do da essa esse isso também para está ao foi ser há dos das na no",
	"fr": "le les des et est une un que pour dans sur pas ne avec ce cette il du au à sont été être qui par ou après",
	"de": "der die das und ist nicht ein eine mit für auf den dem zu im von nur kein keine wird wurde werden nach bei als auch",
}

// languageNames are for the model, which is told what to write in.
var languageNames = map[string]string{
	"en": "English", "es": "Spanish", "pt": "Portuguese", "fr": "French", "de": "German",
	"zh": "Chinese", "ja": "Japanese", "ko": "Korean", "ru": "Russian", "uk": "Ukrainian",
}

var stopWordsOf = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for _, language := range latin {
		for _, w := range strings.Fields(stopWords[language]) {
			m[w] = append(m[w], language)
		}
	}
	return m
})

var latin = [...]string{"en", "es", "pt", "fr", "de"}

const (
	// enoughLetters and enoughWords make sure of a language; with less there is
	// no telling.
	enoughLetters = 60
	enoughWords   = 8
)

// writing counts what tells a text's language.
type writing struct {
	letters, han, kana, hangul, cyrillic, roman int
	// all counts the words, words those of each language's stop words.
	all   int
	words map[string]int
}

// otherLanguage is the language that a text is surely written in instead of
// the wanted one, "" where it is not sure. Quotes, code, paths and names are
// not looked at: they stay as they are in any language.
func otherLanguage(text, wanted string) string {
	wanted, _, _ = strings.Cut(strings.ToLower(wanted), "-")
	if languageNames[wanted] == "" {
		return ""
	}
	w := readWriting(text)
	east := w.han + w.kana + w.hangul
	if w.letters < enoughLetters && east < enoughLetters*2/3 {
		return ""
	}
	got := w.language(east)
	if got == wanted || got == "" || cyrillic(got) && cyrillic(wanted) {
		return ""
	}
	if w.words[wanted]*3 > w.words[got] && stopWords[wanted] != "" && stopWords[got] != "" {
		return ""
	}
	return got
}

func cyrillic(language string) bool { return language == "ru" || language == "uk" }

// language is what the text is surely written in, "" where it is not sure.
func (w *writing) language(east int) string {
	switch {
	case east*5 > w.letters*2:
		switch {
		case w.hangul*2 > east:
			return "ko"
		case w.kana*8 > east:
			return "ja"
		case w.han*20 > east*19:
			return "zh"
		}
		return ""
	case w.cyrillic*2 > w.letters:
		return "ru"
	case w.roman*10 < w.letters*9:
		return ""
	}
	best := ""
	for _, language := range latin {
		if w.words[language] > w.words[best] {
			best = language
		}
	}
	// Prose has a stop word in every three or four; less is another language,
	// or none.
	if w.words[best] < enoughWords || w.words[best]*6 < w.all {
		return ""
	}
	return best
}

// quoteEnds are the closing quotes of the opening ones.
var quoteEnds = map[rune]string{'"': "\"", '`': "`", '“': "”", '«': "»", '„': "“", '「': "」", '『': "』"}

func readWriting(text string) writing {
	w := writing{words: map[string]int{}}
	for _, line := range strings.Split(text, "\n") {
		for _, field := range strings.Fields(withoutQuotes(line)) {
			switch {
			case strings.ContainsFunc(field, isEast):
				w.add(strings.Map(eastOnly, field)) // words without spaces between them, and names in them
			case !isName(field):
				w.add(field)
			}
		}
	}
	return w
}

func isEast(r rune) bool { return r >= 0x2e80 }

func eastOnly(r rune) rune {
	if isEast(r) {
		return r
	}
	return -1
}

// withoutQuotes leaves out what stands between quotes of one line.
func withoutQuotes(line string) string {
	if !strings.ContainsAny(line, "\"`“«„「『") {
		return line
	}
	var b strings.Builder
	for line != "" {
		i := strings.IndexAny(line, "\"`“«„「『")
		if i < 0 {
			break
		}
		b.WriteString(line[:i])
		open := []rune(line[i:min(len(line), i+4)])[0]
		rest := line[i+len(string(open)):]
		j := strings.Index(rest, quoteEnds[open])
		if j < 0 {
			line = rest
			continue
		}
		b.WriteByte(' ')
		line = rest[j+len(quoteEnds[open]):]
	}
	return b.String() + line
}

// isName tells a path, an identifier or a number from a word.
func isName(field string) bool {
	field = strings.Trim(field, ".,;:!?()[]{}'")
	if strings.ContainsAny(field, "/\\_=<>{}()[]$#@.:0123456789") {
		return true
	}
	for i, r := range field {
		if i > 0 && r >= 'A' && r <= 'Z' {
			return true
		}
	}
	return false
}

func (w *writing) add(field string) {
	for _, r := range field {
		if !unicode.IsLetter(r) {
			continue
		}
		w.letters++
		switch {
		case r < 0x250:
			w.roman++
		case r >= 0x3040 && r <= 0x30ff:
			w.kana++
		case r >= 0xac00 && r <= 0xd7af:
			w.hangul++
		case unicode.Is(unicode.Han, r):
			w.han++
		case r >= 0x400 && r <= 0x4ff:
			w.cyrillic++
		}
	}
	w.all++
	for _, language := range stopWordsOf()[strings.ToLower(strings.Trim(field, ".,;:!?()[]'"))] {
		w.words[language]++
	}
}
