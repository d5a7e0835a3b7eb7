package extract

import "strings"

// shellLine is a shell call while its touches are read.
type shellLine struct {
	s *fileSlot
	c *Call
	// vars are the loop variables and assignments of the line.
	vars map[string][]string
	// missing are the lines of the result that name what was not there.
	missing []string
	// reached is the index of the first command that may not have run.
	reached int
	// shown tells whether the failing command may have shown something.
	shown bool
}

// shellCall reads the touches of a shell line and of what git printed.
func (s *fileSlot) shellCall(c *Call) {
	l := shellLine{s: s, c: c, reached: len(c.Shell)}
	if !c.OK() {
		if neverRan(&c.Result) {
			return
		}
		l.reached = lastPipeline(c.Shell)
	}
	if !c.OK() || strings.Contains(c.Command, ";") || strings.Contains(c.Command, "||") || strings.Contains(c.Command, "\n") {
		l.missing = missingLines(c.Result.Text)
	}
	l.shown = len(l.missing) > 0 && strings.Count(c.Result.Text, "\n") >= len(l.missing)
	for i := range c.Shell {
		l.command(i)
	}
	s.gitOutput(c)
}

// lastPipeline is the index of the first command of the line's last pipeline:
// what came before it has run in all likelihood when the line failed.
func lastPipeline(cs []simpleCommand) int {
	i := len(cs) - 1
	for i > 0 && (cs[i].Op == "|" || cs[i].Nested) {
		i--
	}
	return max(i, 0)
}

// missingLines are the lines that say that a file is not there.
func missingLines(r string) []string {
	var out []string
	for _, w := range [...]string{"No such file", "cannot ", "can't ", "does not exist", "pathspec", "not found", "Is a directory", "is a directory"} {
		for at := 0; len(out) < 40; {
			i := strings.Index(r[at:], w)
			if i < 0 {
				break
			}
			i += at
			end := lineEnd(r, i)
			out = append(out, r[strings.LastIndexByte(r[:i], '\n')+1:end])
			at = end
		}
	}
	return out
}

// command reads one command of the line.
func (l *shellLine) command(i int) {
	cmd := &l.c.Shell[i]
	for _, p := range cmd.Writes {
		op := opCreate
		if cmd.Append {
			op = opEdit
		}
		if isPathWord(p) && !isDescriptor(p) {
			l.add(cmd, p, op)
		}
	}
	if l.c.OK() || i < l.reached {
		l.remember(cmd)
		l.run(cmd, cmd.Argv, cmd.Expands, l.hidden(i))
		return
	}
	if l.shown || cmd.Name() == "diff" {
		l.failing(cmd)
	}
}

// failing reads a command that ended with an error after it had shown something.
func (l *shellLine) failing(cmd *simpleCommand) {
	if args, reads := readOperands(cmd.Name(), cmd.Argv, cmd.Expands); reads {
		for _, p := range l.expand(args) {
			l.read(cmd, p)
		}
	}
}

// hidden tells whether what the command prints does not reach the agent.
func (l *shellLine) hidden(i int) bool {
	cs := l.c.Shell
	if cs[i].Nested || cs[i].Hidden {
		return true
	}
	for i+1 < len(cs) && cs[i+1].Op == "|" {
		i++
		if cs[i].Hidden {
			return true
		}
	}
	return false
}

// isDescriptor tells a number behind > from a file.
func isDescriptor(p string) bool {
	return strings.Trim(p, "0123456789") == "" || p == "NUL" || p == "nul"
}

// remember keeps the values of loop variables and assignments.
func (l *shellLine) remember(cmd *simpleCommand) {
	a := cmd.Argv
	set := func(name string, values []string) {
		if l.vars == nil {
			l.vars = map[string][]string{}
		}
		l.vars[name] = values
	}
	if a[0] == "for" && len(a) > 3 && a[2] == "in" {
		var values []string
		for i := 3; i < len(a); i++ {
			if !cmd.Expands[i] {
				values = append(values, a[i])
			}
		}
		set(a[1], values)
	}
	for i, w := range a {
		if !isAssignment(w) {
			return
		}
		if name, value, _ := strings.Cut(w, "="); !cmd.Expands[i] {
			set(name, []string{value})
		}
	}
}

// operand is a word that a command takes for a path.
type operand struct {
	text    string
	expands bool
}

// expand puts the values of variables in the place of words that are nothing
// but a variable, and drops every other word that the shell would change.
func (l *shellLine) expand(words []operand) []string {
	var out []string
	for _, w := range words {
		if !w.expands {
			out = append(out, w.text)
			continue
		}
		if name := variableName(w.text); name != "" {
			out = append(out, l.vars[name]...)
		}
	}
	return out
}

func variableName(w string) string {
	if len(w) < 2 || w[0] != '$' {
		return ""
	}
	n := w[1:]
	if len(n) > 2 && n[0] == '{' && n[len(n)-1] == '}' {
		n = n[1 : len(n)-1]
	}
	for i := 0; i < len(n); i++ {
		if !isWordByte(n[i]) {
			return ""
		}
	}
	return n
}

// dir is where a command runs; ok is false where that is not known.
func (l *shellLine) dir(cmd *simpleCommand) (string, bool) {
	if cmd.Dir == "" {
		return l.c.Dir, !cmd.Lost
	}
	return resolvePath(l.c.Dir, cmd.Dir), !cmd.Lost
}

// add records a touch of a path that the command names.
func (l *shellLine) add(cmd *simpleCommand, path string, op touchOp) {
	l.addTouch(cmd, touch{path: path, op: op, via: "shell"})
}

func (l *shellLine) addTouch(cmd *simpleCommand, t touch) {
	dir, known := l.dir(cmd)
	if !known && !isAbsolute(t.path) || !isPathWord(t.path) {
		return
	}
	for _, m := range l.missing {
		if strings.Contains(m, t.path) {
			return
		}
	}
	t.dir = dir
	l.s.add(l.c, t)
}

// read records a file whose content a command showed.
func (l *shellLine) read(cmd *simpleCommand, path string) {
	if strings.HasSuffix(path, "/") {
		return
	}
	l.add(cmd, path, opRead)
}

// write records a file that a command changed, if the word looks like a file or
// is one that is known.
func (l *shellLine) write(cmd *simpleCommand, path string, op touchOp) {
	if looksLikeFile(path) || l.known(cmd, path) {
		l.add(cmd, path, op)
	}
}

func (l *shellLine) known(cmd *simpleCommand, path string) bool {
	dir, ok := l.dir(cmd)
	return ok && l.s.byPath[resolvePath(dir, path)] != nil
}

// takesOtherWords knows the programs whose operands need not be files: they may
// be directories to search, names of commands, values.
func takesOtherWords(name string) bool {
	switch name {
	case "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "type", "jq", "yq", "awk", "gawk":
		return true
	}
	return false
}

// run reads the touches of a command that ran.
func (l *shellLine) run(cmd *simpleCommand, argv []string, expands []bool, hidden bool) {
	argv, expands = packageRunner(argv, expands)
	c := simpleCommand{Argv: argv}
	name := c.Name()
	if args, reads := readOperands(name, argv, expands); reads {
		if !hidden {
			for _, p := range l.expand(args) {
				if !takesOtherWords(name) || looksLikeFile(p) || l.known(cmd, p) {
					l.read(cmd, p)
				}
			}
		}
		return
	}
	args := plainOperands(argv, expands)
	switch name {
	case "sed", "perl", "awk", "gawk":
		l.inPlace(cmd, name, argv, expands)
	case "tee", "sponge", "tee-object":
		l.writes(cmd, args, teeOp(argv))
	case "touch":
		for _, p := range l.expand(args) {
			if !l.known(cmd, p) && isPathWord(p) {
				l.add(cmd, p, opCreate)
			}
		}
	case "truncate":
		l.writes(cmd, args, opRewrite)
	case "mv", "cp", "install", "ln", "rsync", "scp", "copy", "move", "ren", "copy-item", "move-item", "rename-item":
		l.transfer(cmd, name, l.expand(args))
	case "rm", "unlink", "trash", "del", "erase", "rmdir", "remove-item", "ri":
		l.remove(cmd, l.expand(args))
	case "dd":
		for _, a := range argv[1:] {
			if p, ok := strings.CutPrefix(a, "of="); ok {
				l.add(cmd, p, opCreate)
			}
		}
	case "curl", "wget", "gcc", "clang", "pandoc":
		l.outputFlag(cmd, argv, expands)
	case "git":
		l.git(cmd, argv, expands, hidden)
	case "apply_patch", "applypatch", "patch":
		l.patch(cmd, argv)
	case "python", "python3", "node", "ruby", "deno", "bun", "tsx":
		l.script(cmd, argv, hidden)
	case "set-content", "out-file", "new-item", "sc":
		l.writes(cmd, args[:min(1, len(args))], opCreate)
	case "add-content":
		l.writes(cmd, args[:min(1, len(args))], opEdit)
	default:
		l.format(cmd, name, argv, args)
	}
}
