package extract

import "strings"

// simpleCommand is one command of a shell line. A command inside $(...) or
// backticks stands before the one that it is a part of; bash -c 'script' stands
// as the commands of its script.
type simpleCommand struct {
	// Argv holds the words after assignments and prefixes such as sudo. It is
	// never empty: a line of assignments keeps them, and a redirection without
	// a command has ":".
	Argv []string
	// Start and End are the command's bytes in the line, without keywords
	// before it and without the body of its here document.
	Start, End int
	// Writes and Reads are the targets of redirections whose names are literal.
	Writes, Reads []string
	// Here is the body of a here document.
	Here string
	// Op is the operator before the command: "", "|", "&&", "||", ";", "&",
	// or "$(" where it is the first of a substitution.
	Op string
	// Dir is where the line's own cd commands have led: "" is the directory
	// of the call. Lost is set where it cannot be known (cd "$dir").
	Dir  string
	Lost bool
	// Expands[i] is set where the shell puts something else in the place of
	// Argv[i]: it holds a glob, a variable or a substitution.
	Expands []bool
	// Hidden is set where the output goes to a file.
	Hidden bool
	// Nested is set inside $(...), where the output is no output of the line.
	Nested bool
	// Append is set where the last of Writes is added to, not replaced.
	Append bool
}

// Name is the program of the command, in lower case, without its directory,
// version and extension.
func (c *simpleCommand) Name() string { return programName(c.Argv[0]) }

// maxShellDepth bounds nested substitutions and scripts within scripts.
const maxShellDepth = 24

// parseShell splits a line, or a whole script, into its commands. It reads any
// bytes in linear time: what is no shell comes back as words that name nothing.
func parseShell(line string) []simpleCommand {
	p := shellParser{src: line}
	p.list(0)
	return p.out
}

// shellParser reads src once, from at to the end.
type shellParser struct {
	src   string
	at    int
	out   []simpleCommand
	dir   string
	lost  bool
	depth int
	// scripts counts how many bash -c the source stands in.
	scripts int
	shellFrame
}

// shellFrame is what a substitution sets aside of the command around it.
type shellFrame struct {
	cmd     simpleCommand
	starts  []int // where the words of cmd.Argv begin
	word    []byte
	begin   int // of the word
	inWord  bool
	expands bool
	target  byte // what the next word is: 0, '>', 'a' (append), '<', 'h' (here document), 't' (one whose lines lose their tabs), '-' (nothing)
	op      string
	here    []hereDoc
	dirs    []shellDir // of the open subshells
	last    int        // end of the last word
}

type hereDoc struct {
	end   string
	tabs  bool
	owner int // index in out, -1 for the command being read
}

type shellDir struct {
	dir  string
	lost bool
}

// list reads commands up to the closing byte, or to the end where it is 0.
func (p *shellParser) list(closing byte) {
	for p.at < len(p.src) {
		c := p.src[p.at]
		if c == closing && closing != 0 && len(p.dirs) == 0 {
			p.at++
			break
		}
		switch c {
		case ' ', '\t', '\r':
			p.flush()
			p.at++
		case '\n':
			p.newline()
		case ';':
			p.separate(";", 1)
		case '(':
			p.open()
		case ')':
			p.separate(";", 1)
			if n := len(p.dirs); n > 0 {
				p.dir, p.lost = p.dirs[n-1].dir, p.dirs[n-1].lost
				p.dirs = p.dirs[:n-1]
			}
		case '|':
			p.pipe()
		case '&':
			p.ampersand()
		case '>', '<':
			p.redirect(c)
		case '#':
			if p.inWord {
				p.put(c)
				break
			}
			p.at = lineEnd(p.src, p.at)
		default:
			p.wordByte(c)
		}
	}
	p.finish()
}

func lineEnd(s string, at int) int {
	if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(s)
}

// separate ends the command; op stands before the next one.
func (p *shellParser) separate(op string, n int) {
	p.finish()
	p.at += n
	if p.op == "" || op != ";" {
		p.op = op
	}
}

func (p *shellParser) newline() {
	p.flush()
	p.at++
	for _, h := range p.here {
		body := p.hereBody(h)
		if h.owner < 0 {
			p.cmd.Here = body
		} else if h.owner < len(p.out) {
			p.out[h.owner].Here = body
		}
	}
	p.here = p.here[:0]
	p.finish()
	if p.op == "" && len(p.out) > 0 {
		p.op = ";"
	}
}

// hereBody reads the lines up to the one that ends the document.
func (p *shellParser) hereBody(h hereDoc) string {
	begin := p.at
	for p.at < len(p.src) {
		end := lineEnd(p.src, p.at)
		l := strings.TrimSuffix(p.src[p.at:end], "\r")
		if h.tabs {
			l = strings.TrimLeft(l, "\t")
		}
		if l == h.end {
			body := p.src[begin:p.at]
			p.at = min(end+1, len(p.src))
			return body
		}
		p.at = min(end+1, len(p.src))
	}
	return p.src[begin:]
}

// open enters a subshell, an array assignment or an arithmetic command.
func (p *shellParser) open() {
	if p.inWord && len(p.word) > 0 && p.word[len(p.word)-1] == '=' {
		end := strings.IndexByte(p.src[p.at:min(p.at+2000, len(p.src))], ')')
		if end >= 0 {
			p.word = append(p.word, p.src[p.at:p.at+end+1]...)
			p.at += end + 1
			p.expands = true
			return
		}
	}
	if strings.HasPrefix(p.src[p.at:], "((") {
		if end := strings.Index(p.src[p.at:min(p.at+400, len(p.src))], "))"); end >= 0 {
			p.at += end + 2
			return
		}
	}
	p.finish()
	p.at++
	p.dirs = append(p.dirs, shellDir{p.dir, p.lost})
}

func (p *shellParser) pipe() {
	switch {
	case strings.HasPrefix(p.src[p.at:], "||"):
		p.separate("||", 2)
	case strings.HasPrefix(p.src[p.at:], "|&"):
		p.separate("|", 2)
	default:
		p.separate("|", 1)
	}
}

func (p *shellParser) ampersand() {
	rest := p.src[p.at:]
	switch {
	case strings.HasPrefix(rest, "&&"):
		p.separate("&&", 2)
	case strings.HasPrefix(rest, "&>>"):
		p.flush()
		p.at += 3
		p.target, p.cmd.Hidden = 'a', true
	case strings.HasPrefix(rest, "&>"):
		p.flush()
		p.at += 2
		p.target, p.cmd.Hidden = '>', true
	default:
		p.separate("&", 1)
	}
}

// redirect reads <, >, >>, >|, <>, >&2, 2>&1, <<EOF, <<<word, <(cmd) and >(cmd).
func (p *shellParser) redirect(c byte) {
	if len(p.cmd.Argv) > 0 && p.cmd.Argv[0] == "[[" {
		p.flush()
		p.at++
		return
	}
	fd := c
	if p.inWord && len(p.word) == 1 && p.word[0] >= '0' && p.word[0] <= '9' && p.begin == p.at-1 {
		fd, p.inWord, p.word = p.word[0], false, p.word[:0]
	} else {
		p.flush()
	}
	rest := p.src[p.at:]
	p.cmd.Hidden = p.cmd.Hidden || fd == '>' || fd == '1'
	switch {
	case strings.HasPrefix(rest, ">>"):
		p.at, p.target = p.at+2, 'a'
	case strings.HasPrefix(rest, ">|"):
		p.at, p.target = p.at+2, '>'
	case strings.HasPrefix(rest, ">(") || strings.HasPrefix(rest, "<("):
		p.cmd.Hidden = false
		p.at++
		p.substitute(')')
	case strings.HasPrefix(rest, ">&"), strings.HasPrefix(rest, "<&"):
		p.cmd.Hidden = false
		p.at, p.target = p.at+2, '-'
	case strings.HasPrefix(rest, "<<<"):
		p.at, p.target = p.at+3, '-'
	case strings.HasPrefix(rest, "<<-"):
		p.at, p.target = p.at+3, 't'
	case strings.HasPrefix(rest, "<<"):
		p.at, p.target = p.at+2, 'h'
	case strings.HasPrefix(rest, "<>"):
		p.at, p.target = p.at+2, '<'
	default:
		p.at, p.target = p.at+1, c
	}
}

// flush ends the word and puts it where the operator before it says.
func (p *shellParser) flush() {
	if !p.inWord {
		return
	}
	w := string(p.word)
	literal := !p.expands
	switch p.target {
	case '>', 'a':
		if literal {
			p.cmd.Writes = append(p.cmd.Writes, w)
			p.cmd.Append = p.target == 'a'
		}
	case '<':
		if literal {
			p.cmd.Reads = append(p.cmd.Reads, w)
		}
	case 'h', 't':
		p.here = append(p.here, hereDoc{end: w, tabs: p.target == 't', owner: -1})
	case '-':
	default:
		p.cmd.Argv = append(p.cmd.Argv, w)
		p.cmd.Expands = append(p.cmd.Expands, p.expands)
		p.starts = append(p.starts, p.begin)
	}
	p.last = p.at
	p.word, p.inWord, p.expands, p.target = p.word[:0], false, false, 0
}

// substitute reads a command list of its own and puts its source into the word.
// at is on the opening byte before the list.
func (p *shellParser) substitute(closing byte) {
	begin := p.at
	if closing == ')' && p.at > 0 && p.src[p.at-1] != '$' {
		begin--
	}
	p.startWord()
	p.expands = true
	if p.depth >= maxShellDepth {
		p.put(p.src[p.at])
		return
	}
	outer := p.shellFrame
	dir := shellDir{p.dir, p.lost}
	p.shellFrame = shellFrame{op: "$("}
	p.depth++
	p.at++
	p.list(closing)
	p.depth--
	p.dir, p.lost = dir.dir, dir.lost
	p.shellFrame = outer
	p.word = append(p.word, p.src[begin:p.at]...)
}
