package main

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-memory/pith/measure"
)

// lostView is what candidates do not hold, by kind, and where it stands.
type lostView struct {
	Kinds []*lostKind
	Files []*placeFile
	Of    []mark // the candidates that lost something
	Shown int
	Total int
	// Unnamed are those that the reports count and do not name, at single cuts.
	Unnamed int
}

type lostKind struct {
	Name, Gloss   string
	Needed, Other []*lostItem
	Total         int // with those that the page has no room for
	NeededTotal   int
}

// lostItem is one fact, with every candidate that does not hold it.
type lostItem struct {
	excerpt
	ID     int
	Place  *place
	By     []lostBy
	Needed bool

	kind    measure.Kind
	session int // its place in the order of sessions
	where   measure.Lost
}

// lostBy is a candidate and the cuts at which it does not hold the fact.
type lostBy struct {
	mark
	Cuts string
	How  string // held in part, or with an old value

	cuts []string
}

// Bits are the numbers of the candidates, for the filter.
func (x *lostItem) Bits() string {
	var b strings.Builder
	for i := range x.By {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Itoa(x.By[i].Ordinal))
	}
	return b.String()
}

// Where is the item's place as the link says it.
func (x *lostItem) Where() string { return x.Place.Label() }

// excerpt is a text cut to what a list has room for, with more of it to unfold.
type excerpt struct {
	Short string
	Full  string // "" where Short is all of it
	More  int    // characters that Full leaves out too
}

// What the page has room for. Ten thousand lost facts come to less than 3 MB.
const (
	maxLostOfKind   = 150
	maxShort        = 180
	maxFull         = 1500
	maxFullBytes    = 500 << 10 // of all long texts of the page, as escaped
	maxCutsNamed    = 4
	maxItemsOfPlace = 6
)

// quote cuts a text; room is how many escaped bytes are left for long texts.
func quote(text string, room int) excerpt {
	text = strings.TrimSpace(text)
	short, cut := shorten(text, maxShort)
	if !cut {
		return excerpt{Short: visible(short)}
	}
	full, cut := shorten(text, maxFull)
	q := excerpt{Short: visible(short), Full: visible(full)}
	if len(template.HTMLEscapeString(q.Full)) > room {
		q.Full = ""
	}
	switch {
	case q.Full == "":
		q.More = len(text) - len(short)
	case cut:
		q.More = len(text) - len(full)
	}
	return q
}

// lost gathers what was lost: each fact once, with all who lost it.
func (t *tally) lost() lostView {
	byKind := map[measure.Kind][]*lostItem{}
	present := map[measure.Kind]bool{}
	var v lostView
	for _, x := range t.lostItems() {
		byKind[x.kind] = append(byKind[x.kind], x)
		present[x.kind] = true
		v.Total++
	}
	room := maxFullBytes
	var shown []*lostItem
	for _, k := range inOrder(present) {
		items := byKind[k]
		slices.SortStableFunc(items, byWeight)
		kind := &lostKind{Total: len(items)}
		kind.Name, kind.Gloss = kindName(k)
		for i, x := range items {
			if x.Needed {
				kind.NeededTotal++
			}
			if i >= maxLostOfKind {
				continue
			}
			x.excerpt = quote(x.where.Text, room)
			room -= len(template.HTMLEscapeString(x.Full))
			shown = append(shown, x)
			x.ID = len(shown)
			if x.Needed {
				kind.Needed = append(kind.Needed, x)
			} else {
				kind.Other = append(kind.Other, x)
			}
		}
		v.Kinds = append(v.Kinds, kind)
	}
	v.Shown, v.Unnamed = len(shown), t.unnamed()
	v.Files = t.places(shown)
	v.Of = t.losers(shown)
	return v
}

// unnamed counts what the reports' lists of lost facts leave out: they are
// bounded, the counts are not.
func (t *tally) unnamed() int {
	n := 0
	for _, r := range append(slices.Clone(t.cuts), t.rounds...) {
		all := pooled([]*measure.Report{r}, allAtoms, "")
		n += max(0, all.Of-all.Full-len(r.Lost))
	}
	return n
}

// Left counts what the page has no room for.
func (k *lostKind) Left() int { return k.Total - len(k.Needed) - len(k.Other) }

// byWeight puts first what was needed, then what the first candidates lost,
// then the order of the transcript.
func byWeight(a, b *lostItem) int {
	if a.Needed != b.Needed {
		if a.Needed {
			return -1
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(a.By[0].Ordinal, b.By[0].Ordinal), cmp.Compare(a.session, b.session),
		cmp.Compare(a.where.Message, b.where.Message), cmp.Compare(a.where.Line, b.where.Line), cmp.Compare(a.where.Text, b.where.Text),
	)
}

type lostKey struct {
	session       int
	kind          measure.Kind
	text          string
	message, line int
}

// lostItems joins the same fact lost by several candidates or at several cuts.
func (t *tally) lostItems() []*lostItem {
	var out []*lostItem
	known, sessions := map[lostKey]*lostItem{}, map[sessionKey]int{}
	for i, k := range t.files {
		sessions[k] = i
	}
	for _, r := range append(slices.Clone(t.cuts), t.rounds...) {
		session := sessions[keyOf(r)]
		for _, l := range r.Lost {
			k := lostKey{session, l.Kind, l.Text, l.Message, l.Line}
			x := known[k]
			if x == nil {
				x = &lostItem{kind: l.Kind, session: session, where: l}
				known[k] = x
				out = append(out, x)
			}
			x.Needed = x.Needed || l.Needed
			x.add(t.mark(r.Of), r.Cut, l)
		}
	}
	for _, x := range out {
		slices.SortStableFunc(x.By, func(a, b lostBy) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
		for i := range x.By {
			x.By[i].name()
		}
	}
	return out
}

func (x *lostItem) add(m mark, c measure.Cut, l measure.Lost) {
	i := slices.IndexFunc(x.By, func(b lostBy) bool { return b.Ordinal == m.Ordinal })
	if i < 0 {
		i = len(x.By)
		x.By = append(x.By, lostBy{mark: m})
	}
	b := &x.By[i]
	b.cuts = append(b.cuts, cutLabel(c))
	switch {
	case l.Stale:
		b.How = "out of date"
	case l.Half:
		b.How = "in part"
	}
}

func (b *lostBy) name() {
	cuts := slices.Compact(b.cuts)
	b.Cuts = strings.Join(cuts[:min(len(cuts), maxCutsNamed)], ", ")
	if more := len(cuts) - maxCutsNamed; more > 0 {
		b.Cuts += " and " + strconv.Itoa(more) + " more"
	}
}

// losers are the candidates that the filter offers.
func (t *tally) losers(shown []*lostItem) []mark {
	seen := map[int]bool{}
	for _, x := range shown {
		for i := range x.By {
			seen[x.By[i].Ordinal] = true
		}
	}
	var out []mark
	for i, of := range t.of {
		if seen[i] {
			out = append(out, t.mark(of))
		}
	}
	return out
}
