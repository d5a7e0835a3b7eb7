package install_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/provider/providertest"
)

// rig is a machine of its own for a real coding agent: an empty home, a git
// repository to work in, pith as this checkout builds it, and a provider on
// loopback that says what the test wrote down. Nothing leaves the machine.
type rig struct {
	t    *testing.T
	Home string
	// Work is the repository; its README.md holds a rule.
	Work   string
	Server *providertest.Server
	Script *script
	// Env is added to the environment of every program that is run.
	Env []string
}

// result is how a program ended.
type result struct {
	Out, Err string
	Code     int
}

// clientLimit bounds a run of an agent: they take seconds, and on a machine that
// does much else a minute.
const clientLimit = 3 * time.Minute

// newRig makes a rig, or skips the test where the agents are not installed.
// agent is a path in the folder of the agents, as "current/claude".
func newRig(t *testing.T, s *script) *rig {
	t.Helper()
	agents(t)
	home := t.TempDir()
	if resolved, err := filepath.EvalSymlinks(home); err == nil {
		home = resolved
	}
	r := &rig{t: t, Home: filepath.Join(home, "home"), Work: filepath.Join(home, "work"), Script: s}
	r.Server = providertest.New(t, providertest.Options{Script: s.answer, Clients: true, IsCompaction: asksForSummary})
	r.write("../home/.keep", "")
	r.write("README.md", "# Demo\nRule: never touch src/legacy.go\n")
	r.write("src/main.go", "package main\n\nfunc main() {}\n")
	r.git("init", "-q", "-b", "main")
	r.git("add", "-A")
	r.git("-c", "user.email=t@example.com", "-c", "user.name=t", "commit", "-qm", "init")
	return r
}

// agents is the folder of the coding agents.
func agents(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PITH_CLIENTS")
	if dir == "" {
		t.Skip("needs real coding agents: `.ci/clients DIR` installs them (npm, 2 GB), then set PITH_CLIENTS=DIR")
	}
	return dir
}

// agent is the path of a coding agent, as "current/claude".
func (r *rig) agent(name string) string {
	r.t.Helper()
	dir, base := filepath.Split(name)
	path := filepath.Join(agents(r.t), dir, "node_modules", ".bin", base)
	if _, err := os.Stat(path); err != nil {
		r.t.Fatalf("%s is not installed: %v (`.ci/clients DIR` installs it)", name, err)
	}
	return path
}

var buildPith = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pith-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "pith")
	out, err := exec.Command("go", "build", "-o", path, "github.com/pith-memory/pith/cmd/pith").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build pith: %w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := buildPith(); err == nil && os.Getenv("PITH_CLIENTS") != "" {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// pithPath is the binary that this checkout builds.
func pithPath(t *testing.T) string {
	t.Helper()
	path, err := buildPith()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// pith runs pith in the rig, and fails the test where it does not end with 0.
func (r *rig) pith(args ...string) result {
	r.t.Helper()
	res := r.run("", append([]string{pithPath(r.t)}, args...)...)
	if res.Code != 0 {
		r.t.Fatalf("pith %s: exit %d\n%s%s", strings.Join(args, " "), res.Code, res.Out, res.Err)
	}
	return res
}

// run runs a program in the repository with the rig's environment and an input.
func (r *rig) run(input string, args ...string) result {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), clientLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.Work, r.environment(), strings.NewReader(input)
	cmd.WaitDelay = 5 * time.Second
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	res := result{Out: out.String(), Err: errOut.String(), Code: cmd.ProcessState.ExitCode()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatalf("%s: %v\n%s%s", args[0], err, res.Out, res.Err)
	}
	return res
}

// environment is what programs see: nothing of the tester's own, and no agent
// that phones home.
func (r *rig) environment() []string {
	node := filepath.Dir(agents(r.t))
	if path, err := exec.LookPath("node"); err == nil {
		node = filepath.Dir(path)
	}
	env := []string{
		"PATH=" + strings.Join([]string{node, "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"}, string(os.PathListSeparator)),
		"HOME=" + r.Home, "XDG_CONFIG_HOME=" + filepath.Join(r.Home, ".config"), "XDG_DATA_HOME=" + filepath.Join(r.Home, ".local/share"),
		"XDG_STATE_HOME=" + filepath.Join(r.Home, ".local/state"), "XDG_CACHE_HOME=" + filepath.Join(r.Home, ".cache"),
		"LANG=C.UTF-8", "TERM=xterm-256color", "SHELL=/bin/bash", "IS_SANDBOX=1", "NO_COLOR=1",
		"DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DO_NOT_TRACK=1",
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
	}
	return append(env, r.Env...)
}

// claude runs Claude Code without a terminal: version is current or classic.
func (r *rig) claude(version string, args ...string) result {
	r.t.Helper()
	saved := r.Env
	defer func() { r.Env = saved }()
	r.Env = append(append([]string{}, saved...), "ANTHROPIC_BASE_URL="+r.Server.URL, "ANTHROPIC_API_KEY=sk-ant-test-000")
	return r.run("", append([]string{r.agent(version + "/claude"), "--permission-mode", "bypassPermissions"}, args...)...)
}

// write puts a file into the repository.
func (r *rig) write(name, text string) {
	r.t.Helper()
	put(r.t, filepath.Join(r.Work, name), text)
}

// runs has a client's part, which lies somewhere below the home folder, run
// another program in pith's place.
func (r *rig) runs(part, at, pith string) {
	r.t.Helper()
	text, err := os.ReadFile(part)
	if err != nil {
		r.t.Fatal(err)
	}
	put(r.t, filepath.Join(r.Home, at), strings.ReplaceAll(string(text), "__PITH__", pith))
}

// put writes a file, and the folders above it.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) git(args ...string) {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Work
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// script is what the provider says: the turns in order, to requests that carry
// tools; Summary to a request for the client's own compaction; "ok" to any other.
type script struct {
	Turns []providertest.Answer
	// Agent are the turns of sub-agents.
	Agent   []providertest.Answer
	Summary string
	// Each is called with every request before it is answered, nil for nothing.
	Each func(*providertest.Request)

	mu        sync.Mutex
	next      int
	summaries int
	main      []providertest.Request
	agent     []providertest.Request
}

// then adds turns behind the others.
func (s *script) then(turns ...providertest.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Turns = append(s.Turns, turns...)
}

func (s *script) answer(q *providertest.Request) providertest.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Each != nil {
		s.Each(q)
	}
	if q.Compaction {
		s.summaries++
		if strings.Contains(string(q.Body), `"compaction_trigger"`) {
			return providertest.Answer{Compaction: s.Summary}
		}
		return providertest.Say(s.Summary)
	}
	if !hasTools(q) {
		return providertest.Say("ok")
	}
	if ofSubAgent(q) {
		s.agent = append(s.agent, *q)
		if n := len(s.agent); n <= len(s.Agent) {
			return s.Agent[n-1]
		}
		return providertest.Say("The part is done.")
	}
	s.main = append(s.main, *q)
	if s.next >= len(s.Turns) {
		return providertest.Say("Done.")
	}
	s.next++
	return s.Turns[s.next-1]
}

// ofSubAgent tells the requests of a sub-agent, of Claude Code's or of Codex's.
func ofSubAgent(q *providertest.Request) bool {
	return q.Header.Get("X-Claude-Code-Agent-Id") != "" || strings.Contains(q.Header.Get("X-Codex-Turn-Metadata"), `"agent_name":"/root/`)
}

// Summaries counts the requests for the client's own compaction.
func (s *script) Summaries() int { s.mu.Lock(); defer s.mu.Unlock(); return s.summaries }

// Main lists the requests that were answered with turns, in order.
func (s *script) Main() []providertest.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]providertest.Request(nil), s.main...)
}

// Agents lists the requests of sub-agents, in order.
func (s *script) Agents() []providertest.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]providertest.Request(nil), s.agent...)
}

// hasTools tells a turn of the agent from its requests for titles and the like.
func hasTools(q *providertest.Request) bool {
	var body struct {
		Tools []json.RawMessage `json:"tools"`
		Input []struct {
			Type string `json:"type"`
		} `json:"input"`
	}
	if json.Unmarshal(q.Body, &body) != nil {
		return false
	}
	return len(body.Tools) > 0 || len(body.Input) > 0 && body.Input[0].Type == "additional_tools"
}

// summaryMarks are words of the clients' own requests for a summary.
var summaryMarks = []string{
	"Your task is to create a detailed summary", "CONTEXT CHECKPOINT COMPACTION", "anchored summary", `"compaction_trigger"`,
	"context summarization",
}

func asksForSummary(q *providertest.Request) bool {
	body := string(q.Body)
	last := q.LastText() + body[max(0, len(body)-40_000):] // behind the messages a body has its tools
	for _, m := range summaryMarks {
		if strings.Contains(last, m) {
			return true
		}
	}
	return false
}

// used is a usage that tells the client how full its window is.
func used(tokens int) *pith.Usage { return &pith.Usage{Input: 4, CacheRead: tokens - 4, Output: 50} }
