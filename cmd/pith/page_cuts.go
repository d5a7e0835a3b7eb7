package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/pith-memory/pith/measure"
)

// sessionView is a session with the figures of each of its cuts.
type sessionView struct {
	Name string
	Cuts []*cutView
	Open bool
}

// cutView is a cut with a row for each candidate.
type cutView struct {
	Label   string
	Message int
	Rows    []cutRow
}

type cutRow struct {
	mark
	Absent                string
	Live, Text, Tail      string
	Ratio, Net            string
	Needed, All, Truthful fraction
	Goal                  bool
	GDM                   string
	Residual              fraction
	Millis                string
}

// maxCutRows bounds the tables of cuts; the command's JSON has every one.
const maxCutRows = 1500

// sessions lists every cut, the rounds of chains too. It tells how many
// reports it had no room for.
func (t *tally) sessions() ([]*sessionView, int) {
	bySession := map[sessionKey]*sessionView{}
	byCut := map[cutKey]*cutView{}
	var out []*sessionView
	rows, without := 0, 0
	for _, r := range append(slices.Clone(t.cuts), t.rounds...) {
		if rows == maxCutRows {
			without++
			continue
		}
		rows++
		s := bySession[keyOf(r)]
		if s == nil {
			s = &sessionView{Name: t.names[keyOf(r)]}
			bySession[keyOf(r)] = s
			out = append(out, s)
		}
		c := byCut[cutKey{keyOf(r), r.Cut}]
		if c == nil {
			c = &cutView{Label: cutLabel(r.Cut), Message: r.Cut.Message}
			byCut[cutKey{keyOf(r), r.Cut}] = c
			s.Cuts = append(s.Cuts, c)
		}
		c.Rows = append(c.Rows, t.cutRow(r))
	}
	if len(out) == 1 {
		out[0].Open = true
	}
	return out, without
}

func (t *tally) cutRow(r *measure.Report) cutRow {
	alone := []*measure.Report{r}
	row := cutRow{
		mark: t.mark(r.Of), Absent: visible(r.Absent), Live: thousands(int(r.Size.Live)), Text: thousands(int(r.Size.Text)),
		Tail: thousands(int(r.Size.Tail)), Ratio: times(r.Size.TCR), Net: times(r.Size.Effective),
		Needed: fractionOf(pooled(alone, neededAtoms, "")), All: fractionOf(pooled(alone, allAtoms, "")),
		Truthful: fraction{float64(r.Precision.Found), r.Precision.Of}, Goal: r.Drift.Goal, GDM: decimals(r.Drift.GDM),
		Residual: fraction{float64(r.Waste.Residual), r.Waste.Calls}, Millis: "–",
	}
	if r.Micros > 0 {
		row.Millis = millis(r.Micros)
	}
	return row
}

// Cells is how many figures a row has, for the cell that stands for all of
// them where a candidate has none.
func (cutRow) Cells() int { return 11 }

// chainView is what a chain of compactions leaves, round by round.
type chainView struct {
	Rounds []string
	Rows   []chainRow
}

type chainRow struct {
	mark
	Cells []chainCell
}

type chainCell struct {
	Sessions    int
	Needed, All fraction
	Goal        fraction
	Worst       string // GDM of the session that drifted furthest
}

// chain is nil where no chain was measured.
func (t *tally) chain() *chainView {
	if len(t.rounds) == 0 {
		return nil
	}
	byRound := map[int][]*measure.Report{}
	var rounds []int
	for _, r := range t.rounds {
		if byRound[r.Cut.N] == nil {
			rounds = append(rounds, r.Cut.N)
		}
		byRound[r.Cut.N] = append(byRound[r.Cut.N], r)
	}
	slices.Sort(rounds)
	v := &chainView{}
	for _, n := range rounds {
		v.Rounds = append(v.Rounds, cutLabel(measure.Cut{Kind: "round", N: n}))
	}
	for _, of := range t.of {
		row := chainRow{mark: t.mark(of)}
		for _, n := range rounds {
			row.Cells = append(row.Cells, chainCellOf(present(byRound[n], of)))
		}
		if slices.ContainsFunc(row.Cells, func(c chainCell) bool { return c.Sessions > 0 }) {
			v.Rows = append(v.Rows, row)
		}
	}
	return v
}

func chainCellOf(reports []*measure.Report) chainCell {
	d := driftOf(reports)
	return chainCell{
		Sessions: len(reports), Goal: d.Goal, Worst: d.Worst,
		Needed: fractionOf(pooled(reports, neededAtoms, "")), All: fractionOf(pooled(reports, allAtoms, "")),
	}
}

// spread is the median and the largest of a figure of drift.
func spread(reports []*measure.Report, of func(*measure.Drift) float64) (mid, worst float64) {
	list := make([]float64, 0, len(reports))
	for _, r := range reports {
		if x := of(&r.Drift); !math.IsNaN(x) {
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return math.NaN(), math.NaN()
	}
	slices.SortFunc(list, cmp.Compare)
	return list[len(list)/2], list[len(list)-1]
}

// plantedView is what became of what was put into the sessions on purpose.
type plantedView struct {
	mark
	Needles, Rules fraction
	Promoted       int
}

func (t *tally) planted() []plantedView {
	var out []plantedView
	for _, of := range t.of {
		v, seen := plantedView{mark: t.mark(of)}, false
		for _, r := range present(append(slices.Clone(t.cuts), t.rounds...), of) {
			if r.Planted == nil {
				continue
			}
			seen = true
			v.Needles.Part += float64(r.Planted.Needles.Found)
			v.Needles.Of += r.Planted.Needles.Of
			v.Rules.Part += float64(r.Planted.Rules.Found)
			v.Rules.Of += r.Planted.Rules.Of
			v.Promoted += r.Planted.Promoted
		}
		if seen {
			out = append(out, v)
		}
	}
	return out
}

// inventedView is what a candidate says and the transcript does not.
type inventedView struct {
	mark
	Texts []excerpt
	More  int
}

const maxInvented = 50

func (t *tally) invented() []inventedView {
	var out []inventedView
	for _, of := range t.of {
		v := inventedView{mark: t.mark(of)}
		seen := map[string]bool{}
		for _, r := range present(t.measured(), of) {
			for _, text := range append(slices.Clone(r.Precision.Missed), r.PrecisionInState.Missed...) {
				if seen[text] {
					continue
				}
				seen[text] = true
				if len(v.Texts) == maxInvented {
					v.More++
					continue
				}
				v.Texts = append(v.Texts, quote(text, 0))
			}
		}
		if len(v.Texts) > 0 {
			out = append(out, v)
		}
	}
	return out
}
