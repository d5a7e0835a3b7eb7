package hook

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/truncate"
)

// part is a list of lines under a title.
type part struct {
	title string
	lines []string
}

// brief lays parts out between two sentences within a number of UTF-16 code
// units: lines whole, in order, and of every part at least how many there are.
func brief(limit int, intro string, parts []part, outro string) string {
	room := limit - units(intro) - units(outro) - 2
	for i := range parts {
		if len(parts[i].lines) > 0 {
			room -= units(parts[i].title) + len("\n:\n- and 9999 more")
		}
	}
	var b strings.Builder
	b.WriteString(intro)
	for _, p := range parts {
		if len(p.lines) == 0 {
			continue
		}
		b.WriteString("\n" + p.title + ":")
		told := 0
		for _, line := range p.lines {
			line = "\n- " + line
			if size := units(line); size <= room {
				room -= size
				b.WriteString(line)
				told++
				continue
			}
			break
		}
		if more := len(p.lines) - told; more > 0 {
			b.WriteString("\n- and " + strconv.Itoa(more) + " more")
		}
	}
	if outro != "" {
		b.WriteString("\n" + outro)
	}
	return b.String()
}

// nothing tells whether there is no line in any part.
func nothing(parts []part) bool {
	return !slices.ContainsFunc(parts, func(p part) bool { return len(p.lines) > 0 })
}

// The longest line of a rule, and of anything else. Units: bytes.
const (
	longRule = 600
	longLine = 300
)

// line is a text of any origin as one line that can stand in a context.
func line(text string, most int) string {
	text = restore.Quote(strings.Join(strings.Fields(text), " "))
	if len(text) > most {
		text = truncate.Text(text, most)
		text = strings.Join(strings.Fields(text), " ")
	}
	return text
}

// clean tells whether a text may be told: nothing secret is in it. What it is
// made from was redacted before; a finding is a fault.
func clean(text string) bool { return len(redact.Scan(text)) == 0 }

// userRules are the rules in force that the client does not send by itself.
func userRules(s *pith.State) []string {
	var out []string
	for i := range s.Constraints {
		if c := &s.Constraints[i]; !c.Resent {
			out = append(out, line(c.Text, longRule))
		}
	}
	for i := range s.Context.Pins {
		out = append(out, line(s.Context.Pins[i].Text, longRule))
	}
	return out
}

// modified are the files that were written, each by its whole path.
func modified(s *pith.State) []string {
	out := make([]string, 0, len(s.Files.Modified))
	for i := range s.Files.Modified {
		f := &s.Files.Modified[i]
		out = append(out, line(f.Path, 2*longLine)+" ("+string(f.Op)+")")
	}
	return out
}

// failing are the failures that are open, the latest first.
func failing(s *pith.State) []string {
	var out []string
	for i := len(s.Evidence) - 1; i >= 0; i-- {
		if e := &s.Evidence[i]; e.Unresolved() {
			out = append(out, failure(e))
		}
	}
	return out
}

func failure(e *pith.Evidence) string {
	text := "`" + line(e.Command, longLine) + "`"
	switch {
	case e.ExitCode != nil:
		text += ", exit " + strconv.Itoa(*e.ExitCode)
	default:
		text += ", " + e.Status
	}
	if e.Signature != "" {
		text += ": " + line(e.Signature, longLine)
	}
	return text
}

// avoided are the attempts that led nowhere and are not to be made again.
func avoided(s *pith.State) []string {
	var out []string
	for i := len(s.Failed) - 1; i >= 0; i-- {
		f := &s.Failed[i]
		if f.EndedBy != "" && !f.DoNotRetry {
			continue
		}
		text := line(f.Attempt, longLine)
		if f.ErrorSignature != "" {
			text += ": " + line(f.ErrorSignature, longLine)
		}
		if f.Occurrences > 1 {
			text += " (" + strconv.Itoa(f.Occurrences) + " times)"
		}
		out = append(out, text)
	}
	return out
}

// decided are the decisions that stand.
func decided(s *pith.State) []string {
	var out []string
	for i := range s.Decisions {
		if d := &s.Decisions[i]; d.Status != "rejected" && d.Status != "proposed" {
			out = append(out, line(d.Decision, longLine))
		}
	}
	return out
}

// nextStep is the next action in one line, nil where there is none.
func nextStep(s *pith.State) []string {
	n := &s.Next
	if n.Kind == "none" || n.Text == "" && n.Command == "" {
		return nil
	}
	text := line(n.Text, 2*longLine)
	if n.Command != "" && !strings.Contains(n.Text, n.Command) {
		text += " `" + line(n.Command, longLine) + "`"
	}
	if n.RequiresConfirmation {
		text += " (only after the user's confirmation)"
	}
	return []string{strings.TrimSpace(text)}
}
