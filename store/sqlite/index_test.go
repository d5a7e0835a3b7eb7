package sqlite

import (
	"path/filepath"
	"testing"

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
