// Package opencode turns opencode's database into its sessions, each as
// "opencode export" writes it. The database is only ever read, also while
// opencode works in it.
package opencode

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	driver "modernc.org/sqlite"

	"github.com/pith-memory/pith"
)

// Session is what the database says of a session.
type Session struct {
	ID string
	// Parent is the session that this one works for, "" for one of a user's.
	Parent  string
	Folder  string
	Title   string
	Updated time.Time
}

// magic is how a file of SQLite begins.
const magic = "SQLite format 3\x00"

// IsDatabase tells whether a file is a database of SQLite.
func IsDatabase(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // a pipe would be read, and gone
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == magic
}

// Sessions lists the sessions of a database, those that changed last first.
func Sessions(ctx context.Context, path string) (out []Session, err error) {
	err = read(ctx, path, func(tx *sql.Tx) error {
		out = nil
		rows, err := tx.QueryContext(ctx, `SELECT id, coalesce(parent_id, ''), directory, title, time_updated FROM session ORDER BY time_updated DESC, id DESC`)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // it was read to its end, or an error is on its way
		for rows.Next() {
			var s Session
			var updated int64
			if err := rows.Scan(&s.ID, &s.Parent, &s.Folder, &s.Title, &updated); err != nil {
				return err
			}
			s.Updated = time.UnixMilli(updated)
			out = append(out, s)
		}
		return rows.Err()
	})
	return out, err
}

// read runs f in a transaction that sees one state of the database. Errors:
// KindInput.
func read(ctx context.Context, path string, f func(*sql.Tx) error) error {
	before, alone := look(path)
	err := readIn(ctx, address(path, alone), f)
	// Whoever began to write meanwhile was not waited for.
	if after, still := look(path); alone && (after != before || !still) {
		err = readIn(ctx, address(path, false), f)
	}
	var known *pith.Error
	switch {
	case errors.As(err, &known):
		return known
	case err == nil || ctx.Err() != nil:
		return err
	}
	return &pith.Error{
		Op: "read opencode's database " + path, Kind: pith.KindInput, Err: plain(err),
		Hint: "`opencode export SESSION > session.json` writes a session to a file",
	}
}

func readIn(ctx context.Context, address string, f func(*sql.Tx) error) (err error) {
	connector, err := driver.NewConnector(address)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	return errors.Join(f(tx), tx.Rollback())
}

// plain leaves the cause itself of what a database says.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// stamp changes when a file does.
type stamp struct {
	size int64
	at   time.Time
}

// look is the database as it is, and whether all of it is in its one file:
// nobody has written beside it.
func look(path string) (s stamp, alone bool) {
	if info, err := os.Stat(path); err == nil {
		s = stamp{info.Size(), info.ModTime()}
	}
	log, err := os.Stat(path + "-wal")
	return s, errors.Is(err, fs.ErrNotExist) || err == nil && log.Size() == 0
}

// busyTimeout is how long to wait for opencode, in milliseconds.
const busyTimeout = "2000"

// address is the URI of a database that is read. One that nobody works in is
// opened as if nobody could: else SQLite would leave files beside it.
func address(path string, alone bool) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a volume's letter
	}
	q := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(" + busyTimeout + ")", "query_only(1)", "trusted_schema(0)"}}
	if alone {
		q.Set("immutable", "1")
	}
	return (&url.URL{Scheme: "file", Path: slashed, RawQuery: q.Encode()}).String()
}
