package install_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/provider/providertest"
)

// results are the texts that the tools of a request gave back, in order.
func results(q *providertest.Request) (all []string) {
	for i := range q.Conversation.Messages {
		for _, b := range q.Conversation.Messages[i].Blocks {
			if b.Kind == pith.KindToolResult {
				all = append(all, b.Text)
			}
		}
	}
	return all
}

// memoryCalls are the turns of an agent that writes a file and then asks the
// server for what it knows, under the names that its client gives the tools.
func memoryCalls(prefix string, first providertest.Answer) []providertest.Answer {
	return []providertest.Answer{
		first,
		providertest.Use(prefix+"checkpoint", `{"reason":"phase"}`),
		providertest.Use(prefix+"state", `{}`),
		providertest.Use(prefix+"state", `{"section":"constraints","limit":500}`),
		providertest.Use(prefix+"recall", `{"reference":"goal"}`),
		providertest.Use(prefix+"search", `{"query":"billing"}`),
		providertest.Use(prefix+"recall", `{"reference":"no such thing"}`),
		providertest.Say("Done."),
	}
}

// holdsMemory checks what came back for memoryCalls, whatever stands before.
func holdsMemory(t *testing.T, requests []providertest.Request) {
	t.Helper()
	if len(requests) < 8 {
		t.Fatalf("%d requests, want 8", len(requests))
	}
	got := results(&requests[7])
	if len(got) != 7 {
		t.Fatalf("%d results: %q", len(got), got)
	}
	for i, want := range []string{"", `"saved":true`, "<pith-memory checkpoint=", "Never touch billing", "Never touch billing", "Never touch billing", "What to do"} {
		if !strings.Contains(strings.ReplaceAll(got[i], `\"`, `"`), want) {
			t.Errorf("result %d lacks %q: %.600s", i, want, got[i])
		}
	}
}

const asked = "Split the server in two. Never touch billing/."

func TestRealClaudeMCP(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"current", "classic"} {
		t.Run(version, func(t *testing.T) {
			s := &script{Turns: memoryCalls("mcp__pith__", providertest.Use("Bash", `{"command":"echo one","description":"d"}`))}
			r := newRig(t, s)
			config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"pith": map[string]any{"command": pithPath(t), "args": []string{"mcp"}}}})
			if err != nil {
				t.Fatal(err)
			}
			r.write("../home/mcp.json", string(config))
			res := r.claude(version, "-p", asked, "--mcp-config", filepath.Join(r.Home, "mcp.json"), "--strict-mcp-config")
			if res.Code != 0 || len(r.Server.Problems()) > 0 {
				t.Fatalf("%+v\n%q", res, r.Server.Problems())
			}
			holdsMemory(t, s.Main())
		})
	}
}

// The server that comes with the plugin has the plugin's name in its tools'.
func TestRealClaudePluginMCP(t *testing.T) {
	t.Parallel()
	s := &script{Turns: memoryCalls("mcp__plugin_pith_pith__", providertest.Use("Bash", `{"command":"echo one","description":"d"}`))}
	r := newClaude(t, s)
	r.valid(r.claude("current", "-p", asked))
	holdsMemory(t, s.Main())
}

func TestRealCodexMCP(t *testing.T) {
	t.Parallel()
	s := &script{Turns: memoryCalls("", providertest.Use("exec_command", `{"cmd":"echo one"}`))}
	for i := range s.Turns[1 : len(s.Turns)-1] {
		s.Turns[i+1].Calls[0].Namespace = "mcp__pith"
	}
	r := newRig(t, s)
	r.write("../home/.codex/config.toml", fmt.Sprintf(codexConfig, r.Server.URL)+
		fmt.Sprintf("\n[mcp_servers.pith]\ncommand = %q\nargs = [\"mcp\"]\n", pithPath(t)))
	res := r.codex("--skip-git-repo-check", asked)
	if res.Code != 0 || len(r.Server.Problems()) > 0 {
		t.Fatalf("%+v\n%q", res, r.Server.Problems())
	}
	holdsMemory(t, s.Main())
}
