package measure

import "strings"

// The names that are taken as facts: those that the agent typed or that git
// answered. A log that is only shown holds those of other people's work.
var (
	committed  = pattern(`(?m)^\[([\w./+-]+)(?: \([\w -]+\))? ([0-9a-f]{7,40})\] `)
	headNow    = pattern(`(?m)^HEAD is now at ([0-9a-f]{7,40})`)
	pushed     = pattern(`(?m)^ [ +] ?([0-9a-f]{7,40})\.{2,3}([0-9a-f]{7,40}) +\S+ -> \S+`)
	amend      = pattern(`\bgit commit\b[^;&|\n]*--amend\b`)
	gitWord    = pattern(`(?:^|[;&|(\n] ?)(?:cd \S+ && )?git ([^;&|\n]+)`)
	revision   = pattern(`(?:^|[ "'.^])([0-9a-f]{7,40})(?:[ "'.^~:]|$)`)
	uuidWord   = pattern(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	portWord   = pattern(`(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(\d{4,5})\b|--port[ =](\d{2,5})\b`)
	pinned     = pattern(`(?:^|\s)((?:@?[\w.-]+/)*[\w.-]+)(?:@|==)(v?\d+\.\d+(?:\.\d+)?[\w.+-]*)`)
	tagged     = pattern(`\bgit tag (?:-[am] )*(v\d+\.\d+[\w.+-]*)`)
	issueWord  = pattern(`\bgh (issue|pr) (?:view|close|comment|edit|checkout|merge|review|diff|checks) (\d+)\b`)
	issueURL   = pattern(`https?://[\w.-]+/[\w.-]+/[\w.-]+/(?:pull|issues|merge_requests)/(\d+)`)
	runFilter  = pattern(`-run[ =]['"]?\^?(Test\w+)`)
	nodeFilter = pattern(`::(test_\w+)`)
	failedTest = pattern(`(?m)^--- FAIL: (Test\w+)|^FAILED \S+?::(?:\w+::)?(test_\w+)|^test ([\w:]+) \.\.\. FAILED`)
)

// named takes the names of a command and of its answer.
func (l *ledger) named(command, answer string) {
	l.tests(command, answer)
	if strings.Contains(command, "git ") {
		l.commits(command, answer)
	}
	if strings.Contains(command, "gh ") {
		for _, m := range issueWord().FindAllStringSubmatch(command, -1) {
			l.name(KindIdentifier, "#"+m[2], "#"+m[2])
		}
		if strings.Contains(command, " create") {
			for _, m := range issueURL().FindAllStringSubmatch(answer, 1) {
				l.name(KindIdentifier, "#"+m[1], "#"+m[1])
			}
		}
	}
	for _, w := range uuidWord().FindAllString(command, -1) {
		l.name(KindIdentifier, w, w)
	}
	for _, m := range portWord().FindAllStringSubmatch(command, -1) {
		l.name(KindIdentifier, "port "+m[1]+m[2], m[1]+m[2])
	}
	if strings.ContainsAny(command, "@=") && install(command) {
		for _, m := range pinned().FindAllStringSubmatch(command, -1) {
			l.name(KindIdentifier, "version of "+m[1], m[1]+" "+m[2])
		}
	}
	for _, m := range tagged().FindAllStringSubmatch(command, -1) {
		l.name(KindIdentifier, "tag "+m[1], m[1])
	}
}

func install(command string) bool {
	for _, w := range []string{"install", "go get", " add ", "npx "} {
		if strings.Contains(command, w) {
			return true
		}
	}
	return false
}

func (l *ledger) tests(command, answer string) {
	for _, m := range runFilter().FindAllStringSubmatch(command, -1) {
		l.name(KindTest, m[1], m[1])
	}
	for _, m := range nodeFilter().FindAllStringSubmatch(command, -1) {
		l.name(KindTest, m[1], m[1])
	}
	if !strings.Contains(answer, "FAIL") {
		return
	}
	for _, m := range failedTest().FindAllStringSubmatch(answer, -1) {
		name := m[1] + m[2] + m[3]
		l.name(KindTest, name, name)
	}
}

// lastCommit is the key of the commit that an amended one replaces.
const lastCommit = "last commit"

// commits takes the commits that the session made, moved to, pushed, or named.
func (l *ledger) commits(command, answer string) {
	for _, m := range gitWord().FindAllStringSubmatch(command, -1) {
		for _, w := range revision().FindAllStringSubmatch(m[1], -1) {
			if isSHA(w[1]) {
				l.name(KindCommit, w[1][:7], w[1])
			}
		}
	}
	if amend().MatchString(command) {
		if m := committed().FindStringSubmatch(answer); m != nil {
			l.amended(m[2])
			return
		}
	}
	for _, m := range committed().FindAllStringSubmatch(answer, -1) {
		l.name(KindCommit, m[2][:7], m[2])
		l.names.say(lastCommit, entry{text: m[2], at: l.at})
	}
	for _, m := range headNow().FindAllStringSubmatch(answer, -1) {
		l.name(KindCommit, m[1][:7], m[1])
	}
	for _, m := range pushed().FindAllStringSubmatch(answer, -1) {
		l.name(KindCommit, m[2][:7], m[2])
	}
}

// amended puts a commit in the place of the one that it replaced.
func (l *ledger) amended(sha string) {
	n := entry{kind: KindCommit, text: sha, at: l.at}
	if last := l.names.known(lastCommit); last != nil {
		if old := l.names.known(last.text[:7]); old != nil {
			n.was = append(old.was, old.text)
			old.kind = "" // superseded: it stands in the new one's Was
		}
	}
	l.names.say(sha[:7], n)
	l.names.say(lastCommit, entry{text: sha, at: l.at})
}

// name notes a name under what it is the value of.
func (l *ledger) name(kind Kind, key, text string) {
	if old := l.names.known(key); old != nil && kind == KindCommit {
		if len(old.text) > len(text) {
			text = old.text
		}
		old.text = text // the same commit, written shorter or longer
	}
	l.names.say(key, entry{kind: kind, text: text, at: l.at})
}

// eachHash calls f with every word of a text that may be a SHA.
func eachHash(text string, f func(word string)) {
	for i := 0; i < len(text); {
		from, hex := i, true
		for i < len(text) && wordByte(text[i]) {
			c := text[i]
			hex = hex && (c >= '0' && c <= '9' || c >= 'a' && c <= 'f')
			i++
		}
		if hex && isSHA(text[from:i]) {
			f(text[from:i])
		}
		i++
	}
}

func isSHA(w string) bool {
	return len(w) >= 7 && len(w) <= 40 && strings.ContainsAny(w, "abcdef") && strings.ContainsAny(w, "0123456789")
}
