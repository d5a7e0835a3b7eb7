// Command vocabgen writes the tables of package o200k: the vocabulary as a
// hash table that is read in place, and the classes of characters.
//
// The vocabulary comes from the module github.com/pkoukk/tiktoken-go-loader,
// which carries OpenAI's o200k_base.tiktoken; the classes come from the
// Unicode tables of the Go release that runs this. The package has its own
// module, so that neither is a dependency of pith.
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"unicode"

	loader "github.com/pkoukk/tiktoken-go-loader"

	"github.com/pith-memory/pith/meter/internal/o200k"
)

func main() {
	dir := flag.String("dir", ".", "folder to write vocabulary.bin and classes.bin to")
	flag.Parse()
	if err := run(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "vocabgen:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	ranks, err := loader.NewOfflineLoader().LoadTiktokenBpe("o200k_base.tiktoken")
	if err != nil {
		return err
	}
	vocabulary, err := buildVocabulary(ranks)
	if err != nil {
		return err
	}
	classes, err := buildClasses()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "vocabulary.bin"), vocabulary, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "classes.bin"), classes, 0o644)
}

// buildVocabulary lays tokens and their ranks out as package o200k reads them.
// Ranks need not be dense: o200k_base leaves a gap before its special tokens.
func buildVocabulary(ranks map[string]int) ([]byte, error) {
	byRank := make(map[int]string, len(ranks))
	highest := 0
	for token, rank := range ranks {
		byRank[rank] = token
		highest = max(highest, rank)
		if len(token) > o200k.MaxToken {
			return nil, fmt.Errorf("token %d has %d bytes, more than %d", rank, len(token), o200k.MaxToken)
		}
	}
	if len(byRank) != len(ranks) {
		return nil, fmt.Errorf("%d tokens share %d ranks", len(ranks), len(byRank))
	}
	slots := make([]uint64, o200k.Slots)
	pairs := make([]uint32, o200k.Pairs)
	var text []byte
	for rank := range highest + 1 {
		token, ok := byRank[rank]
		if !ok {
			continue
		}
		if len(token) == 2 {
			pairs[int(token[0])|int(token[1])<<8] = uint32(rank + 1)
		}
		hash := o200k.Hash(token)
		i := hash % o200k.Slots
		for slots[i] != 0 {
			i = (i + 1) % o200k.Slots
		}
		slots[i] = o200k.Slot(len(text), len(token), rank, hash)
		text = append(text, token...)
	}
	out := make([]byte, 0, o200k.HeaderSize+4*len(pairs)+8*len(slots)+len(text))
	out = append(out, o200k.Magic...)
	out = binary.LittleEndian.AppendUint32(out, o200k.Version)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(ranks)))
	out = binary.LittleEndian.AppendUint32(out, o200k.Slots)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(text)))
	out = append(out, make([]byte, o200k.HeaderSize-len(out))...)
	for _, pair := range pairs {
		out = binary.LittleEndian.AppendUint32(out, pair)
	}
	for _, slot := range slots {
		out = binary.LittleEndian.AppendUint64(out, slot)
	}
	return append(out, text...), nil
}

// buildClasses lays the classes of every character out in pages; equal pages
// are kept once.
func buildClasses() ([]byte, error) {
	type page [256]byte
	var all [o200k.ClassBlocks]page
	for _, c := range []struct {
		class  byte
		tables []*unicode.RangeTable
	}{
		{o200k.Upper, []*unicode.RangeTable{unicode.Lu, unicode.Lt, unicode.Lm, unicode.Lo, unicode.M}},
		{o200k.Lower, []*unicode.RangeTable{unicode.Ll, unicode.Lm, unicode.Lo, unicode.M}},
		{o200k.Number, []*unicode.RangeTable{unicode.N}},
		{o200k.Space, []*unicode.RangeTable{unicode.White_Space}},
		{o200k.Letter, []*unicode.RangeTable{unicode.L}},
	} {
		for r := range rune(unicode.MaxRune + 1) {
			if unicode.In(r, c.tables...) {
				all[r>>8][r&0xff] |= c.class
			}
		}
	}
	out := append([]byte(o200k.ClassMagic), 1, 0, 0, 0, 0, 0, 0, 0)
	seen := map[page]byte{}
	var pages []byte
	for _, p := range all {
		number, ok := seen[p]
		if !ok {
			if len(seen) > 255 {
				return nil, fmt.Errorf("more than 256 different pages of classes")
			}
			number = byte(len(seen))
			seen[p] = number
			pages = append(pages, p[:]...)
		}
		out = append(out, number)
	}
	return append(out, pages...), nil
}
