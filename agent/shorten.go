package agent

import (
	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/truncate"
)

const (
	// resultShare is the share of the window that one result may take: a quarter.
	resultShare = 4
	// largestResult bounds it where the window is unknown, and leastResult is
	// what a result may have however full the window is. Units: tokens.
	largestResult pith.Tokens = 25_000
	leastResult   pith.Tokens = 500
	// stagedResult is what a result that is no command's output may have while
	// the window is filling up: a file that was asked for is worth more than a log.
	stagedResult pith.Tokens = 2_000
	// bytesPerToken is the least that text has for a token, for a first guess.
	bytesPerToken = 3
)

// shortened is what the model gets of the result of call i: all of it, unless
// the window is filling up or the result is too large for what is left. What is
// left out is stated in its place. The session remembers the whole. The output
// of a command is shortened to its head, its verdicts and its tail.
func (a *Agent) shortened(i int, text string, command bool) string {
	limit := a.room(i)
	switch {
	case a.staging && command:
		text = truncate.Lines(text, truncate.Options{}).Text
	case a.staging:
		limit = min(limit, stagedResult)
	}
	if pith.Tokens(len(text)) <= limit { // no token has less than a byte
		return text
	}
	if meter.Count(text) <= limit {
		return text
	}
	short := truncate.Lines(text, truncate.Options{}).Text
	for size := int(limit) * bytesPerToken; meter.Count(short) > limit && size > 0; size = size * 3 / 4 {
		short = truncate.Text(text, size)
	}
	return short
}

// room is how large the result of call i may be.
func (a *Agent) room(i int) pith.Tokens {
	if a.window <= 0 {
		return largestResult
	}
	r := a.reading()
	left := pith.Tokens(a.window) - r.Used - r.Reserve
	waiting := pith.Tokens(1)
	for k := range a.open {
		switch o := &a.open[k]; {
		case o.answered:
			left -= pith.Tokens(len(o.sent) / bytesPerToken)
		case k != i:
			waiting++
		}
	}
	return min(pith.Tokens(a.window/resultShare), max(left/waiting, leastResult))
}
