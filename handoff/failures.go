package handoff

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pith-memory/pith"
)

// The longest texts of a task, in characters: contracts/schemas says the same.
const (
	maxDescription = 16_384
	maxConstraint  = 4_000
	maxConstraints = 256
	// maxDeclared is what the declaration of failures may take of a description.
	maxDeclared = 8_192
)

// declare says, word for word, which failures are unresolved: what a delegate
// is told before anything else. What does not fit is counted; the state has all.
func declare(s *pith.State) string {
	var open []*pith.Evidence
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.Unresolved() {
			open = append(open, e)
		}
	}
	if len(open) == 0 {
		return "Unresolved failures: none was recorded.\n"
	}
	var b strings.Builder
	b.WriteString("Unresolved failures: " + strconv.Itoa(len(open)) + "\n")
	room := maxDeclared
	for i, e := range open {
		line := failureLine(e)
		if room -= utf8.RuneCountInString(line); room < 0 {
			b.WriteString("- and " + strconv.Itoa(len(open)-i) + " more, which stand in the state\n")
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

func failureLine(e *pith.Evidence) string {
	line := "- " + e.Command + "\n  " + e.Status
	if e.ExitCode != nil {
		line += ", exit code " + strconv.Itoa(*e.ExitCode)
	}
	if n := e.Counts; n != nil {
		line += ", " + strconv.Itoa(n.Passed) + " passed, " + strconv.Itoa(n.Failed+n.Errors) + " failed"
		if n.Unit != "" {
			line += " (" + n.Unit + ")"
		}
	}
	if e.Signature != "" {
		line += ": " + e.Signature
	}
	line += "\n"
	if x := e.Excerpt; x != nil {
		for _, l := range x.Tail[max(0, len(x.Tail)-3):] {
			line += "  | " + l + "\n"
		}
	}
	return line
}

// constraintTexts are the rules that hold, word for word, as far as a task has
// room for them.
func constraintTexts(s *pith.State) []string {
	out, left := []string{}, 0
	for i := range s.Constraints {
		text := s.Constraints[i].Text
		if utf8.RuneCountInString(text) > maxConstraint || len(out) == maxConstraints-1 {
			left++
			continue
		}
		out = append(out, text)
	}
	if left > 0 {
		out = append(out, strconv.Itoa(left)+" more constraints stand in the state.")
	}
	return out
}
