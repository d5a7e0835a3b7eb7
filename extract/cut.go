package extract

import (
	"strconv"
	"strings"
)

// cutTo shortens a text to at most n bytes, on a whole character.
func cutTo(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:n]
}

// cutFrom keeps at most the last n bytes of a text, on a whole character.
func cutFrom(text string, n int) string {
	if len(text) <= n {
		return text
	}
	i := len(text) - n
	for i < len(text) && text[i]&0xc0 == 0x80 {
		i++
	}
	return text[i:]
}

// headTail keeps the first and the last bytes of a text and states what was
// left out between them.
func headTail(text string, head, tail int) string {
	if len(text) <= head+tail {
		return text
	}
	h, t := cutTo(text, head), cutFrom(text, tail)
	return h + "\n[... " + strconv.Itoa(len(text)-len(h)-len(t)) + " bytes left out ...]\n" + t
}

// shorten is cutTo without the spaces before the cut; what is left still occurs
// in the transcript as it is. It copies, so that a large output can be let go.
func shorten(s string, limit int) string {
	if len(s) > limit {
		s = strings.TrimRight(cutTo(s, limit), " \t")
	}
	return strings.Clone(s)
}
