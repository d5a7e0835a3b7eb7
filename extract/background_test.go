package extract

import (
	"slices"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// TestBackground is about commands that were left running when the history went.
func TestBackground(t *testing.T) {
	running := func(id string) func(*pith.Block) { return func(b *pith.Block) { b.Running = id } }
	start := func() *session {
		return newSession().user("Start the server.").
			use("Bash", arg("command", "npm run dev"), raw("run_in_background", "true")).result("Command running in background with ID: b12", running("b12"))
	}
	left := func(s *session) []string {
		var out []string
		for _, c := range s.facts(t).Context.PendingCalls {
			out = append(out, c.Tool+": "+c.Text)
		}
		return out
	}
	const server = "Bash: still in the background as b12: npm run dev"
	for name, tt := range map[string]struct {
		s    *session
		want []string
	}{
		"goes on":                      {start().use("Read", arg("file_path", "a.go")).result("package a"), []string{server}},
		"looked at":                    {start().use("BashOutput", arg("bash_id", "b12")).result("<status>running</status>\nready on 3000"), []string{server}},
		"another is ended":             {start().use("KillShell", arg("shell_id", "b13")).result("killed"), []string{server}},
		"killed":                       {start().use("KillShell", arg("shell_id", "b12")).result("killed"), nil},
		"seen to have ended":           {start().use("BashOutput", arg("bash_id", "b12")).result("<status>completed</status>\n<exit_code>0</exit_code>"), nil},
		"told to have ended":           {start().harness("<task-notification>\n<task-id>b12</task-id>\n<status>completed</status>\n</task-notification>"), nil},
		"the user's words end nothing": {start().user("What is <task-id>b12</task-id> <status>completed</status>?"), []string{server}},
	} {
		if got := left(tt.s); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	before := &pith.State{}
	before.Context.PendingCalls = start().facts(t).Context.PendingCalls
	again := newSession()
	again.x.GoOn(before)
	if got := left(again.says("Going on.")); !slices.Equal(got, []string{server}) {
		t.Errorf("behind an earlier state: %q", got)
	}
	many := newSession().user("Start them.")
	for i := range maxBackground + 5 {
		id := "b" + strings.Repeat("x", i+1)
		many.calls = 0
		many.use("Bash", arg("command", "sleep 1")).result("Command running in background with ID: "+id, running(id))
	}
	if got := left(many); len(got) != maxBackground {
		t.Errorf("%d commands are listed", len(got))
	}
}
