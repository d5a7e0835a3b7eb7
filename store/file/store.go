// Package file keeps checkpoints as files for people to read: a folder for
// each session, and in it one JSON file for each checkpoint, named by its place.
//
//	<folder>/<session>/00000000.json   the first checkpoint
//	<folder>/<session>/00000001.json   its child
//	<folder>/<session>/blocks/         archived blocks, by the hash of their text
//
// A file is {"format_version": 1, "id", "saved_at", "owner", "project", "how",
// "disk", "state"}, where state is the state as it was written. It appears
// whole or not at all, and is never changed.
package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pith-memory/pith"
)

// Store is a folder of sessions. Any number of processes may use it at once.
type Store struct {
	dir string
	sys system
}

// Open opens the store in a folder, which is made where it is missing, and
// removes what processes that died left unfinished. Errors: KindStore.
func Open(dir string) (*Store, error) { return open(dir, realSystem()) }

func open(dir string, sys system) (*Store, error) {
	op := "open the store in " + dir
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fail(op, err)
	}
	s := &Store{dir: dir, sys: sys}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, &pith.Error{Op: op, Kind: pith.KindStore, Err: errors.New("it is not a folder"), Hint: "name a folder; it is made where it is missing"}
	} else if err != nil {
		if err := s.sys.mkdir(dir); err != nil {
			return nil, fail(op, err)
		}
		if err := s.sys.syncDir(filepath.Dir(dir)); err != nil && !errors.Is(err, fs.ErrPermission) {
			return nil, fail(op, err)
		}
	}
	if _, err := s.sys.entries(dir); err != nil {
		return nil, fail(op, err)
	}
	s.sweep()
	return s, nil
}

// Close does nothing: no file is held open.
func (s *Store) Close() error { return nil }

// Get fetches a checkpoint by its whole id, or by the id that one of an older
// schema version has since it was migrated.
func (s *Store) Get(ctx context.Context, id string) (*pith.Saved, error) {
	op := "read checkpoint " + shorten(id)
	if !isID(id) {
		return nil, &pith.Error{Op: op, Kind: pith.KindStore, Err: pith.ErrNotFound}
	}
	at, err := s.find(ctx, id)
	if err != nil {
		return nil, fail(op, err)
	}
	_, c, err := s.load(at)
	var wrong *damage
	switch {
	case errors.As(err, &wrong):
		return nil, fail(op, &pith.Damaged{ID: id, Why: wrong.why})
	case errors.Is(err, fs.ErrNotExist): // it was forgotten meanwhile
		return nil, fail(op, pith.ErrNotFound)
	case err != nil:
		return nil, fail(op, err)
	}
	return c, nil
}

// Latest fetches the newest checkpoint of a session that can be read.
func (s *Store) Latest(ctx context.Context, session string) (*pith.Saved, error) {
	op := "read the latest checkpoint of session " + shorten(session)
	if err := ctx.Err(); err != nil {
		return nil, fail(op, err)
	}
	l, err := s.latest(folderName(session), false)
	if err == nil && l == nil {
		err = pith.ErrNotFound
	}
	if err != nil {
		return nil, fail(op, err)
	}
	return l.saved, nil
}

// List describes the checkpoints of a session, or of all, the last saved first.
func (s *Store) List(ctx context.Context, session string) ([]pith.Entry, error) {
	op := "list the checkpoints"
	folders := []string{folderName(session)}
	if session == "" {
		var err error
		if folders, err = s.folders(); err != nil {
			return nil, fail(op, err)
		}
	}
	var all []pith.Entry
	for _, folder := range folders {
		if err := ctx.Err(); err != nil {
			return nil, fail(op, err)
		}
		entries, err := s.describeFolder(folder, session)
		if err != nil {
			return nil, fail(op, err)
		}
		all = append(all, entries...)
	}
	slices.SortStableFunc(all, func(a, b pith.Entry) int {
		return cmp.Or(b.SavedAt.Compare(a.SavedAt), cmp.Compare(a.SessionID, b.SessionID), cmp.Compare(b.Seq, a.Seq))
	})
	return all, nil
}

// describeFolder lists one session. What a damaged record lacks is taken from
// what else is known: its place, its time and the session's id.
func (s *Store) describeFolder(folder, session string) ([]pith.Entry, error) {
	places, err := s.places(folder)
	if err != nil {
		return nil, err
	}
	entries := make([]pith.Entry, 0, len(places))
	for _, seq := range places {
		b, err := s.sys.read(s.path(folder, recordName(seq)))
		if errors.Is(err, fs.ErrNotExist) {
			continue // forgotten meanwhile
		}
		if err != nil && !isFault(err) {
			return nil, err
		}
		e := describe(b, seq)
		switch {
		case err != nil:
			e.Damaged = "the disk cannot read it: " + oneLine(err)
		case e.Damaged != "":
		case folderName(e.SessionID) != folder:
			e.Damaged = fmt.Sprintf("it belongs to session %.60q, not into this folder", e.SessionID)
		case e.Seq != seq:
			e.Damaged = fmt.Sprintf("it is number %d of its session, in the place of number %d", e.Seq, seq)
		case session == "":
			session = e.SessionID
		}
		entries = append(entries, e)
	}
	if session == "" && isPlain(folder) {
		session = folder
	}
	for i := range entries {
		if e := &entries[i]; e.Damaged != "" {
			e.SessionID = session
			if info, err := os.Stat(s.path(folder, recordName(e.Seq))); err == nil && e.SavedAt.IsZero() {
				e.SavedAt = info.ModTime().UTC()
			}
		}
	}
	return entries, nil
}

func (s *Store) path(folder string, names ...string) string {
	return filepath.Join(append([]string{s.dir, folder}, names...)...)
}

// folders are those of sessions, by name.
func (s *Store) folders() ([]string, error) {
	entries, err := s.sys.entries(s.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && isFolderName(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// places are the numbers of a session's records, rising; none where there is
// no such session.
func (s *Store) places(folder string) ([]int, error) {
	entries, err := s.sys.entries(s.path(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var places []int
	for _, e := range entries {
		if seq, ok := seqOf(e.Name()); ok {
			places = append(places, seq)
		}
	}
	slices.Sort(places)
	return places, nil
}
