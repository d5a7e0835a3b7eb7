package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/store/storetest"
)

var (
	_ pith.Store     = (*Store)(nil)
	_ pith.Forgetter = (*Store)(nil)
	_ pith.Archive   = (*Store)(nil)
)

// TestMain is also the process that TestCrash kills.
func TestMain(m *testing.M) {
	if dir := os.Getenv(storetest.CrashFolder); dir != "" {
		s, err := Open(dir)
		if err == nil {
			err = storetest.SaveForever(s, os.Stdout)
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func reopened(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() pith.Store {
		dir := t.TempDir()
		return func() pith.Store { return reopened(t, dir) }
	})
}

func TestArchive(t *testing.T) {
	storetest.RunArchive(t, func(t *testing.T) func() pith.Archive {
		dir := t.TempDir()
		return func() pith.Archive { return reopened(t, dir) }
	})
}

// withoutLinks is a file system that has no hard links.
func withoutLinks() system {
	sys := realSystem()
	sys.link = func(string, string) error { return fmt.Errorf("link: %w", errors.ErrUnsupported) }
	return sys
}

func TestStoreWithoutLinks(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() pith.Store {
		dir := t.TempDir()
		return func() pith.Store {
			s, err := open(dir, withoutLinks())
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	})
}

func TestRecords(t *testing.T) {
	storetest.RunRecords(t, func(t *testing.T) storetest.Records {
		dir := t.TempDir()
		return storetest.Records{
			Open: func() pith.Store { return reopened(t, dir) },
			Rewrite: func(id string, change func([]byte) []byte) {
				s := reopened(t, dir)
				at, err := s.find(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				path := s.path(at.folder, recordName(at.seq))
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, change(b), 0o600); err != nil {
					t.Fatal(err)
				}
			},
		}
	})
}

func TestCrash(t *testing.T) {
	storetest.Crash(t, storetest.Kills(t, os.Getenv("PITH_KILLS")), func(dir string) (pith.Store, error) { return Open(dir) })
}

// files lists what lies in a folder, by path from it.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
