package extract

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A set finds what a search for each of its phrases finds first.
func TestPhraseSetFindsWhatIndexFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.StringMatching(`[ab é]{2,6}`), 1, 6).Draw(t, "phrases")
		text := rapid.StringMatching(`[ab é]{0,40}`).Draw(t, "text")
		from := rapid.IntRange(0, len(text)).Draw(t, "from")
		want := -1
		for _, s := range list {
			if i := strings.Index(text[from:], s); i >= 0 && (want < 0 || from+i < want) {
				want = from + i
			}
		}
		if got := newPhraseSet(list...).index(text, from); got != want {
			t.Fatalf("index(%q, %d) of %q = %d, want %d", text, from, list, got, want)
		}
	})
}
