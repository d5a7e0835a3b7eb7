package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pith-memory/pith"
)

// Put keeps a checkpoint: what is there is looked at and what is new is
// written in one transaction.
func (s *Store) Put(ctx context.Context, c *pith.Saved) error {
	if c == nil || c.State == nil {
		return s.fail("store a checkpoint", errors.New("there is no state"))
	}
	op := "store checkpoint " + shorten(c.State.Checkpoint.ID)
	if err := verify(c); err != nil {
		return s.fail(op, err)
	}
	return s.fail(op, s.data.write(ctx, func(tx *sql.Tx) error {
		there, err := makeRoom(ctx, tx, c)
		if err != nil || there {
			return err
		}
		return insert(ctx, tx, c)
	}))
}

// verify holds what is to be stored against its id.
func verify(c *pith.Saved) error {
	p := &c.State.Checkpoint
	written, _, err := readState(p.ID, c.JSON)
	switch {
	case errors.Is(err, errNewer):
		return err
	case err != nil:
		return fmt.Errorf("the written state is not the one that its id names: %w", err)
	case written.Checkpoint.ID != p.ID:
		return errors.New("the written state is of an older version of the contract")
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

// makeRoom says whether the checkpoint is there already. Else it sees that the
// checkpoint may follow, and moves aside the damaged records that are in its
// place or behind it. Errors: *pith.Conflict.
func makeRoom(ctx context.Context, tx *sql.Tx, c *pith.Saved) (there bool, err error) {
	p := &c.State.Checkpoint
	same, err := recordsOf(ctx, tx, `id = ?`, p.ID)
	if err != nil {
		return false, err
	}
	if len(same) > 0 {
		// A damaged one is made whole, wherever in its session it is.
		readable, err := isReadable(ctx, tx, &same[0])
		if err != nil || readable {
			return readable, err
		}
		return false, moveAside(ctx, tx, same)
	}
	if err := mayFollow(ctx, tx, c); err != nil {
		return false, err
	}
	behind, err := recordsOf(ctx, tx, `session = ? AND seq >= ?`, p.SessionID, p.Seq)
	if err != nil {
		return false, err
	}
	return false, moveAside(ctx, tx, behind)
}

// mayFollow holds that the parent is the latest checkpoint that can be read.
func mayFollow(ctx context.Context, tx *sql.Tx, c *pith.Saved) error {
	p, parent := &c.State.Checkpoint, parentOf(c.State)
	if follows, err := followsWhole(ctx, tx, c); err != nil || follows {
		return err
	}
	last, err := latest(ctx, tx, p.SessionID)
	switch {
	case err != nil:
		return err
	case last == nil && parent == "" && p.Seq == 0:
		return nil
	case last == nil && parent == "":
		return fmt.Errorf("it is number %d of its session, which has no other", p.Seq)
	case last == nil:
		return fmt.Errorf("its parent %s is %w", shorten(parent), pith.ErrNotFound)
	case parent != "" && last.is(parent):
		if last.record.entry.Seq+1 != p.Seq {
			return fmt.Errorf("it is number %d of its session and follows number %d", p.Seq, last.record.entry.Seq)
		}
		return nil
	}
	conflict := &pith.Conflict{Session: p.SessionID, Parent: parent, Existing: last.record.entry.ID, New: p.ID}
	taken, err := recordsOf(ctx, tx, `session = ? AND seq = ?`, p.SessionID, p.Seq)
	if err != nil {
		return err
	}
	if len(taken) > 0 {
		if readable, err := isReadable(ctx, tx, &taken[0]); err == nil && readable {
			conflict.Existing = taken[0].entry.ID
		}
	}
	return conflict
}

// followsWhole tells whether the newest record of the session is the parent, as
// this version of pith writes it, by its hash: much less work than to read it.
// Where it says no, there is something to find out.
func followsWhole(ctx context.Context, tx *sql.Tx, c *pith.Saved) (bool, error) {
	p := &c.State.Checkpoint
	records, err := recordsOf(ctx, tx, `session = ? ORDER BY seq DESC LIMIT 1`, p.SessionID)
	if err != nil || len(records) == 0 {
		return false, err
	}
	r := &records[0]
	if r.entry.ID != parentOf(c.State) || r.entry.Seq+1 != p.Seq {
		return false, nil
	}
	return isWhole(ctx, tx, r), nil
}

// recordsOf lists the records that have their place and meet a condition.
func recordsOf(ctx context.Context, tx *sql.Tx, condition string, args ...any) ([]record, error) {
	return collect(ctx, tx, scanRecord, `SELECT `+recordColumns+` FROM checkpoints WHERE aside IS NULL AND `+condition, args...)
}

// isReadable tells a whole record from a damaged one.
func isReadable(ctx context.Context, tx *sql.Tx, r *record) (bool, error) {
	_, err := load(ctx, tx, r)
	var wrong *damage
	if errors.As(err, &wrong) {
		return false, nil
	}
	return err == nil, err
}

// moveAside takes damaged records out of their place; they stay in the file
// for people to look at.
func moveAside(ctx context.Context, tx *sql.Tx, records []record) error {
	for i := range records {
		if _, err := tx.ExecContext(ctx, `UPDATE checkpoints SET aside = ? WHERE n = ?`, time.Now().UnixNano(), records[i].n); err != nil {
			return err
		}
	}
	return nil
}

func insert(ctx context.Context, tx *sql.Tx, c *pith.Saved) error {
	var disk sql.NullString
	if c.Disk != nil {
		b, err := json.Marshal(c.Disk)
		if err != nil {
			return err
		}
		disk = sql.NullString{String: string(b), Valid: true}
	}
	r, err := tx.ExecContext(ctx, `INSERT INTO states (state) VALUES (?)`, c.JSON)
	if err != nil {
		return err
	}
	n, err := r.LastInsertId()
	if err != nil {
		return err
	}
	p, sum := &c.State.Checkpoint, sha256.Sum256(c.JSON)
	_, err = tx.ExecContext(ctx, `INSERT INTO checkpoints
		(n, id, session, seq, parent, saved_at, owner, project, how, format, goal, through, turn, schema, bytes, sha256, disk)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		n, p.ID, p.SessionID, p.Seq, parentOf(c.State), nanoseconds(c.SavedAt), c.Owner, c.Project, c.How, string(p.Format), goalLine(c.State),
		p.ThroughMessage, p.CompactedAtTurn, c.State.SchemaVersion, len(c.JSON), sum[:], disk)
	return err
}

// goalLength is how many characters of a goal's first line a list shows.
const goalLength = 120

func goalLine(s *pith.State) string {
	line, _, _ := strings.Cut(strings.TrimLeft(s.Goal.Text, "\r\n"), "\n")
	line = strings.TrimRight(line, "\r ")
	if runes := []rune(line); len(runes) > goalLength {
		return string(runes[:goalLength-1]) + "…"
	}
	return line
}
