package extract

import "strings"

// git reads the touches that a git command names itself.
func (l *shellLine) git(cmd *simpleCommand, argv []string, expands []bool, hidden bool) {
	sub, argv, expands, at := gitCommand(argv, expands)
	if at != "" {
		moved := *cmd
		moved.Dir = resolvePath(cmd.Dir, at)
		cmd = &moved
	}
	switch sub {
	case "mv":
		l.transfer(cmd, "mv", l.expand(operands(argv, expands, "")))
	case "rm":
		if !flagged(argv, "--cached") {
			l.remove(cmd, l.expand(operands(argv, expands, "")))
		}
	case "restore":
		if !flagged(argv, "--staged", "-S") || flagged(argv, "--worktree", "-W") {
			l.gitPaths(cmd, operands(argv, expands, "s"), opRewrite)
		}
	case "checkout":
		l.gitPaths(cmd, afterDashes(argv, expands), opRewrite)
	case "apply", "am":
		l.patch(cmd, argv)
	case "show", "cat-file":
		if !hidden {
			l.revisionPaths(cmd, argv, expands)
		}
	case "blame", "annotate":
		if !hidden {
			l.gitPaths(cmd, operands(argv, expands, "LSC"), opRead)
		}
	case "diff", "log":
		if !hidden && (sub == "diff" || flagged(argv, "-p", "--patch", "-L")) && !summaryOnly(argv) {
			l.gitPaths(cmd, afterDashes(argv, expands), opRead)
		}
	case "grep":
		if !hidden && !listsOnly(argv) {
			l.gitPaths(cmd, afterDashes(argv, expands), opRead)
		}
	}
}

// summaryOnly tells whether a diff was asked for names and counts only.
func summaryOnly(argv []string) bool {
	return flagged(argv, "--stat", "--shortstat", "--numstat", "--name-only", "--name-status", "--quiet", "--check", "--summary")
}

func (l *shellLine) gitPaths(cmd *simpleCommand, args []operand, op touchOp) {
	for _, p := range l.expand(args) {
		if looksLikeFile(p) || l.known(cmd, p) {
			l.addTouch(cmd, touch{path: p, op: op, via: "git"})
		}
	}
}

// revisionPaths reads "rev:path" operands; the path counts from the top of the
// repository, which is the session's root in all likelihood.
func (l *shellLine) revisionPaths(cmd *simpleCommand, argv []string, expands []bool) {
	for i, a := range argv[1:] {
		rev, path, ok := strings.Cut(a, ":")
		if !ok || expands[i+1] || rev == "/" || !looksLikeFile(path) {
			continue
		}
		t := touch{path: path, op: opRead, via: "git", dir: l.gitTop(cmd)}
		if strings.HasPrefix(path, "./") {
			l.addTouch(cmd, t)
			continue
		}
		l.s.add(l.c, t)
	}
}

// gitTop is the directory that git's own paths count from.
func (l *shellLine) gitTop(cmd *simpleCommand) string {
	dir, _ := l.dir(cmd)
	return repositoryTop(l.c, dir)
}

func repositoryTop(c *Call, dir string) string {
	if pathWithin(c.Root, dir) {
		return c.Root
	}
	return dir
}

// gitCommand takes git's own flags off: the subcommand, its words with the
// subcommand first, and the directory of -C.
func gitCommand(argv []string, expands []bool) (sub string, rest []string, restExpands []bool, dir string) {
	i := 1
	for i < len(argv) && strings.HasPrefix(argv[i], "-") {
		if argv[i] == "-C" && i+1 < len(argv) {
			dir = argv[i+1]
			i++
		} else if argv[i] == "-c" {
			i++
		}
		i++
	}
	if i >= len(argv) {
		return "", []string{""}, []bool{false}, dir
	}
	return argv[i], argv[i:], expands[i:], dir
}

// afterDashes are the operands after "--"; without one, those that look like
// files are told apart by the caller.
func afterDashes(argv []string, expands []bool) []operand {
	for i, a := range argv {
		if a == "--" {
			return operands(append([]string{""}, argv[i+1:]...), append([]bool{false}, expands[i+1:]...), "")
		}
	}
	if argv[0] == "checkout" || argv[0] == "log" || argv[0] == "grep" {
		return nil
	}
	return operands(argv, expands, "")
}

// gitLine says which git commands a line ran, as far as their output is read.
type gitLine struct {
	status, commit, diff, update, grep bool
	dir                                string
	// switched is set where files may have changed without a list of them.
	switched bool
}

func gitCommands(c *Call) (g gitLine) {
	g.dir = c.Dir
	for i := range c.Shell {
		cmd := &c.Shell[i]
		switch cmd.Name() {
		case "grep", "rg", "egrep", "ag", "ack":
			g.grep = g.grep || !listsOnly(cmd.Argv)
			continue
		case "gh":
			g.diff = g.diff || len(cmd.Argv) > 2 && cmd.Argv[1] == "pr" && cmd.Argv[2] == "diff"
			continue
		case "git":
		default:
			continue
		}
		sub, argv, _, at := gitCommand(cmd.Argv, cmd.Expands)
		if !cmd.Lost {
			g.dir = resolvePath(resolvePath(c.Dir, cmd.Dir), at)
		}
		switch sub {
		case "status":
			g.status = true
		case "commit":
			g.commit = true
		case "diff", "show", "log":
			g.diff = g.diff || !flagged(argv, "--no-index")
		case "grep":
			g.grep = g.grep || !listsOnly(argv)
		case "stash":
			if len(argv) > 1 && argv[1] == "show" {
				g.diff = true
			} else if len(argv) < 2 || argv[1] != "list" {
				g.update, g.switched = true, true
			}
		case "pull", "merge", "rebase", "cherry-pick", "revert":
			g.update = true
			g.switched = g.switched || sub == "rebase"
		case "reset":
			g.switched = g.switched || flagged(argv, "--hard")
		case "switch", "checkout":
			ops := operands(argv, make([]bool, len(argv)), "")
			creates := flagged(argv, "-b", "-B", "-c", "-C")
			toBranch := !creates && len(ops) == 1 && !looksLikeFile(ops[0].text)
			fromCommit := creates && len(ops) > 1
			g.switched = g.switched || !flagged(argv, "--") && (toBranch || fromCommit)
		}
	}
	return g
}

// gitOutput reads the paths that git and grep printed.
func (s *fileSlot) gitOutput(c *Call) {
	g := gitCommands(c)
	if g.grep {
		s.matchedLines(c, g.dir, "shell")
	}
	if !g.status && !g.commit && !g.diff && !g.update && !g.switched {
		return
	}
	top := repositoryTop(c, g.dir)
	out := c.Result.Text
	listed := false
	if g.update || g.commit || g.diff {
		for rest := out; rest != ""; {
			end := lineEnd(rest, 0)
			listed = s.gitPrinted(c, &g, top, rest[:end]) || listed
			rest = rest[min(end+1, len(rest)):]
		}
	}
	if g.switched && !listed && c.OK() && !strings.Contains(out, "up to date") && !strings.Contains(out, "Already on") {
		s.staleAll(top)
	}
	if g.status {
		s.gitStatus(c, top, out)
	}
}

// gitPrinted reads one line of what git printed; it tells whether the line
// names a file that git itself changed.
func (s *fileSlot) gitPrinted(c *Call, g *gitLine, top, l string) bool {
	add := func(path string, op touchOp, from string) {
		path = strings.Trim(path, `"`)
		if g.update && !g.commit {
			op = opChange
		}
		if looksLikeFile(path) || s.byPath[resolvePath(top, path)] != nil {
			s.add(c, touch{path: path, dir: top, op: op, via: "git", from: from, printed: true})
		}
	}
	switch {
	case len(l) < 4 || len(l) > 600:
	case g.diff && strings.HasPrefix(l, "diff --git a/"):
		rest := l[len("diff --git a/"):]
		if i := strings.LastIndex(rest, " b/"); i > 0 {
			s.add(c, touch{path: rest[i+3:], dir: top, op: opRead, via: "git", printed: true})
		}
	case l[0] != ' ' || !g.update && !g.commit:
	case strings.HasPrefix(l, " create mode ") && len(l) > 20:
		add(l[20:], opCreate, "")
		return true
	case strings.HasPrefix(l, " delete mode ") && len(l) > 20:
		add(l[20:], opDelete, "")
		return true
	case strings.HasPrefix(l, " rename "):
		if from, to, ok := renamed(l[8:]); ok {
			add(to, opRename, from)
		}
		return true
	case g.update && strings.Contains(l, " | "):
		path, _, _ := strings.Cut(l, " | ")
		s.add(c, touch{path: strings.TrimSpace(path), dir: top, op: opChange})
		return true
	}
	return false
}

// renamed reads "a => b (90%)" and "dir/{a => b}/c (100%)".
func renamed(l string) (from, to string, ok bool) {
	if i := strings.LastIndex(l, " ("); i > 0 {
		l = l[:i]
	}
	open, end := strings.IndexByte(l, '{'), strings.IndexByte(l, '}')
	if open >= 0 && end > open {
		a, b, found := strings.Cut(l[open+1:end], " => ")
		join := func(mid string) string {
			return strings.ReplaceAll(l[:open]+mid+l[end+1:], "//", "/")
		}
		return join(a), join(b), found
	}
	from, to, ok = strings.Cut(l, " => ")
	return from, to, ok
}

// matchedLines reads the files of "path:12:text" lines.
func (s *fileSlot) matchedLines(c *Call, dir, via string) {
	last := ""
	for rest := c.Result.Text; rest != ""; {
		end := lineEnd(rest, 0)
		l := rest[:end]
		rest = rest[min(end+1, len(rest)):]
		path := matchedPath(l)
		if path == "" || path == last {
			continue
		}
		last = path
		if looksLikeFile(path) && !strings.Contains(path, " ") {
			s.add(c, touch{path: path, dir: dir, op: opRead, via: via, printed: true})
		}
	}
}

// matchedPath is the path of a line that a search printed, "" for any other line.
func matchedPath(l string) string {
	from := 0
	if isWindowsPath(l) {
		from = 2
	}
	i := strings.IndexByte(l[from:min(len(l), 400)], ':') + from
	if i <= from {
		return ""
	}
	j := i + 1
	for j < len(l) && isDigit(l[j]) {
		j++
	}
	if j == i+1 || j >= len(l) || l[j] != ':' {
		return ""
	}
	return l[:i]
}
