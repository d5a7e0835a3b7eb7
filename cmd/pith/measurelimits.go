package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
)

// limit is a threshold that a figure of the first candidate must reach.
type limit struct {
	flag, about string
	// figure takes the value that is compared, and false where there is none.
	figure func(*standing) (float64, bool)
	// most is set where the figure may not be more.
	most bool
	// plain is set where it is no share.
	plain bool
	value *float64
}

// limits are the thresholds that may be set.
type limits []*limit

func (l *limits) addTo(flags *pflag.FlagSet) {
	*l = limits{
		{flag: "min-cirr", about: "least share of all atoms", figure: func(s *standing) (float64, bool) { return s.all.Micro, s.all.Of > 0 }},
		{flag: "min-need", about: "least share of the needed atoms", figure: func(s *standing) (float64, bool) { return s.needed.Micro, s.needed.Of > 0 }},
		{flag: "min-precision", about: "least share of statements that occur", figure: func(s *standing) (float64, bool) { return s.precision(), s.stated.Of > 0 }},
		{flag: "min-tcr", about: "least ratio, with what stays verbatim", plain: true, figure: func(s *standing) (float64, bool) { return s.effective(), s.cuts > 0 }},
		{flag: "max-trw", about: "largest share of repeated calls", most: true, figure: func(s *standing) (float64, bool) { return s.repeated(), s.calls > 0 }},
		{flag: "max-gdm", about: "largest lexical drift of the goal", most: true, figure: func(s *standing) (float64, bool) { return s.drift, s.cuts > 0 }},
	}
	for _, x := range *l {
		flags.Var(x, x.flag, x.about+"; exit code 5 where it is missed")
	}
}

// String, Set and Type make a limit a flag.
func (x *limit) String() string {
	if x == nil || x.value == nil {
		return ""
	}
	return x.say(*x.value)
}

// Set reads a share, as 98% or 0.98, or a ratio.
func (x *limit) Set(text string) error {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	switch {
	case err != nil || v < 0 || v != v:
		return errors.New("want a number")
	case x.plain && percent:
		return errors.New("want a ratio, as 5")
	case percent:
		v /= 100
	}
	if !x.plain && v > 1 {
		return errors.New("want a share up to 1, as 0.98, or percent, as 98%")
	}
	x.value = &v
	return nil
}

// Type is what the help calls the value.
func (x *limit) Type() string {
	if x.plain {
		return "ratio"
	}
	return "share"
}

func (x *limit) say(v float64) string {
	if x.plain {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v*100, 'f', -1, 64) + " %"
}

// rounded is a figure in few digits, in the direction that does not hide a miss.
func (x *limit) rounded(v float64) string {
	if x.plain {
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v*100, 'f', 2, 64) + " %"
}

// judge holds the first candidate against the thresholds: a line for each that
// is missed. A figure that nothing was found for is missed as well, since
// nothing was shown.
func (l limits) judge(w io.Writer, all []measure.Report) error {
	first := standings(all)[0]
	missed, set := 0, 0
	for _, x := range l {
		if x.value == nil {
			continue
		}
		set++
		v, ok := x.figure(&first)
		switch {
		case !ok:
			fmt.Fprintf(w, "pith: missed: --%s %s: %s has nothing that this could be measured by\n", x.flag, x.say(*x.value), first.of)
		case x.most && v > *x.value:
			fmt.Fprintf(w, "pith: missed: --%s %s: %s has %s\n", x.flag, x.say(*x.value), first.of, x.rounded(v))
		case !x.most && v < *x.value:
			fmt.Fprintf(w, "pith: missed: --%s %s: %s has %s\n", x.flag, x.say(*x.value), first.of, x.rounded(v))
		default:
			continue
		}
		missed++
	}
	if missed == 0 {
		return nil
	}
	return &pith.Error{Op: "hold " + first.of + " against the thresholds", Kind: pith.KindCheck, Err: fmt.Errorf("%d of %d missed", missed, set)}
}
