package restore

import "strings"

const (
	// worthABase is how many bytes another directory than the root has to save
	// before paths are written relative to it.
	worthABase = 400
	// maxLevelsUp is how far above the root it may lie: "repo/.claude/worktrees/name".
	maxLevelsUp = 3
)

// chooseBase finds the directory that the listed paths are written relative to:
// the root, or the main checkout above it where the root is a worktree in it and
// nearly all of them lie beside the worktree.
func (r *renderer) chooseBase() {
	root := strings.TrimRight(r.state.Checkpoint.Workspace.Root, `/\`)
	r.base = root
	own, ownCount := r.savedBy(root)
	best := own + worthABase
	dir := root
	for range maxLevelsUp {
		dir = parent(dir)
		if !strings.Contains(root[len(dir):], "worktree") {
			continue
		}
		if saved, count := r.savedBy(dir); saved > best && count > 4*ownCount {
			best, r.base = saved, dir
		}
	}
}

func parent(dir string) string { return dir[:max(0, strings.LastIndexAny(dir, `/\`))] }

// savedBy is how many bytes shorter the paths are relative to dir, and how many
// of them lie below it.
func (r *renderer) savedBy(dir string) (saved, count int) {
	add := func(path string) {
		if below(path, dir) {
			saved += len(dir) + 1
			count++
		}
	}
	for i := range r.state.Files.Inspected {
		add(r.state.Files.Inspected[i].Path)
	}
	for i := range r.state.Identifiers.Paths {
		add(r.state.Identifiers.Paths[i].Name)
	}
	for i := range r.state.Context.KeyLines {
		add(r.state.Context.KeyLines[i].Path)
	}
	return saved, count
}

func below(path, dir string) bool {
	return len(dir) > 1 && len(path) > len(dir)+1 && strings.HasPrefix(path, dir) && (path[len(dir)] == '/' || path[len(dir)] == '\\')
}

// baseName says in a title what the paths are relative to.
func (r *renderer) baseName() string {
	if r.base == strings.TrimRight(r.state.Checkpoint.Workspace.Root, `/\`) {
		return "root"
	}
	return quote(r.base)
}

// relative writes a path below the base without it, and one with a space in
// quotation marks.
func (r *renderer) relative(path string) string {
	if below(path, r.base) {
		path = path[len(r.base)+1:]
	}
	path = quote(path)
	if strings.ContainsAny(path, " \t\n") {
		return `"` + path + `"`
	}
	return path
}
