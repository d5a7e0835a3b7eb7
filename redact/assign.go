package redact

import "strings"

// nameKind says how strongly a name announces that a secret follows.
type nameKind uint8

const (
	ordinary nameKind = iota
	// weak names announce secrets and other things: the value must look random.
	weak
	// strong names announce secrets: any value of six characters will do that
	// is not evidently something else.
	strong
	// spoken names announce passwords that people think up: digits, or several
	// words in quotes, will do too.
	spoken
	// credentials are HTTP's Authorization: a scheme, then the secret.
	credentials
	// jar is HTTP's Cookie or Set-Cookie.
	jar
)

// announcer is a run of whole parts in a name, lower case, separators left out:
// "apikey" stands for api_key, API-KEY, apiKey and apikey.
type announcer struct {
	parts string
	kind  nameKind
	rule  string
}

// announcers are tried in this order.
var announcers = [...]announcer{
	{"proxyauthorization", credentials, "authorization"},
	{"authorization", credentials, "authorization"},
	{"setcookie", jar, "cookie"},
	{"cookie", jar, "cookie"},
	{"password", spoken, "password"},
	{"passwd", spoken, "password"},
	{"passphrase", spoken, "password"},
	{"passwort", spoken, "password"},
	{"passcode", spoken, "password"},
	{"passwrd", spoken, "password"},
	{"pswd", spoken, "password"},
	{"pwd", spoken, "password"},
	{"pw", strong, "password"},
	{"psw", strong, "password"},
	{"mnemonic", spoken, "seed"},
	{"seedphrase", spoken, "seed"},
	{"recoveryphrase", spoken, "seed"},
	{"secret", strong, "secret"},
	{"token", strong, "token"},
	{"apikey", strong, "api-key"},
	{"appkey", strong, "api-key"},
	{"accesskey", strong, "access-key"},
	{"accountkey", strong, "access-key"},
	{"secretkey", strong, "secret-key"},
	{"privatekey", strong, "private-key"},
	{"authkey", strong, "secret-key"},
	{"signingkey", strong, "secret-key"},
	{"encryptionkey", strong, "secret-key"},
	{"masterkey", strong, "secret-key"},
	{"sharedkey", strong, "secret-key"},
	{"servicekey", strong, "secret-key"},
	{"storagekey", strong, "secret-key"},
	{"deploykey", strong, "secret-key"},
	{"sessionkey", strong, "secret-key"},
	{"hmackey", strong, "secret-key"},
	{"sshkey", strong, "secret-key"},
	{"jwtkey", strong, "secret-key"},
	{"credential", strong, "credential"},
	{"credentials", strong, "credential"},
	{"cred", weak, "credential"},
	{"creds", weak, "credential"},
	{"totp", weak, "seed"},
	{"otp", weak, "seed"},
	{"seed", weak, "seed"},
	{"auth", weak, "credential"},
	{"pass", weak, "password"},
	{"jwt", weak, "token"},
	{"pat", weak, "token"},
	{"bearer", weak, "token"},
	{"webhook", weak, "webhook"},
	{"phpsessid", weak, "cookie"},
	{"jsessionid", weak, "cookie"},
	{"connectsid", weak, "cookie"},
	{"sig", weak, "signature"},
	{"key", weak, "key"},
}

// modest are the parts that, before "token" or "key", make it something that
// is shown freely: a place in a list, a unit of text, a place in a table.
const modest = " page next previous prev continuation continue cursor sync resume max min num total input output" +
	" prompt completion eos bos pad unk mask sep stop special start end first last per cached cache public publishable" +
	" primary foreign sort partition range hash idempotency dedupe group unique index lookup map dict object json" +
	" cancellation cancel change position fencing lexer parser syntax text current curr hot short keyboard arrow s3 storage row" +
	" cell column registry config setting state query item element "

// qualifiers are the parts that may follow the announcing one without taking
// the secret away.
const qualifiers = " value val prod production staging stage dev development test testing live sandbox old new current main" +
	" backup default primary secondary string str plain plaintext text raw base64 b64 data again confirm confirmation" +
	" confirmed encrypted 1 2 3 4 v1 v2 env var literal content "

// maxName bounds how far back a name is looked for.
const maxName = 80

// splitName is a name in lower case without its separators, with a bit set
// for each place where a part begins.
type splitName struct {
	text   [maxName]byte
	n      int
	starts [maxName + 1]bool
}

func (p *splitName) split(name string) {
	p.n = 0
	fresh := true
	for i := 0; i < len(name) && p.n < maxName; i++ {
		c := name[i]
		if !isAlnum(c) {
			fresh = true
			continue
		}
		if i > 0 {
			before := name[i-1]
			switch {
			case isUpper(c) && isLower(before), isDigit(c) != isDigit(before):
				fresh = true
			case isUpper(c) && isUpper(before) && i+1 < len(name) && isLower(name[i+1]):
				fresh = true
			}
		}
		p.starts[p.n] = fresh
		p.text[p.n] = lowerByte(c)
		p.n++
		fresh = false
	}
	p.starts[p.n] = true
}

// find returns where the last run of whole parts stands that spells w, or -1.
func (p *splitName) find(w string) int {
	for i := p.n - len(w); i >= 0; i-- {
		if p.starts[i] && p.starts[i+len(w)] && string(p.text[i:i+len(w)]) == w {
			return i
		}
	}
	// dbpassword: long words are found at the end of a part too.
	if i := p.n - len(w); len(w) >= 6 && i > 0 && string(p.text[i:p.n]) == w && w != "secret" && w != "cookie" {
		return i
	}
	return -1
}

// before returns the part that ends at i.
func (p *splitName) before(i int) string {
	j := i - 1
	for j > 0 && !p.starts[j] {
		j--
	}
	if j < 0 {
		return ""
	}
	return string(p.text[j:i])
}

// after tells whether every part from i on is a qualifier.
func (p *splitName) qualified(i int) bool {
	for i < p.n {
		j := i + 1
		for !p.starts[j] {
			j++
		}
		if !listed(qualifiers, string(p.text[i:j])) {
			return false
		}
		i = j
	}
	return true
}

// listed tells whether a list of words, each between spaces, has w.
func listed(list, w string) bool {
	if strings.IndexByte(w, ' ') >= 0 {
		return false
	}
	for i := 0; w != ""; i++ {
		k := strings.Index(list[i:], w)
		if k < 0 {
			break
		}
		i += k
		if list[i-1] == ' ' && list[i+len(w)] == ' ' {
			return true
		}
	}
	return false
}

// announced returns what a name announces, and the rule for it.
func announced(name string) (nameKind, string) {
	if len(name) < 2 || !mayAnnounce(name) {
		return ordinary, ""
	}
	var p splitName
	p.split(name)
	for i := range announcers {
		a := &announcers[i]
		at := p.find(a.parts)
		if at < 0 {
			continue
		}
		kind := a.kind
		if at > 0 && listed(modest, p.before(at)) && kind != spoken && a.parts != "secret" {
			return ordinary, ""
		}
		end := at + len(a.parts)
		switch {
		case end == p.n:
		case kind >= credentials, !p.qualified(end):
			if kind != strong && kind != spoken {
				continue
			}
			kind = weak
		}
		if a.parts == "key" && at == 0 {
			return ordinary, ""
		}
		return kind, a.rule
	}
	return ordinary, ""
}

// mayAnnounce is a quick test that most names fail: every announcer has one of
// these pairs of letters.
func mayAnnounce(name string) bool {
	for i := 0; i+1 < len(name); i++ {
		switch lowerByte(name[i]) {
		case 'p', 'c', 't', 'k', 's', 'a', 'j', 'm', 'o', 'w', 'b':
		default:
			continue
		}
		switch string([]byte{lowerByte(name[i]), lowerByte(name[i+1])}) {
		case "pa", "pw", "ps", "co", "cr", "to", "tp", "ke", "se", "si", "au", "jw", "mn", "ot", "we", "be":
			return true
		}
	}
	return false
}

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
	if !plausible(kind, rule, v, quoted) || label(v) {
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
	if name == "" {
		return i
	}
	if len(name) == 4 || len(name) == 10 {
		if end := sc.secretManifest(name, nameStart, after); end > 0 {
			return end
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
	start := skipMarkers(s, v.start)
	if start > v.start {
		v.end = max(start, v.end)
		if start == v.end {
			return v.end
		}
	}
	v.start = start
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

// borrowedName reads the lists of pairs that containers and requests are
// described with: {"name": "DB_PASSWORD", "value": "..."}.
func (sc *scanner) borrowedName(name string, nameStart int) (nameKind, string) {
	if !strings.EqualFold(name, "value") {
		return ordinary, ""
	}
	s := sc.s
	line := s[max(0, nameStart-120):nameStart]
	at := max(strings.LastIndex(line, "name"), strings.LastIndex(line, "Name"), strings.LastIndex(line, "key"))
	if at < 0 || strings.Count(line[at:], "\n") > 1 {
		return ordinary, ""
	}
	v := line[at:]
	sign := strings.IndexByte(v, ':')
	if sign < 0 || sign > 8 {
		return ordinary, ""
	}
	v = strings.Trim(v[sign+1:], " \t\n\"'\\,")
	if strings.ContainsAny(v, " :\"'") {
		return ordinary, ""
	}
	return announced(v)
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
	if s[i] == '=' && end > j && listed(typeWords, strings.ToLower(s[j:end])) {
		if name, start := declared(s, j); name != "" {
			return name, start
		}
	}
	return s[j:end], j
}

// declared returns the name before a type that begins at s[j], as in
// "password: str = ..." and "var password string = ...".
func declared(s string, j int) (string, int) {
	end := j
	for end > 0 && j-end < 4 && (s[end-1] == ' ' || s[end-1] == ':' || s[end-1] == '&') {
		end--
	}
	start := end
	for start > 0 && end-start < maxName && isWord(s[start-1]) {
		start--
	}
	return s[start:end], start
}
