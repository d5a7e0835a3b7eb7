package main

import (
	"fmt"
	"strconv"
	"strings"
)

// thousands writes a number with separators: 204,800.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

const (
	chartHeight = 10
	eighths     = " ▁▂▃▄▅▆▇█"
)

// chart draws the fill of the window over the turns, with the client's own
// compactions below and the thresholds at the side.
func (c *console) chart(i *inspection) {
	if len(i.Turns) == 0 {
		return
	}
	top := i.Window
	for _, t := range i.Turns {
		top = max(top, int(t.Used))
	}
	if top == 0 {
		return
	}
	width := min(max(c.width-10, 20), len(i.Turns))
	columns, marks := c.columns(i, width)
	bars := []rune(eighths)
	fmt.Fprintln(c.out)
	for row := chartHeight - 1; row >= 0; row-- {
		var line strings.Builder
		for _, used := range columns {
			level := used*chartHeight*8/top - row*8
			line.WriteRune(bars[min(max(level, 0), 8)])
		}
		label := ""
		colour := green
		switch upper := (row + 1) * 100 / chartHeight; {
		case i.Window == 0:
			label = thousands((row + 1) * top / chartHeight)
		default:
			label = strconv.Itoa(upper*top/i.Window) + " %"
			if upper*top/i.Window > 80 {
				colour = red
			} else if upper*top/i.Window > 60 {
				colour = yellow
			}
		}
		fmt.Fprintf(c.out, "%8s │%s\n", label, c.paint(colour, line.String()))
	}
	fmt.Fprintf(c.out, "%8s └%s\n", "", strings.Repeat("─", width))
	fmt.Fprintf(c.out, "%8s  %s\n", "", string(marks))
	legend := fmt.Sprintf("turns 1-%d", len(i.Turns))
	if len(i.Compactions) > 0 {
		legend += ", ▲ the client compacted"
	}
	fmt.Fprintf(c.out, "%8s  %s\n", "", c.paint(dim, legend))
}

// columns gives each column the highest fill of its turns, and marks where
// the client compacted.
func (c *console) columns(i *inspection, width int) (fills []int, marks []rune) {
	fills, marks = make([]int, width), []rune(strings.Repeat(" ", width))
	n := len(i.Turns)
	for k, t := range i.Turns {
		at := k * width / n
		fills[at] = max(fills[at], int(t.Used))
	}
	for _, x := range i.Compactions {
		if at := (x.Turn - 1) * width / n; at >= 0 && at < width {
			marks[at] = '▲'
		}
	}
	return fills, marks
}

// printShares lists what fills the window, largest first, with a bar each on
// a terminal.
func (c *console) printShares(shares []share) {
	total := 0
	for _, s := range shares {
		total += int(s.Tokens)
	}
	for k, s := range shares {
		if k == 12 {
			fmt.Fprintf(c.out, "  ... and %d smaller kinds\n", len(shares)-k)
			break
		}
		percent := float64(s.Tokens) * 100 / float64(max(total, 1))
		bar := ""
		if c.people {
			bar = " " + c.paint(cyan, strings.Repeat("█", int(percent/4)))
		}
		fmt.Fprintf(c.out, "  %8s  %5.1f %%  %s%s\n", thousands(int(s.Tokens)), percent, s.What, bar)
	}
	fmt.Fprintf(c.out, "  %8s  content of the live context, without the client's fixed prompt\n", thousands(total))
}
