package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/store/storetest"
)

// faulty lets the nth touch of the disk fail, or every one from the nth on.
type faulty struct {
	mu      sync.Mutex
	at      int // counts from 1; 0 for never
	lasting bool
	err     error
	only    string // the kind of touch that fails, "" for all
	touched int
	failed  int
}

// touch counts one, and gives its error.
func (f *faulty) touch(what, path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.only != "" && f.only != what {
		return nil
	}
	f.touched++
	if f.at == 0 || f.touched < f.at || f.touched > f.at && !f.lasting {
		return nil
	}
	f.failed++
	return &fs.PathError{Op: what, Path: path, Err: f.err}
}

type faultyFile struct {
	handle
	f    *faulty
	path string
}

// Write writes half of what it should where it fails.
func (h faultyFile) Write(b []byte) (int, error) {
	if err := h.f.touch("write", h.path); err != nil {
		n, _ := h.handle.Write(b[:len(b)/2])
		if errors.Is(err, errShort) {
			return n, nil
		}
		return n, err
	}
	return h.handle.Write(b)
}

func (h faultyFile) Sync() error {
	if err := h.f.touch("sync", h.path); err != nil {
		return err
	}
	return h.handle.Sync()
}

func (h faultyFile) Close() error {
	return errors.Join(h.handle.Close(), h.f.touch("close", h.path))
}

// errShort is a write that writes less than it should and says nothing.
var errShort = errors.New("short write")

func (f *faulty) system() system {
	disk, sys := realSystem(), system{}
	sys.create = func(path string) (handle, error) {
		if err := f.touch("create", path); err != nil {
			return nil, err
		}
		h, err := disk.create(path)
		return faultyFile{h, f, path}, err
	}
	sys.open = func(path string) (io.ReadCloser, error) {
		if err := f.touch("open", path); err != nil {
			return nil, err
		}
		return disk.open(path)
	}
	sys.entries = func(path string) ([]fs.DirEntry, error) {
		if err := f.touch("list", path); err != nil {
			return nil, err
		}
		return disk.entries(path)
	}
	one := func(what string, do func(string) error) func(string) error {
		return func(path string) error {
			if err := f.touch(what, path); err != nil {
				return err
			}
			return do(path)
		}
	}
	two := func(what string, do func(string, string) error) func(string, string) error {
		return func(from, to string) error {
			if err := f.touch(what, to); err != nil {
				return err
			}
			return do(from, to)
		}
	}
	sys.mkdir, sys.remove, sys.syncDir = one("mkdir", disk.mkdir), one("remove", disk.remove), one("syncdir", disk.syncDir)
	sys.link, sys.rename = two("link", disk.link), two("rename", disk.rename)
	return sys
}

var faults = map[string]error{"EIO": syscall.EIO, "ENOSPC": syscall.ENOSPC, "short": errShort, "EMFILE": syscall.EMFILE, "EACCES": syscall.EACCES}

// eachFault runs work with a fault at its first touch of the disk, at its
// second, and so on until it meets none; once, and from there on for good.
func eachFault(t *testing.T, links bool, work func(t *testing.T, s *Store, f *faulty) (before []*pith.Saved, err error)) {
	for name, fault := range faults {
		for _, lasting := range []bool{false, true} {
			met := 0
			for at := 1; ; at++ {
				dir := t.TempDir()
				f := &faulty{err: fault, lasting: lasting}
				sys := f.system()
				if !links {
					sys.link = withoutLinks().link
				}
				s, err := open(dir, sys)
				if err != nil {
					t.Fatal(err)
				}
				where := fmt.Sprintf("%s at touch %d, lasting %v", name, at, lasting)
				f.touched = -1 << 30 // work sets the count when it begins
				f.at = at
				before, err := work(t, s, f)
				if f.failed == 0 {
					break
				}
				met++
				f.at = 0
				if err != nil && pith.KindOf(err) != pith.KindStore {
					t.Errorf("%s: an error of another kind: %v", where, err)
				}
				if err != nil && (strings.Contains(err.Error(), "\n") || strings.Count(err.Error(), fault.Error()) > 1) {
					t.Errorf("%s: want one clear line: %q", where, err)
				}
				intact(t, where, dir, before)
			}
			if met < 5 {
				t.Fatalf("%s: only %d faults were met: the test holds nothing", name, met)
			}
		}
	}
}

// intact holds that a store has what was stored, and can go on.
func intact(t *testing.T, where, dir string, before []*pith.Saved) {
	t.Helper()
	s := reopened(t, dir)
	entries, err := s.List(t.Context(), "")
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	for _, e := range entries {
		if e.Damaged != "" {
			t.Errorf("%s: a torn record: %+v", where, e)
		}
	}
	for _, c := range before {
		got, err := s.Get(t.Context(), c.State.Checkpoint.ID)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		storetest.Same(t, got, c)
	}
}

func begin(f *faulty) { f.touched = 0 }

func TestPutWithFaults(t *testing.T) {
	for _, links := range []bool{true, false} {
		t.Run(fmt.Sprint("links ", links), func(t *testing.T) {
			eachFault(t, links, func(t *testing.T, s *Store, f *faulty) ([]*pith.Saved, error) {
				chain := storetest.Chain(t, "s", 3)
				for _, c := range chain[:2] {
					if err := s.Put(t.Context(), c); err != nil {
						t.Fatal(err)
					}
				}
				begin(f)
				err := s.Put(t.Context(), chain[2])
				acked := err == nil
				if !acked && !f.lasting {
					// The trouble has passed: it is saved again, in a new file.
					if again := s.Put(t.Context(), chain[2]); again != nil {
						t.Errorf("saving again after %v: %v", err, again)
					}
					acked = true
				}
				if acked {
					return chain, err
				}
				return chain[:2], err
			})
		})
	}
}

// TestFirstPutWithFaults holds the same of a session's first checkpoint.
func TestFirstPutWithFaults(t *testing.T) {
	eachFault(t, true, func(t *testing.T, s *Store, f *faulty) ([]*pith.Saved, error) {
		other, c := storetest.New(t, "other", nil, "goal"), storetest.New(t, "s", nil, "goal")
		if err := s.Put(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		begin(f)
		if err := s.Put(t.Context(), c); err != nil {
			return []*pith.Saved{other}, err
		}
		return []*pith.Saved{other, c}, nil
	})
}

// TestReadWithFaults holds that reading with a fault gives the truth or an
// error: an older checkpoint is not the latest because a file could not be
// opened just then.
func TestReadWithFaults(t *testing.T) {
	chain := storetest.Chain(t, "s", 2)
	for name, fault := range map[string]error{"EMFILE": syscall.EMFILE, "EACCES": syscall.EACCES, "ENOMEM": syscall.ENOMEM} {
		f := &faulty{err: fault}
		s, err := open(t.TempDir(), f.system())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chain {
			if err := s.Put(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		for at := 1; ; at++ {
			f.at, f.failed = at, 0
			begin(f)
			got, err := s.Latest(t.Context(), "s")
			if f.failed == 0 {
				break
			}
			if err == nil || errors.Is(err, pith.ErrNotFound) {
				t.Errorf("%s at touch %d: %+v, %v", name, at, got, err)
			}
		}
	}
}

// TestSyncIsFinal holds that after a failed fsync the file is given up: it is
// not synced again, it is removed, and nothing of it is visible.
func TestSyncIsFinal(t *testing.T) {
	for _, what := range []string{"sync", "syncdir"} {
		dir := t.TempDir()
		f := &faulty{err: syscall.EIO, only: what}
		s, err := open(dir, f.system())
		if err != nil {
			t.Fatal(err)
		}
		chain := storetest.Chain(t, "s", 2)
		if err := s.Put(t.Context(), chain[0]); err != nil {
			t.Fatal(err)
		}
		f.at, f.touched = 1, 0
		if err := s.Put(t.Context(), chain[1]); !errors.Is(err, syscall.EIO) || pith.KindOf(err) != pith.KindStore || pith.HintOf(err) == "" {
			t.Errorf("%s: %v", what, err)
		}
		if f.touched != 1 {
			t.Errorf("%s was tried %d times", what, f.touched)
		}
		if got := files(t, dir); !slices.Equal(got, []string{"s/00000000.json"}) {
			t.Errorf("%s: left is %v", what, got)
		}
		got, err := s.Latest(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		storetest.Same(t, got, chain[0])
	}
}

// TestArchiveWithFaults holds that blocks that were put stay, and that a
// failed put can be made again.
func TestArchiveWithFaults(t *testing.T) {
	block := func(m int) pith.ArchivedBlock {
		return pith.ArchivedBlock{Message: m, Role: pith.RoleUser, Kind: pith.KindText, Text: fmt.Sprint("text ", m%3)}
	}
	read := func(s *Store) (n int) {
		err := s.EachBlock(context.Background(), "s", func(b *pith.ArchivedBlock) error {
			if b.Text != block(b.Message).Text {
				t.Errorf("block %d is %q", b.Message, b.Text)
			}
			n++
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		return n
	}
	eachFault(t, true, func(t *testing.T, s *Store, f *faulty) ([]*pith.Saved, error) {
		if err := s.PutBlocks(t.Context(), "s", []pith.ArchivedBlock{block(0), block(1)}); err != nil {
			t.Fatal(err)
		}
		begin(f)
		err := s.PutBlocks(t.Context(), "s", []pith.ArchivedBlock{block(1), block(2), block(3)})
		at := f.at
		f.at = 0
		defer func() { f.at = at }()
		clean := reopened(t, s.dir)
		if n := read(clean); n != 2 && n != 4 || err == nil && n != 4 {
			t.Errorf("touch %d: %d blocks after %v", at, n, err)
		}
		if removedLock := f.failed > 0; removedLock {
			_ = s.sys.remove(s.path("s", lockName)) // a fault may leave it; its holder lives
		}
		if err := clean.PutBlocks(t.Context(), "s", []pith.ArchivedBlock{block(1), block(2), block(3)}); err != nil {
			t.Error(err)
		}
		if n := read(clean); n != 4 {
			t.Errorf("touch %d: %d blocks after they were put again", at, n)
		}
		return nil, err
	})
}
