package merge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWords is how many content words of a statement are looked for.
const maxWords = 64

// addWords files the content words of a statement and returns how many there are.
func (x *needleIndex) addWords(statement int, text string, skip func(string) bool) int {
	n := 0
	seen := map[uint64]bool{}
	eachContentWord(text, skip, func(w string, kind wordKind) {
		h := x.wordHash(w, kind)
		if n == maxWords || seen[h] {
			return
		}
		seen[h] = true
		e := x.entry(h)
		if e.word == nil {
			e.word = &contentWord{}
		}
		e.word.postings = append(e.word.postings, posting{statement, uint8(n)})
		n++
		x.letters = x.letters || kind == wideWord
		x.ideographs = x.ideographs || kind == bigram
	})
	return n
}

// wordKind says of what script a content word is.
type wordKind uint8

const (
	plainWord wordKind = iota
	wideWord           // with letters beyond ASCII
	bigram             // two characters of a script that puts no space around words
)

// wordHash is how a content word is looked up: whole where it is short, by its
// beginning where it is not.
func (x *needleIndex) wordHash(w string, kind wordKind) uint64 {
	switch {
	case kind == bigram:
		return x.hash(w)
	case kind == wideWord:
		return x.hash(stemOf(w))
	case len(w) >= stemLength:
		return x.hash(w[:stemLength]) ^ stemSalt
	}
	return x.hash(w)
}

// stemOf is the beginning of a word of any script, in lower case.
func stemOf(w string) string {
	n := 0
	for i := range w {
		if n == stemLength {
			return w[:i]
		}
		n++
	}
	return w
}

// eachContentWord calls yield with the words that carry what a text says, in
// lower case: no numbers, none of those that skip knows.
func eachContentWord(text string, skip func(string) bool, yield func(w string, kind wordKind)) {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case isIdeograph(r):
			next, _ := utf8.DecodeRuneInString(text[i+n:])
			if isIdeograph(next) && !(unicode.Is(unicode.Hiragana, r) && unicode.Is(unicode.Hiragana, next)) {
				yield(text[i:i+n+utf8.RuneLen(next)], bigram)
			}
			i += n
		case isLetter(r):
			end := wordEnd(text, i)
			word(text[i:end], skip, yield)
			i = end
		default:
			i += n
		}
	}
}

func word(w string, skip func(string) bool, yield func(w string, kind wordKind)) {
	ascii, letters := true, false
	for i := range len(w) {
		ascii = ascii && w[i] < utf8.RuneSelf
		letters = letters || !isDigit(w[i])
	}
	w = strings.ToLower(w)
	if !letters || utf8.RuneCountInString(w) < 3 || skip(w) {
		return
	}
	if !ascii {
		yield(w, wideWord)
		return
	}
	if len(w) > 3 && len(w) <= stemLength && w[len(w)-1] == 's' && w[len(w)-2] != 's' {
		w = w[:len(w)-1] // a plural is its word
	}
	yield(w, plainWord)
}

// isLetter tells what words are made of, beside ideographs.
func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return isWordByte(byte(r))
	}
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && !isIdeograph(r)
}

func wordEnd(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !isLetter(r) {
			break
		}
		i += n
	}
	return i
}

// isIdeograph knows the scripts that are read two characters at a time.
func isIdeograph(r rune) bool {
	return r >= 0x3041 && (r <= 0x30ff || r >= 0x3400 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3ffff)
}

// wideRun reads what lies beyond ASCII at text[at], or the word that begins
// there and goes on beyond it, and returns where it ends.
func (x *needleIndex) wideRun(text string, at int, seq uint32, c *Claims) int {
	r, n := utf8.DecodeRuneInString(text[at:])
	if !isIdeograph(r) && !isLetter(r) {
		return at + n
	}
	if isIdeograph(r) {
		if next, size := utf8.DecodeRuneInString(text[at+n:]); x.ideographs && isIdeograph(next) {
			x.find(text[at:at+n+size], seq, c)
		}
		return at + n
	}
	start := at
	for start > 0 { // letters of ASCII that were read as a word of their own
		if b := text[start-1]; !isWordByte(b) {
			break
		}
		start--
	}
	end := wordEnd(text, at)
	if x.letters {
		x.find(stemOf(strings.ToLower(text[start:end])), seq, c)
	}
	return x.asciiBehind(text, at, end, seq, c)
}

// asciiBehind reads the ASCII words within a word that also has other letters.
func (x *needleIndex) asciiBehind(text string, at, end int, seq uint32, c *Claims) int {
	for i := at; i < end; {
		if text[i] >= utf8.RuneSelf || i == at {
			_, n := utf8.DecodeRuneInString(text[i:])
			i += n
			continue
		}
		if isWordByte(text[i-1]) {
			i++
			continue
		}
		if e := x.lookup(x.hash(text[i:asciiEnd(text, i, end)])); e != nil {
			x.visit(e, text, i, seq, c)
		}
		i = asciiEnd(text, i, end)
	}
	return end
}

func asciiEnd(text string, i, end int) int {
	for i < end && isWordByte(text[i]) {
		i++
	}
	return i
}

func (x *needleIndex) find(w string, seq uint32, c *Claims) {
	if e := x.lookup(x.hash(w)); e != nil && e.word != nil {
		x.visitWord(e.word, seq, c)
	}
}

// isStopword knows the words that say nothing of what a text is about.
func isStopword(w string) bool {
	switch w {
	case "the", "and", "for", "with", "that", "this", "from", "into", "was", "were", "are", "has", "have", "had", "not", "but", "because",
		"since", "which", "when", "then", "than", "will", "would", "should", "could", "can", "may", "might", "been", "being", "its", "it's",
		"they", "them", "their", "there", "these", "those", "our", "your", "you", "use", "used", "uses", "using", "also", "after", "before",
		"still", "only", "all", "any", "each", "some", "more", "most", "other", "such", "very", "yet", "now", "next", "step", "via", "per",
		"how", "what", "why", "who", "where", "does", "did", "done", "doing", "instead", "rather", "about", "over", "under", "out", "one", "two",
		"new", "work", "need", "needs", "needed", "current", "currently", "we", "let", "see",
		"der", "die", "das", "und", "mit", "von", "ist", "den", "dem", "ein", "eine", "nicht", "auf", "für", "les", "des", "une", "est", "pas",
		"pour", "dans", "los", "las", "una", "que", "para", "con", "por", "del", "não", "uma", "com", "как", "что", "это", "для", "при", "или":
		return true
	}
	return false
}
