package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/pith-memory/pith/measure"
)

// printCuts prints a row for each report.
func (c *console) printCuts(all []measure.Report) error {
	w := c.table()
	fmt.Fprintln(w, "file\tcut\tof\tlive\ttext\ttail\tratio\twith tail\tall\tneeded\ttrue\tgoal\tdrift\trepeated\t")
	for i := range all {
		r := &all[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t", reportName(r), cutName(r.Cut), r.Of)
		if r.Absent != "" {
			fmt.Fprintln(w, "–\t–\t–\t–\t–\t–\t–\t–\t–\t–\t–\t")
			continue
		}
		s := standing{reports: []*measure.Report{r}}
		s.join()
		repeated := "–"
		if s.calls > 0 {
			repeated = fmt.Sprintf("%d/%d", s.residual, s.calls)
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%.1f\t%.1f\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r.Size.Live, r.Size.Text, r.Size.Tail, r.Size.TCR, r.Size.Effective,
			shareCell(s.all), shareCell(s.needed), s.precise(), yesNo(s.goals > 0), decimals(s.drift), repeated)
	}
	return w.Flush()
}

func reportName(r *measure.Report) string {
	if r.Session == "" {
		return filepath.Base(r.File)
	}
	return filepath.Base(r.File) + "#" + r.Session
}

// cutName names a cut in a column.
func cutName(c measure.Cut) string {
	switch c.Kind {
	case "boundary":
		return strconv.Itoa(c.N)
	case "percent":
		return strconv.Itoa(c.N) + "%"
	case "round":
		return "round " + strconv.Itoa(c.N)
	}
	return c.Kind
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// printLost lists what one candidate lost, with its place.
func (c *console) printLost(all []measure.Report, of string) {
	fmt.Fprintln(c.out)
	for i := range all {
		r := &all[i]
		if r.Of != of {
			continue
		}
		for _, l := range r.Lost {
			fmt.Fprintf(c.out, "lost %s: %s at %s: %s\n", lostHow(&l), lostPlace(r, &l), cutName(r.Cut), visible(firstLine(l.Text, 160)))
		}
		for _, m := range slices.Concat(r.Precision.Missed, r.PrecisionInState.Missed) {
			fmt.Fprintf(c.out, "invented: %s at %s: %s\n", reportName(r), cutName(r.Cut), visible(firstLine(m, 160)))
		}
	}
}

func lostHow(l *measure.Lost) string {
	how := string(l.Kind)
	if l.Needed {
		how += ", needed"
	}
	if l.Half {
		how += ", a part is there"
	}
	if l.Stale {
		how += ", an earlier value is there"
	}
	return how
}

func lostPlace(r *measure.Report, l *measure.Lost) string {
	if l.Line > 0 {
		return reportName(r) + ":" + strconv.Itoa(l.Line)
	}
	return reportName(r) + " message " + strconv.Itoa(l.Message)
}

// csvHeader names the columns: where, who, how large, and for one kind of atom
// what was held whole, in part and with a superseded value, of how many; the
// figures that are about no kind stand in each row of their report.
var csvHeader = []string{
	"file", "session", "cut", "n", "message", "candidate", "absent",
	"live", "text", "tail", "tcr", "tcr_effective", "break_even",
	"kind", "scope", "full", "half", "stale", "of", "share",
	"precision_found", "precision_of", "precision_in_state_found", "precision_in_state_of", "goal_equal", "amendments_equal", "gdm_lexical", "control_other_goal", "control_stale_goal",
	"calls", "repeated", "answered", "residual", "control_calls", "control_repeated",
	"needles_found", "needles_of", "rules_found", "rules_of", "promoted", "micros",
}

// csvScopes are the values of the column scope.
var csvScopes = []string{"all", "needed", "all_in_text", "needed_in_text", "in_state"}

// writeCSV writes a row for each report, scope and kind; one that is absent has
// a single row without figures.
func writeCSV(out io.Writer, all []measure.Report) error {
	w := csv.NewWriter(out)
	if err := w.Write(csvHeader); err != nil {
		return err
	}
	for i := range all {
		r := &all[i]
		where := []string{r.File, r.Session, r.Cut.Kind, strconv.Itoa(r.Cut.N), strconv.Itoa(r.Cut.Message), r.Of, r.Absent}
		if r.Absent != "" {
			if err := w.Write(append(where, make([]string, len(csvHeader)-len(where))...)); err != nil {
				return err
			}
			continue
		}
		sizes, rest := csvSizes(r), csvRest(r)
		for k, s := range scopes {
			for _, x := range s.list(r) {
				row := append(append([]string{}, where...), sizes...)
				row = append(row, string(x.Kind), csvScopes[k], strconv.Itoa(x.Full), strconv.Itoa(x.Half), strconv.Itoa(x.Stale), strconv.Itoa(x.Of), decimal(x.Share()))
				if err := w.Write(append(row, rest...)); err != nil {
					return err
				}
			}
		}
	}
	w.Flush()
	return w.Error()
}

func csvSizes(r *measure.Report) []string {
	s := &r.Size
	return []string{
		strconv.Itoa(int(s.Live)), strconv.Itoa(int(s.Text)), strconv.Itoa(int(s.Tail)), decimal(s.TCR), decimal(s.Effective), strconv.Itoa(int(s.BreakEven)),
	}
}

func csvRest(r *measure.Report) []string {
	d, w := &r.Drift, &r.Waste
	out := []string{
		strconv.Itoa(r.Precision.Found), strconv.Itoa(r.Precision.Of),
		strconv.Itoa(r.PrecisionInState.Found), strconv.Itoa(r.PrecisionInState.Of), strconv.FormatBool(d.Goal), strconv.FormatBool(d.Amendments),
		decimal(d.GDM), decimal(d.Other), decimal(d.Stale),
		strconv.Itoa(w.Calls), strconv.Itoa(w.Repeated), strconv.Itoa(w.Answered), strconv.Itoa(w.Residual), strconv.Itoa(w.ControlCalls), strconv.Itoa(w.ControlRepeated),
	}
	planted := []string{"", "", "", "", ""}
	if p := r.Planted; p != nil {
		planted = []string{strconv.Itoa(p.Needles.Found), strconv.Itoa(p.Needles.Of), strconv.Itoa(p.Rules.Found), strconv.Itoa(p.Rules.Of), strconv.Itoa(p.Promoted)}
	}
	return append(append(out, planted...), strconv.FormatInt(r.Micros, 10))
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }
