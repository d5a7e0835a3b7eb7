package measure

import (
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
)

// RetainState holds atoms against the fields of a state. Each kind is looked
// up in the fields that are there for it: a path in the files, a rule in what
// is marked as the user's words, a name in all that the state quotes.
func RetainState(atoms []Atom, s *pith.State) ([]Retained, []Lost) {
	if s == nil {
		s = &pith.State{}
	}
	return retain(atoms, newFields(s))
}

// fields holds atoms against a state.
type fields struct {
	s        *pith.State
	modified map[string]*pith.File
	files    map[string]bool
	// words are the user's, all is everything that the state quotes or names.
	words, all *reader
}

func newFields(s *pith.State) *fields {
	f := &fields{s: s, modified: map[string]*pith.File{}, files: map[string]bool{}}
	root := s.Checkpoint.Workspace.Root
	for i := range s.Files.Modified {
		m := &s.Files.Modified[i]
		f.modified[m.Path] = m
		f.files[m.RenamedFrom] = true
	}
	for _, list := range [][]pith.File{s.Files.Modified, s.Files.Inspected} {
		for i := range list {
			f.files[list[i].Path] = true
		}
	}
	f.words = newReader(userWords(s), root)
	f.all = newReader(statements(s), root)
	return f
}

func (f *fields) hold(a *Atom) verdict {
	switch a.Kind {
	case KindModified:
		return f.written(a)
	case KindInspected:
		if f.files[a.Text] {
			return full
		}
	case KindRun:
		return f.run(a)
	case KindTodo:
		return f.todo(a)
	case KindRule, KindRequest:
		return f.words.hold(a)
	}
	return f.all.hold(a)
}

// written wants the path among the files that were written, gone where it is.
func (f *fields) written(a *Atom) verdict {
	file := f.modified[a.Text]
	switch {
	case file == nil && a.Status == opDeleted && f.files[a.Text]:
		return full // told as the former name of another file
	case file == nil && f.files[a.Text]:
		return half
	case file == nil:
		return min(f.all.hold(a), half)
	case (file.Op == pith.FileDeleted) != (a.Status == opDeleted):
		return stale
	}
	return full
}

// run wants evidence with the command, its last exit code and its counts.
func (f *fields) run(a *Atom) verdict {
	v := lost
	for i := range f.s.Evidence {
		e := &f.s.Evidence[i]
		c := squash(e.Command)
		if plainCommand(c) != plainCommand(a.Text) {
			if short := appendShortened(nil, c, 0); len(short) == 0 || !short[0].of(a.Text) {
				continue
			}
		}
		got := claimsOf(e)
		if got.state(a.Exit, a.Counts, a.packages) {
			return full
		}
		for _, was := range a.Was {
			if before := claimsIn(was); got.state(first(before.exits), before.counts, nil) && (len(before.exits) > 0 || len(before.counts) > 0) {
				v = stale
			}
		}
	}
	return v
}

func first(n []int) *int {
	if len(n) == 0 {
		return nil
	}
	return &n[0]
}

// claimsOf are what evidence says of how its command ended.
func claimsOf(e *pith.Evidence) claims {
	c := claims{passes: e.Status == "pass", fails: e.Status == "fail" || e.Status == "error"}
	if e.ExitCode != nil {
		c.exits = []int{*e.ExitCode}
	}
	if n := e.Counts; n != nil {
		passed, failed := " passed", " failed"
		if n.Unit != "" && n.Unit != "shown" && !strings.Contains(n.Unit, "packages") && !strings.Contains(n.Unit, "tests") {
			passed, failed = " "+problems, " "+problems
		}
		for _, v := range []struct {
			n    int
			unit string
		}{{n.Passed, passed}, {n.Failed, failed}, {n.Skipped, " skipped"}} {
			c.counts = append(c.counts, strconv.Itoa(v.n)+v.unit)
		}
	}
	return c
}

func (f *fields) todo(a *Atom) verdict {
	v := lost
	for i := range f.s.Context.Todo {
		t := &f.s.Context.Todo[i]
		if text := squash(t.Text); text != a.Text && f1(tokens(text), tokens(a.Text)) < 0.9 {
			continue
		}
		switch s := plainStatus(t.Status); {
		case s == a.Status:
			return full
		case t.Status == "":
			v = max(v, half)
		default:
			for _, was := range a.Was {
				if was == s {
					v = max(v, stale)
				}
			}
		}
	}
	return v
}

// userWords is everything in the state that holds the user's words.
func userWords(s *pith.State) string {
	var b strings.Builder
	b.WriteString(s.Goal.Text)
	for i := range s.Goal.Amendments {
		b.WriteString("\n" + s.Goal.Amendments[i].Text)
	}
	for i := range s.Constraints {
		b.WriteString("\n" + s.Constraints[i].Text)
	}
	for i := range s.Invariants {
		b.WriteString("\n" + s.Invariants[i].Text)
	}
	return b.String()
}

// statements is all that a state quotes or names, one to a line.
func statements(s *pith.State) string {
	var b strings.Builder
	say := func(parts ...string) {
		for _, p := range parts {
			b.WriteString(p)
			b.WriteByte(' ')
		}
		b.WriteByte('\n')
	}
	say(userWords(s))
	for i := range s.Decisions {
		d := &s.Decisions[i]
		say(d.Decision)
		say(d.Rationale, d.Constraint)
		for _, r := range d.Rejected {
			say(r.Alternative, r.Reason)
		}
	}
	sayRuns(s, say)
	for _, f := range s.Files.Modified {
		say(f.Path)
	}
	for _, f := range s.Files.Inspected {
		say(f.Path)
	}
	sayContext(s, say)
	for _, list := range [][]pith.Identifier{s.Identifiers.Tests, s.Identifiers.Symbols, s.Identifiers.Commits, s.Identifiers.Refs, s.Identifiers.Paths} {
		for i := range list {
			say(list[i].Name, list[i].Note)
		}
	}
	w := &s.Checkpoint.Workspace
	say(w.Root, w.CWD, w.Worktree, w.Branch, w.Head)
	return b.String()
}

func sayRuns(s *pith.State, say func(...string)) {
	for i := range s.Evidence {
		e := &s.Evidence[i]
		say(e.Command)
		if e.Signature != "" {
			say("failed:", e.Signature)
		}
		if x := e.Excerpt; x != nil {
			for _, line := range append(x.Head[:len(x.Head):len(x.Head)], x.Tail...) {
				say(line)
			}
		}
	}
	for i := range s.Failed {
		say("failed:", s.Failed[i].Attempt)
		say("failed:", s.Failed[i].ErrorSignature)
		say(s.Failed[i].Reason)
	}
}

func sayContext(s *pith.State, say func(...string)) {
	c := &s.Context
	for i := range c.Todo {
		say(c.Todo[i].Text)
	}
	for i := range c.PendingCalls {
		say(c.PendingCalls[i].Text)
	}
	for _, list := range [][]pith.Quote{c.OpenQuestions, c.Environment, c.URLs, c.Done, c.Unverified} {
		for i := range list {
			say(list[i].Text)
		}
	}
	for i := range c.Pins {
		say(c.Pins[i].Text)
	}
	if c.LastWords != nil {
		say(c.LastWords.Text)
	}
	for i := range c.KeyLines {
		say(c.KeyLines[i].Path)
		for _, line := range c.KeyLines[i].Lines {
			say(line)
		}
	}
	say(s.Next.Text)
	say(s.Next.Command, s.Next.TargetPath)
}
