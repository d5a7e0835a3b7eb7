package redact

import "strings"

// spokenSecret finds a value that a sentence announces: "the token is ...".
// Only what looks drawn by lot is taken.
func (sc *scanner) spokenSecret(i, after int) int {
	s := sc.s
	j, copula := sc.copula(after)
	v := valueAfter(s, openingMark(s, j))
	text := s[v.start:v.end]
	m := measure(text)
	if !spokenValue(text, m) {
		return i
	}
	password := !hasFold(s, i, "secret") && !hasFold(s, i, "token") && !hasFold(s, i, "key")
	switch {
	case copula && !password:
		if len(text) < 16 || !random(text) {
			return i
		}
	case !copula && password && (m.uppers+m.others+m.dashes > 0 || m.digits > 2) && sc.used(i):
	case !copula && (len(text) < 20 || m.others > 0 || m.uppers == 0 || m.lowers == 0 || m.digits < 3 || !scattered(text)):
		return i
	}
	// The issuer's own rule names the secret better, and follows it over a line.
	before := len(sc.found)
	if sc.lex.hasPairAt(s, v.start) {
		if end := sc.prefixed(v.start); end >= v.end {
			return end
		}
		sc.found = sc.found[:before]
	}
	sc.add(v.start, v.end, "spoken")
	return v.end
}

// userSlash finds the password in "user / password", of which v is the user.
func (sc *scanner) userSlash(v value) int {
	s := sc.s
	if v.form != bare || !strings.HasPrefix(s[v.end:], " / ") {
		return 0
	}
	p := valueAfter(s, v.end+len(" / "))
	if text := s[p.start:p.end]; !spokenValue(text, measure(text)) {
		return 0
	}
	sc.add(p.start, p.end, "spoken")
	return p.end
}

// spokenValue tells whether a word of a sentence may be a secret: a digit among
// letters, and nothing that has a meaning of its own.
func spokenValue(text string, m *measured) bool {
	if len(text) < 6 || m.digits == 0 || m.digits+m.dashes == len(text) || m.hexRun == len(text) || isUUID(text) {
		return false
	}
	return plausible(strong, "token", text) && !dottedNames(text) && !isVersion(text)
}

// algorithms are words with digits that stand where a password could.
const algorithms = " argon2 argon2i argon2id bcrypt2 pbkdf2 sha1 sha224 sha256 sha384 sha512 sha-1 sha-256 sha-512 scram-sha-256 base32 base64" +
	" base64url base58 hs256 hs512 rs256 es256 utf-8 utf8 oauth2 ed25519 x25519 aes128 aes256 aes-128 aes-256 latin1 http2 md5crypt ntlmv2 "

func isVersion(s string) bool { return strings.Count(s, ".") > 1 && measure(s).digits > 1 }

// copulas are the words, in several languages, between a password and what it is.
const copulas = " is was to be here now still currently set ist lautet war est es era é è on hier adalah — – "

// between are the words after which more of what a password is for follows
// before its copula does.
const between = " for of to at in für zu vom von des der du de la del della do da dos van voor het pour sur para per il от для на к "

// copula steps over what may stand between the word that announces a secret and
// the secret: "for the test server is". It reports false where no word says
// that what follows is the secret.
func (sc *scanner) copula(after int) (int, bool) {
	s := sc.s
	if sign := signAfter(s, after); sign > after {
		return sign, true
	}
	j := after
	for j < len(s) && s[j] == ' ' {
		j++
	}
	for n := range 9 {
		word := j
		for j < len(s) && j-word < 24 && (isWord(s[j]) || s[j] == '-' || s[j] >= 0x80) {
			j++
		}
		w := strings.ToLower(s[word:j])
		next := j
		for next < len(s) && next-j < 4 && (s[next] == ' ' || s[next] == ':') {
			next++
		}
		if w == "" || next == j {
			break
		}
		links, more := listed(copulas, w), listed(between, w)
		switch {
		case (links || n > 0 && s[j] == ':') && beginsSecret(s, next):
			return next, true
		case n == 0 && !links && !more, s[j] == ':', links && !more && n > 0 && !listed(copulas, nextWord(s, next)):
			return after, false
		}
		j = next
	}
	return after, false
}

// beginsSecret tells whether the word at s[i] has a digit or stands in quotes.
func beginsSecret(s string, i int) bool {
	if i == len(s) || strings.IndexByte("\"'`", s[i]) >= 0 || openingMark(s, i) > i {
		return true
	}
	for j := i; j < len(s) && j-i < 64 && !endsBare(s, j); j++ {
		if isDigit(s[j]) {
			return true
		}
	}
	return false
}

func nextWord(s string, i int) string {
	j := i
	for j < len(s) && j-i < 24 && isAlpha(s[j]) {
		j++
	}
	return strings.ToLower(s[i:j])
}

// signs stand between a word and the secret where no space has to.
var signs = [...]string{"是", "为", "為", "は", "는", "은", "：", ":", "—", "–", "-", "="}

// signAfter returns the end of such a sign at s[i], with the spaces around it.
func signAfter(s string, i int) int {
	j := i
	for j < len(s) && s[j] == ' ' {
		j++
	}
	for _, sign := range signs {
		if !strings.HasPrefix(s[j:], sign) || sign[0] < 0x80 && (j+1 == len(s) || s[j+1] != ' ') {
			continue
		}
		j += len(sign)
		for j < len(s) && (s[j] == ' ' || s[j] == ':') {
			j++
		}
		return j
	}
	return i
}

// openingMark steps over quotation marks that are no ASCII ones.
func openingMark(s string, i int) int {
	for _, mark := range [...]string{"«", "“", "„", "‘", "「", "『"} {
		if strings.HasPrefix(s[i:], mark) {
			i += len(mark)
			for i < len(s) && s[i] == ' ' {
				i++
			}
			return i
		}
	}
	return i
}

// used tells whether the word before s[i] says that a password is put to use:
// "log in with password".
func (sc *scanner) used(i int) bool {
	before := strings.TrimRight(sc.s[max(0, i-12):i], " ")
	at := strings.LastIndexAny(before, " \n\t([,:") + 1
	return listed(" with and use using used ", strings.ToLower(before[at:]))
}

// foreignWords are what a password is called in other languages, where that
// does not begin with a letter of ASCII throughout; lower case and capital.
var foreignWords = [...]string{"contraseña", "Contraseña", "hasło", "Hasło", "lösenord", "Lösenord", "şifre", "Şifre",
	"пароль", "Пароль", "密码", "密碼", "口令", "パスワード", "비밀번호", "암호", "mot de passe", "Mot de passe"}

// foreignName returns where a word of foreignWords begins that ends at s[end],
// or -1.
func foreignName(s string, end int) int {
	for _, w := range foreignWords {
		if strings.HasSuffix(s[:end], w) {
			return end - len(w)
		}
	}
	return -1
}
