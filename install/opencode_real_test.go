package install_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith/provider/providertest"
)

// opencodeRig is a rig with opencode set up: a model of 60,000 tokens in a wire
// format, "anthropic", "openai-compatible" (chat completions) or "openai"
// (responses), and what pith installs.
func opencodeRig(t *testing.T, s *script, format string) *rig {
	t.Helper()
	r := newRig(t, s)
	config := filepath.Join(r.Home, ".config/opencode")
	put(t, filepath.Join(config, "opencode.json"), fmt.Sprintf(`{"model":"fake/big","small_model":"fake/big","provider":{"fake":{"npm":"@ai-sdk/%s","name":"fake",
		"options":{"baseURL":%q,"apiKey":"sk-test-000"},"models":{"big":{"name":"big","limit":{"context":60000,"output":8000}}}}}}`, format, r.Server.URL+"/v1"))
	// What opencode would fetch from the network for any plugin: a package of types.
	put(t, filepath.Join(config, "package.json"), `{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}`)
	put(t, filepath.Join(config, "package-lock.json"), `{"lockfileVersion":3,"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}}}`)
	put(t, filepath.Join(config, "node_modules/.keep"), "")
	r.pith("install", "opencode", "--yes")
	return r
}

// opencode runs opencode without a terminal.
func (r *rig) opencode(args ...string) result {
	r.t.Helper()
	return r.run("", append([]string{r.agent("current/opencode")}, args...)...)
}

func (r *rig) opencodeWrite(path, text string) providertest.Call {
	return providertest.Call{Name: "write", Input: object("filePath", filepath.Join(r.Work, path), "content", text)}
}

func opencodeShell(command, description string) providertest.Call {
	return providertest.Call{Name: "bash", Input: object("command", command, "description", description)}
}

func TestRealOpencodeCompacts(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"anthropic", "openai-compatible", "openai"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := &script{Summary: "## Objective\nnothing"}
			r := opencodeRig(t, s, format)
			s.Turns = plantedTurns(r.opencodeWrite, opencodeShell)
			for _, tokens := range []int{20_000, 21_000, 43_000, 20_000} {
				s.Turns = append(s.Turns, providertest.Answer{Text: "More.", Calls: []providertest.Call{opencodeShell("echo more", "More")}, Usage: used(tokens)})
			}
			r.opencodeRuns("run", plantedGoal)
			r.opencodeRuns("run", "--continue", "go on")
			r.quiet()
			main := s.Main()
			if len(main) != 16 {
				t.Fatalf("%d requests:\n%s", len(main), sizes(s))
			}
			for i := 10; i < 16; i++ {
				whole(t, &main[i])
			}
			// Two compactions, and nothing but the end changes between them.
			for i, j := range map[int]int{10: 12, 13: 15} {
				if memoryIn(&main[i]) != memoryIn(&main[j]) {
					t.Errorf("request %d has another memory than %d:\n%s", j, i, sizes(s))
				}
			}
			if memoryIn(&main[12]) == memoryIn(&main[13]) {
				t.Errorf("the second compaction left the memory as it was:\n%s", sizes(s))
			}
			if !strings.Contains(main[10].Text(), "// F39 is number 39.") {
				t.Error("the newest round was not kept")
			}
			if last := main[15].LastText(); !strings.Contains(last, "go on") {
				t.Errorf("the last request ends with %q", last)
			}
			if format != "anthropic" {
				return // what opencode keeps is the same whatever the API
			}
			export := filepath.Join(r.Home, "session.json")
			// Into a file: opencode ends before a pipe has taken all.
			if res := r.run("", "/bin/sh", "-c", `exec "$0" export "$1" > "$2"`, r.agent("current/opencode"), r.opencodeSession(), export); res.Code != 0 {
				t.Fatalf("export: exit %d\n%s", res.Code, res.Err)
			}
			readAll(t, r.pith("compact", export, "--force", "--view", "state").Out)
			readAll(t, r.pith("compact", "--latest", "opencode", "--force", "--view", "state").Out)
			if got := r.pith("recall", "--calls", "exit 5").Out; !strings.Contains(got, "check 4") {
				t.Errorf("the calls are %q", got)
			}
			if got := r.pith("recall", "--search", "F07 is number 7").Out; !strings.Contains(got, "part_07.go") {
				t.Errorf("recall gives %q", got)
			}
		})
	}
}

// opencodeRuns runs opencode, and fails the test where it does not end well.
func (r *rig) opencodeRuns(args ...string) result {
	r.t.Helper()
	res := r.opencode(args...)
	if res.Code != 0 {
		r.t.Fatalf("opencode %q: exit %d\n%s%s", args, res.Code, res.Out, res.Err)
	}
	return res
}

// TestRealOpencodeBroken holds that opencode compacts as it does by itself
// where pith is gone, and says things that are no answer.
func TestRealOpencodeBroken(t *testing.T) {
	t.Parallel()
	for _, pith := range []string{"/nonexistent/pith", "/bin/echo"} {
		t.Run(filepath.Base(filepath.Dir(pith)), func(t *testing.T) {
			t.Parallel()
			s := &script{Summary: "## Objective\nA summary of opencode's own."}
			r := opencodeRig(t, s, "anthropic")
			r.runs("opencode/pith.js", ".config/opencode/plugin/pith.js", pith)
			s.Turns = plantedTurns(r.opencodeWrite, opencodeShell)
			s.Turns[9].Usage = used(53_000)
			r.opencode("run", plantedGoal)
			main := s.Main()
			if last := &main[len(main)-1]; s.Summaries() != 1 || !strings.Contains(last.Text(), "A summary of opencode's own.") {
				t.Errorf("%d requests for a summary\n%s", s.Summaries(), sizes(s))
			}
			if wrong := r.Server.Problems(); len(wrong) > 0 {
				t.Errorf("refused: %q", wrong)
			}
		})
	}
}

// TestRealOpencodeNative holds what /compact does after a compaction of pith's:
// opencode's own summary is told what pith knows, of a history that is no longer
// than what was sent last; pith's memory stands before it, also for an opencode
// that was started since.
func TestRealOpencodeNative(t *testing.T) {
	t.Parallel()
	s := &script{Summary: "## Objective\nA summary that lost nearly all."}
	r := opencodeRig(t, s, "anthropic")
	s.Turns = plantedTurns(r.opencodeWrite, opencodeShell)
	var asked string
	s.Each = func(q *providertest.Request) {
		if q.Compaction {
			asked = q.Text()
		}
	}
	r.opencodeRuns("run", plantedGoal)
	id := r.opencodeSession()
	url := r.opencodeServer()
	post(t, url+"/session/"+id+"/summarize", `{"providerID":"fake","modelID":"big"}`)
	r.opencodeRuns("run", "--continue", "go on")
	if s.Summaries() != 1 || len(lostOf(asked)) > 0 || len(asked) > 40_000 {
		t.Errorf("%d requests for a summary, of %d bytes without %q", s.Summaries(), len(asked), lostOf(asked))
	}
	main := s.Main()
	last := &main[len(main)-1]
	whole(t, last)
	if !strings.Contains(last.Text(), "A summary that lost nearly all.") || !strings.Contains(last.LastText(), "go on") {
		t.Errorf("the last request: %s", last.Text())
	}
	if wrong := r.Server.Problems(); len(wrong) > 0 {
		t.Errorf("refused: %q", wrong)
	}
	// The database is read while opencode works in it.
	if said := r.pith("compact", "--latest", "opencode", "--force"); !strings.Contains(said.Err, id) || len(lostOf(said.Out)) > 0 {
		t.Errorf("the newest session: %s without %q", said.Err, lostOf(said.Out))
	}
}

// opencodeSession is the id of the newest session.
func (r *rig) opencodeSession() string {
	r.t.Helper()
	var list []struct{ ID string }
	out := r.opencodeRuns("session", "list", "--format", "json").Out
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) == 0 {
		r.t.Fatalf("%v: %s", err, out)
	}
	return list[0].ID
}

// opencodeServer starts opencode as a server that ends with the test, and gives
// its address.
func (r *rig) opencodeServer() string {
	r.t.Helper()
	cmd := exec.Command(r.agent("current/opencode"), "serve", "--port", "0")
	cmd.Dir, cmd.Env = r.Work, r.environment()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		_ = cmd.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, url, ok := strings.Cut(lines.Text(), "listening on "); ok {
			return strings.TrimSpace(url)
		}
	}
	r.t.Fatal("opencode serve says no address")
	return ""
}

// post sends a JSON body and fails the test where it is not taken.
func post(t *testing.T, url, body string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), clientLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %v %s", url, res.StatusCode, err, text)
	}
}
