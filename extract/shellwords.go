package extract

import "strings"

func (p *shellParser) startWord() {
	if !p.inWord {
		p.inWord, p.begin = true, p.at
	}
}

// put adds one byte of the source to the word.
func (p *shellParser) put(c byte) {
	p.startWord()
	p.word = append(p.word, c)
	p.at++
}

// wordByte reads what can stand in a word: quotes, escapes, expansions.
func (p *shellParser) wordByte(c byte) {
	switch c {
	case '\'':
		p.startWord()
		p.at++
		end := strings.IndexByte(p.src[p.at:], '\'')
		if end < 0 {
			end = len(p.src) - p.at
		}
		p.word = append(p.word, p.src[p.at:p.at+end]...)
		p.at = min(p.at+end+1, len(p.src))
	case '"':
		p.startWord()
		p.at++
		p.doubleQuoted()
	case '\\':
		p.escape()
	case '$':
		p.dollar(false)
	case '`':
		p.backtick()
	case '*', '?':
		p.expands = true
		p.put(c)
		p.expands = true
	case '[':
		glob := p.isGlob()
		p.put(c)
		p.expands = p.expands || glob
	case '{':
		brace := p.isBrace()
		p.put(c)
		p.expands = p.expands || brace
	default:
		p.put(c)
	}
}

func (p *shellParser) doubleQuoted() {
	for p.at < len(p.src) {
		c := p.src[p.at]
		switch c {
		case '"':
			p.at++
			return
		case '\\':
			p.at++
			if p.at == len(p.src) {
				p.word = append(p.word, '\\')
				return
			}
			switch n := p.src[p.at]; n {
			case '"', '\\', '$', '`':
				// In "\\server" and "C:\\x" alike bash keeps one.
				p.word = append(p.word, n)
			case '\n':
			default:
				p.word = append(p.word, '\\', n)
			}
			p.at++
		case '$':
			p.dollar(true)
		case '`':
			p.backtick()
		default:
			p.word = append(p.word, c)
			p.at++
		}
	}
}

// escape reads a backslash outside quotes. Before a letter or in a Windows path
// it is kept: shells drop it there, but nobody writes it there for a shell.
func (p *shellParser) escape() {
	if p.at+1 >= len(p.src) {
		p.at++
		return
	}
	n := p.src[p.at+1]
	switch {
	case n == '\n':
		p.at += 2
	case n == '\r' && strings.HasPrefix(p.src[p.at:], "\\\r\n"):
		p.at += 3
	case n != ' ' && n != '"' && n != '\'' && (isWordByte(n) || p.windowsWord()):
		p.put('\\')
	default:
		p.startWord()
		p.word = append(p.word, n)
		p.at += 2
	}
}

// windowsWord tells whether the word so far is the beginning of a Windows path.
func (p *shellParser) windowsWord() bool {
	w := p.word
	if len(w) >= 2 && w[1] == ':' && isLetter(w[0]) {
		return true
	}
	for _, c := range w {
		if c == '\\' {
			return true
		}
		if c != '.' {
			break
		}
	}
	return len(w) > 0 && strings.Trim(string(w), ".") == ""
}

// dollar reads $name, ${name}, $(list), $((sum)) and $'text'.
func (p *shellParser) dollar(quoted bool) {
	rest := p.src[p.at:]
	switch {
	case strings.HasPrefix(rest, "$(("):
		end := strings.Index(rest[:min(400, len(rest))], "))")
		if end < 0 {
			end = 1
		}
		p.startWord()
		p.word = append(p.word, rest[:end+2]...)
		p.at += end + 2
		p.expands = true
	case strings.HasPrefix(rest, "$("):
		p.put('$')
		p.substitute(')')
	case strings.HasPrefix(rest, "$'") && !quoted:
		p.at++
		p.startWord()
		p.ansiQuoted()
	case strings.HasPrefix(rest, "$\"") && !quoted:
		p.at++
	default:
		p.put('$')
		if len(rest) > 1 && (isWordByte(rest[1]) || strings.IndexByte("{@*#?!$", rest[1]) >= 0) {
			p.expands = true
			if rest[1] == '{' {
				p.put('{')
			}
		}
	}
}

func (p *shellParser) ansiQuoted() {
	for p.at++; p.at < len(p.src) && p.src[p.at] != '\''; p.at++ {
		if p.src[p.at] == '\\' && p.at+1 < len(p.src) {
			p.word = append(p.word, '\\')
			p.at++
		}
		p.word = append(p.word, p.src[p.at])
	}
	p.at = min(p.at+1, len(p.src))
}

// backtick reads an old-style substitution; PowerShell escapes with it.
func (p *shellParser) backtick() {
	rest := p.src[p.at+1:]
	if strings.HasPrefix(rest, "\n") {
		p.at += 2
		return
	}
	end := strings.IndexByte(rest, '`')
	if end < 0 || p.depth >= maxShellDepth {
		p.put('`')
		return
	}
	outer := p.src
	p.src = p.src[:p.at+1+end]
	p.substitute(0)
	p.src = outer
	p.at = min(p.at+1, len(p.src))
	p.word = append(p.word, '`')
}

// isGlob tells a character class from a directory that is named [slug].
func (p *shellParser) isGlob() bool {
	rest := p.src[p.at+1 : min(p.at+40, len(p.src))]
	end := strings.IndexByte(rest, ']')
	if end < 0 {
		return false
	}
	for i := 0; i < end; i++ {
		if !isWordByte(rest[i]) && rest[i] != '.' && rest[i] != '[' {
			return true
		}
	}
	return end < 2
}

// isBrace tells whether {a,b} or {} opens here.
func (p *shellParser) isBrace() bool {
	rest := p.src[p.at+1 : min(p.at+200, len(p.src))]
	end := strings.IndexByte(rest, '}')
	return end == 0 || end > 0 && (strings.Contains(rest[:end], ",") || strings.Contains(rest[:end], ".."))
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// leadingDigits counts the digits that s begins with.
func leadingDigits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func isWordByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }
