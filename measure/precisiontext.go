package measure

import (
	"strconv"
	"strings"
)

var (
	fenceLine = pattern(`(?m)^<pith-memory [^>\n]*>|^[0-9a-f]{16}</pith-memory>|\bref [0-9a-f]{8}\b`)
	quotation = pattern(`"([^"\n]{12,400})"|“([^”\n]{12,400})”`)
	textPath  = pattern(`(?:[~.]{0,2}/)?(?:[\w.+@-]+/)+[\w.+@-]*\w`)
	webWord   = pattern(`\w+://\S+`)
)

// maxPath is how long a path may be.
const maxPath = 1000

// text checks what a text states. What it says in its own words is no
// statement that can be looked up.
func (p *checker) text(text string) {
	text = unfenced(text)
	seen := map[string]bool{}
	once := func(s string) bool {
		known := seen[s]
		seen[s] = true
		return !known
	}
	quoting := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "pith-memory") || strings.Contains(line, "ref ") {
			line = fenceLine().ReplaceAllString(line, "")
		}
		if strings.HasPrefix(line, "```") {
			quoting = !quoting
			continue
		}
		p.lineRuns(line, once)
		p.lineNames(line, once)
		if quoting {
			continue
		}
		if quote, ok := strings.CutPrefix(line, "> "); ok && len(strings.Fields(quote)) >= 4 && once(quote) {
			p.quote(quote)
			continue
		}
		if !strings.ContainsAny(line, "\"“") {
			continue
		}
		for _, m := range quotation().FindAllStringSubmatch(line, -1) {
			if q := strings.Trim(m[1]+m[2], " .,"); len(strings.Fields(q)) >= 4 && once(q) {
				p.quote(q)
			}
		}
	}
}

// lineNames checks the paths, SHAs and UUIDs of a line.
func (p *checker) lineNames(line string, once func(string) bool) {
	if strings.Contains(line, "://") {
		line = webWord().ReplaceAllString(line, " ")
	}
	plain := line
	if strings.Contains(line, "-") {
		for _, w := range uuidWord().FindAllString(line, -1) {
			if once(w) {
				p.share.count(p.x.has(w), w)
			}
		}
		plain = uuidWord().ReplaceAllString(line, " ")
	}
	eachHash(plain, func(w string) {
		if once(w) {
			p.hash(w)
		}
	})
	if !strings.Contains(line, "/") {
		return
	}
	for _, at := range textPath().FindAllStringIndex(line, -1) {
		w := line[at[0]:at[1]]
		cut := at[1] < len(line) && strings.ContainsAny(line[at[1]:at[1]+1], "{*<$[") || at[0] > 0 && strings.ContainsAny(line[at[0]-1:at[0]], "}*>$)\\") ||
			gapBefore(line[:at[0]]) || gapBehind(line[at[1]:])
		if !cut && len(w) < maxPath && isPath(w) && once(w) {
			p.share.count(p.path(w), w)
		}
	}
}

// gapBefore and gapBehind tell whether a word may be cut by what was left out there.
func gapBefore(s string) bool {
	s = strings.TrimRight(s, " ")
	return strings.HasSuffix(s, "…") || strings.HasSuffix(s, "…]")
}

func gapBehind(s string) bool {
	s = strings.TrimLeft(s, " ")
	return strings.HasPrefix(s, "…") || strings.HasPrefix(s, "[…")
}

// lineRuns checks the commands of a line that are given with an outcome, and
// outcomes that are given without a command.
func (p *checker) lineRuns(line string, once func(string) bool) {
	if !mayClaim(line) || !exitClaim().MatchString(line) && !countClaim().MatchString(line) || !once(line) {
		return
	}
	spans := codeSpans(line)
	if len(spans) == 0 {
		p.outcome(claimsIn(line))
		return
	}
	for i, s := range spans {
		behind := line[s[1]:]
		if i+1 < len(spans) {
			behind = line[s[1]:spans[i+1][0]]
		}
		behind, _, _ = strings.Cut(strings.TrimLeft(behind, "`"), ": ") // a message follows
		c := claimsIn(behind)
		switch {
		case c.none():
		case looksRun(line[s[0]:s[1]]):
			command := strings.TrimSpace(line[s[0]:s[1]])
			if whole := line[spans[0][0]:s[1]]; i > 0 && !p.said(command) && p.said(whole) {
				command = whole // it has backticks of its own
			}
			p.run(command, c.numbers())
		default:
			p.outcome(c)
		}
	}
}

// mayClaim tells lines apart that can hold no outcome, which are most.
func mayClaim(line string) bool {
	for _, w := range []string{"xit", "XIT", "pass", "Pass", "PASS", "fail", "Fail", "FAIL", "skip", "Skip", "SKIP"} {
		if strings.Contains(line, w) {
			return strings.ContainsAny(line, "0123456789")
		}
	}
	return false
}

// outcome checks an outcome that no command stands by: it must be that of some run.
func (p *checker) outcome(c claims) {
	for _, n := range c.exits {
		p.share.count(p.ended("", nil, func(r *run) bool { return r.exit != nil && *r.exit == n }), "exit "+strconv.Itoa(n))
	}
	for _, n := range c.numbers().counts {
		p.share.count(p.ended("", nil, func(r *run) bool { return r.counted(n) }) || p.x.has(n), n)
	}
}

// looksRun tells a command from a name in code: it has an argument.
func looksRun(code string) bool { return strings.Contains(strings.TrimSpace(code), " ") }
