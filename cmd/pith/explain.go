package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/restore"
)

// explanation says what a compaction keeps and drops, and why.
type explanation struct {
	Checkpoint string           `json:"checkpoint"`
	Through    int              `json:"through_message"`
	Turn       int              `json:"turn"`
	Before     pith.Tokens      `json:"tokens_before"`
	Block      pith.Tokens      `json:"tokens_block"`
	Over       pith.Tokens      `json:"tokens_over_budget,omitempty"`
	Sections   []sectionFates   `json:"sections"`
	Empty      []string         `json:"empty_slots"`
	Redacted   []pith.RuleCount `json:"redactions"`
}

// sectionFates are the items of one section of the block.
type sectionFates struct {
	Section string      `json:"section"`
	Kept    int         `json:"kept"`
	Dropped int         `json:"dropped"`
	Tokens  pith.Tokens `json:"tokens"`
	Ref     string      `json:"ref,omitempty"`
	Items   []itemFate  `json:"items"`
}

type itemFate struct {
	Kept   bool        `json:"kept"`
	Why    string      `json:"why"`
	Tokens pith.Tokens `json:"tokens"`
	Text   string      `json:"text"`
	// Shortened items, and those that were dropped, say what gives them back.
	Shortened bool   `json:"shortened,omitempty"`
	Ref       string `json:"ref,omitempty"`
}

func (c *console) explain(r *memory.Result, f *compactFlags) error {
	e := explanation{
		Checkpoint: r.State.Checkpoint.ID, Through: r.State.Checkpoint.ThroughMessage, Turn: r.State.Checkpoint.CompactedAtTurn,
		Before: r.State.Metrics.TokensBefore, Block: r.Block.Tokens, Over: r.Block.Over,
		Sections: sections(&r.Block), Empty: r.State.EmptySlots, Redacted: r.State.Security.SecretScan.Redactions,
	}
	if f.asJSON {
		return printJSON(c.out, e)
	}
	fmt.Fprintf(c.out, "%s tokens of conversation become a block of %s (%.1fx), through message %d, turn %d\n",
		thousands(int(e.Before)), thousands(int(e.Block)), float64(e.Before)/float64(max(e.Block, 1)), e.Through, e.Turn)
	if worthwhile(r, f.force) != nil {
		fmt.Fprintln(c.out, c.paint(yellow, "nothing to gain: without --force the block is not printed"))
	}
	if e.Over > 0 {
		fmt.Fprintf(c.out, "%s\n", c.paint(yellow, fmt.Sprintf("what is never dropped is %d tokens over the budget", e.Over)))
	}
	for _, x := range e.Sections {
		head := fmt.Sprintf("\n%s: %d kept", x.Section, x.Kept)
		if x.Dropped > 0 {
			head += fmt.Sprintf(", %d dropped (ref %s)", x.Dropped, x.Ref)
		}
		fmt.Fprintln(c.out, c.paint(bold, head+fmt.Sprintf(", %d tokens", x.Tokens)))
		for _, it := range x.Items {
			mark, colour := "+", green
			if !it.Kept {
				mark, colour = "-", red
			}
			text := strings.TrimPrefix(it.Text, "- ") // the block's own mark would read as dropped
			fmt.Fprintf(c.out, "  %s %s  %s\n", c.paint(colour, mark), firstLine(text, max(c.width-40, 40)), c.paint(dim, "("+it.Why+")"))
		}
	}
	if len(e.Empty) > 0 {
		fmt.Fprintf(c.out, "\nlooked for and not found: %s\n", strings.Join(e.Empty, ", "))
	}
	for _, n := range e.Redacted {
		fmt.Fprintf(c.out, "redacted: %d of %s\n", n.Count, n.Rule)
	}
	return nil
}

// sections groups the block's items as the block does.
func sections(b *restore.Block) []sectionFates {
	out := []sectionFates{}
	at := map[string]int{}
	for _, it := range b.Items {
		i, ok := at[it.Section]
		if !ok {
			i = len(out)
			at[it.Section] = i
			out = append(out, sectionFates{Section: it.Section, Items: []itemFate{}})
		}
		x := &out[i]
		fate := itemFate{Kept: it.Kept, Why: it.Why, Tokens: it.Tokens, Text: it.Text, Shortened: it.Shortened}
		if !it.Kept || it.Shortened {
			fate.Ref = it.Ref
		}
		x.Items = append(x.Items, fate)
		if it.Kept {
			x.Kept++
			x.Tokens += it.Tokens
		} else {
			x.Dropped++
		}
	}
	for _, d := range b.Drops {
		if i, ok := at[d.Section]; ok {
			out[i].Ref = d.Ref
		}
	}
	return out
}

// firstLine is the beginning of a text, in at most n characters.
func firstLine(text string, n int) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(line)
	if len(runes) > n {
		return string(runes[:n]) + "…"
	}
	if rest != "" {
		return line + " …"
	}
	return line
}

// blockOutput is what `pith compact --json` prints for the block.
type blockOutput struct {
	Checkpoint string      `json:"checkpoint"`
	Through    int         `json:"through_message"`
	Turn       int         `json:"turn"`
	Before     pith.Tokens `json:"tokens_before"`
	Tokens     pith.Tokens `json:"tokens"`
	Ratio      float64     `json:"ratio"`
	Dropped    []dropCount `json:"dropped"`
	Block      string      `json:"block"`
	// Figures are what the model took, absent where none was asked.
	Figures *memory.Figures `json:"figures,omitempty"`
}

type dropCount struct {
	Section   string `json:"section"`
	Count     int    `json:"count"`
	Shortened int    `json:"shortened,omitempty"`
	Ref       string `json:"ref"`
}

func blockJSON(r *memory.Result, figures *memory.Figures) ([]byte, error) {
	o := blockOutput{
		Checkpoint: r.State.Checkpoint.ID, Through: r.State.Checkpoint.ThroughMessage, Turn: r.State.Checkpoint.CompactedAtTurn,
		Before: r.State.Metrics.TokensBefore, Tokens: r.Block.Tokens, Block: r.Block.Text, Dropped: []dropCount{}, Figures: figures,
	}
	o.Ratio = float64(o.Before) / float64(max(o.Tokens, 1))
	for _, d := range r.Block.Drops {
		o.Dropped = append(o.Dropped, dropCount(d))
	}
	var b bytes.Buffer
	err := printJSON(&b, o)
	return b.Bytes(), err
}
