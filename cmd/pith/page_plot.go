package main

import (
	"math"
	"slices"
	"strconv"

	"github.com/pith-memory/pith/measure"
)

// plotView is ratio against retention: each cut a point, the ratio on a
// logarithmic axis.
type plotView struct {
	ID, Title, What string
	X, Y            []tick
	Series          []series // as they are drawn, from back to front
	Legend          []series
	Points          int
	Without         int // cuts that have no point: no ratio or no such atoms
	Unplotted       int // cuts beyond what the plot has room for
}

type tick struct{ At, Label string }

// series are the points of one candidate.
type series struct {
	mark
	Points []point
	Count  string
}

type point struct{ X, Y, Title string }

// The plot's room in its own units; the axes' labels stand left and below.
const (
	plotLeft, plotRight = 52.0, 408.0
	plotTop, plotBottom = 14.0, 262.0
	maxPoints           = 1500
)

func (t *tally) plots() []plotView {
	return []plotView{
		t.plot("needed", "Ratio against the facts needed next", "facts needed next", neededAtoms),
		t.plot("all", "Ratio against all facts", "all facts", allAtoms),
	}
}

func (t *tally) plot(id, title, what string, pick atomList) plotView {
	v := plotView{ID: id, Title: title, What: what}
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range t.measured() {
		if plottable(r, pick) {
			low, high = min(low, r.Size.Effective), max(high, r.Size.Effective)
		}
	}
	scale := logScale(low, high)
	v.X = scale.ticks()
	for share := 0; share <= 100; share += 25 {
		v.Y = append(v.Y, tick{coordinate(height(float64(share) / 100)), strconv.Itoa(share)})
	}
	for _, of := range t.of {
		s := series{mark: t.mark(of)}
		for _, r := range present(t.measured(), of) {
			switch {
			case !plottable(r, pick):
				v.Without++
			case v.Points == maxPoints:
				v.Unplotted++
			default:
				v.Points++
				s.Points = append(s.Points, t.point(r, pick, scale))
			}
		}
		if len(s.Points) > 0 {
			s.Count = counted(len(s.Points), "cut")
			v.Series = append(v.Series, s)
		}
	}
	// What is drawn last lies on top, and the first candidates matter most.
	v.Legend = slices.Clone(v.Series)
	slices.Reverse(v.Series)
	return v
}

func plottable(r *measure.Report, pick atomList) bool {
	return r.Absent == "" && r.Size.Effective > 0 && !math.IsInf(r.Size.Effective, 0) && fractionOf(pooled([]*measure.Report{r}, pick, "")).Known()
}

func (t *tally) point(r *measure.Report, pick atomList, scale logAxis) point {
	f := fractionOf(pooled([]*measure.Report{r}, pick, ""))
	return point{
		X: coordinate(scale.at(r.Size.Effective)), Y: coordinate(height(f.share())),
		Title: visible(r.Of) + ", " + t.names[keyOf(r)] + ", " + cutLabel(r.Cut) + ": " + times(r.Size.Effective) + ", " + f.Percent(),
	}
}

func height(share float64) float64 {
	return plotBottom - (plotBottom-plotTop)*min(max(share, 0), 1)
}

// logAxis maps ratios from low to high onto the plot's width.
type logAxis struct{ low, high float64 }

// logScale gives the points some air, and never fewer than one factor of four.
func logScale(low, high float64) logAxis {
	if low > high {
		low, high = 1, 100
	}
	low, high = low/1.25, high*1.25
	if high/low < 4 {
		mid := math.Sqrt(low * high)
		low, high = mid/2, mid*2
	}
	return logAxis{low, high}
}

func (a logAxis) at(ratio float64) float64 {
	return plotLeft + (plotRight-plotLeft)*math.Log(ratio/a.low)/math.Log(a.high/a.low)
}

// ticks are at 1, 2 and 5 of each power of ten, thinned where they would touch.
func (a logAxis) ticks() []tick {
	var out []tick
	last := math.Inf(-1)
	for power := math.Pow(10, math.Floor(math.Log10(a.low))); power <= a.high; power *= 10 {
		for _, step := range []float64{1, 2, 5} {
			x := power * step
			if x < a.low || x > a.high || a.at(x)-last < 34 {
				continue
			}
			last = a.at(x)
			out = append(out, tick{coordinate(last), strconv.FormatFloat(x, 'g', -1, 64) + "×"})
		}
	}
	return out
}
