package extract

import (
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// maxFiles bounds the table of a session that touches files without end; past
// it the slot is marked incomplete.
const maxFiles = 20000

// fileSlot keeps every path that the agent's tools and commands touched.
type fileSlot struct {
	byPath     map[string]*fileUse
	order      []*fileUse
	incomplete bool
	// writes counts the modifications that were read off calls; before holds
	// what git status showed as changed while there were none in its repository;
	// atWork is set for a status that comes after one.
	writes int
	before map[string]bool
	atWork bool
}

// fileUse is one path with its last touch.
type fileUse struct {
	file     pith.File
	modified bool
	// shown is set once its content was shown or written by the agent.
	shown bool
	// read is how its content was last shown, where it was.
	read *pith.File
	seq  int
}

// touch is what one call did to one path.
type touch struct {
	path string // as it was used
	dir  string // what it is relative to
	op   touchOp
	via  string
	from string // the old path of a rename
	// asUsed is how the call named the path where it named its directory only.
	asUsed string
	// printed is set where the path stands in the call's result, not in its input.
	printed bool
}

type touchOp uint8

const (
	opRead    touchOp = iota // its content was shown
	opCreate                 // written whole
	opEdit                   // changed, and the agent knows how
	opRewrite                // changed by a program: its content is no longer what was shown
	opDelete
	opRename
	opChange // changed by someone else, where the file is known already
)

func (s *fileSlot) init() { s.byPath = map[string]*fileUse{} }

// call reads the touches off a finished call. A call that was refused touches
// nothing.
func (s *fileSlot) call(c *Call) {
	if !c.Answered || c.Result.Rejected {
		return
	}
	if c.Command != "" {
		s.shellCall(c)
		return
	}
	s.toolCall(c)
}

// add records a touch.
func (s *fileSlot) add(c *Call, t touch) {
	if !isToolPath(t.path) {
		return
	}
	path := resolvePath(t.dir, t.path)
	u := s.byPath[path]
	if t.op == opChange {
		if u != nil && u.file.Op != pith.FileDeleted {
			u.file.Stale = true
		}
		return
	}
	if u == nil {
		if len(s.byPath) >= maxFiles {
			s.incomplete = true
			return
		}
		u = &fileUse{}
		u.file.Path = path
		s.byPath[path] = u
		s.order = append(s.order, u)
	}
	u.seq = c.Seq
	u.file.Touches++
	u.file.Agent = c.Agent
	u.file.AsUsed = ""
	if t.asUsed != "" {
		u.file.AsUsed = t.asUsed
	} else if t.path != path {
		u.file.AsUsed = t.path
	}
	u.file.Source = c.At
	if t.printed {
		u.file.Source = c.ResultAt
	}
	s.apply(c, u, t)
}

// apply changes the state of a file by one touch.
func (s *fileSlot) apply(c *Call, u *fileUse, t touch) {
	if t.op == opRead {
		if !u.modified {
			u.file.Op, u.file.Via = pith.FileInspected, t.via
		}
		u.shown, u.file.Stale = true, false
		u.read = &pith.File{
			Path: u.file.Path, AsUsed: u.file.AsUsed, Op: pith.FileInspected,
			Via: t.via, Agent: u.file.Agent, Source: u.file.Source, Touches: u.file.Touches,
		}
		return
	}
	was := u.file.Op
	if !t.printed || !u.modified { // what git prints later does not tell how it was written
		u.file.Via = t.via
	}
	if !t.printed {
		s.writes++
	}
	switch t.op {
	case opCreate:
		if was == "" || was == pith.FileDeleted || was == pith.FileCreated {
			u.file.Op = pith.FileCreated
		} else if was != pith.FileRenamed {
			u.file.Op = pith.FileEdited
		}
		u.shown, u.file.Stale = true, false
	case opEdit, opRewrite:
		if was != pith.FileCreated && was != pith.FileRenamed {
			u.file.Op = pith.FileEdited
		}
		if t.op == opRewrite {
			u.file.Stale = u.shown
		}
	case opDelete:
		u.file.Op, u.file.Stale, u.shown = pith.FileDeleted, false, false
		u.file.RenamedFrom = ""
	case opRename:
		u.file.Op = pith.FileRenamed
		s.inherit(c, u, t)
	}
	u.modified = true
}

// inherit lets a renamed file keep what is known of its content.
func (s *fileSlot) inherit(c *Call, u *fileUse, t touch) {
	from := resolvePath(t.dir, t.from)
	if from == u.file.Path {
		return
	}
	u.file.RenamedFrom = from
	if old := s.byPath[from]; old != nil {
		u.shown, u.file.Stale = old.shown, old.file.Stale
	}
	s.add(c, touch{path: t.from, dir: t.dir, op: opDelete, via: t.via, printed: t.printed})
}

// under calls do for every known file in a directory, in order of first touch.
func (s *fileSlot) under(dir string, do func(*fileUse)) {
	for _, u := range s.order {
		if u.file.Op != pith.FileDeleted && u.file.Path != dir && pathWithin(dir, u.file.Path) {
			do(u)
		}
	}
}

// staleAll marks what was shown of the files in a directory as no longer current.
func (s *fileSlot) staleAll(dir string) {
	for _, u := range s.order {
		if u.shown && (dir == "" || pathWithin(dir, u.file.Path)) {
			u.file.Stale = true
		}
	}
}

// facts lists the files, the last touched first. A file that was shown and
// written stands in both lists.
func (s *fileSlot) facts(f *Facts, x *Extractor) {
	f.Files.Complete = !s.incomplete
	f.Files.Modified, f.Files.Inspected = []pith.File{}, []pith.File{}
	order := append(slices.Clone(s.order), s.unanswered(x)...)
	slices.SortStableFunc(order, func(a, b *fileUse) int { return b.seq - a.seq })
	for _, u := range order {
		file := u.file
		file.Outside = isOutside(&f.Workspace, file.Path)
		switch {
		case u.modified:
			f.Files.Modified = append(f.Files.Modified, file)
			if u.read != nil {
				shown := *u.read
				shown.Stale, shown.Outside = file.Stale || file.Op == pith.FileDeleted, file.Outside
				f.Files.Inspected = append(f.Files.Inspected, shown)
			}
		case file.Op == pith.FileInspected:
			f.Files.Inspected = append(f.Files.Inspected, file)
		}
	}
}

// unanswered are the files that sub-agents read in calls without a result: their
// threads are often kept in parts only.
func (s *fileSlot) unanswered(x *Extractor) []*fileUse {
	reads := fileSlot{byPath: map[string]*fileUse{}}
	for _, c := range x.calls.pending {
		path := c.Use.Arg(pathKeys...)
		if c.Side && c.Command == "" && callVerb(c) == "read" && s.byPath[resolvePath(c.Dir, path)] == nil {
			reads.add(c, touch{path: path, dir: c.Dir, op: opRead, via: c.Use.ToolName})
		}
	}
	return reads.order
}

// said reads the client's note that someone else changed a file.
func (s *fileSlot) said(d *Said) {
	const changed = " was modified, either by the user or by a linter"
	if d.Origin != pith.Harness || !strings.Contains(d.Text, changed) {
		return
	}
	for _, l := range strings.Split(d.Text, "\n") {
		before, after, ok := strings.Cut(l, changed)
		_, path, noted := strings.Cut(before, "Note: ")
		if ok && noted && !strings.Contains(after, "relevant changes") {
			if u := s.byPath[path]; u != nil {
				u.file.Stale = true
			}
		}
	}
}

// isOutside tells whether a path leaves the session's root and its worktree.
func isOutside(w *pith.Workspace, path string) bool {
	if strings.HasPrefix(path, "~") && w.Root != "" {
		return true
	}
	if !isAbsolute(path) {
		return path == ".." || strings.HasPrefix(path, "../")
	}
	if w.Root == "" {
		return false
	}
	return !pathWithin(w.Root, path) && !pathWithin(w.Worktree, path)
}

// isToolPath tells whether a value can name a file on this machine at all.
func isToolPath(p string) bool {
	if p == "" || len(p) > 1024 || strings.ContainsAny(p, "\n\r\x00") {
		return false
	}
	if strings.Contains(p, "://") || strings.Contains(p, "[REDACTED") {
		return false
	}
	for _, d := range [...]string{"/dev/", "/proc/", "/sys/"} {
		if strings.HasPrefix(p, d) {
			return false
		}
	}
	return p != "." && p != ".." && p != "/" && p != "~" && p != "-"
}
