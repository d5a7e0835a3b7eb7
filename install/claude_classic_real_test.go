package install_test

import (
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
			s.then(fill(20_000), providertest.Say("All is done."))
			args := []string{"-p", p.Prompt}
			if model != "" {
				args = append(args, "--model", model)
			}
			r.valid(r.claude("classic", args...))
			if s.Summaries() != 1 {
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
