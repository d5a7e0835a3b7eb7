package install_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith/provider/providertest"
)

// codexConfig is the provider on loopback as one of the user's own, for which
// Codex asks the model for a summary. Of the built-in provider it asks for a
// compaction, whose content nobody but the provider can read.
const codexConfig = `# mine
model_provider = "fake"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "%s/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
`

// codexHome is the folder of Codex's settings.
func (r *rig) codexHome() string { return filepath.Join(r.Home, ".codex") }

// codex runs `codex exec`, or `codex exec resume` where that is the first word.
func (r *rig) codex(args ...string) result {
	r.t.Helper()
	saved := r.Env
	defer func() { r.Env = saved }()
	r.Env = append(append([]string{}, saved...), "CODEX_API_KEY=sk-test-000", "FAKE_KEY=sk-test-000")
	head := []string{r.agent("current/codex"), "exec"}
	if args[0] == "resume" {
		head, args = append(head, "resume"), args[1:]
	}
	return r.run("", append(append(head, "--json", "--dangerously-bypass-approvals-and-sandbox"), args...)...)
}

// newCodexRig is a rig in which pith is installed in Codex, and trusted.
func newCodexRig(t *testing.T, s *script) *rig {
	t.Helper()
	r := newRig(t, s)
	r.write("../home/.codex/config.toml", fmt.Sprintf(codexConfig, r.Server.URL))
	r.pith("install", "codex", "--yes", "--trust")
	return r
}

// remoteProvider are the options for the built-in provider.
func (r *rig) remoteProvider() []string {
	return []string{"-c", "model_provider=openai", "-c", `openai_base_url="` + r.Server.URL + `/v1"`}
}

// codexFacts is what a session is made of that the memory must hold afterwards.
type codexFacts struct {
	Rule  string
	Paths []string
	// Commands ended with 11 and up, in order.
	Commands []string
}

// codexPlan makes the turns of a session of two compactions: the newest models
// call one tool, whose script calls others; older ones call the tools.
func codexPlan(r *rig, scripts bool) (codexFacts, []providertest.Answer) {
	p := codexFacts{Rule: "Never edit src/legacy.go"}
	var turns []providertest.Answer
	for n := range 5 {
		var reads, writes []string
		for i := range 4 {
			read, written := fmt.Sprintf("lib/part%d/read%d.go", n, i), fmt.Sprintf("pkg/part%d/made%d.go", n, i)
			r.write(read, "package part\n")
			reads, writes = append(reads, read), append(writes, written)
		}
		check := fmt.Sprintf("sh checks/check%d.sh", n)
		r.write(fmt.Sprintf("checks/check%d.sh", n), fmt.Sprintf("echo check %d is red >&2\nexit %d\n", n, 11+n))
		p.Paths = append(append(p.Paths, reads...), writes...)
		p.Commands = append(p.Commands, check)
		if scripts {
			turns = append(turns, codexScript(reads, writes, check))
			continue
		}
		turns = append(turns, codexTools(reads, writes, check)...)
	}
	turns[len(turns)-1].Usage = used(26000)
	return p, turns
}

func newFiles(paths []string) string {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n")
	for _, path := range paths {
		b.WriteString("*** Add File: " + path + "\n+package part\n")
	}
	return b.String() + "*** End Patch"
}

// codexScript is one turn that reads, writes and checks in a script.
func codexScript(reads, writes []string, check string) providertest.Answer {
	var b strings.Builder
	for _, path := range reads {
		fmt.Fprintf(&b, "text((await tools.exec_command({cmd: %q})).output);\n", "cat "+path)
	}
	fmt.Fprintf(&b, "await tools.apply_patch(%q);\n", newFiles(writes))
	fmt.Fprintf(&b, "const r = await tools.exec_command({cmd: %q}); text(r.output); text(r.exit_code);\n", check)
	return small(providertest.UseText("exec", b.String()))
}

// codexTools are the same steps, each a call of its own tool.
func codexTools(reads, writes []string, check string) []providertest.Answer {
	var turns []providertest.Answer
	for _, path := range reads {
		turns = append(turns, small(codexCommand("cat "+path)))
	}
	return append(turns, small(providertest.UseText("apply_patch", newFiles(writes))), small(codexCommand(check)))
}

func codexCommand(cmd string) providertest.Answer {
	input, _ := json.Marshal(map[string]string{"cmd": cmd}) // a string always has its JSON
	return providertest.Use("exec_command", string(input))
}

// small is an answer that leaves the window nearly empty.
func small(a providertest.Answer) providertest.Answer {
	a.Usage = used(8000)
	return a
}

// developerTexts are the texts of a request's messages of role developer.
func developerTexts(t *testing.T, q *providertest.Request) (texts []string) {
	t.Helper()
	var body struct {
		Input []struct {
			Role    string `json:"role"`
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"input"`
	}
	if err := json.Unmarshal(q.Body, &body); err != nil {
		t.Fatal(err)
	}
	for _, it := range body.Input {
		for _, c := range it.Content {
			if it.Role == "developer" {
				texts = append(texts, c.Text)
			}
		}
	}
	return texts
}

// blockIn is the memory in a request, "" for none. Two are a fault.
func blockIn(t *testing.T, q *providertest.Request) string {
	t.Helper()
	block := ""
	for _, text := range developerTexts(t, q) {
		if !strings.HasPrefix(text, "<pith-memory") {
			continue
		}
		if block != "" {
			t.Errorf("request %d holds two memories", q.N)
		}
		block = text
	}
	return block
}

// missing lists what a memory lacks of what was planted.
func (p *codexFacts) missing(block string) []string {
	var out []string
	for _, path := range p.Paths {
		if !strings.Contains(block, path) {
			out = append(out, path)
		}
	}
	if !strings.Contains(block, p.Rule) {
		out = append(out, p.Rule)
	}
	for n, command := range p.Commands {
		told := false
		for line := range strings.Lines(block) {
			told = told || strings.Contains(line, command) && strings.Contains(line, fmt.Sprintf("exit %d", 11+n))
		}
		if !told {
			out = append(out, fmt.Sprintf("%s: exit %d", command, 11+n))
		}
	}
	return out
}

// TestRealCodexCompacts: after a compaction whose summary is worth nothing, in
// the middle of a turn, the next request holds what was planted; so it does
// after the second, and in every request between.
func TestRealCodexCompacts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ remote, scripts bool }{
		"summary-tools": {false, false}, "summary-scripts": {false, true},
		"remote-tools": {true, false}, "remote-scripts": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{Summary: "Some things were done."}
			r := newCodexRig(t, s)
			p, turns := codexPlan(r, c.scripts)
			more := small(codexCommand("sh checks/check0.sh"))
			last := codexCommand("ls")
			last.Usage = used(26000)
			s.Turns = append(turns, more, last, providertest.Say("Done."))
			args := []string{"-c", "model_auto_compact_token_limit=25000"}
			if c.remote {
				args = append(args, r.remoteProvider()...)
			}
			res := r.codex(append(args, "Port the parser to the new lexer. "+p.Rule+".")...)
			if res.Code != 0 || s.Summaries() != 2 || len(r.Server.Problems()) > 0 {
				t.Fatalf("%+v\n%d compactions, %q", res, s.Summaries(), r.Server.Problems())
			}
			all := s.Main()
			for i, q := range all[len(turns):] {
				if lost := p.missing(blockIn(t, &q)); len(lost) > 0 {
					t.Errorf("request %d after the compaction lacks %q in\n%s", i, lost, blockIn(t, &q))
				}
			}
		})
	}
}
