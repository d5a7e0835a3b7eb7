package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/schema"
)

// Put keeps a checkpoint. Its file is written under another name first; then
// one step, which fails where the name is taken, gives it the name of its place.
func (s *Store) Put(ctx context.Context, c *pith.Saved) error {
	if c == nil || c.State == nil {
		return &pith.Error{Op: "store a checkpoint", Kind: pith.KindStore, Err: errors.New("there is no state")}
	}
	op := "store checkpoint " + shorten(c.State.Checkpoint.ID)
	if err := ctx.Err(); err != nil {
		return fail(op, err)
	}
	if err := verify(c); err != nil {
		return &pith.Error{Op: op, Kind: pith.KindStore, Err: err}
	}
	b, err := encode(c)
	if err != nil {
		return &pith.Error{Op: op, Kind: pith.KindStore, Err: err}
	}
	if err := s.put(ctx, c, b); err != nil {
		var conflict *pith.Conflict
		if errors.As(err, &conflict) {
			return conflict
		}
		return fail(op, err)
	}
	return nil
}

// verify holds what is to be stored against its id.
func verify(c *pith.Saved) error {
	p := &c.State.Checkpoint
	id, err := schema.DocumentID(c.JSON)
	if err != nil {
		return fmt.Errorf("the written state cannot be read: %w", err)
	}
	written, err := schema.Unmarshal(c.JSON)
	switch {
	case err != nil:
		return fmt.Errorf("the written state cannot be read: %w", err)
	case id != p.ID || written.Checkpoint.ID != p.ID:
		return errors.New("the written state is not the one that its id names")
	case written.Checkpoint.SessionID != p.SessionID || written.Checkpoint.Seq != p.Seq || parentOf(written) != parentOf(c.State):
		return errors.New("the written state is not the state")
	case p.SessionID == "":
		return errors.New("it belongs to no session")
	case p.Seq < 0:
		return errors.New("its number in the session is negative")
	}
	return nil
}

func parentOf(s *pith.State) string {
	if s.Checkpoint.ParentID == nil {
		return ""
	}
	return *s.Checkpoint.ParentID
}

// attempts is how often Put looks again where somebody took the place
// meanwhile. The second look tells who did.
const attempts = 8

func (s *Store) put(ctx context.Context, c *pith.Saved, b []byte) error {
	folder, seq := folderName(c.State.Checkpoint.SessionID), c.State.Checkpoint.Seq
	final := s.path(folder, recordName(seq))
	var err error
	for range attempts {
		if err = ctx.Err(); err != nil {
			return err
		}
		there, taken, lookErr := s.look(folder, c)
		if lookErr != nil {
			return lookErr
		}
		if there {
			// Whoever stored it may not have come to this yet.
			return s.sys.syncDir(s.path(folder))
		}
		if taken {
			if err := s.moveAside(ctx, place{folder, seq}); err != nil {
				return err
			}
		}
		if err := s.makeFolder(folder, seq == 0); err != nil {
			return err
		}
		if err = s.publish(ctx, folder, final, b); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return err
}

// look says whether the checkpoint is there already, or whether its place is
// taken by a damaged record. The latest is read before the place: the other
// way round somebody else could put this very checkpoint in between. Errors:
// *pith.Conflict.
func (s *Store) look(folder string, c *pith.Saved) (there, taken bool, err error) {
	last, err := s.latest(folder, true)
	if err != nil {
		return false, false, err
	}
	p := &c.State.Checkpoint
	conflict := &pith.Conflict{Session: p.SessionID, Parent: parentOf(c.State), New: p.ID}
	var wrong *damage
	id, found, err := s.load(place{folder, p.Seq})
	switch {
	case err == nil:
		if r := (&stored{id, found}); r.is(p.ID) {
			return true, false, nil
		}
		conflict.Existing = id
		return false, false, conflict
	case errors.As(err, &wrong):
		taken = true
	case !errors.Is(err, fs.ErrNotExist):
		return false, false, err
	}
	return false, taken, follows(p, conflict, last)
}

// follows tells whether a checkpoint is the child of the latest.
func follows(p *pith.Checkpoint, conflict *pith.Conflict, last *stored) error {
	switch {
	case last == nil && conflict.Parent == "" && p.Seq == 0:
		return nil
	case last == nil:
		return fmt.Errorf("its parent %s is %w", shorten(conflict.Parent), pith.ErrNotFound)
	case conflict.Parent == "" || !last.is(conflict.Parent):
		conflict.Existing = last.id
		return conflict
	case last.saved.State.Checkpoint.Seq+1 != p.Seq:
		return fmt.Errorf("it is number %d of its session and follows number %d", p.Seq, last.saved.State.Checkpoint.Seq)
	}
	return nil
}

// makeFolder makes the folder of a session. The first record of one makes
// certain that the folder's own name lasts.
func (s *Store) makeFolder(folder string, first bool) error {
	if err := s.sys.mkdir(s.path(folder)); err != nil || !first {
		return err
	}
	return s.sys.syncDir(s.dir)
}

// publish makes a file appear, whole and for good, or not at all. Errors:
// fs.ErrExist where the name is taken.
func (s *Store) publish(ctx context.Context, folder, final string, b []byte) error {
	temp := s.path(folder, tempName())
	if err := s.sys.write(temp, b); err != nil {
		return err
	}
	defer func() { _ = s.sys.remove(temp) }() // what is left is swept
	err := s.sys.link(temp, final)
	if err != nil && noLinks(err) {
		err = s.renameNew(ctx, folder, temp, final)
	}
	if err != nil {
		return err
	}
	if err := s.sys.syncDir(s.path(folder)); err != nil {
		// It may not last: who is told so must not find it again.
		_ = s.sys.remove(final)
		return err
	}
	return nil
}

// renameNew does what link does where there are no links: all who rename in
// this folder hold its lock.
func (s *Store) renameNew(ctx context.Context, folder, temp, final string) error {
	unlock, err := s.lock(ctx, folder)
	if err != nil {
		return err
	}
	defer unlock()
	f, err := s.sys.open(final)
	if err == nil {
		_ = f.Close()
		return fs.ErrExist
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return s.sys.rename(temp, final)
}

// moveAside frees the place of a damaged record, which stays in the folder for
// people to look at. It looks again under the lock: somebody else may have
// done so, and put a good record there.
func (s *Store) moveAside(ctx context.Context, at place) error {
	unlock, err := s.lock(ctx, at.folder)
	if err != nil {
		return err
	}
	defer unlock()
	var wrong *damage
	_, _, err = s.load(at)
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return nil
	case !errors.As(err, &wrong):
		return err
	}
	path := s.path(at.folder, recordName(at.seq))
	return s.sys.rename(path, path+".damaged-"+strconv.FormatInt(time.Now().UnixNano(), 36))
}
