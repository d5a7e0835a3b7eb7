package o200k

import (
	_ "embed" // for the table
	"unicode/utf8"
)

// The classes of characters that the split pattern tells apart. A character
// may have several: a letter without case counts as upper and as lower.
const (
	// Upper is [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}].
	Upper = 1 << iota
	// Lower is [\p{Ll}\p{Lm}\p{Lo}\p{M}].
	Lower
	// Number is \p{N}.
	Number
	// Space is \s.
	Space
	// Letter is \p{L}.
	Letter
)

// The class file, version 1: 4,352 bytes that give the page of each block of
// 256 characters, then the pages of 256 bytes, one byte of classes for each
// character. Its header is "pith.cls", the version as 4 bytes, 4 zero bytes.
const (
	ClassMagic   = "pith.cls"
	ClassHeader  = 16
	ClassBlocks  = (utf8.MaxRune + 1) >> 8
	classesStart = ClassHeader + ClassBlocks
)

//go:embed classes.bin
var classes string

func classOf(r rune) uint8 {
	page := int(classes[ClassHeader+int(r>>8)])
	return classes[classesStart+page<<8+int(r&0xff)]
}

// runeAt reads the character at s[i]. A byte that is no UTF-8 is a character
// of its own, of no class.
func runeAt(s string, i int) (r rune, size int) {
	if s[i] < utf8.RuneSelf {
		return rune(s[i]), 1
	}
	return utf8.DecodeRuneInString(s[i:])
}

// isASCIIUpper, isASCIILower and isASCIILetter serve the fast path.
func isASCIIUpper(c byte) bool  { return c-'A' < 26 }
func isASCIILower(c byte) bool  { return c-'a' < 26 }
func isASCIILetter(c byte) bool { return c|0x20-'a' < 26 }
