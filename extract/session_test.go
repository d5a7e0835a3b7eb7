package extract

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// session is a small conversation, written one turn at a time.
type session struct {
	x     *Extractor
	next  int
	calls int
	// blocks holds every block's text by its key, to look sources up in.
	blocks map[string]string
}

func newSession() *session { return &session{x: New(), blocks: map[string]string{}} }

func (s *session) message(role pith.Role, blocks ...pith.Block) *session {
	m := &pith.Message{Index: s.next, Role: role, Blocks: blocks, CWD: "/srv/shop"}
	for i := range blocks {
		s.blocks[pith.Source{Message: m.Index, Block: i}.BlockKey()] = blocks[i].Text
	}
	s.next++
	s.x.Message(m)
	return s
}

func textBlock(o pith.Provenance, t string) pith.Block {
	return pith.Block{Kind: pith.KindText, Origin: o, Text: t}
}

func (s *session) system(t string) *session {
	return s.message(pith.RoleSystem, textBlock(pith.System, t))
}
func (s *session) user(t string) *session {
	return s.message(pith.RoleUser, textBlock(pith.UserExplicit, t))
}
func (s *session) harness(t string) *session {
	return s.message(pith.RoleUser, textBlock(pith.Harness, t))
}
func (s *session) says(t string) *session {
	return s.message(pith.RoleAssistant, textBlock(pith.Assistant, t))
}

// arg is a field of a tool use; raw marks JSON that is no string.
func arg(key, value string) pith.Arg { return pith.Arg{Key: key, Value: value, IsString: true} }
func raw(key, value string) pith.Arg { return pith.Arg{Key: key, Value: value} }

func (s *session) use(tool string, args ...pith.Arg) *session {
	s.calls++
	return s.message(pith.RoleAssistant, pith.Block{
		Kind: pith.KindToolUse, Origin: pith.Assistant, ToolUseID: "c" + string(rune('0'+s.calls)), ToolName: tool, Args: args, Text: pith.ToolUseText(tool, args),
	})
}

func (s *session) result(t string, change ...func(*pith.Block)) *session {
	b := pith.Block{Kind: pith.KindToolResult, Origin: pith.ToolOutput, ToolUseID: "c" + string(rune('0'+s.calls)), Text: t}
	for _, c := range change {
		c(&b)
	}
	return s.message(pith.RoleUser, b)
}

func rejected(b *pith.Block) { b.Rejected, b.IsError = true, true }

// facts closes the session and looks every quote up where its source says.
func (s *session) facts(t *testing.T) *Facts {
	t.Helper()
	f := s.x.Facts()
	holds := func(what, quote string, at pith.Source) {
		t.Helper()
		text, ok := s.blocks[at.BlockKey()]
		if at.End > len(text) || !ok {
			t.Errorf("%s: source %s lies outside of the session", what, at)
			return
		}
		if at.End > 0 {
			text = text[at.Start:at.End]
		}
		if !strings.Contains(text, quote) {
			t.Errorf("%s: %s holds %q, not %q", what, at, text, quote)
		}
	}
	if f.Goal.Text != noRequest {
		holds("goal", f.Goal.Text, f.Goal.Source)
	}
	for _, a := range f.Goal.Amendments {
		if !a.Shortened {
			holds("amendment", a.Text, a.Source)
		}
	}
	for _, c := range f.Constraints {
		holds("constraint", c.Text, c.Source)
		if !strings.Contains(c.Text, c.Exception) || !strings.Contains(c.Text, c.Scope) {
			t.Errorf("constraint %q: exception %q or scope %q is no part of it", c.Text, c.Exception, c.Scope)
		}
	}
	for _, i := range f.Invariants {
		holds("invariant", i.Text, i.Source)
	}
	for _, d := range f.Decisions {
		holds("decision", d.Decision, d.Source)
	}
	for _, list := range [][]pith.Quote{f.Context.Done, f.Context.Environment, f.Context.OpenQuestions, f.Context.URLs} {
		for _, q := range list {
			holds("quote", q.Text, q.Source)
		}
	}
	checkNext(t, &f.Next)
	return f
}

// checkNext holds what is true of every next action.
func checkNext(t *testing.T, n *pith.NextAction) {
	t.Helper()
	switch {
	case n.Text == "" || strings.Contains(n.Text, "\n") || len(n.Text) > 2000:
		t.Errorf("next action has the text %q", n.Text)
	case n.Destructive && (!n.RequiresConfirmation || len(n.Preconditions) == 0):
		t.Errorf("destructive action without confirmation or precondition: %+v", n)
	case n.Kind == "edit" && n.TargetPath == "", n.Kind == "command" && n.Command == "":
		t.Errorf("%s without its object: %+v", n.Kind, n)
	case n.Provenance == pith.ToolOutput || n.Provenance == pith.System:
		t.Errorf("next action comes from %s", n.Provenance)
	case strings.ContainsAny(n.Command, ";|&`\n"):
		t.Errorf("composed command %q", n.Command)
	}
}

func texts[T any](list []T, text func(T) string) []string {
	var out []string
	for _, v := range list {
		out = append(out, text(v))
	}
	return out
}

func constraintTexts(f *Facts) []string {
	return texts(f.Constraints, func(c pith.Constraint) string { return c.Text })
}

func contains(list []string, part string) bool {
	for _, s := range list {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}
