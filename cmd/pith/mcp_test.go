package main

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const mcpSession = "5b0d7c1e-3c7a-4a52-9a0e-2f1f6f0a9d11"

// mcpCommandLine is the real program on a machine of its own, where an agent
// has one session of a project.
func mcpCommandLine(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is run by a link to the test, which Windows does not let every account make")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := projectFolder(t.TempDir())
	project := filepath.Join(dir, "project")
	sessions := filepath.Join(dir, "claude", "projects", strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, project))
	for _, d := range []string{project, sessions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "sessions", "claude-code.jsonl"))
	text = bytes.ReplaceAll(text, []byte("/home/ada/src/ledger"), []byte(project)) // which may be a folder of this machine
	if err == nil {
		err = os.WriteFile(filepath.Join(sessions, mcpSession+".jsonl"), text, 0o600)
	}
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "pith"))
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, "pith"), append([]string{"mcp"}, args...)...)
	cmd.Dir = project
	cmd.Env = []string{
		"HOME=" + dir, "XDG_DATA_HOME=" + filepath.Join(dir, "data"), "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "XDG_CONFIG_HOME=" + filepath.Join(dir, "config"),
		"CLAUDE_CONFIG_DIR=" + filepath.Join(dir, "claude"), "CLAUDE_CODE_SESSION_ID=" + mcpSession, "CLAUDE_PROJECT_DIR=" + project,
	}
	return cmd
}

// mcpAsks holds what a client of any kind gets from the real program.
func mcpAsks(t *testing.T, s *mcp.ClientSession) {
	t.Helper()
	call := func(name string, args map[string]any) (string, string, bool) {
		t.Helper()
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text := ""
		for _, c := range r.Content {
			text += c.(*mcp.TextContent).Text
		}
		next, _ := r.Meta["pith/nextCursor"].(string)
		return text, next, r.IsError
	}
	for _, c := range []struct {
		tool   string
		args   map[string]any
		want   string
		failed bool
	}{
		{"checkpoint", map[string]any{"reason": "phase"}, `"saved":true`, false},
		{"checkpoint", map[string]any{"transcript": "/etc/passwd"}, "no agent has it", true},
		{"state", nil, "Never change the database schema", false},
		{"state", map[string]any{"section": "files"}, "modified:", false},
		{"state", map[string]any{"section": "nonsense"}, "pass one of goal", true},
		{"recall", map[string]any{"reference": "constraints"}, "Never change the database schema", false},
		{"recall", map[string]any{"calls": "go test"}, "tool_result of Bash", false},
		{"recall", map[string]any{"reference": "zz/12.0"}, "What to do", true},
		{"search", map[string]any{"query": "database schema"}, "## ", false},
		{"search", map[string]any{"query": "xyzzy plugh"}, "No passage", false},
		{"pin", map[string]any{"text": "the auditors come on Friday"}, `"changed":true`, false},
		{"pin", map[string]any{"text": "the auditors come on Friday"}, `"changed":false`, false},
		{"state", nil, "the auditors come on Friday (pinned by the agent, not the user)", false},
		{"pin", map[string]any{"text": "the auditors come on Friday", "remove": true}, `"pins":0`, false},
		{"handoff", map[string]any{"to": "tester"}, "pith key new", true},
	} {
		if text, _, failed := call(c.tool, c.args); failed != c.failed || !strings.Contains(text, c.want) {
			t.Errorf("%s %v: failed %v, no %q in %.400s", c.tool, c.args, failed, c.want, text)
		}
	}
	pages := 0
	for args := map[string]any{"query": "the", "limit": 3}; pages < 100; pages++ {
		text, next, failed := call("search", args)
		if failed || text == "" {
			t.Fatalf("page %d: %s", pages, text)
		}
		if next == "" {
			break
		}
		args["cursor"] = next
	}
	if pages < 2 || pages == 100 {
		t.Errorf("%d pages of a search", pages)
	}
	r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "pith://session/" + mcpSession})
	if err != nil || !strings.Contains(r.Contents[0].Text, `"total":3`) {
		t.Errorf("%v %+v", err, r)
	}
	if _, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "resume"}); err != nil {
		t.Error(err)
	}
}

func TestMCPOverLines(t *testing.T) {
	for _, version := range []string{"2026-07-28", "2025-06-18"} {
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		s, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: mcpCommandLine(t)}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(version, err)
		}
		mcpAsks(t, s)
		if err := s.Close(); err != nil {
			t.Errorf("%s: it does not end well: %v", version, err)
		}
	}
}

// A client's roots say which project it works in.
func TestMCPRoots(t *testing.T) {
	cmd := mcpCommandLine(t)
	project := cmd.Dir
	cmd.Dir = filepath.Dir(project)
	cmd.Env = append(cmd.Env, "CLAUDE_PROJECT_DIR=", "CLAUDE_CODE_SESSION_ID=")
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	client.AddRoots(&mcp.Root{URI: "file://" + project}) //nolint:staticcheck // clients of older versions have roots
	s, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-06-18"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "state"})
	if err != nil || r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, mcpSession) {
		t.Errorf("%v %+v", err, r)
	}
}

// A store that cannot be opened is the error of a call.
func TestMCPBrokenStore(t *testing.T) {
	cmd := mcpCommandLine(t)
	broken := filepath.Join(filepath.Dir(cmd.Path), "broken.db")
	if err := os.WriteFile(broken, []byte(strings.Repeat("no database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, "PITH_STORE_PATH="+broken)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 2 {
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "state"})
		if err != nil || !r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "store") {
			t.Errorf("%v %+v", err, r)
		}
	}
	if r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "compact_text", Arguments: map[string]any{"text": "short"}}); err != nil || r.IsError {
		t.Errorf("%v %+v", err, r)
	}
}

// bearer adds a token to every request.
type bearer string

func (token bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// Over HTTP the token is in a file for its owner alone, and a signal ends the
// server well.
func TestMCPOverHTTP(t *testing.T) {
	cmd := mcpCommandLine(t, "--http", "127.0.0.1:0")
	file := filepath.Join(filepath.Dir(cmd.Path), "token")
	cmd.Args = append(cmd.Args, "--token-file", file)
	says, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewReader(says)
	first, err := lines.ReadString('\n')
	second, err2 := lines.ReadString('\n')
	_, endpoint, ok := strings.Cut(strings.TrimSpace(first), "pith: serving ")
	if err != nil || err2 != nil || !ok {
		t.Fatalf("%v %v: %q %q", err, err2, first, second)
	}
	token, err := os.ReadFile(file)
	info, err2 := os.Stat(file)
	if err != nil || err2 != nil || info.Mode().Perm() != 0o600 || len(strings.TrimSpace(string(token))) != 64 || strings.Contains(second, strings.TrimSpace(string(token))) {
		t.Fatalf("%v %v %v, %d bytes, %q", err, err2, info.Mode(), len(token), second)
	}
	dial := func(token string) (*mcp.ClientSession, error) {
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		return client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1}, nil)
	}
	if _, err := dial("wrong"); err == nil {
		t.Error("a wrong token connects")
	}
	s, err := dial(strings.TrimSpace(string(token)))
	if err != nil {
		t.Fatal(err)
	}
	mcpAsks(t, s)
	s.Close()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil && context.Cause(t.Context()) == nil {
		t.Errorf("it does not end well: %v", err)
	}
}
