package redact

import (
	"encoding/base64"
	"strings"
)

// userInfo finds the password, or the token that stands in its place, in the
// URL whose "://" is at s[i].
func (sc *scanner) userInfo(i int) int {
	s := sc.s
	start := i + 3
	at := -1
	end := start
	for ; end < len(s) && end-start < 1024 && !endsAuthority(s[end]); end++ {
		if s[end] == '@' {
			at = end
		}
	}
	if at < 0 {
		return start
	}
	if from := skipMarkers(s, start); from > start {
		if start = from; s[start] != ':' {
			return at
		}
	}
	info := s[start:at]
	user, password, has := strings.Cut(info, ":")
	switch {
	case has && password != "":
		pass := start + len(user) + 1
		if password == "x-oauth-basic" || password == "x-access-token" {
			if len(user) >= 16 && random(user) {
				sc.add(start, start+len(user), "url-password")
			}
			return at
		}
		pass = skipMarkers(s, pass)
		password = s[pass:at]
		if len(password) >= 3 && !masked(password) && !dynamic(password) && !standIn(password) {
			if len(user) >= 24 && random(user) && !isUUID(user) {
				sc.add(start, start+len(user), "url-password")
			}
			sc.add(pass, at, "url-password")
		}
	case len(user) >= 16 && random(user) && !dynamic(user):
		sc.add(start, start+len(user), "url-password")
	}
	return at
}

// standIn tells whether an example says "password" where one would stand.
func standIn(password string) bool {
	return listed(" pass password passwd pwd token secret ", strings.ToLower(password))
}

func endsAuthority(c byte) bool {
	return c <= ' ' || strings.IndexByte("/?#\"'`<>|\\,;", c) >= 0
}

// dataSourceName finds the password in user:password@tcp(host:port)/name.
func (sc *scanner) dataSourceName(i int) int {
	s := sc.s
	if !strings.HasPrefix(s[i:], "@tcp(") && !strings.HasPrefix(s[i:], "@unix(") {
		return sc.oracle(i)
	}
	start := i
	for start > 0 && i-start < 128 && s[start-1] > ' ' && strings.IndexByte("\"'`=/", s[start-1]) < 0 {
		start--
	}
	user, password, ok := strings.Cut(s[start:i], ":")
	if ok && len(password) >= 3 && !dynamic(password) && !masked(password) && !strings.Contains(password, markerStart) {
		sc.add(start+len(user)+1, i, "url-password")
	}
	return i
}

// colonRecord finds a Telegram bot's token, or the last field of a line of
// .pgpass (host:port:database:user:password), at the colon s[i].
func (sc *scanner) colonRecord(i int) int {
	s := sc.s
	if strings.HasPrefix(s[i:], ":AA") {
		start := i
		for start > 0 && i-start < 12 && isDigit(s[start-1]) {
			start--
		}
		if end := sc.run(i+1, word|dash, 64); i-start >= 6 && end-i > 25 {
			sc.add(start, end, "telegram-token")
			return end
		}
	}
	port := s[i+1 : min(len(s), i+6)]
	if !strings.HasPrefix(port, "*:") && (len(port) < 5 || port[4] != ':' || !portOfDatabase(port[:4])) {
		return 0
	}
	start := i
	for start > 0 && i-start < 100 && (isWord(s[start-1]) || strings.IndexByte("-.*", s[start-1]) >= 0) {
		start--
	}
	if start == i || start > 0 && !isSpace(s[start-1]) && strings.IndexByte("'\"+>", s[start-1]) < 0 &&
		(s[start-1] != ':' || start < 2 || !isDigit(s[start-2])) {
		return 0
	}
	end := start
	for end < len(s) && end-start < 400 && s[end] > ' ' && s[end] != '"' && s[end] != '\'' {
		end++
	}
	fields := strings.SplitN(s[start:end], ":", 5)
	if len(fields) < 5 || fields[2] == "" || fields[3] == "" {
		return 0
	}
	if p := fields[4]; len(p) < 4 || strings.Contains(p, markerStart) || dynamic(p) || allDigits(p) {
		return 0
	}
	sc.add(end-len(fields[4]), end, "pgpass")
	return end
}

func portOfDatabase(p string) bool {
	return (p[0] == '5' || p[0] == '6') && allDigits(p)
}

// element finds <password>...</password>: a name in angle brackets before s[i].
func (sc *scanner) element(i int) int {
	s := sc.s
	start := i
	for start > 0 && i-start < maxName && (isWord(s[start-1]) || s[start-1] == '-' || s[start-1] == '.') {
		start--
	}
	if start == i || start == 0 || s[start-1] != '<' {
		return i
	}
	kind, rule := announced(s[start:i])
	if kind == ordinary || kind >= credentials {
		return i
	}
	end := i + 1
	for end < len(s) && end-i < 512 && s[end] != '<' && s[end] != '\n' {
		end++
	}
	if end == len(s) || s[end] != '<' || end+1 < len(s) && s[end+1] != '/' {
		return i
	}
	from := skipMarkers(s, i+1)
	if from > end || !plausible(kind, rule, s[from:end]) {
		return i
	}
	sc.add(from, end, rule)
	return end
}

// schemes of HTTP authentication, lower case, longest first where one begins another.
var schemes = [...]string{"bearer", "basic", "token", "apikey", "api-key", "digest", "bot", "key", "negotiate", "ghtoken", "sso-key", "splunk", "aws4-hmac-sha256"}

// authorization finds the secret in the value of an Authorization header.
func (sc *scanner) authorization(v value) int {
	s := sc.s
	i := v.start
	for _, w := range schemes {
		if hasFold(s, i, w) && i+len(w) < len(s) && (s[i+len(w)] == ' ' || strings.HasPrefix(s[i+len(w):], "%20")) {
			i += len(w)
			for i < len(s) && (s[i] == ' ' || strings.HasPrefix(s[i:], "%20")) {
				if s[i] == '%' {
					i += 2
				}
				i++
			}
			return sc.secretWord(i, "authorization", 6)
		}
	}
	if random(s[v.start:v.end]) {
		return sc.secretWord(i, "authorization", 16)
	}
	return i
}

// secretWord records the word at s[i] unless it is evidently not a secret.
func (sc *scanner) secretWord(i int, rule string, atLeast int) int {
	s := sc.s
	start := skipMarkers(s, i)
	end, _ := bareEnd(s, start)
	w := s[start:end]
	if len(w) < atLeast || masked(w) || dynamic(w) || pattern(w) || allBenign(w) || listed(stateWords, strings.ToLower(w)) {
		return max(i, start)
	}
	if end < len(s) && s[end] == '(' || dottedNames(w) || identifier(w) && measure(w).digits == 0 && !random(w) && len(w) < 16 {
		return i
	}
	for end < len(s) && !endsBare(s, end) {
		end++
	}
	sc.add(start, end, rule)
	return end
}

// cookieAttributes follow a cookie and are public.
const cookieAttributes = " path domain expires max-age samesite secure httponly priority partitioned version "

// cookies finds the values of the cookies in a Cookie or Set-Cookie header.
func (sc *scanner) cookies(v value) int {
	s := sc.s
	end := v.start
	for end < len(s) && end-v.start < maxValue && s[end] != '\n' && s[end] != '"' && s[end] != '\'' && s[end] != '`' {
		end++
	}
	last := v.start
	for i := v.start; i < end; {
		stop := i
		for stop < end && s[stop] != ';' {
			stop++
		}
		pair := s[i:stop]
		if eq := strings.IndexByte(pair, '='); eq > 0 {
			name := strings.ToLower(strings.TrimSpace(pair[:eq]))
			from := skipMarkers(s, i+eq+1)
			to := from
			for to < stop && s[to] > ' ' && s[to] != ',' && s[to] != '\\' && (s[to] != '[' || markerEnd(s, to) == 0) {
				to++
			}
			if val := s[min(from, to):to]; plainName(name) && !listed(cookieAttributes, name) &&
				len(val) >= 6 && !masked(val) && !dynamic(val) && !allDigits(val) && !allBenign(val) && (random(val) || measure(val).digits > 0) {
				sc.add(from, to, "cookie")
				last = to
			}
		}
		i = stop + 1
	}
	return last
}

// base64Credentials tells whether w is user:password in base64.
func base64Credentials(w string) bool {
	w = strings.TrimRight(w, "=")
	raw, err := base64.RawStdEncoding.DecodeString(w)
	if err != nil || len(raw) < 4 {
		return false
	}
	colon := false
	for _, c := range raw {
		if c < ' ' || c > '~' {
			return false
		}
		colon = colon || c == ':'
	}
	return colon
}

// secretManifest finds the values under data: or stringData: of a Kubernetes
// Secret.
func (sc *scanner) secretManifest(name string, nameStart, after int) int {
	if name != "data" && name != "stringData" {
		return 0
	}
	s := sc.s
	near := s[max(0, nameStart-2048):min(len(s), after+4096)]
	if !strings.Contains(near, "kind: Secret\n") && !strings.Contains(near, `"kind": "Secret"`) && !strings.HasSuffix(near, "kind: Secret") {
		return 0
	}
	line := nameStart
	for line > 0 && s[line-1] != '\n' {
		line--
	}
	indent := indentation(s, lineBody(s, line))
	last := 0
	next := lineEnd(s, after)
	for n := 0; next < len(s) && n < 200; n++ {
		start := next + 1
		next = lineEnd(s, start)
		body := lineBody(s, start)
		if body >= next || indentation(s, body) <= indent {
			break
		}
		start = body
		sign := strings.IndexByte(s[start:next], ':')
		if sign < 0 {
			continue
		}
		v := valueAfter(s, start+sign+1)
		if from := skipMarkers(s, v.start); v.end-from >= 6 && v.end <= next && !dynamic(s[from:v.end]) {
			sc.add(from, v.end, "kubernetes-secret")
			last = v.end
		}
	}
	return last
}

func lineEnd(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	if j := strings.IndexByte(s[i:], '\n'); j >= 0 {
		return i + j
	}
	return len(s)
}

// lineBody returns where a line's own text begins, after what grep, an editor, a
// diff or a comment has before each line.
func lineBody(s string, i int) int {
	if from := locator(s, i); from > i {
		return from
	}
	j := i
	for j < len(s) && isDigit(s[j]) {
		j++
	}
	if j > i && j < len(s) && s[j] == '\t' {
		return j + 1
	}
	if i < len(s) && strings.IndexByte("+-", s[i]) >= 0 {
		return i + 1
	}
	if i+1 < len(s) && strings.IndexByte("#>", s[i]) >= 0 && s[i+1] == ' ' {
		return i + 2
	}
	return i
}

func indentation(s string, i int) int {
	j := i
	for j < len(s) && s[j] == ' ' {
		j++
	}
	return j - i
}

// hashSchemes begin the hash of a password in crypt's form, $scheme$...
var hashSchemes = [...]string{"$apr1$", "$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$7$", "$y$", "$gy$", "$argon2", "$scrypt$", "$pbkdf2"}

// passwordHash finds the hash of a password at the sign s[i].
func (sc *scanner) passwordHash(i int) int {
	s := sc.s
	if i+1 == len(s) || strings.IndexByte("12567aygsp", s[i+1]) < 0 {
		return i
	}
	for _, scheme := range hashSchemes {
		if !strings.HasPrefix(s[i:], scheme) {
			continue
		}
		end := i
		for end < len(s) && end-i < maxValue && (isWord(s[end]) || strings.IndexByte("$./+=,-", s[end]) >= 0) {
			end++
		}
		for end > i && strings.IndexByte(".,", s[end-1]) >= 0 {
			end--
		}
		if hash := s[i:end]; len(hash) >= 28 && strings.Count(hash, "$") > 2 && !masked(hash) {
			sc.add(i, end, "password-hash")
			return end
		}
	}
	return i
}
