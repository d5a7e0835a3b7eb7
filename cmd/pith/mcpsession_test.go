package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpCall gives the text of a call that a client says more of.
func mcpCall(t *testing.T, s *mcp.ClientSession, p *mcp.CallToolParams) string {
	t.Helper()
	r, err := s.CallTool(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r.Content[0].(*mcp.TextContent).Text
}

// besideMCP writes another session of Claude Code beside the one that
// mcpCommandLine has, and gives its file.
func besideMCP(t *testing.T, project, session, call string) string {
	t.Helper()
	there, err := filepath.Glob(filepath.Join(filepath.Dir(project), "claude", "projects", "*", mcpSession+".jsonl"))
	if err != nil || len(there) != 1 {
		t.Fatal(there, err)
	}
	row := `{"sessionId":%q,"cwd":%q,"timestamp":"2026-11-01T10:00:00Z",`
	rows := fmt.Sprintf(row+`"type":"user","uuid":"u1","message":{"role":"user","content":"Never touch billing/."}}`+"\n", session, project) +
		fmt.Sprintf(row+`"type":"assistant","uuid":"u2","parentUuid":"u1","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":%q,"name":"mcp__pith__state","input":{}}]}}`+"\n", session, project, call)
	file := filepath.Join(filepath.Dir(there[0]), session+".jsonl")
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A call is about the session whose file has it: a server that Claude Code keeps
// at /clear has the id of the session before in its environment.
func TestMCPBehindClear(t *testing.T) {
	const cleared = "77777777-3c7a-4a52-9a0e-2f1f6f0a9d11"
	cmd := mcpCommandLine(t)
	besideMCP(t, cmd.Dir, cleared, "toolu_new")
	s, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "2"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	is := func(call, want string, p mcp.CallToolParams) {
		t.Helper()
		p.Meta = mcp.Meta{"claudecode/toolUseId": call}
		if text := mcpCall(t, s, &p); !strings.Contains(text, want) {
			t.Errorf("%s by %s is not about %s: %s", p.Name, call, want, text)
		}
	}
	is("toolu_new", cleared, mcp.CallToolParams{Name: "state"})
	is("toolu_new", cleared, mcp.CallToolParams{Name: "checkpoint"})
	is("toolu_new", cleared, mcp.CallToolParams{Name: "pin", Arguments: map[string]any{"text": "the auditors come"}})
	is("toolu_in_no_file", mcpSession, mcp.CallToolParams{Name: "state"})
}

// Where nothing says which session it is, all tools mean the same one; a
// session is named by the beginning of its id in all of them.
func TestMCPSameSession(t *testing.T) {
	const newer = "77777777-3c7a-4a52-9a0e-2f1f6f0a9d11"
	cmd := mcpCommandLine(t)
	cmd.Env = append(cmd.Env, "CLAUDE_CODE_SESSION_ID=")
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if text := mcpCall(t, s, &mcp.CallToolParams{Name: "checkpoint"}); !strings.Contains(text, mcpSession) {
		t.Fatal(text)
	}
	besideMCP(t, cmd.Dir, newer, "toolu_1")
	for _, tool := range []string{"state", "checkpoint"} {
		if text := mcpCall(t, s, &mcp.CallToolParams{Name: tool}); !strings.Contains(text, newer) {
			t.Errorf("%s is not about the newest session: %s", tool, text)
		}
		if text := mcpCall(t, s, &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"session": mcpSession[:4]}}); !strings.Contains(text, mcpSession) {
			t.Errorf("%s does not take the beginning of an id: %s", tool, text)
		}
	}
}

// A link in the project's folder does not make another project's session its own.
func TestMCPTranscriptLink(t *testing.T) {
	cmd := mcpCommandLine(t)
	own := besideMCP(t, cmd.Dir, "88888888-3c7a-4a52-9a0e-2f1f6f0a9d11", "toolu_1")
	other := filepath.Join(t.TempDir(), "99999999-3c7a-4a52-9a0e-2f1f6f0a9d11.jsonl")
	if err := os.Rename(own, other); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(filepath.Dir(own), filepath.Base(other))); err != nil {
		t.Fatal(err)
	}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, path := range []string{other, filepath.Join(filepath.Dir(own), filepath.Base(other))} {
		if text := mcpCall(t, s, &mcp.CallToolParams{Name: "checkpoint", Arguments: map[string]any{"transcript": path}}); !strings.Contains(text, "no agent has it") {
			t.Errorf("%s was taken: %s", path, text)
		}
	}
}
