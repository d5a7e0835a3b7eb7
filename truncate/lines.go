package truncate

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Options say what stays. A zero takes the default, a negative number none.
type Options struct {
	// Head and Tail are the lines that stay at the beginning (the command, its
	// configuration) and at the end (the traceback, the exit code). Defaults: 5
	// and 15.
	Head, Tail int
	// Verdicts is how many lines of the middle may stay because they hold a
	// verdict: an error, a failed test, a count. Default: 6.
	Verdicts int
	// MaxLine is the length that a line is shortened to, at least 80; negative
	// means never. Units: bytes. Default: 500.
	MaxLine int
}

func (o Options) withDefaults() Options {
	for _, n := range []struct {
		value *int
		or    int
	}{{&o.Head, 5}, {&o.Tail, 15}, {&o.Verdicts, 6}} {
		switch {
		case *n.value == 0:
			*n.value = n.or
		case *n.value < 0:
			*n.value = 0
		}
	}
	switch {
	case o.MaxLine == 0:
		o.MaxLine = 500
	case o.MaxLine > 0:
		o.MaxLine = max(o.MaxLine, 80)
	}
	return o
}

// Result is a shortened output.
type Result struct {
	// Text is the whole of it, with the statements of what is left out.
	Text string
	// Head, Verdicts and Tail are the lines that stayed. Where nothing was left
	// out between them, Head holds all lines.
	Head, Verdicts, Tail []string
	// OmittedLines counts whole lines; OmittedBytes is those lines and what was
	// left out inside of lines.
	OmittedLines, OmittedBytes int
}

// Lines shortens the output of a tool to its first and its last lines. The
// result is never longer than the text, and shortening it again changes nothing.
func Lines(text string, o Options) Result {
	o = o.withDefaults()
	if text == "" {
		return Result{}
	}
	body, newline := strings.CutSuffix(text, "\n")
	original := strings.Split(body, "\n")
	lines, cutBytes := shortenLines(original, o.MaxLine)
	whole := Result{Text: text, Head: lines, OmittedBytes: cutBytes}
	if cutBytes > 0 {
		whole.Text = join(lines, newline)
	}
	from, to := o.Head, len(lines)-o.Tail
	if to <= from || shortenedBefore(lines, o, from, to) {
		return whole
	}
	gaps := between(from, to, verdicts(lines, from, to, o.Verdicts))
	if !pays(lines, gaps) {
		return whole
	}
	r := Result{Head: lines[:from:from], Tail: lines[to:], OmittedBytes: cutBytes}
	out := slices.Clone(r.Head)
	next := from
	for _, g := range gaps {
		r.Verdicts = append(r.Verdicts, lines[next:g.from]...)
		out = append(out, lines[next:g.from]...)
		characters := 0
		for i := g.from; i < g.to; i++ {
			characters += utf8.RuneCountInString(original[i]) + 1
			r.OmittedBytes += len(lines[i]) + 1 // what it was shortened by is counted already
		}
		r.OmittedLines += g.to - g.from
		out = append(out, lineMarker(g.to-g.from, characters))
		next = g.to
	}
	r.Verdicts = append(r.Verdicts, lines[next:to]...)
	out = append(out, lines[next:]...)
	r.Text = join(out, newline)
	return r
}

// gap is a run of lines that are left out.
type gap struct{ from, to int }

// between returns the runs of lines between the ones that are kept.
func between(from, to int, kept []int) []gap {
	var gaps []gap
	for _, i := range append(kept, to) {
		if from < i {
			gaps = append(gaps, gap{from, i})
		}
		from = i + 1
	}
	return gaps
}

// pays says whether the gaps are longer than the statements about them can be.
func pays(lines []string, gaps []gap) bool {
	const longestMarker = 64
	saved := 0
	for _, g := range gaps {
		saved -= longestMarker
		for _, line := range lines[g.from:g.to] {
			saved += len(line) + 1
		}
	}
	return saved > 0
}

// shortenedBefore says whether lines are what Lines makes: few enough, with a
// statement of what is left out where the middle was.
func shortenedBefore(lines []string, o Options, from, to int) bool {
	if to-from > 2*o.Verdicts+1 {
		return false
	}
	for _, line := range lines[from:to] {
		if isMarker(line) {
			return true
		}
	}
	return false
}

// shortenLines shortens every line that is too long.
func shortenLines(original []string, maxLine int) (lines []string, omitted int) {
	lines = original
	for i, line := range original {
		if maxLine < 0 || len(line) <= maxLine {
			continue
		}
		if omitted == 0 {
			lines = slices.Clone(original)
		}
		lines[i] = Text(line, maxLine)
		omitted += len(line) - len(lines[i])
	}
	return lines, omitted
}

func join(lines []string, newline bool) string {
	text := strings.Join(lines, "\n")
	if newline {
		text += "\n"
	}
	return text
}

// verdictWords mark lines that say how something ended.
var verdictWords = [...]string{
	"error", "Error", "ERROR", "FAIL", "failed", "Failed", "failure", "panic:", "fatal", "FATAL", "Traceback",
	"exit code", "exit status", "Exception", "assert", "passed", "PASS", "undefined:", "want ", "expected",
}

func isVerdict(line string) bool {
	for _, w := range verdictWords {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

// verdicts returns the positions of at most limit lines between from and to
// that hold a verdict: the first ones, which name the cause, and the last ones,
// which sum up.
func verdicts(lines []string, from, to, limit int) []int {
	var first []int
	for i := from; i < to && len(first) < (limit+1)/2; i++ {
		if isVerdict(lines[i]) {
			first = append(first, i)
		}
	}
	if len(first) == 0 {
		return nil
	}
	var last []int
	for i := to - 1; i > first[len(first)-1] && len(first)+len(last) < limit; i-- {
		if isVerdict(lines[i]) {
			last = append(last, i)
		}
	}
	for i := len(last) - 1; i >= 0; i-- {
		first = append(first, last[i])
	}
	return first
}
