package schema

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pith-memory/pith"
)

// claim files every statement of the state under the block that it points to.
func (t *transcriptChecker) claim() {
	t.claims = make(map[blockAt][]claim, len(t.blocks))
	t.claimGoal()
	t.claimItems()
	t.claimFiles()
	t.claimEvidence()
	t.claimContext()
	t.claimIdentifiers()
}

func (t *transcriptChecker) on(s pith.Source, c claim) {
	at := blockAt{s.Message, s.Block}
	t.claims[at] = append(t.claims[at], c)
}

// labelled claims that a block gives its words this label.
func (t *transcriptChecker) labelled(at place, s pith.Source, p pith.Provenance) {
	t.on(s, claim{ruleSource, at, &t.done.Labels, func(w witness) string {
		return w.raised(s, p)
	}})
}

// raised says that words are labelled as more than they are, "" where they are
// not: a user's answer that a tool returned is the user's.
func (w witness) raised(s pith.Source, p pith.Provenance) string {
	got := w.origin(s)
	if p >= got || p == pith.UserExplicit && w.answer {
		return ""
	}
	return fmt.Sprintf("is %s, but the words at %s are %s", p, s, got)
}

// origin is the label of a part of a block: the lowest of the voices in it.
func (w witness) origin(s pith.Source) pith.Provenance {
	start, end := s.Start, s.End
	if w.b.Text == "" && end == 0 {
		return w.b.Origin // a result without output
	}
	if end == 0 {
		end = len(w.b.Text)
	}
	lowest, found := pith.System, false
	for _, v := range w.b.Voices() {
		origin := v.Origin
		if w.m.Agent != "" && origin == pith.UserExplicit {
			origin = pith.PeerAgent // a sub-agent's task is written by another agent
		}
		if v.Start < end && start < v.End {
			lowest, found = pith.Lowest(lowest, origin), true
		}
	}
	if !found {
		return pith.UnverifiedImport // nobody says anything there
	}
	return lowest
}

// quoted claims that a text stands in a block, at its span where it has one.
func (t *transcriptChecker) quoted(rule string, at place, s pith.Source, text string, shortened bool) {
	t.on(s, claim{rule, at, &t.done.Quotes, func(w witness) string {
		switch {
		case s.End > len(w.b.Text), s.Start < 0, s.End > 0 && s.Start > s.End:
			return fmt.Sprintf("%s is no part of the block, which has %d bytes", s, len(w.b.Text))
		case s.End > 0 && w.b.Text[s.Start:s.End] == text,
			s.End == 0 && holds(w.b.Text, text),
			shortened && holdsEnds(part(w.b.Text, s), text):
			return ""
		}
		return fmt.Sprintf("does not stand at %s: not the words of the session", s)
	}})
}

func part(text string, s pith.Source) string {
	if s.End == 0 {
		return text
	}
	return text[s.Start:s.End]
}

// holds finds a text in a block, as it is or as a JSON string writes it: the
// input of a tool use that is no string stands in the block as raw JSON.
func holds(block, text string) bool {
	if strings.Contains(block, text) {
		return true
	}
	quoted, err := jsontext.AppendQuote(nil, text)
	return err == nil && len(quoted) > 2 && strings.Contains(block, string(quoted[1:len(quoted)-1]))
}

// holdsEnds finds the first and the last line of a text that was shortened in
// the middle.
func holdsEnds(block, text string) bool {
	text = strings.TrimSpace(text)
	first, _, _ := strings.Cut(text, "\n")
	last := text[strings.LastIndexByte(text, '\n')+1:]
	return holdsCut(block, first) && holdsCut(block, last)
}

// holdsCut finds a line that may have been cut: what an ellipsis separates is
// found part by part.
func holdsCut(block, line string) bool {
	for p := range strings.SplitSeq(line, "…") {
		if p = strings.Trim(p, " []"); !holds(block, p) {
			return false
		}
	}
	return true
}

func (t *transcriptChecker) claimGoal() {
	const at = "/current_goal"
	g := &t.s.Goal
	t.labelled(in(at, "provenance"), g.Source, g.Provenance)
	// Where nobody asked for anything, the goal says so in words of pith's own.
	if g.Provenance != pith.Harness || g.Source.End > 0 {
		t.quoted(ruleGoal, in(at, "text"), g.Source, g.Text, false)
	}
	for i := range g.Amendments {
		a := &g.Amendments[i]
		t.labelled(item(at+"/amendments", i, "provenance"), a.Source, a.Provenance)
		t.quoted(ruleAmend, item(at+"/amendments", i, "text"), a.Source, a.Text, a.Shortened)
	}
}

func (t *transcriptChecker) claimItems() {
	for i := range t.s.Constraints {
		c := &t.s.Constraints[i]
		t.labelled(item("/active_constraints", i, "provenance"), c.Source, c.Provenance)
		t.quoted(ruleQuote, item("/active_constraints", i, "text"), c.Source, c.Text, false)
	}
	for i := range t.s.Decisions {
		d := &t.s.Decisions[i]
		t.labelled(item("/decisions_and_tradeoffs", i, "provenance"), d.Source, d.Provenance)
	}
	for i := range t.s.Failed {
		f := &t.s.Failed[i]
		t.reported(item("/failed_attempts_and_antipatterns", i, "provenance"), f.Source, f.Provenance)
	}
	for i := range t.s.Invariants {
		v := &t.s.Invariants[i]
		t.labelled(item("/preserved_invariants", i, "provenance"), v.Source, v.Provenance)
		t.quoted(ruleQuote, item("/preserved_invariants", i, "text"), v.Source, v.Text, false)
	}
	n := &t.s.Next
	t.labelled(in("/next_single_safe_action", "provenance"), n.Source, n.Provenance)
	if x := t.s.Extensions; x != nil {
		for i := range x.Support {
			t.labelled(item("/extensions/support", i, "provenance"), x.Support[i].Source, x.Support[i].Provenance)
		}
	}
	for i := range t.s.Security.Quarantined {
		q := &t.s.Security.Quarantined[i]
		t.labelled(item("/security/quarantined", i, "provenance"), q.Source, q.Provenance)
	}
}

// reported is labelled for outcomes: output that the client relayed in a user
// message is still output.
func (t *transcriptChecker) reported(at place, s pith.Source, p pith.Provenance) {
	t.on(s, claim{ruleSource, at, &t.done.Labels, func(w witness) string {
		if p == pith.ToolOutput && w.origin(s) == pith.Harness {
			return ""
		}
		return w.raised(s, p)
	}})
}

func (t *transcriptChecker) claimFiles() {
	const at = "/files_modified_and_inspected"
	for _, l := range []struct {
		at, rule string
		files    []pith.File
	}{{at + "/modified", ruleModified, t.s.Files.Modified}, {at + "/inspected", ruleInspect, t.s.Files.Inspected}} {
		for i := range l.files {
			f := &l.files[i]
			t.on(f.Source, claim{l.rule, item(l.at, i, "path"), &t.done.Paths, func(w witness) string {
				if f.AsUsed != "" && holds(w.b.Text, f.AsUsed) || holds(w.b.Text, baseName(f.Path)) || namesFolder(w.b.Text, f.Path) {
					return ""
				}
				return fmt.Sprintf("%q does not occur at %s", f.Path, f.Source)
			}})
		}
	}
}

// baseName is the last part of a path, with the separators of any system.
func baseName(path string) string {
	path = strings.TrimRight(path, `/\`)
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// namesFolder tells whether a block names a folder that a path lies in: whoever
// moves or removes a folder touches the files in it without their names.
func namesFolder(block, path string) bool {
	for {
		cut := strings.LastIndexAny(path, `/\`)
		if cut <= 0 {
			return false
		}
		path = path[:cut]
		name := path[strings.LastIndexAny(path, `/\`)+1:]
		for rest := block; name != ""; {
			i := strings.Index(rest, name)
			if i < 0 {
				break
			}
			before, after := rest[:i], strings.TrimPrefix(rest[i+len(name):], "/")
			if endsWord(before) && (after == "" || strings.ContainsAny(after[:1], " \t\n'\";&|)")) {
				return true
			}
			rest = rest[i+len(name):]
		}
	}
}

func endsWord(before string) bool {
	return before == "" || strings.ContainsAny(before[len(before)-1:], "/\\ \t\n'\"")
}

func (t *transcriptChecker) claimEvidence() {
	const at = "/verification_and_evidence"
	for i := range t.s.Evidence {
		e := &t.s.Evidence[i]
		t.reported(item(at, i, "provenance"), e.Source, e.Provenance)
		o := newOutcome(e)
		t.on(e.Source, claim{ruleEvidence, item(at, i, ""), &t.done.Outcomes, func(w witness) string {
			delete(t.running, o)
			o.read(w.b.Text)
			return o.fits(w.b)
		}})
		if e.CallSource == nil {
			continue
		}
		t.on(*e.CallSource, claim{ruleEvidence, item(at, i, "command"), &t.done.Commands, func(w witness) string {
			t.running[o] = true
			if holds(w.b.Text, e.Command) {
				return ""
			}
			return fmt.Sprintf("does not stand in the call at %s", e.CallSource)
		}})
	}
}

func (t *transcriptChecker) claimContext() {
	const at = "/context"
	x := &t.s.Context
	for _, l := range quoteLists(x) {
		for i := range l.items {
			q := &l.items[i]
			t.labelled(item(l.at, i, "provenance"), q.Source, q.Provenance)
			t.quoted(ruleQuote, item(l.at, i, "text"), q.Source, q.Text, true)
		}
	}
	if q := x.LastWords; q != nil {
		t.labelled(in(at, "last_words"), q.Source, q.Provenance)
		t.quoted(ruleQuote, in(at, "last_words"), q.Source, q.Text, true)
	}
	for i := range x.Todo {
		t.todo = append(t.todo, i)
	}
	for i := range x.KeyLines {
		k := &x.KeyLines[i]
		t.on(k.Source, claim{ruleQuote, item(at+"/key_lines", i, "lines"), &t.done.Quotes, func(w witness) string {
			for _, line := range k.Lines {
				if !holdsCut(w.b.Text, line) {
					return fmt.Sprintf("%q does not stand at %s", clip(line, 80), k.Source)
				}
			}
			return ""
		}})
	}
}

func (t *transcriptChecker) claimIdentifiers() {
	for _, l := range identifierLists(&t.s.Identifiers) {
		for i := range l.items {
			id := &l.items[i]
			t.on(id.Source, claim{ruleSource, item(l.at, i, "0"), &t.done.Identifiers, func(w witness) string {
				if holds(w.b.Text, id.Name) {
					return ""
				}
				return fmt.Sprintf("%q does not occur at %s", clip(id.Name, 80), id.Source)
			}})
		}
	}
}
