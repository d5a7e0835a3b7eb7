package compactor

import (
	"maps"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

// facts are what code has extracted already, in the prompt so that the model
// need not repeat it and can refer to it by the same names.
type facts struct {
	Language string   `json:"language,omitempty"`
	Goal     string   `json:"goal,omitempty"`
	Todo     []string `json:"todo,omitempty"`
	Next     string   `json:"next_action,omitempty"`
	Failures []string `json:"open_failures,omitempty"`
	Rules    []rule   `json:"constraints,omitempty"`
	Modified int      `json:"files_modified_count,omitempty"`
	Files    []string `json:"files_modified,omitempty"`
	// More counts the facts that this request has no room for.
	More int `json:"more_facts,omitempty"`
}

type rule struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// The most characters of one fact.
const (
	maxGoalText = 1500
	maxFactText = 300
)

// knownFacts takes the facts of a state that fit the room, the most needed first.
func knownFacts(s *pith.State, room pith.Tokens) *facts {
	if s == nil {
		return nil
	}
	f := &facts{Language: s.Context.Language, Modified: len(s.Files.Modified)}
	left := room
	fits := func(text string) bool {
		n := meter.Count(text) + 4
		if n > left {
			f.More++
			return false
		}
		left -= n
		return true
	}
	if goal := shortenTo(s.Goal.Text, min(maxGoalText, int(room))); goal != "" && fits(goal) {
		f.Goal = goal
	}
	if next := shortenTo(s.Next.Text, maxFactText); next != "" && fits(next) {
		f.Next = next
	}
	for i := range s.Evidence {
		e := &s.Evidence[i]
		if !e.Unresolved() {
			continue
		}
		if text := shortenTo(joinFact(e.Command, e.Signature), maxFactText); fits(text) {
			f.Failures = append(f.Failures, text)
		}
	}
	for _, t := range s.Context.Todo {
		if t.Status == "completed" || t.Status == "cancelled" {
			continue
		}
		if text := shortenTo(t.Text, maxFactText); fits(text) {
			f.Todo = append(f.Todo, text)
		}
	}
	for i := range s.Constraints {
		c := &s.Constraints[i]
		if text := shortenTo(c.Text, maxFactText); !c.Resent && fits(c.ID+text) {
			f.Rules = append(f.Rules, rule{ID: c.ID, Text: text})
		}
	}
	for i := range s.Files.Modified {
		if path := s.Files.Modified[i].Path; fits(path) {
			f.Files = append(f.Files, path)
		}
	}
	return f
}

func joinFact(a, b string) string {
	if b == "" {
		return a
	}
	return a + ": " + b
}

// previousDraft is the judgement that a checkpoint holds, in a draft's fields.
func previousDraft(s *pith.State) *Draft {
	if s == nil {
		return nil
	}
	d := &Draft{Task: s.Goal.Text, Phase: s.Phase.Name}
	if s.WorkType != pith.WorkUnspecified {
		d.WorkType = string(s.WorkType)
	}
	for i := range s.Decisions {
		x := &s.Decisions[i]
		d.KeyDecisions = append(d.KeyDecisions, Decision{Decision: x.Decision, Reason: x.Rationale, Constraint: x.Constraint})
		for _, a := range x.Rejected {
			d.EliminatedApproaches = append(d.EliminatedApproaches, Eliminated{Approach: a.Alternative, Reason: a.Reason})
		}
	}
	for i := range s.Failed {
		x := &s.Failed[i]
		if x.EndedBy == "" {
			d.EliminatedApproaches = append(d.EliminatedApproaches, Eliminated{Approach: x.Attempt, Reason: joinFact(x.Reason, x.ErrorSignature)})
		}
	}
	for _, q := range s.Context.OpenQuestions {
		d.OpenQuestions = append(d.OpenQuestions, q.Text)
	}
	if s.Next.Text != "" && s.Next.Kind != "none" {
		d.NextSteps = append(d.NextSteps, s.Next.Text)
	}
	if x := s.Extensions; x != nil {
		if x.TaskRestatement != "" {
			d.Task = x.TaskRestatement
		}
		d.CurrentState = x.ProgressNote
		d.NextSteps = append(d.NextSteps, x.RemainingSteps...)
		for _, name := range slices.Sorted(maps.Keys(x.ToolResults)) {
			d.ToolResults = append(d.ToolResults, ToolResult{Name: name, Result: x.ToolResults[name]})
		}
		d.OpenQuestions = append(d.OpenQuestions, x.OpenQuestions...)
	}
	return d
}

// The caps of a draft. What is over them is shortened with a statement, or
// left out from the end of a list: what came first matters most.
const (
	MaxDraftItems = 64   // of one list
	MaxDraftText  = 4000 // characters of task and current_state
	MaxDraftItem  = 1200 // characters of any text in a list
)

// capped is a draft with at most so many items and characters.
func (d *Draft) capped(items, text, item int) *Draft {
	c := &Draft{Task: shortenTo(d.Task, text), CurrentState: shortenTo(d.CurrentState, text), WorkType: shortenTo(d.WorkType, item), Phase: shortenTo(d.Phase, item)}
	for _, x := range d.KeyDecisions[:min(len(d.KeyDecisions), items)] {
		c.KeyDecisions = append(c.KeyDecisions, Decision{shortenTo(x.Decision, item), shortenTo(x.Reason, item), shortenTo(x.Constraint, item)})
	}
	for _, x := range d.EliminatedApproaches[:min(len(d.EliminatedApproaches), items)] {
		c.EliminatedApproaches = append(c.EliminatedApproaches, Eliminated{shortenTo(x.Approach, item), shortenTo(x.Reason, item)})
	}
	for _, x := range d.ToolResults[:min(len(d.ToolResults), items)] {
		c.ToolResults = append(c.ToolResults, ToolResult{shortenTo(x.Name, item), shortenTo(x.Result, item)})
	}
	for _, l := range []struct{ to, from *[]string }{
		{&c.OpenQuestions, &d.OpenQuestions}, {&c.NextSteps, &d.NextSteps}, {&c.Constraints, &d.Constraints}, {&c.Approvals, &d.Approvals},
	} {
		for _, x := range (*l.from)[:min(len(*l.from), items)] {
			*l.to = append(*l.to, shortenTo(x, item))
		}
	}
	return c
}

// fitted is the draft within a room: as it is where it fits, else with shorter
// and fewer texts, nil where not even a few lines of it fit.
func (d *Draft) fitted(room pith.Tokens) *Draft {
	if d == nil {
		return nil
	}
	for _, c := range [...]struct{ items, text, item int }{
		{MaxDraftItems, MaxDraftText, MaxDraftItem}, {32, 2000, 400}, {16, 1000, 240}, {8, 600, 160}, {4, 300, 120}, {2, 200, 100}, {0, 160, 80},
	} {
		short := d.capped(c.items, c.text, c.item)
		if measure(nil, string(encode(short))).tokens <= room {
			return short
		}
	}
	return nil
}

// texts are all texts of a draft that a person would read, in order.
func (d *Draft) texts() []string {
	out := []string{d.Task, d.CurrentState, d.Phase}
	for _, x := range d.KeyDecisions {
		out = append(out, x.Decision, x.Reason, x.Constraint)
	}
	for _, x := range d.EliminatedApproaches {
		out = append(out, x.Approach, x.Reason)
	}
	out = append(append(out, d.OpenQuestions...), d.NextSteps...)
	for _, x := range d.ToolResults {
		out = append(out, x.Name, x.Result)
	}
	return append(append(out, d.Constraints...), d.Approvals...)
}

// prose is what of a draft is written in a language.
func (d *Draft) prose() string { return strings.Join(d.texts(), "\n") }
