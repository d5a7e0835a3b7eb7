package merge

import (
	"strings"
	"unicode/utf8"
)

// edge says what may stand around a needle, so that a part of another name or
// number is not taken for it.
type edge uint8

const (
	edgeWord   edge = iota // no letter or digit next to a letter or digit
	edgeNumber             // no part of a longer number, either
	edgePath               // may be the end of a longer path, but not of a longer name
	edgeHex                // may be the beginning of a longer commit id
	edgeText               // a quotation: white space and the case of letters are free
)

// standsAt tells whether the needle stands in a text so that its own word
// begins at text[at].
func (n *needle) standsAt(text string, at int) bool {
	end, ok := forward(text, at, n.text[n.at:], n.fold)
	if !ok {
		return false
	}
	start, ok := backward(text, at, n.text[:n.at], n.fold)
	return ok && n.begins(text, start) && n.ends(text, end)
}

// forward compares a needle with text[at:] and gives where it ends. A run of
// white space stands for any other, a JSON string's escapes for what they mean.
func forward(text string, at int, n string, fold bool) (end int, ok bool) {
	i := at
	for j := 0; j < len(n); {
		if i < len(text) && text[i] == n[j] && n[j] > ' ' {
			i++
			j++
			continue
		}
		if isSpace(n[j]) {
			from := i
			for i < len(text) {
				k := spaceAt(text[i:])
				if k == 0 {
					break
				}
				i += k
			}
			if i == from {
				return 0, false
			}
			for j < len(n) && isSpace(n[j]) {
				j++
			}
			continue
		}
		if i >= len(text) {
			return 0, false
		}
		if text[i] == '\\' && i+1 < len(text) && text[i+1] == n[j] && (n[j] == '"' || n[j] == '\\') {
			i += 2
			j++
			continue
		}
		if !sameByte(text[i], n[j], fold) {
			return 0, false
		}
		i++
		j++
	}
	return i, true
}

// backward is forward from text[:at], and gives where the needle begins.
func backward(text string, at int, n string, fold bool) (start int, ok bool) {
	i := at
	for j := len(n) - 1; j >= 0; {
		if isSpace(n[j]) {
			from := i
			for i > 0 {
				k := spaceBefore(text[:i])
				if k == 0 {
					break
				}
				i -= k
			}
			if i == from {
				return 0, false
			}
			for j >= 0 && isSpace(n[j]) {
				j--
			}
			continue
		}
		if i == 0 || !sameByte(text[i-1], n[j], fold) {
			return 0, false
		}
		i--
		if (n[j] == '"' || n[j] == '\\') && i > 0 && text[i-1] == '\\' && (j == 0 || n[j-1] != '\\') {
			i--
		}
		j--
	}
	return i, true
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// spaceAt is the length of the white space that a text begins with, a line
// break of a JSON string or of a shell among it.
func spaceAt(s string) int {
	switch {
	case isSpace(s[0]):
		return 1
	case s[0] == '\\' && len(s) > 1 && (s[1] == 'n' || s[1] == 't' || s[1] == '\n'):
		return 2
	}
	return 0
}

func spaceBefore(s string) int {
	n := len(s)
	switch {
	case isSpace(s[n-1]):
		return 1
	case n > 1 && s[n-2] == '\\' && (s[n-1] == 'n' || s[n-1] == 't'):
		return 2
	}
	return 0
}

func sameByte(a, b byte, fold bool) bool {
	if a == b {
		return true
	}
	return fold && a|0x20 == b|0x20 && a|0x20 >= 'a' && a|0x20 <= 'z'
}

// begins tells whether the needle may begin at text[at].
func (n *needle) begins(text string, at int) bool {
	if at == 0 {
		return true
	}
	b := text[at-1]
	first := n.text[0]
	switch n.edge {
	case edgeNumber:
		if b == 'v' || b == 'V' {
			return at == 1 || !isWordByte(text[at-2])
		}
		return !isWordByte(b) && !((b == '.' || b == ',') && at > 1 && isDigit(text[at-2]))
	case edgePath:
		if first == '/' || first == '~' {
			return !isWordByte(b) && b != '.' && b != '~' && b != '-'
		}
		return !isWordByte(b) && b != '-' && b != '.'
	case edgeHex:
		return !isWordByte(b)
	}
	if first == '-' {
		return !isWordByte(b) && b != '-'
	}
	return !isWordByte(first) || !isWordByte(b)
}

// ends tells whether the needle may end at text[at].
func (n *needle) ends(text string, at int) bool {
	if n.unit != "" {
		return unitAt(text[at:]) == n.unit
	}
	if at == len(text) {
		return true
	}
	b := text[at]
	more := at+1 < len(text)
	switch n.edge {
	case edgeNumber:
		if b == '.' || b == ',' {
			return !more || !isDigit(text[at+1])
		}
		return !isWordByte(b) || unitAt(text[at:]) != "" || ordinal(text[at:])
	case edgePath:
		if b == '.' {
			return !more || !isWordByte(text[at+1])
		}
		return !isWordByte(b) && b != '-'
	case edgeHex:
		return !isWordByte(b) || isHexByte(b)
	}
	return !isWordByte(n.text[len(n.text)-1]) || !isWordByte(b)
}

func isHexByte(b byte) bool { return isDigit(b) || b >= 'a' && b <= 'f' }

// ordinal tells whether a text goes on as the end of 1st, 2nd, 3rd or 4th.
func ordinal(s string) bool {
	if len(s) < 2 || len(s) > 2 && isWordByte(s[2]) {
		return false
	}
	switch s[:2] {
	case "st", "nd", "rd", "th":
		return true
	}
	return false
}

// unitAt is the group of the unit that a text begins with, "" for none; one
// space or hyphen may stand before it.
func unitAt(s string) string {
	if s == "" {
		return ""
	}
	switch {
	case s[0] == ' ' || s[0] == '-':
		s = s[1:]
	case strings.HasPrefix(s, "\u00a0"):
		s = s[len("\u00a0"):]
	case strings.HasPrefix(s, "\u202f"):
		s = s[len("\u202f"):]
	}
	switch {
	case s == "":
		return ""
	case s[0] == '%':
		return "%"
	case strings.HasPrefix(s, "％"):
		return "%"
	case strings.HasPrefix(s, "×"):
		return "x"
	case strings.HasPrefix(s, "µs"), strings.HasPrefix(s, "μs"):
		return "us"
	}
	end := 0
	for end < len(s) && end < 16 && (isWordByte(s[end]) && !isDigit(s[end]) || s[end] >= utf8.RuneSelf) {
		end++
	}
	return unitGroup(s[:end])
}

// unitGroup is the unit that a word stands for, "" for other words.
func unitGroup(word string) string {
	switch word {
	case "ms", "msec", "millisecond", "milliseconds", "Millisekunden", "milisegundos", "millisecondes":
		return "ms"
	case "us", "microsecond", "microseconds":
		return "us"
	case "ns", "nanosecond", "nanoseconds":
		return "ns"
	case "s", "sec", "secs", "second", "seconds", "Sekunden", "segundos", "secondes", "секунд", "сек":
		return "s"
	case "min", "mins", "minute", "minutes", "Minuten", "minutos", "минут":
		return "min"
	case "h", "hr", "hrs", "hour", "hours", "Stunden", "horas", "heures", "часов", "часа":
		return "h"
	case "day", "days", "Tage", "Tagen", "días", "dias", "jours", "дней", "дня":
		return "day"
	case "KB", "kB", "KiB", "kilobytes":
		return "KB"
	case "MB", "MiB", "megabytes":
		return "MB"
	case "GB", "GiB", "gigabytes":
		return "GB"
	case "TB", "TiB":
		return "TB"
	case "percent", "Prozent", "процентов":
		return "%"
	case "x":
		return "x"
	}
	return ""
}
