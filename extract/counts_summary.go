package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// pairs are the numbers of a summary line by what they count.
type pairs struct {
	passed, failed, errors, skipped, total int
	seen                                   seenKey
}

type seenKey uint8

const (
	seenPassed seenKey = 1 << iota
	seenFailed
	seenErrors
	seenSkipped
	seenTotal
)

// whole tells whether the pairs say how the tests went: a number of passed or
// failed ones, not skipped ones or warnings alone.
func (p *pairs) whole() bool {
	return p.seen&(seenPassed|seenFailed) != 0 || p.seen&seenTotal != 0 && p.seen&seenErrors != 0
}

func (p *pairs) join(q pairs) {
	p.passed += q.passed
	p.failed += q.failed
	p.errors += q.errors
	p.skipped += q.skipped
	p.total += q.total
	p.seen |= q.seen
}

func (p *pairs) set(k seenKey, n int) {
	if p.seen&k != 0 && k != seenSkipped {
		return
	}
	switch k {
	case seenPassed:
		p.passed = n
	case seenFailed:
		p.failed = n
	case seenErrors:
		p.errors = n
	case seenSkipped:
		p.skipped += n
	case seenTotal:
		p.total = n
	}
	p.seen |= k
}

// counts turns the pairs into counts. The passed are what is left of the total
// where the runner states only the total.
func (p *pairs) counts() *pith.Counts {
	c := &pith.Counts{Passed: p.passed, Failed: p.failed, Errors: p.errors, Skipped: p.skipped}
	if p.seen&seenTotal != 0 {
		total := p.total
		c.Total = &total
		if p.seen&seenPassed == 0 {
			c.Passed = max(0, total-p.failed-p.errors-p.skipped)
		}
	}
	return c
}

// summaryStyle says what to do with several summaries of one output.
type summaryStyle uint8

const (
	styleNone summaryStyle = iota
	styleLast
	styleSum
)

// readSummary reads one line of numbers and words in either order:
// "= 3 failed, 212 passed in 4s =", "Tests: 1 failed, 3 passed, 4 total",
// "Failed: 1, Passed: 11". A line of prose with a number in it is none.
func readSummary(s string) (pairs, summaryStyle) {
	style := styleLast
	text := strings.TrimLeft(s, "=-*#~ \t│|>✓✔✖✗•ℹ")
	switch {
	case strings.HasPrefix(text, "Test Suites:"), strings.HasPrefix(text, "Test Files"), strings.HasPrefix(text, "Snapshots:"):
		return pairs{}, styleNone
	case strings.HasPrefix(text, "test result:"):
		style, text = styleSum, afterDot(text[len("test result:"):])
	case strings.HasPrefix(text, "ok |"), strings.HasPrefix(text, "FAILED |"):
		style = styleSum
	case strings.HasPrefix(text, "Failed!"), strings.HasPrefix(text, "Passed!"):
		style, text = styleSum, strings.TrimLeft(text[7:], " -–")
	case strings.HasPrefix(text, "Executed "):
		text = text[len("Executed "):]
	case strings.HasPrefix(text, "Summary ["):
		style = styleSum
		if i := strings.IndexByte(text, ']'); i >= 0 {
			text = text[i+1:]
		}
	case strings.HasPrefix(text, "DONE "), strings.HasPrefix(text, "OK ("), strings.HasPrefix(text, "FAILED ("), strings.HasPrefix(text, "Tests"):
	default:
		if !opensSummary(text) {
			return pairs{}, styleNone
		}
	}
	p, other := readPairs(text)
	if strings.HasPrefix(text, "OK (") && p.seen&seenTotal != 0 {
		p.seen |= seenFailed
	}
	if p.seen == 0 || other > 4 {
		return pairs{}, styleNone
	}
	return p, style
}

// opensSummary tells whether a line begins with a number and what it counts, or
// with a word that counts and its number.
func opensSummary(text string) bool {
	tok := tokens{s: text}
	first, ok := tok.next()
	second, ok2 := tok.next()
	if !ok || !ok2 {
		return false
	}
	_, numeric := number(first)
	k := countKey(first)
	if numeric {
		return countKey(second) != 0 || strings.HasPrefix(second, "doctest")
	}
	_, numeric = number(second)
	return k != 0 && numeric
}

// readPairs collects "12 passed" and "passed: 12"; other counts the words that
// count nothing.
func readPairs(text string) (p pairs, other int) {
	tok := tokens{s: text}
	n, hasN := 0, false
	var key seenKey
	for {
		w, ok := tok.next()
		if !ok {
			return p, other
		}
		if v, numeric := number(w); numeric {
			if key != 0 && tok.joined && !tok.countsNext() {
				p.set(key, v)
				key = 0
				continue
			}
			n, hasN = v, true
			key = 0
			continue
		}
		k := countKey(w)
		switch {
		case k != 0 && hasN && !tok.labels():
			p.set(k, n)
			hasN, key = false, 0
		case k != 0:
			key = k
		case isFiller(w):
		default:
			key, hasN = 0, false
			other++
		}
	}
}

// countKey says what a word of a summary counts.
func countKey(w string) seenKey {
	switch strings.ToLower(w) {
	case "passed", "passing", "pass", "passes", "succeeded", "ok":
		return seenPassed
	case "failed", "failing", "fail", "failure", "failures":
		return seenFailed
	case "error", "errors", "errored":
		return seenErrors
	case "skipped", "pending", "ignored", "skip", "skips", "todo", "xfailed", "disabled", "incomplete":
		return seenSkipped
	case "total", "examples", "example", "tests", "test", "runs", "run", "specs":
		return seenTotal
	}
	return 0
}

// isFiller are the words that stand in summaries without counting tests.
func isFiller(w string) bool {
	switch strings.ToLower(w) {
	case "in", "out", "of", "and", "with", "warnings", "warning", "assertions", "deselected", "xpassed", "measured", "filtered",
		"duration", "time", "seconds", "s", "ms", "flaky", "rerun", "reruns", "excluded", "cancelled", "doctests", "doctest",
		"done", "slow", "completed", "unexpected", "did", "not", "summary", "suites", "files", "retries", "leaky", "snapshots":
		return true
	}
	return !isLetter(w[0]) || len(w) < 3
}

// tokens splits a line into words and numbers.
type tokens struct {
	s      string
	at     int
	joined bool // the token follows its neighbour with ":" or "=" or a space
}

func (t *tokens) next() (string, bool) {
	start := t.at
	for t.at < len(t.s) && !isWordByte(t.s[t.at]) {
		t.at++
	}
	gap := strings.TrimSpace(t.s[start:t.at])
	t.joined = gap == "" || gap == ":" || gap == "="
	begin := t.at
	for t.at < len(t.s) && (isWordByte(t.s[t.at]) || t.s[t.at] == '.' && t.at+1 < len(t.s) && isDigit(t.s[t.at+1])) {
		t.at++
	}
	return t.s[begin:t.at], t.at > begin
}

// labels tells whether the word just read is the label of the number after it.
func (t *tokens) labels() bool {
	return t.at+1 < len(t.s) && (t.s[t.at] == ':' || t.s[t.at] == '=') && hasDigit(t.s[t.at+1:min(len(t.s), t.at+4)])
}

// countsNext tells whether the number just read counts the word after it:
// "Tests: 1 failed" is one failed test, "Tests: 12, Failures: 1" are twelve.
func (t *tokens) countsNext() bool {
	rest := *t
	w, ok := rest.next()
	return ok && t.at < len(t.s) && t.s[t.at] == ' ' && rest.joined && countKey(w) != 0 && !rest.labels()
}

func number(w string) (int, bool) {
	if w == "" || len(w) > 8 {
		return 0, false
	}
	n := 0
	for i := 0; i < len(w); i++ {
		if !isDigit(w[i]) {
			return 0, false
		}
		n = n*10 + int(w[i]-'0')
	}
	return n, true
}

func afterDot(s string) string {
	if i := strings.IndexByte(s, '.'); i >= 0 {
		return s[i+1:]
	}
	return s
}
