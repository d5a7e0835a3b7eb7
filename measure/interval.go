package measure

import (
	"cmp"
	"math"
	"slices"
)

// resamples is how often the sessions are drawn anew.
const resamples = 2000

// Interval is the 95 % interval of the weighted mean of values, one value for
// each session: sessions are drawn with replacement, 2,000 times, because the
// facts of one session are not independent of one another. Weights are how many
// facts each value stands for (the micro average); nil weighs all alike (the
// macro average). The same seed gives the same interval, and the interval
// always holds the mean itself. Without values it is 0 to 1: nothing is known.
func Interval(values, weights []float64, seed uint64) (low, high float64) {
	mean, ok := weightedMean(values, weights)
	if !ok {
		return 0, 1
	}
	r, n := splitmix(seed), len(values)
	means := make([]float64, 0, resamples)
	for range resamples {
		var sum, of float64
		for range n {
			i := r.below(n)
			w := weight(weights, i)
			sum, of = sum+w*values[i], of+w
		}
		if of > 0 {
			means = append(means, sum/of)
		}
	}
	slices.Sort(means)
	k := len(means)
	if k == 0 {
		return mean, mean
	}
	low, high = means[k*25/1000], means[min(k*975/1000, k-1)]
	return min(low, mean), max(high, mean)
}

func weight(weights []float64, i int) float64 {
	if i < len(weights) {
		return max(weights[i], 0)
	}
	return 1
}

// weightedMean gives false where nothing has a weight.
func weightedMean(values, weights []float64) (float64, bool) {
	var sum, of float64
	for i, v := range values {
		w := weight(weights, i)
		sum, of = sum+w*v, of+w
	}
	if of == 0 {
		return 0, false
	}
	return sum / of, true
}

// Wilson is the 95 % interval of one proportion, by Wilson's score: it stays
// within 0 and 1 and says something where all or none were found. It takes the
// facts as independent of one another; Interval does not.
func Wilson(found, of int) (low, high float64) {
	if of <= 0 {
		return 0, 1
	}
	const z = 1.959964
	n, p := float64(of), float64(found)/float64(of)
	centre := p + z*z/(2*n)
	spread := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return max(0, (centre-spread)/scale), min(1, (centre+spread)/scale)
}

// Counted is what was found in one session, or at one cut of it.
type Counted struct {
	Session string
	// Found may have a fraction: a part of a fact counts as half.
	Found, Of float64
}

// Summary joins what was found in several sessions.
type Summary struct {
	// Micro is all that was found of all there is, Macro the mean over sessions,
	// each with its 95 % interval over sessions.
	Micro     float64 `json:"micro"`
	MicroLow  float64 `json:"micro_low"`
	MicroHigh float64 `json:"micro_high"`
	Macro     float64 `json:"macro"`
	MacroLow  float64 `json:"macro_low"`
	MacroHigh float64 `json:"macro_high"`
	// Worst is the mean of the tenth of the sessions that did worst, one at least.
	Worst    float64 `json:"worst_decile"`
	Sessions int     `json:"sessions"`
	Of       float64 `json:"of"`
}

// Summarise joins the cuts of each session first: they share most of their
// facts. Sessions that have nothing to find do not count. Nothing at all is 1 of 0.
func Summarise(counted []Counted, seed uint64) Summary {
	shares, weights := bySession(counted)
	s := Summary{Sessions: len(shares), Micro: 1, Macro: 1, Worst: 1}
	s.MicroLow, s.MicroHigh = Interval(shares, weights, seed)
	s.MacroLow, s.MacroHigh = Interval(shares, nil, seed)
	if len(shares) == 0 {
		return s
	}
	s.Micro, _ = weightedMean(shares, weights)
	s.Macro, _ = weightedMean(shares, nil)
	for _, w := range weights {
		s.Of += w
	}
	slices.Sort(shares)
	s.Worst, _ = weightedMean(shares[:max(1, len(shares)/10)], nil)
	return s
}

// bySession gives a share and a weight for each session, by name.
func bySession(counted []Counted) (shares, weights []float64) {
	sorted := slices.Clone(counted)
	slices.SortStableFunc(sorted, func(a, b Counted) int { return cmp.Compare(a.Session, b.Session) })
	for i := 0; i < len(sorted); {
		var found, of float64
		name := sorted[i].Session
		for ; i < len(sorted) && sorted[i].Session == name; i++ {
			found, of = found+sorted[i].Found, of+sorted[i].Of
		}
		if of > 0 {
			shares, weights = append(shares, found/of), append(weights, of)
		}
	}
	return shares, weights
}
