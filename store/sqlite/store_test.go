package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/store/storetest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(storetest.CrashFolder); dir != "" {
		store, err := Open(context.Background(), filepath.Join(dir, "pith.db"))
		if err == nil {
			err = storetest.SaveForever(store, os.Stdout)
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// openAt opens the store of a file for one test.
func openAt(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() pith.Store {
		path := filepath.Join(t.TempDir(), "pith.db")
		return func() pith.Store { return openAt(t, path) }
	})
}

func TestArchive(t *testing.T) {
	storetest.RunArchive(t, func(t *testing.T) func() pith.Archive {
		path := filepath.Join(t.TempDir(), "pith.db")
		return func() pith.Archive { return openAt(t, path) }
	})
}

func TestRecords(t *testing.T) {
	storetest.RunRecords(t, func(t *testing.T) storetest.Records {
		path := filepath.Join(t.TempDir(), "pith.db")
		return storetest.Records{
			Open: func() pith.Store { return openAt(t, path) },
			Rewrite: func(id string, change func([]byte) []byte) {
				behind(t, path, func(tx *sql.Tx) error {
					var n int64
					var doc []byte
					if err := tx.QueryRow(`SELECT n, state FROM checkpoints JOIN states USING (n) WHERE id = ?`, id).Scan(&n, &doc); err != nil {
						return err
					}
					_, err := tx.Exec(`UPDATE states SET state = ? WHERE n = ?`, append([]byte{}, change(bytes.Clone(doc))...), n)
					return err
				})
			},
		}
	})
}

// behind changes a file behind the store's back.
func behind(t *testing.T, path string, f func(tx *sql.Tx) error) {
	t.Helper()
	d, err := connect(t.Context(), path, "FULL", storeMark)
	if err == nil {
		err = d.write(t.Context(), f)
	}
	if err == nil {
		err = d.close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestCrash(t *testing.T) {
	storetest.Crash(t, storetest.Kills(t, os.Getenv("PITH_KILLS")), func(dir string) (pith.Store, error) {
		return Open(context.Background(), filepath.Join(dir, "pith.db"))
	})
}
