package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// forbidden tells whether a state may not hold a code point: controls but
// newline and tab, and everything that shows nothing or turns text around.
// The joiners U+200C and U+200D and the emoji selector U+FE0F are allowed:
// languages and emoji need them.
func forbidden(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	case r <= 0x9f, r == 0xad:
		return true
	case r < 0x180e:
		return false
	case r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x2069,
		r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe007f, r >= 0xe0100 && r <= 0xe01ef:
		return true
	}
	switch r {
	case 0x180e, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x3164, 0xfeff, 0xffa0:
		return true
	}
	return false
}

// codePoints finds forbidden code points in a document as Marshal writes it.
// One pass over the bytes tells a clean document; only a document that is not
// is read again, to say where.
func (c *checker) codePoints(doc []byte) {
	if cleanBytes(doc) {
		return
	}
	dec := jsontext.NewDecoder(bytes.NewReader(doc), jsontext.AllowInvalidUTF8(true))
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.add(ruleText, place{index: -1}, "the document cannot be read back: "+err.Error())
			}
			return
		}
		if tok.Kind() != '"' {
			continue
		}
		for _, r := range tok.String() {
			if forbidden(r) {
				c.problems = append(c.problems, Problem{
					ruleText, string(dec.StackPointer()),
					fmt.Sprintf("holds the code point U+%04X; write it as \\u{%04X}", r, r),
				})
				break
			}
		}
	}
}

// cleanBytes tells whether JSON text holds no forbidden code point, as itself
// or as an escape. Marshal escapes nothing but the quote, the backslash and
// controls, so any other escape is a finding.
func cleanBytes(doc []byte) bool {
	for i := 0; i < len(doc); {
		b := doc[i]
		switch {
		case b == '\\' && i+1 < len(doc):
			switch doc[i+1] {
			case '"', '\\', 'n', 't', '/':
			default:
				return false
			}
			i += 2
		case b < utf8.RuneSelf:
			if b == 0x7f {
				return false
			}
			i++
		default:
			r, n := utf8.DecodeRune(doc[i:])
			if forbidden(r) {
				return false
			}
			i += n
		}
	}
	return true
}
