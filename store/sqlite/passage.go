package sqlite

import (
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pith-memory/pith"
)

// Passage is a redacted text of a session with where it stands. The whole text
// of a block may be passed at once: the index cuts it.
type Passage struct {
	// Source is the block. Start and End are the bytes of its redacted text;
	// End may be 0 where Text begins at Start and says how long it is.
	Source pith.Source
	Role   pith.Role
	Kind   pith.BlockKind
	Origin pith.Provenance
	// Turn counts the model requests up to here.
	Turn int
	// Tool, Path and Agent are "" where there are none.
	Tool, Path, Agent string
	Time              time.Time
	Text              string
}

// passageBytes is the size near which a text is cut; passages are what is
// ranked and shown, so they hold about a screen of text.
const passageBytes = 2 << 10

// pieces cuts a text at the ends of lines, or, where a line is longer than a
// passage, between two characters. It yields where each piece begins, and the piece.
func pieces(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for start := 0; start < len(text); {
			end := start + pieceLength(text[start:])
			if !yield(start, text[start:end]) {
				return
			}
			start = end
		}
	}
}

// pieceLength is how much of a text belongs into its first piece. A short rest
// stays with it rather than to stand alone.
func pieceLength(text string) int {
	if len(text) <= passageBytes+passageBytes/4 {
		return len(text)
	}
	if i := strings.LastIndexByte(text[:passageBytes], '\n'); i >= passageBytes/4 {
		return i + 1
	}
	if i := strings.IndexByte(text[passageBytes:passageBytes+passageBytes/4], '\n'); i >= 0 {
		return passageBytes + i + 1
	}
	if i := strings.LastIndexByte(text[:passageBytes], ' '); i >= passageBytes/4 {
		return i + 1
	}
	n := passageBytes
	for n > passageBytes-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}
