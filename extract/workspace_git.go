package extract

import "strings"

// git reads branches, worktrees and commits off a git command and its output.
func (w *workspaceSlot) git(c *Call, cmd *simpleCommand) {
	sub, argv, expands, at := gitCommand(cmd.Argv, cmd.Expands)
	dir := resolvePath(resolvePath(c.Dir, cmd.Dir), at)
	out := c.Result.Text
	switch sub {
	case "worktree":
		w.gitWorktree(dir, argv, expands, out)
		return
	case "checkout", "switch":
		for i, a := range argv {
			if (a == "-b" || a == "-B" || a == "-c" || a == "-C") && i+1 < len(argv) && !expands[i+1] {
				w.branch = argv[i+1]
			}
		}
		if b := quotedAfter(out, "Switched to branch '"); b != "" {
			w.branch = b
		}
	case "status":
		if b := branchAfter(out, "On branch "); b != "" {
			w.branch = b
		} else if b := branchAfter(out, "## "); b != "" && (flagged(argv, "-b", "-sb", "--branch")) {
			b, _, _ = strings.Cut(b, "...")
			w.branch = b
		}
	case "commit", "merge", "pull", "rebase", "cherry-pick", "revert", "am":
		// HEAD has moved; where the output does not say to where, it is unknown.
		b, sha := commitLine(out)
		w.head = sha
		if b != "" && b != "HEAD" {
			w.branch = b
		}
	case "rev-parse":
		if len(argv) > 1 && argv[len(argv)-1] == "HEAD" && !flagged(argv, "--abbrev-ref") && len(c.Shell) == 1 {
			if sha := strings.TrimSpace(out); isSHA(sha) {
				w.head = sha
			}
		}
	case "reset":
		if sha := branchAfter(out, "HEAD is now at "); isSHA(sha) {
			w.head = sha
		}
	case "log":
		if sha := headOfLog(out); sha != "" {
			w.head = sha
		} else if len(operands(argv, expands, "nSGL")) == 0 {
			w.logged(cmd, c, argv, out)
		}
	}
	if b := quotedAfter(out, "Switched to a new branch '"); b != "" {
		w.branch = b
	}
}

// gitWorktree reads "git worktree add [-b branch] path" and the list of worktrees.
func (w *workspaceSlot) gitWorktree(dir string, argv []string, expands []bool, out string) {
	if len(argv) == 2 && argv[1] == "list" {
		for _, l := range strings.Split(out[:min(len(out), 1<<14)], "\n") {
			if path, _, ok := strings.Cut(l, " "); ok && isAbsolute(path) && strings.Contains(l, "[") {
				w.addWorktree(path)
			}
		}
	}
	if len(argv) < 3 {
		return
	}
	ops := operands(argv[1:], expands[1:], "bB")
	if len(ops) == 0 || ops[0].expands {
		return
	}
	path := resolvePath(dir, ops[0].text)
	switch argv[1] {
	case "add":
		w.addWorktree(path)
	case "remove":
		if w.worktree == path {
			w.worktree = ""
		}
	}
}

// quotedAfter is the text between a cue and the next single quote.
func quotedAfter(text, cue string) string {
	i := strings.Index(text, cue)
	if i < 0 {
		return ""
	}
	name, _, ok := strings.Cut(text[i+len(cue):], "'")
	if !ok || len(name) > 200 {
		return ""
	}
	return name
}

// commitLine reads git commit's "[branch abc1234] subject" line.
func commitLine(out string) (branch, sha string) {
	for rest := out; rest != ""; {
		end := lineEnd(rest, 0)
		l := rest[:end]
		rest = rest[min(end+1, len(rest)):]
		if b, s, _, ok := parseCommitLine(l); ok {
			branch, sha = b, s
		}
	}
	return branch, sha
}

// parseCommitLine reads "[branch (root-commit) abc1234] subject".
func parseCommitLine(l string) (branch, sha, subject string, ok bool) {
	if len(l) < 10 || l[0] != '[' {
		return "", "", "", false
	}
	end := strings.IndexByte(l, ']')
	if end < 0 || end > 250 {
		return "", "", "", false
	}
	words := strings.Fields(l[1:end])
	if len(words) < 2 || !isHex(words[len(words)-1]) {
		return "", "", "", false
	}
	branch = words[0]
	if branch == "detached" {
		branch = "HEAD"
	}
	return branch, words[len(words)-1], strings.TrimSpace(l[end+1:]), true
}

// logged reads a log without a revision, which begins at HEAD: of a line that
// does nothing else, or of one that ends with a log of one commit.
func (w *workspaceSlot) logged(cmd *simpleCommand, c *Call, argv []string, out string) {
	out = strings.TrimRight(out, "\n")
	switch {
	case cmd.Start == 0:
		out = out[:lineEnd(out, 0)]
	case cmd.End >= len(strings.TrimRight(c.Command, " \n;")) && flagged(argv, "--oneline") && flagged(argv, "-1", "-n1"):
		out = out[strings.LastIndexByte(out, '\n')+1:]
	default:
		return
	}
	sha, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimLeft(out, "*|\\/ "), "commit "), " ")
	if isSHA(sha) {
		w.head = sha
	}
}

// headOfLog is the commit of a log line that carries "(HEAD".
func headOfLog(out string) string {
	i := strings.Index(out, " (HEAD")
	if i < 0 {
		return ""
	}
	line := out[strings.LastIndexByte(out[:i], '\n')+1 : i]
	line = strings.TrimPrefix(strings.TrimLeft(line, "*|\\/ "), "commit ")
	if isSHA(line) {
		return line
	}
	return ""
}

// isHex tells whether a word can be a commit id where nothing else stands.
func isHex(s string) bool {
	return len(s) >= 7 && len(s) <= 40 && strings.Trim(s, "0123456789abcdef") == ""
}

// isSHA tells whether a word is an abbreviated or whole commit id. A short one
// has a digit and a letter: other words and numbers have not.
func isSHA(s string) bool {
	if len(s) < 7 || len(s) > 40 {
		return false
	}
	digit, letter := false, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isDigit(c):
			digit = true
		case c >= 'a' && c <= 'f':
			letter = true
		default:
			return false
		}
	}
	return digit && letter || len(s) == 40
}
