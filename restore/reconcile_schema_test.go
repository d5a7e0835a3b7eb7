package restore_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/schema"
)

// TestAHeldStateKeepsItsContract: what Reconcile writes into a state is what the
// contract allows, in every change and for every kind of action.
func TestAHeldStateKeepsItsContract(t *testing.T) {
	b, err := os.ReadFile("../contracts/schemas/examples/compact-working-state.example.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"", "command", "ask_user", "none"} {
		s, err := schema.Unmarshal(b)
		if err != nil {
			t.Fatal(err)
		}
		switch n := &s.Next; kind {
		case "command":
			n.Kind, n.Command, n.Destructive, n.RequiresConfirmation = kind, "rm -rf dist", true, true
			n.Preconditions = append(n.Preconditions, pith.Precondition{Path: "/work/auth", Must: "exist"})
		case "ask_user", "none":
			n.Kind = kind
		}
		for _, p := range schema.Check(s) {
			if !strings.HasPrefix(p.Path, "/checkpoint") {
				t.Fatalf("the example is no good for %q: %v", kind, p)
			}
		}
		for _, stamp := range []pith.Stamp{
			{Kind: "absent"}, {Kind: "folder"}, {Kind: "file", SHA256: strings.Repeat("0", 64)}, {Kind: "unknown", Why: "permission denied"}, {Kind: "file", Target: "/etc/passwd"},
		} {
			now := &pith.Disk{Root: s.Checkpoint.Workspace.Root, Repository: s.Checkpoint.Workspace.Root, Branch: "some/other"}
			for _, p := range restore.Paths(s) {
				at := stamp
				at.Path = p
				now.Files = append(now.Files, at)
			}
			got, _ := restore.Reconcile(s, nil, now)
			if !strings.HasPrefix(got.Next.Text, "Check first: ") {
				t.Errorf("%q, %s: not held: %+v", kind, stamp.Kind, got.Next)
			}
			for _, p := range schema.Check(got) {
				if !strings.HasPrefix(p.Path, "/checkpoint") { // its id is the stored one's
					t.Errorf("%q, %s: %s %s %s", kind, stamp.Kind, p.Rule, p.Path, p.Text)
				}
			}
		}
	}
}
