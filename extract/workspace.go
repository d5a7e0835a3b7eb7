package extract

import (
	"slices"
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

const maxWorktrees = 100

func (w *workspaceSlot) addWorktree(p string) {
	if len(w.worktrees) < maxWorktrees && !slices.Contains(w.worktrees, p) {
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
	if w.recorded || len(c.Shell) == 0 || c.Use.Arg(dirKeys...) != "" {
		return
	}
	if toolName(c.Use.ToolName) == "run_shell_command" { // each of Gemini CLI's has a shell of its own
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

// facts states the place.
func (w *workspaceSlot) facts(f *Facts) {
	f.Model = w.model
	f.Workspace = pith.Workspace{Root: w.root, CWD: w.cwd, Branch: w.branch, Head: w.head}
	if w.worktree != w.root {
		f.Workspace.Worktree = w.worktree
	}
}
