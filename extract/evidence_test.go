package extract

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// tape writes a session by hand, message by message.
type tape struct {
	x *Extractor
	n int
}

func newTape() *tape { return &tape{x: New()} }

func (p *tape) message(role pith.Role, blocks ...pith.Block) {
	p.x.Message(&pith.Message{Index: p.n, Role: role, Blocks: blocks, CWD: "/srv/shop"})
	p.n++
}

func (p *tape) say(role pith.Role, text string) {
	origin := pith.UserExplicit
	if role == pith.RoleAssistant {
		origin = pith.Assistant
	}
	p.message(role, pith.Block{Kind: pith.KindText, Text: text, Origin: origin})
}

// call records a tool use and its result.
func (p *tape) call(tool string, args []pith.Arg, result pith.Block) {
	id := "t" + string(rune('0'+p.n%10))
	p.message(pith.RoleAssistant, pith.Block{Kind: pith.KindToolUse, ToolUseID: id, ToolName: tool, Args: args, Text: pith.ToolUseText(tool, args), Origin: pith.Assistant})
	result.Kind, result.ToolUseID, result.Origin = pith.KindToolResult, id, pith.ToolOutput
	p.message(pith.RoleUser, result)
}

func text(key, value string) pith.Arg { return pith.Arg{Key: key, Value: value, IsString: true} }

// run records a shell command; code < 0 is a result without a code.
func (p *tape) run(command string, code int, output string) {
	r := pith.Block{Text: output}
	if code >= 0 {
		r.Exit = &code
		r.IsError = code != 0
	}
	p.call("Bash", []pith.Arg{text("command", command)}, r)
}

func (p *tape) evidence(t *testing.T) []pith.Evidence {
	t.Helper()
	return p.x.Facts().Evidence
}

// only returns the last item of evidence.
func last(t *testing.T, items []pith.Evidence) pith.Evidence {
	t.Helper()
	if len(items) == 0 {
		t.Fatal("no evidence")
	}
	return items[len(items)-1]
}

func TestOutcomes(t *testing.T) {
	const red = "--- FAIL: TestExport (0.31s)\n    export_test.go:212: want 48 rows, got 47\nFAIL\nFAIL\tx/y\t0.3s\nFAIL\n"
	tests := []struct {
		name, command string
		code          int
		output        string
		status        string
		exit          int // -1 is unknown
		masked        bool
	}{
		{"own code", "go test ./...", 0, "ok  \tx/y\t0.1s", "pass", 0, false},
		{"own failure", "go test ./...", 1, red, "fail", 1, false},
		{"unknown code, output is clear", "go test ./...", -1, "ok  \tx/y\t0.1s", "pass", -1, false},
		{"unknown code, red output", "go test ./...", -1, red, "fail", -1, false},
		{"pipe hides a failure", "go test ./... 2>&1 | tail -20", 0, red, "fail", 0, true},
		{"pipe, packages are ok", "go test ./... 2>&1 | tail -20", 0, "ok  \tx/y\t0.1s", "pass", 0, true},
		{"pipefail keeps the code", "set -o pipefail; go test ./... | tail -3", 0, "ok  \tx/y\t0.1s", "pass", 0, false},
		{"head may cut the verdict", "go test ./... | head -2", 0, "ok  \tx/a\t0.1s\nok  \tx/b\t0.1s", "unknown", 0, true},
		{"grep for other things", "go test ./... | grep -c ok", 0, "12", "unknown", 0, true},
		{"or true", "make test || true", 0, "12 passed, 3 failed", "fail", 0, true},
		{"or true without a word", "make test || true", 0, "", "unknown", 0, true},
		{"or exit 1", "make test || exit 1", 0, "done", "pass", 0, false},
		{"printed code", "make test > log 2>&1; echo \"EXIT=$?\"", 0, "EXIT=2", "fail", 2, false},
		{"printed zero", "go vet ./...; echo $?", 0, "0", "pass", 0, false},
		{"kept code", "make test; rc=$?; tail -3 log; echo \"rc=$rc\"", 0, "a\nb\nrc=0", "pass", 0, false},
		{"code of a filter", "go test ./... | tail -3; echo $?", 0, "FAIL\tx/y\t0.1s\n0", "fail", 0, true},
		{"pipe status", "go test ./... | tail -3; echo \"exit ${PIPESTATUS[0]}\"", 0, "ok  \tx/y\t0.1s\nexit 1", "fail", 1, false},
		{"marks", "go test ./x >/dev/null && echo GOOD || echo BAD", 0, "BAD", "fail", 0, true},
		{"good mark", "go test ./x >/dev/null && echo GOOD || echo BAD", 0, "GOOD", "pass", 0, true},
		{"later command", "go test ./...; git status", 0, "On branch main", "unknown", 0, true},
		{"chain", "cd api && go build ./... && go test ./...", 0, "ok  \tx/y\t0.1s", "pass", 0, false},
		{"commit after", "go test ./... && git commit -m done", 0, "ok  \tx/y\t0.1s\n[main 1234567] done", "pass", 0, false},
		{"silent build", "go build ./... 2>&1 | tail -5", 0, "", "pass", 0, true},
		{"build error behind a pipe", "go build ./... 2>&1 | tail -5", 0, "# x/y\na.go:3:4: undefined: z", "fail", 0, true},
		{"silent build and a word of the line", "go vet ./... 2>&1 | head -5 && echo VET-OK", 0, "VET-OK", "pass", 0, true},
		{"passes are filtered out", "go test ./... 2>&1 | grep -v '^ok' | head; echo DONE", 0, "DONE", "pass", 0, true},
		{"pipe of a later command", "make lint && git push 2>&1 | tail -3", 0, "main -> main", "pass", 0, false},
		{"vet error before a search", "go vet ./... 2>&1 | head; grep -n x a.go", 0, "vet: a.go:3:4: undefined: z\na.go:9:x", "fail", 0, true},
		{"a search is no compiler", "go vet ./... 2>&1 | head; grep -n x a.go", 0, "a.go:9: x := 1", "unknown", 0, true},
		{"timeout", "timeout 60 go test ./...", 124, "", "timeout", 124, false},
		{"killed", "pytest", 137, "Killed", "timeout", 137, false},
		{"not there", "pytest -q", 127, "bash: pytest: command not found", "error", 127, false},
		{"gofmt lists a file", "gofmt -l .", 0, "a.go", "fail", 0, false},
		{"gofmt lists none", "gofmt -l .", 0, "", "pass", 0, false},
		{"npm script", "npm run test:unit -- --watch=false", 1, "Tests:       1 failed, 2 passed, 3 total", "fail", 1, false},
		{"loop", "for i in 1 2 3; do go test ./x; done", 0, "ok  \tx\t0.1s\nFAIL\tx\t0.1s\nok  \tx\t0.1s", "fail", 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newTape()
			p.run(tt.command, tt.code, tt.output)
			e := last(t, p.evidence(t))
			exit := -1
			if e.ExitCode != nil {
				exit = *e.ExitCode
			}
			if e.Status != tt.status || exit != tt.exit || e.Masked != tt.masked {
				t.Errorf("%s exit %d masked %v, want %s exit %d masked %v (%+v)", e.Status, exit, e.Masked, tt.status, tt.exit, tt.masked, e.Counts)
			}
			if e.Command != tt.command {
				t.Errorf("command %q is not verbatim", e.Command)
			}
			checkContract(t, &e)
		})
	}
}

// checkContract holds an item to the rules of the schema.
func checkContract(t *testing.T, e *pith.Evidence) {
	t.Helper()
	if e.Status == "pass" && (e.ExitCode != nil && *e.ExitCode != 0 || e.Counts != nil && e.Counts.Failed+e.Counts.Errors > 0) {
		t.Errorf("%q passes with exit %v and counts %+v", e.Command, e.ExitCode, e.Counts)
	}
	if e.ExitCode != nil && *e.ExitCode != 0 && !failing(e.Status) {
		t.Errorf("%q has exit %d and status %s", e.Command, *e.ExitCode, e.Status)
	}
	if e.ID == "" || e.Provenance != pith.ToolOutput || e.Runs < 1 {
		t.Errorf("%q lacks its id, label or runs: %+v", e.Command, e)
	}
	if x := e.Excerpt; x != nil && (len(x.Head) > maxHeadLines || len(x.Tail) > maxTailLines) {
		t.Errorf("%q has an excerpt of %d and %d lines", e.Command, len(x.Head), len(x.Tail))
	}
}

func TestNoVerification(t *testing.T) {
	for _, command := range []string{
		"git commit -m 'run go test ./... before'",
		"echo go test ./...",
		"gh pr create --body \"$(cat <<'EOF'\n- [x] go test ./...\nEOF\n)\"",
		"cat > run.sh <<'EOF'\ngo test ./...\nEOF",
		"grep -rn 'go test' .",
		"go test ./... &",
		"pytest --version",
		"govulncheck -version",
		"gh pr create --body \"ran `go test ./...` and $(mise run lint)\"",
		"npm ci",
		"npm install",
		"go mod tidy",
		"cat ./test.sh",
		"ls tests",
		"gofmt -w .",
	} {
		p := newTape()
		p.run(command, 0, "")
		if got := p.evidence(t); len(got) != 0 {
			t.Errorf("%q gave evidence %+v", command, got)
		}
	}
}

func TestVerifiers(t *testing.T) {
	tests := map[string]string{
		"go test ./...":                              "go test",
		"CGO_ENABLED=0 go test -race ./x":            "go test",
		"go vet ./... && go test ./...":              "go vet, go test",
		"go run gotest.tools/gotestsum@latest ./...": "gotestsum",
		"go tool golangci-lint run ./...":            "golangci-lint run",
		"python3 -m pytest -q tests":                 "pytest",
		"python -m unittest":                         "unittest",
		"uv run pytest":                              "pytest",
		"poetry run mypy src":                        "mypy",
		"npx jest a.test.ts":                         "jest",
		"npx tsc --noEmit":                           "tsc",
		"pnpm -r test":                               "pnpm test",
		"pnpm --filter api run lint":                 "pnpm run lint",
		"yarn vitest run":                            "vitest",
		"bun test":                                   "bun test",
		"node --test":                                "node --test",
		"deno test -A":                               "deno test",
		"cargo +nightly clippy":                      "cargo clippy",
		"cargo nextest run":                          "cargo nextest",
		"make -j4 test":                              "make test",
		"make unit":                                  "make unit",
		"just ci":                                    "just ci",
		"mise run test:ci":                           "mise run test:ci",
		"task lint":                                  "task lint",
		"mvn -q -DskipITs test":                      "mvn test",
		"./mvnw verify":                              "mvnw verify",
		"./gradlew :app:testDebugUnitTest":           "gradlew :app:testDebugUnitTest",
		"bundle exec rspec spec/a_spec.rb":           "rspec",
		"bin/rails test":                             "rails test",
		"ctest --output-on-failure":                  "ctest",
		"cmake --build build":                        "cmake --build",
		"bazel test //...":                           "bazel test",
		"dotnet test":                                "dotnet test",
		"vendor/bin/phpunit":                         "phpunit",
		"mix test":                                   "mix test",
		"zig build test":                             "zig build",
		"terraform validate":                         "terraform validate",
		"helm lint chart":                            "helm lint",
		"black --check .":                            "black",
		"ruff check .":                               "ruff",
		"shellcheck a.sh":                            "shellcheck",
		"./run-tests.sh":                             "./run-tests.sh",
		"bash scripts/check.sh":                      "scripts/check.sh",
		".ci/run":                                    ".ci/run",
		"docker compose exec app pytest":             "pytest",
		"bash -c 'go test ./...'":                    "go test",
		"sudo -E make check":                         "make check",
		"if go test ./...; then echo ok; fi":         "go test",
		"out=$(go test ./... 2>&1); echo \"$out\"":   "go test",
	}
	for command, want := range tests {
		p := newTape()
		p.run(command, 0, "")
		got := p.evidence(t)
		if len(got) != 1 || got[0].Verifies != want {
			t.Errorf("%q: got %+v, want %q", command, got, want)
		}
	}
}

func TestLaterRuns(t *testing.T) {
	p := newTape()
	p.run("go test ./...", 1, "--- FAIL: TestA (0.00s)\n    a_test.go:1: boom\nFAIL\tx\t0.1s")
	p.run("go test ./...", 1, "--- FAIL: TestA (0.01s)\n    a_test.go:1: boom\nFAIL\tx\t0.2s")
	p.run("go test -v ./...", 0, "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tx\t0.1s")
	got := p.evidence(t)
	if len(got) != 2 {
		t.Fatalf("got %d items: %+v", len(got), got)
	}
	fail, pass := got[0], got[1]
	if fail.Runs != 2 || fail.SupersededBy == nil || *fail.SupersededBy != pass.ID || fail.ResolvedBy != pass.ID {
		t.Errorf("failure: %+v", fail)
	}
	if fail.Signature != "a_test.go:1: boom" || fail.Unresolved() {
		t.Errorf("failure: %+v", fail)
	}
	if pass.SupersededBy != nil || pass.Counts == nil || pass.Counts.Passed != 1 {
		t.Errorf("pass: %+v", pass)
	}
}

func TestResolvedBy(t *testing.T) {
	tests := []struct {
		fail, pass string
		resolved   bool
	}{
		{"go test ./api -run TestA", "go test ./...", true},
		{"go test ./api", "go test ./api -run TestA", false},
		{"go test -race ./...", "go test ./...", false},
		{"go test ./...", "go test ./... -short", false},
		{"go test ./...", "go test ./api", false},
		{"go test ./api/v1", "go test ./api/...", true},
		{"pytest tests/test_a.py::test_x", "pytest", true},
		{"pytest", "pytest tests/test_a.py", false},
		{"pytest tests/test_a.py::test_x", "pytest tests/test_a.py", true},
		{"go build ./...", "go test ./...", false},
		{"make test", "make lint", false},
		{"cd web && npm test", "npm test", false},
		{"npm install", "npm install", true},
		{"npm install left-pad", "npm install", false},
	}
	for _, tt := range tests {
		p := newTape()
		p.run(tt.fail, 1, "error: boom")
		p.run(tt.pass, 0, "fine")
		got := p.evidence(t)
		if len(got) == 0 || (got[0].ResolvedBy != "") != tt.resolved {
			t.Errorf("%q then %q: %+v, want resolved %v", tt.fail, tt.pass, got, tt.resolved)
		}
	}
}

// An unknown outcome must not take the place of a failure.
func TestUnknownDoesNotHideAFailure(t *testing.T) {
	p := newTape()
	p.run("make test", 2, "make: *** [test] Error 2")
	p.run("make test | head -1", 0, "cc -o a a.c")
	got := p.evidence(t)
	if len(got) != 2 || !got[0].Unresolved() || got[1].Status != "unknown" {
		t.Errorf("got %+v", got)
	}
}

func TestFailingCommands(t *testing.T) {
	p := newTape()
	p.run("kubectl apply -f x.yaml", 1, "error: no such host")
	p.run("grep -rn foo .", 1, "")
	p.run("test -f x", 1, "")
	p.run("ls /nope", 2, "ls: cannot access '/nope': No such file or directory")
	p.run("git diff --quiet", 1, "")
	p.run("cat a | grep b", 1, "")
	p.run("diff a b", 1, "1c1")
	p.run("git push", 128, "fatal: could not read Username")
	var got []pith.Evidence
	answers := 0
	for _, e := range p.evidence(t) {
		if e.ExpectedNonZero {
			answers++
			if e.Unresolved() || e.ExitCode == nil || *e.ExitCode == 0 {
				t.Errorf("an answer is no open failure: %+v", e)
			}
			continue
		}
		got = append(got, e)
	}
	if len(got) != 2 || answers != 6 {
		t.Fatalf("got %d answers, %+v", answers, got)
	}
	if got[0].Signature != "error: no such host" || got[0].Status != "error" || *got[0].ExitCode != 1 || got[0].Verifies != "" {
		t.Errorf("got %+v", got[0])
	}
	if got[1].Signature != "fatal: could not read Username" {
		t.Errorf("got %+v", got[1])
	}
}

func TestCodesThatComeLater(t *testing.T) {
	code := func(n int) *int { return &n }
	t.Run("write_stdin", func(t *testing.T) {
		p := newTape()
		p.call("exec_command", []pith.Arg{text("cmd", "go test ./...")}, pith.Block{Text: "Process running with session ID 7\nOutput:\n", Running: "7"})
		p.call("write_stdin", []pith.Arg{{Key: "session_id", Value: "7"}}, pith.Block{Text: "Chunk ID: 1\nProcess running with session ID 7\nOutput:\nok  \tx/a\t0.1s\n", Running: "7"})
		p.call("write_stdin", []pith.Arg{{Key: "session_id", Value: "7"}}, pith.Block{Text: "Chunk ID: 2\nProcess exited with code 1\nOutput:\n--- FAIL: TestB (0.0s)\n    b_test.go:3: no\nFAIL\tx/b\t0.1s\n", Exit: code(1)})
		e := last(t, p.evidence(t))
		if e.Command != "go test ./..." || e.Status != "fail" || *e.ExitCode != 1 || e.Counts == nil || e.Counts.Passed != 1 || e.Counts.Failed != 1 || e.Source.Message != 5 {
			t.Errorf("got %+v %+v", e, e.Counts)
		}
	})
	t.Run("late code", func(t *testing.T) {
		p := newTape()
		p.call("exec_command", []pith.Arg{text("cmd", "make deploy")}, pith.Block{Text: "error: no route\n"})
		if got := p.evidence(t); len(got) != 0 {
			t.Errorf("a command without a code gave %+v", got)
		}
		p.x.LateExit(&pith.LateExit{ToolUseID: "t0", Code: 3})
		e := last(t, p.evidence(t))
		if *e.ExitCode != 3 || e.Signature != "error: no route" {
			t.Errorf("got %+v", e)
		}
	})
	t.Run("code first, output later", func(t *testing.T) {
		p := newTape()
		p.call("exec_command", []pith.Arg{text("cmd", "go test ./x")}, pith.Block{Text: "Process running with session ID 7\nOutput:\n", Running: "7"})
		p.x.LateExit(&pith.LateExit{ToolUseID: "t0", Code: 1})
		p.call("write_stdin", []pith.Arg{{Key: "session_id", Value: "7"}}, pith.Block{Text: "Chunk ID: 2\nProcess exited with code 1\nOutput:\n    b_test.go:3: no rows\nFAIL\tx/b\t0.1s\n", Exit: code(1)})
		got := p.evidence(t)
		if e := last(t, got); len(got) != 1 || e.Signature != "b_test.go:3: no rows" || e.Counts == nil {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("code before the result", func(t *testing.T) {
		p := newTape()
		p.x.LateExit(&pith.LateExit{ToolUseID: "t0", Code: 1})
		p.call("exec_command", []pith.Arg{text("cmd", "go vet ./...")}, pith.Block{Text: "a.go:1:2: bad thing here"})
		if e := last(t, p.evidence(t)); e.ExitCode == nil || *e.ExitCode != 1 || e.Status != "fail" {
			t.Errorf("got %+v", e)
		}
	})
	t.Run("task notification", func(t *testing.T) {
		p := newTape()
		p.call("Bash", []pith.Arg{text("command", "go test ./...")}, pith.Block{Text: "Command running in background with ID: b12", Running: "b12"})
		if e := last(t, p.evidence(t)); e.Status != "unknown" || e.ExitCode != nil {
			t.Errorf("a start is no result: %+v", e)
		}
		p.say(pith.RoleUser, "<task-notification>\n<task-id>b12</task-id>\n<status>completed</status>\n<summary>Background command \"x\" completed (exit code 0)</summary>\n</task-notification>")
		if e := last(t, p.evidence(t)); e.Status != "pass" || *e.ExitCode != 0 {
			t.Errorf("got %+v", e)
		}
		p.call("Read", []pith.Arg{text("file_path", "/tmp/tasks/b12.output")}, pith.Block{Text: "ok  \tx/a\t0.1s\nok  \tx/b\t0.1s\n"})
		if e := last(t, p.evidence(t)); e.Counts == nil || e.Counts.Passed != 2 {
			t.Errorf("got %+v", e)
		}
	})
	t.Run("BashOutput", func(t *testing.T) {
		p, failed := newTape(), 1
		p.call("Bash", []pith.Arg{text("command", "npm test")}, pith.Block{Text: "Command running in background with ID: b1", Running: "b1"})
		p.call("BashOutput", []pith.Arg{text("bash_id", "b1")}, pith.Block{Text: "<status>running</status>\n<stdout>\nstarting\n</stdout>"})
		p.call("BashOutput", []pith.Arg{text("bash_id", "b1")}, pith.Block{Text: "<status>failed</status>\n\n<exit_code>1</exit_code>\n\n<stdout>\nTests:       1 failed, 2 passed, 3 total\n</stdout>", Exit: &failed})
		if e := last(t, p.evidence(t)); e.Status != "fail" || *e.ExitCode != 1 || e.Counts.Failed != 1 {
			t.Errorf("got %+v", e)
		}
	})
}

func TestVerdictSurvivesALongOutput(t *testing.T) {
	p := newTape()
	noise := strings.Repeat("compile 0001 worker=1 bucket=37 state=ok\n", 5000)
	p.run("make test", -1, noise+"=== RUN TestExport\n--- FAIL: TestExport (0.31s)\n    export_test.go:212: want 48 rows, got 47\nTests: 3 failed, 1 skipped, 212 passed, 216 total\nTime: 48.2 s\n"+noise)
	e := last(t, p.evidence(t))
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if e.Status != "fail" || e.Counts.Failed != 3 || e.Counts.Passed != 212 || e.Counts.Skipped != 1 {
		t.Errorf("got %s", raw)
	}
	for _, want := range []string{"export_test.go:212: want 48 rows, got 47", "TestExport", "omitted_lines"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%q is lost in %s", want, raw)
		}
	}
	if len(raw) > 2200 {
		t.Errorf("the item has %d bytes", len(raw))
	}
}

func TestSignatures(t *testing.T) {
	tests := []struct{ name, output, want string }{
		{"go", "=== RUN TestX\n--- FAIL: TestX (0.1s)\n    x_test.go:4: got 1 want 2\nFAIL", "x_test.go:4: got 1 want 2"},
		{"go -v", "=== RUN   TestX\n    x_test.go:4: got 1 want 2\n--- FAIL: TestX (0.00s)\nFAIL", "x_test.go:4: got 1 want 2"},
		{"testify", "--- FAIL: TestX (0.00s)\n    x_test.go:9:\n        \tError Trace:\tx_test.go:9\n        \tError:      \tNot equal: 1 2\n", "Error:      \tNot equal: 1 2"},
		{"deadlock", "dl 1\nfatal error: all goroutines are asleep - deadlock!\nexit status 2", "fatal error: all goroutines are asleep - deadlock!"},
		{"compile", "# x\n./a.go:3:4: undefined: z\nFAIL x [build failed]", "./a.go:3:4: undefined: z"},
		{"traceback", "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    x\nKeyError: 'a'\n", "KeyError: 'a'"},
		{"pytest", "E   assert 1 == 2\nFAILED tests/test_a.py::test_x - assert 1 == 2\n1 failed in 0.1s", "FAILED tests/test_a.py::test_x - assert 1 == 2"},
		{"rust", "error[E0308]: mismatched types\n --> src/main.rs:2:5", "error[E0308]: mismatched types"},
		{"make", "cc -c a.c\na.c:1:10: fatal error: x.h: No such file\nmake: *** [a.o] Error 1", "a.c:1:10: fatal error: x.h: No such file"},
		{"stack", "panic: boom [recovered]\n\t/x/testing.go:1872 +0x190\n", "panic: boom [recovered]"},
		{"hint", "The following paths are ignored:\ncmd/x\nhint: Use -f if you really want to add them.", "cmd/x"},
		{"usage", "must be on a branch\n\nUsage:  gh pr create\n\nFlags:\n  -w, --web   Open the browser", "must be on a branch"},
		{"plain", "doing it\nit went wrong somewhere\nexit status 1", "it went wrong somewhere"},
	}
	for _, tt := range tests {
		if got := signatureOf(tt.output); got != tt.want || !strings.Contains(tt.output, got) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	a, b := sameFailure("x_test.go:41: after 1.5s at 0xc0001234 in /tmp/go-build123/b001"), sameFailure("x_test.go:43: after 20ms at 0xc000ffff in /tmp/go-build9/b9")
	if a != b {
		t.Errorf("%q and %q are the same failure", a, b)
	}
	if sameFailure("want deadbeef1") == sameFailure("want rows") {
		t.Error("different failures are the same")
	}
}

func TestClaims(t *testing.T) {
	quotes := func(p *tape) string {
		var out []string
		for _, q := range p.x.Facts().Context.Unverified {
			out = append(out, q.Text)
		}
		return strings.Join(out, "|")
	}
	t.Run("against the evidence", func(t *testing.T) {
		p := newTape()
		p.run("make unit", 2, "2 failed, 140 passed\nmake: *** [unit] Error 1")
		p.say(pith.RoleAssistant, "All unit tests pass, and the integration tests pass too. We can tag.")
		if got := quotes(p); got != "All unit tests pass, and the integration tests pass too." {
			t.Errorf("got %q", got)
		}
	})
	t.Run("supported", func(t *testing.T) {
		p := newTape()
		p.run("go test ./...", 0, "ok  \tx\t0.1s")
		p.say(pith.RoleAssistant, "All tests pass. The build is green.")
		if got := quotes(p); got != "" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("supported afterwards", func(t *testing.T) {
		p := newTape()
		p.say(pith.RoleAssistant, "All tests pass.")
		p.run("go test ./...", 0, "ok  \tx\t0.1s")
		if got := quotes(p); got != "" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("no claims", func(t *testing.T) {
		p := newTape()
		p.say(pith.RoleAssistant, "Once the tests pass I will commit. Do the tests pass? The tests should pass now. The tests do not pass. Make sure that tests pass.")
		if got := quotes(p); got != "" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("nothing was run", func(t *testing.T) {
		p := newTape()
		p.say(pith.RoleAssistant, "Done. Lint is clean.")
		if got := quotes(p); got != "Lint is clean." {
			t.Errorf("got %q", got)
		}
	})
}

func TestEvidenceIsDeterministic(t *testing.T) {
	var first string
	for range 5 {
		p := newTape()
		for i := range 30 {
			p.run([]string{"go test ./...", "make lint", "kubectl get x", "go vet ./..."}[i%4], i%3, "boom "+string(rune('a'+i)))
		}
		f := p.x.Facts()
		raw, err := json.Marshal([]any{f.Evidence, f.Failed})
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(raw)
		}
		if first != string(raw) {
			t.Fatal("the same session gave other facts")
		}
	}
}

func FuzzEvidence(f *testing.F) {
	f.Add("go test ./... | tail -3; echo $?", "--- FAIL: TestA\nFAIL\tx", 1)
	f.Add("rc=$?", "Tests run: 1, Failures:", 0)
	f.Add("make test &", "95% tests passed, 1 tests", -1)
	f.Fuzz(func(t *testing.T, command, output string, code int) {
		p := newTape()
		p.run(command, code%256, output)
		for _, e := range p.evidence(t) {
			checkContract(t, &e)
			if e.Signature != "" && !strings.Contains(output, e.Signature) {
				t.Errorf("signature %q does not occur", e.Signature)
			}
		}
	})
}

// BenchmarkEvidence reads 4 MB of results, a tenth of them of verifications.
func BenchmarkEvidence(b *testing.B) {
	green := strings.Repeat("ok  \texample.test/shop/internal/pkg\t0.123s\n", 100)
	listing := strings.Repeat("drwxr-xr-x 2 root root 4096 Jan  1 10:00 internal\n", 80)
	b.SetBytes(1000 * 4 << 10)
	for b.Loop() {
		var e evidenceSlot
		e.init()
		ok := 0
		for i := range 1000 {
			c := &Call{Command: "ls -la internal && git status", Seq: i, Answered: true}
			c.Result = pith.Block{Text: listing, Exit: &ok}
			if i%10 == 0 {
				c.Command = "go vet ./... && go test ./... 2>&1 | tail -40"
				c.Result.Text = green
			}
			c.Shell = parseShell(c.Command)
			e.call(c)
		}
		var f Facts
		e.facts(&f)
	}
}
