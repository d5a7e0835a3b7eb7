package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// database is one SQLite file with one connection: SQLite writes from one at a
// time anyway, and the reads here are short.
type database struct {
	db   *sql.DB
	path string
}

// busyTimeout is how long to wait for another process's write, in milliseconds.
const busyTimeout = "5000"

// connect opens a file, or makes it: 0600, in a folder of 0700. sync is what
// SQLite is to wait for when it commits: FULL, or NORMAL where the end may be
// lost. A database that has tables and another mark is left as it is.
func connect(ctx context.Context, path, sync string, mark int64) (*database, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := prepare(absolute); err != nil {
		return nil, err
	}
	connector, err := driver.NewConnector(address(absolute, sync))
	if err != nil {
		return nil, err
	}
	d := &database{db: sql.OpenDB(connector), path: absolute}
	d.db.SetMaxOpenConns(1)
	if err = d.checkMark(ctx, mark); err == nil {
		err = d.useLog(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// errForeign is the cause where a file is a database and none of ours.
var errForeign = errors.New("it is a database of something else")

func (d *database) checkMark(ctx context.Context, want int64) error {
	var mark int64
	var tables int
	// The table of migrations is there before the first of them.
	err := d.db.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name <> 'goose_db_version')`).Scan(&mark, &tables)
	if err == nil && tables > 0 && mark != want {
		return errForeign
	}
	return err
}

// useLog turns a file to a write-ahead log, once for ever. SQLite does not
// wait by itself for whoever does so at the same moment.
func (d *database) useLog(ctx context.Context) error {
	for wait := time.Millisecond; ; wait *= 2 {
		_, err := d.db.ExecContext(ctx, `PRAGMA journal_mode = WAL`)
		if code(err) != codes.SQLITE_BUSY || wait > 2*time.Second {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// address is the URI of a file with what each connection is set to.
func address(path, sync string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a volume's letter
	}
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(" + busyTimeout + ")",
		"synchronous(" + sync + ")",
		"foreign_keys(1)",
		"secure_delete(1)",
		"trusted_schema(0)",
		"cell_size_check(1)", // a damaged page is told as such
	}}
	return (&url.URL{Scheme: "file", Path: slashed, RawQuery: q.Encode()}).String()
}

// prepare makes the file before SQLite would, which asks for 0644. The files
// beside it get the mode that it has.
func prepare(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
			if err := os.Chmod(path+suffix, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *database) close() error { return d.db.Close() }

// write runs f in one IMMEDIATE transaction: nobody writes between what it
// reads and what it writes. The transaction is undone where f gives an error.
func (d *database) write(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback()
		return err
	}
	return tx.Commit()
}

// querier is what reads: the database, or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// collect reads all rows of a query, so that the connection is free again
// before anything else is done.
func collect[T any](ctx context.Context, q querier, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err says it
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// truncateLog empties the write-ahead log: what was deleted is in it still.
// Another process that reads holds it up; then it goes with the next write that can.
func (d *database) truncateLog(ctx context.Context) error {
	var busy, pages, moved int
	err := d.db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &moved)
	if err == nil && busy != 0 {
		return errors.New("another process reads the old content, so that its last traces are still in the log")
	}
	return err
}
