package sqlite

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pith-memory/pith"
)

// place is where a passage stands in its session.
type place struct{ message, block, start int }

func (p *Passage) place() place {
	return place{p.Source.Message, p.Source.Block, p.Source.Start}
}

// beforeAll is before the first message and before the system parameter.
const beforeAll = pith.SystemIndex - 1

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.message, q.message), cmp.Compare(p.block, q.block), cmp.Compare(p.start, q.start))
}

// What is gathered for one transaction, at most.
const (
	batchBytes  = 1 << 20
	batchPieces = 4096
)

// adding is one call of Add: pieces are gathered, and compared with what the
// index holds at their places when they are written.
type adding struct {
	ctx     context.Context
	data    *database
	session int64
	pieces  []Passage
	bytes   int
	// last is the last place of all pieces that were added, flushed that of
	// those that were written.
	last, flushed place
}

func (a *adding) add(p Passage) error {
	from := p.place()
	if from.message <= beforeAll || from.block < 0 || from.start < 0 {
		return fmt.Errorf("a passage cannot stand at %s", p.Source)
	}
	if p.Text == "" {
		return nil
	}
	for start, text := range pieces(p.Text) {
		piece := p
		piece.Text = text
		piece.Source.Start = from.start + start
		piece.Source.End = piece.Source.Start + len(text)
		a.pieces = append(a.pieces, piece)
		if at := piece.place(); at.compare(a.last) > 0 {
			a.last = at
		}
		if a.bytes += len(text); a.bytes >= batchBytes || len(a.pieces) >= batchPieces {
			if err := a.flush(nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes what was gathered. With a fingerprint it is the last call: what
// the index holds behind the last piece is there no more.
func (a *adding) flush(fingerprint *string) error {
	slices.SortStableFunc(a.pieces, func(p, q Passage) int { return p.place().compare(q.place()) })
	until := a.last
	if fingerprint != nil {
		until = place{message: math.MaxInt}
	}
	err := a.data.write(a.ctx, func(tx *sql.Tx) error {
		there, err := indexed(a.ctx, tx, a.session, a.flushed, until)
		if err != nil {
			return err
		}
		w := newIndexWriter(a.ctx, tx, a.session)
		for i := range a.pieces {
			p := &a.pieces[i]
			if at := p.place(); at.compare(a.flushed) <= 0 || i > 0 && at == a.pieces[i-1].place() {
				w.replace(p) // it comes late, or again
				continue
			}
			w.put(p, &there)
		}
		for _, old := range there {
			w.remove(old.n)
		}
		if w.err == nil && fingerprint != nil {
			_, w.err = tx.ExecContext(a.ctx, `UPDATE sessions SET fingerprint = ? WHERE n = ?`, *fingerprint, a.session)
		}
		return w.err
	})
	clear(a.pieces)
	a.pieces, a.bytes, a.flushed = a.pieces[:0], 0, a.last
	return err
}

// known is a passage that the index holds.
type known struct {
	n, hash int64
	at      place
}

// indexed lists what the index holds after one place, up to and with another.
func indexed(ctx context.Context, tx *sql.Tx, session int64, after, until place) ([]known, error) {
	return collect(ctx, tx, func(rows *sql.Rows) (k known, err error) {
		return k, rows.Scan(&k.n, &k.hash, &k.at.message, &k.at.block, &k.at.start)
	}, `SELECT n, hash, message, block, start FROM passages
		WHERE session = ?1 AND (message, block, start) > (?2, ?3, ?4) AND (message, block, start) <= (?5, ?6, ?7)
		ORDER BY message, block, start`,
		session, after.message, after.block, after.start, until.message, until.block, until.start)
}

// indexWriter writes passages in one transaction, up to the first error.
type indexWriter struct {
	ctx     context.Context
	session int64
	// last is the number of the session's last passage.
	last   int64
	packed []byte
	err    error

	find, insert, word, delete, deleteWord *sql.Stmt
}

func newIndexWriter(ctx context.Context, tx *sql.Tx, session int64) *indexWriter {
	w := &indexWriter{ctx: ctx, session: session}
	prepare := func(query string) *sql.Stmt {
		s, err := tx.PrepareContext(ctx, query) // closed with its transaction
		w.err = errors.Join(w.err, err)
		return s
	}
	w.find = prepare(`SELECT n FROM passages WHERE session = ? AND message = ? AND block = ? AND start = ?`)
	w.insert = prepare(`INSERT INTO passages (n, session, message, block, start, "end", role, kind, origin, turn, tool, path, agent, time, hash, text)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	w.word = prepare(`INSERT INTO words (rowid, text) VALUES (?, ?)`)
	w.delete = prepare(`DELETE FROM passages WHERE n = ?`)
	w.deleteWord = prepare(`DELETE FROM words WHERE rowid = ?`)
	err := tx.QueryRowContext(ctx, `SELECT coalesce(max(n), ?1) FROM passages WHERE n BETWEEN ?1 AND ?2`,
		firstNumber(session), firstNumber(session+1)-1).Scan(&w.last)
	w.err = errors.Join(w.err, err)
	return w
}

// put writes a piece, unless it is there as it is. Of what is there, it takes
// away all that stands before the piece or in its place.
func (w *indexWriter) put(p *Passage, there *[]known) {
	at, hash := p.place(), p.hash()
	for len(*there) > 0 && (*there)[0].at.compare(at) <= 0 {
		old := (*there)[0]
		*there = (*there)[1:]
		if old.at == at && old.hash == hash {
			return
		}
		w.remove(old.n)
	}
	w.write(p, hash)
}

// replace writes a piece in the place of another, if there is one.
func (w *indexWriter) replace(p *Passage) {
	if w.err != nil {
		return
	}
	var n int64
	at := p.place()
	err := w.find.QueryRowContext(w.ctx, w.session, at.message, at.block, at.start).Scan(&n)
	switch {
	case err == nil:
		w.remove(n)
	case !errors.Is(err, sql.ErrNoRows):
		w.err = err
	}
	w.write(p, p.hash())
}

func (w *indexWriter) write(p *Passage, hash int64) {
	if w.err != nil {
		return
	}
	at := p.place()
	if w.packed, w.err = pack(w.packed[:0], p.Text); w.err != nil {
		return
	}
	w.last++
	_, w.err = w.insert.ExecContext(w.ctx, w.last, w.session, at.message, at.block, at.start, p.Source.End, string(p.Role), int(p.Kind), int(p.Origin),
		p.Turn, p.Tool, p.Path, p.Agent, nanoseconds(p.Time), hash, w.packed)
	if w.err == nil {
		_, w.err = w.word.ExecContext(w.ctx, w.last, spaced(p.Text))
	}
}

func (w *indexWriter) remove(n int64) {
	for _, s := range []*sql.Stmt{w.deleteWord, w.delete} {
		if w.err == nil {
			_, w.err = s.ExecContext(w.ctx, n)
		}
	}
}

// hash is over all that the index keeps of a passage but its place.
func (p *Passage) hash() int64 {
	h := sha256.New()
	fmt.Fprintf(h, "%q %d %d %d %q %q %q %d\n%s", p.Role, p.Kind, p.Origin, p.Turn, p.Tool, p.Path, p.Agent, p.Time.UnixNano(), p.Text)
	return int64(binary.LittleEndian.Uint64(h.Sum(nil)))
}

// nanoseconds is how a time is kept: since 1970, NULL where there is none.
func nanoseconds(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixNano(), Valid: !t.IsZero()}
}

// instant reads what nanoseconds wrote.
func instant(ns sql.NullInt64) time.Time {
	if !ns.Valid {
		return time.Time{}
	}
	return time.Unix(0, ns.Int64).UTC()
}
