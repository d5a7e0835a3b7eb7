package install_test

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith/provider/providertest"
)

// TestRealClaudeFills tells the model once that its window fills, well before
// the client compacts.
func TestRealClaudeFills(t *testing.T) {
	t.Parallel()
	for _, version := range claudeVersions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := &script{}
			r := newClaude(t, s)
			over := fill(61_000)
			over.Text = "More than half is used."
			s.then(fill(30_000), fill(50_000), over, fill(62_000), providertest.Say("All is done."))
			// The client writes its file a moment after the turn.
			s.Each = func(q *providertest.Request) {
				if strings.Contains(spoken(q), over.Text) {
					r.written(over.Text)
				}
			}
			r.valid(r.claude(version, "-p", "Look around."))
			told := make([]bool, 0, 5)
			for _, q := range s.Main() {
				told = append(told, strings.Count(spoken(&q), "From pith: the context holds") > 0)
			}
			// The client may write an answer to its file only after the calls in it ran.
			if len(told) != 5 || told[2] || !told[4] {
				t.Errorf("told of the window, by request: %v", told)
			}
			last := s.Main()[len(told)-1]
			if times := strings.Count(spoken(&last), "From pith: the context holds"); times != 1 {
				t.Errorf("told %d times", times)
			}
			if s.Summaries() != 0 {
				t.Errorf("%d requests for a summary", s.Summaries())
			}
		})
	}
}
