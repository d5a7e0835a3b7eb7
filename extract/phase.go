package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// phaseSlot tells where the work stands: the list of steps, the phase that was
// named last, what is finished, and the language it is talked about in.
type phaseSlot struct {
	todo     todoSlot
	parts    partsSlot
	done     doneSlot
	urls     urlSlot
	keyLines keyLineSlot
	language languageSlot
	named    namedPhase
	owner    string
	started  bool
}

// namedPhase is a phase that a text named: "Phase 2 of 4: tests".
type namedPhase struct {
	current, total int
	name           string
	seq            int
}

func (p *phaseSlot) said(s *Said) {
	if s.Side {
		return
	}
	p.owner = s.Agent
	p.language.said(s)
	p.parts.said(s)
	p.todo.said(s)
	switch s.Origin {
	case pith.Assistant:
		p.started = true
		p.phases(s)
	case pith.UserExplicit:
		if isRequest(s) {
			p.phases(s)
		}
	}
}

func (p *phaseSlot) call(c *Call) {
	p.todo.call(c)
	p.parts.call(c)
	p.done.call(c)
	p.urls.call(c)
	p.keyLines.call(c)
	p.started = p.started || !c.Side
}

// phases reads the last "Phase 2 of 4" or "step 3/5" of a text.
func (p *phaseSlot) phases(s *Said) {
	for _, mark := range [...]string{"hase ", "tep "} {
		for from := 0; ; {
			i := strings.Index(s.Text[from:], mark)
			if i < 0 {
				break
			}
			i += from
			from = i + len(mark)
			if i == 0 || !strings.ContainsRune("PpSs", rune(s.Text[i-1])) || i > 1 && wordBefore(s.Text, i-1) {
				continue
			}
			if n, ok := readPhase(s.Text[from:]); ok && (n.total > 0 || mark == "hase " && entersPhase(s.Text[:i-1])) {
				n.seq = s.Call
				p.named = n
			}
		}
	}
}

// entersPhase tells whether the words before "phase 2" say that it begins:
// documents name phases without being in one.
func entersPhase(before string) bool {
	before = strings.ToLower(cutFrom(before, 24))
	for _, w := range [...]string{"starting ", "start ", "begin ", "beginning ", "moving to ", "moving on to ", "now in ", "entering ", "on to ", "current "} {
		if strings.HasSuffix(before, w) {
			return true
		}
	}
	return false
}

// readPhase reads "2 of 4: name", "2/4", "2: name".
func readPhase(text string) (n namedPhase, ok bool) {
	number := func() int {
		v, i := 0, 0
		for i < len(text) && i < 3 && text[i] >= '0' && text[i] <= '9' {
			v = v*10 + int(text[i]-'0')
			i++
		}
		text = text[i:]
		return v
	}
	if n.current = number(); n.current == 0 {
		return n, false
	}
	for _, of := range [...]string{" of ", "/", " / ", " out of "} {
		if rest, found := strings.CutPrefix(text, of); found {
			text = rest
			n.total = number()
			break
		}
	}
	if n.total > 0 && n.current > n.total {
		return n, false
	}
	text = strings.TrimLeft(text, "*_ )")
	for _, sep := range [...]string{":", "—", "–", "- "} {
		if rest, found := strings.CutPrefix(text, sep); found {
			line, _, _ := strings.Cut(rest, "\n")
			n.name = strings.Trim(cutTo(strings.TrimSpace(strings.Trim(line, " *_")), 120), " *_:")
			break
		}
	}
	return n, true
}

func (p *phaseSlot) facts(f *Facts) {
	todo := p.todo.items()
	if len(p.parts.parts) > 0 && p.parts.seq >= p.todo.seq {
		todo = append([]pith.Todo{}, p.parts.items()...)
	}
	f.Context.Todo = todo
	f.Context.Language = p.language.language()
	f.Context.Done = p.done.quotes()
	f.Context.URLs = p.urls.quotes()
	f.Context.KeyLines = p.keyLines.lines()
	f.Phase = p.phase(todo)
}

func (p *phaseSlot) phase(todo []pith.Todo) pith.Phase {
	out := pith.Phase{Status: "in_progress", Owner: "main"}
	if p.owner != "" {
		out.Owner = p.owner
	}
	if !p.started {
		out.Status = "not_started"
	}
	if n := p.named; n.current > 0 && (n.seq >= p.todo.seq || len(todo) == 0) {
		out.Current, out.Name = &n.current, oneLine(n.name)
		if n.total > 0 {
			out.Total = &n.total
		}
		return out
	}
	if len(todo) == 0 {
		return out
	}
	current, total := len(todo), len(todo)
	for i := range todo {
		if todo[i].Status == "in_progress" || todo[i].Status == "pending" {
			current, out.Name = i+1, oneLine(cutTo(todo[i].Text, 190))
			break
		}
	}
	out.Current, out.Total = &current, &total
	switch {
	case out.Name == "":
		out.Status = "completed"
	case current == 1 && todo[0].Status == "pending":
		out.Status = "not_started"
	}
	return out
}

// oneLine joins the lines of a text, as what is shown in one line must be.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
