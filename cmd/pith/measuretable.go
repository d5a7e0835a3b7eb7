package main

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
)

// printReports prints the comparison: a row for each candidate, then its kinds.
func (c *console) printReports(all []measure.Report, f *measureFlags) error {
	isRound := func(r measure.Report) bool { return r.Cut.Kind == "round" }
	cuts := slices.DeleteFunc(slices.Clone(all), isRound)
	rounds := slices.DeleteFunc(slices.Clone(all), func(r measure.Report) bool { return !isRound(r) })
	if f.by == "file" {
		if err := c.printCuts(all); err != nil {
			return err
		}
		fmt.Fprintln(c.out)
	}
	if len(cuts) > 0 {
		fmt.Fprintf(c.out, "%s\n\n", c.paint(dim, countOf(cuts)))
		list := standings(cuts)
		if err := c.printStandings(list); err != nil {
			return err
		}
		if some := shared(cuts); some != nil {
			fmt.Fprintf(c.out, "\nat the %s where each has something to show\n", counted(some[0].cuts, "cut"))
			if err := c.printStandings(some); err != nil {
				return err
			}
			list = some
		}
		if err := c.printKinds(list); err != nil {
			return err
		}
		if err := c.printControls(list); err != nil {
			return err
		}
		if err := c.printPlanted(standings(cuts)); err != nil {
			return err
		}
	}
	if len(rounds) > 0 {
		if err := c.printRounds(rounds); err != nil {
			return err
		}
	}
	if f.misses {
		c.printLost(all, f.candidates[0].Name)
	}
	return nil
}

func countOf(all []measure.Report) string {
	sessions, cuts := map[sessionKey]bool{}, map[string]bool{}
	for i := range all {
		sessions[keyOf(&all[i])] = true
		cuts[fmt.Sprint(keyOf(&all[i]), all[i].Cut)] = true
	}
	s := counted(len(sessions), "session") + ", " + counted(len(cuts), "cut")
	for i := range all {
		if t := all[i].Size.Tokenizer; t != "" {
			return s + "; sizes in tokens of " + t + "; [95 % interval over sessions]"
		}
	}
	return s
}

func (c *console) table() *tabwriter.Writer {
	return tabwriter.NewWriter(c.out, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// oneTable is how wide a terminal must be for all columns side by side.
const oneTable = 124

const (
	sizeColumns = "cuts\tlive\ttext\ttail\tratio\twith tail\tms\t"
	keptColumns = "all\tneeded\ttrue\tgoal\tdrift\trepeated\t"
)

func (c *console) printStandings(list []standing) error {
	if c.width >= oneTable {
		return c.standingRows(list, sizeColumns+keptColumns, func(s *standing) string { return s.sizeCells() + s.keptCells() })
	}
	if err := c.standingRows(list, sizeColumns, (*standing).sizeCells); err != nil {
		return err
	}
	fmt.Fprintln(c.out)
	return c.standingRows(list, keptColumns, (*standing).keptCells)
}

func (c *console) standingRows(list []standing, columns string, cells func(*standing) string) error {
	w := c.table()
	fmt.Fprintln(w, "of\t"+columns)
	for i := range list {
		fmt.Fprintln(w, list[i].of+"\t"+cells(&list[i]))
	}
	return w.Flush()
}

func (s *standing) sizeCells() string {
	if s.cuts == 0 {
		return "0\t\t\t\t\t\t\t"
	}
	n := pith.Tokens(s.cuts)
	ms := ""
	if s.micros > 0 {
		ms = strconv.FormatFloat(float64(s.micros)/1000/float64(s.cuts), 'f', 1, 64)
	}
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%.1f\t%.1f\t%s\t", s.cuts, thousands(int(s.live/n)), thousands(int(s.text/n)),
		thousands(int(s.tail/n)), s.tcr(), s.effective(), ms)
}

func (s *standing) keptCells() string {
	if s.cuts == 0 {
		return "\t\t\t\t\t\t"
	}
	return strings.Join([]string{
		withInterval(s.all), withInterval(s.needed), s.precise(),
		fmt.Sprintf("%d/%d", s.goals, s.cuts), decimals(s.drift), ofCalls(s.residual, s.calls),
	}, "\t") + "\t"
}

// precise is the precision as a cell, of a candidate that states anything.
func (s *standing) precise() string {
	if s.stated.Of == 0 {
		return "–"
	}
	return percent(s.precision())
}

// withInterval is a share and the interval that it lies in, which one session
// alone does not give.
func withInterval(s measure.Summary) string {
	if s.Of == 0 {
		return "–"
	}
	if s.Sessions < 2 {
		return percent(s.Micro)
	}
	return fmt.Sprintf("%s [%.1f-%.1f]", percent(s.Micro), s.MicroLow*100, s.MicroHigh*100)
}

// kinds are all kinds of atom, in the order of the table.
var kinds = []measure.Kind{
	measure.KindModified, measure.KindInspected, measure.KindRun, measure.KindError, measure.KindRule, measure.KindDecision,
	measure.KindTodo, measure.KindRequest, measure.KindTest, measure.KindCommit, measure.KindSymbol, measure.KindIdentifier,
}

// scope is a part of the atoms, and what it was looked for in.
type scope struct {
	title string
	list  func(*measure.Report) []measure.Retained
	// alone: it is without what stays verbatim beside the text.
	alone bool
}

var scopes = []scope{
	{"all atoms", func(r *measure.Report) []measure.Retained { return r.All }, false},
	{"needed atoms", func(r *measure.Report) []measure.Retained { return r.Needed }, false},
	{"all atoms, in the text alone", func(r *measure.Report) []measure.Retained { return r.InText }, true},
	{"needed atoms, in the text alone", func(r *measure.Report) []measure.Retained { return r.NeededInText }, true},
	{"all atoms, in the state", func(r *measure.Report) []measure.Retained { return r.InState }, false},
}

// printKinds prints for each scope a row for each kind and a column for each
// candidate. A scope that nobody has anything of is left out, and that of the
// text alone where nothing stays beside one.
func (c *console) printKinds(list []standing) error {
	tail := slices.ContainsFunc(list, func(s standing) bool { return s.tail > 0 })
	for _, s := range scopes {
		if s.alone && !tail {
			continue
		}
		of := slices.DeleteFunc(slices.Clone(list), func(x standing) bool { return summary(x.reports, s.list, "").Of == 0 })
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(c.out, "\n%s\n", c.paint(bold, s.title))
		for some := range c.abreast(of) {
			if err := c.kindRows(some, s.list); err != nil {
				return err
			}
		}
	}
	return nil
}

// abreast parts candidates into groups whose columns fit side by side.
func (c *console) abreast(list []standing) iter.Seq[[]standing] {
	const kindAndAtoms, gap, cell = 26, 2, 6
	return func(yield func([]standing) bool) {
		for len(list) > 0 {
			n, width := 0, kindAndAtoms
			for n < len(list) {
				width += max(utf8.RuneCountInString(list[n].of), cell) + gap
				if n > 0 && width > c.width {
					break
				}
				n++
			}
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}

func (c *console) kindRows(of []standing, list func(*measure.Report) []measure.Retained) error {
	w := c.table()
	heading := "kind\tatoms\t"
	for i := range of {
		heading += of[i].of + "\t"
	}
	fmt.Fprintln(w, heading)
	for _, kind := range append(slices.Clone(kinds), "") {
		if row, counts := kindCells(of, list, kind); counts {
			fmt.Fprintln(w, row)
		}
	}
	return w.Flush()
}

func kindCells(of []standing, list func(*measure.Report) []measure.Retained, kind measure.Kind) (row string, counts bool) {
	name := string(kind)
	if kind == "" {
		name = "together"
	}
	cells, most := "", 0.0
	for i := range of {
		s := summary(of[i].reports, list, kind)
		most = max(most, s.Of)
		if s.Of == 0 {
			cells += "–\t"
			continue
		}
		cells += percent(s.Micro) + "\t"
	}
	return name + "\t" + thousands(int(most)) + "\t" + cells, most > 0
}

// printControls prints what the figures of drift and waste are to be read
// beside: means over the cuts of the cosine with the user's words, with another
// session's goal and with the goal before the last amendment; repeated calls
// before and after the candidate's answers, and without any compaction.
func (c *console) printControls(list []standing) error {
	fmt.Fprintf(c.out, "\n%s\n", c.paint(bold, "controls"))
	w := c.table()
	fmt.Fprintln(w, "of\tgoal's cosine\tof another goal\tof a stale goal\trepeated\tunanswered\twithout compaction\t")
	for i := range list {
		s := &list[i]
		if s.cuts == 0 {
			continue
		}
		n := float64(s.cuts)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", s.of, decimals(s.cosine/n), decimals(s.other/n), decimals(s.stale/n),
			ofCalls(s.seen, s.calls), ofCalls(s.residual, s.calls), ofCalls(s.control, s.controlCalls))
	}
	return w.Flush()
}

func ofCalls(n, calls int) string {
	if calls == 0 {
		return "–"
	}
	return percent(float64(n) / float64(calls))
}

func (c *console) printPlanted(list []standing) error {
	list = slices.DeleteFunc(slices.Clone(list), func(s standing) bool { return !s.planted })
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintf(c.out, "\n%s\n", c.paint(bold, "planted"))
	w := c.table()
	fmt.Fprintln(w, "of\tneedles\trules\torders of tools that became rules\t")
	for i := range list {
		s := &list[i]
		fmt.Fprintf(w, "%s\t%d/%d\t%d/%d\t%d\t\n", s.of, s.needles.Found, s.needles.Of, s.rules.Found, s.rules.Of, s.promoted)
	}
	return w.Flush()
}

// printRounds prints a chain: a row for each round of each candidate.
func (c *console) printRounds(all []measure.Report) error {
	fmt.Fprintf(c.out, "\n%s\n", c.paint(bold, "compacted in rounds"))
	w := c.table()
	fmt.Fprintln(w, "of\tround\tlive\ttext\ttail\twith tail\tall\tneeded\ttrue\tgoal\tdrift\tneedles\trules\t")
	last := 0
	for i := range all {
		last = max(last, all[i].Cut.N)
	}
	for _, total := range standings(all) {
		for n := 1; n <= last; n++ {
			s := standing{of: total.of, reports: slices.DeleteFunc(slices.Clone(total.reports), func(r *measure.Report) bool { return r.Cut.N != n })}
			if s.join(); s.cuts == 0 {
				continue
			}
			each := pith.Tokens(s.cuts)
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%.1f\t%s\t%s\t%s\t%d/%d\t%s\t%s\t%s\t\n", s.of, n, thousands(int(s.live/each)), thousands(int(s.text/each)),
				thousands(int(s.tail/each)), s.effective(), shareCell(s.all), shareCell(s.needed), s.precise(), s.goals, s.cuts, decimals(s.drift),
				foundCell(s.needles), foundCell(s.rules))
		}
	}
	return w.Flush()
}

func shareCell(s measure.Summary) string {
	if s.Of == 0 {
		return "–"
	}
	return percent(s.Micro)
}

func foundCell(s measure.Share) string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", s.Found, s.Of)
}
