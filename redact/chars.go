package redact

import "sync"

// charset is a set of character classes.
type charset uint16

const (
	lower charset = 1 << iota
	upper
	decimal
	under
	dash
	dot
	plus
	slash
	equals
	percent
	hexLetter // a-f and A-F

	alnum      = lower | upper | decimal
	word       = alnum | under
	upperDigit = upper | decimal
	base64Char = alnum | plus | slash | dash | under
)

// trigger is why the scanner stops at a byte.
type trigger uint8

const (
	atWord   trigger = 1 << iota // a word begins that one of the rules begins with
	atSign                       // '=' ':' '>' '%' '@': a name may stand before it
	atDash                       // '-': a private key's frame or a flag
	atEscape                     // '\': what follows an escape begins a word
	atMarker                     // '[': a marker is stepped over
)

// lexicon is what the scanner looks bytes up in.
type lexicon struct {
	chars [256]charset
	stop  [256]trigger
	// follow is the triggers that remain possible after a byte: a word cannot
	// begin inside a word.
	follow [256]trigger
	// pairs has a bit for each two bytes that a rule begins with.
	pairs [1 << 16 / 64]uint64
	// first is where in prefixes the rules of a first byte begin.
	first [257]uint16
}

func (l *lexicon) addPair(a, b byte) {
	k := uint(a)<<8 | uint(b)
	l.pairs[k/64] |= 1 << (k % 64)
	l.stop[a] |= atWord
}

func (l *lexicon) hasPair(a, b byte) bool {
	k := uint(a)<<8 | uint(b)
	return l.pairs[k/64]>>(k%64)&1 != 0
}

// hasPairAt tells whether a rule may begin at s[i].
func (l *lexicon) hasPairAt(s string, i int) bool {
	return i+1 < len(s) && l.hasPair(s[i], s[i+1])
}

// words gives the lexicon; it is made in a few microseconds, when first asked for.
var words = sync.OnceValue(func() *lexicon {
	l := new(lexicon)
	for c := range 256 {
		l.chars[c] = classify(byte(c))
		l.follow[c] = 0xff
		if l.chars[c]&word != 0 {
			l.follow[c] &^= atWord
		}
	}
	for c, t := range map[byte]trigger{
		'=': atSign, ':': atSign, '>': atSign, '%': atSign, '@': atSign,
		'-': atDash, '\\': atEscape, '[': atMarker,
	} {
		l.stop[c] = t
	}
	for i := range prefixes {
		p := prefixes[i].prefix
		l.addPair(p[0], p[1])
	}
	l.addPair('e', 'y')
	for i := range openers {
		o := openers[i].word
		l.addPair(o[0], o[1])
		l.addPair(o[0]-'a'+'A', o[1])
		l.addPair(o[0]-'a'+'A', o[1]-'a'+'A')
	}
	for c := 1; c < len(l.first); c++ {
		l.first[c] = l.first[c-1]
		for int(l.first[c]) < len(prefixes) && int(prefixes[l.first[c]].prefix[0]) < c {
			l.first[c]++
		}
	}
	return l
})

func classify(c byte) charset {
	switch {
	case isLower(c):
		if c <= 'f' {
			return lower | hexLetter
		}
		return lower
	case isUpper(c):
		if c <= 'F' {
			return upper | hexLetter
		}
		return upper
	case isDigit(c):
		return decimal
	}
	switch c {
	case '_':
		return under
	case '-':
		return dash
	case '.':
		return dot
	case '+':
		return plus
	case '/':
		return slash
	case '=':
		return equals
	case '%':
		return percent
	}
	return 0
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlpha(c byte) bool { return isLower(c | 0x20) }
func isAlnum(c byte) bool { return isAlpha(c) || isDigit(c) }
func isWord(c byte) bool  { return isAlnum(c) || c == '_' }
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }
func isHex(c byte) bool   { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func lowerByte(c byte) byte {
	if isUpper(c) {
		return c | 0x20
	}
	return c
}

// hasFold tells whether s has the lower-case ASCII word w at i, in any case.
func hasFold(s string, i int, w string) bool {
	if i < 0 || len(s)-i < len(w) {
		return false
	}
	for j := range len(w) {
		if lowerByte(s[i+j]) != w[j] {
			return false
		}
	}
	return true
}
