package schema

import (
	"fmt"
	"slices"

	"github.com/pith-memory/pith"
)

// The longest texts, in characters; contracts/schemas says the same.
const (
	maxGoal    = 1 << 20
	maxCommand = 1 << 16
	maxQuote   = 1 << 16
	maxItem    = 1 << 14
	maxReason  = 8000
	maxNote    = 4000
)

func (c *checker) goal() {
	const at = "/current_goal"
	g := &c.s.Goal
	c.text(in(at, "text"), g.Text, maxGoal)
	c.source(in(at, "source"), g.Source)
	allowed := only(pith.UserExplicit, pith.Harness, pith.PeerAgent, pith.UnverifiedImport)
	c.label(in(at, "provenance"), g.Provenance, allowed, "the goal")
	if want := sha256Hex([]byte(g.Text)); g.SHA256 != want {
		c.addf(ruleGoalHash, in(at, "goal_sha256"), "is not the sha256 of the goal's text, which is %s", want)
	}
	last := g.Source
	for i := range g.Amendments {
		a := &g.Amendments[i]
		list := at + "/amendments"
		c.text(item(list, i, "text"), a.Text, maxGoal)
		c.oneOf(item(list, i, "relation"), a.Relation, "amends", "supersedes")
		c.label(item(list, i, "provenance"), a.Provenance, allowed, "an amendment")
		c.source(item(list, i, "source"), a.Source)
		if a.Shortened != (a.Bytes > 0) {
			c.add(ruleAmend, item(list, i, "bytes"), "is the size of the original where it was shortened, and is left out where it was not")
		}
		if !last.Before(a.Source) && !c.imported() {
			c.addf(ruleAmend, item(list, i, "source"), "%s does not come after %s, the request before it", a.Source, last)
		}
		last = a.Source
	}
	c.oneOf(in("", "work_type"), string(c.s.WorkType), "feature", "bugfix", "refactor", "migration", "investigation", "release", "unspecified")
}

func (c *checker) phase() {
	const at = "/phase_control"
	p := &c.s.Phase
	for _, n := range []struct {
		field string
		n     *int
	}{{"current_phase", p.Current}, {"total_phases", p.Total}} {
		if n.n != nil && (*n.n < 1 || *n.n > 1000) {
			c.addf(ruleSchema, in(at, n.field), "is %d, want 1 to 1000, or null where it is unknown", *n.n)
		}
	}
	if p.Current != nil && p.Total != nil && *p.Current > *p.Total {
		c.addf(ruleSchema, in(at, "current_phase"), "is %d of %d", *p.Current, *p.Total)
	}
	c.optionalLine(in(at, "phase_name"), p.Name, 400)
	c.optionalLine(in(at, "active_owner"), p.Owner, 200)
	c.oneOf(in(at, "status"), p.Status, "not_started", "in_progress", "blocked", "completed", "failed")
	for i, e := range p.ExitCriteria {
		c.text(item(at+"/exit_criteria", i, ""), e, maxNote)
	}
}

func (c *checker) constraints() {
	const at = "/active_constraints"
	allowed := trusted
	if c.imported() {
		allowed |= only(pith.PeerAgent, pith.UnverifiedImport)
	}
	for i := range c.s.Constraints {
		k := &c.s.Constraints[i]
		c.id(item(at, i, "id"), k.ID, pith.IDConstraint)
		c.text(item(at, i, "text"), k.Text, maxItem)
		c.oneOf(item(at, i, "kind"), k.Kind, "prohibition", "requirement", "stack", "security", "process")
		c.oneOf(item(at, i, "polarity"), k.Polarity, "forbid", "require", "limit")
		c.optionalText(item(at, i, "exception"), k.Exception, maxNote)
		c.optionalText(item(at, i, "scope"), k.Scope, maxNote)
		c.optionalPath(item(at, i, "path"), k.Path)
		c.label(item(at, i, "provenance"), k.Provenance, allowed, "a constraint")
		b := c.source(item(at, i, "source"), k.Source)
		c.notFromTool(item(at, i, "source"), b, k.Provenance)
	}
}

// notFromTool checks that trusted words do not come out of a tool: the only trusted
// words that a tool's result can hold are those a user refused or answered with.
func (c *checker) notFromTool(at place, b *blockUse, p pith.Provenance) {
	switch {
	case b == nil || !trusted.has(p):
	case b.ref.Type == "tool_use":
		c.addf(ruleSource, at, "points into a tool_use: what the assistant writes is never %s", p)
	case b.ref.Type == "tool_result" && p == pith.System:
		c.addf(ruleSource, at, "points into a tool_result: what a tool returns is never %s", p)
	}
}

func (c *checker) files() {
	const at = "/files_modified_and_inspected"
	f := &c.s.Files
	if !f.Complete && c.s.Checkpoint.Trigger != pith.ReasonDelegation {
		c.add(ruleModified, in(at, "complete"), "must be true: a state holds every path")
	}
	c.fileList(at+"/modified", f.Modified, ruleModified, pith.FileCreated, pith.FileEdited, pith.FileDeleted, pith.FileRenamed)
	c.fileList(at+"/inspected", f.Inspected, ruleInspect, pith.FileInspected)
}

func (c *checker) fileList(at string, files []pith.File, rule string, ops ...pith.FileOp) {
	seen := make(map[string]bool, len(files))
	for i := range files {
		f := &files[i]
		c.path(item(at, i, "path"), f.Path)
		c.optionalPath(item(at, i, "as_used"), f.AsUsed)
		c.optionalPath(item(at, i, "renamed_from"), f.RenamedFrom)
		c.line(item(at, i, "via"), f.Via, 200)
		c.optionalLine(item(at, i, "agent_id"), f.Agent, 200)
		c.source(item(at, i, "source"), f.Source)
		if !slices.Contains(ops, f.Op) {
			c.addf(rule, item(at, i, "op"), "is %q, want one of %v", f.Op, ops)
		}
		if f.Op == pith.FileRenamed && f.RenamedFrom == "" {
			c.add(rule, item(at, i, "renamed_from"), "is missing: a renamed file has an old name")
		}
		if f.Disk != "" {
			c.oneOf(item(at, i, "disk"), f.Disk, "match", "changed", "absent")
		}
		if seen[f.Path] {
			c.addf(rule, item(at, i, "path"), "%q is listed twice", f.Path)
		}
		seen[f.Path] = true
	}
}

func (c *checker) decisions() {
	const at = "/decisions_and_tradeoffs"
	allowed := only(pith.PolicyFile, pith.UserExplicit, pith.Assistant, pith.ToolOutput, pith.PeerAgent, pith.UnverifiedImport)
	for i := range c.s.Decisions {
		d := &c.s.Decisions[i]
		c.id(item(at, i, "id"), d.ID, pith.IDDecision)
		c.text(item(at, i, "decision"), d.Decision, maxItem)
		c.optionalText(item(at, i, "rationale"), d.Rationale, maxItem)
		c.optionalText(item(at, i, "constraint"), d.Constraint, maxNote)
		c.oneOf(item(at, i, "status"), d.Status, "approved", "rejected", "proposed", "stated")
		c.label(item(at, i, "provenance"), d.Provenance, allowed, "a decision")
		b := c.source(item(at, i, "source"), d.Source)
		c.notFromTool(item(at, i, "source"), b, d.Provenance)
		if d.Status == "approved" && only(pith.ToolOutput, pith.UnverifiedImport).has(d.Provenance) {
			c.addf(ruleSource, item(at, i, "status"), "is approved, but the words are %s: only a user approves", d.Provenance)
		}
		c.drafted(item(at, i, "drafted"), d.Drafted, d.Provenance)
		if d.Drafted && d.Status != "stated" {
			c.addf(ruleSource, item(at, i, "status"), "is %.60q, but a model drafted the item: it is stated, and nothing more", d.Status)
		}
		list := fmt.Sprintf("%s/%d/rejected_alternatives", at, i)
		for j := range d.Rejected {
			c.text(item(list, j, "alternative"), d.Rejected[j].Alternative, maxNote)
			c.optionalText(item(list, j, "reason"), d.Rejected[j].Reason, maxReason)
		}
	}
}

func (c *checker) failed() {
	const at = "/failed_attempts_and_antipatterns"
	allowed := only(pith.UserExplicit, pith.Assistant, pith.ToolOutput, pith.Harness, pith.PeerAgent, pith.UnverifiedImport)
	for i := range c.s.Failed {
		f := &c.s.Failed[i]
		c.id(item(at, i, "id"), f.ID, pith.IDFailed)
		c.text(item(at, i, "attempt"), f.Attempt, maxCommand)
		c.optionalLine(item(at, i, "error_signature"), f.ErrorSignature, 2000)
		c.optionalText(item(at, i, "reason"), f.Reason, maxReason)
		c.optionalLine(item(at, i, "ended_by"), f.EndedBy, 400)
		if f.Occurrences < 1 {
			c.addf(ruleSchema, item(at, i, "occurrences"), "is %d; an attempt was made at least once", f.Occurrences)
		}
		c.label(item(at, i, "provenance"), f.Provenance, allowed, "a failed attempt")
		c.drafted(item(at, i, "drafted"), f.Drafted, f.Provenance)
		c.source(item(at, i, "source"), f.Source)
	}
}

func (c *checker) invariants() {
	const at = "/preserved_invariants"
	allowed := trusted | only(pith.Assistant, pith.ToolOutput, pith.PeerAgent, pith.UnverifiedImport)
	for i := range c.s.Invariants {
		v := &c.s.Invariants[i]
		c.id(item(at, i, "id"), v.ID, pith.IDInvariant)
		c.text(item(at, i, "text"), v.Text, maxItem)
		c.oneOf(item(at, i, "binding"), v.Binding, "binding", "advisory")
		c.label(item(at, i, "provenance"), v.Provenance, allowed, "an invariant")
		b := c.source(item(at, i, "source"), v.Source)
		c.notFromTool(item(at, i, "source"), b, v.Provenance)
		if v.Binding == "binding" && !trusted.has(v.Provenance) {
			c.addf(ruleSource, item(at, i, "binding"), "words of %s do not bind; they are advisory", v.Provenance)
		}
	}
}

// emptySlots checks that a slot is named as empty exactly when it is.
func (c *checker) emptySlots() {
	named := c.s.EmptySlots
	known := make(map[string]bool)
	c.s.EachList(func(slot string, n int) {
		known[slot] = true
		switch attested := slices.Contains(named, slot); {
		case n == 0 && !attested:
			c.add(ruleSchema, in("", slot), "is empty and not named in empty_slots: nobody looked for it")
		case n > 0 && attested:
			c.add(ruleSchema, in("", slot), "is named in empty_slots, but is not empty")
		}
	})
	for i, slot := range named {
		if !known[slot] || slices.Contains(named[:i], slot) {
			c.addf(ruleSchema, item("/empty_slots", i, ""), "%.60q is no slot that can be empty, or is named twice", slot)
		}
	}
}
