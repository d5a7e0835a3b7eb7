package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// tally reads the test counts out of the lines of an output, in one pass.
// Nothing is ever estimated: what the output does not state is not counted.
type tally struct {
	// The lines of go test: "--- PASS", "ok  pkg" and "FAIL pkg".
	verdicts     pith.Counts
	verbose      bool
	packages     pith.Counts
	events       pith.Counts // go test -json
	tap          pith.Counts
	sum          pith.Counts // summaries that are added up: cargo, dotnet, deno
	sums         int
	last         group // the last summary, and a failing one before it
	failed       group
	ran          int // unittest: "Ran 12 tests"
	hasRan       bool
	maven        *pith.Counts
	lint         *pith.Counts
	compileLines int
	line         int
	lines        int
}

// group is a summary that may go over several lines: "10 passing", "2 failing".
type group struct {
	pairs
	line int
	ok   bool
}

// countsOf reads an output. shown tells which part of it was let through.
func countsOf(output string, shown filter) *pith.Counts {
	var t tally
	eachLine(output, t.add)
	return t.counts(shown)
}

// eachLine calls f for every line, without its line break.
func eachLine(text string, f func(line string)) {
	for len(text) > 0 {
		line := text
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = ""
		}
		f(strings.TrimRight(line, "\r"))
	}
}

// maxCountLine bounds the lines that can state counts. An event of go test -json
// may be longer; its head names the action and the test.
const maxCountLine = 2000

// add reads one line. Most lines say nothing and leave at the first look.
func (t *tally) add(line string) {
	t.line++
	s := strings.TrimSpace(line)
	if s == "" {
		return
	}
	t.lines++
	if len(s) > maxCountLine {
		if s[0] == '{' {
			t.addEvent(s)
		}
		return
	}
	switch s[0] {
	case '-':
		if t.addVerdict(s) {
			return
		}
	case '{':
		t.addEvent(s)
		return
	case 'o', 'F', '?':
		if t.addPackage(s) {
			return
		}
	case '=':
		if strings.HasPrefix(s, "=== RUN") {
			t.verbose = true
			return
		}
	case 'n':
		if strings.HasPrefix(s, "not ok ") {
			t.tap.Failed++
			return
		}
	}
	if !hasDigit(s) || t.addSpecial(s) {
		return
	}
	p, style := readSummary(s)
	switch style {
	case styleSum:
		t.sum.Passed += p.passed
		t.sum.Failed += p.failed
		t.sum.Errors += p.errors
		t.sum.Skipped += p.skipped
		t.sums++
	case styleLast:
		t.addPairs(p)
	}
}

// addPairs joins a summary line with the lines just above it, or begins anew.
func (t *tally) addPairs(p pairs) {
	g := &t.last
	if g.ok && t.line-g.line <= 4 && g.seen&p.seen&^seenSkipped == 0 {
		g.join(p)
	} else {
		if g.ok && g.failed+g.errors > 0 && g.whole() {
			t.failed = *g
		}
		*g = group{pairs: p, ok: true}
	}
	g.line = t.line
}

// addVerdict reads "--- FAIL: TestExport (0.31s)".
func (t *tally) addVerdict(s string) bool {
	switch {
	case strings.HasPrefix(s, "--- PASS"):
		t.verdicts.Passed++
		t.verbose = true
	case strings.HasPrefix(s, "--- FAIL"):
		t.verdicts.Failed++
	case strings.HasPrefix(s, "--- SKIP"):
		t.verdicts.Skipped++
	default:
		return false
	}
	return true
}

// addPackage reads the package lines of go test, and TAP.
func (t *tally) addPackage(s string) bool {
	switch {
	case strings.HasPrefix(s, "ok  \t") || strings.HasPrefix(s, "ok \t") || strings.HasPrefix(s, "ok\t") || strings.HasPrefix(s, "ok  ") && strings.HasSuffix(s, "s"):
		t.packages.Passed++
	case strings.HasPrefix(s, "FAIL\t") && len(s) > 5:
		t.packages.Failed++
	case strings.HasPrefix(s, "ok ") && len(s) > 3 && isDigit(s[3]):
		if strings.Contains(s, "# SKIP") || strings.Contains(s, "# skip") {
			t.tap.Skipped++
		} else {
			t.tap.Passed++
		}
	default:
		return false
	}
	return true
}

// addEvent reads a line of go test -json.
func (t *tally) addEvent(s string) {
	if len(s) > maxCountLine {
		s = s[:maxCountLine]
	}
	if !strings.Contains(s, `"Action":"`) || !strings.Contains(s, `"Test":"`) {
		return
	}
	switch {
	case strings.Contains(s, `"Action":"pass"`):
		t.events.Passed++
	case strings.Contains(s, `"Action":"fail"`):
		t.events.Failed++
	case strings.Contains(s, `"Action":"skip"`):
		t.events.Skipped++
	}
}

// counts chooses what states the whole: a summary before lines that were counted.
func (t *tally) counts(shown filter) *pith.Counts {
	clipped := func(c pith.Counts, unit string) *pith.Counts {
		c.Unit = unit
		if shown.partial(t.lines) {
			c.Unit = strings.TrimSpace("shown " + unit)
		}
		return &c
	}
	if t.hasRan {
		return t.unittest()
	}
	summary := t.summary()
	switch {
	case t.events != pith.Counts{}:
		return clipped(t.events, "")
	case t.verbose && t.verdicts != (pith.Counts{}) && (summary == nil || summary.Total == nil):
		return clipped(t.verdicts, "")
	case summary != nil:
		return summary
	case t.packages != pith.Counts{}:
		return clipped(t.packages, "packages")
	case t.verdicts.Failed > 0:
		c := t.verdicts
		c.Unit = "shown"
		return &c
	case t.tap != pith.Counts{}:
		return clipped(t.tap, "")
	}
	if t.lint != nil {
		return t.lint
	}
	if t.compileLines > 0 {
		return clipped(pith.Counts{Failed: t.compileLines}, "errors")
	}
	return nil
}

// summary is what the output states as its own total.
func (t *tally) summary() *pith.Counts {
	if t.maven != nil {
		return t.maven
	}
	g := t.last
	if g.ok && g.whole() && g.failed+g.errors == 0 && t.failed.ok {
		g = t.failed
	}
	if g.ok && g.whole() {
		return g.counts()
	}
	if t.sums > 0 {
		c := t.sum
		return &c
	}
	return nil
}

// unittest joins "Ran 12 tests" with "FAILED (failures=1, errors=2)".
func (t *tally) unittest() *pith.Counts {
	c := pith.Counts{Failed: t.last.failed, Errors: t.last.errors, Skipped: t.last.skipped}
	total := t.ran
	c.Total = &total
	c.Passed = max(0, total-c.Failed-c.Errors-c.Skipped)
	return &c
}

func hasDigit(s string) bool {
	for i := 0; i < len(s); i++ {
		if isDigit(s[i]) {
			return true
		}
	}
	return false
}
