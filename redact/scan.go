package redact

import (
	"cmp"
	"slices"
	"strings"
)

// Finding is a secret in a text.
// Units: bytes; Start and End never divide a character.
type Finding struct {
	Start, End int
	Rule       string
}

// Scan returns the secrets in s, in order, none overlapping another.
//
// It is one pass that looks closer only where a byte can begin something, and
// every closer look is bounded: no text makes it quadratic.
func Scan(s string) []Finding { return new(scanner).scan(s, 0) }

// scan returns the secrets in s. They are valid until the next scan.
func (sc *scanner) scan(s string, depth int) []Finding {
	*sc = scanner{s: s, lex: words(), depth: depth, found: sc.found[:0]}
	sc.pass()
	sc.encoded()
	sc.s = ""
	return ordered(sc.found)
}

type scanner struct {
	s   string
	lex *lexicon
	// depth counts how many encodings s was taken out of.
	depth int
	found []Finding
	// unescaped is up to where percent-encoding was looked through.
	unescaped int
}

// pass goes over the bytes once. What a byte may begin is looked up without a
// branch: text takes each of them too often and too irregularly to be foreseen.
func (sc *scanner) pass() {
	s, lex := sc.s, sc.lex
	var before trigger
	key := startKey(s, 0)
	for i := 0; i < len(s); i++ {
		key <<= 5
		if i+2 < len(s) {
			key |= uint(s[i+2] & 31)
		}
		key %= triples
		t := lex.stop[s[i]]
		begins := uint64(t&^before&inWord) & (lex.triples[key/64] >> (key % 64))
		before = t
		if begins|uint64(t&^inWord) == 0 || t == inWord && !lex.hasPairAt(s, i) {
			continue
		}
		if end := sc.at(i, t); end > i+1 {
			i = end - 1
			before = 0
			key = startKey(s, end)
		}
	}
}

// at looks closer at s[i] and returns where to go on: i, or the end of what
// was found there.
func (sc *scanner) at(i int, t trigger) int {
	switch t {
	case inWord:
		if end := sc.prefixed(i); end > 0 {
			return end
		}
		return sc.opened(i)
	case atSign:
		return sc.sign(i)
	case atDash:
		return sc.dashes(i)
	case atEscape:
		return escapeEnd(sc.s, i)
	case atMarker:
		return skipMarkers(sc.s, i)
	case atBracket:
		return sc.called(i)
	case atDollar:
		return sc.passwordHash(i)
	}
	return i
}

func (sc *scanner) add(start, end int, rule string) {
	if start < end {
		sc.found = append(sc.found, Finding{start, end, rule})
	}
}

// sign looks at a byte that may stand between a name and its value.
func (sc *scanner) sign(i int) int {
	s := sc.s
	switch s[i] {
	case ':':
		if strings.HasPrefix(s[i:], "://") {
			return sc.userInfo(i)
		}
		if end := sc.colonRecord(i); end > 0 {
			return end
		}
		return sc.assignment(i, i+1)
	case '=':
		return sc.assignment(i, i+1)
	case '%':
		return sc.percent(i)
	case '@':
		return sc.dataSourceName(i)
	case '>':
		return sc.element(i)
	}
	return i
}

// escapeEnd steps over \n, \t, \r and a terminal's colour written as an escape,
// as in JSON inside a text: the letter belongs to the escape, not to the word
// after it.
func escapeEnd(s string, i int) int {
	for _, esc := range [...]string{`\u001b[`, `\x1b[`, `\033[`, `\e[`} {
		if strings.HasPrefix(s[i:], esc) {
			j := i + len(esc)
			for j < len(s) && (isDigit(s[j]) || s[j] == ';') {
				j++
			}
			if j < len(s) && isAlpha(s[j]) {
				return j + 1
			}
		}
	}
	if i+1 < len(s) && strings.IndexByte("ntr", s[i+1]) >= 0 {
		return i + 2
	}
	return i
}

// prefixed finds a secret by its issuer's prefix at s[i].
func (sc *scanner) prefixed(i int) int {
	if strings.HasPrefix(sc.s[i:], "eyJ") {
		return sc.jwt(i)
	}
	p, end := sc.issued(i)
	if p == nil {
		return 0
	}
	end = sc.folded(i, end, p.chars)
	sc.add(i, end, p.rule)
	return end
}

// issued returns the rule whose secret begins at s[i], and where in that line
// the secret ends; nil where there is none.
func (sc *scanner) issued(i int) (*prefixRule, int) {
	s := sc.s
	c := int(s[i])
	// Longer prefixes sort after the shorter ones that they begin with.
	for k := int(sc.lex.first[c+1]) - 1; k >= int(sc.lex.first[c]); k-- {
		p := &prefixes[k]
		if p.prefix[1] != s[i+1] || !strings.HasPrefix(s[i:], p.prefix) {
			continue
		}
		start := i + len(p.prefix)
		end := sc.run(start, p.chars, maxValue)
		if p.satisfied(s[start:end]) {
			return p, sc.run(end, p.chars, len(s))
		}
	}
	return nil, 0
}

// minFold is the width from which a terminal or an editor folds a line.
const minFold = 60

// folded returns where a secret s[i:end] ends that its line was too narrow for:
// the next line is nothing but its rest. A hash, another secret and a short
// name on the next line are none.
func (sc *scanner) folded(i, end int, chars charset) int {
	s := sc.s
	if end >= len(s) || s[end] != '\n' {
		return end
	}
	width := end - max(strings.LastIndexByte(s[:i], '\n')+1, i-maxValue)
	start := end + 1
	for start < len(s) && start-end < width && s[start] == ' ' {
		start++
	}
	next := sc.run(start, chars, width)
	if width < minFold || next < len(s) && strings.IndexByte("\n\"'", s[next]) < 0 {
		return end
	}
	rest := s[start:next]
	if m := measure(rest); m.uppers == 0 || m.lowers == 0 || !random(rest) {
		return end
	}
	if p, _ := sc.issued(start); p != nil {
		return end
	}
	return next
}

// run returns where the characters of a set end that begin at s[i], at most
// limit of them. It follows a token over a line that a backslash continues.
func (sc *scanner) run(i int, chars charset, limit int) int {
	s, start := sc.s, i
	for {
		for i < len(s) && i-start < limit && sc.lex.chars[s[i]]&chars != 0 {
			i++
		}
		next := continued(s, i)
		if next == i || next == len(s) || sc.lex.chars[s[next]]&chars == 0 {
			break
		}
		i = next
	}
	for i > start && s[i-1] == '.' {
		i--
	}
	return i
}

// continued returns where the text goes on after a backslash at the end of a
// line at s[i], or i.
func continued(s string, i int) int {
	start := i
	switch {
	case strings.HasPrefix(s[i:], "\\\n"):
		i += 2
	case strings.HasPrefix(s[i:], `\\\n`): // the same, in JSON
		i += 4
	default:
		return start
	}
	if i+1 < len(s) && (s[i] != '-' || s[i+1] == ' ') { // a flag's dash is its own
		i = lineBody(s, i)
	}
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

func (p *prefixRule) satisfied(rest string) bool {
	if len(rest) < p.min || masked(rest) {
		return false
	}
	v := measure(rest)
	switch p.need {
	case digit:
		return v.digits > 0
	case mixed:
		return v.digits > 0 && v.uppers > 0 && v.lowers > 0 || v.digits > 2 && len(rest) >= 24 && v.dashes == 0 ||
			len(rest) >= 30 && v.uppers > 5 && v.lowers > 5 && v.dashes == 0 && !camelCase(rest)
	case cased:
		return v.digits > 0 && v.uppers > 0 && v.lowers > 0
	case hexOnly:
		return v.digits > 0 && v.hexRun >= p.min
	case exactHex32:
		return v.digits > 0 && v.hexRun == 32 && len(rest) == 32
	case dotted:
		left, right, ok := strings.Cut(rest, ".")
		return ok && len(left) > 8 && len(right) > 8
	case airtable:
		id, key, _ := strings.Cut(rest, ".")
		return len(id) == 14 && len(key) >= 56 && measure(key).hexRun == len(key)
	case triple:
		parts := strings.Split(rest, ".")
		return len(parts) == 3 && len(parts[0]) >= 16 && len(parts[1]) >= 5 && len(parts[2]) >= 20 && v.digits > 0
	}
	return true
}

// jwt finds a JSON web token, whole or with its end cut off.
func (sc *scanner) jwt(i int) int {
	const parts = alnum | under | dash | equals
	s := sc.s
	header := sc.run(i, parts, maxValue)
	if header-i < 12 || header >= len(s) || s[header] != '.' {
		return 0
	}
	payload := sc.run(header+1, parts, len(s))
	if payload-header < 8 {
		return 0
	}
	end := payload
	for end < len(s) && s[end] == '.' {
		part := sc.run(end+1, parts, len(s))
		if part <= end+1 {
			break
		}
		end = part
	}
	end = sc.folded(i, end, parts)
	sc.add(i, end, "jwt")
	return end
}

// ordered sorts findings by where they begin and joins those that overlap.
func ordered(found []Finding) []Finding {
	if len(found) < 2 {
		return found
	}
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	out := found[:1]
	for _, f := range found[1:] {
		if last := &out[len(out)-1]; f.Start < last.End {
			last.End = max(last.End, f.End)
		} else {
			out = append(out, f)
		}
	}
	return out
}
