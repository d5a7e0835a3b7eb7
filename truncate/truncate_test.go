package truncate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func numbered(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("run %04d worker=%d state=ok", i+1, i%7)
	}
	return lines
}

func TestHeadAndTail(t *testing.T) {
	all := numbered(232)
	r := Lines(strings.Join(all, "\n")+"\n", Options{})
	if !slices.Equal(r.Head, all[:5]) || !slices.Equal(r.Tail, all[217:]) || len(r.Verdicts) != 0 {
		t.Errorf("head %q, tail %q", r.Head, r.Tail)
	}
	want := strings.Join(all[:5], "\n") + "\n[… 212 lines, 5,724 characters left out …]\n" + strings.Join(all[217:], "\n") + "\n"
	if r.Text != want {
		t.Errorf("text %q, want %q", r.Text, want)
	}
	if r.OmittedLines != 212 || r.OmittedBytes != 5724 {
		t.Errorf("%d lines, %d bytes", r.OmittedLines, r.OmittedBytes)
	}
}

func TestOptions(t *testing.T) {
	text := strings.Join(numbered(100), "\n")
	for _, x := range []struct {
		o          Options
		head, tail int
	}{
		{Options{}, 5, 15}, {Options{Head: 10, Tail: 30}, 10, 30}, {Options{Head: -1}, 0, 15}, {Options{Tail: -1}, 5, 0},
		{Options{Head: -1, Tail: -1}, 0, 0}, {Options{Head: 60, Tail: 40}, 100, 0}, {Options{Head: 1000}, 100, 0},
	} {
		if r := Lines(text, x.o); len(r.Head) != x.head || len(r.Tail) != x.tail {
			t.Errorf("%+v: %d and %d lines, want %d and %d", x.o, len(r.Head), len(r.Tail), x.head, x.tail)
		}
	}
}

func TestShortOutputStays(t *testing.T) {
	for _, text := range []string{"", "\n", "one line", "one line\n", strings.Join(numbered(20), "\n"), strings.Repeat("x\n", 22), "a\r\nb\r\n"} {
		if r := Lines(text, Options{}); r.Text != text || r.OmittedLines != 0 || r.OmittedBytes != 0 {
			t.Errorf("%q became %q", text, r.Text)
		}
	}
}

// A log ends with its verdict; noise is in the middle, and so may be the cause.
func TestVerdictsStay(t *testing.T) {
	all := numbered(400)
	all[100] = "--- FAIL: TestInvoiceRounding (0.00s)"
	all[101] = "    round_test.go:12: got 10.01 want 10.00"
	all[399] = "exit code 1; 212 passed, 3 failed"
	for i := 200; i < 300; i++ {
		all[i] = fmt.Sprintf("warning: error %d ignored", i)
	}
	r := Lines(strings.Join(all, "\n"), Options{})
	for _, want := range []string{all[100], all[101], all[200], all[299], all[399], "[… 95 lines, ", "[… 98 lines, "} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("%q is missing in %s", want, r.Text)
		}
	}
	if len(r.Verdicts) != 6 || r.OmittedLines != 400-5-15-6 {
		t.Errorf("%d verdicts, %d lines left out", len(r.Verdicts), r.OmittedLines)
	}
	if r := Lines(strings.Join(all, "\n"), Options{Verdicts: -1}); len(r.Verdicts) != 0 || strings.Count(r.Text, markerStart) != 1 {
		t.Errorf("verdicts that nobody wants: %q", r.Text)
	}
}

func TestLongLinesAreShortened(t *testing.T) {
	long := "START " + strings.Repeat("0123456789", 1000) + " END"
	for _, text := range []string{long, long + "\n", "a\n" + long + "\nb", strings.Repeat(long+"\n", 50)} {
		r := Lines(text, Options{})
		for line := range strings.Lines(r.Text) {
			if len(line) > 501 {
				t.Errorf("a line of %d bytes stays", len(line))
			}
		}
		if !strings.Contains(r.Text, "START 0123") || !strings.Contains(r.Text, " END") || !strings.Contains(r.Text, " characters left out …]") {
			t.Errorf("%q", r.Text)
		}
		if r.OmittedBytes < 9000 {
			t.Errorf("%d bytes left out", r.OmittedBytes)
		}
	}
	if r := Lines(long, Options{MaxLine: -1}); r.Text != long {
		t.Error("a line was shortened although lines may be of any length")
	}
}

// A result of a whole window shrinks to what fits, whatever it is made of.
func TestHugeResultIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"lines": strings.Join(numbered(100_000), "\n"), "one line": strings.Repeat("x", 4_000_000),
		"all verdicts": strings.Repeat("error: it failed "+strings.Repeat("x", 600)+"\n", 5000), "empty lines": strings.Repeat("\n", 100_000),
	} {
		if r := Lines(text, Options{}); len(r.Text) > 27*501+7*60 {
			t.Errorf("%s: %d bytes stay", name, len(r.Text))
		}
	}
}

// An emoji of four bytes, a family with joiners and a combining mark lie where
// the cut falls.
func TestCutsBetweenCharacters(t *testing.T) {
	text := strings.Repeat("n", 1999) + "🧝 rest 👨‍👩‍👧‍👦 cafe\u0301 中文字 \ufffd " + strings.Repeat("m", 700) + "終わり"
	for limit := range 2900 {
		got := Text(text, limit)
		if !utf8.ValidString(got) || strings.Count(got, "\ufffd") > 1 {
			t.Fatalf("cut at %d: %q", limit, got)
		}
		if len(got) > limit && limit < len(text) {
			t.Fatalf("%d bytes at a limit of %d", len(got), limit)
		}
		if limit > 100 && limit < len(text) && !strings.Contains(got, " characters left out …]") {
			t.Fatalf("cut at %d without a word: %q", limit, got)
		}
		if again := Text(got, limit); again != got {
			t.Fatalf("cut at %d, again: %q", limit, again)
		}
	}
	for limit := 1996; limit <= 2030; limit++ {
		if r := Lines(text, Options{MaxLine: limit}); !utf8.ValidString(r.Text) {
			t.Fatalf("line cut at %d: %q", limit, r.Text)
		}
	}
}

func TestTextStatesWhatIsLeftOut(t *testing.T) {
	text := "The first words. " + strings.Repeat("日本", 500) + " The last words."
	got := Text(text, 100)
	var n int
	if _, err := fmt.Sscanf(got[strings.Index(got, markerStart)+len(markerStart):], "%d", &n); err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(got, " "+markerStart)
	_, tail, _ := strings.Cut(rest, markerEnd+" ")
	if !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) || head == "" || tail == "" {
		t.Errorf("%q", got)
	}
	left := utf8.RuneCountInString(text) - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	if !strings.Contains(got, quantity(left, "character")) {
		t.Errorf("%q, but %d characters are left out", got, left)
	}
}

func TestTextAtTheLimits(t *testing.T) {
	for _, x := range []struct {
		text  string
		limit int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"abc", 0, ""}, {"abc", -1, ""}, {"", 10, ""}, {"a中b", 3, "a"}, {"中", 2, ""}, {"\x80\x80\x80\x80\x80\x80", 5, "\x80"}} {
		if got := Text(x.text, x.limit); got != x.want {
			t.Errorf("Text(%q, %d) = %q, want %q", x.text, x.limit, got, x.want)
		}
	}
}

func anyOutput(t *rapid.T) string {
	line := rapid.OneOf(
		rapid.StringN(0, 40, -1), rapid.SampledFrom(numbered(5)), rapid.StringN(400, 900, -1),
		rapid.SampledFrom([]string{"", "FAIL", "error: x", "[… 3 lines, 9 characters left out …]", "exit code 1", "\xff\xfe"}),
	)
	return strings.Join(rapid.SliceOfN(line, 0, 60).Draw(t, "lines"), "\n")
}

func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyOutput(t)
		n := rapid.IntRange(-1, 20)
		o := Options{Head: n.Draw(t, "head"), Tail: n.Draw(t, "tail"), Verdicts: n.Draw(t, "verdicts"), MaxLine: rapid.IntRange(-1, 600).Draw(t, "max")}
		r := Lines(text, o)
		if len(r.Text) > len(text) {
			t.Fatalf("%d bytes became %d", len(text), len(r.Text))
		}
		if again := Lines(r.Text, o); again.Text != r.Text {
			t.Fatalf("once %q, twice %q", r.Text, again.Text)
		}
		if utf8.ValidString(text) != utf8.ValidString(r.Text) && utf8.ValidString(text) {
			t.Fatalf("a character was cut: %q", r.Text)
		}
		if r.OmittedLines == 0 && r.OmittedBytes == 0 && r.Text != text {
			t.Fatalf("%q became %q without a word", text, r.Text)
		}
		limit := rapid.IntRange(-1, 300).Draw(t, "limit")
		short := Text(text, limit)
		if len(short) > max(limit, 0) || len(short) > len(text) || Text(short, limit) != short {
			t.Fatalf("Text to %d: %q", limit, short)
		}
	})
}

func FuzzLines(f *testing.F) {
	f.Add("a\nb\n", 1, 1)
	f.Add(strings.Repeat("error\n", 60), 5, 15)
	f.Fuzz(func(t *testing.T, text string, head, tail int) {
		o := Options{Head: min(head, 1000), Tail: min(tail, 1000)}
		r := Lines(text, o)
		if len(r.Text) > len(text) || Lines(r.Text, o).Text != r.Text {
			t.Errorf("%q became %q", text, r.Text)
		}
	})
}
