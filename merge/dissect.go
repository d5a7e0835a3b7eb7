package merge

import (
	"strings"
	"unicode/utf8"
)

// dissection takes the claims out of one statement.
type dissection struct {
	index  *needleIndex
	claims []claim
	// exact is set within backticks, where nothing is prose.
	exact bool
}

// text finds every claim of a statement: what stands between backticks and
// quotation marks as a whole, and the names and numbers of the rest.
func (x *dissection) text(s string) {
	rest := x.markers(s)
	rest = x.spans(rest)
	for line := range strings.Lines(rest) {
		x.line(line)
	}
}

// markers takes out what stands for a removed secret: it must be one of the
// transcript's own.
func (x *dissection) markers(s string) string {
	const open = "[REDACTED:"
	for from := 0; ; {
		i := strings.Index(s[from:], open)
		if i < 0 {
			return s
		}
		i += from
		j := strings.IndexByte(s[i:], ']')
		if j < 0 {
			return s
		}
		x.plain(kindID, s[i:i+j+1], edgeWord)
		s = s[:i] + " " + s[i+j+1:]
		from = i
	}
}

// pairs are the marks that surround a quotation.
var pairs = [...][2]string{{"```", "```"}, {"`", "`"}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"「", "」"}, {"『", "』"}, {"\"", "\""}}

// spans takes out what stands between marks.
func (x *dissection) spans(s string) string {
	var rest strings.Builder
	for i := 0; i < len(s); {
		inner, n, code := span(s, i)
		if n == 0 {
			_, size := utf8.DecodeRuneInString(s[i:])
			rest.WriteString(s[i : i+size])
			i += size
			continue
		}
		if code {
			x.code(inner)
		} else {
			x.quoted(inner)
		}
		rest.WriteByte(' ')
		if strings.HasSuffix(s[i:i+n], "\n") {
			rest.WriteByte('\n')
		}
		i += n
	}
	return rest.String()
}

// span reads what stands between marks at s[i]: its text and its whole length,
// 0 for none.
func span(s string, i int) (inner string, n int, code bool) {
	for _, p := range pairs {
		if !strings.HasPrefix(s[i:], p[0]) {
			continue
		}
		from := i + len(p[0])
		j := strings.Index(s[from:], p[1])
		if j <= 0 || p[0] == "`" && strings.Contains(s[from:from+j], "\n") {
			continue
		}
		return s[from : from+j], len(p[0]) + j + len(p[1]), p[0][0] == '`'
	}
	if s[i] == '\'' && (i == 0 || strings.IndexByte(" (\n\t", s[i-1]) >= 0) {
		j := strings.IndexByte(s[i+1:], '\'')
		if end := i + 2 + j; j > 0 && !strings.Contains(s[i+1:i+1+j], "\n") && (end == len(s) || !isWordByte(s[end])) {
			return s[i+1 : i+1+j], j + 2, false
		}
	}
	return "", 0, false
}

// code reads what stands between backticks: one word is a name, more are a
// command or a line of code, as they are.
func (x *dissection) code(inner string) {
	inner = strings.TrimSpace(inner)
	if strings.ContainsAny(inner, "\n") { // a fenced block: the language, then lines
		for line := range strings.Lines(inner) {
			if line = strings.TrimSpace(line); strings.Contains(line, " ") {
				x.code(line)
			}
		}
		return
	}
	for _, dots := range [...]string{"…", "..."} {
		if cut, ok := strings.CutSuffix(inner, dots); ok && !strings.HasSuffix(cut, "/") {
			inner = strings.TrimSpace(cut) // shortened by whoever wrote it
		}
	}
	x.exact = true
	defer func() { x.exact = false }()
	if isExpression(inner) {
		x.line(inner)
		return
	}
	if strings.Contains(inner, " ") {
		x.plain(kindCommand, strings.TrimPrefix(inner, "$ "), edgeWord)
		return
	}
	n := len(x.claims)
	x.token(inner)
	if len(x.claims) == n {
		x.plain(kindSymbol, strings.TrimSuffix(inner, "()"), edgeWord)
	}
}

// isExpression tells a piece of code from a command: people shorten and rewrite
// it, so its names and numbers are what it claims.
func isExpression(code string) bool {
	first, rest, spaced := strings.Cut(code, " ")
	if !spaced {
		return false
	}
	for _, sign := range [...]string{"= ", ":= ", "=> ", "-> ", "+ ", "* ", "/ ", "== ", "!= ", "< ", "> "} {
		if strings.HasPrefix(rest, sign) {
			return true
		}
	}
	return strings.ContainsAny(first, "({[") || first == "func" || first == "type" || first == "var" || first == "const" || first == "return"
}

// quoted reads what stands between quotation marks: somebody's words.
func (x *dissection) quoted(inner string) {
	inner = strings.TrimSpace(inner)
	for _, dots := range [...]string{"…", "..."} {
		inner = strings.TrimSpace(strings.TrimSuffix(inner, dots))
	}
	inner = strings.TrimRight(inner, ".,;:!?。！？")
	if inner == "" {
		return
	}
	for _, part := range strings.Split(inner, "…") {
		if part = strings.TrimSpace(part); part != "" {
			x.claim(claim{kind: kindQuote, bare: -1}, needle{text: part, fold: true, edge: edgeText})
		}
	}
}

// plain claims that a text stands there as it is.
func (x *dissection) plain(kind, text string, e edge) {
	if text != "" {
		x.claim(claim{kind: kind, bare: -1}, needle{text: text, edge: e})
	}
}

// claim adds a claim that may be written in any of several ways. What cannot
// be looked for is no claim.
func (x *dissection) claim(c claim, ways ...needle) {
	for _, w := range ways {
		if n := x.index.need(w); n >= 0 {
			c.needles = append(c.needles, n)
		}
	}
	if len(c.needles) > 0 {
		x.claims = append(x.claims, c)
	}
}

// line reads the words of a line, without the number or the mark of a list.
func (x *dissection) line(line string) {
	line = strings.TrimLeft(line, " \t")
	line = line[listNumber(line):]
	previous := ""
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		if !inToken(r) {
			if r != ' ' {
				previous = ""
			}
			i += n
			continue
		}
		start := i
		for i < len(line) {
			r, n := utf8.DecodeRuneInString(line[i:])
			if !inToken(r) && !(r == ',' && betweenDigits(line, i)) {
				break
			}
			i += n
		}
		t := strings.TrimRight(line[start:i], ".:;!?'-&+=")
		switch {
		case strings.HasPrefix(line[i:], "()") && isIdentifier(t):
			x.plain(kindSymbol, t, edgeWord)
		case ordinalWord(previous) && len(t) == 1 && isDigit(t[0]):
			// Step 2, option 3: the draft's own numbering.
		case isNumber(t):
			x.number(t, unitAt(line[start+len(t):]))
		case subcommand(previous, t):
			x.plain(kindCommand, previous+" "+t, edgeWord)
		default:
			x.tokenAfter(t, line[:start])
		}
		previous = t
	}
}

// tokenAfter reads a word that may go on a name in a script without spaces:
// of "文档.md" the last character before the extension has to be there too.
func (x *dissection) tokenAfter(t, before string) {
	if r, n := utf8.DecodeLastRuneInString(before); len(t) > 1 && t[0] == '.' && isIdeograph(r) && isExtension(t[1:]) {
		x.plain(kindPath, before[len(before)-n:]+t, edgePath)
		return
	}
	x.token(t)
}

// inToken tells what the names and numbers of a line are made of.
func inToken(r rune) bool {
	if r < utf8.RuneSelf {
		return isWordByte(byte(r)) || strings.IndexByte("-./\\:~@#+=%$&?!*", byte(r)) >= 0
	}
	return isLetter(r)
}

func betweenDigits(s string, i int) bool {
	return i > 0 && isDigit(s[i-1]) && i+1 < len(s) && isDigit(s[i+1])
}

// listNumber is the length of the mark or the number that a line of a list
// begins with.
func listNumber(line string) int {
	i := 0
	if strings.HasPrefix(line, "(") {
		i++
	}
	from := i
	for i < len(line) && isDigit(line[i]) && i-from < 3 {
		i++
	}
	if i > from && i+1 < len(line) && (line[i] == '.' || line[i] == ')') && line[i+1] == ' ' {
		return i + 2
	}
	for _, mark := range [...]string{"- ", "* ", "+ ", "• "} {
		if strings.HasPrefix(line, mark) {
			return len(mark)
		}
	}
	return 0
}

// ordinalWord tells whether a number behind a word only counts what the draft
// itself lists.
func ordinalWord(w string) bool {
	switch strings.ToLower(w) {
	case "step", "task", "stage", "round", "section", "chapter", "iteration", "option", "approach", "attempt", "part", "point", "item", "phase", "decision", "question", "try":
		return true
	}
	return false
}

// subcommand tells whether two words are the beginning of a command.
func subcommand(program, word string) bool {
	words := ""
	switch program {
	case "git":
		words = " commit push pull merge rebase checkout reset revert stash clone cherry-pick bisect switch restore add rm tag "
	case "go":
		words = " test build vet run mod generate install fmt get "
	case "npm", "pnpm", "yarn", "bun":
		words = " run install test ci build publish add "
	case "cargo":
		words = " test build run check clippy publish fmt bench "
	case "docker", "podman":
		words = " build run push compose exec pull rm "
	case "kubectl":
		words = " apply delete get rollout scale exec "
	case "terraform":
		words = " apply plan destroy init import "
	case "pip", "pip3", "brew", "apt", "apt-get":
		words = " install uninstall remove "
	}
	return words != "" && strings.Contains(words, " "+word+" ")
}
