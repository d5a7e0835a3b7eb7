package schema

import (
	"testing"

	"github.com/pith-memory/pith"
)

// TestDelegated: what another agent hands over stands in every slot as its own
// words, and in no state that is not said to be handed over.
func TestDelegated(t *testing.T) {
	relayed := func(s *pith.State) {
		s.Checkpoint.Origin = pith.OriginDelegated
		s.Next.RequiresConfirmation = true
	}
	peer := func(s *pith.State) { s.Constraints[0].Provenance = pith.PeerAgent }
	run := func(s *pith.State) { s.Evidence[0].Provenance = pith.PeerAgent }
	shortened := func(s *pith.State) { s.Files.Complete = false }
	delegation := func(s *pith.State) { s.Checkpoint.Trigger = pith.ReasonDelegation }
	tests := []struct {
		name    string
		changes []func(*pith.State)
		valid   bool
	}{
		{"a peer's constraint", []func(*pith.State){relayed, peer}, true},
		{"a peer's constraint of this session", []func(*pith.State){peer}, false},
		{"a peer's evidence", []func(*pith.State){relayed, run}, true},
		{"a peer's evidence of this session", []func(*pith.State){run}, false},
		{"a tool's constraint", []func(*pith.State){relayed, func(s *pith.State) { s.Constraints[0].Provenance = pith.ToolOutput }}, false},
		{"an action that nobody confirms", []func(*pith.State){relayed, func(s *pith.State) { s.Next.RequiresConfirmation = false }}, false},
		{"a shortened list of files", []func(*pith.State){delegation, shortened}, true},
		{"a shortened list of files of no delegate", []func(*pith.State){shortened}, false},
		{"another origin", []func(*pith.State){func(s *pith.State) { s.Checkpoint.Origin = "trusted" }}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := example()
			for _, change := range tt.changes {
				change(s)
			}
			stamp(s)
			if problems := Check(s); (len(problems) == 0) != tt.valid {
				t.Errorf("Check: %v", problems)
			}
			doc, err := Marshal(s, false)
			if err != nil {
				t.Fatal(err)
			}
			if problems := Validate(doc); (len(problems) == 0) != tt.valid {
				t.Errorf("Validate: %v", problems)
			}
			if problems := referenceProblems("compact-working-state", doc); (len(problems) == 0) != tt.valid {
				t.Errorf("the reference: %v", problems)
			}
		})
	}
}
