package measure_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
)

var update = flag.Bool("update", false, "write the golden files")

// play writes the records of a session, a line at a time.
type play struct {
	messages []pith.Message
	calls    int
}

func (s *play) add(role pith.Role, b pith.Block) {
	n := len(s.messages)
	s.messages = append(s.messages, pith.Message{Index: n, Line: n + 1, Role: role, CWD: "/r", Blocks: []pith.Block{b}})
}

func (s *play) user(text string) {
	s.add(pith.RoleUser, pith.Block{Kind: pith.KindText, Origin: pith.UserExplicit, Text: text})
}

// call adds a call and its answer; args are keys and values in turn.
func (s *play) call(tool, answer string, args ...string) *pith.Block {
	s.calls++
	id := fmt.Sprint(s.calls)
	use := pith.Block{Kind: pith.KindToolUse, ToolUseID: id, ToolName: tool, Origin: pith.Assistant}
	for i := 0; i < len(args); i += 2 {
		use.Args = append(use.Args, pith.Arg{Key: args[i], Value: args[i+1], IsString: true})
	}
	s.add(pith.RoleAssistant, use)
	s.add(pith.RoleUser, pith.Block{Kind: pith.KindToolResult, ToolUseID: id, Origin: pith.ToolOutput, Text: answer})
	return &s.messages[len(s.messages)-1].Blocks[0]
}

func (s *play) bash(command string, code int, output string) *pith.Block {
	b := s.call("Bash", output, "command", command)
	b.Exit = &code
	if code != 0 {
		b.IsError = true
		b.Text = fmt.Sprintf("Exit code %d\n%s", code, output)
	}
	return b
}

func (s *play) observed() *measure.Observer {
	o := measure.NewObserver()
	for i := range s.messages {
		o.Record(pith.Record{Message: &s.messages[i]})
	}
	return o
}

// atomLine writes an atom as the tables below have it.
func atomLine(a measure.Atom) string {
	s := string(a.Kind) + " " + a.Text
	if a.Exit != nil {
		s += fmt.Sprintf(" exit=%d", *a.Exit)
	}
	if len(a.Counts) > 0 {
		s += " (" + strings.Join(a.Counts, ", ") + ")"
	}
	if a.Status != "" {
		s += " [" + a.Status + "]"
	}
	if len(a.Was) > 0 {
		s += " was " + strings.Join(a.Was, "; ")
	}
	return s
}

func atomLines(atoms []measure.Atom, kinds ...measure.Kind) []string {
	var out []string
	for _, a := range atoms {
		if len(kinds) == 0 || slices.Contains(kinds, a.Kind) {
			out = append(out, atomLine(a))
		}
	}
	return out
}

func TestAtomsOfEachKind(t *testing.T) {
	tests := []struct {
		name  string
		run   func(s *play)
		kinds []measure.Kind
		want  []string
	}{
		{"paths", func(s *play) {
			s.call("Read", "1\tx", "file_path", "/r/a.go")
			s.call("Read", "1\tx", "file_path", "/r/b.go")
			s.call("Edit", "updated", "file_path", "/r/b.go")
			s.call("Write", "File created successfully at: /r/c.go", "file_path", "/r/c.go")
			s.bash("echo x > d.txt; cat e.md", 0, "")
			s.bash("rm c.go", 0, "")
			s.bash("git mv b.go f.go && go build ./...", 0, "")
			s.bash("rm /tmp/other.go", 0, "")
		}, []measure.Kind{measure.KindModified, measure.KindInspected}, []string{
			"modified_path /r/b.go [deleted]", "modified_path /r/c.go [deleted]", "modified_path /r/d.txt [edited]", "modified_path /r/f.go [renamed]",
			"inspected_path /r/a.go", "inspected_path /r/e.md",
		}},
		{"a patch", func(s *play) {
			s.call("apply_patch", "Success", "input", "*** Begin Patch\n*** Add File: n.go\n*** Update File: m.go\n*** Move to: k.go\n*** Delete File: o.go\n*** End Patch")
		}, nil, []string{
			"modified_path /r/n.go [created]", "modified_path /r/m.go [deleted]", "modified_path /r/k.go [renamed]", "modified_path /r/o.go [deleted]",
		}},
		{"runs", func(s *play) {
			s.bash("go test  ./...", 1, "--- FAIL: TestA (0.0s)\nFAIL\tm\t0.1s")
			s.bash("go test ./...", 0, "--- PASS: TestA (0.0s)\nok  \tm\t0.1s")
			s.bash("npm run lint 2>&1 | tail -20", 0, "2 failed")
			s.bash("npm run lint 2>&1", 0, "")
			s.bash("make deploy", 2, "error: no such host")
			s.bash("grep x y", 1, "")
			s.bash("ls", 0, "a")
			s.bash("cat <<'EOF'\ngo test\nEOF\nnpm test", 0, "3 passed")
			s.call("Bash", "<tool_use_error>Sibling tool call errored</tool_use_error>", "command", "go vet ./...").IsError = true
		}, []measure.Kind{measure.KindRun, measure.KindError, measure.KindTest}, []string{
			"run go test ./... exit=0 (1 passed) was exit 1, 1 failed", "run npm run lint 2>&1 exit=0 was exit 0, 2 failed", "run make deploy exit=2", "run cat <<'EOF' go test EOF npm test exit=0 (3 passed)",
			"error error: no such host", "test TestA",
		}},
		{"a command as a list", func(s *play) {
			s.call("shell", "Process exited with code 1", "command", `["bash","-lc","go vet ./..."]`)
			s.call("shell", "Process exited with code 2", "command", `["make","all"]`)
		}, nil, []string{"run go vet ./... exit=1", "run make all exit=2"}},
		{"an open failure", func(s *play) {
			s.bash("pytest tests", 1, "tests/test_a.py:3: in test_a\nE   assert 1 == 2\nFAILED tests/test_a.py::test_abc - assert 1 == 2\n1 failed in 0.1s")
			s.bash("python3 run.py", 1, "Traceback (most recent call last):\n  File \"run.py\", line 1, in <module>\n    1/0\nZeroDivisionError: division by zero")
		}, []measure.Kind{measure.KindError, measure.KindTest}, []string{
			"error E assert 1 == 2", "error ZeroDivisionError: division by zero", "test test_abc",
		}},
		{"a command in the background", func(s *play) {
			s.call("Bash", "Command running in background with ID: b1", "command", "go test ./...").Running = "b1"
			s.add(pith.RoleUser, pith.Block{Kind: pith.KindText, Origin: pith.Harness, Text: "<task-notification>\n<task-id>b1</task-id>\n<summary>Background command completed (exit code 3)</summary>\n</task-notification>"})
			s.call("exec_command", "Process running with session ID 7", "cmd", "npm test")
			s.call("write_stdin", "Process exited with code 1\nOutput:\n2 failed, 1 passed", "session_id", "7")
		}, []measure.Kind{measure.KindRun}, []string{"run go test ./... exit=3", "run npm test exit=1 (2 failed, 1 passed)"}},
		{"rules and the request", func(s *play) {
			s.user("Fix the parser. Never change the public API of the lexer. Should I use tabs?")
			s.user("The test never fires, and never reaches main. It should have been one. The header says users almost never need it. Callers don't need to know. I need to leave.")
			s.user("I don't know that one. Use slices.Sort instead of sort.Slice. I think we should wait.")
			s.user("<system-reminder>Always obey the harness in everything.</system-reminder>go on")
		}, []measure.Kind{measure.KindRule, measure.KindDecision, measure.KindRequest}, []string{
			"rule Never change the public API of the lexer.", "rule Use slices.Sort instead of sort.Slice.",
			"request go on was Fix the parser. Never change the public API of the lexer. Should I use tabs?; The test never fires, and never reaches main. It should have been one. The header says users almost never need it. Callers don't need to know. I need to leave.; I don't know that one. Use slices.Sort instead of sort.Slice. I think we should wait.",
		}},
		{"decisions", func(s *play) {
			s.call("AskUserQuestion", `Your questions have been answered: "Which base?"="main", "Squash?"="Yes, squash". You can now continue.`)
			s.call("AskUserQuestion", `Your questions have been answered: "Which base?"="release".`)
			s.call("request_user_input", `{"answers":{"branch":{"answers":["keep it"]}}}`)
			s.call("Bash", "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nno, not on this branch", "command", "git push").Rejected = true
			s.user("use ripgrep for the search instead of grep")
		}, []measure.Kind{measure.KindDecision, measure.KindRun}, []string{
			"decision Which base? = release [answered] was Which base? = main", "decision Squash? = Yes, squash [answered]",
			"decision branch = keep it [answered]", "decision no, not on this branch [rejected]",
			"decision use ripgrep for the search instead of grep [chosen]",
		}},
		{"todo lists", func(s *play) {
			s.call("TodoWrite", "ok", "todos", `[{"content":"One","status":"pending"},{"content":"Two","status":"pending"}]`)
			s.call("TodoWrite", "ok", "todos", `[{"content":"One","status":"completed"},{"content":"Three","status":"in_progress"}]`)
			s.call("TodoWrite", "not valid", "todos", `[{"content":"Never","status":"pending"}]`).IsError = true
		}, nil, []string{"todo One [completed] was pending", "todo Three [in_progress]"}},
		{"tasks", func(s *play) {
			s.call("TaskCreate", "Task #1 created successfully: One", "subject", "One")
			s.call("TaskCreate", "Task #2 created successfully: Two", "subject", "Two")
			s.call("TaskUpdate", "ok", "taskId", "2", "status", "in_progress")
			s.call("TaskUpdate", "ok", "taskId", "2", "status", "completed")
		}, nil, []string{"todo One [pending]", "todo Two [completed] was pending; in_progress"}},
		{"plans", func(s *play) {
			s.call("update_plan", "Plan updated", "plan", `[{"step":"One","status":"completed"}]`)
		}, nil, []string{"todo One [completed]"}},
		{"names", func(s *play) {
			s.bash("git commit -qm x", 0, "[main abc1234] x\n 1 file changed")
			s.bash("git commit --amend -qm y", 0, "[main def5678] y\n 1 file changed")
			s.bash("git log --oneline", 0, "0123abc other people's work")
			s.bash("git show 9f31c0e", 0, "commit 9f31c0e")
			s.bash("git show main:33/406b6b748d/a.json", 0, "{}")
			s.bash("git show 9999aaa", 128, "fatal: bad object")
			s.bash("gh pr view 12 && curl localhost:8080", 0, "")
			s.bash("go get example.com/m@v1.2.3", 0, "")
			s.bash("go get example.com/m@v1.3.0", 0, "")
			s.bash("go test -run TestOne ./...", 0, "ok")
		}, []measure.Kind{measure.KindCommit, measure.KindIdentifier, measure.KindTest}, []string{
			"commit def5678 was abc1234", "commit 9f31c0e", "identifier #12", "identifier 8080", "identifier example.com/m v1.3.0 was example.com/m v1.2.3", "test TestOne",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s play
			tt.run(&s)
			got := atomLines(s.observed().Atoms(), tt.kinds...)
			want := slices.Clone(tt.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
			}
		})
	}
}

// TestAtomsSayWhere holds that an atom names the message and the line in which
// its last value was stated.
func TestAtomsSayWhere(t *testing.T) {
	var s play
	s.bash("go test ./...", 1, "")
	s.bash("go test ./...", 0, "")
	a := s.observed().Atoms()[0]
	if a.Message != 3 || a.Line != 4 {
		t.Errorf("message %d, line %d, want 3 and 4", a.Message, a.Line)
	}
}

// TestAtomsOfEachFormat holds what is found in small sessions of every format.
func TestAtomsOfEachFormat(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../transcript/testdata/*.json*", "../testdata/sessions/*"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 20 {
		t.Fatalf("only %d sessions", len(files))
	}
	var out bytes.Buffer
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		o := measure.NewObserver()
		eachRecord(b, func(r pith.Record) bool { o.Record(r); return true })
		fmt.Fprintf(&out, "== %s\n", filepath.Base(file))
		for _, a := range o.Atoms() {
			fmt.Fprintf(&out, "%s\n", atomLine(a))
		}
	}
	const golden = "testdata/atoms.txt"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("the atoms differ from %s; run with -update and read the difference\n%s", golden, out.String())
	}
}
