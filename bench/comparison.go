package main

import (
	"cmp"
	"slices"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
)

// Comparison is what one run found: all that the document is made from. It
// holds counts only, nothing of what the sessions say.
type Comparison struct {
	Date string `json:"date"`
	// From says which sessions they are.
	From     string            `json:"from"`
	Sessions int               `json:"sessions"`
	Machine  Machine           `json:"machine"`
	Versions map[string]string `json:"versions"`
	// Skipped are the runners that were left out.
	Skipped   []string `json:"skipped,omitempty"`
	Tokenizer string   `json:"tokenizer"`
	// AtSummaries are the cuts where the client's summary is known, so that all
	// candidates can be compared; AtAll are all cuts of coding agents' sessions,
	// AtDialogues those of dialogues that are not a coding agent's.
	AtSummaries Table   `json:"at_summaries"`
	AtAll       Table   `json:"at_all"`
	AtDialogues Table   `json:"at_dialogues"`
	Speed       []Speed `json:"speed"`
}

// Machine is where it ran.
type Machine struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
}

// Table compares candidates at the same cuts.
type Table struct {
	Cuts     int `json:"cuts"`
	Sessions int `json:"sessions"`
	// Formats counts the sessions by the format of their files.
	Formats map[string]int `json:"formats"`
	Rows    []Row          `json:"rows"`
	// Missing counts the cuts at which a candidate without a row had nothing.
	Missing []Missing `json:"missing,omitempty"`
}

// Missing says at how many cuts a candidate had nothing to show, and why last.
type Missing struct {
	Of   string `json:"of"`
	Cuts int    `json:"cuts"`
	Why  string `json:"why"`
}

// Row is what one candidate kept, summed over the cuts of a table.
type Row struct {
	Of   string      `json:"of"`
	Live pith.Tokens `json:"live"`
	// Sent is all that a model would read: the text and what stays beside it.
	Sent      pith.Tokens        `json:"sent"`
	All       []measure.Retained `json:"all"`
	Needed    []measure.Retained `json:"needed"`
	AllIn     Interval           `json:"all_interval"`
	NeededIn  Interval           `json:"needed_interval"`
	Precision measure.Share      `json:"precision"`
	// Checked cuts are those whose messages are known, Broken of them have a
	// call or a result that was parted from the other.
	Checked int `json:"checked"`
	Broken  int `json:"broken"`
	// Shown of the bytes of History were given to the summarizing model.
	Shown   int `json:"shown,omitempty"`
	History int `json:"history,omitempty"`
}

// Interval is a 95 % interval over sessions.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Ratio is how much smaller the context becomes.
func (r *Row) Ratio() float64 { return float64(r.Live) / float64(max(r.Sent, 1)) }

// judged is a report and what bench itself saw.
type judged struct {
	measure.Report
	note
	format pith.Format
}

// tabulate sums the reports of the cuts that wanted says, for those candidates
// that have something to show at every one of them.
func tabulate(reports []judged, wanted func([]judged) bool) Table {
	t := Table{Formats: map[string]int{}}
	byOf := map[string][]judged{}
	missing := map[string]Missing{}
	sessions := map[string]bool{}
	for _, at := range byCut(reports) {
		if !wanted(at) {
			continue
		}
		t.Cuts++
		if of := sessionOf(&at[0]); !sessions[of] {
			sessions[of] = true
			t.Formats[string(at[0].format)]++
		}
		for _, r := range at {
			if r.Absent == "" {
				byOf[r.Of] = append(byOf[r.Of], r)
			} else {
				missing[r.Of] = Missing{Of: r.Of, Cuts: missing[r.Of].Cuts + 1, Why: r.Absent}
			}
		}
	}
	t.Sessions = len(sessions)
	for _, s := range setups {
		if m := missing[s.of]; m.Cuts > 0 {
			t.Missing = append(t.Missing, m)
		} else if len(byOf[s.of]) > 0 {
			t.Rows = append(t.Rows, sum(s.of, byOf[s.of]))
		}
	}
	return t
}

// byCut groups the reports, which come cut by cut.
func byCut(reports []judged) [][]judged {
	var out [][]judged
	for i := range reports {
		last := len(out) - 1
		if last < 0 || sessionOf(&out[last][0]) != sessionOf(&reports[i]) || out[last][0].Cut != reports[i].Cut {
			out, last = append(out, nil), last+1
		}
		out[last] = append(out[last], reports[i])
	}
	return out
}

func sessionOf(r *judged) string { return r.File + "#" + r.Session }

// hasSummary wants the client's own summary at a cut.
func hasSummary(at []judged) bool {
	return slices.ContainsFunc(at, func(r judged) bool { return r.Of == "client" && r.Absent == "" })
}

// ofCoding wants a coding agent's session, ofDialogue any other.
func ofCoding(at []judged) bool   { return !ofDialogue(at) }
func ofDialogue(at []judged) bool { return at[0].format == pith.FormatTauBench }

func sum(of string, reports []judged) Row {
	row := Row{Of: of}
	for i := range reports {
		r := &reports[i]
		row.Live += r.Size.Live
		row.Sent += r.Size.Text + r.Size.Tail
		row.All = addRetained(row.All, r.All)
		row.Needed = addRetained(row.Needed, r.Needed)
		row.Precision.Found += r.Precision.Found
		row.Precision.Of += r.Precision.Of
		row.Shown += r.shown
		row.History += r.history
		if r.checked {
			row.Checked++
		}
		if r.broken > 0 {
			row.Broken++
		}
	}
	row.AllIn = interval(reports, func(r *judged) []measure.Retained { return r.All })
	row.NeededIn = interval(reports, func(r *judged) []measure.Retained { return r.Needed })
	return row
}

func addRetained(to, more []measure.Retained) []measure.Retained {
	for _, m := range more {
		i := slices.IndexFunc(to, func(r measure.Retained) bool { return r.Kind == m.Kind })
		if i < 0 {
			to = append(to, measure.Retained{Kind: m.Kind})
			i = len(to) - 1
		}
		to[i].Full += m.Full
		to[i].Half += m.Half
		to[i].Stale += m.Stale
		to[i].Of += m.Of
	}
	slices.SortFunc(to, func(a, b measure.Retained) int { return cmp.Compare(a.Kind, b.Kind) })
	return to
}

// total is the sum over some kinds, all of them where none is named.
func total(list []measure.Retained, kinds ...measure.Kind) measure.Retained {
	var t measure.Retained
	for _, r := range list {
		if len(kinds) == 0 || slices.Contains(kinds, r.Kind) {
			t.Full += r.Full
			t.Half += r.Half
			t.Stale += r.Stale
			t.Of += r.Of
		}
	}
	return t
}

// seed makes every run draw the same sessions for its intervals.
const seed = 1

// interval is that of the share over all facts: a session weighs as many as it has.
func interval(reports []judged, part func(*judged) []measure.Retained) Interval {
	var values, weights []float64
	for i := 0; i < len(reports); {
		of := sessionOf(&reports[i])
		var list []measure.Retained
		for ; i < len(reports) && sessionOf(&reports[i]) == of; i++ {
			list = addRetained(list, part(&reports[i]))
		}
		t := total(list)
		values, weights = append(values, t.Share()), append(weights, float64(t.Of))
	}
	low, high := measure.Interval(values, weights, seed)
	return Interval{Low: low, High: high}
}
