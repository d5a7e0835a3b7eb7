package install_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/provider/providertest"
)

// TestRealClaudeClassic runs a version without the event that lets a plugin
// take the compaction over: the client asks a model for a summary, and pith
// says what must be in it and gives back what is not.
func TestRealClaudeClassic(t *testing.T) {
	t.Parallel()
	const summary = "The server is being split."
	for _, model := range []string{"", "claude-sonnet-4-5"} {
		t.Run("model "+model, func(t *testing.T) {
			t.Parallel()
			s := &script{Summary: "<analysis>Thinking.</analysis>\n<summary>" + summary + "</summary>"}
			var asked string
			s.Each = func(q *providertest.Request) {
				if q.Compaction {
					asked = q.LastText()
				}
			}
			r := newClaude(t, s)
			p := plant(r)
			s.then(p.turns(r, fullFor(model))...)
			s.then(fill(20_000), fill(30_000), fill(fullFor(model)), fill(20_000), providertest.Say("All is done."))
			log := filepath.Join(r.Home, "debug.log")
			args := []string{"-p", p.Prompt, "--debug-file", log}
			if model != "" {
				args = append(args, "--model", model)
			}
			r.valid(r.claude("classic", args...))
			if s.Summaries() != 2 {
				t.Fatalf("%d requests for a summary", s.Summaries())
			}
			for _, steered := range []string{p.Rule, "sh check/alpha.sh", "exit 124"} {
				if !strings.Contains(asked, steered) {
					t.Errorf("the request for the summary does not name %q", steered)
				}
			}
			_, requests := behind(t, s.Main())
			for i := range requests {
				if !strings.Contains(spoken(&requests[i]), summary) {
					t.Errorf("request %d has lost the client's own summary", requests[i].N)
				}
				if lost := p.missing(spoken(&requests[i])); len(lost) > 0 {
					t.Errorf("request %d does not hold %q", requests[i].N, lost)
				}
			}
			p.ranOnce(r)
			p.saidOnce(t, &requests[len(requests)-1])
			r.chain(2)
			debug, err := os.ReadFile(log)
			if told := strings.Count(string(debug), `systemMessage":"pith: the summary kept `); err != nil || told < 2 {
				t.Errorf("the person was told of %d summaries: %v", told, err)
			}
			if model != "" && hasRole(&requests[0], pith.RoleSystem) {
				t.Errorf("%s takes no messages of the system", model)
			}
		})
	}
}

// fullFor is when the older version compacts: of models without a window of
// their own in its table, the setting is not asked.
func fullFor(model string) int {
	if model == "" {
		return full
	}
	return 170_000
}

func hasRole(q *providertest.Request, role pith.Role) bool {
	for i := range q.Conversation.Messages {
		if q.Conversation.Messages[i].Role == role {
			return true
		}
	}
	return false
}

// saidOnce holds that a memory names each of the planted failures once.
func (p *planted) saidOnce(t *testing.T, q *providertest.Request) {
	t.Helper()
	memory := strings.Join(memories(q), "")
	for command := range p.Exits {
		if n := strings.Count(memory, "`"+command+"` exit"); n != 1 {
			t.Errorf("the memory names %q %d times:\n%s", command, n, memory)
		}
	}
}

// chain holds that every compaction has a checkpoint in the one stored session,
// and that each names the one before it.
func (r *rig) chain(compactions int) {
	r.t.Helper()
	var list []struct {
		ID     string `json:"id"`
		Parent string `json:"parent_id"`
		Number int    `json:"seq"`
	}
	out := r.pith("sessions", r.session(), "--json").Out
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) < compactions {
		r.t.Fatalf("%d checkpoints: %v\n%s", len(list), err, out)
	}
	for i, c := range list { // the newest first
		parent := ""
		if i+1 < len(list) {
			parent = list[i+1].ID
		}
		if c.Parent != parent || c.Number != len(list)-1-i {
			r.t.Errorf("checkpoint %d, %s, comes behind %q, not %q", c.Number, c.ID, c.Parent, parent)
		}
	}
	var sessions []json.RawMessage
	if out := r.pith("sessions", "--json").Out; json.Unmarshal([]byte(out), &sessions) != nil || len(sessions) != 1 {
		r.t.Errorf("the stored sessions are %s", out)
	}
}

// TestRealClaudeClassicAgent compacts a sub-agent of the older version: it begins
// with what its parent knows, and the client summarises by itself.
func TestRealClaudeClassicAgent(t *testing.T) {
	t.Parallel()
	s := &script{Summary: "<summary>Part seven was looked at.</summary>"}
	r := newClaude(t, s)
	p := plant(r)
	s.then(p.turns(r, 30_000)[:3]...)
	s.then(providertest.Use("Agent", `{"description":"Look at a part","prompt":"Look at part seven.","subagent_type":"general-purpose","run_in_background":false}`),
		fill(31_000), providertest.Say("All is done."))
	for i := range 6 {
		a := providertest.Answer{Usage: used(20_000 + i)}
		for n := range 2 {
			a.Calls = append(a.Calls, fileCall(r, p.Paths[16+4*i+2*n], n))
		}
		s.Agent = append(s.Agent, a)
	}
	s.Agent = append(s.Agent, fill(25_000), fill(full), fill(20_000), providertest.Say("Part seven is sound."))
	s.Each = func(q *providertest.Request) {
		if strings.Contains(q.LastText(), "check alpha: cannot go on") {
			r.written("check alpha: cannot go on")
		}
	}
	r.valid(r.claude("classic", "-p", p.Prompt))
	own := s.Agents()
	if s.Summaries() != 1 || len(own) != len(s.Agent) {
		t.Fatalf("%d requests for a summary, %d of the sub-agent", s.Summaries(), len(own))
	}
	if first := spoken(&own[0]); !strings.Contains(first, p.Rule) || !strings.Contains(first, "sh check/alpha.sh") {
		t.Errorf("the sub-agent is not told what binds it and what fails:\n%s", first)
	}
	last := &own[len(own)-1]
	if text := spoken(last); !strings.Contains(text, "Part seven was looked at.") {
		t.Errorf("behind its compaction the sub-agent has\n%s", text)
	}
	for i := range own { // the client says that its parent compacts
		if list := memories(&own[i]); i > 0 && len(list) > 0 && strings.Contains(list[0], "which it stands for") {
			t.Errorf("the sub-agent has its parent's memory:\n%s", list[0])
		}
	}
	const agents = "old/part08/source08.go"
	main := s.Main()
	if text := spoken(&main[len(main)-1]); strings.Contains(text, agents) {
		t.Errorf("the parent has files of the sub-agent:\n%s", text)
	}
	if out := r.pith("sessions", "--json").Out; strings.Count(out, `.agent-`) != 1 {
		t.Errorf("the stored sessions are %s", out)
	}
}
