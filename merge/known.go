package merge

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
)

// facts reads what a state itself holds as a part of the transcript: what code
// found out, and what was said before the messages at hand. Each text supports
// a statement with its own source, where no message does better.
func (c *Claims) facts(s *pith.State) {
	say := func(at pith.Source, origin pith.Provenance, texts ...string) {
		text := strings.Join(texts, "\n")
		if strings.TrimSpace(text) == "" {
			return
		}
		c.scan(&part{text: text, at: at, origin: origin, trusted: origin <= pith.UserExplicit, fact: true})
	}
	say(s.Goal.Source, s.Goal.Provenance, s.Goal.Text)
	for i := range s.Goal.Amendments {
		a := &s.Goal.Amendments[i]
		say(a.Source, a.Provenance, a.Text)
	}
	for i := range s.Constraints {
		k := &s.Constraints[i]
		say(k.Source, k.Provenance, k.Text)
	}
	for i := range s.Invariants {
		k := &s.Invariants[i]
		say(k.Source, k.Provenance, k.Text)
	}
	for i := range s.Decisions {
		d := &s.Decisions[i]
		say(d.Source, d.Provenance, d.Decision, d.Rationale)
	}
	for i := range s.Failed {
		f := &s.Failed[i]
		say(f.Source, f.Provenance, f.Attempt, f.ErrorSignature, f.Reason, strconv.Itoa(f.Occurrences)+" times", f.EndedBy)
	}
	for i := range s.Evidence {
		e := &s.Evidence[i]
		say(e.Source, e.Provenance, outcomeText(e))
	}
	for _, files := range [][]pith.File{s.Files.Modified, s.Files.Inspected} {
		for i := range files {
			say(files[i].Source, pith.Harness, files[i].Path, files[i].AsUsed)
		}
	}
	c.earlier(s, say)
	w := &s.Checkpoint.Workspace
	say(s.Goal.Source, pith.Harness, w.Root, w.CWD, w.Worktree, w.Branch, w.Head,
		strconv.Itoa(len(s.Files.Modified))+" files, "+strconv.Itoa(s.Checkpoint.CompactedAtTurn)+" turns")
}

// earlier reads what else was said, or drafted and checked, before.
func (c *Claims) earlier(s *pith.State, say func(pith.Source, pith.Provenance, ...string)) {
	x := &s.Context
	for _, quotes := range [][]pith.Quote{x.OpenQuestions, x.Done, x.Unverified, x.URLs} {
		for i := range quotes {
			say(quotes[i].Source, quotes[i].Provenance, quotes[i].Text)
		}
	}
	for i := range x.Todo {
		say(x.Todo[i].Source, pith.Assistant, x.Todo[i].Text)
	}
	if x.LastWords != nil {
		say(x.LastWords.Source, x.LastWords.Provenance, x.LastWords.Text)
	}
	e := s.Extensions
	if e == nil {
		return
	}
	drafted := append([]string{e.ProgressNote, e.TaskRestatement}, e.OpenQuestions...)
	drafted = append(drafted, e.RemainingSteps...)
	for _, name := range slices.Sorted(maps.Keys(e.ToolResults)) {
		drafted = append(drafted, pith.ToolResultText(name, e.ToolResults[name]))
	}
	for _, text := range drafted {
		if u := e.SupportOf(text); u != nil {
			say(u.Source, u.Provenance, text)
		}
	}
}

// outcomeText says in words what a run showed.
func outcomeText(e *pith.Evidence) string {
	var b strings.Builder
	b.WriteString(e.Command + "\n" + e.Status + "\n" + e.Signature)
	count := func(n int, what string) { b.WriteString("\n" + strconv.Itoa(n) + " " + what) }
	if e.ExitCode != nil {
		b.WriteString("\nexit code " + strconv.Itoa(*e.ExitCode))
	}
	if n := e.Counts; n != nil {
		count(n.Passed, "passed")
		count(n.Failed, "failed")
		count(n.Errors, "errors")
		count(n.Skipped, "skipped")
		count(n.Passed+n.Failed+n.Errors+n.Skipped, "tests")
		if n.Total != nil {
			count(*n.Total, "tests")
		}
	}
	count(e.Runs, "times")
	return b.String()
}

// underRoots accepts a file by its name alone where the draft puts it right
// into a folder that the work takes place in.
func (c *Claims) underRoots(w *pith.Workspace) {
	for i := range c.items {
		for k := range c.items[i].claims {
			cl := &c.items[i].claims[k]
			if cl.met || cl.bare < 0 || c.index.needles[cl.bare].last == 0 {
				continue
			}
			for _, root := range [...]string{w.Root, w.CWD, w.Worktree} {
				cl.met = cl.met || root != "" && strings.TrimRight(root, `/\`) == cl.folder
			}
		}
	}
}
