package extract

import (
	"testing"

	"github.com/pith-memory/pith"
)

// body plays an API body: no directory is recorded.
func body(system string, user string, calls ...did) *Facts {
	x := New()
	n := 0
	add := func(role pith.Role, b pith.Block) {
		x.Message(&pith.Message{Index: n, Role: role, Blocks: []pith.Block{b}})
		n++
	}
	add(pith.RoleSystem, pith.Block{Kind: pith.KindText, Text: system, Origin: pith.System})
	add(pith.RoleUser, pith.Block{Kind: pith.KindText, Text: user, Origin: pith.UserExplicit})
	for _, c := range calls {
		key := "path"
		if c.tool == "Bash" {
			key = "command"
		}
		u := pith.Block{Kind: pith.KindToolUse, ToolName: c.tool, ToolUseID: "t", Args: []pith.Arg{text(key, c.args)}}
		add(pith.RoleAssistant, u)
		add(pith.RoleUser, pith.Block{Kind: pith.KindToolResult, ToolUseID: "t", Text: c.out, IsError: c.code != 0})
	}
	return x.Facts()
}

func TestWorkspace(t *testing.T) {
	const system = "You are a coding agent working in /srv/shop. Use the tools."
	for _, tt := range []struct {
		name, system, user string
		calls              []did
		want               pith.Workspace
	}{
		{"system prompt", system, "Go.", nil, pith.Workspace{Root: "/srv/shop", CWD: "/srv/shop"}},
		{"working directory", "Env:\nWorking directory: /home/me/my-app\nPlatform: linux", "Go.", nil, pith.Workspace{Root: "/home/me/my-app", CWD: "/home/me/my-app"}},
		{"environment element", "", "<environment_context><cwd>/srv/x</cwd></environment_context>", nil, pith.Workspace{Root: "/srv/x", CWD: "/srv/x"}},
		{"worktree that the user names", system, "Work only in the worktree /srv/shop-fix-123 (branch fix-123), the main checkout /srv/shop belongs to someone else.",
			[]did{tool("edit_file", "/srv/shop-fix-123/api/mapper.go", "ok")},
			pith.Workspace{Root: "/srv/shop", CWD: "/srv/shop", Worktree: "/srv/shop-fix-123", Branch: "fix-123"}},
		{"worktree that was added", system, "Go.", []did{
			sh("git worktree add -b hot ../shop-hot origin/main", 0, "Preparing worktree"), tool("edit_file", "/srv/shop-hot/a.go", "ok")},
			pith.Workspace{Root: "/srv/shop", CWD: "/srv/shop", Worktree: "/srv/shop-hot"}},
		{"worktree that is not used", system, "Go.", []did{sh("git worktree add ../shop-hot", 0, "Preparing worktree")},
			pith.Workspace{Root: "/srv/shop", CWD: "/srv/shop"}},
		{"directory of a shell", system, "Go.", []did{sh("cd api", 0, ""), sh("cd v2 && ls", 0, "")}, pith.Workspace{Root: "/srv/shop", CWD: "/srv/shop/api/v2"}},
		{"pwd", "", "Go.", []did{sh("pwd", 0, "/root/app\n")}, pith.Workspace{Root: "/root/app", CWD: "/root/app"}},
		{"branch and head", system, "Go.", []did{
			sh("git checkout -b fix/x", 0, "Switched to a new branch 'fix/x'"), sh("git commit -m y", 0, "[fix/x abc1234] y")},
			pith.Workspace{Root: "/srv/shop", CWD: "/srv/shop", Branch: "fix/x", Head: "abc1234"}},
		{"status and switch back", system, "Go.", []did{
			sh("git status", 0, "On branch feature/a\nnothing to commit"), sh("git switch main", 0, "Switched to branch 'main'")},
			pith.Workspace{Root: "/srv/shop", CWD: "/srv/shop", Branch: "main"}},
		{"head of a log", system, "Go.", []did{sh("git log --oneline -3", 0, "abc1234 one\ndef5678 two"), sh("git log --oneline v1.2..v1.3", 0, "fff1111 x")},
			pith.Workspace{Root: "/srv/shop", CWD: "/srv/shop", Head: "abc1234"}},
		{"failed checkout", system, "Go.", []did{sh("git checkout -b fix/x", 128, "fatal: a branch named 'fix/x' already exists")},
			pith.Workspace{Root: "/srv/shop", CWD: "/srv/shop"}},
		{"nothing known", "", "Go.", nil, pith.Workspace{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := body(tt.system, tt.user, tt.calls...).Workspace; got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestRecordedWorkspace(t *testing.T) {
	x := New()
	for i, m := range []pith.Message{
		{CWD: "/srv/shop", Branch: "main", Role: pith.RoleUser},
		{CWD: "/srv/shop/api", Branch: "fix", Role: pith.RoleAssistant, Model: "m-1"},
		{CWD: "/elsewhere", Branch: "other", Role: pith.RoleAssistant, Model: "m-2", Agent: "ag1"},
	} {
		m.Index = i
		x.Message(&m)
	}
	f := x.Facts()
	if want := (pith.Workspace{Root: "/srv/shop", CWD: "/srv/shop/api", Branch: "fix"}); f.Workspace != want || f.Model != "m-1" {
		t.Errorf("%+v, model %q", f.Workspace, f.Model)
	}
}

// Paths of an API body are absolute where a prompt names the directory.
func TestPathsOfABody(t *testing.T) {
	f := body("You work in the working directory /srv/shop.", "Go.", tool("read_file", "api/a.go", "x"), sh("cd api && cat b.go", 0, "x"), sh("cat c.go", 0, "x"))
	if got, want := list(f.Files.Inspected), "inspected api/c.go, inspected api/b.go, inspected api/a.go"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A branch that the client records once for all does not hide a later switch.
func TestRepeatedBranch(t *testing.T) {
	p := newTape()
	say := func() {
		p.x.Message(&pith.Message{Index: p.n, Role: pith.RoleUser, CWD: "/srv/shop", Branch: "main"})
		p.n++
	}
	say()
	p.run("git switch -c topic", 0, "Switched to a new branch 'topic'")
	say()
	if got := p.x.Facts().Workspace.Branch; got != "topic" {
		t.Errorf("branch %q, want topic", got)
	}
}
