package restore

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// TestPastedGoal is about a first message that is a log with a request around
// it: whole, it would make every block as long as what the block stands for.
func TestPastedGoal(t *testing.T) {
	log := strings.Repeat("12:00 host svc: request took 4 ms, status 200\n", 5_000)
	s := &pith.State{Goal: pith.Goal{Text: "Look at this log.\n" + log + "Why does it answer 503?", Provenance: pith.UserExplicit, Source: pith.Source{Message: 1}}}
	s.Checkpoint.ID = strings.Repeat("ab", 16)
	b := Render(s, Options{})
	for _, want := range []string{"Look at this log.\n12:00 host", "Why does it answer 503?", "1.0]"} {
		if !strings.Contains(b.Text, want) {
			t.Errorf("the block lacks %q", want)
		}
	}
	if len(b.Text) > 2*longGoal || b.Over > b.Tokens/2 {
		t.Errorf("the block has %d bytes, %d tokens over its budget", len(b.Text), b.Over)
	}
	s.Goal.Text = "Look at this log.\n" + log[:longGoal-100] + "\nWhy?"
	if b = Render(s, Options{Budget: 500}); !strings.Contains(b.Text, s.Goal.Text) {
		t.Error("a request that is not too long is cut")
	}
}
