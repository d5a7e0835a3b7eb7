package o200k

// mergedBySearch is the length up to which a piece is merged by looking for
// the lowest rank in a row; longer ones keep their candidates in a heap, so
// that a run of a million characters costs n log n.
const mergedBySearch = 128

// part is a token in the making: it begins at offset and reaches to the next
// part. rank is that of the token it would make with the next part.
type part struct {
	offset int32
	rank   uint32
}

// countMerged returns the number of tokens of a piece that is no token itself.
func countMerged(piece string) int {
	if len(piece) >= mergedBySearch {
		return countMergedByHeap(piece)
	}
	var room [mergedBySearch + 1]part
	parts := room[:len(piece)+1] // the last one marks the end
	for i := range len(piece) - 1 {
		parts[i] = part{int32(i), pairOf(piece, i)}
	}
	for i := len(piece) - 1; i <= len(piece); i++ {
		parts[i] = part{int32(i), noRank}
	}
	for len(parts) > 2 {
		lowest, at := uint32(noRank), 0
		for i := range parts[:len(parts)-2] {
			if parts[i].rank < lowest {
				lowest, at = parts[i].rank, i
			}
		}
		if lowest == noRank {
			break
		}
		copy(parts[at+1:], parts[at+2:])
		parts = parts[:len(parts)-1]
		parts[at].rank = pairRank(piece, parts, at)
		if at > 0 {
			parts[at-1].rank = pairRank(piece, parts, at-1)
		}
	}
	return len(parts) - 1
}

// pairRank is the rank of the parts at and at+1 as one token.
func pairRank(piece string, parts []part, at int) uint32 {
	if at+2 >= len(parts) {
		return noRank
	}
	return rankOf(piece[parts[at].offset:parts[at+2].offset])
}

// chain is a piece whose parts are linked by their offsets.
type chain struct {
	piece      string
	next, prev []int32
	rank       []uint32
	heap       []part // pairs that may be merged; stale where rank has changed
}

// countMergedByHeap is countMerged for long pieces.
func countMergedByHeap(piece string) int {
	n := len(piece)
	c := chain{
		piece: piece,
		next:  make([]int32, n+1), prev: make([]int32, n+1),
		rank: make([]uint32, n+1),
		heap: make([]part, 0, n),
	}
	for i := range n + 1 {
		c.next[i], c.prev[i] = int32(i)+1, int32(i)-1
	}
	for i := range n {
		c.offer(int32(i))
	}
	tokens := n
	for len(c.heap) > 0 {
		lowest := c.pop()
		at := lowest.offset
		if c.rank[at] != lowest.rank {
			continue
		}
		gone := c.next[at]
		c.rank[gone] = noRank
		c.next[at] = c.next[gone]
		c.prev[c.next[at]] = at
		tokens--
		c.offer(at)
		if before := c.prev[at]; before >= 0 {
			c.offer(before)
		}
	}
	return tokens
}

// offer sets the rank of the pair that begins at offset and puts it up for merging.
func (c *chain) offer(offset int32) {
	c.rank[offset] = noRank
	middle := c.next[offset]
	if int(middle) >= len(c.piece) {
		return
	}
	end := c.next[middle]
	if end-offset > MaxToken {
		return
	}
	if r := rankOf(c.piece[offset:end]); r != noRank {
		c.rank[offset] = r
		c.push(part{offset, r})
	}
}

func before(a, b part) bool {
	return a.rank < b.rank || a.rank == b.rank && a.offset < b.offset
}

func (c *chain) push(p part) {
	h := append(c.heap, p)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !before(p, h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = p
	c.heap = h
}

func (c *chain) pop() part {
	top, last := c.heap[0], c.heap[len(c.heap)-1]
	h := c.heap[:len(c.heap)-1]
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && before(h[child+1], h[child]) {
			child++
		}
		if !before(h[child], last) {
			break
		}
		h[i] = h[child]
		i = child
	}
	if len(h) > 0 {
		h[i] = last
	}
	c.heap = h
	return top
}
