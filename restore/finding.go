package restore

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/truncate"
)

// Change names how the disk differs from what a state says.
type Change string

// The changes of a file.
const (
	ChangeContent  Change = "changed"
	ChangeAbsent   Change = "absent"
	ChangeAppeared Change = "appeared" // deleted, or not there, and there again
	ChangeMoved    Change = "moved"    // Is says where to
	ChangeKind     Change = "kind"     // a folder in a file's place
	ChangeLink     Change = "link"     // a link leads elsewhere
	ChangeOutside  Change = "outside"  // a link leads out of the workspace
	ChangeUnknown  Change = "unknown"  // Is says why it could not be looked at
	ChangeMust     Change = "must"     // a precondition does not hold
)

// The changes of the place.
const (
	ChangeBranch   Change = "branch"
	ChangeHead     Change = "head"
	ChangeWorktree Change = "worktree"
	ChangeRoot     Change = "root"
)

// Finding is one thing that is not as it was.
type Finding struct {
	Change Change `json:"change"`
	// Path is as the state has it, "" for branch and head.
	Path string `json:"path,omitempty"`
	Was  string `json:"was,omitempty"`
	Is   string `json:"is,omitempty"`
	// Holds is set where the next action is held until it was looked into.
	Holds bool `json:"holds,omitempty"`
}

// String is the finding in a few words, "a.go (absent)".
func (f Finding) String() string { return f.describe(func(p string) string { return p }) }

// describe writes a finding in one line, its paths as name does. What the disk
// says was never normalised: characters that cannot be seen become "?".
func (f *Finding) describe(name func(string) string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return '?'
		}
		return r
	}, f.words(name))
}

func (f *Finding) words(name func(string) string) string {
	path := name(f.Path)
	switch f.Change {
	case ChangeContent, ChangeAbsent:
		return path + " (" + string(f.Change) + ")"
	case ChangeAppeared:
		return path + " (there again)"
	case ChangeMoved:
		return path + " (moved to " + name(f.Is) + ")"
	case ChangeKind:
		return path + " (was a " + f.Was + ", is a " + f.Is + ")"
	case ChangeLink:
		if f.Was == "" {
			return path + " (now a link to " + name(f.Is) + ")"
		}
		return path + " (led to " + name(f.Was) + ", leads to " + orElse(name(f.Is), "itself") + ")"
	case ChangeOutside:
		return path + " (leads out of the workspace, to " + name(f.Is) + ")"
	case ChangeUnknown:
		return path + " (not checked: " + f.Is + ")"
	case ChangeMust:
		return path + " (must " + f.Was + ", is " + f.Is + ")"
	case ChangeBranch, ChangeHead:
		return string(f.Change) + " was " + orElse(shortPath(f.Was), "none") + ", is " + orElse(shortPath(f.Is), "none")
	}
	return string(f.Change) + " was " + orElse(name(f.Was), "none") + ", is " + orElse(name(f.Is), "gone")
}

const (
	// longFinding is where a path in a finding is shortened, in bytes.
	longFinding = 160
	// maxFindings is how many are written out in a block, where its budget
	// has an eighth of room for them.
	maxFindings = 24
)

// shortPath keeps the end of a long path, where the file's name is.
func shortPath(path string) string {
	if len(path) <= longFinding {
		return path
	}
	return "…" + strings.ToValidUTF8(path[len(path)-longFinding:], "")
}

// held tells whether the next action is a check that Reconcile put first.
func (r *renderer) held() bool {
	n := &r.state.Next
	return n.Kind == "inspect" && n.Basis == "none" && slices.ContainsFunc(r.options.Changes, func(f Finding) bool { return f.Holds })
}

// changes tell what the disk says against the state: what holds the next
// action first, the rest counted.
func (r *renderer) changes() section {
	s := newLine(secChanged, ",")
	all := r.options.Changes
	room := int(r.budget) * bytesPerToken / 8
	written, bytes := 0, 0
	for _, holds := range []bool{true, false} {
		for i := range all {
			if all[i].Holds != holds || written >= maxFindings {
				continue
			}
			text := oneLine(truncate.Text(all[i].describe(func(p string) string { return r.relative(shortPath(p)) }), 3*longFinding))
			if written > 0 && bytes+len(text) > room {
				continue
			}
			written++
			bytes += len(text)
			s.must(text)
		}
	}
	if more := len(all) - written; more > 0 {
		s.must("and " + itoa(more) + " more")
	}
	return s
}

// onDisk says in a word what became of a file, "" where nothing did.
func onDisk(f *pith.File) string {
	switch {
	case f.Disk == diskAbsent:
		return "no longer there"
	case f.Disk == diskChanged && f.Op == pith.FileDeleted:
		return "there again"
	case f.Disk == diskChanged:
		return "changed since"
	}
	return ""
}
