package restore

import (
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

const (
	// maxReasons is how many findings the text of a held action names, each in
	// maxReason bytes; maxPlanned and maxCommand bound what was planned. All of
	// it stays under the contract's 2,000.
	maxReasons = 3
	maxReason  = 280
	maxPlanned = 500
	maxCommand = 240
)

// hold replaces an action that depends on anything that changed by the look
// that has to come first. It marks the findings that it is held by, and adds
// those that concern the action alone.
func (c *comparison) hold(s *pith.State, n *pith.NextAction, findings []Finding) []Finding {
	paths := actionPaths(s)
	for i := range findings {
		findings[i].Holds = c.concerns(n, paths, &findings[i])
	}
	for _, f := range slices.Concat(c.preconditions(n), c.named(s)) {
		f.Holds = true
		if i := slices.IndexFunc(findings, func(g Finding) bool { return g.Path == f.Path && g.Path != "" }); i >= 0 {
			findings[i].Holds = true // it is told already
			continue
		}
		findings = append(findings, f)
	}
	held := make([]*Finding, 0, maxReasons)
	for i := range findings {
		if findings[i].Holds {
			held = append(held, &findings[i])
		}
	}
	if len(held) > 0 {
		*n = c.check(s, held)
	} else if n.TargetPath != "" && n.Kind != "inspect" && c.reachesOut(n.TargetPath) {
		n.RequiresConfirmation = true
	}
	return findings
}

// concerns tells whether an action depends, by the paths of it, on what was found.
func (c *comparison) concerns(n *pith.NextAction, paths []string, f *Finding) bool {
	switch f.Change {
	case ChangeBranch, ChangeWorktree, ChangeRoot:
		return true
	case ChangeHead:
		return n.Destructive || runsGit(n.Command)
	}
	full := fromDir(c.now.Root, f.Path)
	for _, p := range paths {
		at := fromDir(c.now.Root, p)
		if p == f.Path || at == full {
			// that a file exists is all that is asked of a mere precondition
			return n.Destructive || f.Change != ChangeContent || !c.onlyExists(n, p)
		}
		if n.Destructive && inside(at, full) {
			return true
		}
	}
	return c.mentions(n.Text, f.Path) || c.mentions(n.Command, f.Path)
}

// onlyExists tells whether a path is part of an action only as a thing that must exist.
func (c *comparison) onlyExists(n *pith.NextAction, p string) bool {
	return p != n.TargetPath && slices.ContainsFunc(n.Preconditions, func(q pith.Precondition) bool {
		return q.Path == p && q.Must == "exist"
	})
}

// runsGit: what git does depends on the commit that is checked out.
func runsGit(command string) bool {
	program, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	return program == "git" || strings.HasSuffix(program, "/git")
}

// mentions tells whether a text names a file: by its path, or by the path from
// the root, and not as part of a longer one.
func (c *comparison) mentions(text, p string) bool {
	names := []string{p}
	for _, dir := range append([]string{c.now.Repository}, c.roots...) {
		if below(p, dir) {
			names = append(names, p[len(dir)+1:])
		}
	}
	if i := strings.LastIndexAny(p, `/\`); i >= 0 && strings.Contains(p[i:], ".") {
		names = append(names, p[i+1:]) // "a.go"; a bare word like "test" would be in any text
	}
	for _, name := range names {
		if hasWord(text, name) {
			return true
		}
	}
	return false
}

func hasWord(text, word string) bool {
	if word == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(word)
		before := start == 0 || !inName(text[start-1]) || text[start-1] == '/' || text[start-1] == '\\'
		after := end == len(text) || !inName(text[end]) || text[end] == '.' && (end+1 == len(text) || !inName(text[end+1]))
		if before && after {
			return true
		}
		from = end
	}
}

// inName tells whether a byte may be part of a file's name.
func inName(b byte) bool {
	return b == '_' || b == '-' || b == '.' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 || b == '/' || b == '\\'
}

// preconditions finds those that do not hold, or of which that cannot be told.
func (c *comparison) preconditions(n *pith.NextAction) []Finding {
	var out []Finding
	for i := range n.Preconditions {
		p := &n.Preconditions[i]
		if is := c.against(p); is != "" {
			must := "be " + p.Must
			if p.Must == "exist" {
				must = p.Must
			}
			out = append(out, Finding{Change: ChangeMust, Path: p.Path, Was: must, Is: is})
		}
	}
	return out
}

// against says what a path is where a precondition asks for something else.
func (c *comparison) against(p *pith.Precondition) string {
	is := c.is[p.Path]
	switch {
	case is == nil:
		return "not looked at"
	case is.Kind == stampUnknown:
		return orElse(is.Why, stampUnknown)
	}
	there := is.Kind != stampAbsent
	switch p.Must {
	case "exist":
		if !there {
			return stampAbsent
		}
	case "absent":
		if there {
			return "there, a " + is.Kind
		}
	case "unchanged":
		return c.againstHash(p, is)
	default:
		return "not known"
	}
	return ""
}

// againstHash judges what must be unchanged: only a hash tells.
func (c *comparison) againstHash(p *pith.Precondition, is *pith.Stamp) string {
	want := ""
	if p.SHA256 != nil {
		want = *p.SHA256
	} else if was := c.was[p.Path]; was != nil {
		want = was.SHA256
	}
	switch {
	case is.Kind == stampAbsent:
		return stampAbsent
	case is.Kind != stampFile:
		return "a " + is.Kind
	case want == "" || is.SHA256 == "":
		return "of unknown content"
	case want != is.SHA256:
		return diskChanged
	}
	return ""
}

// named finds what became of paths that only the action names: its target and
// the words of its command. Those that lead out of the workspace by a link hold
// it whether that is new or not.
func (c *comparison) named(s *pith.State) []Finding {
	n := &s.Next
	var out []Finding
	for _, p := range actionPaths(s) {
		stamp := c.is[p]
		if stamp == nil {
			if p == n.TargetPath {
				out = append(out, Finding{Change: ChangeUnknown, Path: p, Is: "not looked at"})
			}
			continue
		}
		if stamp.Kind != stampUnknown && c.escapes(stamp) && n.Kind != "none" {
			out = append(out, Finding{Change: ChangeOutside, Path: p, Is: stamp.Target})
			continue
		}
		f, _ := c.file(p, "")
		switch {
		case f.Change == "":
		case f.Change == ChangeContent && !n.Destructive && c.onlyExists(n, p):
		case f.Change == ChangeUnknown && p != n.TargetPath && !n.Destructive:
		default:
			out = append(out, f)
		}
	}
	return out
}

// reachesOut tells whether a target lies outside the workspace.
func (c *comparison) reachesOut(p string) bool {
	stamp := c.is[p]
	return stamp != nil && stamp.Kind != stampUnknown && c.outside(stamp)
}

// check is the look that comes before a planned action: one step that changes
// nothing. It stays in the words of nobody, whatever the plan was.
func (c *comparison) check(s *pith.State, held []*Finding) pith.NextAction {
	planned := &s.Next
	n := pith.NextAction{
		Kind: "inspect", Basis: "none", Provenance: planned.Provenance, Source: planned.Source,
		Preconditions: []pith.Precondition{}, RequiresConfirmation: planned.Destructive || planned.RequiresConfirmation,
	}
	if s.Goal.Provenance == pith.Harness {
		n.Kind = "ask_user" // where no user said what to do, nothing else may be next
	}
	var b strings.Builder
	b.WriteString("Check first: ")
	for i, f := range held {
		if i == maxReasons {
			b.WriteString(", and " + itoa(len(held)-i) + " more")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(clip(f.describe(shortPath), maxReason))
	}
	b.WriteString("; " + planText(planned))
	n.Text = joinLines(b.String())
	n.TargetPath = c.subject(planned, held)
	if n.TargetPath != planned.TargetPath && n.TargetPath != "" {
		n.Preconditions = append(n.Preconditions, pith.Precondition{Path: n.TargetPath, Must: "exist"})
	}
	return n
}

// subject is the file to look at: the target, or where it was moved to. What is
// gone, is no file or leads out of the workspace is none.
func (c *comparison) subject(planned *pith.NextAction, held []*Finding) string {
	p := planned.TargetPath
	for _, f := range held {
		if f.Path == p && f.Change == ChangeMoved {
			p = f.Is
		}
	}
	if stamp := c.is[p]; p == "" || stamp == nil || stamp.Kind != stampFile || c.outside(stamp) {
		return ""
	}
	return p
}

// planText says what was to be done before it was held, as a quote.
func planText(n *pith.NextAction) string {
	if n.Kind == "none" || n.Kind == "" {
		return "nothing was planned, the user's next message decides"
	}
	text := "planned before: “" + stepText(n) + "”"
	var gates []string
	if w := whose(n.Provenance); w != "" && n.Basis != "user_request" {
		gates = append(gates, w)
	}
	switch {
	case n.Destructive:
		gates = append(gates, "destructive: only after the user's explicit confirmation")
	case n.RequiresConfirmation && n.Kind != "ask_user":
		gates = append(gates, "only after the user's confirmation")
	}
	return text + note(gates...)
}

// stepText is an action in one line, with its command and target where its words lack them.
func stepText(n *pith.NextAction) string {
	text := clip(joinLines(n.Text), maxPlanned)
	if n.Command != "" && !strings.Contains(text, n.Command) {
		text += " `" + clip(joinLines(n.Command), maxCommand) + "`"
	}
	if n.TargetPath != "" && !strings.Contains(text, n.TargetPath) {
		text += " on " + shortPath(n.TargetPath)
	}
	return text
}

func joinLines(text string) string { return strings.Join(strings.Fields(text), " ") }

// clip shortens a line to a number of bytes.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}
