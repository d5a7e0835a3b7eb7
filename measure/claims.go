package measure

import (
	"slices"
	"strconv"
	"strings"
)

var (
	exitClaim  = pattern(`(?i)\bexit(?:ed|s)?(?: with)?(?: code| status)?:?[ =]{0,2}\(?(-?\d+)\b`)
	countClaim = pattern(`(?i)\b(\d+)(?:/\d+)? (?:[a-z]+ )?(passed|failed|skipped|passing|failing)\b( (?:shown )?(?:errors?|issues?|problems?|warnings?))?`)
	issueClaim = pattern(`(?i)\b(\d+) (?:shown )?(?:errors?|issues?|problems?)\b`)
	passClaim  = pattern(`(?i)\b(?:pass(?:ed|es|ing)?|succe(?:eds?|eded|ssful(?:ly)?)|ok|clean|green|(?:no|0) issues)\b|✓|✔|✅`)
	failClaim  = pattern(`(?i)\b(?:fail(?:s|ed|ing|ure|ures)?|broken|breaks|red|error|errors)\b|✗|❌`)
)

// claims are what a piece of text says of how a run ended.
type claims struct {
	exits  []int
	counts []string // "3 failed"
	passes bool
	fails  bool
}

func claimsIn(text string) claims {
	var c claims
	for _, m := range exitClaim().FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			c.exits = append(c.exits, n)
		}
	}
	for _, m := range countClaim().FindAllStringSubmatch(text, -1) {
		if m[3] != "" {
			m[2] = problems
		}
		c.counts = append(c.counts, m[1]+" "+plainCount(m[2]))
	}
	for _, m := range issueClaim().FindAllStringSubmatch(text, -1) {
		c.counts = append(c.counts, m[1]+" "+problems)
	}
	c.passes = passClaim().MatchString(text)
	c.fails = failClaim().MatchString(text)
	return c
}

func plainCount(unit string) string {
	switch unit = strings.ToLower(unit); unit {
	case "passing":
		return "passed"
	case "failing":
		return "failed"
	}
	return unit
}

// none tells whether nothing is claimed in numbers.
func (c *claims) none() bool { return len(c.exits) == 0 && len(c.counts) == 0 }

// state tells whether the claims are those of an outcome. That a run passed
// says as much as its exit code 0, where nothing else is said.
func (c *claims) state(exit *int, counts, packages []string) bool {
	if exit != nil && !slices.Contains(c.exits, *exit) {
		if *exit != 0 || len(c.exits) > 0 || !c.passes {
			return false
		}
	}
	return c.hold(counts) || len(packages) > 0 && c.hold(packages)
}

func (c *claims) hold(counts []string) bool {
	for _, n := range counts {
		if !strings.HasPrefix(n, "0 ") && !slices.Contains(c.counts, n) {
			return false
		}
	}
	return true
}

// marks are how texts mark the status of a step, the surest first.
var marks = []struct {
	mark, status string
}{
	{"[x]", completed}, {"[X]", completed}, {"☑", completed}, {"✅", completed}, {"✓", completed}, {"✔", completed},
	{"[ ]", pending}, {"☐", pending}, {"⬜", pending}, {"[pending]", pending},
	{"[in progress]", inProgress}, {"[in_progress]", inProgress}, {"[~]", inProgress}, {"🔄", inProgress},
	{"[completed]", completed}, {"[done]", completed}, {"[cancelled]", cancelled},
}

var statusWord = pattern(`(?i)\b(completed?|done|finished|in[ _-]progress|ongoing|current|pending|to[ -]?do|not started|remaining|open|next|cancell?ed|skipped)\b`)

// statusIn is the status that a text states for a step, "" where it states none.
func statusIn(text string) string {
	for _, m := range marks {
		if strings.Contains(text, m.mark) {
			return m.status
		}
	}
	switch w := strings.ToLower(statusWord().FindString(text)); {
	case w == "":
		return ""
	case strings.HasPrefix(w, "complete"), w == "done", w == "finished":
		return completed
	case strings.HasPrefix(w, "in"), w == "ongoing", w == "current":
		return inProgress
	case strings.HasPrefix(w, "cancel"), w == "skipped":
		return cancelled
	}
	return pending
}
