// Package sqlite keeps checkpoints, archived blocks and used nonces in one
// SQLite file, and finds words in sessions with an index in another. It is the
// default store.
package sqlite

import (
	"context"
	"errors"

	"github.com/pith-memory/pith"
)

// Store is a pith.Store, pith.Forgetter and pith.Archive in one SQLite file.
// Any number of processes may use the file at a time.
type Store struct{ data *database }

var (
	_ pith.Store     = (*Store)(nil)
	_ pith.Forgetter = (*Store)(nil)
	_ pith.Archive   = (*Store)(nil)
)

// Open opens a store, or makes an empty one. Errors: KindStore, also where a
// newer pith made it.
func Open(ctx context.Context, path string) (*Store, error) {
	// What was saved must be there after the machine lost its power.
	data, err := connect(ctx, path, "FULL", storeMark)
	if err != nil {
		return nil, fail("open the store", path, err)
	}
	if err := migrate(ctx, data); err != nil {
		return nil, fail("open the store", path, errors.Join(err, data.close()))
	}
	return &Store{data: data}, nil
}

// Close ends the use of the store.
func (s *Store) Close() error { return s.fail("close the store", s.data.close()) }

func (s *Store) fail(op string, err error) error { return fail(op, s.data.path, err) }

// shorten makes an id fit into a message.
func shorten(id string) string {
	runes := []rune(id)
	if len(runes) == 64 {
		return string(runes[:12])
	}
	if len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return id
}
