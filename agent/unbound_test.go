package agent_test

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/agent"
)

// TestThinkingIsBound: thinking that the provider signed is refused by another
// model, and behind another system prompt. The session goes on without it,
// after one request that was refused.
func TestThinkingIsBound(t *testing.T) {
	f := pith.FormatAnthropic
	for name, change := range map[string]func(t *testing.T, d *drift, a *agent.Agent, journal agent.Journal) *agent.Agent{
		"another model": func(t *testing.T, d *drift, a *agent.Agent, _ agent.Journal) *agent.Agent {
			if err := a.SetModel(liveModel(t, d.server, f, "scripted-2")); err != nil {
				t.Fatal(err)
			}
			return a
		},
		"another system prompt": func(t *testing.T, d *drift, a *agent.Agent, journal agent.Journal) *agent.Agent {
			c := a.Conversation()
			if !strings.Contains(string(c.Raw), `"type":"thinking"`) {
				t.Error("there is no thinking in the conversation")
			}
			a.Close()
			next := d.config(t, f)
			next.System += " Be brief."
			next.Session, next.Journal = a.Session(), journal
			return newAgent(t, next)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDrift(t, nil)
			journal := &memJournal{}
			c := d.config(t, f)
			c.Journal = journal
			a := newAgent(t, c)
			run(t, a, d.prompt(0))
			a = change(t, d, a, journal)
			run(t, a, d.prompt(1))
			problems := d.server.Problems()
			if len(problems) != 1 || !strings.Contains(problems[0], "bound to a different conversation") {
				t.Errorf("refused: %q", problems)
			}
			if d.turns != 2*turnsPerPrompt {
				t.Errorf("%d turns", d.turns)
			}
		})
	}
}
