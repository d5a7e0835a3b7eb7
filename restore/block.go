// Package restore puts a state back: it renders the block of text that stands
// for earlier work, and turns a conversation into the shorter one to send.
package restore

import (
	"slices"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

// Pattern is where the block goes in the next request.
type Pattern uint8

// The two patterns share their wording: only the place differs.
const (
	// PatternSystem adds the block to the end of the system prompt.
	PatternSystem Pattern = iota
	// PatternMessage makes the block the first user message, for callers
	// without control of the system prompt.
	PatternMessage
)

// Options shape a block. The zero value is a block of 4,000 tokens.
type Options struct {
	Pattern Pattern
	// Budget is how many tokens the block may take; 0 means 4,000, or 8,000
	// where Window is 200,000 or more, or a quarter of a window under 16,000,
	// and no more than a fifth of Live, but at least 1,000.
	Budget pith.Tokens
	// Window is the target's context window, 0 unknown.
	Window int
	// Live is the size of the content that the block stands for, 0 unknown.
	Live pith.Tokens
	// Replaces is the size of an earlier block that this one takes the place of,
	// 0 for none: the rule about Live gives it at least that room.
	Replaces pith.Tokens
	// RenderResent writes out the constraints that the client is known to send
	// again by itself. They are named by their place otherwise.
	RenderResent bool
	// Offer is for a new session: its own request rules, and the earlier goal
	// and step are told as such, to be taken up only if the user asks for it.
	Offer bool
	// Changes are what Reconcile found; they are told beside the next action.
	Changes []Finding
	// Unkept is set where the state could not be stored: the block then promises
	// nothing under its references.
	Unkept bool
	// Explain fills Block.Items.
	Explain bool
	// Count counts tokens; nil means meter.Count.
	Count func(string) pith.Tokens
}

const (
	smallBudget = 4_000
	largeBudget = 8_000
	largeWindow = 200_000
	// worthwhile is how much smaller than the content a block should be, and
	// leastBudget what a block of a short session may take all the same.
	worthwhile  = 5
	leastBudget = 1_000
)

func (o *Options) budget() pith.Tokens {
	if o.Budget > 0 {
		return o.Budget
	}
	budget := pith.Tokens(smallBudget)
	switch {
	case o.Window >= largeWindow:
		budget = largeBudget
	case o.Window > 0 && o.Window < 4*smallBudget:
		budget = pith.Tokens(o.Window / 4)
	}
	if o.Live > 0 {
		budget = min(budget, max(o.Live/worthwhile, leastBudget, o.Replaces))
	}
	return budget
}

// Block is a rendered state.
type Block struct {
	Text   string
	Tokens pith.Tokens
	// Over is how far the parts that are never dropped exceed the budget.
	Over pith.Tokens
	// Drops counts what the budget left out, in the order of the block.
	Drops []Drop
	// Items tells for every item whether it was kept and why, where asked for.
	Items []Item
}

// Drop counts the items of a section that were left out and names the
// reference under which they are kept.
type Drop struct {
	Section string
	Count   int
	// Shortened counts items that are there in part and have no mark of their own.
	Shortened int
	Ref       string
}

// Item is one line of an explanation.
type Item struct {
	Section string
	// ID is the item's id in the state, "" where it has none.
	ID     string
	Text   string
	Tokens pith.Tokens
	Kept   bool
	// Shortened is set where the block holds a part of it only.
	Shortened bool
	// Ref is what recall takes to give the item back, Sources is where it stands
	// in the session: none of what people or pith itself wrote.
	Ref     string
	Sources []pith.Source
	// Why is one of the reasons below.
	Why string
}

// Why an item was kept or dropped.
const (
	WhyAlways    = "never dropped"
	WhyRanked    = "fits its section's share"
	WhyShortened = "shortened to fit"
	WhyBudget    = "over budget"
)

// Render turns a state into its block: goal and constraints first, invariants
// and the next action last, and between them what the next calls are likely
// to need, best first until the budget is spent.
func Render(s *pith.State, o Options) Block { return Prepare(s, o).Block() }

// Draft is a block whose items are chosen. Its state has its id in the block's
// own lines only, and may still be given one.
type Draft struct {
	r *renderer
	// chosen lists the optional items as they were taken.
	chosen []*item
}

// Prepare does the part of Render that does not depend on the state's id.
func Prepare(s *pith.State, o Options) *Draft {
	r := &renderer{state: s, options: &o, count: o.Count, budget: o.budget()}
	if r.count == nil {
		r.count = meter.Count
	}
	r.chooseBase()
	r.sections = r.collect()
	r.choose()
	return &Draft{r: r, chosen: slices.Clone(r.taken)}
}

// Block writes the block under the id that the state has now.
func (d *Draft) Block() Block {
	r := d.r
	r.taken = append(r.taken[:0], d.chosen...)
	for _, it := range r.taken {
		it.kept = true
	}
	text, tokens := r.fit()
	b := Block{Text: text, Tokens: tokens, Over: max(0, tokens-r.budget), Drops: r.drops()}
	if r.options.Explain {
		b.Items = r.explain()
	}
	return b
}

// renderer holds the sections of one block while they are chosen from.
type renderer struct {
	state   *pith.State
	options *Options
	count   func(string) pith.Tokens
	budget  pith.Tokens
	used    pith.Tokens
	// base is the directory that the paths of long lists are relative to.
	base     string
	sections []section
	// taken lists the optional items in the order they were taken, so that the
	// least valuable are given back first.
	taken []*item
}

// opening says what the block is, and whose word it is where it is not this
// session's own.
func (r *renderer) opening() string {
	text := r.options.preamble()
	if r.state.Checkpoint.Origin == pith.OriginDelegated {
		text += relayed
	}
	return text + draftedBy(r.state)
}

// write lays the kept items out, between the lines of the fence.
func (r *renderer) write() string {
	var b strings.Builder
	b.Grow(int(r.budget) * 5)
	b.WriteString(r.opening())
	for i := range r.sections {
		s := &r.sections[i]
		if s.name == secDropped {
			r.writeDrops(&b)
			continue
		}
		s.write(&b)
	}
	b.WriteString(r.options.closing())
	return fence(r.state.Checkpoint.ID, strings.ToValidUTF8(b.String(), "\uFFFD"))
}

// writeDrops says in one line what is missing and how to name it.
func (r *renderer) writeDrops(b *strings.Builder) {
	drops := r.drops()
	if len(drops) > 0 {
		if b.WriteString("\nLeft out for size"); !r.options.Unkept {
			b.WriteString(", kept under ref " + r.ref("NAME"))
		}
		b.WriteByte(':')
	}
	for i, d := range drops {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + d.Section)
		if d.Count > 0 {
			b.WriteString(" " + itoa(d.Count))
		}
		if d.Shortened > 0 {
			b.WriteString(" (" + itoa(d.Shortened) + " shortened)")
		}
	}
	if at, ok := r.firstCut(); ok && !r.options.Unkept {
		b.WriteString("\n" + strings.TrimSpace(mark(at)) + " ends a shortened text: ref " + r.ref(at.BlockKey()))
	} else if len(drops) == 0 {
		return
	}
	b.WriteByte('\n')
}

// firstCut is the first mark of a shortened text in the block.
func (r *renderer) firstCut() (pith.Source, bool) {
	for i := range r.sections {
		for j := range r.sections[i].items {
			if it := &r.sections[i].items[j]; it.kept {
				if at, ok := it.cutAt(); ok {
					return at, true
				}
			}
		}
	}
	return pith.Source{}, false
}

func (r *renderer) drops() []Drop {
	var out []Drop
	for i := range r.sections {
		s := &r.sections[i]
		d := Drop{Section: s.name, Ref: r.ref(s.name)}
		for j := range s.items {
			it := &s.items[j]
			if !it.kept {
				d.Count++
			} else if _, marked := it.cutAt(); it.shortened && !marked {
				d.Shortened++
			}
		}
		if d.Count+d.Shortened > 0 {
			out = append(out, d)
		}
	}
	return out
}

// ref names a section of this checkpoint.
func (r *renderer) ref(section string) string {
	id := r.state.Checkpoint.ID
	return id[:min(len(id), 8)] + "/" + section
}

func (r *renderer) explain() []Item {
	var out []Item
	for i := range r.sections {
		s := &r.sections[i]
		for j := range s.items {
			out = append(out, r.item(s, &s.items[j]))
		}
	}
	return out
}
