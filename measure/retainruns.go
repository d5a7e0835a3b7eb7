package measure

import (
	"slices"
	"strings"
)

// run wants the command with its exit code and its counts near it, as one
// fact: a command alone says nothing. An earlier outcome in the place of the
// last one is stale.
func (r *reader) run(a *Atom) verdict {
	v, n := lost, 0
	look := func(at, end int) bool {
		v = max(v, r.outcome(a, at, end))
		n++
		return v != full && n < maxPlaces
	}
	plain := plainCommand(a.Text)
	r.x.each(plain, func(at int) bool {
		end := r.commandEnd(at, at+len(plain))
		return end < 0 || look(at, end)
	})
	if v == full {
		return v
	}
	for i := range r.gaps {
		if g := &r.gaps[i]; g.of(a.Text) && !look(g.at, g.end) {
			break
		}
	}
	return v
}

// commandEnd is where the command ends that stands between two offsets, with
// what it does with its output; -1 where it is a part of a longer one.
func (r *reader) commandEnd(at, end int) int {
	before := strings.TrimRight(r.x.before(at), " ")
	after := r.x.behind(end)
	own, _, inCode := strings.Cut(after, "`")
	if own = strings.TrimRight(own, " "); plainCommand("x"+own) == "x" {
		end, after = end+len(own), after[len(own):] // it may look at less or more of the output
	}
	after = strings.TrimLeft(after, " ")
	if strings.HasSuffix(before, "`") {
		if inCode && strings.HasPrefix(after, "`") {
			return end
		}
		return -1
	}
	for _, joint := range []string{"&&", "||", ";", "|"} {
		if strings.HasSuffix(before, joint) {
			return -1
		}
	}
	if after != "" && strings.ContainsAny(after[:1], "-|&;<>/") && !strings.HasPrefix(after, "- ") && !strings.HasPrefix(after, "->") || strings.HasPrefix(after, "2>") {
		return -1
	}
	return end
}

// outcome compares what the text says near a command with its last outcome
// and with those before.
func (r *reader) outcome(a *Atom, at, end int) verdict {
	if a.Exit == nil && len(a.Counts) == 0 {
		return full // that it failed is all that is known
	}
	var c claims
	if recorded(r.x.text[:at]) {
		c = r.recordedClaims(end)
	} else {
		c = r.nearClaims(at, end)
	}
	if c.state(a.Exit, a.Counts, a.packages) && !(c.none() && !c.passes) {
		return full
	}
	for _, was := range a.Was {
		before := claimsIn(was)
		if !c.none() && slices.ContainsFunc(before.exits, func(n int) bool { return slices.Contains(c.exits, n) }) && c.hold(before.counts) {
			return stale
		}
		if len(before.exits) == 0 && len(before.counts) > 0 && len(c.counts) > 0 && c.hold(before.counts) {
			return stale
		}
	}
	return lost
}

// nearClaims are those in the command's own line behind it, else in that whole
// line, else in the next two lines, up to where another command is named.
func (r *reader) nearClaims(at, end int) claims {
	l := r.x.line(at)
	last := r.x.line(max(at, end-1))
	after := strings.TrimLeft(r.x.behind(end), " `")
	own, _, _ := strings.Cut(after, "`")
	c := claimsIn(own)
	if !c.none() {
		return c
	}
	if l == last {
		line := r.x.around(at)
		if whole := claimsIn(line); strings.Count(line, "`") <= 2 && (!whole.none() || whole.passes) {
			return whole
		}
	}
	near := own
	for i := last + 1; i <= last+2; i++ {
		next := strings.TrimSpace(r.x.between(i, i))
		if strings.HasPrefix(strings.TrimLeft(next, "-*• "), "`") || strings.HasPrefix(next, "$ ") || strings.HasPrefix(next, "§") {
			break
		}
		near += "\n" + next
	}
	return claimsIn(near)
}

// recorded tells whether what follows is the argument of a call, as a tail of
// messages holds it.
func recorded(before string) bool {
	before = strings.TrimRight(before, " \"")
	return strings.HasSuffix(before, "command:") || strings.HasSuffix(before, "cmd:") || strings.HasSuffix(before, "\"command\":") || strings.HasSuffix(before, "\"cmd\":")
}

// maxResult is how many lines of a recorded answer are read.
const maxResult = 400

// recordedClaims reads the answer that follows a recorded call, up to the next call.
func (r *reader) recordedClaims(end int) claims {
	first := r.x.line(max(0, end-1))
	last := first
	for last+1 < len(r.x.lines) && last < first+maxResult {
		next := strings.TrimSpace(r.x.between(last+1, last+1))
		if strings.HasPrefix(next, "command: ") || strings.HasPrefix(next, "cmd: ") {
			break
		}
		last++
	}
	var lines []string
	for i := first + 1; i <= last; i++ {
		lines = append(lines, strings.TrimRight(r.x.between(i, i), " "))
	}
	text := strings.Join(lines, "\n")
	c := claims{counts: counts(text)}
	for _, m := range exitClaim().FindAllStringSubmatch(text, -1) {
		c.exits = append(c.exits, claimsIn(m[0]).exits...)
	}
	c.passes = len(c.exits) == 0
	return c
}

// failure wants the line that names a failure. Of a test's failure the name is
// enough where the line says that it failed; times are no part of it.
func (r *reader) failure(a *Atom) verdict {
	if name := failedName(a.Text); name != "" {
		v, n := lost, 0
		r.x.each(name, func(at int) bool {
			v = max(v, half)
			if failClaim().MatchString(r.x.around(at)) || failClaim().MatchString(r.heading(r.x.line(at))) {
				v = full
			}
			n++
			return v != full && n < maxPlaces
		})
		return v
	}
	v := r.sentence(a.Text)
	if v == lost {
		if best, _ := r.x.nearest(a.Text); best >= 0.6 {
			return half
		}
	}
	return v
}

// failedName is the name of the test that a line says failed.
func failedName(line string) string {
	m := failedTest().FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	return m[1] + m[2] + m[3]
}

// todo wants the step with its status: in its line by a mark or a word, or in
// the heading above it. Without a status it is half.
func (r *reader) todo(a *Atom) verdict {
	v, before, n := lost, false, 0
	look := func(at int) bool {
		got := half
		switch s := r.statusAt(a.Text, at); {
		case s == a.Status:
			got = full
		case s != "" && slices.Contains(a.Was, s):
			got, before = stale, true
		case s != "":
			got = lost
		}
		v = max(v, got)
		n++
		return v != full && n < maxPlaces
	}
	found := false
	r.x.each(a.Text, func(at int) bool { found = true; return look(at) })
	if !found {
		if best, l := r.x.nearest(a.Text); best >= sameF1 {
			look(int(r.x.lines[l]))
		}
	}
	if v == half && before {
		return stale // it is told elsewhere without a status, too
	}
	return v
}

// statusAt is the status that is stated for the step at an offset.
func (r *reader) statusAt(step string, at int) string {
	l := r.x.line(at)
	line := r.x.around(at)
	if rest := r.x.behind(at); strings.Contains(line, `"status"`) {
		if _, after, ok := strings.Cut(rest, `"status":`); ok && len(rest)-len(after) < len(step)+300 {
			return plainStatus(strings.Trim(strings.TrimLeft(after, " \"\\")[:min(12, len(strings.TrimLeft(after, " \"\\")))], "\"\\,}]{ "))
		}
	}
	if strings.HasPrefix(line, "subject: ") {
		return r.taskStatus(step)
	}
	outside := strings.Replace(line, step, "", 1)
	if len(outside) < 200 {
		if s := statusIn(outside); s != "" {
			return s
		}
	}
	return statusIn(r.heading(l))
}

// taskStatus is the status of a step that was recorded task by task: the last
// that was written under the number that it was given.
func (r *reader) taskStatus(step string) string {
	id := ""
	r.x.each("created successfully: "+step, func(at int) bool {
		before := strings.Fields(r.x.text[max(0, at-20):at])
		if len(before) > 0 {
			id = strings.TrimPrefix(before[len(before)-1], "#")
		}
		return id == ""
	})
	if id == "" {
		return ""
	}
	status, last := pending, -1
	r.x.each("taskId: "+id, func(at int) bool {
		if _, after, ok := strings.Cut(r.x.text[at:min(len(r.x.text), at+80)], "status: "); ok && at > last {
			word, _, _ := strings.Cut(after, " ")
			status, last = plainStatus(word), at
		}
		return true
	})
	return status
}
