package sqlite

import (
	"context"
	"database/sql"

	"github.com/pith-memory/pith"
)

// Forget removes a session for good: its checkpoints, damaged ones too, and its
// archived blocks are overwritten in the file and gone from the log beside it.
// The search index is a file of its own, with a Forget of its own.
func (s *Store) Forget(ctx context.Context, session string) (checkpoints int, err error) {
	op := "forget session " + shorten(session)
	err = s.data.write(ctx, func(tx *sql.Tx) error {
		var states []int64
		states, err := collect(ctx, tx, func(rows *sql.Rows) (n int64, err error) { return n, rows.Scan(&n) },
			`SELECT n FROM checkpoints WHERE session = ?`, session)
		if err != nil {
			return err
		}
		if checkpoints, err = deleted(tx.ExecContext(ctx, `DELETE FROM checkpoints WHERE session = ?`, session)); err != nil {
			return err
		}
		for _, n := range states {
			if _, err := tx.ExecContext(ctx, `DELETE FROM states WHERE n = ?`, n); err != nil {
				return err
			}
		}
		blocks, err := deleted(tx.ExecContext(ctx, `DELETE FROM blocks WHERE session = ?`, session))
		if err != nil {
			return err
		}
		if checkpoints == 0 && blocks == 0 {
			return pith.ErrNotFound
		}
		_, err = tx.ExecContext(ctx, dropUnusedTexts)
		return err
	})
	if err != nil {
		return 0, s.fail(op, err)
	}
	return checkpoints, s.fail(op, s.data.truncateLog(ctx))
}
