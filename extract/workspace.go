package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// workspaceSlot keeps where the work takes place: what the client recorded
// comes first, then what a prompt, a command or its output says.
type workspaceSlot struct {
	root, cwd string
	// recorded is set where the client records directories; then nothing is guessed.
	recorded bool
	// recordedBranch is the client's last word on the branch.
	recordedBranch string
	branch         string
	worktree       string
	// worktrees are the directories that git worktree add made, or a person named.
	worktrees []string
	head      string
	model     string
}

// message reads what the client recorded.
func (w *workspaceSlot) message(m *pith.Message, side bool) {
	if side {
		return
	}
	if m.Model != "" && !strings.HasPrefix(m.Model, "<") {
		w.model = m.Model
	}
	if m.CWD != "" {
		if w.root == "" || !w.recorded {
			w.root = m.CWD
		}
		w.cwd, w.recorded = m.CWD, true
	}
	// Some clients record the branch once and repeat it: only a change is news.
	if m.Branch != "" && m.Branch != "HEAD" && m.Branch != w.recordedBranch {
		w.branch, w.recordedBranch = m.Branch, m.Branch
	}
}

// dir is the directory that a call of a message runs in. A shell stays where
// it went; the other tools count from the root.
func (w *workspaceSlot) dir(m *pith.Message, shell bool) string {
	switch {
	case m.CWD != "":
		return m.CWD
	case shell && w.cwd != "":
		return w.cwd
	}
	return w.root
}

// said reads a directory and a worktree out of a prompt.
func (w *workspaceSlot) said(s *Said) {
	if s.Side || s.Origin != pith.System && s.Origin != pith.UserExplicit && s.Origin != pith.Harness && s.Origin != pith.PolicyFile {
		return
	}
	text := s.Text[:min(len(s.Text), 1<<16)]
	if !w.recorded && w.root == "" {
		for _, cue := range [...]string{"orking directory", "<cwd>", "working in ", "urrent directory", "roject root", "epository root", "epository at "} {
			if p := pathAfter(text, cue); p != "" {
				w.root, w.cwd = p, p
				break
			}
		}
	}
	if s.Origin != pith.UserExplicit {
		return
	}
	if p := pathAfter(text, "worktree "); p != "" {
		w.addWorktree(p)
		if before, _, _ := strings.Cut(text, "worktree "); strings.HasSuffix(before, "in the ") || strings.HasSuffix(before, "in ") {
			w.worktree = p
		}
		if b := branchAfter(text, "(branch "); b != "" {
			w.branch = b
		}
	}
}

// pathAfter is the absolute path that follows a cue within a few words.
func pathAfter(text, cue string) string {
	for at := 0; ; {
		i := strings.Index(text[at:], cue)
		if i < 0 {
			return ""
		}
		at += i + len(cue)
		rest := text[at:min(at+300, len(text))]
		for n := 0; n < len(rest) && n < 16; n++ {
			if c := rest[n]; c == '\n' {
				break
			} else if c == '/' || isWindowsPath(rest[n:]) {
				if p := pathWord(rest[n:]); len(p) > 1 {
					return p
				}
				break
			}
		}
	}
}

// pathWord is the path that a text begins with, without the punctuation after it.
func pathWord(text string) string {
	end := strings.IndexAny(text, " \n\t\r\"'`<>),;*")
	if end < 0 {
		end = len(text)
	}
	return strings.TrimRight(text[:end], ".:/")
}

// branchAfter is the name of a branch that follows a cue.
func branchAfter(text, cue string) string {
	i := strings.Index(text, cue)
	if i < 0 {
		return ""
	}
	rest := text[i+len(cue):]
	end := 0
	for end < len(rest) && isBranchByte(rest[end]) {
		end++
	}
	return strings.TrimRight(rest[:end], ".")
}

func isBranchByte(c byte) bool {
	return isWordByte(c) || c == '/' || c == '-' || c == '.' || c == '+' || c == '#' || c >= 0x80
}

func (w *workspaceSlot) addWorktree(p string) {
	for _, have := range w.worktrees {
		if have == p {
			return
		}
	}
	if len(w.worktrees) < 100 {
		w.worktrees = append(w.worktrees, p)
	}
}

// call reads what a finished call tells of the place.
func (w *workspaceSlot) call(c *Call) {
	if c.Side || !c.OK() {
		return
	}
	if c.Command == "" {
		if p := c.Use.Arg(pathKeys...); isAbsolute(p) {
			w.enter(p)
		}
		return
	}
	if w.inside(c.Dir) != "" || pathWithin(w.root, c.Dir) {
		w.enter(c.Dir)
	}
	for i := range c.Shell {
		cmd := &c.Shell[i]
		if !cmd.Nested && cmd.Name() == "git" {
			w.git(c, cmd)
		}
	}
	w.follow(c)
}

// follow keeps the directory of a shell whose client records none.
func (w *workspaceSlot) follow(c *Call) {
	if w.recorded || len(c.Shell) == 0 || c.Use.Arg("workdir", "cwd", "working_directory") != "" {
		return
	}
	last := &c.Shell[len(c.Shell)-1]
	dir, lost := last.Dir, last.Lost
	if last.Name() == "cd" && len(last.Argv) == 2 && !last.Expands[1] {
		dir, lost = resolvePath(last.Dir, last.Argv[1]), false
	}
	if dir != "" && !lost {
		if dir = resolvePath(w.cwd, dir); isAbsolute(dir) {
			w.cwd = dir
		}
	}
	if last.Name() == "pwd" {
		out := strings.TrimSpace(c.Result.Text)
		if i := strings.LastIndexByte(out, '\n'); i >= 0 {
			out = out[i+1:]
		}
		if isAbsolute(out) && !strings.ContainsAny(out, "\t\"'") {
			w.cwd = out
		}
	}
	if w.root == "" {
		w.root = w.cwd
	}
}

// enter notes which worktree a path lies in.
func (w *workspaceSlot) enter(p string) {
	if t := w.inside(p); t != "" {
		w.worktree = t
	} else if w.worktree != "" && pathWithin(w.root, p) {
		w.worktree = ""
	}
}

// inside is the longest known worktree that holds a path.
func (w *workspaceSlot) inside(p string) string {
	best := ""
	for _, t := range w.worktrees {
		if len(t) > len(best) && pathWithin(t, p) {
			best = t
		}
	}
	return best
}

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

// facts states the place.
func (w *workspaceSlot) facts(f *Facts) {
	f.Model = w.model
	f.Workspace = pith.Workspace{Root: w.root, CWD: w.cwd, Branch: w.branch, Head: w.head}
	if w.worktree != w.root {
		f.Workspace.Worktree = w.worktree
	}
}
