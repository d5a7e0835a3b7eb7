package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestResourcesAndPrompts(t *testing.T) {
	p := newPlace(t)
	s := connect(t, p)
	call(t, s, "checkpoint", nil)
	other := connect(t, &place{folder: t.TempDir(), store: p.store}) // another project
	read := func(s *mcp.ClientSession, uri string) string {
		r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return "error: " + err.Error()
		}
		return r.Contents[0].Text
	}
	all, err := p.store.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for uri, want := range map[string]string{
		"pith://sessions": `"session_id":"` + sessionID, "pith://sessions?cursor=0": sessionID, "pith://session/" + sessionID: all[0].ID,
		"pith://session/" + sessionID + "?cursor=0": all[0].ID, "pith://checkpoint/" + all[0].ID: `"contract_type"`, "pith://checkpoint/" + all[0].ID[:12]: `"contract_type"`,
	} {
		if got := read(s, uri); !strings.Contains(got, want) || strings.HasPrefix(got, "error") {
			t.Errorf("%s: %.200s", uri, got)
		}
		if got := read(other, uri); strings.Contains(got, want) {
			t.Errorf("%s shows another project: %.200s", uri, got)
		}
	}
	for _, uri := range []string{"pith://session/", "pith://session/nobody", "pith://checkpoint/ab", "pith://nothing", "pith://sessions?cursor=x"} {
		if got := read(s, uri); !strings.HasPrefix(got, "error") {
			t.Errorf("%s: %.200s", uri, got)
		}
	}
	for name, a := range map[string]map[string]string{"resume": nil, "handoff": {"to": "tester", "task": "run it"}} {
		r, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: a})
		if err != nil || !strings.Contains(r.Messages[0].Content.(*mcp.TextContent).Text, "<pith-memory") {
			t.Errorf("%s: %v %+v", name, err, r)
		}
	}
	for name, a := range map[string]map[string]string{"resume": {"x": "y"}, "handoff": nil} {
		if _, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: a}); err == nil {
			t.Errorf("%s takes %v", name, a)
		}
	}
	c, err := s.Complete(t.Context(), &mcp.CompleteParams{
		Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "resume"}, Argument: mcp.CompleteParamsArgument{Name: "session", Value: "5b"},
	})
	if err != nil || len(c.Completion.Values) != 1 || c.Completion.Values[0] != sessionID {
		t.Errorf("%v %+v", err, c)
	}
}
