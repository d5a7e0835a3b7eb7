package trigger

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

// Asked says whether the user asks for a compaction: "@compact" or
// "@compact-memory" as a word of its own, not as code.
func Asked(text string) bool {
	const word = "@compact"
	var code codeMarks
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		code.read(text[at : at+i])
		start := at + i
		at = start + len(word)
		end := at
		if strings.HasPrefix(text[end:], "-memory") {
			end += len("-memory")
		}
		if (start == 0 || isSpace(text[start-1])) && endsWord(text[end:]) && !code.open() {
			return true
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// endsWord says whether a word ends before rest: at space, at the end, or at
// punctuation that one of them follows.
func endsWord(rest string) bool {
	for i := range len(rest) {
		if strings.IndexByte(".,;:!?)", rest[i]) < 0 {
			return isSpace(rest[i])
		}
	}
	return true
}

// codeMarks counts the backticks of a text that is read in parts.
type codeMarks struct{ fences, ticks int }

func (c *codeMarks) read(part string) {
	c.fences += strings.Count(part, "```")
	if i := strings.LastIndexByte(part, '\n'); i >= 0 {
		c.ticks, part = 0, part[i:]
	}
	c.ticks += strings.Count(part, "`")
}

// open says whether code is open: a fence, or a backtick on the same line.
func (c *codeMarks) open() bool { return c.fences%2 == 1 || c.ticks%2 == 1 }

// fill says how full the window is: "71.2 % of 200,000 (reported)".
func fill(r meter.Reading) string {
	if r.Window <= 0 {
		return fmt.Sprintf("%s tokens (%s)%s", number(r.Used), r.Basis, unknown(r))
	}
	return fmt.Sprintf("%s of %s (%s)", percent(r.Fraction), number(pith.Tokens(r.Window)), r.Basis)
}

func fillAgainst(r meter.Reading, limit float64) string {
	return fill(r) + " >= " + strings.Replace(percent(limit), ".0 %", " %", 1)
}

// unknown says which rules are left where nobody knows the window.
func unknown(r meter.Reading) string {
	if r.Window > 0 {
		return ""
	}
	return "; window unknown: only sizes, turns and events count"
}

func parts(r meter.Reading) string {
	if r.Parts.Total() == 0 {
		return ""
	}
	return fmt.Sprintf("; system %s, tools %s, messages %s tokens", number(r.Parts.System), number(r.Parts.Tools), number(r.Parts.Messages))
}

func failures(in Input) string {
	class := ""
	if in.FailureClass != "" {
		class = " (" + in.FailureClass + ")"
	}
	return fmt.Sprintf("%d failures of the same class in a row%s", in.FailureRun, class)
}

func percent(f float64) string { return strconv.FormatFloat(f*100, 'f', 1, 64) + " %" }

// number writes thousands apart: 171,500.
func number(n pith.Tokens) string {
	s := strconv.Itoa(int(n))
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}
