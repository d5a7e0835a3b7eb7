package restore

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// TestOfferStartsNothing (case G8): a state that is shown in a new session tells the old
// goal and step, and orders neither.
func TestOfferStartsNothing(t *testing.T) {
	s := working()
	s.Goal.Text = "Never deploy on Friday."
	s.Constraints = append(s.Constraints, pith.Constraint{Text: s.Goal.Text, Provenance: pith.UserExplicit})
	steps := map[string]pith.NextAction{
		"edit": s.Next,
		"command": {Kind: "command", Text: "Take up the call.", Command: "rm -rf dist", Destructive: true, RequiresConfirmation: true, Basis: "pending_call",
			Provenance: pith.Assistant, Preconditions: []pith.Precondition{{Path: "/srv/shop/dist", Must: "exist"}}},
		"request":  {Kind: "edit", Text: "Deploy it now.", Basis: "user_request", Provenance: pith.UserExplicit},
		"ask_user": {Kind: "ask_user", Text: "Shall I deploy?", Basis: "question", Provenance: pith.Assistant},
		"none":     {Kind: "none", Text: "No step is open.", Basis: "none", Provenance: pith.Assistant},
		"inspect":  {Kind: "inspect", Text: "Now I read it.", Basis: "intent", Provenance: pith.Assistant},
	}
	for kind, next := range steps {
		s.Next = next
		b := Render(s, Options{Offer: true})
		for _, order := range []string{
			"Work continues", "Carry out", "Answer the user", "answer is awaited", "Continue in", "not to be retried", "\nCheck first", "§ Goal", "§ Next action",
			"edit: ", "command: ", "inspect: ", "is not explored again",
		} {
			if strings.Contains(b.Text, order) {
				t.Errorf("%s: %q in an offer:\n%s", kind, order, b.Text)
			}
		}
		for _, want := range []string{
			"§ Earlier goal, offered and not started (user's words)\nNever deploy on Friday.", "§ Constraints, still in force", "- Never deploy on Friday.",
			"- ask before deploying (pinned)", "The earlier work was in Portuguese (pt).", "§ Next\nThe user's new request decides.",
		} {
			if !strings.Contains(b.Text, want) {
				t.Errorf("%s: an offer lacks %q:\n%s", kind, want, b.Text)
			}
		}
		_, tail, _ := strings.Cut(b.Text, "§ Next\n")
		if quoted := "On offer, if the user wants to go on: “" + next.Text; kind != "none" && !strings.Contains(tail, quoted) {
			t.Errorf("%s: want %q in %s", kind, quoted, tail)
		}
		if next.Destructive && !strings.Contains(tail, "destructive: only after the user's explicit confirmation") {
			t.Errorf("%s: the gate is lost: %s", kind, tail)
		}
		if _, _, err := ParseBlock(b.Text); err != nil {
			t.Error(err)
		}
	}
	if resumed := Render(s, Options{}).Text; !strings.Contains(resumed, "§ Goal (user's words)") || strings.Contains(resumed, "Earlier goal") {
		t.Errorf("a resumed session is no offer:\n%s", resumed)
	}
}

// TestOfferOfAHeldStep tells what changed since, beside the step.
func TestOfferOfAHeldStep(t *testing.T) {
	now := disk(pith.Stamp{Path: "/w/a.go", Kind: "absent"})
	got, findings := Reconcile(touched(), nil, now)
	text := Render(got, Options{Offer: true, Changes: findings}).Text
	for _, want := range []string{"Changed since: a.go (absent)", "if the user wants to go on: “Check first: /w/a.go (absent); planned before: “Change Round. on /w/a.go” (assistant)”", "/w/a.go (*, no longer there)"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in:\n%s", want, text)
		}
	}
}
