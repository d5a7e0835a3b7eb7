// Package truncate turns verbose text into its head and its tail. What is left
// out is stated in its place, in lines and characters, so that nobody takes
// the rest for the whole.
package truncate

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	markerStart = "[… "
	markerEnd   = " left out …]"
)

// Text shortens prose to at most maxBytes: three fifths of that for the head,
// the rest for the tail. It cuts between characters, at a space where one is
// near, and never makes a text longer. Where maxBytes has no room for the
// statement of what is left out, only the head stays.
func Text(text string, maxBytes int) string {
	if maxBytes <= 0 {
		return ""
	}
	if len(text) <= maxBytes {
		return text
	}
	// The statement is longest when all is left out.
	room := maxBytes - len(inlineMarker(len(text))) - 2
	if room < 16 {
		return text[:borderBefore(text, maxBytes)]
	}
	head := spaceBefore(text, borderBefore(text, room*3/5))
	tail := spaceAfter(text, borderAfter(text, len(text)-(room-room*3/5)))
	marker := inlineMarker(utf8.RuneCountInString(text[head:tail]))
	return text[:head] + " " + marker + " " + text[tail:]
}

// borderBefore returns the last character border at or before at.
func borderBefore(text string, at int) int {
	for back := 0; at > 0 && at < len(text) && back < utf8.UTFMax && !utf8.RuneStart(text[at]); back++ {
		at--
	}
	return at
}

// borderAfter returns the first character border at or after at.
func borderAfter(text string, at int) int {
	for ahead := 0; at < len(text) && ahead < utf8.UTFMax && !utf8.RuneStart(text[at]); ahead++ {
		at++
	}
	return at
}

// nearby is how far from a cut a space is looked for. Units: bytes.
const nearby = 24

func spaceBefore(text string, at int) int {
	if i := strings.LastIndexAny(text[max(0, at-nearby):at], " \n\t"); i >= 0 && at > nearby {
		return at - nearby + i
	}
	return at
}

func spaceAfter(text string, at int) int {
	if i := strings.IndexAny(text[at:min(len(text), at+nearby)], " \n\t"); i >= 0 && at+nearby < len(text) {
		return at + i + 1
	}
	return at
}

// inlineMarker states what is left out inside a line.
func inlineMarker(characters int) string {
	return markerStart + quantity(characters, "character") + markerEnd
}

// lineMarker states what is left out between two lines.
func lineMarker(lines, characters int) string {
	return markerStart + quantity(lines, "line") + ", " + quantity(characters, "character") + markerEnd
}

func isMarker(line string) bool {
	return strings.HasPrefix(line, markerStart) && strings.HasSuffix(line, markerEnd)
}

// quantity writes "1 line" and "9,341 characters".
func quantity(n int, what string) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if n != 1 {
		what += "s"
	}
	return s + " " + what
}
