package restore

import "github.com/pith-memory/pith"

// checkoutAt finds the innermost checkout that holds the place of the work, as
// a look saw them: the worktree that the state names, or the directory that
// the work last took place in. ok is false where no repository is there.
func checkoutAt(d *pith.Disk, s *pith.State) (out pith.Checkout, ok bool) {
	if d == nil || d.Repository == "" {
		return out, false
	}
	out = pith.Checkout{Path: d.Repository, Branch: d.Branch, Head: d.Head, Why: d.Why}
	w := &s.Checkpoint.Workspace
	stamps := byPath(d)
	for _, dir := range []string{w.Worktree, w.CWD} {
		stamp := stamps[dir]
		if stamp == nil || stamp.Kind == stampUnknown {
			continue
		}
		at, found := leadsTo(d, stamp), inside(d.Repository, leadsTo(d, stamp))
		for _, t := range d.Worktrees {
			if inside(t.Path, at) && (!found || len(t.Path) > len(out.Path)) {
				out, found = t, true
			}
		}
		if found {
			return out, true
		}
	}
	return out, true
}

// isWorktree tells whether a folder is another checkout of the repository.
func isWorktree(d *pith.Disk, folder string) bool {
	for _, t := range d.Worktrees {
		if t.Path == folder {
			return true
		}
	}
	return false
}
