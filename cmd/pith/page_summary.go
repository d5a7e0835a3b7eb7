package main

import (
	"strconv"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
)

// headline is the sentence at the top: the first candidate, or pith where it took
// part, and each other one at the cuts that both have.
type headline struct {
	Of          string
	Cuts        string
	Sessions    string
	Needed, All held
	Ratio       string
	Others      []comparison
}

type comparison struct {
	Of    string
	Gloss string
	Cuts  string
	Ratio string
	// Theirs is the other's share at those cuts, Ours that of the lead.
	Theirs, Ours fraction
	What         string // which atoms the two are about
}

// mark is a candidate as the page shows it: by name, shape and colour.
type mark struct {
	Of string
	// Ordinal is its place in the list; Shape and Colour are numbers of a symbol
	// and of a class.
	Ordinal, Shape, Colour int
}

const markCount = 8 // shapes, and colours

func (t *tally) mark(of string) mark {
	n := t.ordinal[of]
	return mark{Of: visible(of), Ordinal: n, Shape: n % markCount, Colour: (n + n/markCount) % markCount}
}

// leader is the candidate that the headline is about.
func (t *tally) leader() string {
	if _, ok := t.ordinal["pith"]; ok || len(t.of) == 0 {
		return "pith"
	}
	return t.of[0]
}

func (t *tally) headline() headline {
	of := t.leader()
	mine := present(t.measured(), of)
	l := headline{
		Of: visible(of), Cuts: counted(len(mine), "cut"), Sessions: counted(sessionCount(mine), "session"),
		Needed: heldOf(mine, neededAtoms), All: heldOf(mine, allAtoms), Ratio: medianRatio(mine),
	}
	for _, other := range t.of {
		theirs := present(t.measured(), other)
		if other == of || len(theirs) == 0 {
			continue
		}
		ours := atCutsOf(mine, theirs)
		theirs = atCutsOf(theirs, ours)
		c := comparison{
			Of: visible(other), Gloss: visible(candidateGloss(other)), Cuts: counted(len(theirs), "cut"), Ratio: medianRatio(theirs),
			What: "the facts needed next", Theirs: fractionOf(pooled(theirs, neededAtoms, "")), Ours: fractionOf(pooled(ours, neededAtoms, "")),
		}
		if !c.Theirs.Known() {
			c.What, c.Theirs, c.Ours = "all facts", fractionOf(pooled(theirs, allAtoms, "")), fractionOf(pooled(ours, allAtoms, ""))
		}
		if len(ours) > 0 {
			l.Others = append(l.Others, c)
		}
	}
	return l
}

type cutKey struct {
	session sessionKey
	cut     measure.Cut
}

// atCutsOf are those of reports that are at a cut of others too.
func atCutsOf(reports, others []*measure.Report) []*measure.Report {
	there := map[cutKey]bool{}
	for _, r := range others {
		there[cutKey{keyOf(r), r.Cut}] = true
	}
	var out []*measure.Report
	for _, r := range reports {
		if there[cutKey{keyOf(r), r.Cut}] {
			out = append(out, r)
		}
	}
	return out
}

func sessionCount(reports []*measure.Report) int {
	seen := map[sessionKey]bool{}
	for _, r := range reports {
		seen[keyOf(r)] = true
	}
	return len(seen)
}

func ratio(r *measure.Report) float64     { return r.Size.TCR }
func effective(r *measure.Report) float64 { return r.Size.Effective }

func medianRatio(reports []*measure.Report) string {
	mid, _, _ := median(reports, ratio)
	return times(mid)
}

// candidateView is a row of the summary, and of the table of controls.
type candidateView struct {
	mark
	Gloss    string
	Lead     bool
	Cuts     int
	Absent   int
	Why      string // what the first absent one says
	Needed   held
	All      held
	InState  fraction
	Invented fraction // precision: what the candidate says that is in the transcript
	Ratio    string
	Range    string
	Net      string // the ratio with what stays verbatim counted
	Even     string // the length from which anything gets smaller
	Drift    driftView
	Waste    wasteView
	Millis   string
}

// driftView is how far the goal moved, with its controls.
type driftView struct {
	Goal, Amendments fraction // cuts at which they are the user's words
	GDM, Worst       string
	Cosine           string
	Other, Stale     string
}

// wasteView is what would be asked again, with its control.
type wasteView struct {
	Residual, Repeated, Control fraction
}

func (t *tally) candidates() []*candidateView {
	var out []*candidateView
	for _, of := range t.of {
		reports := present(t.measured(), of)
		v := &candidateView{
			mark: t.mark(of), Gloss: visible(candidateGloss(of)), Lead: of == t.leader(), Cuts: len(reports),
			Needed: heldOf(reports, neededAtoms), All: heldOf(reports, allAtoms), InState: fractionOf(pooled(reports, stateAtoms, "")),
			Drift: driftOf(reports), Waste: wasteOf(reports),
		}
		for _, r := range t.measured() {
			if r.Of == of && r.Absent != "" {
				v.Absent++
				v.Why = visible(r.Absent)
			}
		}
		for _, r := range reports {
			v.Invented.Part += float64(r.Precision.Found)
			v.Invented.Of += r.Precision.Of
		}
		v.sizes(reports)
		out = append(out, v)
	}
	return out
}

func (v *candidateView) sizes(reports []*measure.Report) {
	mid, low, high := median(reports, ratio)
	v.Ratio = times(mid)
	if low != high {
		v.Range = times(low) + " to " + times(high)
	}
	mid, _, _ = median(reports, effective)
	v.Net = times(mid)
	if even, _, _ := median(reports, func(r *measure.Report) pith.Tokens { return r.Size.BreakEven }); even > 0 {
		v.Even = thousands(int(even))
	}
	if micros, _, _ := median(reports, func(r *measure.Report) int64 { return r.Micros }); micros > 0 {
		v.Millis = millis(micros)
	}
}

func millis(micros int64) string {
	return strconv.FormatFloat(float64(micros)/1000, 'f', 1, 64) + " ms"
}

// driftOf tells the median and the worst: a mean would hide one lost goal.
func driftOf(reports []*measure.Report) driftView {
	if len(reports) == 0 {
		return driftView{GDM: "–", Worst: "–", Cosine: "–", Other: "–", Stale: "–"}
	}
	v := driftView{Goal: fraction{Of: len(reports)}, Amendments: fraction{Of: len(reports)}}
	for _, r := range reports {
		if r.Drift.Goal {
			v.Goal.Part++
		}
		if r.Drift.Amendments {
			v.Amendments.Part++
		}
	}
	mid, worst := spread(reports, func(d *measure.Drift) float64 { return d.GDM })
	v.GDM, v.Worst = decimals(mid), decimals(worst)
	mid, _ = spread(reports, func(d *measure.Drift) float64 { return d.Cosine })
	v.Cosine = decimals(mid)
	mid, _ = spread(reports, func(d *measure.Drift) float64 { return d.Other })
	v.Other = decimals(mid)
	mid, _ = spread(reports, func(d *measure.Drift) float64 { return d.Stale })
	v.Stale = decimals(mid)
	return v
}

func wasteOf(reports []*measure.Report) wasteView {
	var v wasteView
	for _, r := range reports {
		w := &r.Waste
		v.Residual.Part += float64(w.Residual)
		v.Residual.Of += w.Calls
		v.Repeated.Part += float64(w.Repeated)
		v.Repeated.Of += w.Calls
		v.Control.Part += float64(w.ControlRepeated)
		v.Control.Of += w.ControlCalls
	}
	return v
}
