package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/pith-memory/pith"
)

// PutBlocks adds blocks, all of them or none. A text that several blocks have
// is kept once.
func (s *Store) PutBlocks(ctx context.Context, session string, blocks []pith.ArchivedBlock) error {
	now := time.Now().UnixNano()
	return s.fail("archive the blocks", s.data.write(ctx, func(tx *sql.Tx) error {
		w, err := newBlockWriter(ctx, tx)
		for i := range blocks {
			if err != nil {
				break
			}
			err = w.put(session, &blocks[i], now)
		}
		return err
	}))
}

// blockWriter writes blocks in one transaction.
type blockWriter struct {
	ctx                            context.Context
	there, text, insertText, block *sql.Stmt
}

func newBlockWriter(ctx context.Context, tx *sql.Tx) (*blockWriter, error) {
	w := &blockWriter{ctx: ctx}
	var errs error
	prepare := func(query string) *sql.Stmt {
		s, err := tx.PrepareContext(ctx, query) // closed with its transaction
		errs = errors.Join(errs, err)
		return s
	}
	w.there = prepare(`SELECT count(*) FROM blocks WHERE session = ? AND message = ? AND block = ?`)
	w.text = prepare(`SELECT n FROM texts WHERE sha256 = ?`)
	w.insertText = prepare(`INSERT INTO texts (sha256, text) VALUES (?, ?)`)
	w.block = prepare(`INSERT INTO blocks (session, message, block, role, kind, tool, call, agent, origin, time, hash, text, put_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	return w, errs
}

func (w *blockWriter) put(session string, b *pith.ArchivedBlock, now int64) error {
	var there int
	if err := w.there.QueryRowContext(w.ctx, session, b.Message, b.Block).Scan(&there); err != nil || there > 0 {
		return err
	}
	text, err := w.putText(b.Text)
	if err != nil {
		return err
	}
	_, err = w.block.ExecContext(w.ctx, session, b.Message, b.Block, string(b.Role), int(b.Kind), b.Tool, b.Call, b.Agent, int(b.Origin),
		nanoseconds(b.Time), b.Hash[:], text, now)
	return err
}

// putText gives the number of a text, and keeps it where it is new.
func (w *blockWriter) putText(text string) (n int64, err error) {
	sum := sha256.Sum256([]byte(text))
	err = w.text.QueryRowContext(w.ctx, sum[:]).Scan(&n)
	if !errors.Is(err, sql.ErrNoRows) {
		return n, err
	}
	packed, err := pack(nil, text)
	if err != nil {
		return 0, err
	}
	r, err := w.insertText.ExecContext(w.ctx, sum[:], packed)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// archived is a block as it is stored.
type archived struct {
	block  pith.ArchivedBlock
	sha256 []byte
	packed []byte
}

func scanBlock(rows *sql.Rows) (a archived, err error) {
	var at sql.NullInt64
	var hash []byte
	b := &a.block
	err = rows.Scan(&b.Message, &b.Block, &b.Role, &b.Kind, &b.Tool, &b.Call, &b.Agent, &b.Origin, &at, &hash, &a.sha256, &a.packed)
	b.Time = instant(at)
	copy(b.Hash[:], hash)
	return a, err
}

// unpack gives the block its text. Errors: *damage.
func (a *archived) unpack() error {
	text, err := unpack(a.packed)
	if err != nil {
		return damagedf("block %d.%d is damaged: %s", a.block.Message, a.block.Block, oneLine(err))
	}
	if sum := sha256.Sum256([]byte(text)); string(sum[:]) != string(a.sha256) {
		return damagedf("block %d.%d is damaged: its text is not what was stored", a.block.Message, a.block.Block)
	}
	a.block.Text = text
	return nil
}

// blocksAtOnce is how many blocks are read before f is called: nothing is
// locked while it works.
const blocksAtOnce = 16

// EachBlock calls f with the blocks of a session in their order. A damaged one
// costs itself alone: the others are told, then its error is returned.
func (s *Store) EachBlock(ctx context.Context, session string, f func(*pith.ArchivedBlock) error) error {
	const op = "read the archived blocks"
	var broken error
	for message, block := beforeAll, 0; ; {
		found, err := collect(ctx, s.data.db, scanBlock, `SELECT b.message, b.block, b.role, b.kind, b.tool, b.call, b.agent, b.origin, b.time, b.hash, t.sha256, t.text
			FROM blocks b JOIN texts t ON t.n = b.text
			WHERE b.session = ?1 AND (b.message, b.block) > (?2, ?3) ORDER BY b.message, b.block LIMIT ?4`, session, message, block, blocksAtOnce)
		if err != nil {
			return s.fail(op, err)
		}
		for i := range found {
			a := &found[i]
			message, block = a.block.Message, a.block.Block
			if err := a.unpack(); err != nil {
				broken = errors.Join(broken, err)
				continue
			}
			if err := f(&a.block); err != nil {
				return err
			}
		}
		if len(found) < blocksAtOnce {
			return s.fail(op, broken)
		}
	}
}

// Prune removes the blocks that were put before a time.
func (s *Store) Prune(ctx context.Context, before time.Time) (n int, err error) {
	err = s.data.write(ctx, func(tx *sql.Tx) error {
		if n, err = deleted(tx.ExecContext(ctx, `DELETE FROM blocks WHERE put_at < ?`, before.UnixNano())); err != nil || n == 0 {
			return err
		}
		_, err := tx.ExecContext(ctx, dropUnusedTexts)
		return err
	})
	if err == nil && n > 0 {
		err = s.data.truncateLog(ctx)
	}
	if err != nil {
		err = s.fail(fmt.Sprintf("remove the blocks from before %s", before.Format(time.DateTime)), err)
	}
	return n, err
}

const dropUnusedTexts = `DELETE FROM texts WHERE NOT EXISTS (SELECT 1 FROM blocks WHERE blocks.text = texts.n)`

func deleted(r sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	return int(n), err
}
