package measure

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
)

// Retention says how much of what the transcript holds is in the state, and
// how much of what the state says is in the transcript.
type Retention struct {
	Modified    Share `json:"modified_paths"`
	Inspected   Share `json:"inspected_paths"`
	Failing     Share `json:"failing_commands"`
	Verified    Share `json:"last_verifications"`
	Constraints Share `json:"constraint_sentences"`
	Precision   Share `json:"precision"`
}

// Add joins the figures of two cuts.
func (r *Retention) Add(t Retention) {
	r.Modified.Add(t.Modified)
	r.Inspected.Add(t.Inspected)
	r.Failing.Add(t.Failing)
	r.Verified.Add(t.Verified)
	r.Constraints.Add(t.Constraints)
	r.Precision.Add(t.Precision)
}

// Score compares a state with what the observer read up to the same cut.
func (o *Observer) Score(s *pith.State) Retention {
	var r Retention
	o.scorePaths(s, &r)
	o.scoreRuns(s, &r)
	said := squash(userWords(s))
	for _, rule := range o.rules.list {
		r.Constraints.count(strings.Contains(said, rule), rule)
	}
	o.precision(s, &r.Precision)
	return r
}

func (o *Observer) scorePaths(s *pith.State, r *Retention) {
	modified, inspected := map[string]bool{}, map[string]bool{}
	for _, f := range s.Files.Modified {
		modified[f.Path] = true
	}
	for _, f := range s.Files.Inspected {
		inspected[f.Path] = true
	}
	for _, p := range o.modified.list {
		r.Modified.count(modified[p], p)
	}
	for _, p := range o.read.list {
		r.Inspected.count(inspected[p], p)
	}
}

// scoreRuns looks for every failing command with its code, and for the last
// run of every verification command with its code and counts.
func (o *Observer) scoreRuns(s *pith.State, r *Retention) {
	last := map[string]int{}
	failing := map[string]bool{}
	for i, x := range o.runs {
		if x.verify {
			last[x.command] = i
		}
	}
	for i, x := range o.runs {
		if x.exit != nil && *x.exit != 0 {
			key := x.command + " -> " + strconv.Itoa(*x.exit)
			if !failing[key] {
				failing[key] = true
				r.Failing.count(statesRun(s, x), key)
			}
		}
		if x.verify && last[x.command] == i && (x.exit != nil || len(x.counts) > 0) {
			r.Verified.count(statesRun(s, x) && statesCounts(s, x), x.command+" "+strings.Join(x.counts, " "))
		}
	}
}

func statesRun(s *pith.State, x run) bool {
	for i := range s.Evidence {
		e := &s.Evidence[i]
		if squash(e.Command) != x.command {
			continue
		}
		if statesExit(e, x) {
			return true
		}
	}
	return false
}

// statesExit tells whether the evidence has the run's exit code. A client that
// reports failures only leaves it to the verdict that a verification passed.
func statesExit(e *pith.Evidence, x run) bool {
	switch {
	case x.exit == nil:
		return true
	case e.ExitCode == nil:
		return x.verify && *x.exit == 0
	}
	return *e.ExitCode == *x.exit
}

func statesCounts(s *pith.State, x run) bool {
	if len(x.counts) == 0 {
		return true
	}
	for i := range s.Evidence {
		e := &s.Evidence[i]
		if squash(e.Command) != x.command || e.Counts == nil {
			continue
		}
		n := map[string]int{"passed": e.Counts.Passed, "failed": e.Counts.Failed, "skipped": e.Counts.Skipped}
		all := true
		for _, c := range x.counts {
			value, unit, _ := strings.Cut(c, " ")
			all = all && strconv.Itoa(n[unit]) == value
		}
		if all {
			return true
		}
	}
	return false
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

// precision counts stated paths, commands and exit codes that do occur.
func (o *Observer) precision(s *pith.State, p *Share) {
	for _, list := range [][]pith.File{s.Files.Modified, s.Files.Inspected} {
		for _, f := range list {
			used := f.AsUsed
			if used == "" {
				used = f.Path
			}
			p.count(o.Seen(used), used)
		}
	}
	commands := map[string][]int{}
	for _, x := range o.runs {
		codes := commands[x.command]
		if x.exit != nil {
			codes = append(codes, *x.exit)
		}
		commands[x.command] = codes
	}
	for i := range s.Evidence {
		e := &s.Evidence[i]
		codes, known := commands[squash(e.Command)]
		p.count(known || o.Seen(e.Command), e.Command)
		if e.ExitCode == nil || !known || len(codes) == 0 {
			continue
		}
		p.count(slices.Contains(codes, *e.ExitCode), e.Command+" exit "+strconv.Itoa(*e.ExitCode))
	}
}
