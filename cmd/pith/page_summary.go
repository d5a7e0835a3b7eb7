package main

import (
	"math"
	"strconv"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
)

// headline is the sentence at the top: pith where it took part, else the first
// candidate, and each other one at the cuts that both have.
type headline struct {
	Of          string
	Cuts        string
	Sessions    string
	Needed, All held
	Size        sizeView
	Others      []comparison
}

type comparison struct {
	Of    string
	Gloss string
	Cuts  string
	Size  sizeView
	// Theirs is the other's share at those cuts, Ours that of the lead.
	Theirs, Ours fraction
	What         string // which atoms the two are about
}

// sizeView is how large what an agent is given is, on average.
type sizeView struct {
	Live, Given string
	Ratio       string // of the two
	Alone       string // with the text alone counted
	Range       string // of the ratio, from cut to cut
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
		Needed: heldOf(mine, neededAtoms), All: heldOf(mine, allAtoms), Size: sizeOf(mine),
	}
	for _, other := range t.of {
		theirs := present(t.measured(), other)
		ours := atCutsOf(mine, theirs)
		theirs = atCutsOf(theirs, ours)
		if other == of || len(ours) == 0 {
			continue
		}
		c := comparison{
			Of: visible(other), Gloss: visible(candidateGloss(other)), Cuts: counted(len(theirs), "cut"), Size: sizeOf(theirs),
			What: "the facts needed next", Theirs: fractionOf(pooled(theirs, neededAtoms, "")), Ours: fractionOf(pooled(ours, neededAtoms, "")),
		}
		if !c.Theirs.Known() {
			c.What, c.Theirs, c.Ours = "all facts", fractionOf(pooled(theirs, allAtoms, "")), fractionOf(pooled(ours, allAtoms, ""))
		}
		l.Others = append(l.Others, c)
	}
	return l
}

// sizeOf takes the ratio of the sums: a long session counts for more.
func sizeOf(reports []*measure.Report) sizeView {
	s := standing{reports: reports}
	s.join()
	n := pith.Tokens(max(len(reports), 1))
	v := sizeView{Live: thousands(int(s.live / n)), Given: thousands(int((s.text + s.tail) / n)), Ratio: times(s.effective()), Alone: times(s.tcr())}
	low, high := math.Inf(1), 0.0
	for _, r := range reports {
		low, high = min(low, r.Size.Effective), max(high, r.Size.Effective)
	}
	if from, to := times(low), times(high); from != to {
		v.Range = from + " to " + to
	}
	return v
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

// candidateView is a row of the summary, and of the table of controls.
type candidateView struct {
	mark
	Gloss  string
	Lead   bool
	Cuts   int
	Absent int
	Why    string // what the last absent one says

	Needed, All           held
	NeededAlone, AllAlone fraction // in the text, without what stays verbatim
	InState               fraction
	Truthful              fraction // what it says that is in the transcript
	TruthfulState         fraction // what its state says
	Size                  sizeView
	Drift                 driftView
	Waste                 wasteView
	Tail                  bool
	Millis                string
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
			Needed: heldOf(reports, neededAtoms), All: heldOf(reports, allAtoms), InState: fractionOf(pooled(reports, allInState, "")),
			NeededAlone: fractionOf(pooled(reports, neededInText, "")), AllAlone: fractionOf(pooled(reports, allInText, "")),
			Size: sizeOf(reports), Drift: driftOf(reports), Waste: wasteOf(reports),
		}
		for _, r := range t.measured() {
			if r.Of == of && r.Absent != "" {
				v.Absent++
				v.Why = visible(r.Absent)
			}
		}
		var micros int64
		for _, r := range reports {
			v.Truthful.Part += float64(r.Precision.Found)
			v.Truthful.Of += r.Precision.Of
			v.TruthfulState.Part += float64(r.PrecisionInState.Found)
			v.TruthfulState.Of += r.PrecisionInState.Of
			v.Tail = v.Tail || r.Size.Tail > 0
			micros += r.Micros
		}
		if micros > 0 {
			v.Millis = millis(micros / int64(len(reports)))
		}
		out = append(out, v)
	}
	return out
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
	v.Stale = "–" // no session amended its goal
	if mid, worst = spread(reports, func(d *measure.Drift) float64 { return d.Stale }); worst > 0 {
		v.Stale = decimals(mid)
	}
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
