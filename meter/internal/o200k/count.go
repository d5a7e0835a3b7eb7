package o200k

// maxPiece bounds the memory that one run without a break may take. A longer
// run is cut, which can add a token at each cut.
const maxPiece = 1 << 20

// Count returns the number of tokens in text.
func Count(text string) int {
	var c *Counter
	return c.Count(text)
}

// Counter counts tokens and remembers pieces that it had to merge; the words
// of a session come back often. A nil Counter counts without a memory. It is
// not safe for concurrent use.
type Counter struct {
	remembered [4096]remembered
}

// remembered holds a copy of the piece, so that no text is kept alive by it.
type remembered struct {
	piece          [maxRemembered]byte
	length, tokens uint8
}

// maxRemembered makes an entry 32 bytes, half a cache line.
const maxRemembered = 30

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
	if find(piece, hash) != noRank {
		return 1
	}
	if c == nil || len(piece) > maxRemembered {
		return countMerged(piece)
	}
	r := &c.remembered[hash>>32%uint64(len(c.remembered))]
	if string(r.piece[:r.length]) != piece {
		r.tokens = uint8(countMerged(piece))
		r.length = uint8(copy(r.piece[:], piece))
	}
	return int(r.tokens)
}
