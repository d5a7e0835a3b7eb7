package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	codes "modernc.org/sqlite/lib"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/schema"
)

// record is what describes a stored checkpoint; its state lies apart.
type record struct {
	n      int64
	entry  pith.Entry
	schema string
	sha256 []byte
	disk   []byte
	// aside is set where it was damaged and gave its place to another.
	aside bool
}

// recordColumns are what scanRecord reads.
const recordColumns = `n, id, session, seq, parent, saved_at, owner, project, how, format, goal, through, turn, schema, bytes, sha256, disk, aside IS NOT NULL`

func scanRecord(rows *sql.Rows) (r record, err error) {
	var savedAt sql.NullInt64
	var disk sql.NullString
	e := &r.entry
	err = rows.Scan(&r.n, &e.ID, &e.SessionID, &e.Seq, &e.ParentID, &savedAt, &e.Owner, &e.Project, &e.How, &e.Format, &e.Goal,
		&e.Through, &e.Turn, &r.schema, &e.Bytes, &r.sha256, &disk, &r.aside)
	e.SavedAt = instant(savedAt)
	if disk.Valid {
		r.disk = []byte(disk.String)
	}
	return r, err
}

// damage is the cause where a record cannot be read: what is wrong with it.
type damage struct{ why string }

func (d *damage) Error() string { return d.why }

func damagedf(format string, args ...any) error { return &damage{fmt.Sprintf(format, args...)} }

// errNewer is the cause where there is no damage and still nothing to read.
var errNewer = &pith.Error{
	Op: "read a checkpoint", Kind: pith.KindStore, Err: errors.New("it was written by a newer pith: update pith"),
	Hint: "update pith, or go on in a new session",
}

// load reads the checkpoint that a record describes. One of an older version
// of the contract comes migrated, with the id of its new content. Errors:
// *damage, errNewer, and those of SQLite.
func load(ctx context.Context, q querier, r *record) (*pith.Saved, error) {
	doc, err := loadState(ctx, q, r.n)
	if err != nil {
		return nil, err
	}
	c := &pith.Saved{JSON: doc, SavedAt: r.entry.SavedAt, Owner: r.entry.Owner, Project: r.entry.Project, How: r.entry.How}
	if c.State, c.JSON, err = readState(r.entry.ID, doc); err != nil {
		return nil, err
	}
	if p := &c.State.Checkpoint; p.SessionID != r.entry.SessionID || p.Seq != r.entry.Seq {
		return nil, damagedf("it is number %d of session %.60q, in the place of another", p.Seq, p.SessionID)
	}
	if r.disk != nil {
		if err := json.Unmarshal(r.disk, &c.Disk); err != nil {
			return nil, damagedf("what the workspace looked like cannot be read: %s", oneLine(err))
		}
	}
	return c, nil
}

// loadState reads the written state. A page that is broken is damage of the one record.
func loadState(ctx context.Context, q querier, n int64) ([]byte, error) {
	var doc []byte
	err := q.QueryRowContext(ctx, `SELECT state FROM states WHERE n = ?`, n).Scan(&doc)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, damagedf("its state is missing")
	case code(err) == codes.SQLITE_CORRUPT:
		return nil, damagedf("the part of the file where it lies is corrupt")
	}
	return doc, err
}

// readState reads a written state that was stored under an id, and gives it as
// this version of pith writes it.
func readState(id string, doc []byte) (*pith.State, []byte, error) {
	var head struct {
		Version    string `json:"schema_version"`
		Checkpoint struct {
			ID string `json:"id"`
		} `json:"checkpoint"`
	}
	if err := json.Unmarshal(doc, &head); err != nil {
		return nil, nil, damagedf("it is no whole JSON document")
	}
	if schema.Newer(head.Version) {
		return nil, nil, errNewer
	}
	if own, err := schema.DocumentID(doc); err != nil || own != id || head.Checkpoint.ID != id {
		return nil, nil, damagedf("its content is not what its id names: it was changed after it was stored")
	}
	if head.Version != pith.SchemaVersion {
		migrated, _, err := schema.Migrate(doc)
		if err != nil {
			return nil, nil, damagedf("its schema version %.20q cannot be brought up to date: %s", head.Version, oneLine(err))
		}
		doc = migrated
	}
	s, err := schema.Unmarshal(doc)
	if err != nil {
		return nil, nil, damagedf("%s", oneLine(err))
	}
	return s, doc, nil
}

// describe gives the entry of a record. Its state is held against a hash, which
// is much less work than to read it, unless there is something to find out.
func describe(ctx context.Context, q querier, r *record) (pith.Entry, error) {
	e := r.entry
	if !r.aside && isWhole(ctx, q, r) {
		return e, nil
	}
	c, err := load(ctx, q, r)
	var wrong *damage
	switch {
	case err == nil:
		e.ID = c.State.Checkpoint.ID
	case errors.As(err, &wrong):
		e.Damaged = wrong.why
	case errors.Is(err, errNewer):
		e.Damaged = errNewer.Err.Error()
	default:
		return e, err
	}
	return e, nil
}

// isWhole tells whether a state is, byte for byte, what this version of pith
// stored.
func isWhole(ctx context.Context, q querier, r *record) bool {
	if r.schema != pith.SchemaVersion {
		return false
	}
	doc, err := loadState(ctx, q, r.n)
	sum := sha256.Sum256(doc)
	return err == nil && bytes.Equal(sum[:], r.sha256)
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", " ") }
