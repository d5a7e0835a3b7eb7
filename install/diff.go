package install

import (
	"fmt"
	"io"
	"strings"

	"github.com/pith-memory/pith/redact"
)

// Paint colours a line of a diff; kind is '+', '-', '@' or 'f' (the file).
type Paint func(kind byte, line string) string

// Diff writes what a plan changes as a unified diff, without what is secret in
// the lines. Files in pith's own folder are only named where brief is set.
func (p *Plan) Diff(w io.Writer, paint Paint, brief bool) error {
	if paint == nil {
		paint = func(_ byte, line string) string { return line }
	}
	var b strings.Builder
	for _, c := range p.changes {
		switch {
		case c.hidden:
		case brief && c.own:
			c.name(&b, paint)
		default:
			c.diff(&b, paint)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// name says in one line what becomes of a file.
func (c *change) name(b *strings.Builder, paint Paint) {
	kind, what := byte('+'), "new file"
	switch {
	case !c.after.there:
		kind, what = '-', "file removed"
	case c.before.there:
		what = "new version"
	}
	fmt.Fprintf(b, "%s\n", paint(kind, fmt.Sprintf("%c %s: %s", kind, what, c.Shown)))
}

func (c *change) diff(b *strings.Builder, paint Paint) {
	from, to := c.Shown, c.Shown
	if !c.before.there {
		from = "/dev/null"
	}
	if !c.after.there {
		to = "/dev/null"
	}
	if c.Shown != c.path() && c.before.there {
		to += "\t(a link to " + c.path() + ")"
	}
	fmt.Fprintf(b, "%s\n%s\n", paint('f', "--- "+from), paint('f', "+++ "+to))
	old, next := splitLines(c.before.data), splitLines(c.after.data)
	for _, h := range hunks(steps(old, next)) {
		h.write(b, old, next, paint)
	}
}

// splitLines are the lines of a file, each with its end.
func splitLines(data []byte) []string {
	list := strings.SplitAfter(string(data), "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

// step is one line of a diff: ' ' in both files, '-' in the old, '+' in the new.
type step struct {
	kind     byte
	old, new int // the line's index in each file, or where it would be
}

// mostEdits bounds the search for the shortest diff; beyond it, what lies
// between the common beginning and the common end is shown as replaced.
const mostEdits = 400

// steps lead from one file to another.
func steps(a, b []string) []step {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var list []step
	for i := range head {
		list = append(list, step{' ', i, i})
	}
	list = append(list, between(a[head:len(a)-tail], b[head:len(b)-tail], head)...)
	for i := range tail {
		list = append(list, step{' ', len(a) - tail + i, len(b) - tail + i})
	}
	return list
}

// between is the shortest way between two lists of lines (E. W. Myers, 1986),
// which both begin at a line.
func between(a, b []string, at int) []step {
	n, m := len(a), len(b)
	most := min(n+m, mostEdits)
	reach := map[int]int{1: 0}
	var trace []map[int]int
	for d := 0; n > 0 && m > 0 && d <= most; d++ {
		before := make(map[int]int, len(reach))
		for k, x := range reach {
			before[k] = x
		}
		trace = append(trace, before)
		for k := -d; k <= d; k += 2 {
			x := reach[k-1] + 1
			if k == -d || k != d && reach[k-1] < reach[k+1] {
				x = reach[k+1]
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			reach[k] = x
			if x >= n && x-k >= m {
				return walkBack(trace, n, m, at)
			}
		}
	}
	var list []step
	for i := range n {
		list = append(list, step{'-', at + i, at})
	}
	for i := range m {
		list = append(list, step{'+', at + n, at + i})
	}
	return list
}

func walkBack(trace []map[int]int, x, y, at int) []step {
	var back []step
	for d := len(trace) - 1; d >= 0; d-- {
		reach, k := trace[d], x-y
		from := k - 1
		if k == -d || k != d && reach[k-1] < reach[k+1] {
			from = k + 1
		}
		fromX := reach[from]
		fromY := fromX - from
		for x > fromX && y > fromY && x > 0 && y > 0 {
			x, y = x-1, y-1
			back = append(back, step{' ', at + x, at + y})
		}
		if d == 0 {
			break
		}
		if x == fromX {
			y--
			back = append(back, step{'+', at + x, at + y})
		} else {
			x--
			back = append(back, step{'-', at + x, at + y})
		}
	}
	list := make([]step, 0, len(back))
	for i := len(back) - 1; i >= 0; i-- {
		list = append(list, back[i])
	}
	return list
}

// around is how many lines surround a change.
const around = 3

type hunk []step

// hunks are the parts of a diff in which something changes.
func hunks(list []step) []hunk {
	var out []hunk
	end := 0 // of the hunk that is open
	for i, s := range list {
		if s.kind == ' ' {
			continue
		}
		from := max(i-around, 0)
		if len(out) == 0 || from > end {
			out = append(out, hunk{})
		} else {
			from = end
		}
		to := min(i+1+around, len(list))
		out[len(out)-1] = append(out[len(out)-1], list[from:to]...)
		end = to
	}
	return out
}

func (h hunk) write(b *strings.Builder, old, next []string, paint Paint) {
	counts := map[byte]int{}
	for _, s := range h {
		counts[s.kind]++
	}
	first := func(at, n int) int {
		if n == 0 {
			return at
		}
		return at + 1
	}
	nOld, nNew := counts[' ']+counts['-'], counts[' ']+counts['+']
	fmt.Fprintf(b, "%s\n", paint('@', fmt.Sprintf("@@ -%d,%d +%d,%d @@", first(h[0].old, nOld), nOld, first(h[0].new, nNew), nNew)))
	hide := redact.New()
	for _, s := range h {
		line := ""
		if s.kind == '+' {
			line = next[s.new]
		} else {
			line = old[s.old]
		}
		text, whole := strings.CutSuffix(line, "\n")
		fmt.Fprintf(b, "%s\n", paint(s.kind, string(s.kind)+shownLine(text, hide)))
		if !whole {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
}

// The most of a line that is shown: what pith puts in is at the end. Units: bytes.
const (
	longLine = 1000
	readLine = 64 << 10
)

// shownLine is a line without secrets and without what a terminal would act on.
func shownLine(s string, hide *redact.Redactor) string {
	cut := len(s) > readLine
	if cut {
		s = s[len(s)-readLine:]
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, hide.Text(strings.ToValidUTF8(s, "")))
	if len(s) > longLine {
		cut, s = true, strings.ToValidUTF8(s[len(s)-longLine:], "")
	}
	if cut {
		return "... " + s
	}
	return s
}
