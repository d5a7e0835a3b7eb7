package install_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith/provider/providertest"
)

var claudeVersions = []string{"current", "classic"}

// TestRealClaudeResumes holds what a session is told that goes on after a break
// in which a file of it was changed, and what a new one is told after /clear.
func TestRealClaudeResumes(t *testing.T) {
	t.Parallel()
	for _, version := range claudeVersions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := &script{}
			r := newClaude(t, s)
			p := plant(r)
			s.then(p.turns(r, 30_000)[:3]...)
			// It is stopped in the middle of its work.
			if res := r.claude(version, "-p", p.Prompt, "--max-turns", "3"); len(r.Server.Problems()) > 0 {
				t.Fatalf("%+v", res)
			}
			changed := "new/part00/target00.go"
			r.write(changed, "package part00\n\n// Somebody else was here.\n")

			s.then(providertest.Say("Going on."))
			r.valid(r.claude(version, "--continue", "-p", "Go on."))
			main := s.Main()
			text := contextOf(&main[len(main)-1], "Changed on disk")
			for _, part := range []string{changed, "sh check/alpha.sh", "exit 3", "Next action"} {
				if !strings.Contains(text, part) {
					t.Errorf("the resumed session is not told %q: %q", part, text)
				}
			}
			if strings.Contains(text, "new/part01") {
				t.Errorf("a file that did not change is told of: %q", text)
			}

			s.then(providertest.Say("Which of them first?"), providertest.Say("Two."))
			r.valid(r.chat(version, p.Prompt, "/clear", "Say two."))
			main = s.Main()
			offer := contextOf(&main[len(main)-1], "from before this session")
			if !strings.Contains(offer, p.Rule) || !strings.Contains(offer, "not a request") {
				t.Errorf("behind /clear the earlier work is not offered: %q", offer)
			}
			if strings.Contains(offer, "stands for") || strings.Contains(offer, "Work continues") {
				t.Errorf("behind /clear the earlier work is not only offered: %q", offer)
			}
		})
	}
}

// contextOf is the text of a request that holds a mark and came from a hook at
// the beginning of the session, "" where there is none.
func contextOf(q *providertest.Request, mark string) string {
	found := ""
	for i := range q.Conversation.Messages {
		for _, b := range q.Conversation.Messages[i].Blocks {
			for part := range strings.SplitSeq(b.Text, "SessionStart hook additional context: ") {
				if strings.Contains(part, mark) {
					found = part
				}
			}
		}
	}
	return found
}

// TestRealClaudeAgents holds that a sub-agent begins with what its parent knows,
// and that each compacts by itself.
func TestRealClaudeAgents(t *testing.T) {
	t.Parallel()
	s := &script{}
	r := newClaude(t, s)
	p := plant(r)
	// reads is a turn that looks at four files, from a number on.
	reads := func(from, tokens int) providertest.Answer {
		a := providertest.Answer{Usage: used(tokens)}
		for n := from; n < from+4; n++ {
			a.Calls = append(a.Calls, fileCall(r, p.Paths[2*n], n))
		}
		return a
	}
	const parents, agents = "old/part03/source03.go", "old/part07/source07.go"
	s.then(reads(0, 20_000), bash("sh check/alpha.sh"), fill(21_000),
		providertest.Use("Agent", `{"description":"Look at a part","prompt":"Look at part seven.","subagent_type":"general-purpose","run_in_background":false}`),
		fill(25_000), fill(full), fill(25_000), providertest.Say("All is done."))
	s.Agent = []providertest.Answer{
		reads(4, 20_000), reads(8, 22_000), bash("sh check/bravo.sh"), reads(12, 24_000), fill(25_000),
		reads(16, full), fill(20_000), providertest.Say("Part seven is sound."),
	}
	// The client writes its file a moment after the turn; a model that answers at
	// once is waited with, as a real one takes its time.
	s.Each = func(q *providertest.Request) {
		if strings.Contains(q.LastText(), "check alpha: cannot go on") {
			r.written("check alpha: cannot go on")
		}
	}
	r.valid(r.claude("current", "-p", p.Prompt))
	if s.Summaries() != 0 {
		t.Errorf("%d requests for a summary", s.Summaries())
	}
	own := s.Agents()
	if first := spoken(&own[0]); !strings.Contains(first, p.Rule) || !strings.Contains(first, "sh check/alpha.sh") {
		t.Errorf("the sub-agent is not told what binds it and what fails:\n%s", first)
	}
	_, compacted := behind(t, own)
	memory := strings.Join(memories(&compacted[0]), "")
	if !strings.Contains(memory, agents) || !strings.Contains(memory, "sh check/bravo.sh") || strings.Contains(memory, parents) {
		t.Errorf("the sub-agent's memory:\n%s", memory)
	}
	_, compacted = behind(t, s.Main())
	memory = strings.Join(memories(&compacted[0]), "")
	if !strings.Contains(memory, p.Rule) || !strings.Contains(memory, parents) || strings.Contains(memory, agents) || strings.Contains(memory, "sh check/bravo.sh") {
		t.Errorf("the parent's memory:\n%s", memory)
	}
	var stored []struct {
		Session     string `json:"session_id"`
		Checkpoints int    `json:"checkpoints"`
	}
	out := r.pith("sessions", "--json").Out
	if err := json.Unmarshal([]byte(out), &stored); err != nil || len(stored) != 2 {
		t.Fatalf("%v: %s", err, out)
	}
	a, b := stored[0].Session, stored[1].Session
	if !strings.HasPrefix(a, b+".agent-") && !strings.HasPrefix(b, a+".agent-") {
		t.Errorf("the stored sessions are %s and %s", a, b)
	}
}

// written waits until a session file of Claude Code holds a text.
func (r *rig) written(text string) {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(r.Home, ".claude", "projects", "*", "*.jsonl"))
		for _, f := range files {
			if data, err := os.ReadFile(f); err == nil && bytes.Contains(data, []byte(text)) {
				return
			}
		}
	}
}
