package schema

import (
	"fmt"
	"maps"
	"strings"

	"github.com/pith-memory/pith"
)

// reservedPrefix begins the keys of relevant_tool_results that pith writes.
const reservedPrefix = "cws/"

// stateKey is where an 8-field memory carries the whole state that it shows.
const stateKey = reservedPrefix + "state"

// ToCompact turns a state into its 8-field view. Nothing is lost: what the
// eight fields have no home for travels as the canonical state under
// relevant_tool_results["cws/state"]. A state that was imported from eight
// fields and not changed since needs no such carrier and gets them back as
// they were.
func ToCompact(s *pith.State) (pith.Compact, error) {
	c := view(s)
	if s.Checkpoint.Origin == "imported" && sameWritten(imported(c), s) {
		return c, nil
	}
	b, err := Canonical(s)
	if err != nil {
		return pith.Compact{}, err
	}
	c.RelevantToolResults[stateKey] = string(b)
	return c, nil
}

// sameWritten tells whether two documents are written alike.
func sameWritten(a, b any) bool {
	x, err := encode(a, false, true)
	if err != nil {
		return false
	}
	y, err := encode(b, false, true)
	return err == nil && string(x) == string(y)
}

// view writes the eight fields as people and programs read them.
func view(s *pith.State) pith.Compact {
	c := pith.Compact{
		Task:                 taskText(s),
		CurrentState:         currentState(s),
		KeyDecisions:         []pith.KeyDecision{},
		EliminatedApproaches: []pith.Eliminated{},
		OpenQuestions:        []string{},
		NextSteps:            nextSteps(s),
		RelevantToolResults:  map[string]string{},
		CompactedAtTurn:      s.Checkpoint.CompactedAtTurn,
	}
	for i := range s.Decisions {
		d := &s.Decisions[i]
		c.KeyDecisions = append(c.KeyDecisions, pith.KeyDecision{
			Decision: clip(d.Decision, maxNote), Reason: clip(d.Rationale, maxReason), Constraint: d.Constraint,
		})
		for _, a := range d.Rejected {
			c.EliminatedApproaches = append(c.EliminatedApproaches, pith.Eliminated{Approach: a.Alternative, Reason: clip(a.Reason, maxNote)})
		}
	}
	for i := range s.Failed {
		f := &s.Failed[i]
		reason := f.Reason
		if reason == "" {
			reason = f.ErrorSignature
		}
		c.EliminatedApproaches = append(c.EliminatedApproaches, pith.Eliminated{Approach: clip(f.Attempt, maxNote), Reason: clip(reason, maxNote)})
	}
	for i := range s.Context.OpenQuestions {
		c.OpenQuestions = append(c.OpenQuestions, clip(s.Context.OpenQuestions[i].Text, maxNote))
	}
	if s.Extensions != nil {
		maps.Copy(c.RelevantToolResults, s.Extensions.ToolResults)
		c.OpenQuestions = append(c.OpenQuestions, s.Extensions.OpenQuestions...)
	}
	for i := range s.Evidence {
		if e := &s.Evidence[i]; len(c.RelevantToolResults) < 256 && (e.SupersededBy == nil || e.Unresolved()) {
			c.RelevantToolResults[e.ID] = evidenceLine(e)
		}
	}
	return c
}

func taskText(s *pith.State) string {
	if len(s.Goal.Amendments) == 0 {
		return s.Goal.Text
	}
	var b strings.Builder
	b.WriteString(s.Goal.Text)
	for i := range s.Goal.Amendments {
		a := &s.Goal.Amendments[i]
		b.WriteString("\n\nThen (" + a.Relation + "): ")
		b.WriteString(a.Text)
	}
	return clip(b.String(), maxGoal)
}

// currentState is one paragraph on where the work stands.
func currentState(s *pith.State) string {
	if s.Checkpoint.Origin == "imported" && s.Extensions != nil && s.Extensions.ProgressNote != "" {
		return s.Extensions.ProgressNote
	}
	var lines []string
	phase := strings.ReplaceAll(s.Phase.Status, "_", " ")
	if s.Phase.Name != "" {
		phase += ": " + s.Phase.Name
	}
	if s.Phase.Current != nil && s.Phase.Total != nil {
		phase += fmt.Sprintf(" (phase %d of %d)", *s.Phase.Current, *s.Phase.Total)
	}
	lines = append(lines, "Work "+phase+".")
	if n := len(s.Files.Modified); n > 0 {
		lines = append(lines, fmt.Sprintf("%d files modified, %d inspected.", n, len(s.Files.Inspected)))
	}
	open := 0
	for i := range s.Evidence {
		if s.Evidence[i].Unresolved() {
			open++
		}
	}
	if n := len(s.Evidence); n > 0 {
		lines = append(lines, fmt.Sprintf("Latest run: %s. Open failures: %d.", evidenceLine(&s.Evidence[n-1]), open))
	}
	if s.Extensions != nil && s.Extensions.ProgressNote != "" {
		lines = append(lines, s.Extensions.ProgressNote)
	}
	return clip(strings.Join(lines, "\n"), maxItem)
}

// evidenceLine says in one line what a run showed.
func evidenceLine(e *pith.Evidence) string {
	line := clip(e.Command, 400) + ": " + e.Status
	if e.ExitCode != nil {
		line += fmt.Sprintf(", exit %d", *e.ExitCode)
	}
	if n := e.Counts; n != nil {
		line += fmt.Sprintf(", %d passed, %d failed", n.Passed, n.Failed)
		if n.Errors > 0 {
			line += fmt.Sprintf(", %d errors", n.Errors)
		}
		if n.Skipped > 0 {
			line += fmt.Sprintf(", %d skipped", n.Skipped)
		}
	}
	if e.Signature != "" && e.Status != "pass" {
		line += ": " + e.Signature
	}
	return line
}

func nextSteps(s *pith.State) []string {
	steps := []string{}
	if s.Next.Basis != "none" {
		steps = append(steps, s.Next.Text)
	}
	if s.Extensions != nil {
		steps = append(steps, s.Extensions.RemainingSteps...)
	}
	for i := range s.Context.Todo {
		if t := &s.Context.Todo[i]; t.Status == "pending" && t.Text != s.Next.Text && len(steps) < 257 {
			steps = append(steps, clip(t.Text, maxNote))
		}
	}
	return steps
}
