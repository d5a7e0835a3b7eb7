package extract

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pith-memory/pith"
)

// The sizes of excerpts. A state is read many times, so that a failure which
// still matters gets room and what is over gets a line.
const (
	maxHeadLines    = 5
	maxTailLines    = 15
	openFailure     = 1200 // bytes for a verification that fails
	plainFailure    = 420  // bytes for another command that failed
	passExcerpt     = 200
	maxExcerptLine  = 240
	verdictLines    = 8
	lastLinesAlways = 3
)

// excerptOf keeps the lines of a failure's output that say most: its end, the
// lines that name what went wrong, and its beginning, within a budget of bytes.
func excerptOf(output string, budget int) *pith.Excerpt {
	var lines []string
	eachLine(output, func(line string) {
		if s := strings.TrimRightFunc(line, unicode.IsSpace); s != "" && !isNoOutput(s) {
			lines = append(lines, s)
		}
	})
	if len(lines) == 0 {
		return nil
	}
	picked := pickLines(lines, budget)
	e := &pith.Excerpt{Head: []string{}, Tail: []string{}}
	shown := 0
	for k, i := range picked {
		s := shorten(lines[i], maxExcerptLine)
		shown += len(s) + 1
		if k < len(picked)-maxTailLines || k == i && k < 1 && len(picked) > 6 {
			e.Head = append(e.Head, s)
		} else {
			e.Tail = append(e.Tail, s)
		}
	}
	e.OmittedLines = len(lines) - len(picked)
	if e.OmittedLines > 0 || shown < len(output)/2 {
		e.OmittedBytes = max(0, len(output)-shown)
	}
	return e
}

// pickLines chooses line numbers in the order of their worth and gives them
// back in the order of the output.
func pickLines(lines []string, budget int) []int {
	var picked []int
	taken := make(map[int]bool)
	take := func(i int) bool {
		if i < 0 || i >= len(lines) || taken[i] {
			return true
		}
		cost := min(len(lines[i]), maxExcerptLine) + 1
		if cost > budget && len(picked) > 0 || len(picked) == maxHeadLines+maxTailLines {
			return false
		}
		budget -= cost
		taken[i] = true
		picked = append(picked, i)
		return true
	}
	for i := len(lines) - 1; i >= 0 && i >= len(lines)-lastLinesAlways; i-- {
		take(i)
	}
	named := 0
	for _, want := range [...]int{rankPosition, rankVerdict} {
		for i := 0; i < len(lines) && named < verdictLines; i++ {
			s := strings.TrimSpace(lines[i])
			r := lineRank(s)
			if want == rankPosition && r < rankError || want == rankVerdict && r != rankVerdict {
				continue
			}
			named++
			if !take(i) {
				break
			}
			if r == rankVerdict {
				take(i + 1)
			}
		}
	}
	take(0)
	for i := len(lines) - 1; i >= 0 && take(i); i-- {
	}
	slices.Sort(picked)
	return picked
}

// passExcerptOf is the last line or two of an output: what a pass says of itself.
func passExcerptOf(output string) *pith.Excerpt {
	text := strings.TrimSpace(output)
	if text == "" || isNoOutput(text) {
		return nil
	}
	e := &pith.Excerpt{Head: []string{}}
	rest, budget := text, passExcerpt
	for len(e.Tail) < 2 && rest != "" {
		line := rest
		if i := strings.LastIndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[i+1:], strings.TrimRight(rest[:i], " \t\r\n")
		} else {
			rest = ""
		}
		line = strings.TrimRight(line, " \t\r")
		if line == "" {
			continue
		}
		if len(line) > budget && len(e.Tail) > 0 {
			break
		}
		s := shorten(line, min(budget, maxExcerptLine))
		budget -= len(s)
		e.Tail = append([]string{s}, e.Tail...)
		if budget <= 0 {
			break
		}
	}
	shown := 0
	for _, s := range e.Tail {
		shown += len(s) + 1
	}
	e.OmittedLines = max(0, strings.Count(text, "\n")+1-len(e.Tail))
	e.OmittedBytes = max(0, len(text)-shown+1)
	return e
}
