package file

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/pith-memory/pith"
)

// forgottenPrefix begins the name of a folder that is being removed.
const forgottenPrefix = ".forgotten-"

// Forget removes everything of a session. Its folder gets another name first:
// from then on nothing of it can be read, and the rest is only room.
func (s *Store) Forget(ctx context.Context, session string) (int, error) {
	op := "forget session " + shorten(session)
	if err := ctx.Err(); err != nil {
		return 0, fail(op, err)
	}
	folder := folderName(session)
	places, err := s.places(folder)
	if err != nil {
		return 0, fail(op, err)
	}
	gone := s.path(forgottenPrefix + strconv.Itoa(os.Getpid()) + "-" + rand.Text()[:12])
	err = s.sys.rename(s.path(folder), gone)
	if errors.Is(err, fs.ErrNotExist) {
		err = pith.ErrNotFound
	}
	if err != nil {
		return 0, fail(op, err)
	}
	if err := s.sys.syncDir(s.dir); err != nil {
		return 0, fail(op, err)
	}
	if err := os.RemoveAll(gone); err != nil {
		return 0, fail(op, err)
	}
	return len(places), fail(op, s.sys.syncDir(s.dir))
}

// sweep removes what processes that died left behind. What cannot be removed
// does no harm.
func (s *Store) sweep() {
	entries, err := s.sys.entries(s.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		switch {
		case !e.IsDir():
		case strings.HasPrefix(e.Name(), forgottenPrefix):
			if leftOver(e, forgottenPrefix) {
				_ = os.RemoveAll(s.path(e.Name()))
			}
		case isFolderName(e.Name()):
			s.sweepFolder(s.path(e.Name()))
			s.sweepFolder(s.path(e.Name(), blocksFolder))
		}
	}
}

func (s *Store) sweepFolder(dir string) {
	entries, err := s.sys.entries(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) && leftOver(e, tempPrefix) {
			_ = s.sys.remove(dir + string(os.PathSeparator) + e.Name())
		}
	}
}

// settled is how old a thing must be before its process counts as dead: the
// numbers of processes of another machine or container say nothing here.
const settled = time.Minute

// leftOver tells whether nobody works on a thing any more.
func leftOver(e fs.DirEntry, prefix string) bool {
	info, err := e.Info()
	if err != nil {
		return false
	}
	digits, _, _ := strings.Cut(strings.TrimPrefix(e.Name(), prefix), "-")
	pid, err := strconv.Atoi(digits)
	age := time.Since(info.ModTime())
	return age > outdated || age > settled && (err != nil || !alive(pid))
}
