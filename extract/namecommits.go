package extract

import "strings"

// gitPrints tells whether a command can print commits.
func gitPrints(c *Call) bool {
	for i := range c.Shell {
		if n := c.Shell[i].Name(); n == "git" || n == "gh" {
			return true
		}
	}
	return false
}

// maxSubject is how much of a commit's subject is noted, in bytes.
const maxSubject = 100

// How much more a commit counts in what git printed than in other output: one
// that the command made, and the first of a log. The ones below it count less,
// line by line.
const (
	madeFactor = 12
	logFactor  = 6
	logFade    = 0.8
)

// gitCommits reads commits with their subjects off what git printed: the line
// of a commit, one-line logs, whole logs, "HEAD is now at".
func (n *nameSlot) gitCommits(c *Call, m *mention) {
	pending := ""
	rank := float32(logFactor)
	note := func(sha, subject string, factor float32) {
		u := n.commits.add(n, sha, m, factor)
		if subject = strings.TrimSpace(subject); subject != "" && u.note == "" {
			u.note = strings.Clone(cutTo(subject, maxSubject))
		}
	}
	lines := 0
	for rest := c.Result.Text; rest != "" && lines < 2000; lines++ {
		end := lineEnd(rest, 0)
		l := rest[:end]
		rest = rest[min(end+1, len(rest)):]
		if _, sha, subject, ok := parseCommitLine(l); ok {
			note(sha, subject, madeFactor)
			continue
		}
		if pending != "" && strings.HasPrefix(l, "    ") {
			note(pending, l, rank)
			pending = ""
			continue
		}
		l = strings.TrimLeft(l, "*|\\/ >_")
		l = strings.TrimPrefix(l, "HEAD is now at ")
		l, whole := strings.CutPrefix(l, "commit ")
		sha, subject, _ := strings.Cut(l, " ")
		if !isSHA(sha) {
			continue
		}
		if whole {
			pending = sha
			note(sha, "", rank)
		} else {
			note(sha, withoutRefs(subject), rank)
		}
		rank = max(rank*logFade, 1)
	}
}

// withoutRefs takes "(HEAD -> main, origin/main)" off a subject.
func withoutRefs(s string) string {
	if !strings.HasPrefix(s, "(") {
		return s
	}
	if i := strings.IndexByte(s, ')'); i > 0 && (strings.Contains(s[:i], "HEAD") || strings.Contains(s[:i], "/") || strings.Contains(s[:i], "tag: ")) {
		return s[i+1:]
	}
	return "" // the author of git blame
}
