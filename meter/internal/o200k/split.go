package o200k

// The split pattern of o200k_base is an ordered choice; nextPiece tries its
// alternatives by hand, in their order:
//
//	[^\r\n\p{L}\p{N}]?U*L+('s|'t|'re|'ve|'m|'ll|'d)?    word
//	[^\r\n\p{L}\p{N}]?U+L*('s|'t|'re|'ve|'m|'ll|'d)?    word
//	\p{N}{1,3}                                          number
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*                          symbols
//	\s*[\r\n]+                                          space up to its last line break
//	\s+(?!\S)                                           space, without the last one before a word
//	\s+                                                 space
//
// U and L are the classes Upper and Lower.

// nextPiece returns the end of the piece that begins at s[start].
func nextPiece(s string, start int) int {
	if end := asciiWord(s, start); end > 0 {
		return end
	}
	class, size := classAt(s, start)
	if end := word(s, start, start+size, class); end > 0 {
		return end + contraction(s[end:])
	}
	if class&Number != 0 {
		return number(s, start)
	}
	if end := symbols(s, start); end > 0 {
		return end
	}
	return space(s, start)
}

// asciiWord is the way that most text takes: a word of ASCII letters, with or
// without one character before it, that ends before an ASCII character which
// is no letter. It returns 0 where that is not so, and the full rules decide.
func asciiWord(s string, start int) int {
	i := start
	if c := s[i]; c < 0x80 && !isASCIILetter(c) && !isBreak(c) && (c < '0' || c > '9') {
		i++
	}
	end := i
	for end < len(s) && isASCIIUpper(s[end]) {
		end++
	}
	for end < len(s) && isASCIILower(s[end]) {
		end++
	}
	switch {
	case end == i:
		return 0
	case end == len(s):
		return end
	case s[end] >= 0x80:
		return 0
	case s[end] == '\'':
		return end + contraction(s[end:])
	}
	return end
}

// word tries both word alternatives, each with and without the leading
// character, in the order of a backtracking matcher; 0 where none fits.
func word(s string, start, second int, class uint8) int {
	var withLead, without letters
	if class&(Letter|Number) == 0 && !isBreak(s[start]) && second < len(s) {
		withLead = scanLetters(s, second)
		if withLead.lower > 0 {
			return withLead.lower
		}
	}
	if class&(Upper|Lower) != 0 {
		without = scanLetters(s, start)
		if without.lower > 0 {
			return without.lower
		}
	}
	if withLead.upper > 0 {
		return withLead.upper
	}
	return without.upper
}

// letters says how far each word alternative reaches; 0 where it does not fit.
type letters struct {
	lower int // U*L+
	upper int // U+L*, looked at only where U*L+ does not fit
}

func scanLetters(s string, start int) letters {
	end, lastLower := start, 0
	for end < len(s) {
		class, size := classAt(s, end)
		if class&Upper == 0 {
			break
		}
		end += size
		if class&Lower != 0 {
			lastLower = end
		}
	}
	upperEnd := end
	for end < len(s) {
		class, size := classAt(s, end)
		if class&Lower == 0 {
			break
		}
		end += size
	}
	switch {
	case end > upperEnd:
		return letters{lower: end}
	case lastLower > 0:
		// U* gives back characters until L+ has one.
		return letters{lower: lastLower}
	case upperEnd > start:
		return letters{upper: upperEnd}
	}
	return letters{}
}

// contraction returns the length of the English ending that s begins with.
func contraction(s string) int {
	if len(s) < 2 || s[0] != '\'' {
		return 0
	}
	switch s[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return 2
	}
	if len(s) < 3 {
		return 0
	}
	if s[1] == 0xC5 && s[2] == 0xBF {
		return 3 // the long s, which is an s without regard to case
	}
	switch [2]byte{s[1] | 0x20, s[2] | 0x20} {
	case [2]byte{'r', 'e'}, [2]byte{'v', 'e'}, [2]byte{'l', 'l'}:
		return 3
	}
	return 0
}

func number(s string, start int) int {
	end := start
	for range 3 {
		if end == len(s) {
			break
		}
		class, size := classAt(s, end)
		if class&Number == 0 {
			break
		}
		end += size
	}
	return end
}

// symbols returns 0 where no symbol stands at start or after one blank there.
func symbols(s string, start int) int {
	i := start
	if s[i] == ' ' {
		i++
	}
	end := i
	for end < len(s) {
		class, size := classAt(s, end)
		if class&(Space|Letter|Number) != 0 {
			break
		}
		end += size
	}
	if end == i {
		return 0
	}
	for end < len(s) && (isBreak(s[end]) || s[end] == '/') {
		end++
	}
	return end
}

func space(s string, start int) int {
	end, last, afterBreak := start, start, 0
	for end < len(s) {
		class, size := classAt(s, end)
		if class&Space == 0 {
			break
		}
		last = end
		end += size
		if isBreak(s[last]) {
			afterBreak = end
		}
	}
	switch {
	case afterBreak > 0:
		return afterBreak
	case end == len(s) || last == start:
		return end
	}
	return last
}
