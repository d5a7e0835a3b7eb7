package redact

import "strings"

// namedSecret tells whether a whole value is a secret because of its name
// alone, and returns the rule that says so, or "".
func namedSecret(name, value string) string {
	kind, rule := announced(name)
	if kind == ordinary || kind >= credentials || !plainName(name) {
		return ""
	}
	start := skipMarkers(value, 0)
	v := value[start:]
	if strings.ContainsAny(v, "\n[") || len(v) > maxValue {
		return ""
	}
	if !plausible(kind, rule, v) || label(v) {
		return ""
	}
	if f := Scan(v); len(f) == 1 && f[0].End-f[0].Start == len(v) {
		return f[0].Rule
	}
	return rule
}

// plainName tells whether a name has nothing but letters, digits and separators.
func plainName(name string) bool {
	for i := 0; i < len(name); i++ {
		if !isWord(name[i]) && name[i] != '-' && name[i] != '.' {
			return false
		}
	}
	return true
}

// assignment looks for a name that ends before the sign at s[i], and for the
// value that begins after it, at s[after].
func (sc *scanner) assignment(i, after int) int {
	s := sc.s
	name, nameStart := nameBefore(s, i)
	if nameStart > 0 && (s[nameStart-1] >= 0x80 || s[nameStart-1] == ' ' && (len(name) == len("key") || len(name) == len("passe"))) {
		name, nameStart = wholeName(s, name, nameStart)
	}
	if name == "" {
		return i
	}
	if name == "PASS" || name == "FAIL" { // a test's result
		return i
	}
	switch len(name) {
	case len("data"), len("stringData"):
		if end := sc.secretManifest(name, nameStart, after); end > 0 {
			return end
		}
	case len("Private-Lines"), len("nPrivate-Lines"): // after an escaped newline
		if strings.HasSuffix(name, "Private-Lines") {
			return max(i, sc.putty(nameStart, after))
		}
	}
	kind, rule := announced(name)
	if kind == ordinary {
		if kind, rule = sc.borrowedName(name, nameStart); kind == ordinary {
			return i
		}
	}
	v := valueAfter(s, after)
	v.name, v.nameStart, v.sign = name, nameStart, s[i]
	switch kind {
	case credentials:
		return sc.authorization(v)
	case jar:
		return sc.cookies(v)
	}
	return sc.assigned(v, kind, rule, i)
}

// assigned records the value if it may be a secret, and returns where to go on.
func (sc *scanner) assigned(v value, kind nameKind, rule string, i int) int {
	s := sc.s
	if rule == "credential" {
		if end := sc.userSlash(v); end > 0 {
			return end
		}
	}
	start := skipMarkers(s, v.start)
	if start > v.start {
		v.end = max(start, v.end)
		if start == v.end {
			return v.end
		}
	}
	v.start = start
	if v.form == bare && v.holdsName(s) {
		return i // credentials: access_key=...
	}
	// The issuer's own rule names the secret better, where it takes all of it.
	before := len(sc.found)
	if sc.lex.hasPairAt(s, start) && sc.prefixed(start) >= v.end && start < v.end {
		return sc.found[before].End
	}
	sc.found = sc.found[:before]
	v.end = max(v.start, v.end)
	line := v
	if line.end = v.endOfSetting(s); !v.plausible(s, kind) && (line.end == v.end || !line.plausible(s, kind)) {
		return i
	}
	v.end = line.end
	if v.capped {
		v.end = v.wholeEnd(s)
	}
	sc.add(v.start, v.end, rule)
	return v.end
}

// holdsName tells whether the value is itself a name with a value.
func (v *value) holdsName(s string) bool {
	name, rest, ok := strings.Cut(s[v.start:max(v.start, v.end)], "=")
	if !ok || v.sign != ':' || rest == "" || !identifier(name) {
		return false
	}
	kind, _ := announced(name)
	return kind != ordinary
}

// borrowedName reads the lists of pairs that containers and requests are
// described with: {"name": "DB_PASSWORD", "value": "..."}.
func (sc *scanner) borrowedName(name string, nameStart int) (nameKind, string) {
	if len(name) != len("value") || !strings.EqualFold(name, "value") {
		return ordinary, ""
	}
	s := sc.s
	line := s[max(0, nameStart-120):nameStart]
	at := max(strings.LastIndex(line, "name"), strings.LastIndex(line, "Name"), strings.LastIndex(line, "key="), strings.LastIndex(line, "key:"),
		strings.LastIndex(line, `key":`))
	if at < 0 || strings.Count(line[at:], "\n") > 1 {
		return ordinary, ""
	}
	v := line[at:]
	sign := strings.IndexAny(v, ":=")
	if sign < 0 || sign > 8 {
		return ordinary, ""
	}
	v = strings.Trim(v[sign+1:], " \t\n\"'\\,")
	if strings.ContainsAny(v, " :\"'") {
		return ordinary, ""
	}
	return announced(v)
}

// wholeName returns the name of which nameBefore saw the last part only: of two
// words, as in "API key:", or with letters that are not ASCII.
func wholeName(s, name string, start int) (string, int) {
	switch {
	case s[start-1] >= 0x80:
		if at := foreignName(s, start+len(name)); at >= 0 {
			return "password", at
		}
	case s[start-1] != ' ':
	case strings.EqualFold(name, "passe") && hasFold(s, start-len("mot de "), "mot de "):
		return "password", start - len("mot de ")
	case strings.EqualFold(name, "key"):
		for _, w := range [...]string{"api ", "access ", "secret ", "auth ", "account ", "encryption ", "license "} {
			if hasFold(s, start-len(w), w) {
				return "named_key", start - len(w)
			}
		}
	}
	return name, start
}

// nameBefore returns the name that ends before the sign at s[i]: an identifier,
// with or without quotes, brackets or a declared type, and where it begins.
func nameBefore(s string, i int) (string, int) {
	j := i
	for j > 0 && s[i] == '=' && i-j < 8 && (s[j-1] == ':' || s[j-1] == '?' || s[j-1] == '!' || s[j-1] == '|') {
		j--
	}
	for j > 0 && i-j < 32 && (s[j-1] == ' ' || s[j-1] == '\t') {
		j--
	}
	bracket := j > 0 && s[j-1] == ']'
	if bracket {
		j--
	}
	if j > 0 && (s[j-1] == '"' || s[j-1] == '\'' || s[j-1] == '`') {
		j--
		for j > 0 && i-j < 32 && s[j-1] == '\\' {
			j--
		}
	} else if bracket {
		return "", 0
	}
	if j >= 3 && s[j-3:j] == "%22" {
		j -= 3
	}
	for j >= 1 && s[j-1] == '*' && i-j < 8 {
		j--
	}
	end := j
	for j > 0 && end-j < maxName && (isWord(s[j-1]) || s[j-1] == '-' || s[j-1] == '.') {
		j--
	}
	for j < end && s[j] == '-' { // of a diff, or of a flag
		j++
	}
	if s[i] == '=' && j > 1 && (s[j-1] == ' ' || s[j-1] == '&') && isType(s[j:end]) {
		if name, start := declared(s, j); name != "" {
			return name, start
		}
	}
	return s[j:end], j
}

// isType tells whether a word before "=" is the type of what is assigned to.
func isType(w string) bool {
	switch w {
	case "str", "string", "String", "bytes", "text", "char", "any", "Any", "Optional", "None", "SecretStr", "NSString", "Text":
		return true
	}
	return false
}

// declared returns the name before a type that begins at s[j], as in
// "password: str = ..." and "var password string = ...".
func declared(s string, j int) (string, int) {
	end := j
	for end > 0 && j-end < 8 && (s[end-1] == '|' || s[end-1] == ' ' || s[end-1] == ':' || s[end-1] == '&') {
		end--
	}
	start := end
	for start > 0 && end-start < maxName && isWord(s[start-1]) {
		start--
	}
	return s[start:end], start
}
