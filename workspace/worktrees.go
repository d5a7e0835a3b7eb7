package workspace

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-memory/pith"
)

// maxWorktrees bounds how many worktrees of a repository are looked at.
const maxWorktrees = 100

// tree is another checkout of the root's repository: work moves between them
// and stays the same work.
type tree struct {
	path     string // its links resolved
	git      repository
	confined *os.Root // nil until something in it is read
	met      bool     // a path that was looked at lies in it
}

// findTrees lists the other checkouts of the repository that is checked out in
// a folder. The repository and the checkout have to name each other: content of
// a folder that only one side speaks of is not read.
func findTrees(checkout string) []*tree {
	own, ok := openRepository(filepath.Join(checkout, ".git"), checkout)
	if !ok {
		return nil
	}
	common, err := resolve(own.common)
	if err != nil {
		return nil
	}
	names, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err != nil {
		return nil
	}
	var all []*tree
	known := own.common == own.own // the first checkout needs no register
	for _, n := range names[:min(len(names), maxWorktrees)] {
		git := filepath.Join(common, "worktrees", n.Name())
		t := openTree(git, common)
		switch {
		case t == nil:
		case t.path == checkout:
			known = true
		default:
			all = append(all, t)
		}
	}
	if !known {
		return nil
	}
	if main := filepath.Dir(common); main != checkout && filepath.Base(common) == ".git" {
		all = append(all, &tree{path: main, git: repository{own: common, common: common}})
	}
	return all
}

// openTree reads an entry of the register of worktrees, nil where the checkout
// is not there or does not name the entry.
func openTree(git, common string) *tree {
	dotGit := from(git, readSmall(filepath.Join(git, "gitdir")))
	if dotGit == "" || filepath.Base(dotGit) != ".git" {
		return nil
	}
	path, err := resolve(filepath.Dir(dotGit))
	if err != nil {
		return nil
	}
	to, ok := strings.CutPrefix(readSmall(filepath.Join(path, ".git")), "gitdir:")
	if !ok {
		return nil
	}
	if back, err := resolve(from(path, strings.TrimSpace(to))); err != nil || back != git {
		return nil
	}
	return &tree{path: path, git: repository{own: git, common: common}}
}

// treeOf is the innermost other checkout that holds a path, nil where none
// does or where the root's own lies deeper.
func (e *eye) treeOf(path string) *tree {
	var best *tree
	for _, t := range e.trees {
		if within(t.path, path) && (best == nil || len(t.path) > len(best.path)) {
			best = t
		}
	}
	if best != nil && len(e.checkout) > len(best.path) && within(e.checkout, path) {
		return nil
	}
	return best
}

// checkouts says what is checked out in the worktrees that paths were in.
func (e *eye) checkouts() []pith.Checkout {
	var out []pith.Checkout
	for _, t := range e.trees {
		if t.met {
			c := pith.Checkout{Path: t.path}
			c.Branch, c.Head, c.Why = t.git.head()
			out = append(out, c)
		}
	}
	return out
}
