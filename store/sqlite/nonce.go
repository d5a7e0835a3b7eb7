package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// ErrUsed is the error for a nonce that was used before.
var ErrUsed = errors.New("it was used before")

// keepExpired is how long a nonce is remembered after it expired: clocks differ,
// and are set.
const keepExpired = 30 * 24 * time.Hour

// Use records that a nonce was used. Of any number of calls with the same one,
// in whatever processes, one succeeds. Errors: ErrUsed.
func (s *Store) Use(ctx context.Context, nonce string, expires time.Time) error {
	return s.fail("record the nonce", s.data.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM nonces WHERE expires < ?`, time.Now().Add(-keepExpired).Unix()); err != nil {
			return err
		}
		n, err := deleted(tx.ExecContext(ctx, `INSERT INTO nonces (nonce, expires) VALUES (?, ?) ON CONFLICT DO NOTHING`, nonce, expires.Unix()))
		if err == nil && n == 0 {
			return ErrUsed
		}
		return err
	}))
}
