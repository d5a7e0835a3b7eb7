package redact

import (
	"strings"
	"sync"
)

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
	{"publickeytoken", ordinary, ""}, // of a .NET assembly
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
	{"storepass", spoken, "password"},
	{"keypass", spoken, "password"},
	{"contrasena", spoken, "password"},
	{"contrasenya", spoken, "password"},
	{"haslo", spoken, "password"},
	{"kennwort", spoken, "password"},
	{"losenord", spoken, "password"},
	{"motdepasse", spoken, "password"},
	{"parola", spoken, "password"},
	{"senha", spoken, "password"},
	{"wachtwoord", spoken, "password"},
	{"psk", strong, "password"},
	{"presharedkey", strong, "secret-key"},
	{"pw", strong, "password"},
	{"psw", strong, "password"},
	{"mnemonic", spoken, "seed"},
	{"seedphrase", spoken, "seed"},
	{"recoveryphrase", spoken, "seed"},
	{"secret", strong, "secret"},
	{"authtoken", strong, "auth-token"},
	{"servertoken", strong, "auth-token"},
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
	" websocket cell column registry config setting state query item element socket "

// ordinals are the parts that make "pass" a step of some work.
const ordinals = " first second third last one two single multi render by num test tests build shader "

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
	// initials has a bit for each letter that a part begins with.
	initials uint32
}

func (p *splitName) split(name string) {
	p.n, p.initials = 0, 0
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
		if fresh {
			p.initials |= 1 << (lowerByte(c) & 31)
		}
		p.n++
		fresh = false
	}
	p.starts[p.n] = true
}

// mayHold is a quick test that most words fail: no part begins with w's first
// letter, and the name does not end with its last.
func (p *splitName) mayHold(w string) bool {
	return p.initials>>(w[0]&31)&1 != 0 || p.n > 0 && p.text[p.n-1] == w[len(w)-1]
}

// find returns where the last run of whole parts stands that spells w, or -1.
func (p *splitName) find(w string) int {
	for i := p.n - len(w); i >= 0; i-- {
		if p.starts[i] && p.text[i] == w[0] && p.starts[i+len(w)] && string(p.text[i:i+len(w)]) == w {
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

// qualified tells whether every part from i on is a qualifier.
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

// identifies tells whether nothing but "id" or the like follows from i on: the
// name is of what says which secret is meant, as in apiKeyId.
func (p *splitName) identifies(i int) bool {
	return i < p.n && listed(" id ids uuid arn alias count counts ", string(p.text[i:p.n]))
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
		if !p.mayHold(a.parts) {
			continue
		}
		at := p.find(a.parts)
		if at < 0 {
			continue
		}
		kind := a.kind
		if kind == ordinary || a.parts != "secret" && p.identifies(at+len(a.parts)) {
			return ordinary, ""
		}
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
		switch {
		case a.parts == "key" && at == 0:
			return ordinary, ""
		case a.parts == "pass" && at > 0 && end == p.n && !listed(ordinals, p.before(at)):
			kind = spoken
		}
		return kind, a.rule
	}
	return ordinary, ""
}

// marks are letters of which every announcer has some, in one part.
const marks = "pw? ps? pas pat par coo cre con tok tot key ken sec see set sen sig sid aut jwt jse otp has los mne mot web bea rec wac"

// markSet has a bit for the low five bits of the three bytes of each mark.
var markSet = sync.OnceValue(func() *[triples / 64]uint64 {
	set := new([triples / 64]uint64)
	for mark := range strings.SplitSeq(marks, " ") {
		for c := range uint(32) {
			if mark[2] == '?' || uint(mark[2]&31) == c {
				k := startKey(mark, 0)<<5 | c
				set[k/64] |= 1 << (k % 64)
			}
		}
	}
	return set
})

// mayAnnounce is a quick test that most names fail: whether one of the marks is
// in them.
func mayAnnounce(name string) bool {
	set := markSet()
	key := uint(0)
	for i := 0; i < len(name); i++ {
		key = (key<<5 | uint(name[i]&31)) % triples
		if set[key/64]>>(key%64)&1 != 0 && !ordinaryStart(name, i-2) {
			return true
		}
	}
	key = (key<<5 | '_'&31) % triples // a mark of two letters may be the last
	return set[key/64]>>(key%64)&1 != 0 && !ordinaryStart(name, len(name)-2)
}

// ordinaryStart tells whether a mark at name[i] begins one of the words that
// names are full of, path, param, config, context, or is digits that share the
// bits of its letters.
func ordinaryStart(name string, i int) bool {
	if i < 0 || !isAlpha(name[i]) || !isAlpha(name[i+1]) {
		return true
	}
	if i+3 >= len(name) {
		return false
	}
	d := lowerByte(name[i+3])
	switch name[i] | 0x20 {
	case 'p':
		third := lowerByte(name[i+2])
		return third == 't' && isLower(d) || third == 'r' && d != 'o'
	case 'c':
		return lowerByte(name[i+2]) == 'n' && (d != 't' || i+4 < len(name) && lowerByte(name[i+4]) != 'r')
	case 's':
		return lowerByte(name[i+2]) == 'n' && d != 'h'
	}
	return false
}
