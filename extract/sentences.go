package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence is a part of a text, without its list marker and white space.
type sentence struct {
	start, end int
	// item is set where a list marker stood before it.
	item bool
}

// sentences splits a text that a person wrote. Fenced code, quoted mail, and
// lines that look like code, logs or diffs are no sentences. A list item is a
// sentence of its own; a line that was wrapped goes on in the next.
func sentences(text string, yield func(sentence)) {
	var p paragraph
	fence := ""
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += at
		}
		line := text[at:end]
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			p.flush(text, yield)
			fence = trimmed[:3]
		case trimmed == "" || bulkLine(line):
			p.flush(text, yield)
		default:
			p.line(text, at, end, yield)
		}
		at = end + 1
	}
	p.flush(text, yield)
}

// paragraph gathers the lines that a sentence can run through.
type paragraph struct {
	start, end int
	open, item bool
}

// wrapped is the length from which a line may have been broken by an editor
// rather than by the writer.
const wrapped = 60

func (p *paragraph) line(text string, at, end int, yield func(sentence)) {
	start := at + len(text[at:end]) - len(strings.TrimLeft(text[at:end], " \t"))
	marker := listMarker(text[start:end])
	if p.open && (marker > 0 || !p.runsOn(text, start)) {
		p.flush(text, yield)
	}
	if !p.open {
		p.start, p.open, p.item = start+marker, true, marker > 0
	}
	p.end = end
}

// runsOn tells whether the paragraph's last line was wrapped before text[next:].
func (p *paragraph) runsOn(text string, next int) bool {
	last := text[strings.LastIndexByte(text[:p.end], '\n')+1 : p.end]
	r, _ := utf8.DecodeRuneInString(text[next:])
	if len(last) < wrapped || unicode.IsUpper(r) && !strings.HasSuffix(last, ",") {
		return false
	}
	r, _ = utf8.DecodeLastRuneInString(strings.TrimSpace(last))
	return !strings.ContainsRune(".!?:;。！？；：", r)
}

func (p *paragraph) flush(text string, yield func(sentence)) {
	if p.open {
		splitParagraph(text, p.start, p.end, p.item, yield)
	}
	p.open = false
}

// splitParagraph yields the sentences of text[start:end].
func splitParagraph(text string, start, end int, item bool, yield func(sentence)) {
	from, quoted := start, false
	emit := func(to int) {
		s, e := trimSpan(text, from, to)
		if s < e {
			yield(sentence{s, e, item})
		}
		from, quoted = to, false
	}
	for i := start; i < end; {
		r, n := utf8.DecodeRuneInString(text[i:end])
		i += n
		switch r {
		case '"':
			quoted = !quoted
		case '。', '！', '？', '；':
			emit(closers(text, i, end))
		case '.', '!', '?', ';':
			to := closers(text, i, end)
			if to < end && text[to] != ' ' && text[to] != '\n' && text[to] != '\t' {
				continue
			}
			if r == '.' && !endsSentence(text[from:i], text[to:end]) || r == ';' && quoted {
				continue
			}
			emit(to)
		}
		i = max(i, from)
	}
	emit(end)
}

// closers skips the quotes, brackets and further marks that close a sentence.
func closers(text string, i, end int) int {
	for i < end {
		r, n := utf8.DecodeRuneInString(text[i:end])
		if !strings.ContainsRune(`"')]*_`+"`”’」』）.!?。！？", r) {
			return i
		}
		i += n
	}
	return i
}

// abbreviations are the words after which a full stop does not end a sentence.
var abbreviations = [...]string{
	"e.g", "i.e", "vs", "cf", "approx", "incl", "resp", "no", "mr", "ms", "dr", "st", "fig", "sec",
	"z.b", "d.h", "u.a", "bzw", "ca", "nr", "evtl", "ggf", "p.ej", "ej", "p.ex", "ex", "т.е", "т.д", "т.к", "напр",
}

// endsSentence tells whether the full stop that ends before is the end of a
// sentence: not that of an abbreviation, an initial or a number in a list.
func endsSentence(before, after string) bool {
	word := strings.TrimSuffix(before, ".")
	if i := strings.LastIndexAny(word, " \n\t(\"'"); i >= 0 {
		word = word[i+1:]
	}
	if strings.HasSuffix(word, "..") {
		return true
	}
	word = strings.ToLower(word)
	for i := range abbreviations {
		if word == abbreviations[i] {
			return word == "no" && strings.TrimSpace(before) == before[strings.LastIndexByte(before, ' ')+1:]
		}
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, " \t\n"))
	if word == "etc" || len(word) == 1 && word[0] >= 'a' && word[0] <= 'z' {
		return !unicode.IsLower(next)
	}
	return true
}

// listMarker is the length of the marker that a list item or heading begins
// with: "- ", "3. ", "(2) ", "[ ] ", "## ".
func listMarker(line string) int {
	i := 0
	for i < len(line) && strings.IndexByte("#-*+>•", line[i]) >= 0 {
		i++
	}
	if strings.HasPrefix(line, "•") {
		i = len("•")
	}
	if i > 0 && i < len(line) && line[i] == ' ' {
		rest := strings.TrimLeft(line[i:], " ")
		if len(rest) > 3 && rest[0] == '[' && rest[2] == ']' {
			rest = strings.TrimLeft(rest[3:], " ")
		}
		return len(line) - len(rest)
	}
	n, _ := numbered(line)
	return n
}

// numbered reads "1. ", "1) ", "(1) " and gives the marker's length and number.
func numbered(s string) (length, number int) {
	i := 0
	if i < len(s) && s[i] == '(' {
		i++
	}
	from := i
	for i < len(s) && s[i] >= '0' && s[i] <= '9' && i-from < 3 {
		number = number*10 + int(s[i]-'0')
		i++
	}
	if i == from || i+1 >= len(s) || s[i] != ')' && (s[i] != '.' || from > 0) || s[i+1] != ' ' {
		return 0, 0
	}
	return i + 2, number
}

func trimSpan(text string, start, end int) (int, int) {
	t := strings.TrimLeft(text[start:end], " \t\r\n")
	start = end - len(t)
	return start, start + len(strings.TrimRight(t, " \t\r\n"))
}

// bulkLine tells whether a line was pasted rather than written: a quotation,
// a log, a diff, a table, code, a stack.
func bulkLine(line string) bool {
	t := strings.TrimSpace(line)
	if t == "" {
		return false
	}
	switch t[0] {
	case '>', '|', '$', '{', '}', '<', '@':
		return t[0] != '@' || strings.HasPrefix(t, "@@")
	case '+':
		return len(t) > 1 && t[1] != ' '
	}
	for _, p := range [...]string{"diff --git", "--- ", "+++ ", "index ", "goroutine ", "Traceback", "at ", "File \"", "⏺", "⎿", "│", "┌", "└", "├", "//", "/*", "import ", "func ", "def ", "class ", "package ", "return ", "#include", "remote:", "fatal:", "error:"} {
		if strings.HasPrefix(t, p) {
			return p != "at " || strings.ContainsAny(t, "(/")
		}
	}
	return logShaped(t) || codeShaped(t)
}

// logShaped: a time stamp in front, or several key=value fields.
func logShaped(t string) bool {
	digits, fields := 0, 0
	for i := 0; i < min(len(t), 19); i++ {
		if t[i] >= '0' && t[i] <= '9' {
			digits++
		}
	}
	for i := strings.IndexByte(t, '='); i >= 0 && i+1 < len(t); {
		if i > 0 && t[i-1] > ' ' && t[i+1] > ' ' && t[i+1] != '=' {
			fields++
		}
		next := strings.IndexByte(t[i+1:], '=')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	stamped := len(t) > 19 && digits >= 10 && (t[0] >= '0' && t[0] <= '9' || t[0] == '[') && strings.ContainsAny(t[:12], "-/:")
	return stamped || fields >= 2
}

// codeShaped: it ends as a statement does, or holds operators that prose does not.
func codeShaped(t string) bool {
	switch t[len(t)-1] {
	case '{', '}':
		return true
	case ';':
		return strings.ContainsAny(t, "=(")
	}
	return strings.Contains(t, " := ") || strings.Contains(t, " => {") || strings.Contains(t, "();")
}

// mostlyBulk tells whether at least half of a text was pasted rather than written.
func mostlyBulk(text string) bool {
	bulk, all := 0, 0
	fence := false
	for line := range strings.Lines(text) {
		t := strings.TrimSpace(line)
		if strings.HasPrefix(t, "```") {
			fence = !fence
		}
		all += len(line)
		if fence || bulkLine(line) {
			bulk += len(line)
		}
	}
	return all > 0 && bulk*2 >= all
}
