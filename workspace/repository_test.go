package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	shaA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	shaB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// TestReadRepository reads checkouts that are written by hand.
func TestReadRepository(t *testing.T) {
	tests := map[string]struct {
		files                   map[string]string
		branch, head, why, repo string
	}{
		"a loose ref":       {map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": shaA + "\n"}, "main", shaA, "", "."},
		"a branch in parts": {map[string]string{".git/HEAD": "ref: refs/heads/fix/a-b\n", ".git/refs/heads/fix/a-b": shaA}, "fix/a-b", shaA, "", "."},
		"packed": {map[string]string{".git/HEAD": "ref: refs/heads/main\n",
			".git/packed-refs": "# pack-refs with: peeled fully-peeled sorted\n" + shaB + " refs/heads/mainly\n" + shaA + " refs/heads/main\n^" + shaB + "\n"}, "main", shaA, "", "."},
		"loose before packed": {map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": shaB, ".git/packed-refs": shaA + " refs/heads/main\n"}, "main", shaB, "", "."},
		"detached":            {map[string]string{".git/HEAD": shaA + "\n"}, "", shaA, "", "."},
		"no commit yet":       {map[string]string{".git/HEAD": "ref: refs/heads/main\n"}, "main", "", "", "."},
		"no repository":       {map[string]string{"a.go": "x"}, "", "", "", ""},
		"a ref to a ref":      {map[string]string{".git/HEAD": "ref: refs/heads/a\n", ".git/refs/heads/a": "ref: refs/heads/b\n", ".git/refs/heads/b": shaA}, "a", shaA, "", "."},
		"refs in a ring":      {map[string]string{".git/HEAD": "ref: refs/heads/a\n", ".git/refs/heads/a": "ref: refs/heads/a\n"}, "a", "", "", "."},
		"reftable":            {map[string]string{".git/HEAD": "ref: refs/heads/.invalid\n", ".git/reftable/tables.list": "x"}, "", "", "reftable", "."},
		"a ref to elsewhere":  {map[string]string{".git/HEAD": "ref: refs/heads/../../../secret\n", "secret": shaA}, "", "", "no branch", "."},
		"nonsense":            {map[string]string{".git/HEAD": "hello"}, "", "", "not known", "."},
		"an empty folder":     {map[string]string{".git/x": ""}, "", "", "cannot be read", "."},
		"a file that is none": {map[string]string{".git": "hello"}, "", "", "", ""},
		"a worktree": {map[string]string{".git": "gitdir: main/.git/worktrees/w\n", "main/.git/worktrees/w/HEAD": "ref: refs/heads/w\n",
			"main/.git/worktrees/w/commondir": "../..\n", "main/.git/refs/heads/w": shaB, "main/.git/HEAD": "ref: refs/heads/main\n"}, "w", shaB, "", "."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			root := folder(t)
			for path, text := range tt.files {
				write(t, filepath.Join(root, filepath.FromSlash(path)), text)
			}
			for _, from := range []string{root, filepath.Join(root, "below")} {
				must(t, os.MkdirAll(from, 0o755))
				d := look(t, from)
				repo := ""
				if tt.repo != "" {
					repo = filepath.Join(root, tt.repo)
				}
				if d.Branch != tt.branch || d.Head != tt.head || d.Repository != repo {
					t.Errorf("branch %q head %q in %q, want %q %q in %q", d.Branch, d.Head, d.Repository, tt.branch, tt.head, repo)
				}
				if (d.Why == "") != (tt.why == "") || !strings.Contains(d.Why, tt.why) {
					t.Errorf("why %q, want %q", d.Why, tt.why)
				}
			}
		})
	}
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.test", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.test")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestReadRepositoryOfGit compares with what git itself says.
func TestReadRepositoryOfGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	root, tree := folder(t), filepath.Join(folder(t), "w")
	gitIn(t, root, "init", "-q", "-b", "main")
	gitIn(t, root, "commit", "-q", "--allow-empty", "-m", "one")
	agree := func(dir, branch string) {
		t.Helper()
		d := look(t, dir)
		if want := gitIn(t, dir, "rev-parse", "HEAD"); d.Branch != branch || d.Head != want || d.Repository != dir {
			t.Errorf("branch %q head %s in %s, git says %s %s in %s", d.Branch, d.Head, d.Repository, branch, want, dir)
		}
	}
	agree(root, "main")
	gitIn(t, root, "worktree", "add", "-q", "-b", "fix/w", tree)
	gitIn(t, tree, "commit", "-q", "--allow-empty", "-m", "two")
	agree(tree, "fix/w")
	gitIn(t, root, "pack-refs", "--all")
	agree(root, "main")
	agree(tree, "fix/w")
	gitIn(t, root, "checkout", "-q", "--detach")
	agree(root, "")
	gitIn(t, root, "checkout", "-q", "-b", "other")
	agree(root, "other")
}
