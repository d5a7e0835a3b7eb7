package extract

import "strings"

// finish ends the command that is being read and adds it to the list.
func (p *shellParser) finish() {
	p.flush()
	p.target = 0
	c, starts := p.cmd, p.starts
	p.cmd, p.starts = simpleCommand{}, nil
	if len(c.Argv) == 0 && len(c.Writes) == 0 && len(c.Reads) == 0 {
		return
	}
	for i := range p.here {
		if p.here[i].owner < 0 {
			p.here[i].owner = len(p.out)
		}
	}
	lead, skip := commandPrefix(c.Argv)
	switch {
	case lead < len(starts):
		c.Start = starts[lead]
	case len(c.Writes) == 0:
		return
	default:
		c.Start = max(p.last-1, 0)
	}
	c.End = max(p.last, c.Start)
	c.Op, p.op = p.op, ""
	switch {
	case skip < len(c.Argv):
		c.Argv, c.Expands = c.Argv[skip:], c.Expands[skip:]
	case lead < len(c.Argv): // assignments and nothing else
		c.Argv, c.Expands = c.Argv[lead:], c.Expands[lead:]
	default: // a redirection and nothing else
		c.Argv, c.Expands = []string{":"}, []bool{false}
	}
	c.Argv[0] = strings.TrimPrefix(c.Argv[0], `\`)
	c.Dir, c.Lost, c.Nested = p.dir, p.lost, p.depth > 0
	if c.Argv[0] == "" {
		c.Argv[0] = ":"
	}
	if p.unwrap(&c) {
		return
	}
	p.out = append(p.out, c)
	p.follow(&c)
}

// follow keeps track of the directory.
func (p *shellParser) follow(c *simpleCommand) {
	switch strings.ToLower(c.Argv[0]) {
	case "cd", "pushd", "chdir", "set-location", "push-location":
	case "popd", "pop-location":
		p.lost = true
		return
	default:
		return
	}
	target := "~"
	for i, a := range c.Argv[1:] {
		if a == "--" || a == "-P" || a == "-L" || strings.EqualFold(a, "/d") || strings.EqualFold(a, "-path") {
			continue
		}
		if c.Expands[i+1] || a == "-" {
			p.lost = true
			return
		}
		target = a
		break
	}
	if p.lost && !isAbsolute(target) {
		return
	}
	p.dir, p.lost = resolvePath(p.dir, target), false
}

// unwrap reads the script of bash -c, eval, cmd /c and powershell -Command in
// the place of the command that runs it.
func (p *shellParser) unwrap(c *simpleCommand) bool {
	script, at := innerScript(c)
	if script == "" || p.scripts >= 3 {
		return false
	}
	inner := shellParser{src: script, dir: p.dir, lost: p.lost, scripts: p.scripts + 1}
	inner.list(0)
	if len(inner.out) == 0 {
		return false
	}
	// A script that stands in the line as it is keeps its own places there.
	off := -1
	if at > 0 {
		if i := strings.Index(p.src[c.Start:c.End], script); i >= 0 {
			off = c.Start + i
		}
	}
	for i := range inner.out {
		s := &inner.out[i]
		if off >= 0 {
			s.Start, s.End = s.Start+off, s.End+off
		} else {
			s.Start, s.End = c.Start, c.End
		}
		s.Hidden = s.Hidden || c.Hidden
	}
	if inner.out[0].Op == "" {
		inner.out[0].Op = c.Op
	}
	last := &inner.out[len(inner.out)-1]
	last.Writes = append(last.Writes, c.Writes...)
	p.out = append(p.out, inner.out...)
	return true
}

// innerScript is the script that a shell is told to run, and the index of its
// word; 0 where it is a here document.
func innerScript(c *simpleCommand) (string, int) {
	a := c.Argv
	switch c.Name() {
	case "bash", "sh", "zsh", "dash", "ksh", "su":
		for i, w := range a[1:] {
			if len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.HasSuffix(w, "c") && i+2 < len(a) {
				return a[i+2], i + 2
			}
		}
		if len(a) == 1 || a[1] == "-s" || a[1] == "-" {
			return c.Here, 0
		}
	case "eval":
		if len(a) == 2 && !c.Expands[1] {
			return a[1], 1
		}
	case "cmd":
		if len(a) > 2 && strings.EqualFold(a[1], "/c") {
			return strings.Join(a[2:], " "), 2
		}
	case "powershell", "pwsh":
		for i, w := range a[1:] {
			if (strings.EqualFold(w, "-command") || strings.EqualFold(w, "-c")) && i+2 < len(a) {
				return strings.Join(a[i+2:], " "), i + 2
			}
		}
	}
	return "", 0
}

// commandPrefix counts the words before the command: lead are the keywords of
// the shell, skip also holds assignments and programs that run another one.
func commandPrefix(argv []string) (lead, skip int) {
	for lead < len(argv) && isKeyword(argv[lead]) {
		lead++
	}
	i := lead
	for i < len(argv) {
		w := argv[i]
		if isAssignment(w) || isKeyword(w) {
			i++
			continue
		}
		valued, operands, ok := prefixProgram(w)
		if !ok || i+1 == len(argv) {
			break
		}
		if w == "command" && (argv[i+1] == "-v" || argv[i+1] == "-V") {
			break
		}
		n := i + 1
		for n < len(argv) && strings.HasPrefix(argv[n], "-") {
			if f := argv[n]; len(f) == 2 && strings.IndexByte(valued, f[1]) >= 0 {
				n++
			}
			n++
		}
		n += operands
		if n >= len(argv) {
			break
		}
		i = n
	}
	return lead, i
}

func isKeyword(w string) bool {
	switch w {
	case "if", "then", "else", "elif", "while", "until", "do", "{", "}", "!", "fi", "done", "esac":
		return true
	}
	return false
}

// prefixProgram tells whether a program runs the command that follows it, which
// of its flags take a value, and how many operands stand before the command.
func prefixProgram(w string) (valued string, operands int, ok bool) {
	if i := strings.LastIndexByte(w, '/'); i >= 0 {
		w = w[i+1:]
	}
	switch w {
	case "sudo", "doas":
		return "ugCpht", 0, true
	case "env":
		return "uCS", 0, true
	case "nohup", "command", "builtin", "noglob", "setsid", "time", "caffeinate", "unbuffer", "stdbuf":
		return "", 0, true
	case "exec":
		return "a", 0, true
	case "xargs":
		return "nIPLdsaE", 0, true
	case "timeout", "gtimeout":
		return "ks", 1, true
	case "nice", "ionice":
		return "ncp", 0, true
	}
	return "", 0, false
}

// isAssignment tells whether a word is NAME=value.
func isAssignment(w string) bool {
	i := strings.IndexByte(w, '=')
	if i <= 0 || isDigit(w[0]) {
		return false
	}
	for j := 0; j < i; j++ {
		if !isWordByte(w[j]) {
			return false
		}
	}
	return true
}
