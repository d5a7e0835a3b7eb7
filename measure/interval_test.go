package measure_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-memory/pith/measure"
)

func TestIntervalHoldsTheMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 40).Draw(t, "values")
		weights := rapid.SliceOfN(rapid.Float64Range(0.1, 100), len(values), len(values)).Draw(t, "weights")
		seed := rapid.Uint64().Draw(t, "seed")
		var sum, of float64
		for i := range values {
			sum, of = sum+values[i]*weights[i], of+weights[i]
		}
		low, high := measure.Interval(values, weights, seed)
		if mean := sum / of; low > mean || high < mean || low < 0 || high > 1+1e-9 {
			t.Fatalf("%g is not within %g and %g", mean, low, high)
		}
		if l, h := measure.Interval(values, weights, seed); l != low || h != high {
			t.Fatal("the same seed gives another interval")
		}
	})
}

// TestIntervalCovers draws many samples whose mean is known: about 95 % of the
// intervals must hold it. The bounds are wide, as the percentile bootstrap is a
// little narrow for 30 sessions.
func TestIntervalCovers(t *testing.T) {
	state := uint64(7)
	next := func() float64 { // an LCG, which shares nothing with the generator tested
		state = state*6364136223846793005 + 1442695040888963407
		return float64(state>>11) / (1 << 53)
	}
	covered, of := 0, 200
	for i := range of {
		values := make([]float64, 30)
		for k := range values {
			values[k] = next()
		}
		if low, high := measure.Interval(values, nil, uint64(i)); low <= 0.5 && high >= 0.5 {
			covered++
		}
	}
	if covered < of*88/100 || covered == of {
		t.Errorf("%d of %d intervals hold the true mean", covered, of)
	}
}

func TestIntervalOfFew(t *testing.T) {
	if low, high := measure.Interval(nil, nil, 1); low != 0 || high != 1 {
		t.Errorf("of nothing: %g to %g", low, high)
	}
	if low, high := measure.Interval([]float64{0.5}, nil, 1); low != 0.5 || high != 0.5 {
		t.Errorf("of one: %g to %g", low, high)
	}
	if low, high := measure.Interval([]float64{0.5, 1}, []float64{0, 0}, 1); low != 0 || high != 1 {
		t.Errorf("without weight: %g to %g", low, high)
	}
}

func TestWilson(t *testing.T) {
	// The figures for 98 of 100 and 0 of 10 are those of Brown, Cai and DasGupta's formula, by hand.
	tests := []struct {
		found, of int
		low, high float64
	}{{98, 100, 0.9300, 0.9945}, {0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {0, 0, 0, 1}}
	for _, tt := range tests {
		if low, high := measure.Wilson(tt.found, tt.of); math.Abs(low-tt.low) > 5e-4 || math.Abs(high-tt.high) > 5e-4 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", tt.found, tt.of, low, high, tt.low, tt.high)
		}
	}
}

func TestSummarise(t *testing.T) {
	s := measure.Summarise([]measure.Counted{
		{"b", 9, 10}, {"a", 1, 2}, {"b", 90, 90}, {"empty", 0, 0},
	}, 3)
	if s.Sessions != 2 || s.Of != 102 || math.Abs(s.Micro-100.0/102) > 1e-9 || math.Abs(s.Macro-(0.5+0.99)/2) > 1e-9 || s.Worst != 0.5 {
		t.Errorf("%+v", s)
	}
	if s.MicroLow > s.Micro || s.MicroHigh < s.Micro || s.MacroLow != 0.5 || s.MacroHigh != 0.99 {
		t.Errorf("intervals: %+v", s)
	}
	if s := measure.Summarise(nil, 3); s.Micro != 1 || s.Sessions != 0 || s.MicroLow != 0 {
		t.Errorf("of nothing: %+v", s)
	}
}
