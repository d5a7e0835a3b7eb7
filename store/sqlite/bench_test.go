package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/store/storetest"
)

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "pith.db")
	for b.Loop() {
		s, err := Open(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

// BenchmarkPut saves states of 100 KB to one session.
func BenchmarkPut(b *testing.B) {
	s, err := Open(b.Context(), filepath.Join(b.TempDir(), "pith.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	work := strings.Repeat("a sentence of the work that was done, ", 2700)
	var last *pith.Saved
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		last = storetest.New(b, "s", last, fmt.Sprint(i, work))
		b.StartTimer()
		if err := s.Put(b.Context(), last); err != nil {
			b.Fatal(err)
		}
	}
}
