package redact

import "strings"

// versioned tells whether a value is a version, as in "v2.17.0-alpine3.20".
func versioned(v string) bool {
	if len(v) > 32 {
		return false
	}
	v = strings.TrimPrefix(v, "v")
	i, dots := 0, 0
	for i < len(v) && (isDigit(v[i]) || i > 0 && v[i] == '.') {
		if v[i] == '.' {
			dots++
		}
		i++
	}
	if i == 0 || dots == 0 || i < len(v) && v[i] != '-' && v[i] != '+' {
		return false
	}
	return measure(v[i:]).uppers == 0
}

func isUUID(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := range len(v) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if v[i] != '-' {
				return false
			}
		} else if !isHex(v[i]) {
			return false
		}
	}
	return true
}

// isPath tells whether a value names a file: parts that look like names, some
// of them parted by slashes.
func isPath(v string) bool {
	if len(v) > 2 && v[1] == ':' && (v[2] == '\\' || v[2] == '/') && isAlpha(v[0]) {
		return true
	}
	if !strings.Contains(v, "/") {
		return strings.HasSuffix(v, ".pem") || strings.HasSuffix(v, ".key") || strings.HasSuffix(v, ".json") ||
			strings.HasSuffix(v, ".txt") || strings.HasSuffix(v, ".go") || strings.HasSuffix(v, ".ts") || strings.HasSuffix(v, ".py")
	}
	for part := range strings.SplitSeq(v, "/") {
		m := measure(part)
		if len(part) > 8 && m.uppers > 0 && m.lowers > 0 && m.dashes == 0 && (m.digits > 0 && random(part) || !camelCase(part)) {
			return false
		}
		if m.others > 0 && strings.ContainsAny(part, "!#^&+=%*") {
			return false
		}
	}
	return v[0] == '/' || v[0] == '.' || v[0] == '~' || measure(v).digits < len(v)/4
}

func identifier(text string) bool {
	if text == "" || isDigit(text[0]) {
		return false
	}
	for i := 0; i < len(text); i++ {
		if !isWord(text[i]) {
			return false
		}
	}
	return true
}

// dottedNames tells whether text is names with dots between, as in config.token.
func dottedNames(text string) bool {
	if !strings.Contains(text, ".") {
		return false
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "?.", "."), ".") {
		if !identifier(strings.TrimSuffix(part, "!")) || len(part) >= 16 && random(part) || len(part) >= 8 && jumbled(part) {
			return false
		}
	}
	return true
}

// jumbled tells whether letters, digits and cases follow one another as in no
// name: there are letters of both cases, and three changes or more to or from a
// digit or between the cases.
func jumbled(s string) bool {
	m := measure(s)
	if m.digits == 0 || m.uppers == 0 || m.lowers == 0 {
		return false
	}
	changes := 0
	for i := 1; i < len(s); i++ {
		if isDigit(s[i]) != isDigit(s[i-1]) || isLower(s[i-1]) && isUpper(s[i]) || isUpper(s[i-1]) && isLower(s[i]) && i > 1 {
			changes++
		}
	}
	return changes > 2
}

// testName tells whether v is the name of a test.
func testName(v string) bool {
	rest, ok := strings.CutPrefix(v, "Test")
	return ok && rest != "" && (isUpper(rest[0]) || rest[0] == '_')
}

func label(text string) bool {
	m := measure(text)
	return isUpper(text[0]) && m.lowers == len(text)-1
}

// scattered tells whether digits stand at several places.
func scattered(s string) bool {
	runs := 0
	for i := 0; i < len(s); i++ {
		if isDigit(s[i]) && (i == 0 || !isDigit(s[i-1])) {
			runs++
		}
	}
	return runs > 1
}
