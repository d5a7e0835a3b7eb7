package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pith-memory/pith/measure"
)

// document writes what was found as Markdown: the same figures give the same bytes.
func document(c *Comparison) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, opening, c.Date, c.Sessions, c.AtAll.Cuts+c.AtDialogues.Cuts, c.From)
	if len(c.Skipped) > 0 {
		fmt.Fprintf(&b, "**Left out in this run: %s.**\n\n", strings.Join(c.Skipped, ", "))
	}
	b.WriteString(terms)
	for _, s := range []struct {
		title, what string
		table       *Table
	}{
		{"At the cuts with a summary", withSummary, &c.AtSummaries},
		{"At all cuts of coding agents' sessions", withoutModel, &c.AtAll},
		{"At all cuts of other dialogues", otherDialogues, &c.AtDialogues},
	} {
		if s.table.Cuts > 0 {
			fmt.Fprintf(&b, "## %s\n\n%s in %s (%s): %s\n\n", s.title, count(s.table.Cuts, "cut"), count(s.table.Sessions, "session"), formats(s.table), s.what)
			writeTable(&b, s.table)
		}
	}
	writeBetter(&b, c)
	writeSpeed(&b, c)
	writeSetups(&b, c)
	writeLimits(&b, c)
	return b.Bytes()
}

const opening = `# Comparison

<!-- Written by ` + "`go run ./bench`" + `. Do not edit: run it again. -->

What stays of a session when it is compacted by pith, by the client that recorded it, and by what a Go or JavaScript
developer would use instead, all run on the same sessions at the same cuts on %s: %d sessions, %d cuts.
%s

`

const (
	withSummary    = "the client compacted there and its summary is in\nthe file, so that there is an answer for the candidates that ask a model."
	withoutModel   = "the client's own compactions, and a half and three\nquarters of each session."
	otherDialogues = "a half and three quarters of dialogues in\nwhich no coding agent works (customer service); pith was not made for them."
)

const terms = `- **smaller**: tokens of the context before, by tokens of all that a model would be sent instead (the text and the
  messages that stay beside it), over all cuts together. The client's fixed prompt is in neither.
- **all**: of the facts that the session held up to the cut, the share that is in what is sent; **needed**: of those
  the ones that the agent's next calls really used. Behind them is the 95 % interval over sessions. A base name alone
  counts half, a value that was superseded counts as lost.
- **raw** is the live context: what an earlier compaction of the client dropped is gone from it, and where it begins with
  the client's summary, that is judged too. So it is no upper bound for what reads the whole session.
- **rules**: sentences in which the user set a rule, word for word. **precision**: of what is stated as a fact (a path,
  a run, an exit code) in what was written anew, the share that the session holds; copies of messages state nothing.
- **parted**: cuts after which a call stands without its result or a result without its call, which an API refuses.

`

// writeTable writes the figures of one group of cuts.
func writeTable(b *bytes.Buffer, t *Table) {
	b.WriteString("| candidate | tokens before | sent | smaller | all | needed | rules | precision | parted |\n|---|---|---|---|---|---|---|---|---|\n")
	for i := range t.Rows {
		r := &t.Rows[i]
		broken := "-"
		if r.Checked > 0 {
			broken = fmt.Sprintf("%d of %d", r.Broken, r.Checked)
		}
		fmt.Fprintf(b, "| %s | %d | %d | %.1fx | %s %s | %s %s | %s | %s | %s |\n", r.Of, r.Live, r.Sent, r.Ratio(),
			percent(total(r.All)), r.AllIn, percent(total(r.Needed)), r.NeededIn,
			percent(total(r.All, measure.KindRule)), share(r.Precision), broken)
	}
	writeMissing(b, t)
	writeFrontier(b, t)
	b.WriteString("\nBy kind of fact, of all (the number of facts in brackets):\n\n")
	writeKinds(b, t, func(r *Row) []measure.Retained { return r.All })
	b.WriteString("\nThe same of those that were needed next:\n\n")
	writeKinds(b, t, func(r *Row) []measure.Retained { return r.Needed })
	b.WriteByte('\n')
}

// kinds are the kinds of fact in the order of the tables, and their headings.
var kinds = []struct {
	kind measure.Kind
	name string
}{
	{measure.KindModified, "paths changed"}, {measure.KindInspected, "paths read"}, {measure.KindRun, "runs"},
	{measure.KindError, "errors"}, {measure.KindRule, "rules"}, {measure.KindDecision, "decisions"},
	{measure.KindTodo, "todo"}, {measure.KindRequest, "request"}, {measure.KindTest, "tests"},
	{measure.KindCommit, "commits"}, {measure.KindSymbol, "symbols"}, {measure.KindIdentifier, "identifiers"},
}

func writeKinds(b *bytes.Buffer, t *Table, part func(*Row) []measure.Retained) {
	if len(t.Rows) == 0 {
		return
	}
	first := part(&t.Rows[0])
	head, line := "| candidate |", "|---|"
	var shown []measure.Kind
	for _, k := range kinds {
		if n := total(first, k.kind).Of; n > 0 {
			shown = append(shown, k.kind)
			head += fmt.Sprintf(" %s (%d) |", k.name, n)
			line += "---|"
		}
	}
	b.WriteString(head + "\n" + line + "\n")
	for i := range t.Rows {
		fmt.Fprintf(b, "| %s |", t.Rows[i].Of)
		for _, k := range shown {
			fmt.Fprintf(b, " %s |", percent(total(part(&t.Rows[i]), k)))
		}
		b.WriteByte('\n')
	}
}

func percent(r measure.Retained) string {
	if r.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*r.Share())
}

func share(s measure.Share) string {
	if s.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(s.Found)/float64(s.Of))
}

// String is how an interval stands behind its figure.
func (i Interval) String() string { return fmt.Sprintf("(%.0f-%.0f)", 100*i.Low, 100*i.High) }

func writeSpeed(b *bytes.Buffer, c *Comparison) {
	if len(c.Speed) == 0 {
		return
	}
	b.WriteString("## Speed\n\nOne compaction of a made session, without any model: the least and the median of several runs, after the runner\nhas started. pith's time holds the decoding of the request body, the redaction of secrets and the checks; the others are\ngiven decoded messages and do none of these. MB/s are of the messages' text, by the median.\n\n| candidate |")
	sizes := speedSizes(c.Speed)
	line := "|---|"
	for _, n := range sizes {
		i := slices.IndexFunc(c.Speed, func(s Speed) bool { return s.Bytes == n })
		fmt.Fprintf(b, " %.1f MB, %d messages: ms, least / median | MB/s |", float64(n)/1e6, c.Speed[i].Messages)
		line += "---|---|"
	}
	b.WriteString("\n" + line + "\n")
	for _, s := range setups {
		row := ""
		for _, n := range sizes {
			i := slices.IndexFunc(c.Speed, func(x Speed) bool { return x.Of == s.of && x.Bytes == n })
			if i >= 0 {
				row += fmt.Sprintf(" %s / %s | %s |", figure(c.Speed[i].Least), figure(c.Speed[i].Median), figure(c.Speed[i].MBPerSecond()))
			}
		}
		if row != "" {
			fmt.Fprintf(b, "| %s |%s\n", s.of, row)
		}
	}
	b.WriteByte('\n')
}

func speedSizes(list []Speed) []int {
	var sizes []int
	for i := range list {
		if !slices.Contains(sizes, list[i].Bytes) {
			sizes = append(sizes, list[i].Bytes)
		}
	}
	return sizes
}

// figure writes a number with as many places as it has meaning.
func figure(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 1:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

func writeSetups(b *bytes.Buffer, c *Comparison) {
	b.WriteString("## How each was set up\n\n| candidate | how |\n|---|---|\n")
	for _, s := range setups {
		if !slices.Contains(c.Skipped, s.runner) {
			fmt.Fprintf(b, "| %s | %s |\n", s.of, s.how)
		}
	}
	b.WriteString("\nAll of them begin at the cut; left to their own triggers most would not have begun on contexts of this size. The\ntrial of each is in `trial/`, `bench/eino/` and `bench/js/`.\n\n")
	fmt.Fprintf(b, "Machine: %s, %d cores, %s/%s. Tokens are those of %s. Versions:\n\n", c.Machine.CPU, c.Machine.Cores, c.Machine.OS, c.Machine.Arch, c.Tokenizer)
	for _, name := range slices.Sorted(maps.Keys(c.Versions)) {
		fmt.Fprintf(b, "- %s %s\n", name, c.Versions[name])
	}
	b.WriteByte('\n')
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// formats says how many sessions are of which format.
func formats(t *Table) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(t.Formats)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, t.Formats[name]))
	}
	return strings.Join(parts, ", ")
}

// writeMissing names the candidates that a table cannot compare.
func writeMissing(b *bytes.Buffer, t *Table) {
	if len(t.Missing) == 0 {
		return
	}
	b.WriteString("\nNot in the table:")
	for i, m := range t.Missing {
		separator := ";"
		if i == 0 {
			separator = ""
		}
		fmt.Fprintf(b, "%s %s (nothing at %d of %d: %s)", separator, m.Of, m.Cuts, t.Cuts, m.Why)
	}
	b.WriteString(".\n")
}

// writeFrontier says what the two figures say together: what is smaller than
// pith's, and what keeps more than it.
func writeFrontier(b *bytes.Buffer, t *Table) {
	own := rowOf(t, "pith")
	if own == nil {
		return
	}
	var small, rich *Row
	for i := range t.Rows {
		r := &t.Rows[i]
		if r == own || r.Of == "raw" {
			continue
		}
		if r.Ratio() >= own.Ratio() && (small == nil || total(r.Needed).Share() > total(small.Needed).Share()) {
			small = r
		}
		if total(r.Needed).Share() >= total(own.Needed).Share() && (rich == nil || r.Ratio() > rich.Ratio()) {
			rich = r
		}
	}
	fmt.Fprintf(b, "\npith: %.1fx smaller, %s of what was needed.", own.Ratio(), percent(total(own.Needed)))
	if small != nil {
		fmt.Fprintf(b, " Of those that make it at least as small, %s keeps most of it: %.1fx, %s.", small.Of, small.Ratio(), percent(total(small.Needed)))
	} else {
		b.WriteString(" No other makes it as small.")
	}
	if rich != nil {
		fmt.Fprintf(b, " Of those that keep at least as much of it, %s is the smallest: %.1fx, %s.\n", rich.Of, rich.Ratio(), percent(total(rich.Needed)))
	} else {
		b.WriteString(" No other keeps as much of it, `raw` aside.\n")
	}
}

func rowOf(t *Table, of string) *Row {
	for i := range t.Rows {
		if t.Rows[i].Of == of {
			return &t.Rows[i]
		}
	}
	return nil
}
