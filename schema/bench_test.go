package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// longState is of the size of a long session's state, about 90 KB.
func longState() *pith.State {
	s := example()
	for i := range 150 {
		at := pith.Source{Message: i % 8, Block: i, Start: 4, End: 90}
		s.Files.Modified = append(s.Files.Modified, pith.File{Path: fmt.Sprintf("/work/auth/internal/pkg%d/file%d.go", i/7, i), Op: pith.FileEdited, Via: "Edit", Source: at})
		e := s.Evidence[0]
		e.ID, e.Command, e.Source = fmt.Sprintf("ev-%010x", i), fmt.Sprintf("go test -run TestNumber%d ./internal/pkg%d", i, i/7), at
		s.Evidence = append(s.Evidence, e)
		s.Goal.Amendments = append(s.Goal.Amendments, pith.Amendment{Text: strings.Repeat("Then do the next thing. ", 4), Relation: "amends", Provenance: pith.UserExplicit, Source: at})
		s.Identifiers.Symbols = append(s.Identifiers.Symbols, pith.Identifier{Name: fmt.Sprintf("refreshToken%d", i), Source: at})
		s.Blocks[at.BlockKey()] = pith.BlockRef{Role: pith.RoleUser, Type: "text", Hash: "0123456789abcdef"}
	}
	stamp(s)
	return s
}

func BenchmarkMarshal(b *testing.B) {
	s := longState()
	doc, err := Marshal(s, false)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, err := Marshal(s, false); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUnmarshal(b *testing.B) {
	doc, err := Marshal(longState(), false)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, err := Unmarshal(doc); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkID(b *testing.B) {
	s := longState()
	for b.Loop() {
		if _, err := ID(s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	s := longState()
	for b.Loop() {
		Check(s)
	}
}
