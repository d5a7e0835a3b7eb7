package install_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith/provider/providertest"
)

// piRig is a rig with pi set up: a model of 60,000 tokens in a wire format of
// pi's, and what pith installs.
func piRig(t *testing.T, s *script, api string) *rig {
	t.Helper()
	r := newRig(t, s)
	base := r.Server.URL
	if api != "anthropic-messages" {
		base += "/v1"
	}
	agent := filepath.Join(r.Home, ".pi/agent")
	put(t, filepath.Join(agent, "models.json"), fmt.Sprintf(`{"providers":{"fake":{"baseUrl":%q,"api":%q,"apiKey":"sk-test-000","compat":{"supportsDeveloperRole":false},
		"models":[{"id":"big","name":"big","reasoning":false,"input":["text"],"contextWindow":60000,"maxTokens":8000,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0}}]}}}`, base, api))
	put(t, filepath.Join(agent, "settings.json"), `{"compaction":{"enabled":true,"reserveTokens":16384,"keepRecentTokens":2000},"defaultProvider":"fake","defaultModel":"big"}`)
	r.Env = append(r.Env, "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1")
	r.pith("install", "pi", "--yes")
	return r
}

// pi runs pi without a terminal.
func (r *rig) pi(args ...string) result {
	r.t.Helper()
	return r.run("", append([]string{r.agent("current/pi"), "--provider", "fake", "--model", "big"}, args...)...)
}

func piWrite(path, text string) providertest.Call {
	return providertest.Call{Name: "write", Input: object("path", path, "content", text)}
}

func piShell(command, _ string) providertest.Call {
	return providertest.Call{Name: "bash", Input: object("command", command)}
}

func TestRealPiCompacts(t *testing.T) {
	t.Parallel()
	for _, api := range []string{"anthropic-messages", "openai-completions"} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			s := &script{Summary: "## Goal\nnothing"}
			r := piRig(t, s, api)
			full := providertest.Answer{Text: "All forty are written.", Usage: used(45_000)}
			s.Turns = append(plantedTurns(piWrite, piShell), full, providertest.Say("Yes."), full, providertest.Say("Again."))
			for i, prompt := range []string{plantedGoal, "go on", "and further", "the last one"} {
				args := []string{"-p", prompt}
				if i > 0 {
					args = append(args, "-c")
				}
				if res := r.pi(args...); res.Code != 0 || res.Err != "" {
					t.Fatalf("%q: exit %d\n%s%s", prompt, res.Code, res.Out, res.Err)
				}
			}
			r.quiet()
			main := s.Main()
			if len(main) != 14 {
				t.Fatalf("%d requests:\n%s", len(main), sizes(s))
			}
			for i := 11; i < 14; i++ {
				whole(t, &main[i])
			}
			if first := memoryIn(&main[11]); first != memoryIn(&main[12]) || first == memoryIn(&main[13]) {
				t.Errorf("the memory is to be the same until the next compaction:\n%s", sizes(s))
			}
			readAll(t, r.pith("compact", "--latest", "pi", "--force", "--view", "state").Out)
			if !strings.Contains(main[11].Text(), "package mod") {
				t.Error("no round was kept")
			}
		})
	}
}

// TestRealPiManual holds that /compact is answered by pith too, and that the
// person is told.
func TestRealPiManual(t *testing.T) {
	t.Parallel()
	s := &script{Summary: "## Goal\nnothing"}
	r := piRig(t, s, "anthropic-messages")
	s.Turns = append(plantedTurns(piWrite, piShell), providertest.Say("All."))
	for i := range s.Turns {
		s.Turns[i].Usage = used(20_000 + 2_000*i)
	}
	said := r.piRPC(
		step{string(object("type", "prompt", "message", plantedGoal)), `"type":"agent_end"`},
		step{`{"type":"compact","customInstructions":"the exit codes"}`, `"command":"compact"`},
		step{`{"type":"prompt","message":"go on"}`, `"type":"agent_end"`},
	)
	r.quiet()
	main := s.Main()
	whole(t, &main[len(main)-1])
	for _, want := range []string{"pith: compacted", "pith: the context is 6", `"by":"pith"`} {
		if !strings.Contains(said, want) {
			t.Errorf("pi did not say %q:\n%s", want, said)
		}
	}
}

// step is a command for pi, and what its answer holds.
type step struct{ command, until string }

// piRPC gives pi one command after the other, each when the one before is
// answered, and gives back what pi said.
func (r *rig) piRPC(steps ...step) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), clientLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.agent("current/pi"), "--provider", "fake", "--model", "big", "--mode", "rpc")
	cmd.Dir, cmd.Env = r.Work, r.environment()
	in, err := cmd.StdinPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	var said strings.Builder
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 8<<20)
	for _, s := range steps {
		if _, err := io.WriteString(in, s.command+"\n"); err != nil {
			r.t.Fatalf("%s: %v\n%s", s.command, err, said.String())
		}
		found := false
		for !found && lines.Scan() {
			fmt.Fprintln(&said, lines.Text())
			found = strings.Contains(lines.Text(), s.until)
		}
		if !found {
			r.t.Fatalf("%s: no %s\n%s", s.command, s.until, said.String())
		}
	}
	in.Close()
	_ = cmd.Wait() // it ends when its input does, or is stopped
	return said.String()
}

// TestRealPiBroken holds that pi compacts as it does by itself where pith is
// gone, and says things that are no answer.
func TestRealPiBroken(t *testing.T) {
	t.Parallel()
	for _, pith := range []string{"/nonexistent/pith", "/bin/echo"} {
		t.Run(filepath.Base(filepath.Dir(pith)), func(t *testing.T) {
			t.Parallel()
			s := &script{Summary: "## Goal\nA summary of pi's own."}
			r := piRig(t, s, "anthropic-messages")
			r.runs("pi/pith.ts", ".pi/agent/extensions/pith.ts", pith)
			s.Turns = append(plantedTurns(piWrite, piShell), providertest.Answer{Text: "All.", Usage: used(45_000)})
			r.pi("-p", plantedGoal)
			r.pi("-p", "go on", "-c")
			main := s.Main()
			if last := &main[len(main)-1]; s.Summaries() == 0 || !strings.Contains(last.Text(), "A summary of pi's own.") {
				t.Errorf("%d requests for a summary\n%s", s.Summaries(), sizes(s))
			}
		})
	}
}
