package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pith-memory/pith/measure"
)

// writeBetter lists every figure in which another candidate is ahead of pith.
func writeBetter(b *bytes.Buffer, c *Comparison) {
	b.WriteString("## Where others are ahead of pith\n\nEvery figure above in which another candidate is ahead; behind it in brackets how much smaller that candidate makes the\ncontext. `raw` makes nothing smaller and is left out.\n\n")
	var lines []string
	for _, t := range []struct {
		where string
		table *Table
	}{{"with a summary", &c.AtSummaries}, {"coding agents", &c.AtAll}, {"other dialogues", &c.AtDialogues}} {
		for _, l := range betterIn(t.table) {
			lines = append(lines, t.where+", "+l)
		}
	}
	lines = append(lines, fasterThanPith(c.Speed)...)
	if len(lines) == 0 {
		lines = []string{"None in this run."}
	}
	for _, l := range lines {
		fmt.Fprintf(b, "- %s\n", l)
	}
	b.WriteByte('\n')
}

// feature is a figure in which more is better; value says too whether there is one.
type feature struct {
	name  string
	value func(*Row) (float64, bool)
	unit  string
}

func features() []feature {
	out := []feature{
		{"smaller", func(r *Row) (float64, bool) { return r.Ratio(), true }, "%.1fx"},
		{"all", func(r *Row) (float64, bool) { return percentage(total(r.All)) }, "%.1f %%"},
		{"needed", func(r *Row) (float64, bool) { return percentage(total(r.Needed)) }, "%.1f %%"},
		{"precision", func(r *Row) (float64, bool) {
			return 100 * float64(r.Precision.Found) / float64(max(r.Precision.Of, 1)), r.Precision.Of > 0
		}, "%.1f %%"},
		{"cuts without a parted pair", func(r *Row) (float64, bool) {
			return 100 * float64(r.Checked-r.Broken) / float64(max(r.Checked, 1)), r.Checked > 0
		}, "%.1f %%"},
	}
	for _, k := range kinds {
		out = append(out,
			feature{"all " + k.name, func(r *Row) (float64, bool) { return percentage(total(r.All, k.kind)) }, "%.1f %%"},
			feature{"needed " + k.name, func(r *Row) (float64, bool) { return percentage(total(r.Needed, k.kind)) }, "%.1f %%"})
	}
	return out
}

// betterIn names the candidates of a table that are ahead of pith, figure by figure.
func betterIn(t *Table) []string {
	own := rowOf(t, "pith")
	if own == nil {
		return nil
	}
	var out []string
	for _, f := range features() {
		mine, ok := f.value(own)
		var ahead []string
		for i := range t.Rows {
			r := &t.Rows[i]
			other, has := f.value(r)
			// What rounds to the same figure is no lead.
			if !ok || !has || r.Of == "raw" || other <= mine || fmt.Sprintf(f.unit, other) == fmt.Sprintf(f.unit, mine) {
				continue
			}
			if f.name == "smaller" {
				ahead = append(ahead, fmt.Sprintf("%s %.1fx", r.Of, other))
			} else {
				ahead = append(ahead, fmt.Sprintf("%s "+f.unit+" (%.1fx)", r.Of, other, r.Ratio()))
			}
		}
		if len(ahead) > 0 {
			out = append(out, fmt.Sprintf("%s: %s; pith "+f.unit+".", f.name, strings.Join(ahead, ", "), mine))
		}
	}
	return out
}

func percentage(r measure.Retained) (float64, bool) { return 100 * r.Share(), r.Of > 0 }

// fasterThanPith names those that took less time, for each made session.
func fasterThanPith(list []Speed) []string {
	var out []string
	for _, size := range speedSizes(list) {
		own := slices.IndexFunc(list, func(s Speed) bool { return s.Of == "pith" && s.Bytes == size })
		var ahead []string
		for i := range list {
			if s := &list[i]; own >= 0 && s.Bytes == size && s.Median < list[own].Median {
				ahead = append(ahead, fmt.Sprintf("%s %s ms", s.Of, figure(s.Median)))
			}
		}
		if len(ahead) > 0 {
			out = append(out, fmt.Sprintf("speed at %.1f MB, median: %s; pith %s ms.", float64(size)/1e6, strings.Join(ahead, ", "), figure(list[own].Median)))
		}
	}
	return out
}
