package workspace_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/restore"
)

// TestWhatGitDoesHoldsAnAction has git itself change the checkout.
func TestWhatGitDoesHoldsAnAction(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	for name, tt := range map[string]struct {
		command []string
		says    string
	}{
		"branch":        {[]string{"checkout", "-q", "-b", "other"}, "branch was fix/w, is other"},
		"detach":        {[]string{"checkout", "-q", "--detach"}, "branch was fix/w, is none"},
		"move the file": {[]string{"mv", "a.go", "b.go"}, "a.go (moved to b.go)"},
		"worktree":      {nil, "is gone"},
	} {
		for _, looked := range []bool{true, false} {
			if name == "move the file" && !looked {
				continue
			}
			root, tree := folder(t), filepath.Join(folder(t), "w")
			gitIn(t, root, "init", "-q", "-b", "main")
			write(t, filepath.Join(root, "a.go"), "package a\n")
			gitIn(t, root, "add", ".")
			gitIn(t, root, "commit", "-q", "-m", "one")
			gitIn(t, root, "worktree", "add", "-q", "-b", "fix/w", tree)
			s := &pith.State{}
			s.Checkpoint.Workspace = pith.Workspace{Root: root, Worktree: tree, CWD: tree, Branch: "fix/w"}
			a := filepath.Join(tree, "a.go")
			s.Files.Modified = []pith.File{{Path: a, Op: pith.FileEdited}}
			s.Files.Inspected = []pith.File{{Path: filepath.Join(tree, "b.go"), Op: pith.FileInspected, RenamedFrom: a}}
			s.Next = pith.NextAction{Kind: "edit", Text: "Go on.", TargetPath: a, Basis: "todo", Provenance: pith.Assistant}
			paths := restore.Paths(s)
			var then *pith.Disk
			if looked {
				then = look(t, tree, paths...)
				if then.Branch != "fix/w" || then.Repository != tree {
					t.Fatalf("%+v", then)
				}
			}
			if tt.command == nil {
				gitIn(t, root, "worktree", "remove", tree)
			} else {
				gitIn(t, tree, tt.command...)
			}
			got, findings := restore.Reconcile(s, then, look(t, tree, paths...))
			text := restore.Render(got, restore.Options{Changes: findings}).Text
			if got.Next.Kind != "inspect" || !strings.Contains(got.Next.Text, "Check first: ") || !strings.Contains(strings.ReplaceAll(text, tree+"/", ""), tt.says) {
				t.Errorf("%s, looked %v: %+v\n%v", name, looked, got.Next, findings)
			}
		}
	}
}
