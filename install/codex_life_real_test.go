package install_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith/provider/providertest"
)

// pithTold lists what pith's hooks told the model in a request, the memory apart.
func pithTold(t *testing.T, q *providertest.Request) string {
	t.Helper()
	var out []string
	for _, text := range developerTexts(t, q) {
		if strings.HasPrefix(text, "From pith") || strings.HasPrefix(text, "Record of") {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

// TestRealCodexTrust: hooks that were not agreed to are passed over in silence;
// where pith wrote the agreement down they run, and no longer when they changed.
func TestRealCodexTrust(t *testing.T) {
	t.Parallel()
	s := &script{}
	r := newRig(t, s)
	r.write("../home/.codex/config.toml", fmt.Sprintf(codexConfig, r.Server.URL))
	ran := func() bool {
		t.Helper()
		os.RemoveAll(filepath.Join(r.Home, ".local/share/pith/hooks"))
		if res := r.codex("Say hello."); res.Code != 0 {
			t.Fatalf("%+v", res)
		}
		records, err := filepath.Glob(filepath.Join(r.Home, ".local/share/pith/hooks/*"))
		return err == nil && len(records) > 0
	}
	r.pith("install", "codex", "--yes")
	if ran() {
		t.Error("hooks ran that nobody had agreed to")
	}
	r.pith("install", "codex", "--yes", "--trust")
	if !ran() {
		t.Error("no hook ran of those that were agreed to")
	}
	hooks := codexFile(t, filepath.Join(r.codexHome(), "hooks.json"))
	r.write("../home/.codex/hooks.json", strings.ReplaceAll(hooks, "hook ", "hook  "))
	if ran() {
		t.Error("hooks ran that were changed after they were agreed to")
	}
}

// TestRealCodexTrustInProject: the agreement to a project's hooks is one of the
// user's settings, the only ones in which Codex looks for it.
func TestRealCodexTrustInProject(t *testing.T) {
	t.Parallel()
	s := &script{}
	r := newRig(t, s)
	trusted := fmt.Sprintf("\n[projects.%q]\ntrust_level = \"trusted\"\n", r.Work)
	r.write("../home/.codex/config.toml", fmt.Sprintf(codexConfig, r.Server.URL)+trusted)
	r.pith("install", "codex", "--yes", "--trust", "--scope", "project")
	if res := r.codex("Say hello."); res.Code != 0 {
		t.Fatalf("%+v", res)
	}
	if records, err := filepath.Glob(filepath.Join(r.Home, ".local/share/pith/hooks/*.json")); err != nil || len(records) == 0 {
		t.Errorf("no hook ran of those that were agreed to: %v", err)
	}
}

// codexFile is a file's text.
func codexFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestRealCodexSurvivesHooks: whatever becomes of pith, the session goes on.
func TestRealCodexSurvivesHooks(t *testing.T) {
	t.Parallel()
	for name, pith := range map[string]string{
		"missing": "/nowhere/pith",
		"hangs":   "sleep 600 #",
		"junk":    `printf '{"continue":false,' #`,
		"noise":   `head -c 3000000 /dev/urandom #`,
		"fault":   `sh -c 'echo panic >&2; exit 2'`,
		"killed":  `sh -c 'kill -9 $$'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			full := codexCommand("ls")
			full.Usage = used(26000)
			s := &script{Summary: "S", Turns: []providertest.Answer{full, providertest.Say("Done.")}}
			r := newCodexRig(t, s)
			hooks := strings.ReplaceAll(codexFile(t, filepath.Join(r.codexHome(), "hooks.json")), pithPath(t), strings.ReplaceAll(pith, `"`, `\"`))
			r.write("../home/.codex/hooks.json", strings.ReplaceAll(hooks, `"timeout": 15`, `"timeout": 1`))
			res := r.codex("--dangerously-bypass-hook-trust", "-c", "model_auto_compact_token_limit=25000", "Look around.")
			if res.Code != 0 || !strings.Contains(res.Out, "Done.") || s.Summaries() != 1 || len(s.Main()) != 2 || len(r.Server.Problems()) > 0 {
				t.Errorf("%+v\n%d compactions, %d requests, %q", res, s.Summaries(), len(s.Main()), r.Server.Problems())
			}
		})
	}
}

// TestRealCodexResumes: a session that goes on after a break is told what
// changed on the disk, what failed, and what comes next.
func TestRealCodexResumes(t *testing.T) {
	t.Parallel()
	s := &script{}
	r := newCodexRig(t, s)
	_, s.Turns = codexPlan(r, false)
	s.Turns = append(s.Turns, providertest.Say("Next I will port pkg/part0/made0.go."))
	if res := r.codex("Port the parser to the new lexer. Never edit src/legacy.go."); res.Code != 0 {
		t.Fatalf("%+v", res)
	}
	before := len(s.Main())
	r.write("pkg/part0/made0.go", "package part\n\nvar changed = 1\n")
	if res := r.codex("resume", "--last", "Go on."); res.Code != 0 || len(s.Main()) != before+1 {
		t.Fatalf("%+v, %d requests", res, len(s.Main())-before)
	}
	got := pithTold(t, &s.Main()[before])
	for _, want := range []string{"pkg/part0/made0.go", "Changed on disk", "sh checks/check4.sh", "exit 15", "Next action"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not told:\n%s", want, got)
		}
	}
	if strings.Contains(got, "made1.go") {
		t.Errorf("a file is said to have changed that did not:\n%s", got)
	}
}

// TestRealCodexWarns: three failures of one kind, and a window that fills, are
// told to the model once, with the next request.
func TestRealCodexWarns(t *testing.T) {
	t.Parallel()
	s := &script{}
	r := newCodexRig(t, s)
	r.write("checks/red.sh", "echo 'error: cannot find module lexer' >&2\nexit 1\n")
	for range 4 {
		s.Turns = append(s.Turns, small(codexCommand("sh checks/red.sh")))
	}
	full := codexCommand("ls")
	full.Usage = used(66000)
	s.Turns = append(s.Turns, full, full, providertest.Say("Done."))
	res := r.codex("-c", "model_context_window=100000", "Make the check green. Never skip it.")
	if res.Code != 0 || len(r.Server.Problems()) > 0 {
		t.Fatalf("%+v\n%q", res, r.Server.Problems())
	}
	all := s.Main()
	for i, q := range all {
		got := pithTold(t, &q)
		loop, warned := strings.Count(got, "failed the same way"), strings.Count(got, "will be compacted before long")
		if wantLoop := i >= 4; (loop == 1) != wantLoop || loop > 1 || wantLoop && (!strings.Contains(got, "sh checks/red.sh") || !strings.Contains(got, "Never skip it")) {
			t.Errorf("request %d: told of a loop %d times:\n%s", i, loop, got)
		}
		if warned > 1 || i < 5 && warned > 0 || i == len(all)-1 && warned == 0 {
			t.Errorf("request %d: warned %d times:\n%s", i, warned, got)
		}
	}
}

// TestRealCodexIsRead: the session that the client wrote is read as it was.
func TestRealCodexIsRead(t *testing.T) {
	t.Parallel()
	s := &script{Summary: "S"}
	r := newCodexRig(t, s)
	p, turns := codexPlan(r, true)
	s.Turns = append(turns, providertest.Say("Done."))
	args := append([]string{"-c", "model_auto_compact_token_limit=25000"}, r.remoteProvider()...)
	if res := r.codex(append(args, "Port the parser to the new lexer. "+p.Rule+".")...); res.Code != 0 {
		t.Fatalf("%+v", res)
	}
	if lost := p.missing(r.pith("compact", "--latest=codex").Out); len(lost) > 0 {
		t.Errorf("the block lacks %q", lost)
	}
	files, err := filepath.Glob(filepath.Join(r.codexHome(), "sessions/*/*/*/rollout-*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	if got := r.pith("inspect", files[0]).Out; !strings.Contains(got, "1 compactions by the client, 0 damaged rows") {
		t.Errorf("%s", got)
	}
}

// TestRealCodexSubAgent: a sub-agent is told its parent's rules, and what it
// does is kept apart from what its parent does.
func TestRealCodexSubAgent(t *testing.T) {
	t.Parallel()
	collaboration := func(name, input string) providertest.Answer {
		return small(providertest.Answer{Calls: []providertest.Call{{Name: name, Namespace: "collaboration", Input: []byte(input)}}})
	}
	s := &script{
		Turns: []providertest.Answer{
			small(codexCommand("sh checks/parent.sh")),
			collaboration("spawn_agent", `{"task_name":"survey","message":"Survey the lexer.","fork_turns":"none"}`),
			collaboration("wait_agent", `{"timeout_ms":10000}`),
			small(codexCommand("ls")), providertest.Say("Done."),
		},
		Agent: []providertest.Answer{small(codexCommand("sh checks/child.sh")), providertest.Say("The lexer is surveyed.")},
	}
	r := newCodexRig(t, s)
	r.write("checks/parent.sh", "echo parent is red >&2\nexit 21\n")
	r.write("checks/child.sh", "echo child is red >&2\nexit 22\n")
	if res := r.codex("Port the parser to the new lexer. Never edit src/legacy.go."); res.Code != 0 || len(r.Server.Problems()) > 0 {
		t.Fatalf("%+v\n%q", res, r.Server.Problems())
	}
	if len(s.agent) != 2 {
		t.Fatalf("%d requests of the sub-agent", len(s.agent))
	}
	if got := pithTold(t, &s.agent[0]); !strings.Contains(got, "Never edit src/legacy.go") || !strings.Contains(got, "exit 21") {
		t.Errorf("the sub-agent was told %q", got)
	}
	thread := s.Main()[0].Header.Get("Thread-Id")
	parent := r.pith("restore", "--session", thread).Out
	child := r.pith("restore", "--session", thread+".agent-"+s.agent[0].Header.Get("Thread-Id")).Out
	if !strings.Contains(parent, "exit 21") || strings.Contains(parent, "exit 22") || !strings.Contains(child, "exit 22") || strings.Contains(child, "exit 21") {
		t.Errorf("the parent's memory is\n%s\nthe sub-agent's\n%s", parent, child)
	}
}
