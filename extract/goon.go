package extract

import (
	"strconv"

	"github.com/pith-memory/pith"
)

// GoOn seeds an Extractor that has read nothing with what an earlier state of
// the chain holds, for a session of which only the later messages are at hand.
// What those say then supersedes, resolves and amends as if the earlier ones
// had been read: the same rules, one fold. What was closed before is not taken
// along again, so that a chain does not grow without new facts.
func (x *Extractor) GoOn(s *pith.State) {
	s = s.Facts() // what a model drafted is none
	x.turn = s.Checkpoint.CompactedAtTurn
	x.goal.goOn(s)
	x.constraints.goOn(s)
	x.files.goOn(s)
	x.evidence.goOn(s)
	x.failures.goOn(s)
	x.decisions.goOn(s)
	x.phase.goOn(s)
	x.background.goOn(s)
	w := &s.Checkpoint.Workspace
	x.workspace.root, x.workspace.cwd, x.workspace.branch = w.Root, w.CWD, w.Branch
	x.workspace.recorded = w.Root != "" // the first folder stays the root
	x.workspace.worktree, x.workspace.head = w.Worktree, w.Head
	x.questions.user = said{text: s.Goal.Text, origin: s.Goal.Provenance, at: s.Goal.Source}
	if n := len(s.Goal.Amendments); n > 0 {
		a := &s.Goal.Amendments[n-1]
		x.questions.user = said{text: a.Text, origin: a.Provenance, at: a.Source}
	}
	if w := s.Context.LastWords; w != nil {
		x.questions.before = said{text: w.Text, origin: w.Provenance, at: w.Source}
		if w.Source.Before(x.questions.user.at) {
			x.questions.asked = x.questions.before
		}
	}
	x.next = &s.Next
	for i := range s.Context.Todo {
		if x.questions.user.at.Before(s.Context.Todo[i].Source) { // the list is newer than the request
			x.call, x.phase.todo.seq = 1, 1
		}
	}
}

// Behind says that the first message to read is one of the session's own
// thread and has this number, and which branch the client had recorded before:
// what is at hand is the later part of a file.
func (x *Extractor) Behind(first int, branch string) {
	x.first, x.workspace.recordedBranch = first, branch
}

// RecordedBranch is the client's last word on the branch, for Behind.
func (x *Extractor) RecordedBranch() string { return x.workspace.recordedBranch }

// goOn keeps the first request first. A stand-in for one gives way to the
// first words that a user says.
func (g *goalSlot) goOn(s *pith.State) {
	root := said{text: s.Goal.Text, origin: s.Goal.Provenance, at: s.Goal.Source}
	if root.origin == pith.Harness || root.origin == pith.PeerAgent {
		g.standIn = root
	} else {
		g.add(root)
	}
	for i := range s.Goal.Amendments {
		a := &s.Goal.Amendments[i]
		if a.Shortened {
			if g.shortened == nil {
				g.shortened = map[pith.Source]int{}
			}
			g.shortened[a.Source] = a.Bytes
		}
		g.add(said{text: a.Text, origin: a.Provenance, at: a.Source})
	}
	g.summary = s.Context.Summary
	g.told = newestTexts(g.texts)
}

// maxTold is how many of the user's texts a compaction may have kept word for
// word, so that the messages at hand begin with them again.
const maxTold = 8

func newestTexts(texts []said) map[string]bool {
	told := map[string]bool{}
	for _, t := range texts[max(0, len(texts)-maxTold):] {
		told[t.text] = true
	}
	return told
}

func (c *constraintSlot) goOn(s *pith.State) {
	c.list = append(c.list, s.Constraints...)
	c.invariants = append(c.invariants, s.Invariants...)
	c.quarantine.list = append(c.quarantine.list, s.Security.Quarantined...)
	eachRequest(s, func(q *Said) { c.language.add(q.Text) })
	c.seen = map[string]bool{}
	for i := range s.Constraints {
		k := &s.Constraints[i]
		switch {
		case k.Resent && k.Provenance == pith.System:
			c.system++
		case k.Resent:
			c.policy++
		}
		if k.Resent {
			c.seen["resent\x00"+k.Text] = true
			continue
		}
		c.seen[k.Text] = true
	}
	for i := range s.Invariants {
		c.seen[s.Invariants[i].Text] = true
	}
}

// goOn takes the files in their order, the latest touch first.
func (s *fileSlot) goOn(st *pith.State) {
	s.incomplete = !st.Files.Complete
	s.writes = len(st.Files.Modified)
	for i := range st.Files.Modified {
		f := st.Files.Modified[i]
		f.Touches = 1
		s.keep(&fileUse{file: f, modified: true, shown: true, seq: -1 - i})
	}
	for i := range st.Files.Inspected {
		f := st.Files.Inspected[i]
		f.Touches = 1
		if u := s.byPath[f.Path]; u != nil {
			u.read = &f
			continue
		}
		s.keep(&fileUse{file: f, shown: true, read: &f, seq: -1 - i})
	}
}

func (s *fileSlot) keep(u *fileUse) {
	s.byPath[u.file.Path] = u
	s.order = append(s.order, u)
}

// goOn takes the runs that are still the last word on their command.
func (e *evidenceSlot) goOn(s *pith.State) {
	for i := range s.Evidence {
		it := s.Evidence[i]
		if it.SupersededBy != nil || it.ResolvedBy != "" {
			continue
		}
		r := &evidenceRun{item: it, dir: s.Checkpoint.Workspace.CWD, exact: squashSpaces(it.Command), code: it.ExitCode, listed: true, same: sameFailure(it.Signature)}
		r.line, r.verifies = readVerifyLine(it.Command, parseShell(it.Command))
		r.verifies = r.verifies && it.Verifies != ""
		if r.verifies {
			r.key = r.line.key(dirOf(r))
		} else {
			r.key = plainKey(r.dir, r.exact)
		}
		if it.Unresolved() && !r.verifies {
			e.broken[r.key]++
		}
		e.runs = append(e.runs, r)
	}
}

// goOn takes what is open, and what must not be tried again.
func (s *failureSlot) goOn(st *pith.State) {
	if s.byKey == nil {
		s.byKey = map[string]*attempt{}
	}
	for i := range st.Failed {
		it := st.Failed[i]
		if it.EndedBy != "" && !it.DoNotRetry {
			continue
		}
		a := &attempt{item: it}
		s.byKey[it.Attempt+"\x00"+sameFailure(it.ErrorSignature)] = a
		s.attempts = append(s.attempts, a)
	}
}

// goOn takes every decision; a question that waits for its answer waits on.
func (d *decisionSlot) goOn(s *pith.State) {
	d.seen, d.told = map[string]bool{}, map[string]bool{}
	for i := range s.Decisions {
		k := s.Decisions[i]
		if k.Status == "proposed" && i == len(s.Decisions)-1 {
			d.proposal = proposal{text: k.Decision, at: k.Source, asked: true, turn: s.Checkpoint.CompactedAtTurn}
			continue
		}
		d.seen[k.Status+"\x00"+k.Decision] = true
		d.told[k.Status+"\x00"+k.Decision+"\x00"+k.Rationale] = true
		d.list = append(d.list, k)
	}
	if p := s.Context.Plan; p != nil {
		d.plan.path, d.plan.approved, d.plan.at = p.Path, p.Approved, p.Source
	}
}

func (p *phaseSlot) goOn(s *pith.State) {
	eachRequest(s, p.language.said)
	p.done.list = append(p.done.list, s.Context.Done...)
	for i := range s.Context.Todo {
		t := &s.Context.Todo[i]
		p.todo.tasks = append(p.todo.tasks, task{id: strconv.Itoa(i + 1), text: t.Text, status: t.Status, at: t.Source})
	}
	p.todo.byTask = len(p.todo.tasks) > 0
	p.todo.carried = p.todo.byTask
	if n := s.Phase; n.Current != nil {
		p.named = namedPhase{current: *n.Current, name: n.Name}
		if n.Total != nil {
			p.named.total = *n.Total
		}
	}
	p.started = true
}

// eachRequest calls f with every text of the user's that a state holds: what
// language is spoken is told by all of them.
func eachRequest(s *pith.State, f func(*Said)) {
	f(&Said{Text: s.Goal.Text, Origin: s.Goal.Provenance, At: s.Goal.Source})
	for i := range s.Goal.Amendments {
		a := &s.Goal.Amendments[i]
		f(&Said{Text: a.Text, Origin: a.Provenance, At: a.Source})
	}
}
