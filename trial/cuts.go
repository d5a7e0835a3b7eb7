package trial

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
	"github.com/pith-memory/pith/meter"
)

// Place says where a session is cut: at the client's own compactions, at the
// end, or at a share of its tokens, in percent from 1 to 99.
type Place int

// The places that are no share.
const (
	Boundaries Place = 0
	End        Place = 100
)

// ParsePlaces reads a list of places with commas: "boundaries,end,25,50,75".
func ParsePlaces(list string) ([]Place, error) {
	var out []Place
	for word := range strings.SplitSeq(list, ",") {
		word = strings.TrimSpace(word)
		n, err := strconv.Atoi(strings.TrimSuffix(word, "%"))
		switch {
		case word == "boundaries":
			out = append(out, Boundaries)
		case word == "end":
			out = append(out, End)
		case err == nil && n > 0 && n < 100:
			out = append(out, Place(n))
		default:
			return nil, fmt.Errorf("%q is no place to cut: want boundaries, end, or percent from 1 to 99", word)
		}
	}
	return out, nil
}

// cut is a place between two records of a session.
type cut struct {
	measure.Cut
	// record is the index of the first record behind the cut.
	record int
	// boundary is the number of the client's compaction here, 0 for none.
	boundary int
	// previous is the last message of the round before, -1 without one.
	previous int
}

// name is how an error names the cut.
func (c *cut) name() string {
	if c.Kind == "end" {
		return "the end"
	}
	return fmt.Sprintf("%s %d", c.Kind, c.N)
}

// cuts lists where the session is to be cut, in its order, each place once: of
// a share and a boundary at the same place the boundary is left.
func (s *session) cuts(places []Place) []cut {
	var out []cut
	if slices.Contains(places, Boundaries) {
		for i := range s.records {
			if b := s.records[i].Boundary; b != nil {
				out = append(out, s.cutAt(i, measure.Cut{Kind: "boundary", N: b.N}))
				out[len(out)-1].boundary = b.N
			}
		}
	}
	var edges *edges
	for _, p := range places {
		if p <= Boundaries || p >= End {
			continue
		}
		if edges == nil {
			edges = s.edges()
		}
		if at := edges.nearest(int(p), 100); at > 0 {
			out = append(out, s.cutAt(at, measure.Cut{Kind: "percent", N: int(p)}))
		}
	}
	if slices.Contains(places, End) {
		out = append(out, s.cutAt(len(s.records), measure.Cut{Kind: "end"}))
	}
	slices.SortStableFunc(out, func(a, b cut) int { return a.record - b.record })
	out = slices.DeleteFunc(out, func(c cut) bool { return c.Message < 0 })
	return slices.CompactFunc(out, func(a, b cut) bool { return a.record == b.record })
}

// rounds cuts the session into equal parts for a chain; the last ends with it.
func (s *session) rounds(n int) []cut {
	if n < 2 {
		return nil
	}
	var out []cut
	edges := s.edges()
	last := 0
	for i := 1; i <= n; i++ {
		at := len(s.records)
		if i < n {
			at = edges.nearest(i, n)
		}
		if at <= last {
			continue // a short session has fewer edges than rounds
		}
		c := s.cutAt(at, measure.Cut{Kind: "round", N: len(out) + 1})
		c.previous = -1
		if len(out) > 0 {
			c.previous = out[len(out)-1].Message
		}
		out, last = append(out, c), at
	}
	return out
}

func (s *session) cutAt(record int, c measure.Cut) cut {
	c.Message = -1
	for i := record - 1; i >= 0; i-- {
		if m := s.records[i].Message; m != nil && m.Index >= 0 {
			c.Message = m.Index
			break
		}
	}
	return cut{Cut: c, record: record, previous: -1}
}

// edges are where a session may be cut without parting a call from its result.
type edges struct {
	at []edge
	// total is the size of the whole session.
	total pith.Tokens
}

type edge struct {
	record int
	before pith.Tokens
	// user is set where the user speaks next.
	user bool
}

func (s *session) edges() *edges {
	var list []*pith.Message
	var where []int
	// compacted are the messages directly behind a compaction of the client's:
	// nothing is in its context there that could be compacted.
	compacted := map[int]bool{}
	for i := range s.records {
		if m := s.records[i].Message; m != nil && m.Index >= 0 {
			list, where = append(list, m), append(where, i)
		} else if s.records[i].Boundary != nil {
			compacted[len(list)] = true
		}
	}
	safe := safeCuts(list)
	var counter meter.Counter
	e := &edges{}
	for i, m := range list {
		if i > 0 && safe[i] && s.main(m) && !compacted[i] {
			e.at = append(e.at, edge{record: where[i], before: e.total, user: speaks(m)})
		}
		e.total += textTokens(&counter, m)
	}
	return e
}

// slack is how far from its share a cut may lie to stand at a user's turn, as
// a part of the whole session.
const slack = 8

// nearest is the record behind the edge that is nearest to a share of the
// session: a user's turn where one is near, else any edge. 0 where there is none.
func (e *edges) nearest(part, of int) int {
	wanted := e.total * pith.Tokens(part) / pith.Tokens(of)
	edge, turn := -1, -1
	far := func(i int) pith.Tokens { return max(e.at[i].before-wanted, wanted-e.at[i].before) }
	for i := range e.at {
		if edge < 0 || far(i) < far(edge) {
			edge = i
		}
		if e.at[i].user && (turn < 0 || far(i) < far(turn)) {
			turn = i
		}
	}
	switch {
	case turn >= 0 && far(turn) <= e.total/slack:
		return e.at[turn].record
	case edge >= 0:
		return e.at[edge].record
	}
	return 0
}

// speaks tells whether a message holds words of the user.
func speaks(m *pith.Message) bool {
	return m.Role == pith.RoleUser && slices.ContainsFunc(m.Blocks, func(b pith.Block) bool {
		return b.Kind == pith.KindText && (b.Origin == pith.UserExplicit || b.Origin == pith.PeerAgent)
	})
}

// safeCuts tells for every place in a list of messages, its end included,
// whether no call before it has its result behind it.
func safeCuts(messages []*pith.Message) []bool {
	// crossing[i] is by how many more pairs place i is crossed than place i-1.
	crossing := make([]int, len(messages)+2)
	open := map[string][]int{}
	for i, m := range messages {
		for k := range m.Blocks {
			b := &m.Blocks[k]
			switch b.Kind {
			case pith.KindToolUse:
				open[b.ToolUseID] = append(open[b.ToolUseID], i)
			case pith.KindToolResult:
				if calls := open[b.ToolUseID]; len(calls) > 0 {
					crossing[calls[len(calls)-1]+1]++
					crossing[i+1]--
					open[b.ToolUseID] = calls[:len(calls)-1]
				}
			}
		}
	}
	safe := make([]bool, len(messages)+1)
	n := 0
	for i := range safe {
		n += crossing[i]
		safe[i] = n == 0
	}
	return safe
}
