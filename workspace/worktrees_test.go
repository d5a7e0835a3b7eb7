package workspace_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/workspace"
)

// trees makes a repository with a worktree beside it and one inside it.
func trees(t *testing.T) (root, beside, within string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	top := folder(t)
	root, beside, within = filepath.Join(top, "the shop"), filepath.Join(top, "the shop fix 12"), filepath.Join(top, "the shop", ".claude", "worktrees", "x")
	must(t, os.MkdirAll(root, 0o755))
	gitIn(t, root, "init", "-q", "-b", "main")
	write(t, filepath.Join(root, "a.go"), "package a\n")
	gitIn(t, root, "add", ".")
	gitIn(t, root, "commit", "-q", "-m", "one")
	gitIn(t, root, "worktree", "add", "-q", "-b", "fix/12", beside)
	gitIn(t, root, "worktree", "add", "-q", "-b", "fix/x", within)
	return root, beside, within
}

// TestWorktreesOfOneRepository: a look sees into all of them, and says of each
// that it was asked about what is checked out there.
func TestWorktreesOfOneRepository(t *testing.T) {
	root, beside, within := trees(t)
	branches := map[string]string{root: "main", beside: "fix/12", within: "fix/x"}
	for here := range branches {
		for there := range branches {
			d := look(t, here, filepath.Join(there, "a.go"))
			if s := d.Files[0]; s.SHA256 == "" || s.Why != "" {
				t.Errorf("%s seen from %s: %+v", there, here, s)
			}
			if d.Branch != branches[here] || d.Repository != here {
				t.Errorf("at %s: %+v", here, d)
			}
			switch {
			case here == there && len(d.Worktrees) == 0:
			case here != there && len(d.Worktrees) == 1 && d.Worktrees[0].Path == there && d.Worktrees[0].Branch == branches[there] && d.Worktrees[0].Head == d.Head:
			default:
				t.Errorf("%s seen from %s: %+v", there, here, d.Worktrees)
			}
		}
	}
}

// TestAClaimOfOneSide: what only one of two folders says of the other opens
// neither of them.
func TestAClaimOfOneSide(t *testing.T) {
	top := folder(t)
	root, secret, claimed := filepath.Join(top, "root"), filepath.Join(top, "secret"), filepath.Join(top, "claimed")
	write(t, filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/main\n")
	for name, path := range map[string]string{"s": secret, "n": filepath.Join(top, "none")} {
		write(t, filepath.Join(root, ".git", "worktrees", name, "gitdir"), filepath.Join(path, ".git")+"\n")
		write(t, filepath.Join(root, ".git", "worktrees", name, "HEAD"), "ref: refs/heads/s\n")
	}
	key := write(t, filepath.Join(secret, "key"), "hidden")
	if d := look(t, root, key); d.Files[0].SHA256 != "" || !strings.Contains(d.Files[0].Why, "outside") || d.Worktrees != nil {
		t.Errorf("the repository's word was enough: %+v", d)
	}
	write(t, filepath.Join(secret, ".git", "HEAD"), "ref: refs/heads/main\n")
	if d := look(t, root, key); d.Files[0].SHA256 != "" || d.Worktrees != nil {
		t.Errorf("a repository of its own was taken for a worktree: %+v", d)
	}
	write(t, filepath.Join(claimed, ".git"), "gitdir: "+filepath.Join(root, ".git", "worktrees", "s")+"\n")
	write(t, filepath.Join(root, ".git", "worktrees", "s", "commondir"), "../..\n")
	mine := write(t, filepath.Join(root, "a"), "hidden")
	if d := look(t, claimed, mine); d.Files[0].SHA256 != "" || d.Worktrees != nil {
		t.Errorf("the worktree's word was enough: %+v", d)
	}
}

// TestWhatHappensInTheActiveWorktree: a session that went on in a worktree is
// held against that one, looked at from the checkout where it began.
func TestWhatHappensInTheActiveWorktree(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(t *testing.T, root, tree string)
		says string
	}{
		"nothing":                  {func(*testing.T, string, string) {}, ""},
		"a branch there":           {func(t *testing.T, _, tree string) { gitIn(t, tree, "checkout", "-q", "-b", "other") }, "branch was fix/12, is other"},
		"a commit there":           {func(t *testing.T, _, tree string) { gitIn(t, tree, "commit", "-q", "--allow-empty", "-m", "two") }, "head"},
		"an edit there":            {func(t *testing.T, _, tree string) { write(t, filepath.Join(tree, "a.go"), "package b\n") }, "a.go (changed)"},
		"it is removed":            {func(t *testing.T, root, tree string) { gitIn(t, root, "worktree", "remove", tree) }, "is gone"},
		"a branch in the checkout": {func(t *testing.T, root, _ string) { gitIn(t, root, "checkout", "-q", "-b", "other") }, ""},
		"an edit in the checkout":  {func(t *testing.T, root, _ string) { write(t, filepath.Join(root, "a.go"), "package b\n") }, ""},
	} {
		for _, named := range []bool{true, false} {
			root, tree, _ := trees(t)
			s := &pith.State{}
			s.Checkpoint.Workspace = pith.Workspace{Root: root, CWD: tree, Branch: "fix/12"}
			if named {
				s.Checkpoint.Workspace.Worktree = tree
			}
			a := filepath.Join(tree, "a.go")
			s.Files.Modified = []pith.File{{Path: a, Op: pith.FileEdited}}
			s.Next = pith.NextAction{Kind: "edit", Text: "Go on.", TargetPath: a, Basis: "todo", Provenance: pith.Assistant}
			then := look(t, root, restore.Paths(s)...)
			tt.do(t, root, tree)
			now := look(t, root, restore.Paths(s)...)
			got, findings := restore.Reconcile(s, then, now)
			text := restore.Render(got, restore.Options{Changes: findings}).Text
			switch {
			case tt.says == "" && (len(findings) > 0 || got.Next.Text != "Go on." || got.Next.RequiresConfirmation || got.Files.Modified[0].Outside):
				t.Errorf("%s, named %v: %v, %+v", name, named, findings, got.Next)
			case tt.says != "" && !strings.Contains(text, tt.says):
				t.Errorf("%s, named %v: %v\n%s", name, named, findings, text)
			}
			// Without an earlier look, the state's own words are compared.
			_, findings = restore.Reconcile(s, nil, now)
			if tt.says == "is gone" {
				if len(findings) == 0 {
					t.Errorf("%s, named %v, nobody looked before: nothing is found", name, named)
				}
				continue
			}
			if strings.HasPrefix(tt.says, "branch") != (len(findings) > 0 && findings[0].Change == restore.ChangeBranch) {
				t.Errorf("%s, named %v, nobody looked before: %v", name, named, findings)
			}
		}
	}
}

// TestAnotherWorktreeIsOutside: the next action is not simply done in a
// worktree that the session does not work in.
func TestAnotherWorktreeIsOutside(t *testing.T) {
	root, tree, _ := trees(t)
	s := &pith.State{}
	s.Checkpoint.Workspace = pith.Workspace{Root: root, CWD: root, Branch: "main"}
	s.Next = pith.NextAction{Kind: "edit", Text: "Go on.", TargetPath: filepath.Join(tree, "a.go"), Basis: "todo", Provenance: pith.Assistant}
	d, err := workspace.Look(context.Background(), root, restore.Paths(s))
	must(t, err)
	if got, _ := restore.Reconcile(s, d, d); !got.Next.RequiresConfirmation {
		t.Errorf("%+v", got.Next)
	}
}
