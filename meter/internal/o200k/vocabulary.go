// Package o200k turns text into the number of tokens that the o200k_base
// vocabulary cuts it into: a scanner splits the text into pieces, and a piece
// that is no token itself is merged from its bytes, lowest rank first.
//
// The vocabulary lies ready in the binary, so a process that counts nothing
// pays nothing and one that counts starts at full speed.
package o200k

import (
	_ "embed" // for the table
	"math"
	"math/bits"
)

// The vocabulary file, version 1. All numbers are little-endian.
//
//	offset     size      what
//	0          8         "pith.voc"
//	8          4         version: 1
//	12         4         number of tokens
//	16         4         number of slots, a power of two
//	20         4         number of bytes of text
//	24         8         zero
//	32         4*65536   for each pair of bytes, first + 256*second, the rank of
//	                     the token that they make plus one, 0 where they make none
//	262176     8*slots   hash table of all tokens, with linear probing
//	...        text      the tokens' bytes, one after the other, by rank
//
// A token lies in the first free slot from Hash(token) modulo the number of
// slots. A slot is 0 where it is free, and else, from the lowest bit:
//
//	21 bits    where the token begins in the text
//	 8 bits    its length in bytes
//	18 bits    its rank plus one
//	17 bits    the highest bits of its hash, so that few texts are compared in vain
const (
	Magic      = "pith.voc"
	Version    = 1
	HeaderSize = 32
	Pairs      = 1 << 16
	Slots      = 1 << 18

	offsetBits = 21
	lengthBits = 8
	rankBits   = 18

	lengthShift = offsetBits
	rankShift   = lengthShift + lengthBits
	checkShift  = rankShift + rankBits

	slotsStart = HeaderSize + 4*Pairs
	textStart  = slotsStart + 8*Slots
)

// MaxToken is the length in bytes of the longest token.
const MaxToken = 128

// noRank stands for a text that is no token: it is merged last, which is never.
const noRank = math.MaxUint32

//go:generate go -C ../../vocabgen run . -dir ../internal/o200k

//go:embed vocabulary.bin
var vocabulary string

// Slot packs a token into a slot of the hash table.
func Slot(offset, length, rank int, hash uint64) uint64 {
	return uint64(offset) | uint64(length)<<lengthShift | uint64(rank+1)<<rankShift | hash>>checkShift<<checkShift
}

// rankOf returns the rank of a token, noRank if text is none.
func rankOf(text string) uint32 {
	return find(text, Hash(text))
}

// pairOf is rankOf for the two bytes of text at i: every merge begins with
// looking up all pairs, most of which are no tokens.
func pairOf(text string, i int) uint32 {
	pair := int(text[i]) | int(text[i+1])<<8
	return uint32(load32(vocabulary, HeaderSize+4*pair)) - 1 // 0 becomes noRank
}

// find is rankOf for a text whose hash is known.
func find(text string, hash uint64) uint32 {
	const offsetMask, lengthMask, rankMask = 1<<offsetBits - 1, 1<<lengthBits - 1, 1<<rankBits - 1
	// Check and length are compared in one go.
	const compared = lengthMask<<lengthShift | (1<<(64-checkShift)-1)<<checkShift
	want := hash>>checkShift<<checkShift | uint64(len(text))<<lengthShift
	for i := hash; ; i++ {
		slot := load64(vocabulary, slotsStart+8*int(i%Slots))
		if slot == 0 {
			return noRank
		}
		if (slot^want)&compared != 0 {
			continue
		}
		at := textStart + int(slot&offsetMask)
		if vocabulary[at:at+len(text)] == text {
			return uint32(slot>>rankShift&rankMask) - 1
		}
	}
}

// Hash is the hash of the vocabulary file: wyhash with fixed keys. It belongs
// to the file's version; a change to it needs a new version and a new file.
func Hash(s string) uint64 {
	const key0, key1, key2, key3 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3, 0x589965cc75374cc3
	n := len(s)
	var a, b uint64
	switch {
	case n > 16:
		h := uint64(n)
		for i := 0; i+16 < n; i += 16 {
			h = fold(load64(s, i)^key0, load64(s, i+8)^h)
		}
		a, b = load64(s, n-16)^h, load64(s, n-8)
	case n >= 8:
		a, b = load64(s, 0), load64(s, n-8)
	case n >= 4:
		a, b = load32(s, 0), load32(s, n-4)
	case n > 0:
		a = uint64(s[0])<<16 | uint64(s[n>>1])<<8 | uint64(s[n-1])
	}
	return fold(fold(a^key1, b^uint64(n)^key2), key3)
}

// fold multiplies to 128 bits and joins the halves.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// load64 reads eight bytes of s; the compiler makes one load of them.
func load64(s string, at int) uint64 {
	b := s[at : at+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// load32 reads four bytes of s.
func load32(s string, at int) uint64 {
	b := s[at : at+4]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
}
