package redact

import "strings"

const (
	beginFrame = "-----BEGIN "
	endFrame   = "-----END "
	// maxKey bounds a private key with its frame, line numbers and quotes.
	maxKey = 16 << 10
	// minKeyBody is how much of a key's body has to be there.
	minKeyBody = 16
)

// dashes looks at a dash: the frame of a private key, or a flag.
func (sc *scanner) dashes(i int) int {
	s := sc.s
	if strings.HasPrefix(s[i:], "-----") {
		switch {
		case strings.HasPrefix(s[i:], beginFrame):
			return sc.keyFrom(i)
		case strings.HasPrefix(s[i:], endFrame):
			return sc.keyUpTo(i)
		}
		for i < len(s) && s[i] == '-' {
			i++
		}
		return i
	}
	if i > 0 && !isSpace(s[i-1]) && strings.IndexByte("\"'`(=[,", s[i-1]) < 0 {
		return i
	}
	return sc.flag(i)
}

// frameEnd returns where the line of a private key's frame ends that begins
// at s[i], 0 where it is the frame of something else.
func frameEnd(s string, i int) int {
	line := s[i:min(len(s), i+80)]
	label := strings.Index(line, "PRIVATE KEY")
	if label < 0 || strings.ContainsAny(line[:label], "\n\"") {
		return 0
	}
	end := label + len("PRIVATE KEY")
	line = strings.TrimPrefix(line[end:], " BLOCK")
	if !strings.HasPrefix(line, "-----") {
		return 0
	}
	return i + strings.Index(s[i+end:], "-----") + end + 5
}

// keyFrom finds a private key whose first line is at s[i]. Where the last line
// is missing the key goes on as long as the lines look like one.
func (sc *scanner) keyFrom(i int) int {
	s := sc.s
	body := frameEnd(s, i)
	if body == 0 {
		return i
	}
	end, size := keyBody(s, body)
	if size < minKeyBody {
		return body
	}
	if strings.HasPrefix(s[end:], endFrame) {
		if e := frameEnd(s, end); e > 0 {
			end = e
		}
	}
	sc.add(i, end, "private-key")
	return end
}

// keyBody returns where the body of a key that begins at s[i] ends, and how
// many of its characters are the key's. Between them may stand line numbers,
// quotes, escaped newlines and the headers of an encrypted key.
func keyBody(s string, i int) (end, size int) {
	end = i
	limit := min(len(s), i+maxKey)
	for i < limit {
		i = keyFiller(s, i, limit)
		if strings.HasPrefix(s[i:], endFrame) {
			return i, size
		}
		start := i
		for i < limit && isKeyChar(s[i]) {
			i++
		}
		n := i - start
		if n == 0 {
			break
		}
		if i < limit && s[i] == ':' && n < 24 && n > 3 {
			for i < limit && s[i] != '\n' && s[i] != '\\' {
				i++
			}
			end = i
			continue
		}
		if n < 16 && size > 0 && !lastOfKey(s, i) || n < 16 && size == 0 {
			break
		}
		size += n
		end = i
	}
	return end, size
}

// lastOfKey tells whether a short piece that ends at s[i] can be the last of a
// key's body: nothing but the end of the line or a quote follows.
func lastOfKey(s string, i int) bool {
	return i == len(s) || strings.IndexByte("\n\\\"'-", s[i]) >= 0
}

func isKeyChar(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }

// keyFiller steps over what may stand between two lines of a key: spaces, a
// line number with its mark, quotes, plus signs, escaped newlines.
func keyFiller(s string, i, limit int) int {
	for i < limit {
		switch c := s[i]; {
		case isSpace(c) || strings.IndexByte("\"'+,|>#*", c) >= 0 && !keyLine(s, i, limit):
			i++
		case c == '\\':
			for i < limit && s[i] == '\\' {
				i++
			}
			if i < limit && (s[i] == 'n' || s[i] == 'r') {
				i++
			}
		case isDigit(c):
			j := i
			for j < limit && isDigit(s[j]) {
				j++
			}
			if j-i > 6 || j == limit || strings.IndexByte("\t :|-.\xe2", s[j]) < 0 || strings.HasPrefix(s[j:], endFrame) {
				return i
			}
			i = j + 1
		case c == 0xe2 && i+2 < len(s): // an arrow or bar after a line number
			i += 3
		case c == '-' && !strings.HasPrefix(s[i:], "-----"):
			i++
		default:
			return i
		}
	}
	return i
}

// keyLine tells whether a plus sign at s[i] belongs to a key's body.
func keyLine(s string, i, limit int) bool {
	if s[i] != '+' || i+16 > limit {
		return false
	}
	for j := i; j < i+16; j++ {
		if !isKeyChar(s[j]) {
			return false
		}
	}
	return true
}

// keyUpTo finds the rest of a private key whose last line is at s[i] and whose
// first line is not there: the lines before it that look like a key's.
func (sc *scanner) keyUpTo(i int) int {
	s := sc.s
	end := frameEnd(s, i)
	if end == 0 {
		return i
	}
	start, size := i, 0
	low := max(0, i-maxKey)
	if n := len(sc.found); n > 0 {
		low = max(low, sc.found[n-1].End)
	}
	for j := i; j > low; {
		for j > low && (isSpace(s[j-1]) || strings.IndexByte("\"'+,|>\\", s[j-1]) >= 0 || s[j-1] >= 0x80) {
			j--
		}
		// An escaped newline ends with a letter.
		if j > low+1 && s[j-1] == 'n' && s[j-2] == '\\' {
			j -= 2
			continue
		}
		k := j
		for k > low && isKeyChar(s[k-1]) && !(s[k-1] == 'n' && k-1 > low && s[k-2] == '\\') {
			k--
		}
		switch n := j - k; {
		case n == 0:
			j = low
		case n < 16 && size > 0 && !allDigits(s[k:j]):
			j = low
		default:
			if !allDigits(s[k:j]) {
				size += n
				start = k
			}
			j = k
		}
	}
	if size < minKeyBody {
		return end
	}
	sc.add(start, end, "private-key")
	return end
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return len(s) > 0
}
