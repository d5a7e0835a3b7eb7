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

// gitCommits reads commits with their subjects off what git printed: the line
// of a commit, one-line logs, whole logs, "HEAD is now at".
func (n *nameSlot) gitCommits(c *Call, m *mention) {
	pending := ""
	rank := float32(6)
	note := func(sha, subject string, factor float32) {
		u := n.commits.add(n, sha, m, factor)
		if subject = strings.TrimSpace(subject); subject != "" && u.note == "" {
			u.note = strings.Clone(subject[:runeEnd(subject, 100)])
		}
	}
	lines := 0
	for rest := c.Result.Text; rest != "" && lines < 2000; lines++ {
		end := lineEnd(rest, 0)
		l := rest[:end]
		rest = rest[min(end+1, len(rest)):]
		if _, sha, subject, ok := parseCommitLine(l); ok {
			note(sha, subject, 12)
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
		rank = max(rank*0.8, 1)
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

// runeEnd is the largest cut at or before n that splits no character.
func runeEnd(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return n
}

// testResults reads which tests failed and which passed.
func (n *nameSlot) testResults(c *Call, m *mention) {
	text := bothEnds(c.Result.Text)
	for _, cue := range [...]struct {
		text    string
		failing bool
	}{
		{"--- FAIL: ", true}, {"--- PASS: ", false}, {"FAILED ", true}, {"PASSED ", false},
		{"✕ ", true}, {"✗ ", true}, {"× ", true}, {"● ", true}, {"✓ ", false}, {"✔ ", false},
	} {
		for at := 0; ; {
			i := strings.Index(text[at:], cue.text)
			if i < 0 {
				break
			}
			at += i + len(cue.text)
			begin := strings.LastIndexByte(text[:at], '\n') + 1
			if strings.TrimSpace(text[begin:at-len(cue.text)]) != "" {
				continue
			}
			if name := testTitle(text[at:lineEnd(text, at)]); name != "" {
				n.testResult(name, cue.failing, m)
			}
		}
	}
}

func (n *nameSlot) testResult(name string, failing bool, m *mention) {
	if !failing {
		if i, ok := n.tests.index[name]; ok {
			n.tests.uses[i].failing = false
		}
		return
	}
	u := n.tests.add(n, name, m, 4)
	u.failing = true
}

// testTitle is the name of a test in a line of results, without its duration
// and without the reason.
func testTitle(l string) string {
	if i := strings.LastIndex(l, " ("); i > 0 {
		l = l[:i]
	}
	if i := strings.Index(l, " - "); i > 0 {
		l = l[:i]
	}
	l = strings.TrimSpace(l)
	if len(l) < 4 || len(l) > 160 || !isLetter(l[0]) && l[0] < 0x80 {
		return ""
	}
	return l
}
