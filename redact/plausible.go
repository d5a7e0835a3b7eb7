package redact

import "strings"

// Words that stand where a value does and are none.
const (
	typeWords = " str string strings char varchar text bytes byte bool boolean int integer int64 uint64 number float double object" +
		" array list dict map any unknown void never optional option secretstr nonetype none pathlib.path" +
		" jwt bearer oauth oauth2 basic digest func function async await lambda const let var new return typeof this self class interface struct type import require "
	stateWords = " true false null nil undefined none empty unset missing absent present set required optional needed expired invalid valid" +
		" revoked redacted masked hidden removed changed unchanged disabled enabled default auto automatic generated unknown failed" +
		" failure success passed rejected accepted denied granted incorrect correct wrong mismatch matches match length position error" +
		" warning expected unexpected received provided encrypted inherit prompt input output stdin stdout keyring keychain changeme" +
		" change_me change-me changeit replaceme replace_me placeholder omitted filtered sensitive private public secure unsafe include same-origin omit "
	benignParts = " a an the my your our some test tests testing fake dummy mock mocked stub example sample foo bar baz qux demo valid invalid" +
		" wrong bad good old new no not is this that here there secret secrets token tokens password passwd pass pw key keys api auth" +
		" access refresh bearer id name value val user username admin client server session csrf jwt oauth oauth2 type field from for of to with" +
		" and or in on at by the hash hashed plain raw encrypted env var config file path url string str text code basic input output" +
		" 1 2 3 123 1234 12345 123456 one two three x y z xx xxx xxxx abc abcd def ok placeholder change me changeme replace insert put enter" +
		" todo db database github gitlab aws personal private public current reset confirm forgot repeat login register update create" +
		" delete get set verify validate generate default empty missing required credential credentials authorization "
	idPrefixes = "toolu_ msg_ call_ req_ chatcmpl- resp_ fc_ rs_ run_ thread_ asst_ file- sha1- sha256- sha384- sha512- sha1: sha256: sha384: sha512: md5: h1: urn: urn%3A arn: data: blob: projects/ refs/ "
)

// plausible tells whether a value may be a secret, by what it is made of.
func plausible(kind nameKind, rule, v string) bool {
	if kind == weak && rule == "credential" && len(v) >= 12 && base64Credentials(v) {
		return true
	}
	if len(v) < 6 || kind == weak && (!random(v) || rule != "password" && worded(v)) {
		return false
	}
	if masked(v) || dynamic(v) || pattern(v) || strings.Contains(v, markerStart) {
		return false
	}
	low := strings.ToLower(v)
	if listed(stateWords, low) || listed(typeWords, low) || listed(algorithms, low) || prefixListed(idPrefixes, v) {
		return false
	}
	m := measure(v)
	letters := m.uppers + m.lowers
	if letters == 0 && m.others == 0 && (kind != spoken || m.digits < len(v)) {
		return false
	}
	if m.others > 0 && m.digits == 0 && letters == 0 {
		return false
	}
	if kind != spoken && versioned(v) {
		return false
	}
	if strings.HasPrefix(low, "0x") && len(v) < 20 && measure(v[2:]).hexRun == len(v)-2 || strings.Contains(v, "://") || isPath(v) {
		return false
	}
	if testName(v) || allBenign(v) && (m.digits == 0 || kind != spoken) || isUUID(v) && rule != "secret" && rule != "api-key" && rule != "auth-token" && kind != spoken {
		return false
	}
	if m.digits == 0 && !ascii(v) {
		return false
	}
	if m.spaces > 0 || strings.ContainsAny(v, "\t\n") {
		return kind == spoken && !prose(low, m) && (rule != "seed" || m.spaces >= minSeedSpaces)
	}
	if kind == weak {
		return (rule != "key" || len(v) >= 16 && m.entropy() > 2.8) && (rule != "signature" || len(v) >= 32)
	}
	return true
}

// minSeedSpaces is what parts the twelve words of the shortest seed phrase.
const minSeedSpaces = 11

// worded tells whether a value is a name that people read: words and numbers
// with marks between, as in "order.created.v2". Letters come before digits in
// each part, and plain words are at least two and most of those with letters.
func worded(v string) bool {
	words, mixed := 0, 0
	for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return strings.ContainsRune("-._:/", r) }) {
		letters := 0
		for letters < len(part) && isAlpha(part[letters]) {
			letters++
		}
		switch {
		case letters == len(part) && camelCase(part):
			words++
		case letters < len(part) && allDigits(part[letters:]):
			if letters > 0 {
				mixed++
			}
		default:
			return false
		}
	}
	return words >= 2 && words >= mixed
}

// dynamic tells whether a value stands for another one: a variable, an
// expression to be filled in, a format, a command's output.
func dynamic(v string) bool {
	if len(v) < 2 {
		return false
	}
	switch v[0] {
	case '$':
		if isAlpha(v[1]) || strings.IndexByte("{(_$", v[1]) >= 0 {
			return true
		}
	case '<', '{', '[':
		return true
	case '%':
		if strings.IndexByte("(svqdw{", v[1]) >= 0 || v[len(v)-1] == '%' {
			return true
		}
	case '#':
		if v[1] == '{' {
			return true
		}
	case '-':
		return v[1] == '-' || isAlpha(v[1]) && (len(v) < 24 || !random(v))
	case '@':
		return v[1] == '/' || v[1] == '.' || v[len(v)-1] == '@'
	}
	for _, mark := range [...]string{"${", "$(", "{{", "<%", "#{", "%s", "%v", "%q", "{}"} {
		if at := strings.Index(v, mark); at >= 0 && (mark[0] != '%' || at+2 == len(v) || mark == "<%" || !isAlnum(v[at+2])) {
			return true
		}
	}
	if open := strings.IndexByte(v, '{'); open >= 0 && strings.IndexByte(v[open:], '}') > 1 {
		return true
	}
	open := strings.IndexByte(v, '<')
	return open >= 0 && strings.IndexByte(v[open:], '>') > 1
}

// pattern tells whether a value is a regular expression or a piece of code.
func pattern(v string) bool {
	for _, mark := range [...]string{`\w`, `\S`, `\d`, `\s`, `\b`, `[^`, `.*`, `.+`, `(?`, "->", "=>", "::", "[a-z", "[A-Z", "[0-9", "()"} {
		if strings.Contains(v, mark) {
			return true
		}
	}
	return false
}

func prefixListed(list, v string) bool {
	for p := range strings.SplitSeq(list, " ") {
		if p != "" && strings.HasPrefix(v, p) {
			return true
		}
	}
	return false
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// prose tells whether words in quotes are a sentence about a secret, not one.
func prose(low string, m *measured) bool {
	for _, w := range [...]string{"password", "passphrase", "required", "must", "enter", "invalid", "please", "your", "cannot",
		"should", "is ", "are ", "for ", "the ", "not ", "error", "fail", "match", " to ", "token", "secret", "forgot", "?", " of ", " and ", " or "} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return m.digits == 0 && m.others == 0 && m.spaces < 3
}

// allBenign tells whether a value is made of words that describe one: "my-api-token".
func allBenign(v string) bool {
	var p splitName
	if len(v) > maxName {
		return false
	}
	p.split(v)
	for i := 0; i < p.n; {
		j := i + 1
		for !p.starts[j] {
			j++
		}
		if !listed(benignParts, string(p.text[i:j])) {
			return false
		}
		i = j
	}
	return true
}

// plausible tells whether a value may be a secret where it stands.
func (v *value) plausible(s string, kind nameKind) bool {
	_, rule := announced(v.name)
	text := s[v.start:v.end]
	if !plausible(kind, rule, text) || v.inCode(s, text) {
		return false
	}
	if v.form == quoted {
		// The quote was a closing one: "PWD="+dir)
		if (v.end == len(s) || s[v.end] == '\n') && strings.IndexByte("+)],;:", text[0]) >= 0 {
			return false
		}
		// A capital letter and no digit after a colon: a label, not a value.
		return v.sign != ':' || !label(text)
	}
	return v.bareStands(s, text, kind)
}

// inCode tells whether signs around the value show that it is none.
func (v *value) inCode(s, text string) bool {
	before := byte(' ')
	if v.nameStart > 0 {
		before = s[v.nameStart-1]
	}
	if v.sign == ':' && (text[0] == ':' || v.yamlTag(s, text)) {
		return true
	}
	if before == '{' && v.nameStart > 1 && s[v.nameStart-2] == '$' || before == '/' && v.sign == ':' {
		return true
	}
	return strings.HasSuffix(s[:v.nameStart], "::")
}

// yamlTag tells whether a tag stands before the value proper, which is then a
// reference or encrypted: !Ref, !secret, !vault.
func (v *value) yamlTag(s, text string) bool {
	if v.form != bare || text[0] != '!' || v.end == len(s) || s[v.end] != ' ' {
		return false
	}
	name := strings.TrimLeft(text, "!")
	return identifier(name) && measure(name).digits == 0
}

// bareStands judges a value without quotes, which may as well be a variable, a
// type, a call or the first word of a sentence.
func (v *value) bareStands(s, text string, kind nameKind) bool {
	next := byte('\n')
	if v.end < len(s) {
		next = s[v.end]
	}
	if strings.IndexByte("([{<`", next) >= 0 && next != '`' {
		return false
	}
	m := measure(text)
	if m.digits == len(text) {
		return v.sign == '=' && !v.spaced
	}
	if open := len(text) - 1; text[open] == '{' && identifier(text[:open]) { // a literal of that type
		return false
	}
	if dottedNames(text) || strings.HasPrefix(s[v.end:], "..") {
		return false
	}
	// An index into something.
	if at := strings.IndexByte(text, '['); at > 0 && (identifier(text[:at]) || dottedNames(text[:at])) {
		return false
	}
	if m.others > 0 {
		return true
	}
	letters := m.digits == 0
	if letters && next == ' ' && v.end+1 < len(s) && isAlpha(s[v.end+1]) && (v.sign == ':' || v.spaced) {
		return false
	}
	if !identifier(text) {
		return !letters || kind == spoken || v.sign == '='
	}
	setting := v.sign == '=' && !v.spaced && v.name == strings.ToUpper(v.name)
	if k, _ := announced(text); k != ordinary && letters && !setting {
		return false
	}
	if letters && len(text) >= 16 && m.uppers > 2 && !camelCase(text) {
		return true
	}
	inConnectionString := kind == spoken && v.sign == '=' && v.nameStart > 0 && s[v.nameStart-1] == ';'
	code := strings.IndexByte(",;)}]", next) >= 0 && !inConnectionString
	switch {
	case !letters:
		return !code && !(v.spaced && v.sign == '=') || random(text) || kind == spoken && !code
	case code, v.spaced && v.sign == '=':
		return false
	case v.sign == '=':
		return true
	}
	return v.spaced && v.yamlLine(s) && m.uppers == 0 && m.dashes == 0
}

// yamlLine tells whether the value ends a line that the name begins, in a
// block that no bracket closes.
func (v *value) yamlLine(s string) bool {
	i := v.nameStart
	for i > 0 && v.nameStart-i < 64 && strings.IndexByte(" -+>#", s[i-1]) >= 0 {
		i--
	}
	if i > 0 && s[i-1] != '\n' {
		return false
	}
	j := v.end
	for j < len(s) && j-v.end < 64 && isSpace(s[j]) {
		j++
	}
	return j == len(s) || strings.IndexByte("})]", s[j]) < 0 && strings.Contains(s[v.end:j], "\n")
}
