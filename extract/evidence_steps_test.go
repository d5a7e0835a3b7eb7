package extract

import (
	"testing"
)

// run is one command of a test's tape.
type oneRun struct {
	command string
	code    int
	output  string
}

func openFailures(t *testing.T, runs ...oneRun) (open, all int) {
	t.Helper()
	p := newTape()
	for _, r := range runs {
		p.run(r.command, r.code, r.output)
	}
	ids := map[string]bool{}
	evidence := p.evidence(t)
	for _, e := range evidence {
		ids[e.ID] = true
	}
	for _, e := range evidence {
		if e.ResolvedBy != "" && !ids[e.ResolvedBy] {
			t.Errorf("%s is resolved by what is not there", e.Command)
		}
		if e.ExitCode != nil && *e.ExitCode != 0 {
			all++
		}
		if e.Unresolved() {
			open++
		}
	}
	return open, all
}

func TestStepsThatWereTakenAnotherWay(t *testing.T) {
	for _, tt := range []struct {
		name string
		runs []oneRun
		open int
	}{
		{"a commit that a lock held up", []oneRun{{"git commit -m 'one thing'", 128, "fatal: index.lock exists"}, {"git add -A && git commit -m 'another'", 0, "[main abc1234] another"}}, 0},
		{"an add of the same files, in two goes", []oneRun{{"git add a.go b.go", 1, "b.go is ignored"}, {"git add a.go", 0, ""}, {"git add -f b.go c.go", 0, ""}}, 0},
		{"an add of one of two files", []oneRun{{"git add a.go b.go", 1, "b.go is ignored"}, {"git add a.go", 0, ""}}, 1},
		{"an add of everything", []oneRun{{"git add a.go b.go", 1, "b.go is ignored"}, {"git add -A && git status", 0, ""}}, 0},
		{"a rebase that went on", []oneRun{{"git rebase origin/main", 1, "CONFLICT (content)"}, {"git add a.go && GIT_EDITOR=true git rebase --continue", 0, "Successfully rebased"}}, 0},
		{"elsewhere", []oneRun{{"git push", 1, "rejected"}, {"cd /srv/other && git push", 0, ""}}, 1},
		{"a pass that a pipe hides", []oneRun{{"git push", 1, "rejected"}, {"git push | tail -1", 0, ""}}, 1},
		{"a pass that a semicolon hides", []oneRun{{"git push", 1, "rejected"}, {"git push; echo done", 0, "done"}}, 1},
		{"what stood before it may have failed", []oneRun{{"./deploy && git push", 1, "no route to host"}, {"git push", 0, ""}}, 1},
		{"a formatter on the same file", []oneRun{{"gofmt -w a.go", 2, "a.go:1:1: expected 'package'"}, {"gofmt -w a.go b.go", 0, ""}}, 0},
		{"a formatter on another file", []oneRun{{"gofmt -w a.go", 2, "a.go:1:1: expected 'package'"}, {"gofmt -w b.go", 0, ""}}, 1},
		{"each verification by itself", []oneRun{{"go vet ./... && go test ./...", 1, "FAIL"}, {"go vet ./...", 0, ""}, {"go test ./...", 0, "ok  \tx\t0.1s"}}, 0},
		{"one verification of two", []oneRun{{"go vet ./... && go test ./...", 1, "FAIL"}, {"go vet ./...", 0, ""}}, 1},
		{"a push from a line that verifies", []oneRun{{"git push", 1, "rejected"}, {"go test ./... && git push", 0, "ok  \tx\t0.1s"}}, 0},
		{"two failures and the same pass twice", []oneRun{{"git push", 1, "rejected"}, {"git push origin main", 0, ""}, {"git push -v", 1, "rejected"}, {"git push origin main", 0, ""}}, 0},
	} {
		open, all := openFailures(t, tt.runs...)
		if open != tt.open {
			t.Errorf("%s: %d open, want %d", tt.name, open, tt.open)
		}
		if all == 0 {
			t.Errorf("%s: the failure is gone", tt.name)
		}
	}
}

func TestQuestionsThatTheExitAnswers(t *testing.T) {
	for _, r := range []oneRun{
		{"sed -n '1,40p' cmd/main.go", 1, "sed: cmd/main.go: No such file or directory"},
		{"cat a.txt b.txt", 1, "cat: b.txt: No such file or directory"},
		{"rm .git/index.lock", 1, "rm: .git/index.lock: No such file or directory"},
		{`git config gc.auto; echo "---"; git config gc.autoPackLimit`, 1, "---"},
		{"git cat-file -t abc1234", 128, "fatal: git cat-file: could not get object info"},
	} {
		if open, all := openFailures(t, r); open != 0 || all != 1 {
			t.Errorf("%s: %d open of %d", r.command, open, all)
		}
	}
	for _, r := range []oneRun{
		{"sed -n 1q x", 1, "sed: x: Permission denied"},
		{"git config user.name", 1, "error: could not lock config file"},
		{"python3 a.py && cat out.txt", 1, "Traceback: No such file or directory"},
	} {
		if open, _ := openFailures(t, r); open != 1 {
			t.Errorf("%s: %d open", r.command, open)
		}
	}
}
