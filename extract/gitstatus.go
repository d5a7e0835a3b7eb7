package extract

import "strings"

// gitStatus reads git status, long and short.
func (s *fileSlot) gitStatus(c *Call, top, out string) {
	s.atWork = s.wroteBelow(top)
	untracked := false
	for rest := out; rest != ""; {
		end := lineEnd(rest, 0)
		l := rest[:end]
		rest = rest[min(end+1, len(rest)):]
		switch {
		case len(l) < 4 || len(l) > 600:
		case strings.HasPrefix(l, "Untracked files:"):
			untracked = true
		case strings.HasPrefix(l, "Changes "), strings.HasPrefix(l, "Unmerged "):
			untracked = false
		case l[0] == '\t':
			s.longStatus(c, top, l[1:], untracked)
		case l[2] == ' ' && isStatusLetter(l[0]) && isStatusLetter(l[1]) && l[:2] != "  ":
			s.shortStatus(c, top, l)
		}
	}
}

func isStatusLetter(b byte) bool { return strings.IndexByte(" MADRCUT?", b) >= 0 }

func (s *fileSlot) longStatus(c *Call, top, l string, untracked bool) {
	label, path, ok := strings.Cut(l, ":")
	path = strings.TrimSpace(path)
	switch {
	case ok && label == "modified":
		s.statusFile(c, top, path, opEdit, "")
	case ok && label == "new file":
		s.statusFile(c, top, path, opCreate, "")
	case ok && label == "deleted":
		s.statusFile(c, top, path, opDelete, "")
	case ok && label == "renamed":
		if from, to, ok := strings.Cut(path, " -> "); ok {
			s.statusFile(c, top, to, opRename, from)
		}
	case !ok && untracked:
		s.statusFile(c, top, l, opCreate, "")
	}
}

func (s *fileSlot) shortStatus(c *Call, top, l string) {
	code, path := l[:2], strings.TrimSpace(l[3:])
	switch {
	case strings.Contains(code, "R"):
		if from, to, ok := strings.Cut(path, " -> "); ok {
			s.statusFile(c, top, to, opRename, from)
		}
	case code == "??" || strings.Contains(code, "A"):
		s.statusFile(c, top, path, opCreate, "")
	case strings.Contains(code, "D"):
		s.statusFile(c, top, path, opDelete, "")
	default:
		s.statusFile(c, top, path, opEdit, "")
	}
}

// statusFile records a file that the working tree holds changed. Who changed it
// git does not say: it is labelled so, what the agent is known to have done to a
// file stands, and what was changed before the agent wrote anything in that
// repository is not its work.
func (s *fileSlot) statusFile(c *Call, top, path string, op touchOp, from string) {
	path = strings.Trim(path, `"`)
	if !looksLikeFile(path) {
		return
	}
	resolved := resolvePath(top, path)
	if u := s.byPath[resolved]; u != nil && u.modified || s.before[resolved] {
		return
	}
	if !s.atWork {
		if s.before == nil {
			s.before = map[string]bool{}
		}
		s.before[resolved] = true
		return
	}
	s.add(c, touch{path: path, dir: top, op: op, via: "git", from: from, printed: true})
}

// wroteBelow tells whether a call has written a file of a repository so far.
func (s *fileSlot) wroteBelow(top string) bool {
	if s.writes == 0 || top == "" {
		return s.writes > 0
	}
	for _, u := range s.order {
		if u.modified && pathWithin(top, u.file.Path) {
			return true
		}
	}
	return false
}
