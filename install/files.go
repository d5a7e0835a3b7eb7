package install

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-memory/pith"
)

// maxFile bounds a settings file. Units: bytes.
const maxFile = 64 << 20

// place is a file that may be changed: by its path below a folder, which no
// link leads out of.
type place struct {
	// Shown is the path as people know it, Root and Name where the bytes are.
	Shown, Root, Name string
}

// path is where the bytes are.
func (p place) path() string { return filepath.Join(p.Root, p.Name) }

// content is what a file holds now.
type content struct {
	there bool
	data  []byte
	mode  fs.FileMode
	// owner is whose it is, names how many it has (hard links).
	owner owner
	names uint64
}

func (c content) same(o content) bool {
	return c.there == o.there && bytes.Equal(c.data, o.data)
}

// settingsPlace finds the bytes of a settings file. One that is a link is
// written through it; within is the folder that it must not lead out of, "" for
// any.
func settingsPlace(path, within string) (place, error) {
	target := path
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		target, err = filepath.EvalSymlinks(path)
		if err != nil {
			return place{}, broken(path, fmt.Errorf("it is a link that leads nowhere: %w", bare(err)), "nothing was changed; mend the link, or remove it, and run this again")
		}
	} else if dir, e := filepath.EvalSymlinks(filepath.Dir(path)); e == nil {
		target = filepath.Join(dir, filepath.Base(path))
	} else if _, there := os.Lstat(filepath.Dir(path)); there == nil && errors.Is(e, fs.ErrNotExist) {
		return place{}, broken(path, errors.New("its folder is a link that leads nowhere"), "nothing was changed; mend the link, or remove it, and run this again")
	}
	if within != "" {
		root, err := filepath.EvalSymlinks(within)
		if err != nil {
			return place{}, broken(within, bare(err), "run this in the folder of the project")
		}
		if rel, err := filepath.Rel(root, target); err != nil || !filepath.IsLocal(rel) {
			return place{}, broken(path, fmt.Errorf("it leads out of the project, to %s", target), "nothing was changed; --scope user changes settings outside of a project")
		}
	}
	return place{path, filepath.Dir(target), filepath.Base(target)}, nil
}

// read gives what a file holds. Errors: KindInput; it is there and no file that
// can be read.
func (p place) read() (content, error) {
	root, err := os.OpenRoot(p.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return content{}, nil
	}
	if err != nil {
		return content{}, p.fails("read", err)
	}
	defer func() { _ = root.Close() }() // it was only read
	return p.readIn(root)
}

func (p place) readIn(root *os.Root) (content, error) {
	info, err := root.Lstat(p.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return content{}, nil
	}
	if err != nil {
		return content{}, p.fails("read", err)
	}
	if !info.Mode().IsRegular() {
		what := "no regular file"
		switch {
		case info.IsDir():
			what = "a folder"
		case info.Mode()&fs.ModeSymlink != 0:
			what = "a link"
		}
		return content{}, broken(p.Shown, fmt.Errorf("it is %s where a file is needed", what), "nothing was changed; move it away and run this again")
	}
	f, err := root.Open(p.Name)
	if err != nil {
		return content{}, p.fails("read", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return content{}, p.fails("read", err)
	}
	if len(data) > maxFile {
		return content{}, broken(p.Shown, fmt.Errorf("it is larger than %d MiB", maxFile>>20), repair)
	}
	c := content{there: true, data: data, mode: info.Mode().Perm()}
	c.owner, c.names = ownerOf(info)
	return c, nil
}

func (p place) fails(op string, err error) error {
	hint := "nothing was changed; see that you may " + op + " it, and run this again"
	return &pith.Error{Op: op + " " + p.Shown, Kind: pith.KindInput, Err: bare(err), Hint: hint}
}

// bare is a file error without the path, which is said already.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}

// ErrChanged is why a plan was not carried out where a file is not any more what
// it was made for. Another plan may do.
var ErrChanged = errors.New("somebody else changed it just now")

// change is what is to become of one file.
type change struct {
	place
	before, after content
	// hidden is set for files of pith's own that nobody wants to see.
	hidden bool
	// own is set for files in pith's own folder.
	own bool
}

// staged is a change on its way: its new content lies beside the file.
type staged struct {
	change
	root  *os.Root
	temp  string
	moved bool
	made  []string // folders that were made, outermost first
}

// carryOut makes all changes or none. Errors: KindInput; nothing was changed, or
// the error says what could not be taken back.
func carryOut(list []change) error {
	work := make([]*staged, 0, len(list))
	defer func() {
		for _, s := range work {
			s.close()
		}
	}()
	for _, c := range list {
		s := &staged{change: c}
		work = append(work, s)
		if err := s.stage(); err != nil {
			return takeBack(work, err)
		}
	}
	for _, s := range work {
		if err := s.commit(); err != nil {
			return takeBack(work, err)
		}
	}
	return nil
}

// takeBack undoes what was done until something went wrong.
func takeBack(work []*staged, why error) error {
	for i := len(work) - 1; i >= 0; i-- {
		if err := work[i].undo(); err != nil {
			hint := "restore that file by hand, or from a backup"
			why = &pith.Error{Kind: pith.KindInput, Err: fmt.Errorf("%w; and %s could not be put back: %w", why, work[i].Shown, bare(err)), Hint: hint}
		}
	}
	return why
}

// stage writes the new content beside the file, with its mode.
func (s *staged) stage() error {
	if s.after.there {
		made, err := makeFolders(s.Root, s.folderMode())
		s.made = append(s.made, made...)
		if err != nil {
			return s.fails("make the folder of", err)
		}
	}
	root, err := os.OpenRoot(s.Root)
	if errors.Is(err, fs.ErrNotExist) && !s.after.there {
		return nil
	}
	if err != nil {
		return s.fails("write", err)
	}
	s.root = root
	s.sweep()
	if !s.after.there {
		return nil
	}
	if dir := filepath.Dir(s.Name); dir != "." {
		made, err := makeFoldersIn(root, s.Root, dir, s.folderMode())
		s.made = append(s.made, made...)
		if err != nil {
			return s.fails("make the folder of", err)
		}
	}
	s.temp = filepath.Join(filepath.Dir(s.Name), s.aside()+rand.Text()[:asideLetters])
	f, err := root.OpenFile(s.temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, s.after.mode)
	if err != nil {
		s.temp = ""
		return s.fails("write", err)
	}
	defer f.Close()
	if s.before.there {
		if err := keepOwner(f, s.before.owner); err != nil {
			return broken(s.Shown, errors.New("it belongs to somebody else, which would not stay so"), "nothing was changed; run this as the one whose it is")
		}
		if err := f.Chmod(s.after.mode); err != nil {
			return s.fails("write", err)
		}
	}
	_, err = f.Write(s.after.data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return s.fails("write", err)
	}
	return nil
}

// folderMode is the mode of folders that are made for a file: pith's own data is
// for its owner alone.
func (s *staged) folderMode() fs.FileMode {
	if s.own || s.hidden {
		return 0o700
	}
	return 0o755
}

// aside is what the names of files beside this one begin with, to which this
// many letters are added.
func (s *staged) aside() string { return "." + filepath.Base(s.Name) + ".pith-" }

const asideLetters = 8

// sweep removes what a pith that was killed left beside the file: the lock is
// held, so none is at work there.
func (s *staged) sweep() {
	dir, err := s.root.Open(filepath.Dir(s.Name))
	if err != nil {
		return // there is no such folder yet
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what cannot be read stays
	for _, name := range names {
		if strings.HasPrefix(name, s.aside()) && len(name) == len(s.aside())+asideLetters {
			_ = s.root.Remove(filepath.Join(filepath.Dir(s.Name), name)) // what cannot be removed stays
		}
	}
}

// commit puts the new content in the file's place, if it is still what was read.
func (s *staged) commit() error {
	if s.root == nil {
		return nil
	}
	now, err := s.readIn(s.root)
	if err != nil {
		return err
	}
	if now.same(s.after) {
		return nil // somebody else did the same just now
	}
	if !now.same(s.before) {
		return broken(s.Shown, ErrChanged, "nothing was changed; run this again")
	}
	if !s.after.there {
		err = s.root.Remove(s.Name)
	} else if err = s.root.Rename(s.temp, s.Name); err == nil {
		s.temp = ""
	}
	if err != nil && !(errors.Is(err, fs.ErrNotExist) && !s.after.there) {
		return s.fails("write", err)
	}
	s.moved = true
	return nil
}

// undo puts back what was there.
func (s *staged) undo() error {
	var err error
	if s.root != nil && s.temp != "" {
		err = s.root.Remove(s.temp)
		s.temp = ""
	}
	if s.moved {
		s.moved = false
		if s.before.there {
			err = errors.Join(err, s.root.WriteFile(s.Name, s.before.data, s.before.mode))
		} else {
			err = errors.Join(err, s.root.Remove(s.Name))
		}
	}
	removeFolders(s.made)
	return err
}

func (s *staged) close() {
	if s.root == nil {
		return
	}
	if s.temp != "" {
		_ = s.root.Remove(s.temp) // there is nothing else to do about it
	}
	_ = s.root.Close() // what was written in it is closed already
}

// makeFolders makes a folder with those that lead to it, and names those that
// were not there, outermost first.
func makeFolders(dir string, mode fs.FileMode) (made []string, err error) {
	return missing(dir), os.MkdirAll(dir, mode)
}

// makeFoldersIn does so below a root, which nothing leads out of.
func makeFoldersIn(root *os.Root, path, dir string, mode fs.FileMode) (made []string, err error) {
	at := ""
	for part := range strings.SplitSeq(filepath.ToSlash(dir), "/") {
		at = filepath.Join(at, part)
		switch err := root.Mkdir(at, mode); {
		case err == nil:
			made = append(made, filepath.Join(path, at))
		case !errors.Is(err, fs.ErrExist):
			return made, err
		}
	}
	return made, nil
}

// removeFolders removes those folders that are empty, innermost first.
func removeFolders(list []string) {
	for i := len(list) - 1; i >= 0; i-- {
		_ = os.Remove(list[i]) // one that holds something stays
	}
}
