package redact

import (
	"strings"
	"unicode/utf8"

	"github.com/pith-memory/pith"
)

// Class is a kind of character that Normalise takes out of a text.
type Class uint8

// The classes, in the order in which they are reported.
const (
	ANSI Class = iota
	Bidi
	C0C1
	InvalidUTF8
	UnicodeTag
	VariationSelector
	ZeroWidth
	classCount
)

var classNames = [classCount]string{
	"ansi", "bidi", "c0_c1", "invalid_utf8", "unicode_tag", "variation_selector", "zero_width",
}

func (c Class) String() string { return classNames[c] }

// Classes counts, for each Class, what Normalise removed or made visible.
type Classes [classCount]int

// List is the classes that occurred, sorted by name.
func (n *Classes) List() []pith.ClassCount {
	list := []pith.ClassCount{}
	for c, count := range n {
		if count > 0 {
			list = append(list, pith.ClassCount{Class: Class(c).String(), Count: count})
		}
	}
	return list
}

// Normalise turns a text into the form that hashes and sources are over: CRLF
// becomes LF, terminal sequences are removed, every other code point that
// contracts/schemas forbids is written as \u{hex}, and a byte that is not
// UTF-8 becomes U+FFFD. Normalising twice changes nothing more; a clean text
// is returned as it came, without a copy.
func Normalise(s string) (string, Classes) {
	var n Classes
	i := cleanPrefix(s, 0)
	if i == len(s) {
		return s, n
	}
	out := make([]byte, 0, len(s)+16)
	done := 0
	for i < len(s) {
		out = append(out, s[done:i]...)
		var size int
		out, size = n.rewrite(out, s[i:])
		done = i + size
		i = cleanPrefix(s, done)
	}
	return string(append(out, s[done:]...)), n
}

const (
	everyByte = 0x0101010101010101
	highBits  = 0x80 * everyByte
)

// cleanPrefix returns where in s, from i on, the first byte stands that
// Normalise must change, or len(s). It reads eight ASCII bytes at a time.
func cleanPrefix(s string, i int) int {
	for i < len(s) {
		for i+8 <= len(s) && !suspicious(load8(s[i:i+8])) {
			i += 8
		}
		// At most eight bytes on, there is one to look at closely.
		for stop := min(i+8, len(s)); i < stop; {
			c := s[i]
			if c < utf8.RuneSelf {
				if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
					return i
				}
				i++
				continue
			}
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				return i
			}
			if _, bad := forbidden(r); bad {
				return i
			}
			i += size
		}
	}
	return len(s)
}

func load8(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// suspicious tells whether one of eight bytes is neither printable ASCII nor
// a newline or tab. In each line below the high bit of a byte that has the
// property is cleared; no borrow crosses bytes because the high bit is set first.
func suspicious(x uint64) bool {
	notControl := (x | highBits) - ' '*everyByte
	notNewline := ((x ^ '\n'*everyByte) | highBits) - everyByte
	notTab := ((x ^ '\t'*everyByte) | highBits) - everyByte
	notDelete := ((x ^ 0x7f*everyByte) | highBits) - everyByte
	return (x|(^notControl&notNewline&notTab)|^notDelete)&highBits != 0
}

// rewrite appends what stands for the first character of s, and returns how
// many bytes of s that was.
func (n *Classes) rewrite(out []byte, s string) ([]byte, int) {
	if s[0] == '\r' {
		end := 1
		for end < len(s) && s[end] == '\r' {
			end++
		}
		if end < len(s) && s[end] == '\n' {
			return out, end
		}
	}
	if s[0] == 0x1b {
		if size := terminalSequence(s); size > 0 {
			n[ANSI]++
			return out, size
		}
	}
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 {
		n[InvalidUTF8]++
		return utf8.AppendRune(out, utf8.RuneError), 1
	}
	class, _ := forbidden(r)
	n[class]++
	return appendVisible(out, r), size
}

func appendVisible(out []byte, r rune) []byte {
	const digits = "0123456789ABCDEF"
	out = append(out, `\u{`...)
	width := 4
	for r>>(4*width) != 0 {
		width++
	}
	for width--; width >= 0; width-- {
		out = append(out, digits[r>>(4*width)&15])
	}
	return append(out, '}')
}

// forbidden tells whether contracts/schemas forbids a code point, and its class.
// The joiner of emoji, U+200D, is allowed, and so is U+200C.
func forbidden(r rune) (Class, bool) {
	switch {
	case r < 0x20:
		return C0C1, r != '\n' && r != '\t'
	case r < 0x7f:
		return 0, false
	case r <= 0x9f:
		return C0C1, true
	case r < 0x180e:
		return ZeroWidth, r == 0xad
	case r > 0xe01ef || r > 0xfffb && r < 0xe0000:
		return 0, false
	}
	switch {
	case r == 0x200e, r == 0x200f, 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069:
		return Bidi, true
	case r == 0x180e, r == 0x200b, r == 0x2028, r == 0x2029, 0x2060 <= r && r <= 0x2065,
		r == 0x3164, r == 0xfeff, r == 0xffa0, 0xfff9 <= r && r <= 0xfffb:
		return ZeroWidth, true
	case 0xe0000 <= r && r <= 0xe007f:
		return UnicodeTag, true
	case 0xe0100 <= r && r <= 0xe01ef:
		return VariationSelector, true
	}
	return 0, false
}

// terminalSequence returns the length of the escape sequence that s begins
// with, 0 where it is none or is cut off.
// Source: ECMA-48 5.4 (control sequences), 5.6 (command strings); ISO 2022 for ESC ( B.
func terminalSequence(s string) int {
	if len(s) < 2 {
		return 0
	}
	i := 2
	switch c := s[1]; {
	case c == '[':
		for i < len(s) && 0x20 <= s[i] && s[i] <= 0x3f {
			i++
		}
	case strings.IndexByte("]PX^_", c) >= 0:
		// A command string ends with BEL or ESC \; any other control cuts it.
		for i < len(s) && s[i] >= ' ' {
			i++
		}
		if i < len(s) && s[i] == 0x07 {
			return i + 1
		}
		if strings.HasPrefix(s[i:], "\x1b\\") {
			return i + 2
		}
		return 0
	case 0x20 <= c && c <= 0x2f:
		for i < len(s) && 0x20 <= s[i] && s[i] <= 0x2f {
			i++
		}
	case 0x30 <= c && c <= 0x7e:
		return 2
	default:
		return 0
	}
	if i < len(s) && 0x30 <= s[i] && s[i] <= 0x7e {
		return i + 1
	}
	return 0
}
