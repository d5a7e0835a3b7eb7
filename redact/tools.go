package redact

import "strings"

// A command may take a secret where no name announces it: by a place among its
// arguments, or from what is piped into it.

// argument finds a secret at s[start]: a word, in quotes or not, that is no
// reference. It returns i where there is none.
func (sc *scanner) argument(i, start int, rule string) int {
	s := sc.s
	v := valueAfter(s, start)
	v.start = skipMarkers(s, v.start)
	if v.start >= v.end {
		return i
	}
	text := s[v.start:v.end]
	if len(text) < 4 || masked(text) || dynamic(text) || allDigits(text) || text[0] == '-' || text[0] == '=' || isPath(text) ||
		strings.HasPrefix(text, markerStart) || listed(" port protocol password pipe prompt print ", text) {
		return i
	}
	sc.add(v.start, v.end, rule)
	return v.end
}

// directive reads a line NAME value of a configuration file, whose value ends
// the line.
func (sc *scanner) directive(i, after int) int {
	s := sc.s
	v := valueAfter(s, after)
	from := skipMarkers(s, v.start)
	if from >= v.end || !plausible(spoken, "password", s[from:v.end]) {
		return i
	}
	end := v.end
	if v.form == quoted && end < len(s) {
		end++
	}
	if end < len(s) && strings.IndexByte("\n\\\"", s[end]) < 0 {
		return i
	}
	sc.add(from, v.end, "directive")
	return v.end
}

// openssl reads what openssl's -passin, -passout and -pass name: pass:SECRET,
// or where the secret is to be read.
func (sc *scanner) openssl(i, end int) int {
	s := sc.s
	v := valueAfter(s, end)
	if !strings.HasPrefix(s[v.start:], "pass:") {
		return i
	}
	return sc.argument(i, v.start+len("pass:"), "flag-password")
}

// piped finds what echo or printf writes into the pipe before s[i]; where it
// is a record user:password, the password.
func (sc *scanner) piped(i int, record bool) {
	s := sc.s
	low := max(0, i-300)
	line := s[low:i]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	bar := strings.LastIndexByte(line, '|')
	if bar < 0 {
		return
	}
	at, size := strings.LastIndex(line[:bar], "echo "), len("echo ")
	if at < 0 {
		at, size = strings.LastIndex(line[:bar], "printf "), len("printf ")
	}
	if at < 0 {
		return
	}
	start := i - len(line) + at + size
	for strings.HasPrefix(s[start:], "-n ") || strings.HasPrefix(s[start:], "-e ") {
		start += len("-n ")
	}
	v := valueAfter(s, start)
	end := v.end
	if v.form == quoted {
		end++
	}
	if rest := i - len(line) + bar; end > rest || strings.TrimSpace(s[end:rest]) != "" {
		return
	}
	if record {
		sc.record(v)
		return
	}
	sc.argument(0, v.start, "piped-password")
}

// record finds the password in user:password.
func (sc *scanner) record(v value) {
	user, password, ok := strings.Cut(sc.s[v.start:v.end], ":")
	if !ok || user == "" || dynamic(user) || strings.ContainsAny(user, " \n") || len(password) < 4 || masked(password) || dynamic(password) ||
		strings.HasPrefix(password, markerStart) {
		return
	}
	sc.add(v.start+len(user)+1, v.end, "piped-password")
}

// chpasswd finds the password that is piped into it, or handed over with <<<.
func (sc *scanner) chpasswd(i, after int) int {
	s := sc.s
	sc.piped(i, true)
	here := after
	for here < len(s) && here-after < 4 && s[here] == ' ' {
		here++
	}
	if strings.HasPrefix(s[here:], "<<<") {
		sc.record(valueAfter(s, here+len("<<<")))
	}
	return i
}

// sudo finds the password that is piped into sudo -S.
func (sc *scanner) sudo(i, after int) int {
	if sc.s[after-2] == 'S' {
		sc.piped(i, false)
	}
	return i
}

// htpasswd reads htpasswd -b FILE USER PASSWORD, and -nb USER PASSWORD.
func (sc *scanner) htpasswd(i, after int) int {
	s := sc.s
	end := after
	for end < len(s) && isAlpha(s[end]) {
		end++
	}
	flags := s[after:end]
	if !strings.Contains(flags, "b") {
		return i
	}
	words := 2
	if strings.Contains(flags, "n") {
		words = 1
	}
	for range words {
		for end < len(s) && s[end] == ' ' {
			end++
		}
		for end < len(s) && end-after < 300 && !isSpace(s[end]) {
			end++
		}
	}
	if end == len(s) || s[end] != ' ' {
		return i
	}
	return sc.argument(i, end, "flag-password")
}

// netUse reads net use [DRIVE] SHARE PASSWORD of Windows.
func (sc *scanner) netUse(i, after int) int {
	s := sc.s
	share := strings.Index(s[after:min(len(s), after+8)], `\\`)
	if share < 0 {
		return i
	}
	end := after + share
	for end < len(s) && end-after < 200 && !isSpace(s[end]) {
		end++
	}
	if end+1 >= len(s) || s[end] != ' ' || s[end+1] == '/' || s[end+1] == '*' {
		return i
	}
	return sc.argument(i, end, "flag-password")
}

// oracle finds the password in user/password@//host and, for sqlplus,
// user/password@name, at the sign s[i].
func (sc *scanner) oracle(i int) int {
	s := sc.s
	start := i
	for start > 0 && i-start < 128 && s[start-1] > ' ' && strings.IndexByte("\"'`=:", s[start-1]) < 0 {
		start--
	}
	user, password, ok := strings.Cut(s[start:i], "/")
	if !ok || !identifier(user) || len(password) < 3 || strings.ContainsAny(password, "/[") || dynamic(password) || masked(password) ||
		!strings.HasSuffix(s[:start], ":thin:") && !sc.commandBefore(i, "sqlplus ") {
		return i
	}
	sc.add(start+len(user)+1, i, "url-password")
	return i
}

// called finds what a function is called with whose name announces a secret,
// at the bracket s[i]: WithToken("..."), PASSWORD('...').
func (sc *scanner) called(i int) int {
	s := sc.s
	if i+1 >= len(s) || s[i+1] != '"' && s[i+1] != '\'' && s[i+1] != '\\' {
		return i
	}
	start := i
	for start > 0 && i-start < maxName && isWord(s[start-1]) {
		start--
	}
	if s[start:i] == "define" { // of PHP: a name, then its value
		return sc.environment(i, i+1)
	}
	kind, rule := announced(s[start:i])
	if kind != strong && kind != spoken {
		return i
	}
	v := valueAfter(s, i+1)
	from := skipMarkers(s, v.start)
	if v.form != quoted || from >= v.end || v.end == len(s) || s[v.end] == '\n' {
		return i
	}
	text := s[from:v.end]
	if m := measure(text); m.digits == 0 && s[start:i] != "PASSWORD" || m.spaces > 0 || m.digits == len(text) || !plausible(kind, rule, text) ||
		kind == strong && (len(text) < 16 || !random(text) || worded(text)) {
		return i
	}
	sc.add(from, v.end, rule)
	return v.end
}
