package o200k

// maxPiece bounds the memory that one run without a break may take. A longer
// run is cut, which can add a token at each cut.
const maxPiece = 1 << 20

// Count returns the number of tokens in text.
func Count(text string) int {
	var c *Counter
	return c.Count(text)
}

// Counter counts tokens and remembers the last pieces; the words of a session
// come back often, and the vocabulary is too large to stay in a cache. A nil
// Counter counts without a memory. It is not safe for concurrent use.
type Counter struct {
	remembered [4096]remembered
}

// remembered is a piece of 2 to 16 bytes, as its first and last eight, four or
// two bytes, which overlap where it is shorter.
type remembered struct {
	first, last    uint64
	length, tokens uint8
}

// maxRemembered is the length of the longest piece that is remembered.
const maxRemembered = 16

// ends returns what a piece is remembered as.
func ends(piece string) remembered {
	n := len(piece)
	r := remembered{length: uint8(n)}
	switch {
	case n >= 8:
		r.first, r.last = load64(piece, 0), load64(piece, n-8)
	case n >= 4:
		r.first, r.last = load32(piece, 0), load32(piece, n-4)
	default:
		r.first, r.last = load16(piece, 0), load16(piece, n-2)
	}
	return r
}

func load16(s string, at int) uint64 { return uint64(s[at]) | uint64(s[at+1])<<8 }

// Count returns the number of tokens in text.
func (c *Counter) Count(text string) int {
	tokens := 0
	for i := 0; i < len(text); {
		end := nextPiece(text, i)
		tokens += c.countPiece(text[i:end])
		i = end
	}
	return tokens
}

func (c *Counter) countPiece(piece string) int {
	if len(piece) == 1 {
		return 1 // every byte is a token
	}
	if len(piece) > maxPiece {
		return c.countPiece(piece[:maxPiece]) + c.countPiece(piece[maxPiece:])
	}
	if len(piece) > MaxToken {
		return countMerged(piece)
	}
	hash := Hash(piece)
	if c == nil || len(piece) > maxRemembered {
		return countWhole(piece, hash)
	}
	r, want := &c.remembered[hash>>32%uint64(len(c.remembered))], ends(piece)
	if r.first != want.first || r.last != want.last || r.length != want.length {
		*r = want
		r.tokens = uint8(countWhole(piece, hash))
	}
	return int(r.tokens)
}

// countWhole counts a piece that may be a token itself.
func countWhole(piece string, hash uint64) int {
	if find(piece, hash) != noRank {
		return 1
	}
	return countMerged(piece)
}
