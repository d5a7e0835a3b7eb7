package redact

import (
	"strings"
	"sync"
)

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

// trigger is why the scanner stops at a byte; 0 where it does not.
type trigger uint8

const (
	inWord    trigger = 1 << iota // a rule may begin where a word does
	atSign                        // '=' ':' '>' '%' '@': a name may stand before it
	atDash                        // '-': a private key's frame or a flag
	atEscape                      // '\': what follows an escape begins a word
	atMarker                      // '[': a marker is stepped over
	atBracket                     // '(': a name may stand before it, its secret after it
	atDollar                      // '$': a password's hash
)

// triples is how many there are of the low five bits of three bytes.
const triples = 1 << 15

// lexicon is what the scanner looks bytes up in.
type lexicon struct {
	chars [256]charset
	stop  [256]trigger
	// triples has a bit for the low five bits of each three bytes that a rule
	// begins with; pairs has one for its first two bytes.
	triples [triples / 64]uint64
	pairs   [1 << 16 / 64]uint64
	// first is where in prefixes the rules of a first byte begin.
	first [257]uint16
	// opener is where in openers those of a first byte begin.
	opener [256]uint8
}

// addStart makes known what a rule begins with. Where that is two bytes, any
// byte may follow.
func (l *lexicon) addStart(text string) {
	k := uint(text[0])<<8 | uint(text[1])
	l.pairs[k/64] |= 1 << (k % 64)
	for c := range uint(32) {
		if len(text) == 2 || uint(text[2]&31) == c {
			k := startKey(text, 0)<<5 | c
			l.triples[k/64] |= 1 << (k % 64)
		}
	}
}

// startKey is the low five bits of s[i] and of s[i+1]; 0 where s ends before them.
func startKey(s string, i int) uint {
	if i+1 >= len(s) {
		return 0
	}
	return uint(s[i]&31)<<5 | uint(s[i+1]&31)
}

// hasPairAt tells whether a rule may begin at s[i].
func (l *lexicon) hasPairAt(s string, i int) bool {
	if i+1 >= len(s) {
		return false
	}
	k := uint(s[i])<<8 | uint(s[i+1])
	return l.pairs[k/64]>>(k%64)&1 != 0
}

// words gives the lexicon; it is made in a few microseconds, when first asked for.
var words = sync.OnceValue(func() *lexicon {
	l := new(lexicon)
	for c := range 256 {
		l.chars[c] = classify(byte(c))
		if l.chars[c]&word != 0 {
			l.stop[c] = inWord
		}
	}
	for c, t := range map[byte]trigger{
		'=': atSign, ':': atSign, '>': atSign, '%': atSign, '@': atSign,
		'-': atDash, '\\': atEscape, '[': atMarker, '(': atBracket, '$': atDollar,
	} {
		l.stop[c] = t
	}
	for i := range prefixes {
		l.addStart(prefixes[i].prefix)
	}
	l.addStart("eyJ")
	for c := range l.opener {
		l.opener[c] = uint8(len(openers))
	}
	for i := len(openers) - 1; i >= 0; i-- {
		o := openers[i].word
		l.opener[o[0]] = uint8(i)
		if o[0] >= 0x80 {
			l.stop[o[0]] = inWord // the others of such a letter are not
		}
		capitals := strings.ToUpper(o)
		l.addStart(o)
		l.addStart(capitals[:1] + o[1:])
		l.addStart(capitals)
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
