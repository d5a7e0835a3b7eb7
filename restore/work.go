package restore

import (
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/truncate"
)

// modified lists every file that was written, one full path on each line.
func (r *renderer) modified() section {
	s := newSection(secModified)
	for i := range r.state.Files.Modified {
		f := &r.state.Files.Modified[i]
		op, stale, agent, git := "", "", "", ""
		if f.Op != pith.FileEdited {
			op = string(f.Op)
		}
		if f.RenamedFrom != "" {
			op += " from " + oneLine(f.RenamedFrom)
		}
		if f.Stale || f.Disk == "changed" || f.Disk == "absent" {
			stale = "*"
		}
		switch f.Agent {
		case "":
		case pith.AbandonedBranch:
			agent = "on a branch that was left"
		default:
			agent = "by sub-agent"
		}
		if f.Via == "git" {
			git = "per git"
		}
		s.must(quote(f.Path) + note(stale, onDisk(f), op, git, agent)).from(f.Source)
	}
	return s
}

const (
	// longCommand is where a command is shortened, in bytes.
	longCommand = 320
	longLine    = 240
	// excerptLines is how many lines of an unresolved failure's output follow it.
	excerptLines = 8
)

// failures are the commands whose last run failed; never dropped. The
// excerpts of their output are, oldest first.
func (r *renderer) failures() section {
	s := newSection(secFailures)
	all := r.state.Evidence
	for i := range all {
		e := &all[i]
		if !e.Unresolved() {
			continue
		}
		s.must(evidenceLine(e)).evidence(e)
		if lines := excerpt(e); lines != "" {
			s.add(len(all)-i, lines).evidence(e)
		}
	}
	return s
}

// verified are the last runs of what verifies and did not fail, newest first in value.
func (r *renderer) verified() section {
	s := newSection(secVerified)
	all := r.state.Evidence
	for i := range all {
		e := &all[i]
		if e.Unresolved() || e.SupersededBy != nil || e.Verifies == "" || e.ResolvedBy != "" {
			continue
		}
		s.add(len(all)-i, evidenceLine(e)).evidence(e)
	}
	return s
}

// resolved are failures that a later run ended, runs that a later one replaced,
// and commands whose exit code only answered a question; failures come first.
func (r *renderer) resolved() section {
	s := newSection(secResolved)
	all := r.state.Evidence
	for i := range all {
		e := &all[i]
		ended := e.SupersededBy != nil || e.ResolvedBy != ""
		if e.Unresolved() || !ended && e.Verifies != "" {
			continue
		}
		rank := len(all) - i
		if e.Status == "pass" {
			rank += len(all)
		}
		s.add(rank, evidenceLine(e)).evidence(e)
	}
	return s
}

// evidenceLine is a command with what it proved, all of it as the tool said it.
func evidenceLine(e *pith.Evidence) string {
	var b strings.Builder
	b.WriteString("- `" + oneLine(truncate.Text(e.Command, longCommand)) + "`")
	if len(e.Command) > longCommand {
		b.WriteString(mark(callOf(e)))
	}
	if e.ExitCode != nil {
		b.WriteString(" exit " + itoa(*e.ExitCode))
		if e.Masked {
			b.WriteString(" (masked)")
		}
	} else {
		b.WriteString(" exit unknown")
	}
	if e.Status != "" && (e.ExitCode == nil || (*e.ExitCode == 0) != (e.Status == "pass")) {
		b.WriteString(", " + e.Status)
	}
	if e.Counts != nil {
		b.WriteString(", " + countsText(e.Counts))
	}
	if e.Runs > 1 {
		b.WriteString(", run " + itoa(e.Runs) + " times")
	}
	if e.Signature != "" {
		b.WriteString(": " + oneLine(cut(e.Signature, longLine, e.Source)))
	}
	return b.String()
}

func countsText(c *pith.Counts) string {
	if c.Passed == 0 && c.Skipped == 0 && (c.Unit == "issues" || c.Unit == "problems") {
		n, unit := c.Failed+c.Errors, c.Unit // of a linter, which counts nothing that passes
		if n == 1 {
			unit = strings.TrimSuffix(unit, "s")
		}
		return itoa(n) + " " + unit
	}
	t := itoa(c.Passed) + " passed, " + itoa(c.Failed) + " failed"
	if c.Errors > 0 {
		t += ", " + itoa(c.Errors) + " errors"
	}
	if c.Skipped > 0 {
		t += ", " + itoa(c.Skipped) + " skipped"
	}
	if c.Total != nil {
		t += " of " + itoa(*c.Total)
	}
	if c.Unit != "" {
		t += " " + oneLine(c.Unit)
	}
	return t
}

// excerpt is the end of an output, each line marked as quoted; the line that
// is the signature is not repeated, and what passed is not told.
func excerpt(e *pith.Evidence) string {
	if e.Excerpt == nil {
		return ""
	}
	lines := e.Excerpt.Tail
	if len(lines) == 0 {
		lines = e.Excerpt.Head
	}
	var out []string
	left := e.Excerpt.OmittedLines > 0
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if l == "" || l == strings.TrimSpace(e.Signature) || saysPassed(l) {
			continue
		}
		left = left || len(l) > longLine
		out = append(out, "  > "+oneLine(truncate.Text(l, longLine)))
	}
	if len(out) == 0 {
		return ""
	}
	text := strings.Join(out[max(0, len(out)-excerptLines):], "\n")
	if left || len(out) > excerptLines {
		text += mark(e.Source)
	}
	return text
}

// saysPassed knows lines of a failed run that tell what did not fail.
func saysPassed(line string) bool {
	for _, p := range [...]string{"ok ", "ok\t", "--- PASS", "=== RUN", "=== PAUSE", "=== CONT", "?   ", "?\t", "✓ ", "✔ "} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return strings.HasSuffix(line, " ... ok") || strings.HasSuffix(line, " PASSED")
}

// decisions: the user's own first, then the latest.
func (r *renderer) decisions() section {
	s := newSection(secDecisions)
	all := r.state.Decisions
	for i := range all {
		d := &all[i]
		if d.Drafted {
			continue
		}
		rank := len(all) - i
		if d.Provenance > pith.UserExplicit {
			rank += len(all)
		}
		s.add(rank, decisionLine(d)).named(d.ID, d.Source)
	}
	return s
}

func decisionLine(d *pith.Decision) string {
	who := "user"
	if w := whose(d.Provenance); w != "" {
		who = w
	}
	if d.Status == "proposed" {
		who += ", proposed, not approved"
	} else if d.Status != "" {
		who += ", " + d.Status
	}
	t := "- [" + who + "] " + quote(strings.TrimSpace(d.Decision))
	if d.Rationale != "" && !strings.Contains(d.Decision, d.Rationale) {
		t += "; because " + oneLine(d.Rationale)
	}
	if d.Constraint != "" && !strings.Contains(d.Decision, d.Constraint) {
		t += "; constraint: " + oneLine(d.Constraint)
	}
	for _, a := range d.Rejected {
		t += "; not " + oneLine(a.Alternative)
		if a.Reason != "" {
			t += " (" + oneLine(a.Reason) + ")"
		}
	}
	return t
}

// failed are the dead ends: open ones and often repeated ones first.
func (r *renderer) failed() section {
	s := newSection(secFailed)
	all := r.state.Failed
	for i := range all {
		f := &all[i]
		if f.Drafted {
			continue
		}
		rank := len(all) - i
		switch {
		case f.EndedBy != "":
			rank += 2 * len(all)
		case !f.DoNotRetry:
			rank += len(all)
		}
		t := "- " + oneLine(cut(f.Attempt, longCommand, f.Source))
		if f.ErrorSignature != "" {
			t += " -> " + oneLine(cut(f.ErrorSignature, longLine, f.Source))
		}
		if f.Reason != "" && !strings.Contains(f.ErrorSignature, f.Reason) {
			t += "; " + oneLine(cut(f.Reason, longLine, f.Source))
		}
		times := ""
		if f.Occurrences > 1 {
			times = itoa(f.Occurrences) + " times"
		}
		s.add(rank, t+note(times, oneLine(f.EndedBy))).named(f.ID, f.Source)
	}
	return s
}

func (r *renderer) done() section {
	s := newSection(secDone)
	all := r.state.Context.Done
	for i := range all {
		s.add(len(all)-i, "- "+oneLine(cut(doneLine(all[i].Text), longLine, all[i].Source))).from(all[i].Source)
	}
	return s
}

// doneLine is a command that finished something, without the shell's way of
// giving it its message: `git commit -m "$(cat <<'EOF'` and the subject below.
func doneLine(text string) string {
	head, subject, ok := strings.Cut(strings.TrimSpace(text), "\n")
	at := strings.IndexAny(head, "\"$<'")
	if !ok || at < 0 || !strings.Contains(head, "<<") {
		return text
	}
	return strings.TrimSpace(head[:at]) + " “" + strings.TrimSpace(subject) + "”"
}

// quotes lists what was said, the latest ranked first, each shortened to limit bytes.
func quotes(name string, all []pith.Quote, limit int) section {
	s := newSection(name)
	for i := range all {
		q := &all[i]
		s.add(len(all)-i, "- "+quote(cut(strings.TrimSpace(q.Text), limit, q.Source))+note(whose(q.Provenance))).from(q.Source)
	}
	return s
}

func (r *renderer) pending() section {
	s := newSection(secPending)
	all := r.state.Context.PendingCalls
	for i := range all {
		c := &all[i]
		t := "- " + oneLine(c.Tool)
		if c.Text != "" && c.Text != c.Tool {
			t += ": " + oneLine(cut(c.Text, longCommand, c.Source))
		}
		s.add(len(all)-i, t).from(c.Source)
	}
	return s
}

// longWords is where the assistant's last text is shortened, in bytes.
const longWords = 1_400

func (r *renderer) lastWords() section {
	s := newSection(secLastWords)
	if q := r.state.Context.LastWords; q != nil && q.Text != "" {
		text := quote(strings.TrimSpace(q.Text))
		whole := quoteLines(cut(text, longWords, q.Source))
		if len(text) <= longWords && wasCut(text) {
			whole += mark(q.Source)
		}
		it := s.add(0, whole).from(q.Source)
		if len(text) > longWords/3 {
			it.short = quoteLines(cut(text, longWords/3, q.Source))
		}
	}
	return s
}

// quoteLines marks every line as somebody's words.
func quoteLines(text string) string {
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}
