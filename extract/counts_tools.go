package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// addSpecial reads the summaries that have a form of their own.
func (t *tally) addSpecial(s string) bool {
	switch {
	case strings.HasPrefix(s, "Ran "):
		return t.addRan(s)
	case strings.Contains(s, "Tests run:"):
		return t.addMaven(s)
	case strings.Contains(s, "% tests passed, "):
		return t.addCTest(s)
	case strings.Contains(s, " tests completed, ") || strings.Contains(s, " test completed, "):
		n := numbersIn(s, 2)
		if len(n) == 2 {
			t.addPairs(pairs{total: n[0], failed: n[1], seen: seenTotal | seenFailed})
		}
		return true
	}
	return t.addLint(s)
}

// addRan reads "Ran 12 tests in 0.004s" of unittest; jest and bun say "Ran all
// test suites." and "Ran 7 tests across 2 files."
func (t *tally) addRan(s string) bool {
	n := numbersIn(s, 1)
	if len(n) == 1 && (strings.Contains(s, " test in ") || strings.Contains(s, " tests in ")) {
		t.ran, t.hasRan = t.ran+n[0], true
		t.last = group{}
	}
	return true
}

// addMaven reads "Tests run: 12, Failures: 1, Errors: 0, Skipped: 2". The line
// of each class also has its time; the total, which comes last, has none.
func (t *tally) addMaven(s string) bool {
	_, figures, _ := strings.Cut(s, "Tests run:")
	n := numbersIn(figures, 4)
	if len(n) < 3 {
		return false
	}
	c := pith.Counts{Failed: n[1], Errors: n[2]}
	if len(n) > 3 {
		c.Skipped = n[3]
	}
	c.Total = &n[0]
	c.Passed = max(0, n[0]-c.Failed-c.Errors-c.Skipped)
	if strings.Contains(s, "Time elapsed") && t.maven != nil {
		return true
	}
	t.maven = &c
	return true
}

// addCTest reads "95% tests passed, 1 tests failed out of 20".
func (t *tally) addCTest(s string) bool {
	n := numbersIn(s, 3)
	if len(n) == 3 {
		t.addPairs(pairs{failed: n[1], total: n[2], passed: max(0, n[2]-n[1]), seen: seenFailed | seenTotal | seenPassed})
	}
	return true
}

// addLint reads what compilers and linters found.
func (t *tally) addLint(s string) bool {
	found := func(failed int, unit string) bool {
		t.lint = &pith.Counts{Failed: failed, Unit: unit}
		return true
	}
	n := numbersIn(s, 3)
	if len(n) == 0 {
		return false
	}
	switch {
	case strings.HasPrefix(s, "Found ") && (strings.Contains(s, " error") || strings.Contains(s, " problem") || strings.Contains(s, " issue")):
		return found(n[0], "errors")
	case len(n) == 3 && strings.Contains(s, " problem") && strings.Contains(s, " error") && strings.Contains(s, " warning"):
		found(n[1], "problems")
		t.lint.Total = &n[0]
		return true
	case isDigit(s[0]) && (strings.HasSuffix(s, " issues:") || strings.HasSuffix(s, " issues.") || strings.HasSuffix(s, " issue:") || strings.HasSuffix(s, " issue.")):
		return found(n[0], "issues")
	case strings.Contains(s, " inspected, ") && strings.Contains(s, " offense"):
		if strings.Contains(s, "no offenses") {
			return found(0, "offenses")
		}
		if len(n) > 1 {
			return found(n[1], "offenses")
		}
	case strings.Contains(s, "would be reformatted"):
		return found(n[0], "files")
	case strings.Contains(s, "): error TS"):
		t.compileLines++
		return true
	}
	return false
}

// numbersIn collects up to limit whole numbers of a line.
func numbersIn(s string, limit int) []int {
	var out []int
	for i := 0; i < len(s) && len(out) < limit; i++ {
		if !isDigit(s[i]) || i > 0 && (isWordByte(s[i-1]) || s[i-1] == '.') {
			continue
		}
		j := i
		for j < len(s) && isDigit(s[j]) {
			j++
		}
		if n, ok := number(s[i:j]); ok {
			out = append(out, n)
		}
		i = j
	}
	return out
}
