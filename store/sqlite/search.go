package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"

	"github.com/pith-memory/pith"
)

// SearchOptions say where to look and how much to give back.
type SearchOptions struct {
	// Session is the only one to look in, "" for all.
	Session string
	// Limit is the number of hits, 20 where it is 0; Offset leaves out those before.
	Limit, Offset int
}

// Hit is a passage that has all words of a query.
type Hit struct {
	Session string
	// Transcript is what the passage was read from.
	Transcript string
	// Passage has the piece of text that matched, with its place.
	Passage
	// Snippet is the part of the text, on one line, around the words; Marks are
	// the bytes of it that matched.
	Snippet string
	Marks   [][2]int
	// Score is higher for a better hit; it compares hits of one search alone.
	Score float64
}

// Search finds the passages that have every word of a query, the best first: a
// word may be the beginning of one in the text, its case and accents do not
// matter, and what stands in double quotes must stand together. No sign in it
// has any other meaning. A query without a word finds nothing.
func (x *Index) Search(ctx context.Context, query string, o SearchOptions) ([]Hit, error) {
	words := queryWords(query)
	if len(words) == 0 {
		return nil, nil
	}
	if o.Limit <= 0 {
		o.Limit = 20
	}
	first, last, err := x.numbers(ctx, o.Session)
	if err != nil || last == 0 {
		return nil, failIndex("search the sessions", x.data.path, err)
	}
	// The passages are chosen by number alone: a word may be in all of them, and
	// their texts would have to be sorted.
	hits, err := collect(ctx, x.data.db, func(rows *sql.Rows) (Hit, error) { return scanHit(rows, words) },
		`WITH found AS MATERIALIZED (
			SELECT rowid AS n, rank AS score FROM words
			WHERE words MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rank, rowid LIMIT ?4 OFFSET ?5
		)
		SELECT s.id, s.path, p.message, p.block, p.start, p."end", p.role, p.kind, p.origin, p.turn, p.tool, p.path, p.agent, p.time, p.text, -found.score
		FROM found JOIN passages p ON p.n = found.n JOIN sessions s ON s.n = p.session ORDER BY found.score, found.n`,
		matchExpression(words), first, last, o.Limit, max(o.Offset, 0))
	return hits, failIndex("search the sessions", x.data.path, err)
}

// numbers gives the first and the last number that a passage of a session may
// have, or of all; 0 where there is no such session.
func (x *Index) numbers(ctx context.Context, session string) (first, last int64, err error) {
	if session == "" {
		return 0, math.MaxInt64, nil
	}
	var n int64
	err = x.data.db.QueryRowContext(ctx, `SELECT n FROM sessions WHERE id = ?`, session).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, 0, nil
	}
	return firstNumber(n), firstNumber(n+1) - 1, err
}

// firstNumber is the number of the first passage of a session. Those of a
// session stand together, so that a search of one passes over the others.
func firstNumber(session int64) int64 { return session << 32 }

func scanHit(rows *sql.Rows, words []string) (h Hit, err error) {
	var packed []byte
	var at sql.NullInt64
	var role string
	err = rows.Scan(&h.Session, &h.Transcript, &h.Source.Message, &h.Source.Block, &h.Source.Start, &h.Source.End,
		&role, &h.Kind, &h.Origin, &h.Turn, &h.Tool, &h.Path, &h.Agent, &at, &packed, &h.Score)
	if err != nil {
		return h, err
	}
	h.Role, h.Time = pith.Role(role), instant(at)
	if h.Text, err = unpack(packed); err != nil {
		return h, err
	}
	h.Snippet, h.Marks = snippet(h.Text, words)
	return h, nil
}
