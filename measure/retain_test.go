package measure_test

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
)

// verdictOf is what a text holds of one atom.
func verdictOf(t *testing.T, rows []measure.Retained, gone []measure.Lost) string {
	t.Helper()
	if len(rows) != 1 || rows[0].Of != 1 {
		t.Fatalf("rows %+v", rows)
	}
	r := rows[0]
	switch {
	case r.Full == 1:
		return "full"
	case len(gone) != 1 || gone[0].Half != (r.Half == 1) || gone[0].Stale != (r.Stale == 1):
		t.Fatalf("row %+v, lost %+v", r, gone)
	case r.Half == 1:
		return "half"
	case r.Stale == 1:
		return "stale"
	}
	return "lost"
}

func TestRetainText(t *testing.T) {
	modified := measure.Atom{Kind: measure.KindModified, Text: "/r/pkg/lexer.go", Status: "edited"}
	deleted := measure.Atom{Kind: measure.KindModified, Text: "/r/pkg/lexer.go", Status: "deleted"}
	top := measure.Atom{Kind: measure.KindInspected, Text: "/r/README.md"}
	outside := measure.Atom{Kind: measure.KindInspected, Text: "/other/lib/x.py"}
	named := measure.Atom{Kind: measure.KindInspected, Text: "pkg/lexer.go"}
	failing := measure.Atom{Kind: measure.KindRun, Text: "go test ./...", Exit: exit(1), Counts: []string{"1 passed", "2 failed"}, Was: []string{"exit 0, 3 passed"}}
	passing := measure.Atom{Kind: measure.KindRun, Text: "go vet ./...", Exit: exit(0), Was: []string{"exit 2"}}
	long := measure.Atom{Kind: measure.KindRun, Text: "docker run --rm -v /a:/b image sh -c 'make all && make test'", Exit: exit(3)}
	failure := measure.Atom{Kind: measure.KindError, Text: "--- FAIL: TestParse (0.02s)"}
	fatal := measure.Atom{Kind: measure.KindError, Text: "fatal: unable to read tree from the object database"}
	rule := measure.Atom{Kind: measure.KindRule, Text: "- Never change the public API of the lexer without asking me first."}
	answer := measure.Atom{Kind: measure.KindDecision, Text: "Which base should the branch have? = release branch"}
	refusal := measure.Atom{Kind: measure.KindDecision, Text: "no, not on this branch"}
	step := measure.Atom{Kind: measure.KindTodo, Text: "Round half up in MulRat", Status: "completed", Was: []string{"pending", "in_progress"}}
	request := measure.Atom{Kind: measure.KindRequest, Text: "Before you commit, also cover a reconnect. Keep the log as it is now."}
	short := measure.Atom{Kind: measure.KindRequest, Text: "go on"}
	commit := measure.Atom{Kind: measure.KindCommit, Text: "c4d81f7", Was: []string{"9f31c0e"}}
	version := measure.Atom{Kind: measure.KindIdentifier, Text: "m v1.3.0", Was: []string{"m v1.2.3"}}
	issue := measure.Atom{Kind: measure.KindIdentifier, Text: "#12"}
	tests := []struct {
		name, text string
		atom       measure.Atom
		want       string
	}{
		{"absolute", "see /r/pkg/lexer.go:12 for it", modified, "full"},
		{"relative to the root", "- pkg/lexer.go", modified, "full"},
		{"with a dot", "in ./pkg/lexer.go.", modified, "full"},
		{"in code", "`pkg/lexer.go` was edited", modified, "full"},
		{"below a folder that is named", "In /r/pkg: parser.go, lexer.go", modified, "full"},
		{"below a folder that is named by its own", "- `pkg/`:\n  - `parser.go`\n  - `lexer.go`", modified, "full"},
		{"the base name", "lexer.go was edited", modified, "half"},
		{"of another folder", "other/pkg2/lexer.go", modified, "half"},
		{"a longer name", "/r/pkg/lexer.golden and pkg/lexer_test.go", modified, "lost"},
		{"a path that begins like it", "/r/pkg/lexer.go.orig", modified, "half"},
		{"nothing", "", modified, "lost"},
		{"told to be gone", "pkg/lexer.go (deleted)", deleted, "full"},
		{"told to be gone above", "Deleted files:\n- pkg/lexer.go", deleted, "full"},
		{"told to be gone further down", "read pkg/lexer.go\n\ncommand: git rm pkg/lexer.go", deleted, "full"},
		{"told as if it were there", "- pkg/lexer.go", deleted, "stale"},
		{"told to be gone and it is there", "pkg/lexer.go (deleted)", modified, "stale"},
		{"at the root", "README.md", top, "full"},
		{"another one of that name", "docs/README.md", top, "half"},
		{"relative to a folder far away", "paths are relative to /other\n" + strings.Repeat("\n", 30) + "lib/x.py", outside, "full"},
		{"as it was used", "/r/pkg/lexer.go", named, "full"},

		{"a run", "- `go test ./...` exit 1, 1 passed, 2 failed", failing, "full"},
		{"a run, its outcome below", "$ go test ./...\nexit code 1\n1 passed, 2 failed", failing, "full"},
		{"a run, too far below", "go test ./...\n\n\n\nexit code 1, 1 passed, 2 failed", failing, "lost"},
		{"a run without counts", "`go test ./...` exit 1", failing, "lost"},
		{"a run without a code", "`go test ./...`: 1 passed, 2 failed", failing, "lost"},
		{"a run with other counts", "`go test ./...` exit 1, 1 passed, 3 failed", failing, "lost"},
		{"the outcome before", "`go test ./...` exit 0, 3 passed", failing, "stale"},
		{"the outcome of the next command", "- `go test ./...`\n- `go vet ./...` exit 1, 1 passed, 2 failed", failing, "lost"},
		{"another command", "`go test ./pkg` exit 1, 1 passed, 2 failed", failing, "lost"},
		{"a run of which less was looked at", "- `go test ./... 2>&1 | tail -n 20` exit 1, 1 passed, 2 failed, see `a` and `b`", failing, "full"},
		{"a part of a longer command", "- `go test ./... -run TestA` exit 1, 1 passed, 2 failed", failing, "lost"},
		{"a part of a longer line", "cd x && go test ./... exit 1, 1 passed, 2 failed", failing, "lost"},
		{"a run and a dash", "go test ./... - exit 1, 1 passed, 2 failed", failing, "full"},
		{"a call and its answer", "Bash\ncommand: go test ./...\nExit code 1\n--- PASS: TestA\n--- FAIL: TestB\n--- FAIL: TestC\nFAIL", failing, "full"},
		{"a passing run in words", "`go vet ./...` passes", passing, "full"},
		{"a passing run that fails", "`go vet ./...` exit 2", passing, "stale"},
		{"a passing run, nothing said", "`go vet ./...` was run", passing, "lost"},
		{"a shortened command", "- `docker run --rm -v /a:/b … make test'` exit 3", long, "full"},
		{"another shortened command", "- `docker run --rm -v /b:/a … make test'` exit 3", long, "lost"},

		{"a failure", "- TestParse fails", failure, "full"},
		{"the name of a test", "TestParse covers the grammar", failure, "half"},
		{"a failure of another test", "--- FAIL: TestParser (0.02s)", failure, "lost"},
		{"an error", "> fatal: unable to read tree from the object database", fatal, "full"},
		{"most of an error", "git is unable to read a tree from the database", fatal, "half"},

		{"a rule", "Never change the public API of the lexer   without\nasking me first.", measure.Atom{Kind: measure.KindRule, Text: "Never change the public API of the lexer without asking me first."}, "full"},
		{"nearly a rule", "* never change the public API of the lexer without asking first", rule, "full"},
		{"a rule in other words", "The lexer's API stays as it is.", rule, "lost"},

		{"an answer by its question", "Q: Which base should the branch have?\nA: release branch", answer, "full"},
		{"an answer alone", "It goes to the release branch.", answer, "half"},
		{"another answer", "Which base should the branch have? main", answer, "lost"},
		{"a refusal", "> no, not on this branch", refusal, "full"},

		{"a step", "[x] Round half up in MulRat", step, "full"},
		{"a step under a heading", "Completed:\n- Round half up in MulRat", step, "full"},
		{"a step as JSON", `[{"content":"Round half up in MulRat","status":"completed"},{"content":"b","status":"pending"}]`, step, "full"},
		{"a step as tasks", "TaskCreate\nsubject: Round half up in MulRat\nTask #4 created successfully: Round half up in MulRat\nTaskUpdate\ntaskId: 4\nstatus: in_progress\nTaskUpdate\ntaskId: 4\nstatus: completed", step, "full"},
		{"a step as tasks, before", "TaskCreate\nsubject: Round half up in MulRat\nTask #4 created successfully: Round half up in MulRat\nTaskUpdate\ntaskId: 4\nstatus: in_progress", step, "stale"},
		{"a step of before", "[ ] Round half up in MulRat", step, "stale"},
		{"a step without a status", "Round half up in MulRat", step, "half"},
		{"a step that never was so", "[cancelled] Round half up in MulRat", step, "lost"},

		{"a request", "> Before you commit, also cover a reconnect.\n> Keep the log as it is now.", request, "half"},
		{"a whole request", "Before you commit, also cover a reconnect. Keep the log as it is now.", request, "full"},
		{"another request", "Before you push, drop a reconnect.", request, "lost"},
		{"a short request", "- go on", short, "full"},
		{"its words by accident", "The tests go on and on", short, "lost"},

		{"a commit", "head c4d81f7aa90c3ffffffffffffffffffffffffff", commit, "full"},
		{"a commit that was replaced", "head 9f31c0e", commit, "stale"},
		{"a version", "m is at v1.3.0", version, "full"},
		{"a version of before", "m is at v1.2.3", version, "stale"},
		{"an issue", "https://example.org/o/r/pull/12", issue, "full"},
		{"another issue", "#123", issue, "lost"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rows, gone := measure.Retain([]measure.Atom{tt.atom}, measure.Held{Text: tt.text, Root: "/r"})
			if got := verdictOf(t, rows, gone); got != tt.want {
				t.Errorf("%s, want %s\n%s", got, tt.want, tt.text)
			}
		})
	}
}

func TestRetainState(t *testing.T) {
	superseded := "ev-2"
	state := &pith.State{
		Goal:        pith.Goal{Text: "Fix the parser. Never change the public API."},
		Constraints: []pith.Constraint{{Text: "Never change the public API."}},
		Files: pith.Files{
			Modified:  []pith.File{{Path: "/r/a.go", Op: pith.FileEdited}, {Path: "/r/gone.go", Op: pith.FileDeleted}},
			Inspected: []pith.File{{Path: "/r/b.go"}},
		},
		Evidence: []pith.Evidence{
			{Command: "go test ./...", ExitCode: exit(0), Status: "pass", Counts: &pith.Counts{Passed: 3}, SupersededBy: &superseded},
			{Command: "go test ./...", ExitCode: exit(1), Status: "fail", Counts: &pith.Counts{Passed: 2, Failed: 1}, Signature: "x_test.go:3: want 2"},
		},
		Context:     pith.Context{Todo: []pith.Todo{{Text: "One", Status: "completed"}}},
		Identifiers: pith.Identifiers{Commits: []pith.Identifier{{Name: "abc1234"}}},
	}
	tests := []struct {
		name string
		atom measure.Atom
		want string
	}{
		{"written", measure.Atom{Kind: measure.KindModified, Text: "/r/a.go", Status: "edited"}, "full"},
		{"written, said to be read only", measure.Atom{Kind: measure.KindModified, Text: "/r/b.go", Status: "edited"}, "half"},
		{"gone", measure.Atom{Kind: measure.KindModified, Text: "/r/gone.go", Status: "deleted"}, "full"},
		{"gone, said to be there", measure.Atom{Kind: measure.KindModified, Text: "/r/a.go", Status: "deleted"}, "stale"},
		{"not there", measure.Atom{Kind: measure.KindModified, Text: "/r/c.go", Status: "edited"}, "lost"},
		{"read", measure.Atom{Kind: measure.KindInspected, Text: "/r/b.go"}, "full"},
		{"not read", measure.Atom{Kind: measure.KindInspected, Text: "/r/x.go"}, "lost"},
		{"the last outcome", measure.Atom{Kind: measure.KindRun, Text: "go test ./...", Exit: exit(1), Counts: []string{"2 passed", "1 failed"}, Was: []string{"exit 0, 3 passed"}}, "full"},
		{"an outcome that the state has of before", measure.Atom{Kind: measure.KindRun, Text: "go test ./...", Exit: exit(2), Was: []string{"exit 1, 2 passed, 1 failed"}}, "stale"},
		{"no such outcome", measure.Atom{Kind: measure.KindRun, Text: "go test ./...", Exit: exit(7)}, "lost"},
		{"a step", measure.Atom{Kind: measure.KindTodo, Text: "One", Status: "completed"}, "full"},
		{"a step with its status of before", measure.Atom{Kind: measure.KindTodo, Text: "One", Status: "cancelled", Was: []string{"completed"}}, "stale"},
		{"a rule", measure.Atom{Kind: measure.KindRule, Text: "Never change the public API."}, "full"},
		{"a rule that nobody set", measure.Atom{Kind: measure.KindRule, Text: "Never add a dependency to it."}, "lost"},
		{"a failure", measure.Atom{Kind: measure.KindError, Text: "x_test.go:3: want 2"}, "full"},
		{"a commit", measure.Atom{Kind: measure.KindCommit, Text: "abc1234def"}, "full"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rows, gone := measure.RetainState([]measure.Atom{tt.atom}, state)
			if got := verdictOf(t, rows, gone); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestRetainedOrder holds that the rows come in the order of the kinds.
func TestRetainedOrder(t *testing.T) {
	var atoms []measure.Atom
	for _, k := range measure.Kinds() {
		atoms = append([]measure.Atom{{Kind: k, Text: "name"}}, atoms...)
	}
	rows, _ := measure.Retain(atoms, measure.Held{Text: "x"})
	for i, k := range measure.Kinds() {
		if rows[i].Kind != k {
			t.Errorf("row %d is %s, want %s", i, rows[i].Kind, k)
		}
	}
}

// TestFolderOfAnotherFile holds that a folder is not named by a file in it.
func TestFolderOfAnotherFile(t *testing.T) {
	a := measure.Atom{Kind: measure.KindInspected, Text: "/other/lib/x.py"}
	rows, gone := measure.Retain([]measure.Atom{a}, measure.Held{Text: "/other/lib/y.py and x.py", Root: "/r"})
	if got := verdictOf(t, rows, gone); got != "half" {
		t.Errorf("%s, want half", got)
	}
}
