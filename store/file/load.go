package file

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"syscall"

	"github.com/pith-memory/pith"
)

// place is where a record lies.
type place struct {
	folder string
	seq    int
}

// stored is a record that was read: the id that it was stored under, and the
// checkpoint, which has another id where it was migrated.
type stored struct {
	id    string
	saved *pith.Saved
}

// is tells whether an id means this checkpoint.
func (r *stored) is(id string) bool { return id == r.id || id == r.saved.State.Checkpoint.ID }

// load reads a record and holds it against its id and its place. Errors:
// *damage, errNewer, fs.ErrNotExist, and those of the disk.
func (s *Store) load(at place) (string, *pith.Saved, error) {
	b, err := s.sys.read(s.path(at.folder, recordName(at.seq)))
	if err != nil {
		return "", nil, err
	}
	id, c, err := decode(b)
	if err != nil {
		return id, nil, err
	}
	p := &c.State.Checkpoint
	if folderName(p.SessionID) != at.folder {
		return id, nil, damagedf("it belongs to session %.60q, not into this folder", p.SessionID)
	}
	if p.Seq != at.seq {
		return id, nil, damagedf("it is number %d of its session, in the place of number %d", p.Seq, at.seq)
	}
	return id, c, nil
}

// latest reads the newest record of a session that can be read, nil where
// there is none. What a newer pith wrote is an error, for it is not damaged.
// So is, with certain, what the disk cannot read: it is passed over where a
// session is restored, but nothing is put in its place.
func (s *Store) latest(folder string, certain bool) (*stored, error) {
	places, err := s.places(folder)
	if err != nil {
		return nil, err
	}
	for _, seq := range slices.Backward(places) {
		id, c, err := s.load(place{folder, seq})
		var wrong *damage
		switch {
		case err == nil:
			return &stored{id, c}, nil
		case errors.As(err, &wrong), errors.Is(err, fs.ErrNotExist), isFault(err) && !certain:
		default:
			return nil, err
		}
	}
	return nil, nil
}

// isFault tells a place of the disk that cannot be read from a passing trouble
// such as too many open files, behind which nothing older must be restored.
func isFault(err error) bool { return errors.Is(err, syscall.EIO) }

// headBytes is how much of a record holds its id for certain.
const headBytes = 256

// find looks for the record of an id in every session.
func (s *Store) find(ctx context.Context, id string) (place, error) {
	inHead := []byte(`"id": "` + id + `"`)
	at, err := s.search(ctx, func(path string, _ place) (bool, error) {
		head, err := s.sys.readStart(path, headBytes)
		return bytes.Contains(head, inHead), err
	})
	if !errors.Is(err, pith.ErrNotFound) {
		return at, err
	}
	current := []byte(`"schema_version": "` + pith.SchemaVersion + `"`)
	return s.search(ctx, func(path string, at place) (bool, error) {
		b, err := s.sys.read(path)
		if err != nil || bytes.Contains(b, current) {
			return false, err
		}
		_, c, err := s.load(at)
		return err == nil && c.State.Checkpoint.ID == id, nil
	})
}

// search gives the first record that match takes; one that the disk cannot
// read is passed over.
func (s *Store) search(ctx context.Context, match func(path string, at place) (bool, error)) (place, error) {
	folders, err := s.folders()
	if err != nil {
		return place{}, err
	}
	for _, folder := range folders {
		if err := ctx.Err(); err != nil {
			return place{}, err
		}
		places, err := s.places(folder)
		if err != nil {
			return place{}, err
		}
		for _, seq := range places {
			at := place{folder, seq}
			ok, err := match(s.path(folder, recordName(seq)), at)
			switch {
			case ok:
				return at, nil
			case err != nil && !isFault(err) && !errors.Is(err, fs.ErrNotExist):
				return place{}, err
			}
		}
	}
	return place{}, pith.ErrNotFound
}

// isID tells whether a text has the form of a checkpoint's id.
func isID(id string) bool {
	if len(id) != 64 {
		return false
	}
	for i := range len(id) {
		if b := id[i]; (b < '0' || b > '9') && (b < 'a' || b > 'f') {
			return false
		}
	}
	return true
}

// shorten makes an id fit into a message.
func shorten(id string) string {
	if isID(id) {
		return id[:12]
	}
	if runes := []rune(id); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return id
}
