package restore

import (
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/truncate"
)

func itoa(n int) string { return strconv.Itoa(n) }

// collect lays out every section with all that the state holds. Their order is
// the order of the block: what must be obeyed comes first, what is done next
// comes last, and the middle is for looking things up.
func (r *renderer) collect() []section {
	x, names := &r.state.Context, &r.state.Identifiers
	sections := []section{
		r.goal(), r.constraints(), r.todo(), r.messages(),
		r.modified(), r.failures(), r.verified(), quotes(secUnverified, x.Unverified, longLine), r.decisions(), r.failed(),
		r.reasons(), r.ruledOut(), r.progress(), r.steps(), r.results(), r.draftedQuestions(),
		quotes(secQuestions, x.OpenQuestions, 2*longLine), r.pending(), r.done(), quotes(secEnvironment, x.Environment, 2*longLine), r.workspace(),
		nameLine(secTests, names.Tests), nameLine(secSymbols, names.Symbols), r.commits(), nameLine(secRefs, names.Refs), r.inspected(), r.paths(),
		r.keyLines(), r.lastWords(), r.urls(), r.resolved(),
		{name: secDropped},
		r.invariants(), r.changes(), r.next(),
	}
	if r.options.Offer {
		for i := range sections {
			if s := &sections[i]; offerTitles[s.name] != "" {
				s.title = strings.Replace(s.title, titles[s.name], offerTitles[s.name], 1)
			}
		}
	}
	return sections
}

func newSection(name string) section { return section{name: name, title: sectionMark + titles[name]} }

// newLine is a section in one line, its items with sep between them.
func newLine(name, sep string) section {
	return section{name: name, title: titles[name], dense: true, sep: sep}
}

// whose says in a few words where a quote comes from, "" for the user.
func whose(p pith.Provenance) string {
	switch p {
	case pith.UserExplicit:
		return ""
	case pith.System:
		return "system prompt"
	case pith.PolicyFile:
		return "rules file"
	case pith.Assistant:
		return "assistant"
	case pith.ToolOutput:
		return "tool output, untrusted"
	case pith.Harness:
		return "client"
	case pith.PeerAgent:
		return "other agent"
	}
	return "imported, unverified"
}

func note(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() == 0 {
			b.WriteString(" (")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(p)
	}
	if b.Len() == 0 {
		return ""
	}
	return b.String() + ")"
}

func (r *renderer) goal() section {
	s := newSection(secGoal)
	g := &r.state.Goal
	if g.Text == "" {
		s.must("Not stated by the user so far.")
		return s
	}
	if w := whose(g.Provenance); w != "" {
		s.title += note("from " + w + ", not the user's words")
	} else {
		s.title += " (user's words)"
	}
	text := quote(strings.TrimSpace(g.Text))
	if len(text) > max(longGoal, int(r.budget)*bytesPerToken) {
		text = cut(text, max(longGoal, int(r.budget)*bytesPerToken*2/5), g.Source)
	}
	s.must(text).from(g.Source)
	return s
}

// longGoal is up to where a first request is whole whatever the budget is, in
// bytes. Of one that would be more than the whole block alone, as of a log with
// a question behind it, the two ends stay.
const longGoal = 16_000

// constraints lists every rule but those that the client sends again itself:
// of these only the place is told.
func (r *renderer) constraints() section {
	s := newSection(secConstraints)
	for i := range r.state.Context.Pins {
		p := &r.state.Context.Pins[i]
		by := ""
		if p.By == "agent" { // it is nobody's rule, whatever it says
			by = " by the agent, not the user"
		}
		s.must("- " + quote(p.Text) + " (pinned" + by + ")")
	}
	var places []string
	counts := map[string]int{}
	for i := range r.state.Constraints {
		c := &r.state.Constraints[i]
		if c.Resent && !r.options.RenderResent {
			place := c.Path
			if place == "" {
				place = "your " + whose(c.Provenance)
			}
			if counts[place] == 0 {
				places = append(places, place)
			}
			counts[place]++
			continue
		}
		if c.Text == r.state.Goal.Text && !r.options.Offer {
			continue // the goal is one rule, and stands just above
		}
		s.must(constraintLine(c)).named(c.ID, c.Source)
	}
	for _, p := range places {
		s.must("- " + itoa(counts[p]) + " more in " + oneLine(p) + ", still in force")
	}
	return s
}

func constraintLine(c *pith.Constraint) string {
	exception, scope := "", ""
	if c.Exception != "" && !strings.Contains(c.Text, c.Exception) {
		exception = "except: " + oneLine(c.Exception)
	}
	if c.Scope != "" && !strings.Contains(c.Text, c.Scope) {
		scope = "scope: " + oneLine(c.Scope)
	}
	from := whose(c.Provenance)
	if c.Path != "" {
		from = oneLine(c.Path)
	}
	return "- " + quote(strings.TrimSpace(c.Text)) + note(exception, scope, from)
}

// invariants stand near the end. Those that are constraints word for word
// are above already.
func (r *renderer) invariants() section {
	s := newSection(secInvariants)
	said := make(map[string]bool, len(r.state.Constraints))
	for i := range r.state.Constraints {
		if c := &r.state.Constraints[i]; !c.Resent || r.options.RenderResent {
			said[c.Text] = true
		}
	}
	for i := range r.state.Invariants {
		v := &r.state.Invariants[i]
		if said[v.Text] {
			continue
		}
		said[v.Text] = true
		advisory := ""
		if v.Binding == "advisory" {
			advisory = "advisory"
		}
		s.must("- "+quote(v.Text)+note(advisory, whose(v.Provenance))).named(v.ID, v.Source)
	}
	if len(s.items) == 0 && len(r.state.Constraints) > 0 {
		s.must("All constraints above stay in force, but for what the user took back later: of two that disagree the later one holds.")
	}
	return s
}

func (r *renderer) todo() section {
	s := newSection(secTodo)
	phase := r.state.Phase
	for i := range r.state.Context.Todo {
		if t := &r.state.Context.Todo[i]; t.Status == "in_progress" && t.Text == phase.Name {
			phase.Name, phase.Status = "", "" // said by the list
		}
	}
	if line := phaseLine(&phase); line != "" {
		s.must(line)
	}
	if p := r.state.Context.Plan; p != nil {
		approval := "not approved"
		if p.Approved {
			approval = "approved by the user"
		}
		s.must("Plan: " + oneLine(p.Path) + note(approval)).from(p.Source)
	}
	for i := range r.state.Context.Todo {
		t := &r.state.Context.Todo[i]
		switch t.Status {
		case "completed":
			s.add(-i, "[x] "+oneLine(t.Text)).from(t.Source)
		case "cancelled":
			s.add(1_000-i, "[cancelled] "+oneLine(t.Text)).from(t.Source)
		case "in_progress":
			s.must("[in progress] " + oneLine(t.Text)).from(t.Source)
		default:
			s.must("[ ] " + oneLine(t.Text)).from(t.Source)
		}
	}
	return s
}

func phaseLine(p *pith.Phase) string {
	var b strings.Builder
	if p.Current != nil {
		b.WriteString("Phase " + itoa(*p.Current))
		if p.Total != nil {
			b.WriteString(" of " + itoa(*p.Total))
		}
	}
	if p.Name != "" {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(oneLine(p.Name))
	}
	if b.Len() > 0 && p.Status != "" {
		b.WriteString(note(strings.ReplaceAll(p.Status, "_", " ")))
	}
	for i, c := range p.ExitCriteria {
		if i == 0 {
			b.WriteString("; done when: ")
		} else {
			b.WriteString("; ")
		}
		b.WriteString(oneLine(c))
	}
	return b.String()
}

const (
	// longMessage is where a user's message counts as pasted bulk, in bytes.
	longMessage = 1_600
	// firstLine is what an old message is shortened to, in bytes.
	firstLine = 160
	// bytesPerToken is low enough for any text that is not CJK.
	bytesPerToken = 4
)

// messages are the user's later requests. The latest is whole unless it would
// take most of the block; the newest of the others are kept first.
func (r *renderer) messages() section {
	s := newSection(secMessages)
	all := r.state.Goal.Amendments
	for i := range all {
		a := &all[i]
		text := quote(strings.TrimSpace(a.Text))
		replaces := ""
		if a.Relation == "supersedes" {
			replaces = "replaces earlier wishes"
		}
		tail := note(replaces, whose(a.Provenance))
		part := func(limit int) string {
			if a.Shortened && len(text) <= limit {
				return "- " + text + mark(a.Source) + tail
			}
			return "- " + cut(text, limit, a.Source) + tail
		}
		if i == len(all)-1 {
			s.must(part(max(longMessage, int(r.budget)*bytesPerToken*2/5))).from(a.Source)
			continue
		}
		it := s.add(len(all)-i, part(longMessage)).from(a.Source)
		if len(text) > firstLine {
			line, _, _ := strings.Cut(text, "\n")
			it.short = "- " + truncate.Text(line, firstLine) + mark(a.Source) + tail
		}
	}
	return s
}
