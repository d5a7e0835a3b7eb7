package sqlite

import (
	"math/rand/v2"
	"os"
	"strconv"
	"time"

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

// BenchmarkIndex indexes 8 MB of text, or of the files of PITH_CORPUS, as blocks of 20 KB.
func BenchmarkIndex(b *testing.B) {
	text := benchText(b, 8<<20)
	b.SetBytes(int64(len(text)))
	for i := 0; b.Loop(); i++ {
		x, err := OpenIndex(b.Context(), filepath.Join(b.TempDir(), fmt.Sprint(i, ".db")))
		if err != nil {
			b.Fatal(err)
		}
		if err := x.Add(b.Context(), "s", SourceKey{}, blocksOf(text, len(text))); err != nil {
			b.Fatal(err)
		}
		x.Close()
	}
}

// blocksOf feeds blocks of a text, over and over, up to a size.
func blocksOf(text string, size int) func(add func(Passage) error) error {
	return func(add func(Passage) error) error {
		for m, at := 0, 0; at < size; m++ {
			start := at % len(text)
			block := text[start:min(len(text), start+20_000)]
			if err := add(Passage{Source: pith.Source{Message: m}, Turn: m, Tool: "Read", Text: block}); err != nil {
				return err
			}
			at += len(block)
		}
		return nil
	}
}

func benchText(tb testing.TB, size int) string {
	var out strings.Builder
	if root := os.Getenv("PITH_CORPUS"); root != "" {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || out.Len() >= size {
				return err
			}
			b, err := os.ReadFile(path)
			out.WriteString(strings.ToValidUTF8(string(b[:min(len(b), 2<<20)]), ""))
			return err
		})
		if err != nil {
			tb.Fatal(err)
		}
		return out.String()[:min(out.Len(), size)]
	}
	r := rand.New(rand.NewPCG(1, 2))
	words := rand.NewZipf(r, 1.1, 3, 200_000)
	for out.Len() < size {
		fmt.Fprintf(&out, "w%x", words.Uint64())
		out.WriteByte(" \n"[r.IntN(12)/11])
	}
	return out.String()[:size]
}

// TestBigSession indexes and searches as much text as PITH_BIG_INDEX says, in
// bytes, and holds that its memory does not follow it.
func TestBigSession(t *testing.T) {
	size, err := strconv.Atoi(os.Getenv("PITH_BIG_INDEX"))
	if err != nil {
		t.Skip("PITH_BIG_INDEX says no number of bytes")
	}
	text := benchText(t, 32<<20)
	path := filepath.Join(t.TempDir(), "search.db")
	x, err := OpenIndex(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	began := time.Now()
	if err := x.Add(t.Context(), "s", SourceKey{}, blocksOf(text, size)); err != nil {
		t.Fatal(err)
	}
	added := time.Since(began)
	began = time.Now()
	if err := x.Add(t.Context(), "s", SourceKey{}, blocksOf(text, size)); err != nil {
		t.Fatal(err)
	}
	again := time.Since(began)
	for _, query := range []string{"error test", "the", "e", "notthere"} {
		began = time.Now()
		hits, err := x.Search(t.Context(), query, SearchOptions{Session: "s"})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("searched %q in %v: %d hits", query, time.Since(began), len(hits))
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	status, _ := os.ReadFile("/proc/self/status")
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "\n")
	t.Logf("%d MiB: indexed in %v (%.1f MB/s), gone over again in %v; file of %d MiB, peak memory %s (of it %d MiB the text)",
		size>>20, added, float64(size)/1e6/added.Seconds(), again, info.Size()>>20, strings.TrimSpace(peak), len(text)>>20)
}
