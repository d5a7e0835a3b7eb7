package redact

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

const (
	// maxDepth is how many encodings, one in another, are looked through.
	maxDepth = 3
	// minEncoded is the shortest run that is decoded.
	minEncoded = 24
	// maxEncoded bounds a run; longer ones are files.
	maxEncoded = 1 << 20
)

// encoded finds runs of base64 or hexadecimal that hold a secret once decoded.
// The whole run is the finding.
func (sc *scanner) encoded() {
	if sc.depth >= maxDepth {
		return
	}
	s, chars := sc.s, &sc.lex.chars
	// No run begins before low that was not looked at; one of minEncoded that
	// begins there reaches i.
	for low, i := 0, minEncoded-1; i < len(s); {
		start := i + 1
		for start > low && chars[s[start-1]]&base64Char != 0 {
			start--
		}
		if i+1-start < minEncoded {
			low, i = start, start+minEncoded-1
			continue
		}
		end := i + 1
		for end < len(s) && chars[s[end]]&base64Char != 0 {
			end++
		}
		if end-start <= maxEncoded {
			end = sc.decodeRun(start, end)
		}
		low, i = end, end+minEncoded
	}
}

// decodeRun scans what the run s[start:end] stands for and returns where the
// run ends, with the lines that go on with it.
func (sc *scanner) decodeRun(start, end int) int {
	s := sc.s
	text, ok := decodeHex(s[start:end])
	if !ok {
		if !readable(s[start : start+16]) {
			return end
		}
		end = sc.wrapped(start, end)
		text, ok = decodeBase64(strings.ReplaceAll(s[start:end], "\n", ""))
	}
	if !ok || len(new(scanner).scan(text, sc.depth+1)) == 0 {
		return end
	}
	for end < len(s) && s[end] == '=' {
		end++
	}
	sc.add(start, end, "encoded")
	return end
}

// wrapped returns where a run ends that is folded into lines of one length.
func (sc *scanner) wrapped(start, end int) int {
	s := sc.s
	width := end - start
	for width >= 60 && end < len(s) && s[end] == '\n' && end-start < maxEncoded {
		next := end + 1
		for next < len(s) && next-end <= width && sc.lex.chars[s[next]]&base64Char != 0 {
			next++
		}
		if next == end+1 {
			break
		}
		full := next-end-1 == width
		if !full && (!usualWidth(width) || !lastOfFold(s, next, next-start-strings.Count(s[start:next], "\n"))) {
			break
		}
		end = next
		if !full {
			break
		}
	}
	return end
}

// usualWidth tells whether programs fold base64 to such lines, so that a single
// one may be followed by a shorter one.
func usualWidth(n int) bool {
	return n == 60 || n == 64 || n == 70 || n == 72 || n == 76 || n == 80
}

// lastOfFold tells whether a shorter line that ends at s[end] can be the last of
// a run of so many characters: it completes the code, and ends its line.
func lastOfFold(s string, end, size int) bool {
	if end < len(s) && s[end] == '=' {
		return true
	}
	return size%4 == 0 && (end == len(s) || strings.IndexByte("\n\"'", s[end]) >= 0)
}

// readable tells whether the beginning of a run decodes to ASCII text.
func readable(run string) bool {
	var bits uint32
	n := 0
	for i := range len(run) {
		bits = bits<<6 | base64Value(run[i])
		if n += 6; n < 8 {
			continue
		}
		n -= 8
		if c := byte(bits >> n); c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

func base64Value(c byte) uint32 {
	switch {
	case isUpper(c):
		return uint32(c - 'A')
	case isLower(c):
		return uint32(c-'a') + 26
	case isDigit(c):
		return uint32(c-'0') + 52
	case c == '+', c == '-':
		return 62
	}
	return 63
}

func decodeBase64(run string) (string, bool) {
	enc := base64.RawStdEncoding
	if strings.ContainsAny(run, "-_") {
		enc = base64.RawURLEncoding
	}
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	raw, err := enc.DecodeString(run)
	return string(raw), err == nil && isText(raw)
}

func decodeHex(run string) (string, bool) {
	if len(run)%2 != 0 {
		return "", false
	}
	for i := 0; i < 12; i += 2 { // ASCII: the first digit of each pair is below 8
		if !isHex(run[i+1]) || !isDigit(run[i]) || run[i] > '7' {
			return "", false
		}
	}
	raw, err := hex.DecodeString(run)
	return string(raw), err == nil && isText(raw)
}

func isText(raw []byte) bool {
	for _, c := range raw {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return utf8.Valid(raw) || len(raw) > 3 && utf8.Valid(raw[:len(raw)-3])
}
