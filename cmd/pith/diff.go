package main

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/diff"
)

// difference is what `pith diff --json` prints.
type difference struct {
	From    string         `json:"from"`
	To      string         `json:"to"`
	Counts  map[string]int `json:"counts"`
	Changes []diff.Change  `json:"changes"`
}

func diffCommand(c *console) *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "diff [A] [B]",
		Short: "Show what was kept, changed, dropped and added between two checkpoints, and why",
		Long: `Show what became of every item from checkpoint A to checkpoint B, and why. With
one it is compared with its parent; without any, that is done with the latest of
the current folder's project. A session stands for its latest checkpoint.

  + added   - dropped   ~ changed   x closed: it was open, and something ended it

Exit codes: 0 done, 2 usage, 6 store.`,
		Example: "  pith diff\n  pith diff 3fa9c1\n  pith diff 3fa9c1 77b0e2 --all",
		Args:    cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withStore(cmd.Context(), func(store pith.Store) error {
				a, b, err := c.pair(cmd.Context(), store, args)
				if err != nil {
					return err
				}
				d := differenceOf(a, b)
				if asJSON {
					return printJSON(c.out, d)
				}
				return c.printDifference(d, all)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&all, "all", false, "list what was kept, too")
	return cmd
}

// pair fetches the two checkpoints to compare. The first is nil where there was
// none before.
func (c *console) pair(ctx context.Context, store pith.Store, args []string) (a, b *pith.Saved, err error) {
	if len(args) == 2 {
		if a, err = c.pick(ctx, store, args[0]); err != nil {
			return nil, nil, err
		}
		b, err = c.pick(ctx, store, args[1])
		return a, b, err
	}
	what := latest
	if len(args) == 1 {
		what = args[0]
	}
	if b, err = c.pick(ctx, store, what); err != nil {
		return nil, nil, err
	}
	parent := b.State.Checkpoint.ParentID
	if parent == nil {
		return nil, nil, usage("name two checkpoints; `pith sessions SESSION` lists them", "checkpoint %s is the first of its session: there is nothing before it", short(b.State.Checkpoint.ID))
	}
	a, err = store.Get(ctx, *parent)
	return a, b, inStore("read checkpoint "+short(*parent), err)
}

func differenceOf(a, b *pith.Saved) *difference {
	d := &difference{From: a.State.Checkpoint.ID, To: b.State.Checkpoint.ID, Counts: map[string]int{}, Changes: diff.States(a.State, b.State)}
	for i := range d.Changes {
		d.Counts[d.Changes[i].Op]++
	}
	return d
}

// marks are how the ops look, with their colours.
var marks = map[string]struct{ mark, colour string }{
	diff.Kept: {" ", dim}, diff.Changed: {"~", yellow}, diff.Dropped: {"-", red}, diff.Added: {"+", green}, diff.Closed: {"x", cyan},
}

func (c *console) printDifference(d *difference, all bool) error {
	fmt.Fprintf(c.out, "%s -> %s: %d kept, %d changed, %d closed, %d dropped, %d added\n", short(d.From), short(d.To),
		d.Counts[diff.Kept], d.Counts[diff.Changed], d.Counts[diff.Closed], d.Counts[diff.Dropped], d.Counts[diff.Added])
	slot := ""
	for i := range d.Changes {
		x := &d.Changes[i]
		if x.Op == diff.Kept && !all {
			continue
		}
		if x.Slot != slot {
			slot = x.Slot
			fmt.Fprintf(c.out, "\n%s\n", c.paint(bold, slot))
		}
		c.printChange(x)
	}
	return nil
}

func (c *console) printChange(x *diff.Change) {
	m := marks[x.Op]
	why := ""
	if x.Why != "" {
		why = "  " + c.paint(dim, "("+x.Why+")")
	}
	line := func(mark, colour, text, why string) {
		fmt.Fprintf(c.out, "  %s %s%s\n", c.paint(colour, mark), firstLine(text, max(c.width-44, 40)), why)
	}
	if x.Op == diff.Changed && strings.TrimSpace(x.Before) != strings.TrimSpace(x.After) {
		before, after := fromDifference(x.Before, x.After)
		line("-", red, before, "")
		line("+", green, after, why)
		return
	}
	line(m.mark, m.colour, or(x.After, x.Before), why)
}

// lead is how much of what two texts share is shown before they part, in bytes.
const lead = 24

// fromDifference leaves out what two texts begin with in common where that
// would fill the line, so that the line shows what is different.
func fromDifference(a, b string) (string, string) {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n -= lead; n <= lead {
		return a, b
	}
	for n > 0 && !utf8.RuneStart(a[n]) {
		n--
	}
	return "… " + a[n:], "… " + b[n:]
}
