package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/pith-memory/pith"
)

// Index finds words in the redacted text of sessions. It lies in a file of its
// own, which can be deleted at any time: all of it is made again from the transcripts.
type Index struct{ data *database }

// SourceKey says what a session's passages were read from.
type SourceKey struct {
	// Path is the transcript.
	Path string
	// Fingerprint is anything that changes when the transcript does, as its
	// size with the time of its last change.
	Fingerprint string
}

// What marks a file as an index, and as one of this layout.
const (
	indexMark   = 0x70697468 // "pith"
	indexLayout = 2
)

// indexTables is the layout. The words are kept without their text; that lies
// compressed beside them, once.
const indexTables = `
DROP TABLE IF EXISTS words;
DROP TABLE IF EXISTS passages;
DROP TABLE IF EXISTS sessions;
CREATE TABLE sessions (
	n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, path TEXT NOT NULL, fingerprint TEXT NOT NULL
);
CREATE TABLE passages (
	n INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES sessions(n),
	message INTEGER NOT NULL, block INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
	role TEXT NOT NULL, kind INTEGER NOT NULL, origin INTEGER NOT NULL, turn INTEGER NOT NULL,
	tool TEXT NOT NULL, path TEXT NOT NULL, agent TEXT NOT NULL, time INTEGER,
	hash INTEGER NOT NULL, text BLOB NOT NULL,
	UNIQUE (session, message, block, start)
);
CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
`

// OpenIndex opens an index, or makes an empty one. One of another version of
// pith is emptied. Errors: KindStore.
func OpenIndex(ctx context.Context, path string) (*Index, error) {
	// What is lost with the machine is indexed again: no need to wait for the disk.
	data, err := connect(ctx, path, "NORMAL", indexMark)
	if err != nil {
		return nil, failIndex("open the search index", path, err)
	}
	if err := data.write(ctx, layOutIndex); err != nil {
		return nil, failIndex("open the search index", path, errors.Join(err, data.close()))
	}
	return &Index{data: data}, nil
}

func layOutIndex(tx *sql.Tx) error {
	var mark, layout int
	err := tx.QueryRow(`SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version)`).Scan(&mark, &layout)
	if err != nil || mark == indexMark && layout == indexLayout {
		return err
	}
	_, err = tx.Exec(indexTables + fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", indexMark, indexLayout))
	return err
}

// failIndex is fail for a file that people may delete.
func failIndex(op, path string, err error) error {
	out := fail(op, path, err)
	var e *pith.Error
	if errors.As(out, &e) && (unreadable(err) || e.Hint == "" && code(err) != 0) {
		e.Hint = "delete " + path + " if it is a search index of pith: it is made again at the next search"
	}
	return out
}

// Close ends the use of the index.
func (x *Index) Close() error {
	return failIndex("close the search index", x.data.path, x.data.close())
}

// Fresh tells whether a session is indexed as its transcript is now.
func (x *Index) Fresh(ctx context.Context, session, fingerprint string) (bool, error) {
	var n int
	err := x.data.db.QueryRowContext(ctx, `SELECT count(*) FROM sessions WHERE id = ? AND fingerprint = ? AND fingerprint <> ''`, session, fingerprint).Scan(&n)
	return n > 0, failIndex("read the search index", x.data.path, err)
}

// Add brings a session up to what feed tells of it: all of its passages, best
// in the order of their sources. What is indexed already is left as it is, what
// is there no more is removed. If it is interrupted, the next call goes on from
// there. Nothing is locked while feed works.
func (x *Index) Add(ctx context.Context, session string, source SourceKey, feed func(add func(Passage) error) error) error {
	a := &adding{ctx: ctx, data: x.data, last: place{message: beforeAll}, flushed: place{message: beforeAll}}
	err := x.data.write(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `INSERT INTO sessions (id, path, fingerprint) VALUES (?, ?, '')
			ON CONFLICT (id) DO UPDATE SET path = excluded.path, fingerprint = '' RETURNING n`, session, source.Path).Scan(&a.session)
	})
	if err != nil {
		return failIndex("index the session", x.data.path, err)
	}
	// What feed itself says goes to the caller as it is.
	var own error
	err = feed(func(p Passage) error {
		own = a.add(p)
		return own
	})
	if err != nil && own == nil {
		return err
	}
	if err == nil {
		err = a.flush(&source.Fingerprint)
	}
	return failIndex("index the session", x.data.path, err)
}

// ofSession selects a session and those of its sub-agents, named "session#agent".
const ofSession = `id = ? OR substr(id, 1, length(?)) = ?`

// Forget removes a session's passages for good. One that is not there is no error.
func (x *Index) Forget(ctx context.Context, session string) error {
	err := x.data.write(ctx, func(tx *sql.Tx) error {
		for _, statement := range []string{
			`DELETE FROM words WHERE rowid IN (SELECT n FROM passages WHERE session IN (SELECT n FROM sessions WHERE ` + ofSession + `))`,
			`DELETE FROM passages WHERE session IN (SELECT n FROM sessions WHERE ` + ofSession + `)`,
			`DELETE FROM sessions WHERE ` + ofSession,
		} {
			if _, err := tx.ExecContext(ctx, statement, session, session+"#", session+"#"); err != nil {
				return err
			}
		}
		// Words that were deleted stay in the file until their part of the index is merged.
		_, err := tx.ExecContext(ctx, `INSERT INTO words (words) VALUES ('optimize')`)
		return err
	})
	if err == nil {
		err = x.data.truncateLog(ctx)
	}
	return failIndex("forget the session in the search index", x.data.path, err)
}
