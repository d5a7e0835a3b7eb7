package main

import (
	"slices"
	"strconv"

	"github.com/pith-memory/pith/measure"
)

// kindView is one kind of atom: how much of it each candidate holds.
type kindView struct {
	Name, Gloss string
	Rows        []kindRow
	// Needed and All tell whether there is any atom to show in the column.
	Needed, All bool
}

type kindRow struct {
	mark
	All, Needed kindBar
}

// kindBar is a share as a bar: Full is held whole, Half in part, in hundredths of
// the bar's length. The bar ends where the share is.
type kindBar struct {
	fraction
	Full, Half string
	Note       string // what is held in part, or with an old value
}

func barOf(r measure.Retained) kindBar {
	b := kindBar{fraction: fractionOf(r), Full: "0", Half: "0"}
	if r.Of > 0 {
		b.Full = coordinate(100 * float64(r.Full) / float64(r.Of))
		b.Half = coordinate(50 * float64(r.Half) / float64(r.Of))
	}
	if r.Half > 0 {
		b.Note = thousands(r.Half) + " in part"
	}
	if r.Stale > 0 {
		if b.Note != "" {
			b.Note += ", "
		}
		b.Note += thousands(r.Stale) + " out of date"
	}
	return b
}

// kinds lists every kind that some cut has, and before them all together.
func (t *tally) kinds() []kindView {
	views := []kindView{t.kindView("", "All kinds", "")}
	for _, k := range t.kindsPresent() {
		name, gloss := kindName(k)
		views = append(views, t.kindView(k, name, gloss))
	}
	return views
}

func (t *tally) kindView(k measure.Kind, name, gloss string) kindView {
	v := kindView{Name: name, Gloss: gloss}
	for _, of := range t.of {
		reports := present(t.measured(), of)
		if len(reports) == 0 {
			continue
		}
		row := kindRow{mark: t.mark(of), All: barOf(pooled(reports, allAtoms, k)), Needed: barOf(pooled(reports, neededAtoms, k))}
		v.All, v.Needed = v.All || row.All.Known(), v.Needed || row.Needed.Known()
		v.Rows = append(v.Rows, row)
	}
	return v
}

// kindsPresent are the kinds of which there is at least one atom, in the
// page's order, unknown ones last.
func (t *tally) kindsPresent() []measure.Kind {
	seen := map[measure.Kind]bool{}
	for _, r := range t.measured() {
		for _, list := range [][]measure.Retained{r.All, r.Needed} {
			for _, x := range list {
				if x.Of > 0 {
					seen[x.Kind] = true
				}
			}
		}
	}
	return inOrder(seen)
}

// inOrder sorts kinds as the page speaks of them.
func inOrder(seen map[measure.Kind]bool) []measure.Kind {
	var known, others []measure.Kind
	for _, k := range kinds {
		if seen[k] {
			known = append(known, k)
		}
	}
	for k := range seen {
		if !slices.Contains(kinds, k) {
			others = append(others, k)
		}
	}
	slices.Sort(others)
	return append(known, others...)
}

// coordinate writes a length with at most one decimal: the page holds
// thousands of them.
func coordinate(x float64) string {
	s := strconv.FormatFloat(x, 'f', 1, 64)
	if len(s) > 2 && s[len(s)-2:] == ".0" {
		return s[:len(s)-2]
	}
	return s
}
