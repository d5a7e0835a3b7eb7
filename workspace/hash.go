package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/pith-memory/pith"
)

// hash is the sha256 of a file's content, or why it was not read. The file is
// opened from the root downwards, so that one that was swapped for a link
// since it was looked at leads nowhere, and without waiting, so that a pipe in
// its place is not waited for.
func (e *eye) hash(path string, info os.FileInfo) (sum, why string) {
	switch {
	case info.Size() > MaxFile:
		return "", "larger than 64 MiB: told by its size and time"
	case info.Size() > e.left:
		return "", "too much to read: told by its size and time"
	}
	f, err := e.open(path)
	if err != nil {
		return "", reason(err)
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return "", reason(err)
	}
	if !opened.Mode().IsRegular() || !os.SameFile(info, opened) {
		return "", "replaced while it was looked at"
	}
	h := sha256.New()
	n, err := io.Copy(h, &patient{e: e, r: io.LimitReader(f, MaxFile+1)})
	e.left -= n
	switch {
	case err != nil:
		return "", reason(err)
	case n > MaxFile:
		return "", "larger than 64 MiB: told by its size and time"
	}
	return hex.EncodeToString(h.Sum(nil)), ""
}

func (e *eye) open(path string) (*os.File, error) {
	root, confined := e.root, e.confined
	if !within(root, path) {
		t := e.treeOf(path)
		if t == nil {
			return os.OpenFile(path, os.O_RDONLY|noWait, 0) // only where View.Outside asks for it
		}
		if t.confined == nil {
			t.confined, _ = os.OpenRoot(t.path) // told below
		}
		root, confined = t.path, t.confined
	}
	if confined == nil {
		return nil, &pith.Error{Op: "open a file", Kind: pith.KindInput, Err: errors.New("the workspace cannot be opened")}
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return nil, err
	}
	return confined.OpenFile(rel, os.O_RDONLY|noWait, 0)
}

// patient reads until the context ends.
type patient struct {
	e *eye
	r io.Reader
}

func (p *patient) Read(b []byte) (int, error) {
	if err := p.e.ctx.Err(); err != nil {
		return 0, err
	}
	return p.r.Read(b)
}
