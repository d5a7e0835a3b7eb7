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

// classAt returns the classes and the size of the character at s[i]. A byte
// that is not part of a UTF-8 character is a character of its own, of no class.
func classAt(s string, i int) (class uint8, size int) {
	if c := s[i]; c < utf8.RuneSelf {
		return classes[classesStart+int(c)], 1 // the first block has the first page
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	return classOf(r), size
}

func classOf(r rune) uint8 {
	page := int(classes[ClassHeader+int(r>>8)])
	return classes[classesStart+page<<8+int(r&0xff)]
}

func isASCIIUpper(c byte) bool  { return c-'A' < 26 }
func isASCIILower(c byte) bool  { return c-'a' < 26 }
func isASCIILetter(c byte) bool { return c|0x20-'a' < 26 }
func isBreak(c byte) bool       { return c == '\r' || c == '\n' }
