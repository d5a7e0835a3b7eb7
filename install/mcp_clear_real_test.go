package install_test

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith/provider/providertest"
)

// Claude Code keeps the server at /clear, with the id of the session before in
// its environment: a checkpoint behind it is one of the session that asks.
func TestRealClaudeMCPBehindClear(t *testing.T) {
	t.Parallel()
	s := &script{}
	r := newRig(t, s)
	r.write(".mcp.json", string(mustJSON(map[string]any{"mcpServers": map[string]any{"pith": map[string]any{"command": pithPath(t), "args": []string{"mcp"}}}})))
	r.write(".claude/settings.json", `{"enableAllProjectMcpServers":true}`)
	s.then(providertest.Use("mcp__pith__state", `{}`), providertest.Say("One."), providertest.Use("mcp__pith__checkpoint", `{}`), providertest.Say("Two."))
	r.valid(r.chat("current", asked, "/clear", "Keep the state."))

	main := s.Main()
	if len(main) != 4 {
		t.Fatalf("%d requests", len(main))
	}
	before, behind := results(&main[1]), results(&main[3])
	if len(before) != 1 || len(behind) != 1 || !strings.HasPrefix(before[0], "session ") || !strings.Contains(behind[0], `"saved":true`) {
		t.Fatalf("%q\n%q", before, behind)
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(before[0], "session "), ",")
	if strings.Contains(behind[0], id) {
		t.Errorf("the checkpoint is one of the session before /clear: %s", behind[0])
	}
}
