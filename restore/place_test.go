package restore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

func TestPathsAreRelativeToWhereMostOfThemLie(t *testing.T) {
	for _, tt := range []struct {
		name, root, read string
		files            int
		title, path      string
	}{
		{"below the root", "/srv/shop", "/srv/shop/pkg", 40, "(relative to root;", " pkg/file7.go"},
		{"beside a worktree", "/srv/shop/.worktrees/1", "/srv/shop/pkg", 40, "(relative to /srv/shop;", " pkg/file7.go"},
		{"beside a worktree of a client", "/srv/shop/.claude/worktrees/fix", "/srv/shop/pkg", 40, "(relative to /srv/shop;", " pkg/file7.go"},
		{"in a repository beside the root", "/srv/work/shop", "/srv/work/lib/pkg", 60, "(relative to root;", " /srv/work/lib/pkg/file7.go"},
		{"a few elsewhere", "/srv/shop/.worktrees/1", "/srv/shop/pkg", 10, "(relative to root;", " /srv/shop/pkg/file7.go"},
		{"nowhere near", "/srv/shop", "/opt/lib/pkg", 40, "(relative to root;", " /opt/lib/pkg/file7.go"},
	} {
		s := working()
		s.Checkpoint.Workspace = pith.Workspace{Root: tt.root}
		s.Files.Inspected = nil
		for i := range tt.files {
			s.Files.Inspected = append(s.Files.Inspected, pith.File{Path: fmt.Sprintf("%s/file%d.go", tt.read, i)})
		}
		text := Render(s, Options{}).Text
		if !strings.Contains(text, tt.title) || !strings.Contains(text, tt.path) {
			t.Errorf("%s: no %q and %q in\n%s", tt.name, tt.title, tt.path, text)
		}
		if !strings.Contains(text, "\n/srv/shop/invoice/round.go\n") {
			t.Errorf("%s: a modified file is not written out in full", tt.name)
		}
	}
}

func TestNextActionIsNobodysWordsUnlessTheyAre(t *testing.T) {
	long := strings.Repeat("The totals are off by one cent. ", 20)
	for _, tt := range []struct {
		next pith.NextAction
		last string
		want string
		not  string
	}{
		{pith.NextAction{Kind: "none", Text: "No step is open.", Basis: "none", Provenance: pith.Assistant, RequiresConfirmation: true}, "",
			"§ Next action\nNo step is open.\n\n", "assistant's words"},
		{pith.NextAction{Kind: "inspect", Text: "hm, odd", Basis: "user_request", Provenance: pith.UserExplicit}, "hm, odd",
			"Answer the user, doing what it takes: “hm, odd”", "inspect:"},
		{pith.NextAction{Kind: "edit", Text: "fix round.go", Basis: "user_request", Provenance: pith.UserExplicit}, "fix round.go",
			"Carry out what the user asked: “fix round.go”", "edit:"},
		{pith.NextAction{Kind: "inspect", Text: long, Basis: "user_request", Provenance: pith.UserExplicit}, long,
			"(in full: the last message above)", long + "”"},
		{pith.NextAction{Kind: "inspect", Text: "Fix the build", Basis: "todo", Provenance: pith.Assistant}, "", "§ Next action\nFix the build\n", "inspect:"},
		{pith.NextAction{Kind: "ask_user", Text: "Push now?", Basis: "question", Provenance: pith.Assistant}, "",
			"The user's answer is awaited. “Push now?” (assistant's words, not approved by the user)", ""},
	} {
		s := working()
		if tt.last != "" {
			s.Goal.Amendments = append(s.Goal.Amendments, pith.Amendment{Text: tt.last, Relation: "amends", Provenance: pith.UserExplicit})
		}
		s.Next = tt.next
		text := Render(s, Options{}).Text
		if !strings.Contains(text, tt.want) {
			t.Errorf("no %q in\n%s", tt.want, text[strings.Index(text, "§ Next action"):])
		}
		if tt.not != "" && strings.Contains(text[strings.Index(text, "§ Next action"):], tt.not) {
			t.Errorf("%q in\n%s", tt.not, text[strings.Index(text, "§ Next action"):])
		}
	}
}

func TestFinishedStepsAreNamedByTheirSubject(t *testing.T) {
	for text, want := range map[string]string{
		"git commit -m \"$(cat <<'EOF'\nfix: round once": "- git commit -m “fix: round once”\n",
		"git push -u origin HEAD 2>&1":                   "- git push -u origin HEAD 2>&1\n",
		"git commit -F - <<EOF\nfix: a":                  "- git commit -F - “fix: a”\n",
	} {
		s := working()
		s.Context.Done = []pith.Quote{{Text: text, Provenance: pith.Assistant}}
		if got := Render(s, Options{}).Text; !strings.Contains(got, want) {
			t.Errorf("no %q for %q", want, text)
		}
	}
}

func TestThePhaseIsNotSaidTwice(t *testing.T) {
	s := working()
	s.Phase.Name = s.Context.Todo[0].Text
	if text := Render(s, Options{}).Text; strings.Count(text, "write the fix") != 1 || !strings.Contains(text, "Phase 2 of 3\n") {
		t.Errorf("in\n%s", text)
	}
}

func TestTemporaryOutputsRankLast(t *testing.T) {
	s := working()
	s.Files.Inspected = []pith.File{
		{Path: "/tmp/tasks/1.output", Outside: true, Source: pith.Source{Message: 900}},
		{Path: "/srv/shop/old.go", Source: pith.Source{Message: 1}},
	}
	order := byRecency(s.Files.Inspected)
	if order[0] < order[1] {
		t.Errorf("ranks are %v", order)
	}
}

func TestExcerptsTellWhatFailed(t *testing.T) {
	e := &pith.Evidence{Signature: "a.go:1: undefined: x", Excerpt: &pith.Excerpt{Tail: []string{
		"ok  \tshop/a\t0.1s", "a.go:1: undefined: x", "--- FAIL: TestA", "--- PASS: TestB", "test b ... ok", "tests/a.py::test_c PASSED", "✓ adds", "FAIL"}}}
	if got := excerpt(e); got != "  > --- FAIL: TestA\n  > FAIL" {
		t.Errorf("got %q", got)
	}
}
