package main

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
)

func rulesHeld(full, half, of int) []measure.Retained {
	return []measure.Retained{{Kind: measure.KindRule, Full: full, Half: half, Of: of}}
}

// someReports are of two candidates at two cuts; the second is absent at one.
func someReports() []measure.Report {
	cut := func(kind string, n int) measure.Cut { return measure.Cut{Kind: kind, N: n} }
	size := measure.Size{Live: 1000, Text: 100, Tail: 100}
	return []measure.Report{
		{
			File: "a", Cut: cut("boundary", 1), Of: "pith", Size: size, All: rulesHeld(9, 1, 10), Needed: rulesHeld(3, 0, 4),
			Precision: measure.Share{Found: 99, Of: 100}, PrecisionInState: measure.Share{Found: 98, Of: 100},
			Drift: measure.Drift{Goal: true, Amendments: true}, Waste: measure.Waste{Calls: 50, Residual: 1},
		},
		{File: "a", Cut: cut("boundary", 1), Of: "client", Size: size, All: rulesHeld(2, 0, 10), Drift: measure.Drift{GDM: 0.7}},
		{File: "a", Cut: cut("end", 0), Of: "pith", Size: size, All: rulesHeld(10, 0, 10), Drift: measure.Drift{GDM: 0.2}},
		{File: "a", Cut: cut("end", 0), Of: "client", Absent: "the client made no summary here"},
	}
}

func TestStandings(t *testing.T) {
	list := standings(someReports())
	if len(list) != 2 || list[0].of != "pith" || list[0].cuts != 2 || list[1].cuts != 1 {
		t.Fatalf("standings %+v", list)
	}
	s := &list[0]
	if s.all.Micro != 19.5/20 || s.needed.Micro != 0.75 || s.effective() != 5 || s.tcr() != 10 || s.drift != 0.2 || s.goals != 1 {
		t.Errorf("pith stands at %+v", s)
	}
	if s.precision() != 0.98 {
		t.Errorf("the lower precision counts, got %v", s.precision())
	}
	some := shared(someReports())
	if len(some) != 2 || some[0].cuts != 1 || some[1].cuts != 1 {
		t.Errorf("both have something to show at one cut, got %+v", some)
	}
	if all := someReports(); shared(all[:2]) != nil {
		t.Error("where nobody is absent there is nothing to show apart")
	}
}

func TestLimitValues(t *testing.T) {
	for _, c := range []struct {
		text  string
		plain bool
		want  float64 // below 0: refused
	}{
		{"98%", false, 0.98},
		{" 99.5 % ", false, 0.995},
		{"0.98", false, 0.98},
		{"1", false, 1},
		{"1%", false, 0.01},
		{"0", false, 0},
		{"98", false, -1},
		{"101%", false, -1},
		{"-1%", false, -1},
		{"NaN", false, -1},
		{"much", false, -1},
		{"5", true, 5},
		{"0.5", true, 0.5},
		{"5%", true, -1},
	} {
		x := limit{plain: c.plain}
		err := x.Set(c.text)
		if (err != nil) != (c.want < 0) || err == nil && *x.value != c.want {
			t.Errorf("%q: %v, %v", c.text, x.value, err)
		}
	}
}

func TestLimitsName(t *testing.T) {
	for _, c := range []struct{ flag, value, line string }{
		{"min-cirr", "98%", "pith: missed: --min-cirr 98 %: pith has 97.50 %\n"},
		{"min-cirr", "97.5%", ""},
		{"min-need", "0.8", "pith: missed: --min-need 80 %: pith has 75.00 %\n"},
		{"min-precision", "99%", "pith: missed: --min-precision 99 %: pith has 98.00 %\n"},
		{"min-tcr", "5", ""},
		{"min-tcr", "5.01", "pith: missed: --min-tcr 5.01: pith has 5.00\n"},
		{"max-trw", "1%", "pith: missed: --max-trw 1 %: pith has 2.00 %\n"},
		{"max-trw", "2%", ""},
		{"max-gdm", "0.1", "pith: missed: --max-gdm 10 %: pith has 20.00 %\n"},
	} {
		cmd := measureCommand(&console{})
		if err := cmd.Flags().Set(c.flag, c.value); err != nil {
			t.Fatal(err)
		}
		var l limits
		l = append(l, cmd.Flags().Lookup(c.flag).Value.(*limit))
		var out strings.Builder
		err := l.judge(&out, someReports())
		if out.String() != c.line || (err != nil) != (c.line != "") {
			t.Errorf("--%s %s: %q, %v", c.flag, c.value, out.String(), err)
		}
		if err != nil && pith.KindOf(err) != pith.KindCheck {
			t.Errorf("--%s: the error is of kind %v", c.flag, pith.KindOf(err))
		}
	}
}

func TestCSVIsOneTable(t *testing.T) {
	var out strings.Builder
	reports := someReports()
	reports[0].Planted = &measure.Planted{Needles: measure.Share{Found: 1, Of: 2}}
	if err := writeCSV(&out, reports); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll() // refuses rows of unequal length
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + 2 + 1 + 1 + 1; len(rows) != want {
		t.Errorf("%d rows, want %d:\n%s", len(rows), want, out.String())
	}
}
