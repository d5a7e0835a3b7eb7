package extract

import "strings"

// maxSupersededFailures bounds the old failures that are kept of one command.
const maxSupersededFailures = 10

// maxExcerpts bounds the open failures that are shown with their output; older
// ones keep their signature.
const maxExcerpts = 12

func (e *evidenceSlot) facts(f *Facts) {
	runs := e.linked()
	keep := e.kept(runs)
	relink(runs, keep)
	excerpts := 0
	for i := len(runs) - 1; i >= 0; i-- {
		it := &runs[i].item
		if !keep[i] || it.Excerpt == nil {
			continue
		}
		if it.Unresolved() {
			excerpts++
		}
		if it.SupersededBy != nil || failing(it.Status) && it.ResolvedBy != "" || it.Unresolved() && excerpts > maxExcerpts {
			it.Excerpt = nil
		}
	}
	for i := range runs {
		if keep[i] {
			f.Evidence = append(f.Evidence, runs[i].item)
		}
	}
	f.Context.Unverified = e.unverified()
}

// linked copies the runs, joins repeated ones and says which superseded and
// which resolved which.
func (e *evidenceSlot) linked() []evidenceRun {
	runs := make([]evidenceRun, 0, len(e.runs))
	latest := map[string]int{}
	for _, r := range e.runs {
		c := *r
		c.item.SupersededBy, c.item.ResolvedBy = nil, ""
		if i, ok := latest[c.key]; ok && sameOutcome(&runs[i], &c) {
			c.item.Runs = runs[i].item.Runs + 1
			runs[i].exact, runs[i].key = "", ""
		}
		latest[c.key] = len(runs)
		runs = append(runs, c)
	}
	out := runs[:0]
	for i := range runs {
		if runs[i].key != "" {
			out = append(out, runs[i])
		}
	}
	supersede(out)
	resolve(out)
	return out
}

// sameOutcome tells whether a run says just what the one before it said.
func sameOutcome(a, b *evidenceRun) bool {
	x, y := &a.item, &b.item
	if a.exact != b.exact || x.Status != y.Status || a.same != b.same || !sameNumber(x.ExitCode, y.ExitCode) || (x.Counts == nil) != (y.Counts == nil) {
		return false
	}
	return x.Counts == nil || x.Counts.Passed == y.Counts.Passed && x.Counts.Failed == y.Counts.Failed && x.Counts.Skipped == y.Counts.Skipped && x.Counts.Errors == y.Counts.Errors
}

func sameNumber(a, b *int) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// supersede links each run to the next one of its command. A run that says
// nothing does not take the place of one that says something.
func supersede(runs []evidenceRun) {
	verdict, latest := map[string]int{}, map[string]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		r := &runs[i]
		next := verdict
		if r.item.Status == statusUnknown {
			next = latest
		}
		if j, ok := next[r.key]; ok {
			r.item.SupersededBy = &runs[j].item.ID
		}
		latest[r.key] = i
		if r.item.Status != statusUnknown {
			verdict[r.key] = i
		}
	}
}

// maxResolveScan bounds how far a failure looks for the run that ended it.
const maxResolveScan = 400

// resolve finds for each failure the later pass after which nothing of it is open.
func resolve(runs []evidenceRun) {
	next := make([]int, len(runs)+1) // the next pass at or after i
	next[len(runs)] = len(runs)
	for i := len(runs) - 1; i >= 0; i-- {
		next[i] = next[i+1]
		if runs[i].item.Status == statusPass {
			next[i] = i
		}
	}
	for i := range runs {
		if !failing(runs[i].item.Status) {
			continue
		}
		j := next[i+1]
		shown := make([]bool, len(runs[i].line.Verifiers))
		for n := 0; n < maxResolveScan && j < len(runs); n++ {
			if runs[j].key == runs[i].key || runs[i].endsPart(&runs[j], shown) || runs[i].endedStep(&runs[j]) {
				runs[i].item.ResolvedBy = runs[j].item.ID
				break
			}
			j = next[j+1]
		}
	}
}

// kept chooses the runs that stay: what is not superseded, the last run of each
// line as it was written, and the latest failures of every command.
func (e *evidenceSlot) kept(runs []evidenceRun) []bool {
	keep := make([]bool, len(runs))
	exact := map[string]bool{}
	failures := map[string]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		r := &runs[i]
		it := &r.item
		line := plainKey(r.dir, r.exact)
		keep[i] = it.SupersededBy == nil || !exact[line]
		exact[line] = true
		if failing(it.Status) && !keep[i] && failures[r.key] < maxSupersededFailures {
			failures[r.key]++
			keep[i] = true
		}
	}
	return keep
}

// relink keeps the passes that ended a failure which stays, and lets a run whose
// successor is left out name the one after it: what is left out is named nowhere.
func relink(runs []evidenceRun, keep []bool) {
	at := make(map[string]int, len(runs))
	for i := range runs {
		at[runs[i].item.ID] = i
	}
	for i := range runs {
		if j, ok := at[runs[i].item.ResolvedBy]; ok && keep[i] {
			keep[j] = true
		}
	}
	for i := len(runs) - 1; i >= 0; i-- {
		by := runs[i].item.SupersededBy
		if by == nil || !keep[i] {
			continue
		}
		for j, ok := at[*by]; ok && !keep[j] && runs[j].item.SupersededBy != nil; j, ok = at[*by] {
			by = runs[j].item.SupersededBy
		}
		runs[i].item.SupersededBy = by
	}
}

// squashSpaces writes a line with single spaces.
func squashSpaces(s string) string {
	if strings.IndexByte(s, '\n') < 0 && !strings.Contains(s, "  ") && strings.IndexByte(s, '\t') < 0 {
		return strings.TrimSpace(s)
	}
	return strings.Join(strings.Fields(s), " ")
}

// maxCommand bounds a command that is shown: scripts of many lines stay in the
// transcript.
const maxCommand = 4000

// shownCommand is the command word for word; a very long one ends where one of
// its lines ends.
func shownCommand(command string) string {
	command = strings.TrimSpace(command)
	if len(command) <= maxCommand {
		return strings.Clone(command)
	}
	cut := command[:maxCommand]
	if i := strings.LastIndexByte(cut, '\n'); i > 0 {
		return strings.Clone(cut[:i])
	}
	return shorten(command, maxCommand)
}
