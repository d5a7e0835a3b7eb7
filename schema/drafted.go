package schema

import (
	"strings"

	"github.com/pith-memory/pith"
)

// drafted checks the mark of an item that a model drafted: there is a model
// that did, and it never speaks for anybody who is trusted more than itself.
func (c *checker) drafted(at place, marked bool, p pith.Provenance) {
	if !marked {
		return
	}
	if c.s.Checkpoint.FactsOnly && !c.imported() {
		c.add(ruleSource, at, "is set in a state that no model drafted a part of")
	}
	if p < pith.Assistant {
		c.addf(ruleSource, at, "is set, but the words are %s: a draft is of the assistant's trust at most", p)
	}
}

func (c *checker) extensions() {
	const at = "/extensions"
	x := c.s.Extensions
	if x == nil {
		return
	}
	c.optionalText(in(at, "progress_note"), x.ProgressNote, maxItem)
	c.optionalText(in(at, "task_restatement"), x.TaskRestatement, maxItem)
	for i, question := range x.OpenQuestions {
		c.text(item(at+"/open_questions", i, ""), question, maxNote)
	}
	for i, step := range x.RemainingSteps {
		c.text(item(at+"/remaining_steps", i, ""), step, maxNote)
	}
	for i, slot := range x.DraftedSlots {
		c.oneOf(item(at+"/drafted_slots", i, ""), slot, "work_type", "phase_name")
	}
	for i := range x.Support {
		u := &x.Support[i]
		c.id(item(at+"/support", i, "id"), u.ID, pith.IDDrafted)
		c.source(item(at+"/support", i, "source"), u.Source)
		c.drafted(item(at+"/support", i, "provenance"), true, u.Provenance)
	}
	found := len(c.problems)
	for key, value := range x.ToolResults {
		p := in(pointer("extensions", "tool_results", key), "")
		if strings.HasPrefix(key, reservedPrefix) {
			c.add(ruleSchema, p, "begins with "+reservedPrefix+", which is reserved for the state itself")
		}
		c.line(p, key, 200)
		c.optionalText(p, value, maxItem)
	}
	sortProblems(c.problems[found:])
}
