package restore

import (
	"sort"
	"strings"

	"github.com/pith-memory/pith"
)

// section is a part of the block. Its items stand in the order they are
// written; rank says in which order they are taken.
type section struct {
	name  string // as in a reference: "inspected"
	title string
	// dense sections are one line: the title, then the items with sep between them.
	dense bool
	sep   string
	items []item
	// open is set once the title is paid for; spent is what optional items took.
	open  bool
	spent pith.Tokens
}

// item is what is kept or dropped as a whole.
type item struct {
	text string
	// short stands for text where that does not fit, "" where nothing can.
	short     string
	tokens    pith.Tokens
	rank      int
	must      bool
	kept      bool
	shortened bool
	id        string
	// sources are where it stands in the session, the first sourced of them.
	sources [2]pith.Source
	sourced int
}

func (s *section) add(rank int, text string) *item {
	s.items = append(s.items, item{text: text, rank: rank})
	return &s.items[len(s.items)-1]
}

func (s *section) must(text string) *item {
	s.items = append(s.items, item{text: text, must: true})
	return &s.items[len(s.items)-1]
}

// write appends the kept items under the section's title.
func (s *section) write(b *strings.Builder) {
	first := true
	for i := range s.items {
		it := &s.items[i]
		if !it.kept {
			continue
		}
		switch {
		case first && s.dense:
			b.WriteString("\n" + s.title)
		case first:
			b.WriteString("\n" + s.title + "\n")
		case s.dense:
			b.WriteString(s.sep)
		}
		if s.dense {
			b.WriteString(" " + it.text)
		} else {
			b.WriteString(it.text + "\n")
		}
		first = false
	}
	if !first && s.dense {
		b.WriteByte('\n')
	}
}

// grant lets a section take its best items until they hold a share of the room
// that is left by what is never dropped.
type grant struct {
	section string
	percent int
}

// grants are served in order, after what is never dropped. The shares were
// tuned on what agents used in the 60 calls after a compaction: names are
// cheap and needed most, so they come before prose; old and resolved matters
// come last. What a model drafted gets less than a third at first: it may not push out
// the names that the next calls need.
var grants = []grant{
	{secMessages, 25}, {secQuestions, 6}, {secPending, 6}, {secFailed, 8}, {secUnverified, 3},
	{secVerified, 7}, {secDecisions, 5}, {secEnvironment, 4},
	{secRuledOut, 8}, {secReasons, 6}, {secProgress, 5}, {secSteps, 4}, {secResults, 3}, {secOpen, 2},

	{secTests, 8}, {secCommits, 7}, {secSymbols, 10}, {secInspected, 14}, {secPaths, 18}, {secRefs, 3},

	{secFailures, 30}, {secPaths, 26}, {secInspected, 22}, {secCommits, 10}, {secSymbols, 18}, {secLastWords, 8}, {secDone, 4},
	{secKeyLines, 4}, {secDecisions, 9}, {secVerified, 12},

	{secTests, 14}, {secPaths, 30}, {secSymbols, 24}, {secRefs, 5}, {secDecisions, 14},
	{secFailed, 14}, {secKeyLines, 10}, {secTodo, 100}, {secURLs, 3},

	{secMessages, 100}, {secSymbols, 30}, {secPaths, 100}, {secInspected, 100}, {secTests, 100}, {secCommits, 100},
	{secQuestions, 100}, {secPending, 100}, {secEnvironment, 100}, {secDone, 100}, {secDecisions, 100}, {secFailures, 100},
	{secFailed, 100}, {secVerified, 100}, {secUnverified, 100}, {secKeyLines, 100}, {secSymbols, 100}, {secRefs, 100},
	{secRuledOut, 100}, {secReasons, 100}, {secProgress, 100}, {secSteps, 100}, {secResults, 100}, {secOpen, 100},
	{secLastWords, 100}, {secURLs, 100}, {secResolved, 10},
}

// overhead is kept free for the fence and for the line that counts the drops.
const overhead = 90

// choose keeps what is never dropped, then serves the grants.
func (r *renderer) choose() {
	r.used = overhead + r.count(r.opening()) + r.count(r.options.closing())
	byName := make(map[string]*section, len(r.sections))
	for i := range r.sections {
		s := &r.sections[i]
		byName[s.name] = s
		for j := range s.items {
			if it := &s.items[j]; it.must {
				r.keep(s, it, r.cost(s, it.text))
			}
		}
	}
	room := r.budget - r.used
	order := make(map[string][]*item, len(r.sections))
	for _, g := range grants {
		s := byName[g.section]
		if s == nil || r.used >= r.budget {
			continue
		}
		items, ok := order[g.section]
		if !ok {
			items = ranked(s)
		}
		order[g.section] = r.serve(s, items, room*pith.Tokens(g.percent)/100)
	}
}

// ranked returns the optional items of a section, best first.
func ranked(s *section) []*item {
	var out []*item
	for i := range s.items {
		if !s.items[i].must {
			out = append(out, &s.items[i])
		}
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].rank < out[b].rank })
	return out
}

// misses is how many items in a row may be too long before a section's turn ends.
const misses = 8

// serve takes items until the section holds limit tokens and returns the rest.
func (r *renderer) serve(s *section, items []*item, limit pith.Tokens) []*item {
	var rest []*item
	missed := 0
	for i, it := range items {
		if missed >= misses || r.used >= r.budget {
			return append(rest, items[i:]...)
		}
		room := min(r.budget-r.used, limit-s.spent)
		if it.tokens == 0 {
			it.tokens = r.cost(s, it.text)
		}
		if it.tokens <= room {
			r.take(s, it, it.tokens)
			missed = 0
			continue
		}
		if it.short != "" {
			if n := r.cost(s, it.short); n <= room {
				it.text, it.shortened = it.short, true
				r.take(s, it, n)
				continue
			}
		}
		missed++
		rest = append(rest, it)
	}
	return rest
}

func (r *renderer) keep(s *section, it *item, tokens pith.Tokens) {
	it.kept, it.tokens = true, tokens
	s.open = true
	r.used += tokens
}

// take keeps an optional item.
func (r *renderer) take(s *section, it *item, tokens pith.Tokens) {
	r.keep(s, it, tokens)
	s.spent += tokens
	r.taken = append(r.taken, it)
}

// cost is what an item adds to the block, its section's title with the first.
func (r *renderer) cost(s *section, text string) pith.Tokens {
	n := pith.Tokens(0)
	if !s.open {
		n = r.count(s.title) + 2
	}
	if s.dense {
		return n + r.count(" "+text+s.sep)
	}
	return n + r.count(text+"\n")
}

// fit writes the block and gives items back, last taken first, until the
// whole counts no more than the budget: the sum of parts is only an estimate.
func (r *renderer) fit() (string, pith.Tokens) {
	for {
		text := r.write()
		tokens := r.count(text)
		excess := tokens - r.budget
		if excess <= 0 || len(r.taken) == 0 {
			return text, tokens
		}
		for excess > 0 && len(r.taken) > 0 {
			it := r.taken[len(r.taken)-1]
			r.taken = r.taken[:len(r.taken)-1]
			it.kept = false
			excess -= it.tokens
		}
	}
}
