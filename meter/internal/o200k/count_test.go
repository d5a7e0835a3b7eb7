package o200k

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

type golden struct {
	Text   string `json:"text"`
	Tokens int    `json:"tokens"`
}

// goldens are counts that tiktoken-go made; module vocabgen writes them.
func goldens(t *testing.T) []golden {
	t.Helper()
	f, err := os.Open("testdata/counts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []golden
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(all) < 300 {
		t.Fatalf("only %d goldens", len(all))
	}
	return all
}

func TestCountAgreesWithTheOracle(t *testing.T) {
	counter := new(Counter)
	for _, g := range goldens(t) {
		if got := Count(g.Text); got != g.Tokens {
			t.Errorf("Count(%.80q) = %d, want %d", g.Text, got, g.Tokens)
		}
		for range 2 { // the second time from memory
			if got := counter.Count(g.Text); got != g.Tokens {
				t.Errorf("Counter.Count(%.80q) = %d, want %d", g.Text, got, g.Tokens)
			}
		}
	}
}

func TestVocabularyFile(t *testing.T) {
	if got := vocabulary[:8]; got != Magic {
		t.Errorf("magic %q", got)
	}
	if got := load32(vocabulary, 8); got != Version {
		t.Errorf("version %d, the code reads %d", got, Version)
	}
	if got := load32(vocabulary, 16); got != Slots {
		t.Errorf("%d slots, the code reads %d", got, Slots)
	}
	text := int(load32(vocabulary, 20))
	if len(vocabulary) != textStart+text {
		t.Errorf("file of %d bytes, want %d", len(vocabulary), textStart+text)
	}
	tokens := 0
	for i := range Slots {
		slot := load64(vocabulary, slotsStart+8*i)
		if slot == 0 {
			continue
		}
		tokens++
		at := textStart + int(slot&(1<<offsetBits-1))
		token := vocabulary[at : at+int(slot>>lengthShift&(1<<lengthBits-1))]
		if got, want := rankOf(token), uint32(slot>>rankShift&(1<<rankBits-1))-1; got != want {
			t.Fatalf("rankOf(%q) = %d, want %d", token, got, want)
		}
	}
	if want := int(load32(vocabulary, 12)); tokens != want || tokens != 199998 {
		t.Errorf("%d tokens, the header says %d", tokens, want)
	}
	for i := range Pairs {
		pair := string([]byte{byte(i), byte(i >> 8)})
		if got, want := pairOf(pair, 0), rankOf(pair); got != want {
			t.Fatalf("pairOf(%q) = %d, want %d", pair, got, want)
		}
	}
	for b := range 256 {
		if one := string([]byte{byte(b)}); rankOf(one) == noRank {
			t.Errorf("the byte %#x is no token", b)
		}
	}
	for _, s := range []string{"", "\x00\x00\x00\x01", "no such token", strings.Repeat("xyz", 100)} {
		if got := rankOf(s); got != noRank {
			t.Errorf("rankOf(%q) = %d, want none", s, got)
		}
	}
}

func TestClassFile(t *testing.T) {
	if classes[:8] != ClassMagic || classes[8] != 1 {
		t.Errorf("header %q", classes[:ClassHeader])
	}
	for r := range rune(0x3100) {
		class := classOf(r)
		if got := class&Letter != 0; got != unicode.IsLetter(r) {
			t.Errorf("%U: letter %t", r, got)
		}
		if got := class&Number != 0; got != unicode.IsNumber(r) {
			t.Errorf("%U: number %t", r, got)
		}
		if got := class&Space != 0; got != unicode.IsSpace(r) {
			t.Errorf("%U: space %t", r, got)
		}
		if got := class&(Upper|Lower) == Lower; got != unicode.Is(unicode.Ll, r) {
			t.Errorf("%U: lower only %t", r, got)
		}
	}
	classOf(unicode.MaxRune)
}

func TestPiecesCoverTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "valid") {
			text = rapid.String().Draw(t, "text")
		}
		for i := 0; i < len(text); {
			end := nextPiece(text, i)
			if end <= i || end > len(text) {
				t.Fatalf("piece %d-%d of %q", i, end, text)
			}
			i = end
		}
		n := Count(text)
		if n > len(text) || len(text) > n*MaxToken {
			t.Fatalf("Count(%q) = %d", text, n)
		}
		if got := new(Counter).Count(text); got != n {
			t.Fatalf("Counter.Count(%q) = %d, want %d", text, got, n)
		}
	})
}

func TestBothMergesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.StringOfN(rapid.RuneFrom([]rune("abcdeé中 =-01\n")), 2, 120, 127).Draw(t, "piece")
		if a, b := countMerged(piece), countMergedByHeap(piece); a != b {
			t.Fatalf("%q: %d by search, %d by heap", piece, a, b)
		}
	})
}

// A run without a break is the worst that can be counted. Quadratic work on
// these would take minutes.
func TestLongRunsAreNotQuadratic(t *testing.T) {
	const n = 1 << 18
	for _, run := range []string{"a", " ", "\n", "=", "中", "\x00", "ab", "é", "\xff", "中A", "A\u0301"} {
		text := strings.Repeat(run, n/len(run)+7)
		tokens := Count(text)
		if tokens < n/MaxToken || tokens > 2*n {
			t.Errorf("a run of %q has %d tokens", run, tokens)
		}
	}
}

func FuzzCount(f *testing.F) {
	for _, s := range []string{"", "a\xffb", "\xed\xa0\x80", "don't", " \r\n 中"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if a, b := Count(s), new(Counter).Count(s); a != b {
			t.Errorf("%q: %d without memory, %d with", s, a, b)
		}
	})
}

func corpus(b *testing.B) string {
	b.Helper()
	src, err := os.ReadFile("split.go")
	if err != nil {
		b.Fatal(err)
	}
	var all strings.Builder
	for range 20 {
		all.Write(src)
		all.WriteString("今天天气很好，我们去公园散步吧。 --- FAIL: TestRounding (0.00s) got 10.01 want 10.00\n")
	}
	return all.String()
}

func BenchmarkCount(b *testing.B) {
	text := corpus(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Count(text)
	}
}

func BenchmarkCounter(b *testing.B) {
	text := corpus(b)
	counter := new(Counter)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		counter.Count(text)
	}
}
