package extract

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

func TestNextAction(t *testing.T) {
	for _, c := range []struct {
		name        string
		s           *session
		kind, basis string
		text        string
		command     string
	}{
		{"a pending command", newSession().user("Test it.").use("Bash", arg("command", "go test ./...")), "command", "pending_call", "go test ./...", "go test ./..."},
		{"a pending command that is composed", newSession().user("Test it.").use("Bash", arg("command", "go vet && go test")), "inspect", "pending_call", "go vet && go test", ""},
		{"a pending edit", newSession().user("Fix it.").use("Edit", arg("file_path", "a.go"), arg("old_string", "x")), "edit", "pending_call", "a.go", ""},
		{"a pending question", newSession().user("Tag it.").use("AskUserQuestion", arg("question", "Which version?")), "ask_user", "question", "Which version?", ""},
		{"pending questions", newSession().user("Tag it.").use("AskUserQuestion", raw("questions", `[{"question":"Which version?"},{"question":"Now?"}]`)), "ask_user", "question", "Which version? Now?", ""},
		{"an interruption", newSession().user("Fix it.").use("Bash", arg("command", "ls")).result("x").user("[Request interrupted by user]"), "ask_user", "none", "interrupted", ""},
		{"words after an interruption", newSession().user("Fix it.").use("Bash", arg("command", "ls")).result("x").user("[Request interrupted by user]").user("Use tabs in the pager, please"), "inspect", "user_request", "Use tabs", ""},
		{"the user spoke last", newSession().user("Fix it.").says("Done.").user("Now the docs for the pager"), "inspect", "user_request", "Now the docs for the pager", ""},
		{"a short reply", newSession().user("Fix it.").says("Mapper changed, next mapper_test.go.").user("Yes."), "inspect", "user_request", "Mapper changed, next mapper_test.go.", ""},
		{"work goes on", newSession().user("Fix the pager.").use("Bash", arg("command", "ls")).result("x"), "inspect", "user_request", "Fix the pager.", ""},
		{"a follow-up serves the goal", newSession().user("There is a race in post.go.").use("Bash", arg("command", "go test")).result("x").user("Give the test a deadline, it never finishes.").use("Edit", arg("file_path", "t.go")).result("ok"), "inspect", "user_request", "There is a race in post.go.", ""},
		{"the assistant asked", newSession().user("Fix it.").says("Two ways. A or B?"), "ask_user", "question", "A or B?", ""},
		{"an intent", newSession().user("Fix it.").says("The reader is done. Next, I'll port the writer."), "inspect", "intent", "port the writer", ""},
		{"looking is no intent", newSession().user("Fix it.").says("It is done. Let me see."), "none", "none", "", ""},
		{"all is said", newSession().user("Fix it.").says("Fixed."), "none", "none", "", ""},
		{"a list that is older than the request", newSession().user("Go.").use("TodoWrite", raw("todos", `[{"content":"old step","status":"pending"}]`)).result("ok").says("Paused.").user("Something else entirely: explain how the cache evicts its entries.").use("Read", arg("file_path", "c.go")).result("x"), "inspect", "user_request", "Something else", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := c.s.facts(t).Next
			if n.Kind != c.kind || n.Basis != c.basis || n.Command != c.command || !strings.Contains(n.Text, c.text) {
				t.Errorf("next is %+v", n)
			}
		})
	}
}

func TestCallsThatTheAgentWentOnWithoutAreNotPending(t *testing.T) {
	f := newSession().user("Go.").use("Bash", arg("command", "sleep 9")).says("I go on without it.").facts(t)
	if len(f.Context.PendingCalls) != 0 || f.Next.Basis == "pending_call" {
		t.Errorf("pending %+v, next %+v", f.Context.PendingCalls, f.Next)
	}
}

func TestDestructiveSteps(t *testing.T) {
	for command, want := range map[string]bool{
		"rm -rf build": true, "rm -fr ./x": true, "rm a.txt": false, "git reset --hard HEAD~1": true, "git reset HEAD": false,
		"git push --force-with-lease": true, "git push": false, "git clean -fdx": true, "psql -c 'DROP TABLE orders'": true,
		"dd if=/dev/zero of=/dev/sda": true, "mkfs.ext4 /dev/sdb1": true, "kubectl delete pod x": true, "kubectl get pods": false,
		"terraform destroy -auto-approve": true, "terraform plan": false, "deploy --env staging": true, "npm publish": true,
		"ssh edge-7 'rm -rf /var/cache'": true, "find . -name x -delete": true, "go test ./...": false, "git branch -D old": true,
	} {
		f := newSession().user("Go on.").use("Bash", arg("command", command)).facts(t)
		if f.Next.Destructive != want {
			t.Errorf("%q: destructive %v, want %v", command, f.Next.Destructive, want)
		}
	}
}

func TestReadOnlySessionsNeverEdit(t *testing.T) {
	for name, s := range map[string]*session{
		"the system says so":        newSession().system("You must not modify files.").user("Fix a.go"),
		"the user says so":          newSession().user("Explore only: explain a.go. I do not want any file changed."),
		"the client's plan mode":    newSession().user("Fix a.go").harness("<system-reminder>\nPlan mode is active. You MUST NOT make any edits.\n</system-reminder>"),
		"the sandbox of the client": newSession().harness("sandbox: read-only").user("Fix a.go"),
	} {
		f := s.use("Read", arg("file_path", "/srv/shop/a.go")).result("x").use("Edit", arg("file_path", "/srv/shop/a.go")).facts(t)
		if f.Next.Kind == "edit" || f.Next.Kind == "command" {
			t.Errorf("%s: next is %+v", name, f.Next)
		}
	}
	f := newSession().user("Only analyse a.go.").says("Off by one.").user("Good, now fix it.").use("Edit", arg("file_path", "/srv/shop/a.go")).facts(t)
	if f.Next.Kind != "edit" {
		t.Errorf("next after the user asked for a change is %+v", f.Next)
	}
}

func TestFinishedCommandIsNeverNext(t *testing.T) {
	zero := 0
	f := newSession().user("Deploy it.").use("Bash", arg("command", "./deploy.sh staging")).result("ok", func(b *pith.Block) { b.Exit = &zero }).
		use("Bash", arg("command", "./deploy.sh staging")).facts(t)
	if f.Next.Command != "" || f.Next.Basis == "pending_call" {
		t.Errorf("next is %+v", f.Next)
	}
}

func TestOpenQuestions(t *testing.T) {
	f := newSession().user("Is it atomic? Fix the docs.").use("Read", arg("file_path", "a")).result("x").facts(t)
	if q := f.Context.OpenQuestions; len(q) != 1 || q[0].Text != "Is it atomic?" || q[0].Provenance != pith.UserExplicit {
		t.Errorf("open questions are %+v", q)
	}
	f = newSession().user("Is it atomic?").says("Yes. Shall I document it?").facts(t)
	if q := f.Context.OpenQuestions; len(q) != 1 || q[0].Provenance != pith.Assistant {
		t.Errorf("open questions are %+v", q)
	}
}

func TestRemarksAreAnswered(t *testing.T) {
	for text, want := range map[string]string{
		"that was a little while back :|":            "Answer the user: “that was a little while back :|”",
		"why is this happening?":                     "Answer the user: “why is this happening?”",
		"continue with the pager":                    "continue with the pager",
		"can you check the readme":                   "can you check the readme",
		"can we check the other places?":             "can we check the other places?",
		"it still fails. Look at the second run.":    "it still fails. Look at the second run.",
		"看一下第二次运行":                                   "看一下第二次运行",
		"I was wrong, the first run was the bad one": "Answer the user: “I was wrong, the first run was the bad one”",
	} {
		f := newSession().user("Find out why the nightly run fails.").says("It was slow since March.").user(text).facts(t)
		if f.Next.Basis != "user_request" || !strings.HasPrefix(f.Next.Text, want) {
			t.Errorf("%q: next is %q (%s)", text, f.Next.Text, f.Next.Basis)
		}
	}
}
