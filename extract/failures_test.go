package extract

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

func find(t *testing.T, list []pith.FailedAttempt, part string) *pith.FailedAttempt {
	t.Helper()
	for i := range list {
		if strings.Contains(list[i].Attempt, part) {
			return &list[i]
		}
	}
	t.Fatalf("no failed attempt with %q in %+v", part, list)
	return nil
}

func TestFailedAttempts(t *testing.T) {
	p := newTape()
	edit := []pith.Arg{text("file_path", "/srv/shop/a.go"), text("old_string", "x")}
	miss := pith.Block{Text: "<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>", IsError: true}
	p.call("Edit", edit, miss)
	p.call("Edit", edit, miss)
	p.call("Edit", edit, pith.Block{Text: "The file was updated"})
	p.call("Edit", []pith.Arg{text("file_path", "/srv/shop/b.go")}, miss)
	p.call("Write", []pith.Arg{text("file_path", "/srv/shop/c.go")}, pith.Block{Text: "<tool_use_error>File has not been read yet.</tool_use_error>", IsError: true})
	p.call("Write", []pith.Arg{text("file_path", "/srv/shop/c.go")}, pith.Block{Text: "ok"})
	p.call("Bash", []pith.Arg{text("command", "rm -rf build")}, pith.Block{IsError: true, Rejected: true, Text: "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nkeep the build, I need it"})
	got := p.x.Facts().Failed
	if a := find(t, got, "a.go"); a.Occurrences != 2 || a.EndedBy != "applied later" || a.ErrorSignature != "String to replace not found in file." || a.Attempt != "Edit /srv/shop/a.go" {
		t.Errorf("a.go: %+v", a)
	}
	if a := find(t, got, "b.go"); a.EndedBy != "" || a.DoNotRetry {
		t.Errorf("b.go: %+v", a)
	}
	if a := find(t, got, "rm -rf"); !a.DoNotRetry || a.Reason != "keep the build, I need it" || a.Provenance != pith.UserExplicit {
		t.Errorf("rm: %+v", a)
	}
	for _, a := range got {
		if strings.Contains(a.Attempt, "c.go") {
			t.Errorf("a file that was only to be read first is no failed attempt: %+v", a)
		}
		if a.ID == "" || a.Reason == "" || a.ErrorSignature == "" {
			t.Errorf("incomplete: %+v", a)
		}
	}
}

func TestRefusalTakesTheNextWords(t *testing.T) {
	p := newTape()
	p.call("Write", []pith.Arg{text("file_path", "/x")}, pith.Block{IsError: true, Rejected: true, Text: "[Request interrupted by user for tool use]"})
	p.say(pith.RoleUser, "put it into y instead")
	if a := find(t, p.x.Facts().Failed, "/x"); a.Reason != "put it into y instead" {
		t.Errorf("got %+v", a)
	}
}

func TestApproachesThatWereGivenUp(t *testing.T) {
	p := newTape()
	p.call("edit_file", []pith.Arg{text("path", "counter/inc.go")}, pith.Block{Text: "ok"})
	p.run("go test ./counter", 2, "fatal error: all goroutines are asleep - deadlock!\nexit status 2")
	p.say(pith.RoleAssistant, "The mutex is taken twice. I revert and try a channel.")
	p.run("go test -bench Inc ./counter", 0, "BenchmarkInc 40% lower throughput than baseline\nexit status 0")
	p.say(pith.RoleAssistant, "The channel is too slow. Shall I use sync.Map?")
	p.say(pith.RoleUser, "No sync.Map, we cannot range over it atomically. Find something else.")
	got := p.x.Facts().Failed
	if a := find(t, got, "mutex"); !strings.Contains(a.ErrorSignature, "deadlock") || a.Provenance != pith.Assistant {
		t.Errorf("mutex: %+v", a)
	}
	if a := find(t, got, "channel is too slow"); !strings.Contains(a.ErrorSignature, "40% lower throughput") {
		t.Errorf("channel: %+v", a)
	}
	if a := find(t, got, "sync.Map"); !a.DoNotRetry || !strings.Contains(a.Reason, "cannot range over it") || a.Provenance != pith.UserExplicit {
		t.Errorf("sync.Map: %+v", a)
	}
}

func TestNoApproach(t *testing.T) {
	p := newTape()
	p.say(pith.RoleAssistant, "If it deadlocks, I will tell you. The old code would be too slow. Should we abandon it? I reverted the version number.")
	p.say(pith.RoleAssistant, "Shall I go on?")
	p.say(pith.RoleUser, "No problem, go on.")
	if got := p.x.Facts().Failed; len(got) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestUndoneWork(t *testing.T) {
	p := newTape()
	p.call("Edit", []pith.Arg{text("file_path", "/srv/shop/a.go")}, pith.Block{Text: "ok"})
	p.run("go test ./...", 1, "--- FAIL: TestA (0.0s)\n    a_test.go:3: slower than before\nFAIL\tx\t0.1s")
	p.run("git checkout -- a.go", 0, "")
	a := find(t, p.x.Facts().Failed, "a.go")
	if a.Attempt != "Edit /srv/shop/a.go" || a.EndedBy != "git checkout -- a.go" || a.ErrorSignature != "a_test.go:3: slower than before" {
		t.Errorf("got %+v", a)
	}
}

func TestRepeatedFailures(t *testing.T) {
	p := newTape()
	for range 3 {
		p.run("make test", 2, "a_test.go:3: no")
		p.run("terraform apply", 1, "Error: no credentials at 12:04")
	}
	got := p.x.Facts().Failed
	if a := find(t, got, "make test"); a.Occurrences != 3 || !a.DoNotRetry {
		t.Errorf("got %+v", a)
	}
	if a := find(t, got, "terraform"); a.Occurrences != 3 || !a.DoNotRetry {
		t.Errorf("got %+v", a)
	}
	p.run("make test", 0, "12 passed")
	if a := find(t, p.x.Facts().Failed, "make test"); a.EndedBy != "passed later" || a.DoNotRetry {
		t.Errorf("got %+v", a)
	}
}
