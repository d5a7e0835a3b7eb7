package handoff

import (
	"slices"
	"sort"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/schema"
)

// DefaultBudget is how many tokens a snapshot may take where nothing else is said.
const DefaultBudget pith.Tokens = 12_000

// Drop counts the items of one kind that a snapshot leaves out.
type Drop struct {
	What  string `json:"what"`
	Count int    `json:"count"`
}

// Snapshot is a state that was made small enough to hand over.
type Snapshot struct {
	State *pith.State
	// JSON is the state as it is signed.
	JSON   []byte
	Tokens pith.Tokens
	// Over is how far that which is never dropped exceeds the budget.
	Over  pith.Tokens
	Drops []Drop
}

// Bound makes the snapshot of a state: a child of it, with the trigger
// delegation. Over budget, what a delegate misses least goes first:
//
//	identifiers, files that were inspected long ago, failures and runs that
//	later ones ended, finished steps, key lines of files, URLs, attempts that
//	ended, entries of the list that are done, what a model drafted beside the slots
//
// The goal, the user's later words, constraints, modified files, unresolved
// failures, invariants and the next action are never dropped. Edits of people
// are in the state already and do not travel as edits. Errors: KindCheck where
// the state is not valid.
func Bound(s *pith.State, budget pith.Tokens) (*Snapshot, error) {
	if budget <= 0 {
		budget = DefaultBudget
	}
	child, err := childOf(s)
	if err != nil {
		return nil, err
	}
	r := &reducer{state: child, budget: budget, blocks: child.Blocks}
	if r.tokens, err = r.measure(); err != nil {
		return nil, err
	}
	for _, step := range r.steps() {
		if err := r.reduce(step); err != nil {
			return nil, err
		}
	}
	r.tidy()
	written, problems := schema.Seal(child)
	if len(problems) > 0 {
		return nil, &pith.Error{Op: "make the snapshot", Kind: pith.KindCheck, Err: problemError(problems[0])}
	}
	n := meter.Count(string(written))
	return &Snapshot{State: child, JSON: written, Tokens: n, Over: max(0, n-budget), Drops: r.drops}, nil
}

type problemError schema.Problem

func (p problemError) Error() string { return schema.Problem(p).String() }

// childOf copies a state and makes the copy its child.
func childOf(s *pith.State) (*pith.State, error) {
	if problems := schema.Check(s); len(problems) > 0 {
		return nil, &pith.Error{
			Op: "make the snapshot", Kind: pith.KindCheck, Err: problemError(problems[0]),
			Hint: "`pith verify` lists everything that is wrong with a state",
		}
	}
	child, err := copyOf(s)
	if err != nil {
		return nil, err
	}
	parent := s.Checkpoint.ID
	c := &child.Checkpoint
	c.ParentID, c.Seq, c.Trigger = &parent, c.Seq+1, pith.ReasonDelegation
	child.Edits = nil
	return child, nil
}

func copyOf(s *pith.State) (*pith.State, error) {
	doc, err := schema.Marshal(s, false)
	if err != nil {
		return nil, err
	}
	return schema.Unmarshal(doc)
}

// reducer takes items out of a state until it fits.
type reducer struct {
	state  *pith.State
	budget pith.Tokens
	tokens pith.Tokens
	drops  []Drop
	// blocks is the table of blocks of the whole state: what one try of a step
	// takes out, the next may bring back.
	blocks map[string]pith.BlockRef
}

// step is a list that can be cut: n items can go, and cut takes the k least
// valuable of them out of the state as it was before.
type step struct {
	what string
	n    int
	cut  func(k int)
}

// reduce takes out as few items as it needs, or all where that is not enough.
func (r *reducer) reduce(s step) error {
	if r.tokens <= r.budget || s.n == 0 {
		return nil
	}
	var failed error
	k := 1 + sort.Search(s.n-1, func(i int) bool {
		s.cut(i + 1)
		n, err := r.measure()
		if err != nil {
			failed = err
		}
		return n <= r.budget
	})
	if failed != nil {
		return failed
	}
	s.cut(k)
	r.drops = append(r.drops, Drop{What: s.what, Count: k})
	var err error
	r.tokens, err = r.measure()
	return err
}

// idTokens is the most that an id of 64 hex digits can take.
const idTokens = 64

// measure counts the tokens of the state as it would be written, its id, which
// it has none of yet, included.
func (r *reducer) measure() (pith.Tokens, error) {
	r.tidy()
	r.state.Checkpoint.ID = ""
	doc, err := schema.Marshal(r.state, false)
	return meter.Count(string(doc)) + idTokens, err
}

// tidy makes the rest of the state fit what was taken out of it.
func (r *reducer) tidy() {
	s := r.state
	s.EmptySlots = s.FindEmpty()
	s.Blocks = usedBlocks(s, r.blocks)
}

func usedBlocks(s *pith.State, all map[string]pith.BlockRef) map[string]pith.BlockRef {
	used := make(map[string]pith.BlockRef, len(all))
	s.EachSource(func(at pith.Source) {
		key := at.BlockKey()
		if ref, ok := all[key]; ok {
			used[key] = ref
		}
	})
	return used
}

// steps are the lists that may be cut, in the order of Bound.
func (r *reducer) steps() []step {
	s := r.state
	x, names := &s.Context, &s.Identifiers
	quoteOrder := func(a, b pith.Quote) int { return order(a.Source, b.Source) }
	worst := func(what string, list *[]pith.Identifier) step {
		all := *list // the best stand first
		return step{what, len(all), func(k int) { *list = all[:len(all)-k] }}
	}
	return []step{
		worst("identifiers: paths", &names.Paths), worst("identifiers: refs", &names.Refs),
		worst("identifiers: commits", &names.Commits), worst("identifiers: symbols", &names.Symbols), worst("identifiers: tests", &names.Tests),
		r.inspected(),
		r.endedEvidence(),
		cutOldest("done", &x.Done, always[pith.Quote], quoteOrder),
		cutOldest("key lines", &x.KeyLines, always[pith.KeyLines], func(a, b pith.KeyLines) int { return order(a.Source, b.Source) }),
		cutOldest("urls", &x.URLs, always[pith.Quote], quoteOrder),
		cutOldest("ended attempts", &s.Failed, func(f *pith.FailedAttempt) bool { return f.EndedBy != "" },
			func(a, b pith.FailedAttempt) int { return order(a.Source, b.Source) }),
		cutOldest("finished todos", &x.Todo, func(t *pith.Todo) bool { return t.Status == "completed" || t.Status == "cancelled" },
			func(a, b pith.Todo) int { return order(a.Source, b.Source) }),
		r.draftedNotes(),
	}
}

func always[T any](*T) bool { return true }

func order(a, b pith.Source) int {
	switch {
	case a.Before(b):
		return -1
	case b.Before(a):
		return 1
	}
	return 0
}

// cutOldest is the step that takes the oldest of the items that may go, and
// leaves the rest in their order.
func cutOldest[T any](what string, list *[]T, may func(*T) bool, byAge func(a, b T) int) step {
	all := *list
	var at []int
	for i := range all {
		if may(&all[i]) {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(i, j int) int { return byAge(all[i], all[j]) })
	return step{what, len(at), func(k int) {
		gone := make(map[int]bool, k)
		for _, i := range at[:k] {
			gone[i] = true
		}
		kept := make([]T, 0, len(all)-k)
		for i := range all {
			if !gone[i] {
				kept = append(kept, all[i])
			}
		}
		*list = kept
	}}
}

// inspected cuts the files that were looked at longest ago; the list is then
// no longer said to be complete.
func (r *reducer) inspected() step {
	f := &r.state.Files
	s := cutOldest("inspected files", &f.Inspected, always[pith.File], func(a, b pith.File) int { return order(a.Source, b.Source) })
	cut := s.cut
	s.cut = func(k int) {
		cut(k)
		f.Complete = false
	}
	return s
}

// endedEvidence cuts the oldest runs that a later one stands for. A run that
// names one that is gone goes with it.
func (r *reducer) endedEvidence() step {
	list := &r.state.Evidence
	ended := func(e *pith.Evidence) bool { return e.SupersededBy != nil || e.ResolvedBy != "" }
	s := cutOldest("ended runs", list, ended, func(a, b pith.Evidence) int { return order(a.Source, b.Source) })
	cut := s.cut
	s.cut = func(k int) {
		cut(k)
		for {
			here := map[string]bool{"": true}
			for i := range *list {
				here[(*list)[i].ID] = true
			}
			n := len(*list)
			*list = slices.DeleteFunc(*list, func(e pith.Evidence) bool { return !here[deref(e.SupersededBy)] || !here[e.ResolvedBy] })
			if len(*list) == n {
				return
			}
		}
	}
	return s
}
