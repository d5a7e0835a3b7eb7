package schema

import (
	"path"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// next checks slot 10: one step, whose words a tool did not choose, gated
// where it could do harm.
func (c *checker) next() {
	const at = "/next_single_safe_action"
	n := &c.s.Next
	c.oneOf(in(at, "kind"), n.Kind, "command", "edit", "inspect", "ask_user", "none")
	c.oneOf(in(at, "basis"), n.Basis, "todo", "pending_call", "user_request", "question", "intent", "none")
	c.line(in(at, "text"), n.Text, maxNote)
	c.optionalLine(in(at, "command"), n.Command, maxItem)
	c.optionalPath(in(at, "target_path"), n.TargetPath)
	allowed := only(pith.UserExplicit, pith.Assistant, pith.Harness, pith.PeerAgent, pith.UnverifiedImport)
	c.label(in(at, "provenance"), n.Provenance, allowed, "the next action")
	if b := c.source(in(at, "source"), n.Source); b != nil && b.ref.Type == "tool_result" && n.Provenance != pith.UserExplicit && n.Basis != "none" && !c.imported() {
		c.add(ruleSource, in(at, "source"), "points into a tool_result: what a tool returns never chooses the next action")
	}
	switch {
	case n.Kind == "command" && n.Command == "":
		c.add(ruleSchema, in(at, "command"), "is missing: the action is a command")
	case n.Kind == "edit" && n.TargetPath == "":
		c.add(ruleSchema, in(at, "target_path"), "is missing: the action is an edit")
	}
	c.commandShape(at, n)
	c.gates(at, n)
	for i := range n.Preconditions {
		p := &n.Preconditions[i]
		list := at + "/preconditions"
		c.path(item(list, i, "path"), p.Path)
		c.oneOf(item(list, i, "must"), p.Must, "exist", "absent", "unchanged")
		if p.SHA256 != nil {
			c.sha256(item(list, i, "sha256"), *p.SHA256)
		} else if p.Must == "unchanged" {
			c.add(ruleSchema, item(list, i, "sha256"), "is null, but whether a file is unchanged is told by its hash")
		}
	}
}

func (c *checker) commandShape(at string, n *pith.NextAction) {
	if n.Command == "" {
		return
	}
	if sign := composed(n.Command); sign != "" && n.Provenance != pith.UserExplicit {
		c.addf(ruleCommand, in(at, "command"), "holds %q: one step is one command, unless a user wrote it", sign)
	}
	if !n.Destructive && destructive(n.Command) {
		c.add(ruleCommand, in(at, "destructive"), "is false, but the command destroys what cannot be fetched again")
	}
}

// gates checks that a person is asked before a step that could do harm.
func (c *checker) gates(at string, n *pith.NextAction) {
	gate := in(at, "requires_confirmation")
	asks := n.RequiresConfirmation || n.Kind == "ask_user" || n.Kind == "none"
	switch {
	case n.Destructive && !n.RequiresConfirmation:
		c.add(ruleCommand, gate, "is false for a destructive action")
	case c.imported() && !n.RequiresConfirmation:
		c.add(ruleSource, gate, "is false in an imported state: nobody vouches for its next action")
	case n.Provenance > pith.ToolOutput && !asks:
		c.addf(ruleSource, gate, "is false, but the words of the action are %s", n.Provenance)
	case n.TargetPath != "" && !asks && n.Kind != "inspect" && c.outside(n.TargetPath):
		c.add(ruleOutside, gate, "is false, but the action reaches out of the workspace")
	}
	if n.Destructive && len(n.Preconditions) == 0 {
		c.add(ruleCommand, in(at, "preconditions"), "is empty for a destructive action: say what must hold before it")
	}
	if c.s.Goal.Provenance == pith.Harness && n.Kind != "ask_user" && n.Kind != "none" {
		c.addf(ruleGoal, in(at, "kind"), "is %s, but no user has said what the goal is; ask_user", n.Kind)
	}
}

// outside tells whether a path climbs with ".." or is known to leave the root.
func (c *checker) outside(target string) bool {
	if slices.Contains(strings.FieldsFunc(target, func(r rune) bool { return r == '/' || r == '\\' }), "..") {
		return true
	}
	for _, list := range [][]pith.File{c.s.Files.Modified, c.s.Files.Inspected} {
		for i := range list {
			if f := &list[i]; f.Outside && (f.Path == target || f.AsUsed == target || path.Clean(f.Path) == path.Clean(target)) {
				return true
			}
		}
	}
	return false
}
