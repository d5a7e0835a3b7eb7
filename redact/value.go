package redact

import (
	"math"
	"strings"
	"unicode/utf8"
)

// maxValue bounds how much of a value is looked at before it is judged.
const maxValue = 512

// value is what stands after a name.
type value struct {
	start, end int
	form       form
	// name, nameStart and sign are what it stands after.
	name      string
	nameStart int
	sign      byte
	// spaced is set where a space parts it from the sign.
	spaced bool
	// capped is set where the value goes on beyond maxValue.
	capped bool
	quote  string
}

// form is how a value is written.
type form uint8

const (
	bare form = iota
	quoted
)

// valueAfter returns the value that begins at or after s[i]: in quotes of any
// depth of escaping, or bare up to a space or a mark that ends it.
func valueAfter(s string, i int) value {
	for i < len(s) && (s[i] == '=' || s[i] == '>' || s[i] == '~') {
		i++
	}
	var v value
	for n := 0; i < len(s) && n < 64; n++ {
		if next := continued(s, i); next > i {
			i = next
			continue
		}
		if s[i] != ' ' && s[i] != '\t' {
			break
		}
		v.spaced = true
		i++
	}
	v.quote = openingQuote(s, i)
	if v.quote != "" {
		v.form = quoted
		v.start = i + strings.Index(s[i:], v.quote) + len(v.quote)
		v.end, v.capped = quotedEnd(s, v.start, v.quote)
		return v
	}
	v.start = i
	v.end, v.capped = bareEnd(s, i)
	return v
}

// openingQuote returns the quote that stands at s[i], after a string prefix
// such as Python's b or r; backslashes that escape it belong to it.
func openingQuote(s string, i int) string {
	j := i
	for j < len(s) && j-i < 2 && strings.IndexByte("rbuf@LRBUF", s[j]) >= 0 {
		j++
	}
	if strings.HasPrefix(s[i:], "%22") {
		return "%22"
	}
	k := j
	for k < len(s) && k-j < 16 && s[k] == '\\' {
		k++
	}
	if k == len(s) || s[k] != '"' && s[k] != '\'' && s[k] != '`' {
		return ""
	}
	if strings.HasPrefix(s[k:], `"""`) {
		return s[j : k+3]
	}
	return s[j : k+1]
}

func quotedEnd(s string, i int, quote string) (end int, capped bool) {
	q := quote[len(quote)-1]
	for j := i; j < len(s) && s[j] != '\n'; j++ {
		if j-i > maxValue {
			return runeStart(s, j), true
		}
		if s[j] == '[' && markerEnd(s, j) > 0 && j > i {
			return j, false
		}
		if s[j] == '[' && j == i {
			if end := skipMarkers(s, j); end > j {
				j = end - 1
				continue
			}
		}
		if len(quote) == 1 && s[j] == '\\' && q != '`' {
			j++
			continue
		}
		if s[j] == quote[0] && strings.HasPrefix(s[j:], quote) {
			return j, false
		}
		if s[j] == q && len(quote) > 1 && quote[0] == '\\' {
			return j, false
		}
	}
	for i < len(s) && s[i] != '\n' {
		if s[i] == '[' && markerEnd(s, i) > 0 {
			break
		}
		i++
	}
	return i, false
}

// bareEnd returns where a value without quotes ends.
func bareEnd(s string, i int) (end int, capped bool) {
	j := skipMarkers(s, i)
	for ; j < len(s) && !endsBare(s, j); j++ {
		if j-i > maxValue {
			return runeStart(s, j), true
		}
	}
	// A sentence's full stop is not part of the value.
	for j > i+1 && (s[j-1] == '.' || s[j-1] == ':' || s[j-1] == '\\') {
		j--
	}
	return j, false
}

func endsBare(s string, j int) bool {
	switch s[j] {
	case ' ', '\t', '\n', '"', '\'', '`', ',', ';', ')', '(', '&', '|', '<', '>', '}', ']':
		return true
	case '[':
		return markerEnd(s, j) > 0
	case '\\':
		k := j + 1
		for k < len(s) && k-j < 16 && s[k] == '\\' {
			k++
		}
		return k < len(s) && strings.IndexByte("nrtu\"'\n", s[k]) >= 0
	case 0xe2, 0xe3, 0xef:
		// Dashes, quotes, ellipsis; CJK and full-width punctuation.
		return j+1 < len(s) && (s[j] == 0xef) == (s[j+1] == 0xbc || s[j+1] == 0xbd) && (s[j] == 0xef || s[j+1] == 0x80)
	case '%':
		return strings.HasPrefix(s[j:], "%26") || strings.HasPrefix(s[j:], "%22")
	}
	return false
}

// runeStart moves a cut back to where its rune begins. What is not UTF-8 has
// no such place within reach, and is cut where it is.
func runeStart(s string, i int) int {
	for j := i; j > i-utf8.UTFMax && j > 0 && j < len(s); j-- {
		if utf8.RuneStart(s[j]) {
			return j
		}
	}
	return i
}

// wholeEnd returns where a value ends that is longer than was judged.
func (v *value) wholeEnd(s string) int {
	end := v.end
	for end < len(s) && s[end] != '\n' {
		if v.form == quoted && s[end] == v.quote[len(v.quote)-1] || v.form == bare && endsBare(s, end) {
			break
		}
		end++
	}
	return end
}

// endOfSetting returns where the value ends if it is that of a line NAME=value
// of a file or a shell: there, marks that end a value elsewhere are part of it.
func (v *value) endOfSetting(s string) int {
	end := v.end
	if v.form == quoted || v.sign != '=' || v.spaced || !v.beginsLine(s) {
		return end
	}
	if text := s[v.start:end]; end < len(s) && s[end] == '(' && (identifier(text) || dottedNames(text)) {
		return end // a call
	}
	for end < len(s) && end-v.start < maxValue {
		if !endsBare(s, end) {
			end++
			continue
		}
		if strings.IndexByte(",;()&|<>}]", s[end]) < 0 || end+1 == len(s) || endsBare(s, end+1) {
			break
		}
		end++
	}
	if end-v.start >= maxValue {
		return v.end
	}
	return end
}

// beginsLine tells whether the name is the first thing on its line, but for
// "export", "set" and the like.
func (v *value) beginsLine(s string) bool {
	i := v.nameStart
	for i > 0 && s[i-1] == ' ' && v.nameStart-i < 16 {
		i--
	}
	if i == 0 || s[i-1] == '\n' {
		return true
	}
	return strings.HasSuffix(s[:i], "export") || strings.HasSuffix(s[:i], "+") || strings.HasSuffix(s[:i], "ENV")
}

// measured is what a text is made of.
type measured struct {
	digits, uppers, lowers, dashes, others, spaces int
	// hexRun is how many characters the text begins with that are hexadecimal.
	hexRun int
	counts [128]uint8
}

func measure(s string) *measured {
	m := new(measured)
	hex := true
	for i := 0; i < len(s); i++ {
		c := s[i]
		if hex = hex && isHex(c); hex {
			m.hexRun++
		}
		switch {
		case isDigit(c):
			m.digits++
		case isUpper(c):
			m.uppers++
		case isLower(c):
			m.lowers++
		case c == '-' || c == '_':
			m.dashes++
		case c == ' ':
			m.spaces++
		default:
			m.others++
		}
		if c < 128 && m.counts[c] < 255 {
			m.counts[c]++
		}
	}
	return m
}

// entropy is Shannon's, in bits for each character.
func (m *measured) entropy() float64 {
	total := 0
	for _, n := range m.counts {
		total += int(n)
	}
	h := 0.0
	for _, n := range m.counts {
		if n > 0 {
			p := float64(n) / float64(total)
			h -= p * math.Log2(p)
		}
	}
	return h
}

// random tells whether a text looks drawn by lot: digits among letters, or,
// where it is long, more entropy than words of its length have.
// Source of the threshold: CredSweeper's minimum entropy for base64.
func random(s string) bool {
	m := measure(s)
	letters := m.uppers + m.lowers
	if len(s) < 8 || m.spaces > 0 || m.digits+letters < len(s)/2 {
		return false
	}
	if m.digits > 0 && letters > 0 && (len(s) >= 12 || m.digits > 1) {
		return m.entropy() > 2.2
	}
	n := float64(len(s))
	return len(s) >= 18 && m.uppers > 1 && m.lowers > 1 && m.entropy() > 0.767*math.Log2(n)+0.5677 && !camelCase(s)
}

// camelCase tells whether the letters of s fall into words: few changes from
// lower to upper case for its length.
func camelCase(s string) bool {
	changes := 0
	for i := 1; i < len(s); i++ {
		if isLower(s[i-1]) && isUpper(s[i]) {
			changes++
		}
	}
	return changes*5 <= len(s)
}

// masked tells whether a value was already made unreadable by its writer.
func masked(s string) bool {
	longest, run := 0, 0
	for i := 0; i < len(s); i++ {
		if c := s[i] | 0x20; c == 'x' || s[i] == '*' || s[i] == '.' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest*2 >= len(s) || strings.Contains(s, "***") || strings.Contains(s, "...")
}
