package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
)

// outcome is what a run claims and no result has shown yet. The output of a
// command that went on in the background lies in several results; its source
// is the last.
type outcome struct {
	e      *pith.Evidence
	lines  []string
	counts []int
}

func newOutcome(e *pith.Evidence) *outcome {
	o := &outcome{e: e}
	if n := e.Counts; n != nil {
		o.counts = []int{n.Passed, n.Failed, n.Errors, n.Skipped}
	}
	if e.Excerpt != nil {
		o.lines = slices.Concat(e.Excerpt.Head, e.Excerpt.Tail)
	}
	return o
}

// read takes away what a result shows: the lines that it holds, and the counts
// that it names or has enough lines for.
func (o *outcome) read(output string) {
	if len(o.lines)+len(o.counts) == 0 {
		return
	}
	o.lines = slices.DeleteFunc(o.lines, func(line string) bool { return holdsCut(output, strings.TrimRight(line, " \t")) })
	lines := strings.Count(output, "\n") + 1
	o.counts = slices.DeleteFunc(o.counts, func(n int) bool { return n <= lines || strings.Contains(output, strconv.Itoa(n)) })
}

// fits says what the run claims and its results do not show.
func (o *outcome) fits(result *pith.Block) string {
	claimed, reported := o.e.ExitCode, result.Exit
	otherCode := claimed != nil && reported != nil && *claimed != *reported
	switch {
	case otherCode && !o.e.Masked && !statesCode(result.Text, *claimed):
		return fmt.Sprintf("has exit code %d, but the result reports %d", *claimed, *reported)
	case len(o.counts) > 0:
		return fmt.Sprintf("counts %d, which the result neither names nor has lines for", o.counts[0])
	case len(o.lines) > 0:
		return fmt.Sprintf("has the excerpt line %q, which the result lacks", clip(o.lines[0], 80))
	}
	return ""
}

// statesCode tells whether a code ends a line of an output: a command line can
// print the code of one of its commands and succeed itself ("exit=1").
func statesCode(output string, code int) bool {
	text := strconv.Itoa(code)
	for line := range strings.SplitSeq(output, "\n") {
		line = strings.TrimRight(line, " \t.;)")
		if before, ok := strings.CutSuffix(line, text); ok && (before == "" || strings.ContainsAny(before[len(before)-1:], " =:(")) {
			return true
		}
	}
	return false
}
