package restore

import (
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/truncate"
)

// next is the one step to take, with all that has to be true for it.
func (r *renderer) next() section {
	s := newSection(secNext)
	n := &r.state.Next
	if r.options.Offer {
		r.offer(&s)
		return s
	}
	if n.Kind == "none" || n.Kind == "" {
		s.must(orElse(quote(n.Text), "None is open: the user's next message decides."))
		return s
	}
	var b strings.Builder
	proposed := ""
	switch {
	case n.Basis == "user_request":
		b.WriteString(r.answer())
	case n.Kind == "ask_user" && n.Basis == "none" || r.held():
		b.WriteString(quote(n.Text)) // nobody's words, but what the record shows
	default:
		b.WriteString(lead(n))
		listed := n.Basis == "todo" || n.Basis == "pending_call"
		if n.Provenance >= pith.Assistant && n.Text != "" && !listed {
			proposed = whose(n.Provenance) + "'s words, not approved by the user"
			b.WriteString("“" + quote(n.Text) + "”")
		} else {
			b.WriteString(quote(n.Text))
		}
	}
	if n.Command != "" && !strings.Contains(n.Text, n.Command) {
		b.WriteString(" `" + oneLine(n.Command) + "`")
	}
	if n.TargetPath != "" && !strings.Contains(n.Text, n.TargetPath) {
		b.WriteString(" on " + oneLine(n.TargetPath))
	}
	b.WriteString(note(proposed))
	s.must(b.String()).from(n.Source)
	r.gates(&s)
	return s
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// lead says what kind of step follows. An item of the list of steps, or a call
// to take up, says so itself.
func lead(n *pith.NextAction) string {
	switch {
	case n.Kind == "ask_user":
		return "The user's answer is awaited. "
	case n.Kind == "inspect" && (n.Basis == "todo" || n.Basis == "pending_call"):
		return ""
	}
	return n.Kind + ": "
}

// longRequest is where a request that stands above is not written out again, in bytes.
const longRequest = 320

// answer is the step of a request: the user's last words, which stand above
// under the goal or the later messages.
func (r *renderer) answer() string {
	n := &r.state.Next
	const toAnswer = "Answer the user: “"
	text := oneLine(n.Text)
	remark := strings.HasPrefix(text, toAnswer)
	text = strings.TrimPrefix(text, toAnswer)
	said, above := r.state.Goal.Text, "the goal above"
	if k := len(r.state.Goal.Amendments); k > 0 {
		said, above = r.state.Goal.Amendments[k-1].Text, "the last message above"
	}
	if len(text) > longRequest && strings.HasPrefix(oneLine(said), text[:longRequest/2]) {
		text = truncate.Text(text, longRequest/2) + "” (in full: " + above + ")"
	} else if words, note, told := strings.Cut(text, answering); told && !remark {
		text = words + "”" + answering + note // what it answers is not the user's words
	} else if !remark {
		text += "”"
	}
	switch {
	case remark:
		return toAnswer + text
	case n.Kind == "edit":
		return "Carry out what the user asked: “" + text
	}
	return "Answer the user, doing what it takes: “" + text
}

// answering begins the note that the text of a request ends with where it is
// an answer.
const answering = " (in answer to: “"

// offer quotes the step that was open for a session with a request of its own.
func (r *renderer) offer(s *section) {
	n := &r.state.Next
	if n.Kind == "none" || n.Kind == "" {
		s.must("The user's new request decides. No step was open.")
		return
	}
	var gates []string
	if n.Provenance >= pith.Assistant && n.Basis != "none" {
		gates = append(gates, whose(n.Provenance)+"'s words, not approved by the user")
	}
	switch {
	case n.Destructive:
		gates = append(gates, "destructive: only after the user's explicit confirmation")
	case n.RequiresConfirmation && n.Kind != "ask_user":
		gates = append(gates, "only after the user's confirmation")
	}
	s.must("The user's new request decides. On offer, if the user wants to go on: “" + oneLine(stepText(n)) + "”" + note(gates...))
	for i := range n.Preconditions {
		p := &n.Preconditions[i]
		s.must("Before that step: " + oneLine(p.Path) + " must " + mustBe(p.Must))
	}
}

// gates are what stands between the next action and its execution.
func (r *renderer) gates(s *section) {
	n := &r.state.Next
	switch {
	case n.Destructive:
		s.must("Destructive: only after the user's explicit confirmation.")
	case n.RequiresConfirmation && r.held():
		s.must("Anything beyond that check needs the user's confirmation.")
	case n.RequiresConfirmation && n.Kind != "ask_user":
		s.must("Only after the user's confirmation.")
	}
	for i := range n.Preconditions {
		p := &n.Preconditions[i]
		s.must("Check first: " + oneLine(p.Path) + " must " + mustBe(p.Must))
	}
}

func mustBe(m string) string {
	if m == "exist" {
		return "exist"
	}
	return "be " + m
}
