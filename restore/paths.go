package restore

import (
	"path"
	"strings"

	"github.com/pith-memory/pith"
)

const (
	// maxWords is how many words of a command are taken for paths.
	maxWords = 32
	// notInPaths are characters that make a word of a command more than a path.
	notInPaths = "*?[]{}$`;|&<>()=\"'\\\x00"
)

// Paths lists what has to be looked at before a state is gone on from, what the
// next action depends on first: its target, its preconditions and what its
// command names, then the folders of the work, the plan and every file.
func Paths(s *pith.State) []string {
	seen := map[string]bool{"": true}
	var out []string
	add := func(p string) {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	for _, p := range actionPaths(s) {
		add(p)
	}
	w := &s.Checkpoint.Workspace
	add(w.Worktree)
	add(w.Root)
	add(w.CWD)
	if s.Context.Plan != nil {
		add(s.Context.Plan.Path)
	}
	for _, list := range [][]pith.File{s.Files.Modified, s.Files.Inspected} {
		for i := range list {
			add(list[i].Path)
			add(list[i].RenamedFrom)
		}
	}
	return out
}

// actionPaths are the paths that the next action depends on.
func actionPaths(s *pith.State) []string {
	n := &s.Next
	var out []string
	if n.TargetPath != "" {
		out = append(out, n.TargetPath)
	}
	for i := range n.Preconditions {
		out = append(out, n.Preconditions[i].Path)
	}
	return append(out, commandPaths(s)...)
}

// commandPaths are the words of the next command that may be paths, from the
// directory that it would run in. Most are not, and nothing is there.
func commandPaths(s *pith.State) []string {
	words := strings.Fields(s.Next.Command)
	var out []string
	for i, w := range words {
		w = strings.Trim(w, `"'`)
		if i == 0 && !strings.ContainsAny(w, `/\`) || w == "" || w[0] == '-' || strings.Contains(w, "://") || strings.ContainsAny(w, notInPaths) {
			continue
		}
		if len(out) == maxWords {
			break
		}
		out = append(out, fromDir(workingDir(s), w))
	}
	return out
}

// workingDir is where the work last took place, "" unknown.
func workingDir(s *pith.State) string {
	w := &s.Checkpoint.Workspace
	return orElse(w.CWD, orElse(w.Worktree, w.Root))
}

// fromDir is a path from a directory in its own separators.
func fromDir(dir, p string) string {
	if dir == "" || isAbsolute(p) {
		return p
	}
	sep := "/"
	if strings.Contains(dir, `\`) && !strings.Contains(dir, "/") {
		sep = `\`
	}
	return strings.TrimRight(dir, `/\`) + sep + strings.TrimPrefix(p, "./")
}

// isAbsolute knows the absolute paths of every system.
func isAbsolute(p string) bool {
	return strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\`) || len(p) > 2 && p[1] == ':' && (p[2] == '/' || p[2] == '\\')
}

// inside tells whether a path is a folder or lies below it, by their names
// alone. A backslash parts names only where the folder is one of Windows, and
// there letters of either case are the same.
func inside(dir, p string) bool {
	if dir == "" {
		return false
	}
	if isAbsolute(dir) && dir[0] != '/' {
		dir, p = strings.ToLower(strings.ReplaceAll(dir, `\`, "/")), strings.ToLower(strings.ReplaceAll(p, `\`, "/"))
	}
	dir, p = path.Clean(dir), path.Clean(p)
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}
