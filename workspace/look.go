// Package workspace says what the disk and git say: which files are there, the
// hashes of their content, where links lead, and what is checked out. It reads
// content below its root, and in other worktrees of the same repository, only,
// and runs no program.
package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/pith-memory/pith"
)

// The bounds of one look. What lies beyond them is told as such.
const (
	// MaxPaths is how many paths are looked at.
	MaxPaths = 10_000
	// MaxFile is the size above which a file is told apart by its size and
	// time only, in bytes; MaxRead bounds what is read of all files.
	MaxFile = 64 << 20
	MaxRead = 1 << 30
	// maxPath is the longest path that is looked at, in bytes, as in Linux.
	maxPath = 4096
)

// The kinds of a stamp.
const (
	kindFile    = "file"
	kindFolder  = "folder"
	kindOther   = "other"
	kindAbsent  = "absent"
	kindUnknown = "unknown"
)

// View says how to look. The zero value reads nothing outside the root.
type View struct {
	// Outside has the content of files outside the root hashed as well.
	Outside bool
}

// Look stamps paths as the zero View does.
func Look(ctx context.Context, root string, paths []string) (*pith.Disk, error) {
	return View{}.Look(ctx, root, paths)
}

// Look stamps every path once, in the order given and under the name given;
// relative ones start at root. A path that cannot be looked at is no error: its
// stamp is unknown and says why. A root that is not a folder comes first, with a
// stamp of its own. Errors: the context's, and KindInput for a root that is no path.
func (v View) Look(ctx context.Context, root string, paths []string) (*pith.Disk, error) {
	if why := refused(root); why != "" {
		return nil, &pith.Error{Op: "look at the workspace", Kind: pith.KindInput, Err: errors.New("the root " + why)}
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, &pith.Error{Op: "look at the workspace", Kind: pith.KindInput, Err: err}
	}
	d := &pith.Disk{At: time.Now().UTC(), Files: make([]pith.Stamp, 0, min(len(paths), MaxPaths))}
	d.Root, _ = resolve(root)
	e := &eye{View: v, ctx: ctx, root: d.Root, left: MaxRead}
	if info, err := os.Stat(d.Root); err != nil || !info.IsDir() {
		d.Files = append(d.Files, pith.Stamp{Path: d.Root, Kind: kindOf(info, err), Why: "the workspace is no folder"})
	} else {
		defer e.close()
		if e.confined, err = os.OpenRoot(d.Root); err != nil {
			e.confined = nil
		}
		readRepository(d)
		e.checkout, e.trees = d.Repository, findTrees(d.Repository)
	}
	seen := make(map[string]bool, len(paths))
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if seen[p] {
			continue
		}
		seen[p] = true
		if len(seen) > MaxPaths {
			d.Files = append(d.Files, pith.Stamp{Path: p, Kind: kindUnknown, Why: "too many paths"})
			continue
		}
		d.Files = append(d.Files, e.stamp(p))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.Worktrees = e.checkouts()
	return d, nil
}

// refused says why a path is not looked at, "" where it is.
func refused(p string) string {
	switch {
	case p == "":
		return "is empty"
	case strings.IndexByte(p, 0) >= 0:
		return "holds a NUL byte"
	case len(p) > maxPath:
		return "is longer than 4096 bytes"
	case strings.HasPrefix(p, "~"):
		return "starts at a home folder"
	case runtime.GOOS != "windows" && isWindowsPath(p):
		return "belongs to another system"
	case runtime.GOOS == "windows" && (strings.HasPrefix(p, `\\`) || strings.HasPrefix(p, "//")):
		return "lies on another computer" // looking there would send credentials
	}
	return ""
}

// isWindowsPath knows `C:\x`, `C:/x` and `\\host\x`.
func isWindowsPath(p string) bool {
	if strings.HasPrefix(p, `\\`) {
		return true
	}
	letter := len(p) > 2 && (p[0]|0x20) >= 'a' && (p[0]|0x20) <= 'z'
	return letter && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

// eye looks at one path after another.
type eye struct {
	View
	ctx      context.Context
	root     string   // its links resolved
	confined *os.Root // nil where the root cannot be opened
	left     int64    // how many bytes may still be read
	checkout string   // the folder with the .git of the root, "" for none
	trees    []*tree
	folders  map[string]folder // those that paths lay in
}

// folder is where a folder's name leads, as resolve says.
type folder struct {
	led string
	err error
}

// close lets go of the folders. Nothing was written: an error says nothing.
func (e *eye) close() {
	if e.confined != nil {
		_ = e.confined.Close()
	}
	for _, t := range e.trees {
		if t.confined != nil {
			_ = t.confined.Close()
		}
	}
}

// stamp looks at one path.
func (e *eye) stamp(p string) pith.Stamp {
	s := pith.Stamp{Path: p, Kind: kindUnknown}
	if why := refused(p); why != "" {
		s.Why = "the path " + why
		return s
	}
	full := p
	if !filepath.IsAbs(full) {
		full = e.root + string(filepath.Separator) + p // not cleaned: ".." after a link leads elsewhere
	}
	led, err := e.resolve(full)
	if led != filepath.Clean(full) {
		s.Target = led
	}
	if err != nil && !isAbsent(err) {
		s.Why = reason(err)
		return s
	}
	info, err := os.Stat(led) // no link is left in it: where it leads is judged below
	s.Kind = kindOf(info, err)
	tree := e.treeOf(led)
	if tree != nil {
		tree.met = true
	}
	switch {
	case s.Kind == kindUnknown:
		s.Why = reason(err)
	case !e.Outside && tree == nil && !within(e.root, led):
		if s.Kind != kindAbsent {
			s.Why = "outside the workspace: only its existence is told"
		}
	case s.Kind == kindFile:
		s.Size, s.ModTime = info.Size(), info.ModTime().UTC()
		s.SHA256, s.Why = e.hash(led, info)
	case s.Kind != kindAbsent:
		s.ModTime = info.ModTime().UTC()
	}
	return s
}

// kindOf turns the answer of a stat into a kind.
func kindOf(info os.FileInfo, err error) string {
	switch {
	case err != nil && isAbsent(err):
		return kindAbsent
	case err != nil:
		return kindUnknown
	case info.IsDir():
		return kindFolder
	case info.Mode().IsRegular():
		return kindFile
	}
	return kindOther // a device, a pipe, a socket
}

// isAbsent: nothing is there, or a file is where a folder would have to be.
func isAbsent(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// reason is an error without the path, which the stamp names itself.
func reason(err error) string {
	if p := (*os.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

// resolve follows every link of a path. Where a part of it is not there, the
// part that is there is resolved and the rest appended; err says so.
func resolve(full string) (string, error) {
	led, err := filepath.EvalSymlinks(full)
	if err == nil {
		return filepath.Clean(led), nil
	}
	if !isAbsent(err) {
		return filepath.Clean(full), err
	}
	rest, hops := "", 0
	for dir := full; ; {
		if to, linkErr := os.Readlink(dir); linkErr == nil && hops < maxLinks {
			hops++ // a link to what is not there
			if !filepath.IsAbs(to) {
				to = filepath.Dir(dir) + string(filepath.Separator) + to
			}
			dir = to
			continue
		}
		if led, dirErr := filepath.EvalSymlinks(dir); dirErr == nil {
			return filepath.Join(led, rest), err
		}
		up, name := split(dir)
		if up == dir {
			return filepath.Clean(full), err
		}
		dir, rest = up, filepath.Join(name, rest)
	}
}

// resolve is the function of that name, which walks a folder once for all that
// lies in it.
func (e *eye) resolve(full string) (string, error) {
	up, name := filepath.Split(full)
	if full != filepath.Clean(full) || name == "" || runtime.GOOS == "windows" { // there, names have several spellings
		return resolve(full)
	}
	dir, known := e.folders[up]
	if !known {
		dir.led, dir.err = resolve(up)
		if e.folders == nil {
			e.folders = map[string]folder{}
		}
		e.folders[up] = dir
	}
	if dir.err != nil && !isAbsent(dir.err) {
		return full, dir.err
	}
	led := filepath.Join(dir.led, name)
	if dir.err != nil {
		return led, dir.err
	}
	info, err := os.Lstat(led)
	if err == nil && info.Mode()&os.ModeSymlink != 0 || err != nil && !isAbsent(err) {
		return resolve(full)
	}
	return led, err
}

// split parts a path from its last name and cleans neither: what ".." means is
// not known before the links in front of it are followed.
func split(path string) (dir, name string) {
	path = trimSeparators(path)
	dir, name = filepath.Split(path)
	if short := trimSeparators(dir); len(short) > len(filepath.VolumeName(dir)) {
		return short, name
	}
	return dir, name // the top of a volume
}

func trimSeparators(path string) string {
	return strings.TrimRightFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
}

// maxLinks is how many links that lead nowhere are followed.
const maxLinks = 40

// within tells whether a path without links is the root or lies below it.
func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}
