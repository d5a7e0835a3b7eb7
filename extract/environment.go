package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// environmentSlot keeps what the client says of its own limits: the sandbox,
// the approval policy, a plan mode.
type environmentSlot struct {
	list []pith.Quote
	// readOnly is the latest that was said of writing at all.
	readOnly bool
}

const maxEnvironment = 16

// environmentMarks are in lower case.
var environmentMarks = [...]string{"sandbox", "approval policy", "approval_policy", "plan mode", "network access", "network_access", "read-only", "readonly mode"}

// read takes the sentences and elements that state a limit. It reads the text
// of clients only, which is rare and short next to tool output.
func (e *environmentSlot) read(s *Said) {
	if strings.HasPrefix(s.Text, pith.RecordOpen) {
		return // what a memory tells was read where the client said it
	}
	if !strings.Contains(s.Text, "andbox") && !strings.Contains(s.Text, "ead-only") && !strings.Contains(s.Text, "lan mode") && !strings.Contains(s.Text, "pproval") {
		return
	}
	for at := 0; at < len(s.Text); {
		end := lineEnd(s.Text, at)
		e.line(s, at, end)
		at = end + 1
	}
}

func (e *environmentSlot) line(s *Said, start, end int) {
	from := start
	for i := start; i <= end; i++ {
		stop := i == end || s.Text[i] == '.' && (i+1 == end || s.Text[i+1] == ' ')
		if !stop {
			continue
		}
		if i < end {
			i++
		}
		e.statement(s, from, i)
		from = i
	}
}

// statement keeps a sentence that states a limit, and what it means for writing.
func (e *environmentSlot) statement(s *Said, start, end int) {
	start, end = trimSpan(s.Text, start, end)
	if end-start < 8 || end-start > 400 {
		return
	}
	lower := strings.ToLower(s.Text[start:end])
	found := false
	for _, m := range environmentMarks {
		found = found || strings.Contains(lower, m)
	}
	if !found || !statesMode(lower) {
		return
	}
	e.mode(lower)
	for i := range e.list {
		if e.list[i].Text == s.Text[start:end] {
			return
		}
	}
	if len(e.list) < maxEnvironment {
		e.list = append(e.list, pith.Quote{Text: s.Text[start:end], Provenance: s.Origin, Source: s.Span(start, end)})
	}
}

// statesMode tells a statement of the mode that holds from advice about modes.
func statesMode(lower string) bool {
	lower = strings.TrimLeft(lower, "`*_<- #")
	for _, p := range [...]string{"sandbox_mode", "sandbox:", "sandbox ", "network access is", "network_access", "approval policy", "approval_policy", "plan mode is", "plan mode still", "mode:", "you are in", "you are now in", "exited plan mode", "this session is read-only", "read-only"} {
		if strings.HasPrefix(lower, p) {
			return true
		}
	}
	return strings.Contains(lower, "plan mode is active") || strings.Contains(lower, "exited plan mode") || strings.Contains(lower, "sandbox is ")
}

func (e *environmentSlot) mode(lower string) {
	switch {
	case strings.Contains(lower, "exited plan mode"), strings.Contains(lower, "plan mode is no longer"), strings.Contains(lower, "workspace-write"), strings.Contains(lower, "danger-full-access"):
		e.readOnly = false
	case strings.Contains(lower, "plan mode is active"), strings.Contains(lower, "plan mode still active"), strings.Contains(lower, "read-only") && (strings.Contains(lower, "sandbox") || strings.Contains(lower, "mode")):
		e.readOnly = true
	}
}

func (e *environmentSlot) quotes() []pith.Quote { return append([]pith.Quote{}, e.list...) }
