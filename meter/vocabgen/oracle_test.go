package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"

	"github.com/pith-memory/pith/meter/internal/o200k"
)

var update = flag.Bool("update", false, "write the golden counts of package o200k")

var oracle = sync.OnceValues(func() (*tiktoken.Tiktoken, error) {
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	return tiktoken.GetEncoding("o200k_base")
})

func oracleCount(t *testing.T, text string) int {
	t.Helper()
	enc, err := oracle()
	if err != nil {
		t.Fatal(err)
	}
	return len(enc.EncodeOrdinary(text))
}

type golden struct {
	Text   string `json:"text"`
	Tokens int    `json:"tokens"`
}

// TestGoldens counts hand-made texts of every kind with the oracle; with
// -update it writes the file that package o200k is tested against.
func TestGoldens(t *testing.T) {
	var goldens []golden
	for _, text := range goldenTexts() {
		want := oracleCount(t, text)
		if got := o200k.Count(text); got != want {
			t.Errorf("Count(%.80q) = %d, the oracle says %d", text, got, want)
		}
		goldens = append(goldens, golden{text, want})
	}
	path := filepath.Join("..", "internal", "o200k", "testdata", "counts.jsonl")
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, g := range goldens {
		if err := enc.Encode(g); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != b.String() {
		t.Errorf("%s is out of date: run go test -update", path)
	}
}

// TestRandomTexts compares counts over texts that nobody would write.
func TestRandomTexts(t *testing.T) {
	n := 20000
	if testing.Short() {
		n = 2000
	}
	for seed := range n {
		text := randomText(rand.New(rand.NewPCG(uint64(seed), 7)))
		if got, want := o200k.Count(text), oracleCount(t, text); got != want {
			t.Fatalf("seed %d: Count(%q) = %d, the oracle says %d", seed, text, got, want)
		}
	}
}

// TestFiles compares counts over the files that a person names:
// PITH_ORACLE_FILES is a folder.
func TestFiles(t *testing.T) {
	dir := os.Getenv("PITH_ORACLE_FILES")
	if dir == "" {
		t.Skip("PITH_ORACLE_FILES is not set")
	}
	counter := new(o200k.Counter)
	texts := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil || !utf8.Valid(b) {
			return err
		}
		for text := string(b[:min(len(b), 300_000)]); text != ""; texts++ {
			end := min(len(text), 700)
			for end < len(text) && !utf8.RuneStart(text[end]) {
				end++
			}
			want := oracleCount(t, text[:end])
			if got := o200k.Count(text[:end]); got != want {
				t.Errorf("%s: Count(%q) = %d, the oracle says %d", path, text[:end], got, want)
			}
			if got := counter.Count(text[:end]); got != want {
				t.Errorf("%s: Counter.Count(%q) = %d, the oracle says %d", path, text[:end], got, want)
			}
			text = text[end:]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d texts", texts)
}

// alphabet has characters that meet on the borders of the split pattern.
var alphabet = []rune("aZßǅʰ中ก\u0301\u200d\u00a0 \t\r\n\n  /\\'stremvdlL'S09½٣ⅷ.,;:-_{}()\"<>#$€→🙂👨\u3000\u0085\u2028\u00001a b\u017fKé가ひア\U0001d400\ufffd")

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(60) {
		switch r.IntN(12) {
		case 0:
			b.WriteString(strings.Repeat(string(alphabet[r.IntN(len(alphabet))]), r.IntN(20)))
		case 1:
			if c := rune(r.IntN(utf8.MaxRune)); utf8.ValidRune(c) {
				b.WriteRune(c)
			}
		case 2:
			b.WriteString([]string{"'re", "'LL", "don't", "Hello", "return", "\r\n", "    ", "//", "=> ", "日本語", "https://"}[r.IntN(11)])
		default:
			b.WriteRune(alphabet[r.IntN(len(alphabet))])
		}
	}
	return b.String()
}

func goldenTexts() []string {
	texts := append([]string{}, handWritten...)
	for _, c := range []string{"a", " ", "\n", "\t", "=", "-", "0", "\r\n", "中", "🙂", "é", "\x00", "ab", "/", "#", "A", "_ ", "\u200d", "\u0301"} {
		for _, n := range []int{2, 3, 7, 16, 80, 129, 500} {
			texts = append(texts, strings.Repeat(c, n))
		}
	}
	for c := range 33 {
		texts = append(texts, fmt.Sprintf("x%sy", string(rune(c))))
	}
	for seed := range 80 {
		texts = append(texts, randomText(rand.New(rand.NewPCG(uint64(seed), 1))))
	}
	return texts
}
