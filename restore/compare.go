package restore

import (
	"slices"
	"time"

	"github.com/pith-memory/pith"
)

// What File.Disk says.
const (
	diskMatch   = "match"
	diskChanged = "changed"
	diskAbsent  = "absent"
)

// What Stamp.Kind says.
const (
	stampFile    = "file"
	stampFolder  = "folder"
	stampAbsent  = "absent"
	stampUnknown = "unknown"
)

// comparison holds two looks at a workspace, by path.
type comparison struct {
	now, then *pith.Disk // then is nil where nobody looked
	is, was   map[string]*pith.Stamp
	// since is the time of the last message that the state knows; zero unknown.
	since time.Time
	// arrived finds by its hash a path where content is seen that was not there.
	arrived map[string]string
	// roots are the names of the workspace: its folder, and what the state
	// calls it where a link leads there.
	roots []string
	// active is the checkout that the work is in, "" where there is none.
	active string
}

func compare(s *pith.State, then, now *pith.Disk) *comparison {
	c := &comparison{now: now, then: then, is: byPath(now), was: map[string]*pith.Stamp{}, arrived: map[string]string{}}
	if s.Checkpoint.CreatedAt != nil {
		c.since = *s.Checkpoint.CreatedAt
	}
	if at, ok := checkoutAt(now, s); ok && at.Path != now.Repository {
		c.active = at.Path
	}
	c.roots = []string{now.Root}
	w := &s.Checkpoint.Workspace
	for _, own := range []string{w.Root, w.Worktree, w.CWD} {
		if stamp := c.is[own]; stamp != nil && !slices.Contains(c.roots, own) && inside(now.Root, leadsTo(now, stamp)) {
			c.roots = append(c.roots, own)
		}
	}
	if then == nil {
		return c
	}
	c.was = byPath(then)
	for i := range now.Files {
		f := &now.Files[i]
		before := c.was[f.Path]
		if f.SHA256 == "" || f.Size == 0 || before != nil && before.SHA256 == f.SHA256 {
			continue
		}
		if c.arrived[f.SHA256] == "" {
			c.arrived[f.SHA256] = f.Path
		}
	}
	return c
}

func byPath(d *pith.Disk) map[string]*pith.Stamp {
	m := make(map[string]*pith.Stamp, len(d.Files))
	for i := range d.Files {
		m[d.Files[i].Path] = &d.Files[i]
	}
	return m
}

// leadsTo is where a path leads to, its links resolved.
func leadsTo(d *pith.Disk, s *pith.Stamp) string {
	if s.Target != "" {
		return s.Target
	}
	return fromDir(d.Root, s.Path)
}

// outside tells whether a path leads out of the workspace and of the worktree
// that the work is in. Other worktrees are somebody else's.
func (c *comparison) outside(s *pith.Stamp) bool {
	at := leadsTo(c.now, s)
	return !inside(c.now.Root, at) && !inside(c.active, at)
}

// escapes tells whether a path whose name lies in the workspace leads out of it.
func (c *comparison) escapes(s *pith.Stamp) bool {
	return s.Target != "" && c.outside(s) && slices.ContainsFunc(c.roots, func(root string) bool {
		return inside(root, fromDir(c.now.Root, s.Path))
	})
}

// file compares one path. op is what the work last did to it, "" where it is
// only named. The result's Change is "" where nothing is known to have changed,
// and disk is "" where that could not be told.
func (c *comparison) file(p string, op pith.FileOp) (f Finding, disk string) {
	is, was := c.is[p], c.was[p]
	if was != nil && was.Kind == stampUnknown {
		was = nil
	}
	switch {
	case is == nil:
		return f, ""
	case is.Kind == stampUnknown:
		return Finding{Change: ChangeUnknown, Path: p, Is: orElse(is.Why, "unknown")}, ""
	case is.Kind == stampAbsent:
		return c.absent(p, op, is, was)
	}
	if f := c.link(p, is, was); f.Change != "" {
		return f, diskChanged
	}
	if op == pith.FileDeleted || was != nil && was.Kind == stampAbsent {
		return Finding{Change: ChangeAppeared, Path: p, Was: stampAbsent, Is: is.Kind}, diskChanged
	}
	expected := ""
	switch {
	case was != nil:
		expected = was.Kind
	case op != "" && op != pith.FileInspected:
		expected = stampFile
	}
	if expected != "" && is.Kind != expected {
		return Finding{Change: ChangeKind, Path: p, Was: expected, Is: is.Kind}, diskChanged
	}
	if is.Kind != stampFile {
		return f, diskMatch
	}
	return c.content(p, is, was)
}

// absent judges a path where nothing is.
func (c *comparison) absent(p string, op pith.FileOp, is, was *pith.Stamp) (Finding, string) {
	if f := c.link(p, is, was); f.Change != "" && is.Target != "" && op != pith.FileDeleted {
		return f, diskAbsent
	}
	if op == pith.FileDeleted {
		return Finding{}, diskMatch
	}
	if op == "" && (was == nil || was.Kind == stampAbsent) {
		return Finding{}, "" // it was perhaps never there
	}
	if was != nil && was.SHA256 != "" && c.arrived[was.SHA256] != "" {
		return Finding{Change: ChangeMoved, Path: p, Was: was.Kind, Is: c.arrived[was.SHA256]}, diskAbsent
	}
	return Finding{Change: ChangeAbsent, Path: p, Was: orElse(kindThen(was), stampFile), Is: stampAbsent}, diskAbsent
}

func kindThen(was *pith.Stamp) string {
	if was == nil || was.Kind == stampAbsent {
		return ""
	}
	return was.Kind
}

// link judges where a path leads. Whether that changed is told only where both
// looks had the same root; that it leads out of the workspace always is.
func (c *comparison) link(p string, is, was *pith.Stamp) Finding {
	same := was != nil && c.then.Root == c.now.Root
	if same && was.Target == is.Target {
		return Finding{}
	}
	switch {
	case c.escapes(is):
		return Finding{Change: ChangeOutside, Path: p, Was: targetThen(was), Is: is.Target}
	case same && was.Kind != stampAbsent:
		return Finding{Change: ChangeLink, Path: p, Was: was.Target, Is: is.Target}
	}
	return Finding{}
}

func targetThen(was *pith.Stamp) string {
	if was == nil {
		return ""
	}
	return was.Target
}

// content compares what two files hold: by hash, else by size and time, else
// by the time of the state's last message.
func (c *comparison) content(p string, is, was *pith.Stamp) (f Finding, disk string) {
	changed := Finding{Change: ChangeContent, Path: p}
	switch {
	case was == nil && (c.since.IsZero() || is.ModTime.IsZero()):
		return f, ""
	case was == nil:
		if is.ModTime.After(c.since) {
			return changed, diskChanged
		}
	case was.SHA256 != "" && is.SHA256 != "":
		if was.SHA256 != is.SHA256 {
			return changed, diskChanged
		}
	case was.ModTime.IsZero() || is.ModTime.IsZero():
		return f, "" // outside the workspace: no more is known than that it is there
	case was.Size != is.Size || !was.ModTime.Equal(is.ModTime):
		return changed, diskChanged
	case was.SHA256 != "":
		return Finding{Change: ChangeUnknown, Path: p, Is: orElse(is.Why, "its content could not be read")}, ""
	}
	return f, diskMatch
}
