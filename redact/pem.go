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
		end := i
		for end < len(s) && s[end] == '-' {
			end++
		}
		// In a diff a dash more stands before the frame.
		switch frame := end - 5; {
		case strings.HasPrefix(s[frame:], beginFrame):
			return sc.keyFrom(frame)
		case strings.HasPrefix(s[frame:], endFrame):
			return max(end, sc.keyUpTo(frame))
		}
		return end
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
		if from := locator(s, i); from > i {
			i = from
			continue
		}
		start := i
		for i < limit && isKeyChar(s[i]) {
			i++
		}
		n := i - start
		if n == 0 {
			break
		}
		if i < limit && s[i] == ':' && n < 24 && n > 3 && size == 0 { // a header
			for i < limit && s[i] != '\n' && s[i] != '\\' {
				i++
			}
			end = i
			continue
		}
		if n < 16 && (size == 0 || !lastOfKey(s, start, i, limit)) {
			break
		}
		size += n
		end = i
	}
	return end, size
}

// lastOfKey tells whether a short piece s[start:end] can be the last of a key's
// body, or the sum that follows it: it is padded, or the frame comes next.
func lastOfKey(s string, start, end, limit int) bool {
	if strings.Contains(s[start:end], "=") {
		return true
	}
	next := keyFiller(s, end, limit)
	next = keyFiller(s, locator(s, next), limit)
	return strings.HasPrefix(s[next:], endFrame)
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
		case c == '-' && (!strings.HasPrefix(s[i:], "-----") || strings.HasPrefix(s[i+1:], endFrame)):
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
		for j > low && (isSpace(s[j-1]) || strings.IndexByte("\"'+,|>\\#*-", s[j-1]) >= 0 || s[j-1] >= 0x80) {
			j--
		}
		if from := locatorBefore(s, j, low); from < j {
			j = from
			continue
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
	if s[start] == '+' && i > 0 && s[i-1] == '+' { // of a diff
		start++
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

// locator returns where a line's text begins at whose start, s[i], grep wrote
// the file and the number of the line; i where it did not.
func locator(s string, i int) int {
	if i == 0 || s[i-1] != '\n' {
		return i
	}
	for j := i; j < len(s) && j-i < 200 && s[j] > ' '; j++ {
		if s[j] != ':' && s[j] != '-' || j == i {
			continue
		}
		k := j + 1
		for k < len(s) && isDigit(s[k]) {
			k++
		}
		if k > j+1 && k < len(s) && s[k] == s[j] {
			return k + 1
		}
	}
	return i
}

// locatorBefore returns where a line begins whose text would begin at s[j],
// after what grep wrote; j where nothing of that kind stands there.
func locatorBefore(s string, j, low int) int {
	if j == 0 || s[j-1] != ':' {
		return j
	}
	start := j
	for start > low && j-start < 200 && s[start-1] > ' ' {
		start--
	}
	if locator(s, start) == j {
		return start
	}
	return j
}

// putty finds the private part of a key of PuTTY, of as many lines as stand at
// s[after].
func (sc *scanner) putty(nameStart, after int) int {
	s := sc.s
	added := nameStart > 0 && s[nameStart-1] == '+' // in a diff
	lines, i := 0, after
	for i < len(s) && (s[i] == ' ' || isDigit(s[i])) && i-after < 6 {
		if s[i] != ' ' {
			lines = lines*10 + int(s[i]-'0')
		}
		i++
	}
	start, end := 0, 0
	for range min(lines, 1000) {
		i = keyFiller(s, i, len(s))
		i = keyFiller(s, locator(s, i), len(s))
		if added && i < len(s) && s[i] == '+' {
			i++
		}
		from := i
		for i < len(s) && isKeyChar(s[i]) {
			i++
		}
		if i == from {
			break
		}
		if start == 0 {
			start = from
		}
		end = i
	}
	if end-start < minKeyBody {
		return 0
	}
	sc.add(start, end, "private-key")
	return end
}
