package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pith-memory/pith"
)

func openIndex(t *testing.T) *Index {
	t.Helper()
	x, err := OpenIndex(t.Context(), filepath.Join(t.TempDir(), "search.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// index adds one message for each text.
func index(t *testing.T, x *Index, session string, texts ...string) {
	t.Helper()
	err := x.Add(t.Context(), session, SourceKey{Path: "/t/" + session, Fingerprint: "1"}, func(add func(Passage) error) error {
		for i, text := range texts {
			if err := add(Passage{Source: pith.Source{Message: i}, Turn: i, Text: text}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func messages(t *testing.T, x *Index, query string) []int {
	t.Helper()
	hits, err := x.Search(t.Context(), query, SearchOptions{})
	if err != nil {
		t.Fatalf("%q: %v", query, err)
	}
	out := []int{}
	for _, h := range hits {
		out = append(out, h.Source.Message)
	}
	return out
}

func TestSearchWords(t *testing.T) {
	x := openIndex(t)
	index(t, x, "s",
		"the foo-bar of internal/config.go failed",
		"昨天的会话保存失败了",
		"検索インデックスを作る",
		"Ärger with the Café",
		"회의를 시작하다",
		"foo and then a bar")
	for _, c := range []struct {
		query string
		want  []int
	}{
		{"foo-bar", []int{0}},
		{`"foo and"`, []int{5}},
		{"bar foo", []int{0, 5}},
		{"config.go", []int{0}},
		{"conf", []int{0}},
		{"会话", []int{1}},
		{"会", []int{1}},
		{"话会", []int{}},
		{"インデックス", []int{2}},
		{"索", []int{2}},
		{"cafe", []int{3}},
		{"ÄRGER", []int{3}},
		{"회의", []int{4}},
		{"NOT", []int{}}, {"AND OR NEAR(", []int{}}, {`"`, []int{}}, {"*", []int{}}, {"^", []int{}}, {"foo* -the", []int{0, 5}},
		{"text:foo", []int{}}, {"", []int{}}, {"\x00\xff", []int{}}, {"\u0e31", []int{}}, {"\u0301", []int{}}, {"'; DROP", []int{}},
	} {
		got := messages(t, x, c.query)
		if len(got) != len(c.want) {
			t.Errorf("%q finds %v, want %v", c.query, got, c.want)
		}
	}
}

// feedOf adds texts as the blocks of messages from a number on.
func feedOf(from int, texts ...string) func(func(Passage) error) error {
	return func(add func(Passage) error) error {
		for i, text := range texts {
			if err := add(Passage{Source: pith.Source{Message: from + i}, Text: text}); err != nil {
				return err
			}
		}
		return nil
	}
}

func rows(t *testing.T, x *Index) map[string]int64 {
	t.Helper()
	all, err := collect(t.Context(), x.data.db, func(r *sql.Rows) (struct {
		n    int64
		text string
	}, error) {
		var row struct {
			n    int64
			text string
		}
		var packed []byte
		err := r.Scan(&row.n, &packed)
		if err == nil {
			row.text, err = unpack(packed)
		}
		return row, err
	}, `SELECT n, text FROM passages ORDER BY session, message, block, start`)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int64{}
	for _, row := range all {
		out[row.text] = row.n
	}
	return out
}

// TestAddAgain holds that a grown transcript costs what is new, and that what
// changed or went is no longer found.
func TestAddAgain(t *testing.T) {
	x := openIndex(t)
	add := func(fingerprint string, feed func(func(Passage) error) error) {
		t.Helper()
		if err := x.Add(t.Context(), "s", SourceKey{Path: "p", Fingerprint: fingerprint}, feed); err != nil {
			t.Fatal(err)
		}
	}
	fresh := func(fingerprint string) bool {
		t.Helper()
		ok, err := x.Fresh(t.Context(), "s", fingerprint)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if fresh("1") || fresh("") {
		t.Error("an empty index is fresh")
	}
	add("1", feedOf(-1, "system", "alpha", "beta"))
	if !fresh("1") || fresh("2") {
		t.Error("the fingerprint is not the one that was given")
	}
	first := rows(t, x)
	add("2", feedOf(-1, "system", "alpha", "beta", "gamma", "delta"))
	grown := rows(t, x)
	for text, n := range first {
		if grown[text] != n {
			t.Errorf("%q was indexed again", text)
		}
	}
	if !fresh("2") || len(grown) != 5 {
		t.Errorf("after it grew: %v", grown)
	}
	add("3", feedOf(-1, "system", "alpha", "changed", "gamma"))
	if got := messages(t, x, "beta"); len(got) != 0 {
		t.Errorf("what was changed is found in %v", got)
	}
	if got := messages(t, x, "delta"); len(got) != 0 {
		t.Errorf("what went is found in %v", got)
	}
	if now := rows(t, x); now["alpha"] != first["alpha"] || now["gamma"] != grown["gamma"] || len(now) != 4 {
		t.Errorf("after it changed: %v", now)
	}
	// Late and doubled ones are taken; the last word counts.
	add("4", func(add func(Passage) error) error {
		for _, m := range []int{3, 1, 2, 1} {
			if err := add(Passage{Source: pith.Source{Message: m}, Text: fmt.Sprint("late ", m)}); err != nil {
				return err
			}
		}
		return nil
	})
	if now := rows(t, x); len(now) != 3 || len(messages(t, x, "late")) != 3 {
		t.Errorf("out of order: %v", now)
	}
}

// TestAddInterrupted holds that an index that was left half done is not taken
// for a whole one, and is gone on with.
func TestAddInterrupted(t *testing.T) {
	x := openIndex(t)
	stop := errors.New("stop")
	var lines strings.Builder
	for i := range 60_000 { // more than a batch
		fmt.Fprintf(&lines, "line %d of the session\n", i)
	}
	long := lines.String()
	err := x.Add(t.Context(), "s", SourceKey{Fingerprint: "1"}, func(add func(Passage) error) error {
		if err := add(Passage{Text: long}); err != nil {
			return err
		}
		return stop
	})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	half := rows(t, x)
	if ok, err := x.Fresh(t.Context(), "s", "1"); ok || err != nil || len(half) == 0 {
		t.Errorf("half an index is fresh: %v, %v, %d", ok, err, len(half))
	}
	if err := x.Add(t.Context(), "s", SourceKey{Fingerprint: "1"}, feedOf(0, long, "needle")); err != nil {
		t.Fatal(err)
	}
	whole := rows(t, x)
	for text, n := range half {
		if whole[text] != n {
			t.Fatal("what was indexed was indexed again")
		}
	}
	if got := messages(t, x, "needle"); len(got) != 1 {
		t.Error("what came after is not found")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := x.Add(ctx, "s", SourceKey{}, feedOf(0, "x")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestHits(t *testing.T) {
	x := openIndex(t)
	at := time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)
	long := strings.Repeat("nothing of interest here\n", 300) + "the Needle-Work\tbegins\nhere\n" + strings.Repeat("more of nothing\n", 300)
	want := Passage{
		Source: pith.Source{Message: 7, Block: 2}, Role: pith.RoleUser, Kind: pith.KindToolResult, Origin: pith.ToolOutput,
		Turn: 3, Tool: "Read", Path: "/w/a b.go", Agent: "sub", Time: at, Text: long,
	}
	err := x.Add(t.Context(), "one", SourceKey{Path: "/t/one.jsonl"}, func(add func(Passage) error) error { return add(want) })
	if err != nil {
		t.Fatal(err)
	}
	index(t, x, "two", "another needle work", "needle")
	hits, err := x.Search(t.Context(), `"NEEDLE work"`, SearchOptions{Session: "one"})
	if err != nil || len(hits) != 1 {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	h := hits[0]
	if h.Session != "one" || h.Transcript != "/t/one.jsonl" || h.Text != long[h.Source.Start:h.Source.End] || h.Source.Start == 0 || len(h.Text) > passageBytes {
		t.Errorf("%+v", h)
	}
	got := h.Passage
	got.Text, got.Source = want.Text, want.Source
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if len(h.Marks) != 1 || h.Snippet[h.Marks[0][0]:h.Marks[0][1]] != "Needle-Work" || strings.ContainsAny(h.Snippet, "\n\t") {
		t.Errorf("%q, %v", h.Snippet, h.Marks)
	}
	all, err := x.Search(t.Context(), "needle", SearchOptions{})
	if err != nil || len(all) != 3 || all[0].Session != "two" || all[0].Score < all[2].Score {
		t.Fatalf("%+v, %v", all, err)
	}
	for i := range all {
		one, err := x.Search(t.Context(), "needle", SearchOptions{Limit: 1, Offset: i})
		if err != nil || len(one) != 1 || one[0].Source != all[i].Source || one[0].Session != all[i].Session {
			t.Errorf("page %d: %+v, %v", i, one, err)
		}
	}
}

// TestExactFirst holds that a word comes before what only begins with it.
func TestExactFirst(t *testing.T) {
	x := openIndex(t)
	index(t, x, "s", "sessions sessions", "a session", "sessional", "nothing")
	if got := messages(t, x, "session"); len(got) != 3 || got[0] != 1 {
		t.Errorf("%v", got)
	}
}

func TestIndexForget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "search.db")
	x, err := OpenIndex(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	index(t, x, "gone", "unmistakableword stands here", "and here unmistakableword")
	index(t, x, "gone#agent-7", "a sub-agent says unmistakableword")
	index(t, x, "kept", "another word")
	index(t, x, "gone2", "its own word")
	if err := x.Forget(t.Context(), "gone"); err != nil {
		t.Fatal(err)
	}
	if err := x.Forget(t.Context(), "never there"); err != nil {
		t.Fatal(err)
	}
	if got := messages(t, x, "unmistakableword"); len(got) != 0 {
		t.Errorf("found in %v", got)
	}
	if got := messages(t, x, "another"); len(got) != 1 {
		t.Errorf("the other session is found in %v", got)
	}
	if got := messages(t, x, "own"); len(got) != 1 {
		t.Errorf("a session whose id begins the same is found in %v", got)
	}
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte("unmistakable")) {
			t.Errorf("the word is still in the file%s", suffix)
		}
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
}

// TestIndexOfAnotherVersion holds that an index that cannot be read is made again.
func TestIndexOfAnotherVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "search.db")
	x, err := OpenIndex(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	index(t, x, "s", "word")
	if _, err := x.data.db.Exec(`PRAGMA user_version = 99`); err != nil {
		t.Fatal(err)
	}
	x.Close()
	if x, err = OpenIndex(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if got := messages(t, x, "word"); len(got) != 0 {
		t.Errorf("found in %v", got)
	}
	index(t, x, "s", "word")
	if got := messages(t, x, "word"); len(got) != 1 {
		t.Errorf("found in %v", got)
	}
}

// TestPieces holds that the pieces of a text are the text, cut between characters.
func TestPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.StringOfN(rapid.RuneFrom([]rune("ab \n会é🧪")), 0, 400, -1).Draw(t, "text"), rapid.IntRange(1, 30).Draw(t, "times"))
		next := 0
		for start, piece := range pieces(text) {
			if start != next || piece == "" || len(piece) > passageBytes*5/4 || !utf8.ValidString(piece) {
				t.Fatalf("piece of %d bytes at %d, want one at %d", len(piece), start, next)
			}
			next += len(piece)
			if text[start:next] != piece {
				t.Fatal("it is not what stands there")
			}
		}
		if next != len(text) {
			t.Fatalf("%d of %d bytes", next, len(text))
		}
	})
	n := 0
	for range pieces(strings.Repeat("\x80", 10_000)) {
		n++
	}
	if n < 4 || n > 6 {
		t.Errorf("%d pieces", n)
	}
}

// FuzzSearch holds that no query is an error, whatever the text, and that a
// snippet is a text with marks in it.
func FuzzSearch(f *testing.F) {
	x, err := OpenIndex(f.Context(), filepath.Join(f.TempDir(), "search.db"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { x.Close() })
	for _, seed := range []string{"foo-bar", `"a b" c*`, "会话 x", "NEAR(a b)", "-a +b ^c", "{a b}: c", "\"\"\"", "\x00a", "é \u0301", "ก็ดี"} {
		f.Add(seed, "some text with "+seed)
	}
	f.Fuzz(func(t *testing.T, query, text string) {
		if err := x.Add(t.Context(), "s", SourceKey{}, feedOf(0, text)); err != nil {
			t.Fatal(err)
		}
		hits, err := x.Search(t.Context(), query, SearchOptions{})
		if err != nil {
			t.Fatalf("%q: %v", query, err)
		}
		for _, h := range hits {
			last := 0
			for _, m := range h.Marks {
				if m[0] < last || m[1] <= m[0] || m[1] > len(h.Snippet) {
					t.Fatalf("marks %v in %q", h.Marks, h.Snippet)
				}
				last = m[1]
			}
		}
	})
}
