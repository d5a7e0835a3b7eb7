package handoff

import (
	"maps"
	"slices"

	"github.com/pith-memory/pith"
)

// draftedNotes is the step that cuts what a model drafted and no slot holds:
// tool results first, then questions, then the steps that lie furthest ahead.
func (r *reducer) draftedNotes() step {
	s := step{what: "drafted notes", cut: func(int) {}}
	whole := r.state.Extensions
	if whole == nil {
		return s
	}
	names := slices.Sorted(maps.Keys(whole.ToolResults))
	s.n = len(names) + len(whole.OpenQuestions) + len(whole.RemainingSteps)
	s.cut = func(k int) {
		x := *whole
		take := func(n int) int { // how many of n stay
			gone := min(k, n)
			k -= gone
			return n - gone
		}
		x.ToolResults = map[string]string{}
		for _, name := range names[:take(len(names))] {
			x.ToolResults[name] = whole.ToolResults[name]
		}
		x.OpenQuestions = whole.OpenQuestions[:take(len(whole.OpenQuestions))]
		x.RemainingSteps = whole.RemainingSteps[:take(len(whole.RemainingSteps))]
		x.Order = slices.DeleteFunc(slices.Clone(whole.Order), func(n string) bool { return x.ToolResults[n] == "" })
		x.KeepSupport(r.state.Phase.Name)
		r.state.Extensions = &x
		if x.Empty() {
			r.state.Extensions = nil
		}
	}
	return s
}

// lowerSupport calls f with the labels of the drafted texts.
func lowerSupport(x *pith.Extensions, f func(*pith.Provenance)) {
	if x == nil {
		return
	}
	for i := range x.Support {
		f(&x.Support[i].Provenance)
	}
}
