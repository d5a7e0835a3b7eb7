package merge

import "strings"

// isNumber knows 15, 1,500, 1_500, 3.14, 80% and 15ms.
func isNumber(t string) bool {
	if t == "" || !isDigit(t[0]) {
		return false
	}
	digits, unit := splitUnit(t)
	if digits == "" || unit == "" && len(digits) != len(t) {
		return false
	}
	dots := 0
	for i := range len(digits) {
		switch b := digits[i]; {
		case isDigit(b):
		case (b == '.' || b == ',' || b == '_') && betweenDigits(digits, i):
			if b == '.' {
				dots++
			}
		default:
			return false
		}
	}
	return dots < 2
}

// splitUnit parts a number from the unit that is written behind it.
func splitUnit(t string) (digits, unit string) {
	i := 0
	for i < len(t) && (isDigit(t[i]) || (t[i] == '.' || t[i] == ',' || t[i] == '_') && betweenDigits(t, i)) {
		i++
	}
	rest := t[i:]
	if rest == "%" {
		return t[:i], "%"
	}
	return t[:i], unitGroup(rest)
}

// number claims a number with its unit, in any of the ways to group its digits.
func (x *dissection) number(t, unit string) {
	digits, own := splitUnit(t)
	if own != "" {
		unit = own
	}
	var ways []needle
	for _, w := range numberForms(digits) {
		ways = append(ways, needle{text: w, edge: edgeNumber, unit: unit})
	}
	x.claim(claim{kind: kindNumber, bare: -1}, ways...)
}

// separators part the digits of a large number by threes.
var separators = [...]string{",", ".", "_", "'", " ", "\u00a0", "\u202f"}

// numberForms lists the ways to write a number.
func numberForms(digits string) []string {
	plain, grouped := ungrouped(digits)
	if !onlyDigits(plain) { // with a fraction
		other := strings.Map(func(r rune) rune {
			switch r {
			case '.':
				return ','
			case ',':
				return '.'
			}
			return r
		}, plain)
		return []string{plain, other}
	}
	forms := []string{plain}
	if grouped && digits != plain {
		forms = append(forms, digits)
	}
	if len(plain) < 4 {
		return forms
	}
	for _, sep := range separators {
		if f := groupedBy(plain, sep); f != digits || !grouped {
			forms = append(forms, f)
		}
	}
	return forms
}

// ungrouped takes the separators out of a number that has them by threes.
func ungrouped(digits string) (plain string, grouped bool) {
	for _, sep := range [...]string{",", "_"} {
		parts := strings.Split(digits, sep)
		if len(parts) < 2 {
			continue
		}
		whole := len(parts[0]) > 0 && len(parts[0]) <= 3
		for _, p := range parts[1:] {
			head, _, _ := strings.Cut(p, ".")
			whole = whole && len(head) == 3
		}
		if whole {
			return strings.ReplaceAll(digits, sep, ""), true
		}
	}
	return digits, false
}

func groupedBy(plain, sep string) string {
	var b strings.Builder
	for i := range len(plain) {
		if i > 0 && (len(plain)-i)%3 == 0 {
			b.WriteString(sep)
		}
		b.WriteByte(plain[i])
	}
	return b.String()
}

// digits reads a word that begins with a digit and is no plain number: a
// date, a time, a version, an address, a range, or a number that a word
// follows.
func (x *dissection) digits(t string) {
	if from, to, ok := strings.Cut(t, "-"); ok && isNumber(from) {
		if isNumber(to) {
			x.number(from, "")
			x.number(to, "")
			return
		}
		if to != "" && !isDigit(to[0]) { // 3-phase
			x.number(from, "")
			return
		}
	}
	if from, to, ok := strings.Cut(t, "/"); ok && isNumber(from) && isNumber(to) {
		x.number(from, "")
		x.number(to, "")
		return
	}
	if len(t) > 2 && onlyDigits(t[:len(t)-2]) && ordinal(t[len(t)-2:]) {
		x.number(t[:len(t)-2], "")
		return
	}
	if isFileName(t) && !strings.ContainsAny(t, `/\`) {
		x.plain(kindPath, t, edgePath)
		return
	}
	x.plain(kindNumber, strings.TrimRight(t, "/"), edgeNumber)
}
