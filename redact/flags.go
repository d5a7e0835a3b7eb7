package redact

import "strings"

// opener is a word that may announce a secret after a space, without a sign.
type opener struct {
	word string // lower case, at least two letters
	find func(sc *scanner, i, after int) int
}

// openers are found where they begin a word, in lower case, upper case or with
// a capital. Their functions return the end of what they found, or i. They are
// sorted by their first bytes.
var openers = [...]opener{
	{"_authtoken ", (*scanner).directive},
	{"basic ", (*scanner).basic},
	{"bearer ", (*scanner).bearer},
	{"chpasswd", (*scanner).chpasswd},
	{"configure set ", (*scanner).environment},
	{"contrase\u00f1a ", (*scanner).spokenSecret},
	{"env ", (*scanner).dockerEnv},
	{"has\u0142o ", (*scanner).spokenSecret},
	{"htpasswd -", (*scanner).htpasswd},
	{"identified by ", (*scanner).sqlPassword},
	{"identified with ", (*scanner).sqlPlugin},
	{"kennwort ", (*scanner).spokenSecret},
	{"key ", (*scanner).spokenSecret},
	{"l\u00f6senord ", (*scanner).spokenSecret},
	{"masterauth ", (*scanner).directive},
	{"mot de passe ", (*scanner).spokenSecret},
	{"net use ", (*scanner).netUse},
	{"parola ", (*scanner).spokenSecret},
	{"passphrase ", (*scanner).spokenSecret},
	{"password ", (*scanner).afterPassword},
	{"passwort ", (*scanner).spokenSecret},
	{"pw ", (*scanner).spokenSecret},
	{"requirepass ", (*scanner).directive},
	{"secret ", (*scanner).spokenSecret},
	{"senha ", (*scanner).spokenSecret},
	{"setenv", (*scanner).environment},
	{"setx ", (*scanner).environment},
	{"sudo -s ", (*scanner).sudo},
	{"token ", (*scanner).spokenSecret},
	{"wachtwoord ", (*scanner).spokenSecret},
	{"Пароль", (*scanner).spokenSecret},
	{"пароль", (*scanner).spokenSecret},
	{"パスワード", (*scanner).spokenSecret},
	{"口令", (*scanner).spokenSecret},
	{"密码", (*scanner).spokenSecret},
	{"密碼", (*scanner).spokenSecret},
	{"비밀번호", (*scanner).spokenSecret},
	{"암호", (*scanner).spokenSecret},
}

// opened looks for an opener at s[i].
func (sc *scanner) opened(i int) int {
	a, b := lowerByte(sc.s[i]), lowerByte(sc.s[i+1])
	for k := sc.lex.opener[a]; int(k) < len(openers) && openers[k].word[0] == a; k++ {
		o := &openers[k]
		if o.word[1] == b && hasFold(sc.s, i, o.word) {
			if end := o.find(sc, i, i+len(o.word)); end > i {
				return end
			}
		}
	}
	return i
}

// environment finds the value in setenv("NAME", "value"), setx NAME value,
// set -x NAME value and aws configure set NAME value.
func (sc *scanner) environment(i, after int) int {
	s := sc.s
	for after < len(s) && after-i < 12 && strings.IndexByte("( \"'", s[after]) >= 0 {
		after++
	}
	end := after
	for end < len(s) && end-after < maxName && isWord(s[end]) {
		end++
	}
	kind, rule := announced(s[after:end])
	if kind == ordinary || kind >= credentials {
		return i
	}
	for end < len(s) && strings.IndexByte("\"',", s[end]) >= 0 {
		end++
	}
	v := valueAfter(s, end)
	if from := skipMarkers(s, v.start); from > v.start || !plausible(kind, rule, s[v.start:v.end]) ||
		v.form == bare && measure(s[v.start:v.end]).digits == 0 {
		return i
	}
	sc.add(v.start, v.end, rule)
	return v.end
}

// dockerEnv reads a line ENV NAME value of a Dockerfile.
func (sc *scanner) dockerEnv(i, after int) int {
	if !strings.HasPrefix(sc.s[i:], "ENV ") {
		return i
	}
	return sc.environment(i, after)
}

// bearer finds the token after the word, wherever it stands.
func (sc *scanner) bearer(i, after int) int {
	s := sc.s
	end, _ := bareEnd(s, after)
	if w := s[after:end]; len(w) < 12 || !random(w) {
		return i
	}
	return sc.secretWord(after, "authorization", 12)
}

// basic finds user:password in base64 after the word.
func (sc *scanner) basic(i, after int) int {
	end := sc.run(after, alnum|plus|slash|equals, maxValue)
	if end-after < 8 || !base64Credentials(sc.s[after:end]) {
		return i
	}
	sc.add(after, end, "authorization")
	return end
}

// sqlPassword finds what stands in quotes after IDENTIFIED BY.
func (sc *scanner) sqlPassword(i, after int) int {
	s := sc.s
	if hasFold(s, after, "password ") {
		after += len("password ")
	}
	v := valueAfter(s, after)
	text := s[v.start:v.end]
	if v.form != quoted && !random(text) || v.quote == "`" || len(text) < 4 || masked(text) || dynamic(text) || strings.HasPrefix(text, markerStart) {
		return i
	}
	sc.add(v.start, v.end, "sql-password")
	return v.end
}

// sqlPlugin reads IDENTIFIED WITH plugin BY 'password'.
func (sc *scanner) sqlPlugin(i, after int) int {
	s := sc.s
	line := s[after:min(lineEnd(s, after), after+80)]
	for by := range len(line) {
		if hasFold(line, by, " by ") {
			return sc.sqlPassword(i, after+by+4)
		}
	}
	return i
}

// afterPassword finds a password that follows the word: in quotes in SQL, bare
// in a .netrc, after "is" in a sentence.
func (sc *scanner) afterPassword(i, after int) int {
	s := sc.s
	if after < len(s) && (s[after] == '\'' || s[after] == '"') {
		v := valueAfter(s, after)
		if text := s[v.start:v.end]; plausible(spoken, "password", text) && !label(text) && v.end < len(s) && s[v.end] == s[after] {
			sc.add(v.start, v.end, "sql-password")
			return v.end
		}
		return i
	}
	entry := s[max(0, i-200):i]
	if at := strings.LastIndex(entry, "machine "); at >= 0 && strings.Contains(entry[at:], "login ") {
		return sc.netrc(i, after)
	}
	if at := strings.LastIndex(entry, "default login "); at >= 0 && len(strings.Fields(entry[at:])) == 3 {
		return sc.netrc(i, after)
	}
	return sc.spokenSecret(i, after)
}

func (sc *scanner) netrc(i, after int) int {
	s := sc.s
	start := skipMarkers(s, after)
	end := start
	for end < len(s) && !isSpace(s[end]) && s[end] != '"' && s[end] != '\'' && !strings.HasPrefix(s[end:], `\n`) {
		end++
	}
	if w := s[start:end]; len(w) < 4 || masked(w) || dynamic(w) || markerEnd(s, start) > 0 {
		return i
	}
	sc.add(start, end, "netrc")
	return end
}

// flag finds the secret in a command's arguments: --password X, curl -u
// user:X, mysql -pX. s[i] is the first dash.
func (sc *scanner) flag(i int) int {
	s := sc.s
	end := i
	for end < len(s) && s[end] == '-' && end-i < 2 {
		end++
	}
	name := end
	for end < len(s) && end-name < 40 && (isWord(s[end]) || s[end] == '-') {
		end++
	}
	if end == name || end == len(s) {
		return i
	}
	switch s[name:end] {
	case "u", "user", "proxy-user", "U", "auth", "a":
		if to := sc.userFlag(i, end); to > i {
			return to
		}
	case "passin", "passout", "pass":
		if sc.commandBefore(i, "openssl ") {
			return sc.openssl(i, end)
		}
	case "password-stdin":
		sc.piped(i, false)
		return i
	case "b", "cookie":
		if sc.commandBefore(i, "curl") {
			return max(i, sc.cookies(valueAfter(s, end)))
		}
	case "x", "gx", "Ux":
		if strings.HasSuffix(s[:i], "set ") { // of the shell fish
			return sc.environment(i, end)
		}
	}
	joined := end-i > 2 && s[i+1] == 'p' && s[end] != '=' // -pSECRET
	if joined || listed(" p P a w ", s[name:end]) {
		if to := sc.shortPassword(i); to > i {
			return to
		}
	}
	if s[end] != ' ' || end-name < 3 {
		return i
	}
	return sc.namedFlag(i, name, end)
}

// namedFlag finds the value of the flag s[name:end] if that announces a secret.
func (sc *scanner) namedFlag(i, name, end int) int {
	s := sc.s
	kind, rule := announced(s[name:end])
	if s[name:end] == "body" && sc.commandBefore(i, "secret set ") {
		kind, rule = strong, "secret"
	}
	if kind == ordinary || kind >= credentials {
		return i
	}
	v := valueAfter(s, end)
	v.start = skipMarkers(s, v.start)
	if v.start >= v.end || !plausible(kind, rule, s[v.start:v.end]) {
		return i
	}
	if text := s[v.start:v.end]; v.form == bare && !flagValue(s, v.end, text) {
		return i
	}
	sc.add(v.start, v.end, "flag-"+rule)
	return v.end
}

// flagValue tells a flag's value in a command from the next word of a sentence
// or a help text: it has a digit, or ends the command.
func flagValue(s string, end int, text string) bool {
	m := measure(text)
	if m.digits > 0 {
		return !dottedNames(text)
	}
	if m.lowers == 0 || label(text) {
		return false
	}
	rest := strings.TrimLeft(s[end:min(len(s), end+8)], " ")
	return rest == "" || strings.IndexByte("\n-|&;'\"\\>", rest[0]) >= 0
}

// userFlag finds the password in the argument user:password; smbclient parts
// the two with a percent sign.
func (sc *scanner) userFlag(i, end int) int {
	s := sc.s
	if !sc.commandBefore(i, "curl", "wget", "http ", "https ", "smbclient") {
		return i
	}
	v := valueAfter(s, end)
	mark := ":"
	if sc.commandBefore(i, "smbclient") {
		mark = "%"
	}
	user, password, ok := strings.Cut(s[v.start:v.end], mark)
	if !ok || len(password) < 4 || allDigits(password) || masked(password) || dynamic(password) || standIn(password) ||
		dynamic(user) || strings.HasPrefix(password, markerStart) || password[0] == '$' {
		return i
	}
	sc.add(v.start+len(user)+1, v.end, "flag-password")
	return v.end
}

// passwordCommands take a password after -p, -P, -a or -w.
var passwordCommands = []string{"mysql", "mariadb", "sshpass", "redis-cli", "docker login", "podman login", "helm registry login", "7z ", "zip ",
	"az login", "mongo", "ldap", "twine upload", "--service-principal"}

// shortPassword finds mysql -pX, sshpass -p X, redis-cli -a X, docker login -p X.
func (sc *scanner) shortPassword(i int) int {
	s := sc.s
	if !sc.commandBefore(i, passwordCommands...) || s[i+1] == 'w' && !sc.commandBefore(i, "ldap") {
		return i
	}
	after := i + 2
	if s[after] == ' ' {
		if sc.commandBefore(i, "mysql", "mariadb", "7z ") {
			return i
		}
		after++
	} else if s[i+1] != 'p' {
		return i
	}
	return sc.argument(i, after, "flag-password")
}

// commandBefore tells whether one of the commands stands before i in the same line.
func (sc *scanner) commandBefore(i int, commands ...string) bool {
	line := sc.s[max(0, i-300):i]
	if nl := strings.LastIndexByte(line, '\n'); nl >= 0 && !strings.HasSuffix(line[:nl], `\`) {
		line = line[nl+1:]
	}
	for _, c := range commands {
		if strings.Contains(line, c) {
			return true
		}
	}
	return false
}
