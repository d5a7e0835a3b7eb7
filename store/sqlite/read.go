package sqlite

import (
	"context"
	"errors"

	"github.com/pith-memory/pith"
)

// Get fetches a checkpoint by its whole id, or by the id that one of an older
// schema version has since it was migrated.
func (s *Store) Get(ctx context.Context, id string) (*pith.Saved, error) {
	op := "read checkpoint " + shorten(id)
	records, err := collect(ctx, s.data.db, scanRecord, `SELECT `+recordColumns+` FROM checkpoints WHERE id = ? ORDER BY aside IS NOT NULL, n DESC`, id)
	if err == nil && len(records) == 0 {
		return s.migrated(ctx, op, id)
	}
	// Of several, all but the first are damaged and gave their place to another.
	for i := range records {
		c, loadErr := load(ctx, s.data.db, &records[i])
		if loadErr == nil {
			return c, nil
		}
		if i == 0 {
			err = loadErr
		}
	}
	var wrong *damage
	if errors.As(err, &wrong) {
		err = &pith.Damaged{ID: id, Why: wrong.why}
	}
	return nil, s.fail(op, err)
}

// migrated looks for an id among the checkpoints of older schema versions.
func (s *Store) migrated(ctx context.Context, op, id string) (*pith.Saved, error) {
	records, err := collect(ctx, s.data.db, scanRecord, `SELECT `+recordColumns+` FROM checkpoints WHERE schema <> ? AND aside IS NULL`, pith.SchemaVersion)
	for i := range records {
		if c, err := load(ctx, s.data.db, &records[i]); err == nil && c.State.Checkpoint.ID == id {
			return c, nil
		}
	}
	if err == nil {
		err = pith.ErrNotFound
	}
	return nil, s.fail(op, err)
}

// Latest fetches the newest checkpoint of a session that can be read.
func (s *Store) Latest(ctx context.Context, session string) (*pith.Saved, error) {
	last, err := latest(ctx, s.data.db, session)
	if err == nil && last == nil {
		err = pith.ErrNotFound
	}
	if err != nil {
		return nil, s.fail("read the latest checkpoint of session "+shorten(session), err)
	}
	return last.saved, nil
}

// stored is a record with its checkpoint.
type stored struct {
	record record
	saved  *pith.Saved
}

// is tells whether an id means this checkpoint: the one that it was stored
// under, or the one that it has since it was migrated.
func (r *stored) is(id string) bool {
	return id == r.record.entry.ID || id == r.saved.State.Checkpoint.ID
}

// latest reads the newest checkpoint of a session that can be read, nil where
// there is none. What a newer pith wrote is an error, for it is not damaged.
func latest(ctx context.Context, q querier, session string) (*stored, error) {
	records, err := collect(ctx, q, scanRecord, `SELECT `+recordColumns+` FROM checkpoints WHERE session = ? AND aside IS NULL ORDER BY seq DESC LIMIT 1`, session)
	for err == nil && len(records) > 0 {
		r := records[0]
		c, loadErr := load(ctx, q, &r)
		var wrong *damage
		switch {
		case loadErr == nil:
			return &stored{r, c}, nil
		case !errors.As(loadErr, &wrong):
			return nil, loadErr
		}
		records, err = collect(ctx, q, scanRecord, `SELECT `+recordColumns+` FROM checkpoints WHERE session = ? AND aside IS NULL AND seq < ? ORDER BY seq DESC LIMIT 1`,
			session, r.entry.Seq)
	}
	return nil, err
}

// List describes the checkpoints of a session, or of all where it is "".
func (s *Store) List(ctx context.Context, session string) ([]pith.Entry, error) {
	const op = "list the checkpoints"
	records, err := collect(ctx, s.data.db, scanRecord,
		`SELECT `+recordColumns+` FROM checkpoints WHERE ?1 = '' OR session = ?1 ORDER BY saved_at DESC, seq DESC, n DESC`, session)
	if err != nil {
		return nil, s.fail(op, err)
	}
	entries := make([]pith.Entry, 0, len(records))
	for i := range records {
		e, err := describe(ctx, s.data.db, &records[i])
		if err != nil {
			return nil, s.fail(op, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}
