package jsonscan

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Text decodes the body of a JSON string into a copy of its own. Lone
// surrogates and bytes that are not UTF-8 become U+FFFD, as in encoding/json.
func Text(raw []byte) string {
	if !utf8.Valid(raw) {
		var out strings.Builder
		decode(&out, raw)
		return repair(out.String())
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	var out strings.Builder
	out.Grow(len(raw))
	decode(&out, raw)
	return out.String()
}

// WriteText appends what Text returns.
func WriteText(out *strings.Builder, raw []byte) {
	if !utf8.Valid(raw) {
		out.WriteString(Text(raw))
		return
	}
	decode(out, raw)
}

// decode resolves the escapes of raw.
func decode(out *strings.Builder, raw []byte) {
	for {
		k := bytes.IndexByte(raw, '\\')
		if k < 0 {
			break
		}
		out.Write(raw[:k])
		raw = raw[k:]
		for len(raw) > 1 && raw[0] == '\\' {
			raw = unescape(out, raw)
		}
		if len(raw) > 0 && raw[0] == '\\' { // a lone backslash at the end
			raw = raw[1:]
		}
	}
	out.Write(raw)
}

// unescape writes the character of the escape at raw[0] and returns the rest.
func unescape(out *strings.Builder, raw []byte) []byte {
	switch x := raw[1]; x {
	case 'n':
		out.WriteByte('\n')
	case 't':
		out.WriteByte('\t')
	case 'r':
		out.WriteByte('\r')
	case 'b':
		out.WriteByte('\b')
	case 'f':
		out.WriteByte('\f')
	case 'u':
		r, ok := hex4(raw[2:])
		if !ok {
			out.WriteRune(utf8.RuneError)
			return raw[2:]
		}
		raw = raw[6:]
		if r >= 0xD800 && r < 0xDC00 && len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
			if low, ok := hex4(raw[2:]); ok && low >= 0xDC00 && low < 0xE000 {
				out.WriteRune((r-0xD800)<<10 + (low - 0xDC00) + 0x10000)
				return raw[6:]
			}
		}
		out.WriteRune(r) // a surrogate is written as U+FFFD
		return raw
	default:
		out.WriteByte(x)
	}
	return raw[2:]
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, x := range b[:4] {
		switch {
		case x >= '0' && x <= '9':
			x -= '0'
		case x >= 'a' && x <= 'f':
			x -= 'a' - 10
		case x >= 'A' && x <= 'F':
			x -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(x)
	}
	return r, true
}

// repair replaces each byte that is not UTF-8.
func repair(s string) string {
	var out strings.Builder
	out.Grow(len(s) + 16)
	for _, r := range s {
		out.WriteRune(r)
	}
	return out.String()
}

// AppendQuoted writes s as a JSON string. Unlike encoding/json it leaves <, >
// and & as they are, as the clients do.
func AppendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		x := s[i]
		if x >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += n
			continue
		}
		if x >= ' ' && x != '"' && x != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch x {
		case '"', '\\':
			dst = append(dst, '\\', x)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[x>>4], hex[x&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}
