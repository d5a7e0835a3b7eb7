package restore

import (
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/truncate"
)

// mark stands at the end of a text that was shortened: the block of the
// session that holds all of it. It costs four or five tokens.
func mark(at pith.Source) string { return " […" + at.BlockKey() + "]" }

// cut shortens a text to limit bytes and names where all of it is.
func cut(text string, limit int, at pith.Source) string {
	if len(text) <= limit {
		return text
	}
	return truncate.Text(text, limit) + mark(at)
}

// callOf is where a command stands: in the call, or in the result where the
// call is not known.
func callOf(e *pith.Evidence) pith.Source {
	if e.CallSource != nil {
		return *e.CallSource
	}
	return e.Source
}

// evidence says where a run stands: its result, and its call.
func (it *item) evidence(e *pith.Evidence) { it.named(e.ID, e.Source, callOf(e)) }

// wasCut tells whether a text of the state was shortened when it was extracted.
func wasCut(text string) bool { return strings.Contains(text, " bytes left out ...]") }

// from says where the item stands in the session, what shows most of it first.
func (it *item) from(at ...pith.Source) *item {
	it.sourced = copy(it.sources[:], at)
	return it
}

// named is from with the item's id.
func (it *item) named(id string, at ...pith.Source) {
	it.id = id
	it.from(at...)
}

// cutAt tells whether the text says that it was shortened, and by which source.
func (it *item) cutAt() (pith.Source, bool) {
	for _, at := range it.sources[:it.sourced] {
		if strings.Contains(it.text, mark(at)) {
			return at, true
		}
	}
	return pith.Source{}, false
}

// isShortened tells whether less than the state has of the item is in the
// block, or less than the session has.
func (it *item) isShortened() bool {
	_, ok := it.cutAt()
	return ok || it.shortened
}

// reference names what recall takes for the item: the block of the session
// that it was cut from, else its id, else its section.
func (r *renderer) reference(s *section, it *item) string {
	if at, ok := it.cutAt(); ok {
		return r.ref(at.BlockKey())
	}
	if it.id != "" {
		return r.ref(it.id)
	}
	return r.ref(s.name)
}

// References lists all that a block of the state can hold, whatever its
// budget: of one section, or of all where it is "". It gives false for a
// section that no block has.
func References(s *pith.State, name string) ([]Item, bool) {
	if _, known := titles[name]; !known && name != secPaths && name != secInspected && name != "" {
		return nil, false
	}
	r := &renderer{state: s, options: &Options{RenderResent: true}, budget: largeBudget}
	r.chooseBase()
	var out []Item
	for _, x := range r.collect() {
		if name != "" && x.name != name {
			continue
		}
		for i := range x.items {
			out = append(out, r.item(&x, &x.items[i]))
		}
	}
	return out, true
}

// item tells of one item what it is and where it stands.
func (r *renderer) item(s *section, it *item) Item {
	out := Item{
		Section: s.name, ID: it.id, Text: it.text, Tokens: it.tokens, Kept: it.kept, Shortened: it.kept && it.isShortened(),
		Ref: r.reference(s, it), Why: WhyRanked,
	}
	out.Sources = append(out.Sources, it.sources[:it.sourced]...)
	switch {
	case !it.kept:
		out.Why = WhyBudget
	case it.must:
		out.Why = WhyAlways
	case it.shortened:
		out.Why = WhyShortened
	}
	return out
}
