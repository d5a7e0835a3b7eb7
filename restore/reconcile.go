package restore

import (
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// Reconcile compares a state with the disk, and returns a copy that says of
// every file what became of it, and the findings. A next action that depends on
// anything that changed is replaced by the look that has to come first.
//
// then is what the disk was like when the state was saved; where it is nil,
// what exists is compared with what was done, and the times of files with that
// of the last message. Where now is nil nobody looked: nothing is marked.
//
// The copy keeps the id of the state that it was made from. It is to be
// rendered, and its findings with it (Options.Changes); what is stored stays
// as it is. Nothing that a text of the state says can keep a check from being made.
func Reconcile(s *pith.State, then, now *pith.Disk) (*pith.State, []Finding) {
	out := *s
	out.Files.Modified = slices.Clone(s.Files.Modified)
	out.Files.Inspected = slices.Clone(s.Files.Inspected)
	out.Next.Preconditions = slices.Clone(s.Next.Preconditions)
	if now == nil {
		return &out, nil
	}
	c := compare(s, then, now)
	findings := c.place(s)
	gone := slices.IndexFunc(findings, func(f Finding) bool { return f.Is == "" && (f.Change == ChangeRoot || f.Change == ChangeWorktree) })
	said := map[string]bool{}
	for _, list := range [][]pith.File{out.Files.Modified, out.Files.Inspected} {
		for i := range list {
			f := &list[i]
			finding, disk := c.file(f.Path, f.Op)
			f.Disk = disk
			if disk == diskChanged || disk == diskAbsent {
				f.Stale = true
			}
			if stamp := c.is[f.Path]; stamp != nil && stamp.Kind != stampUnknown && c.outside(stamp) {
				f.Outside = true
			}
			implied := gone >= 0 && finding.Change == ChangeAbsent && inside(findings[gone].Path, f.Path)
			if finding.Change != "" && !implied && !said[f.Path] {
				said[f.Path] = true
				findings = append(findings, finding)
			}
		}
	}
	if p := s.Context.Plan; p != nil && !said[p.Path] {
		if finding, _ := c.file(p.Path, pith.FileInspected); finding.Change != "" {
			said[p.Path] = true
			findings = append(findings, finding)
		}
	}
	return &out, c.hold(s, &out.Next, findings)
}

// place compares the folder, the checkout, the branch and the commit.
func (c *comparison) place(s *pith.State) []Finding {
	var out []Finding
	if f := c.root(s); f.Change != "" {
		out = append(out, f)
	}
	if f := c.worktree(s); f.Change != "" {
		out = append(out, f)
	}
	is, ok := checkoutAt(c.now, s)
	if !ok || is.Why != "" {
		return out // nothing is known of a branch
	}
	w := &s.Checkpoint.Workspace
	branch, head := w.Branch, w.Head
	known := branch != ""
	if was, ok := checkoutAt(c.then, s); ok && was.Why == "" && (was.Path == is.Path || is.Path == c.now.Repository) {
		known = true
		if was.Branch != is.Branch || !c.at(is.Path, s) || branch == "" {
			branch = was.Branch
		}
		head = was.Head
	}
	if branch == "HEAD" {
		branch = "" // how git calls a detached one
	}
	if known && branch != is.Branch {
		out = append(out, Finding{Change: ChangeBranch, Was: branch, Is: is.Branch})
	}
	if head != "" && is.Head != "" && !strings.HasPrefix(is.Head, head) {
		out = append(out, Finding{Change: ChangeHead, Was: shortHead(head), Is: shortHead(is.Head)})
	}
	return out
}

func shortHead(sha string) string { return sha[:min(len(sha), 9)] }

// at tells whether a folder is the one that the state's branch belongs to.
func (c *comparison) at(folder string, s *pith.State) bool {
	own := orElse(s.Checkpoint.Workspace.Worktree, s.Checkpoint.Workspace.Root)
	stamp := c.is[own]
	return stamp != nil && leadsTo(c.now, stamp) == folder
}

// root tells whether the folder of the work is gone, or another one was looked at.
func (c *comparison) root(s *pith.State) Finding {
	if stamp := c.is[c.now.Root]; stamp != nil && stamp.Kind != stampFolder {
		return Finding{Change: ChangeRoot, Path: c.now.Root, Was: c.now.Root}
	}
	own := s.Checkpoint.Workspace.Root
	stamp := c.is[own]
	switch {
	case stamp != nil && stamp.Kind == stampAbsent:
		return Finding{Change: ChangeRoot, Path: own, Was: own}
	case c.then != nil && c.then.Root != c.now.Root:
		return Finding{Change: ChangeRoot, Path: c.then.Root, Was: c.then.Root, Is: c.now.Root}
	case c.then == nil && stamp != nil && stamp.Kind == stampFolder:
		if at := leadsTo(c.now, stamp); !inside(at, c.now.Root) && !inside(c.now.Root, at) && !c.at(c.now.Root, s) {
			return Finding{Change: ChangeRoot, Path: own, Was: own, Is: c.now.Root}
		}
	}
	return Finding{}
}

// worktree tells whether the checkout is gone, or another one.
func (c *comparison) worktree(s *pith.State) Finding {
	own := s.Checkpoint.Workspace.Worktree
	if was, ok := checkoutAt(c.then, s); ok && own == "" && was.Path != c.then.Repository {
		own = s.Checkpoint.Workspace.CWD // the work moved there
	}
	stamp := c.is[own]
	switch {
	case stamp != nil && stamp.Kind == stampAbsent:
		return Finding{Change: ChangeWorktree, Path: own, Was: own}
	case c.then != nil && c.then.Repository != "" && c.then.Repository != c.now.Repository:
		return Finding{Change: ChangeWorktree, Path: c.then.Repository, Was: c.then.Repository, Is: c.now.Repository}
	case c.then == nil && stamp != nil && c.now.Repository != "":
		if at := leadsTo(c.now, stamp); at != c.now.Repository && !isWorktree(c.now, at) {
			return Finding{Change: ChangeWorktree, Path: own, Was: own, Is: c.now.Repository}
		}
	}
	return Finding{}
}
