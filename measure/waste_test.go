package measure_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
)

// story builds a session call by call and feeds it to a Waster.
type story struct {
	w      *measure.Waster
	n      int
	branch string
}

func newStory() *story { return &story{w: measure.NewWaster(), branch: "main"} }

func (s *story) record(role pith.Role, b pith.Block) {
	s.n++
	s.w.Record(pith.Record{Message: &pith.Message{Index: s.n, Line: s.n, Role: role, CWD: "/r", Branch: s.branch, Blocks: []pith.Block{b}}})
}

func (s *story) call(tool, args, answer string) *story {
	id := fmt.Sprint(s.n)
	use := pith.Block{Kind: pith.KindToolUse, ToolUseID: id, ToolName: tool}
	for arg := range strings.SplitSeq(args, "|") {
		k, v, _ := strings.Cut(arg, "=")
		use.Args = append(use.Args, pith.Arg{Key: k, Value: v, IsString: true})
	}
	s.record(pith.RoleAssistant, use)
	s.record(pith.RoleUser, pith.Block{Kind: pith.KindToolResult, ToolUseID: id, Text: answer})
	return s
}

func (s *story) bash(command, answer string) *story {
	s.n++
	id := fmt.Sprint("b", s.n)
	s.record(pith.RoleAssistant, pith.Block{Kind: pith.KindToolUse, ToolUseID: id, ToolName: "Bash", Args: []pith.Arg{{Key: "command", Value: command, IsString: true}}})
	s.record(pith.RoleUser, pith.Block{Kind: pith.KindToolResult, ToolUseID: id, Text: answer})
	return s
}

func (s *story) cut() *story {
	s.w.Cut()
	return s
}

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "%6d→line number %d of the file\n", i, i)
	}
	return b.String()
}

func plain(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line number %d of the file\n", i)
	}
	return b.String()
}

func TestWaster(t *testing.T) {
	tests := []struct {
		name     string
		tell     func(s *story)
		repeated int
	}{
		{"the same file", func(s *story) {
			s.call("Read", "file_path=/r/a.go", lines(1, 40)).cut().call("Read", "file_path=/r/a.go", lines(1, 40))
		}, 1},
		{"a part of it", func(s *story) {
			s.call("Read", "file_path=/r/a.go", lines(1, 40)).cut().call("Read", "file_path=/r/a.go|offset=10|limit=5", lines(10, 14))
		}, 1},
		{"through the shell, by another reader", func(s *story) {
			s.bash("cat a.go", plain(1, 40)).cut().bash("cd /r && nl -ba a.go | sed -n '10,20p'", lines(10, 20))
		}, 1},
		{"from two earlier parts", func(s *story) {
			s.bash("sed -n '1,20p' a.go", plain(1, 20)).bash("sed -n '21,40p' a.go", plain(21, 40)).cut().bash("sed -n '15,30p' a.go", plain(15, 30))
		}, 1},
		{"another part", func(s *story) {
			s.bash("sed -n '1,20p' a.go", plain(1, 20)).cut().bash("sed -n '15,30p' a.go", plain(15, 30))
		}, 0},
		{"another file", func(s *story) {
			s.call("Read", "file_path=/r/a.go", lines(1, 40)).cut().call("Read", "file_path=/r/b.go", lines(1, 40))
		}, 0},
		{"edited since", func(s *story) {
			s.call("Read", "file_path=/r/a.go", lines(1, 40)).call("Edit", "file_path=/r/a.go|old_string=x|new_string=y", "ok").cut().call("Read", "file_path=/r/a.go", lines(1, 40))
		}, 0},
		{"patched since", func(s *story) {
			s.bash("cat a.go", plain(1, 9)).call("apply_patch", "input=*** Begin Patch\n*** Update File: a.go\n@@\n*** End Patch", "Success").cut().bash("cat a.go", plain(1, 9))
		}, 0},
		{"written by the shell since", func(s *story) {
			s.bash("cat a.go", plain(1, 9)).bash("sed -i 's/a/b/' a.go", "").cut().bash("cat a.go", plain(1, 9))
		}, 0},
		{"its folder formatted since", func(s *story) {
			s.bash("cat p/a.go", plain(1, 9)).bash("gofmt -w ./p", "").cut().bash("cat p/a.go", plain(1, 9))
		}, 0},
		{"another file edited since", func(s *story) {
			s.bash("cat a.go", plain(1, 9)).call("Edit", "file_path=/r/b.go", "ok").cut().bash("cat a.go", plain(1, 9))
		}, 1},
		{"another branch checked out since", func(s *story) {
			s.bash("cat a.go", plain(1, 9)).bash("git checkout other", "").cut().bash("cat a.go", plain(1, 9))
		}, 0},
		{"recorded on another branch", func(s *story) {
			s.bash("cat a.go", plain(1, 9))
			s.branch = "other"
			s.cut().bash("cat a.go", plain(1, 9))
		}, 0},
		{"changed though no record says so", func(s *story) {
			s.bash("cat a.go", plain(1, 9)).cut().bash("cat a.go", plain(101, 109))
		}, 0},
		{"a search", func(s *story) {
			s.bash("rg -n retry internal | head -5", "a.go:1:retry").cut().bash("rg -n retry internal | head -5", "a.go:1:retry")
		}, 1},
		{"a search in another folder", func(s *story) {
			s.bash("rg -n retry", "a.go:1:retry").cut().bash("cd /other && rg -n retry", "a.go:1:retry")
		}, 0},
		{"a search after a write", func(s *story) {
			s.bash("rg -n retry", "a.go:1:retry").bash("echo x > b.go", "").cut().bash("rg -n retry", "a.go:1:retry")
		}, 0},
		{"a search with another answer", func(s *story) {
			s.bash("rg -n retry", "a.go:1:retry").cut().bash("rg -n retry", "a.go:1:retry\nb.go:2:retry")
		}, 0},
		{"the client's own search", func(s *story) {
			s.call("Grep", "pattern=retry|path=/r", "a.go").cut().call("Grep", "pattern=retry|path=/r", "a.go")
		}, 1},
		{"git log after a commit", func(s *story) {
			s.bash("git log -3", "abc").bash("git commit -m x", "done").cut().bash("git log -3", "abc")
		}, 0},
		{"a file after a commit", func(s *story) {
			s.bash("cat a.go", plain(1, 9)).bash("git add -A && git commit -m \"$(cat <<'EOF'\nmsg; rm -rf x\nEOF\n)\"", "done").cut().bash("cat a.go", plain(1, 9))
		}, 1},
		{"a file after others were moved", func(s *story) {
			s.bash("cat a.go", plain(1, 9)).bash("git mv p q && rmdir x", "").cut().bash("cat a.go", plain(1, 9))
		}, 1},
		{"a moved file", func(s *story) {
			s.bash("cat p/a.go", plain(1, 9)).bash("git mv p q", "").cut().bash("cat p/a.go", plain(1, 9))
		}, 0},
		{"a file of which one line changed unseen", func(s *story) {
			s.bash("cat a.go", plain(1, 200)).cut().bash("cat a.go", strings.Replace(plain(1, 200), "number 117", "number 1170", 1))
		}, 0},
		{"a command that says nothing", func(s *story) { s.bash("git status --short", "").cut().bash("git status --short", "") }, 1},
		{"an empty file", func(s *story) { s.bash("cat a.go", "").cut().bash("cat a.go", "") }, 0},
		{"tests", func(s *story) {
			s.bash("go test ./...", "ok").cut().bash("go test ./...", "ok").bash("go test ./... 2>&1 | tail -5", "ok")
		}, 0},
		{"a Read that an edit needs", func(s *story) {
			s.call("Read", "file_path=/r/a.go", lines(1, 40)).cut().call("Read", "file_path=/r/a.go", lines(1, 40)).bash("go vet", "").call("Edit", "file_path=/r/a.go", "ok")
		}, 0},
		{"a read of pi's before an edit, which needs none", func(s *story) {
			s.call("read", "path=a.go", plain(1, 40)).cut().call("read", "path=a.go", plain(1, 40)).call("edit", "path=a.go", "ok")
		}, 1},
		{"a second time after the cut", func(s *story) {
			s.bash("cat a.go", plain(1, 9)).cut().bash("cat a.go", plain(1, 9)).bash("cat a.go", plain(1, 9))
		}, 1},
		{"seen only after the cut", func(s *story) { s.cut().bash("cat a.go", plain(1, 9)).bash("cat a.go", plain(1, 9)) }, 0},
		{"an answer that was cut short", func(s *story) {
			s.bash("cat a.go", plain(1, 9)+"[Output truncated]").cut().bash("cat a.go", plain(1, 9))
		}, 0},
		{"the client says it is unchanged", func(s *story) {
			s.call("Read", "file_path=/r/a.go", lines(1, 40)).cut().call("Read", "file_path=/r/a.go", "File unchanged since last read. The content is above.")
		}, 1},
		{"Codex's older shell and header", func(s *story) {
			s.call("shell", `command=["bash","-lc","sed -n '1,9p' a.go"]`, plain(1, 9)).cut().
				call("exec_command", "cmd=sed -n '2,5p' a.go|workdir=/r", "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n"+plain(2, 5))
		}, 1},
		{"modified by the user", func(s *story) {
			s.call("Read", "file_path=/r/a.go", lines(1, 40))
			s.record(pith.RoleUser, pith.Block{Kind: pith.KindText, Origin: pith.Harness, Text: "Note: /r/a.go was modified, either by the user or by a linter."})
			s.cut().call("Read", "file_path=/r/a.go", lines(1, 40))
		}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStory()
			tt.tell(s)
			got := s.w.Of(measure.Held{}, nil)
			if got.Repeated != tt.repeated || got.Residual != tt.repeated || got.Answered != 0 {
				t.Errorf("%+v, want %d repeated: %v", got, tt.repeated, s.w.Repeats())
			}
		})
	}
}

func TestWasterAnswered(t *testing.T) {
	s := newStory()
	s.call("Read", "file_path=/r/a.go", lines(1, 40)).bash("git rev-parse HEAD", "0ab12cd34ef56789").cut()
	s.call("Read", "file_path=/r/a.go|offset=3|limit=5", lines(3, 7)).bash("git rev-parse HEAD", "0ab12cd34ef56789")
	tests := []struct {
		name     string
		text     string
		recall   func(measure.Repeat) bool
		answered int
	}{
		{"an empty text", "", nil, 0},
		{"another part of the file", plain(10, 20), nil, 0},
		{"the file without numbers", "```\n" + plain(1, 9) + "```", nil, 1},
		{"the commit in a sentence", "HEAD is 0ab12cd34ef56789.", nil, 1},
		{"both", plain(1, 9) + "0ab12cd34ef56789", nil, 2},
		{"recall gives back what stands early", "", func(r measure.Repeat) bool { return r.Seen[0].Line <= 2 }, 1},
		{"recall gives back all", "", func(measure.Repeat) bool { return true }, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := s.w.Of(measure.Held{Text: tt.text}, tt.recall)
			if got.Calls != 2 || got.Repeated != 2 || got.Answered != tt.answered || got.Residual != 2-tt.answered {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestWasterControl holds that the control counts whole windows away from
// compactions, and only what the agent still had in its context.
func TestWasterControl(t *testing.T) {
	s := newStory()
	filler := func(n int) {
		for i := range n {
			s.bash(fmt.Sprintf("cat f%d-%d.go", s.n, i), "text")
		}
	}
	s.bash("cat a.go", plain(1, 9))
	filler(49)
	s.bash("cat a.go", plain(1, 9)) // in the second window: counts
	filler(49)
	s.bash("cat a.go", plain(1, 9)) // in a window that the compaction cuts off
	filler(10)
	s.w.Record(pith.Record{Boundary: &pith.Boundary{N: 1}})
	filler(50)
	s.bash("cat a.go", plain(1, 9)) // seen only before the compaction
	filler(49)
	w := s.w.Of(measure.Held{}, nil)
	if w.ControlCalls != 100 || w.ControlRepeated != 1 || w.Calls != 0 || w.Repeated != 0 {
		t.Errorf("%+v", w)
	}
}

func TestWasterDone(t *testing.T) {
	s := newStory()
	for range 100 {
		s.bash("ls", "a")
	}
	if s.w.Done() {
		t.Error("done before the cut")
	}
	s.cut()
	for !s.w.Done() {
		s.bash("ls", "a")
	}
	if w := s.w.Of(measure.Held{}, nil); w.Calls != measure.WasteWindow || w.Repeated != 1 {
		t.Errorf("%+v", w)
	}
}

// FuzzWasterShell feeds command lines: no input may end the fold.
func FuzzWasterShell(f *testing.F) {
	for _, c := range []string{"cat a | head -5", "x $(y `z", "sed -n '1,$p' f", "cat <<'E' > f\nE", "a && (b; c) || d &> e", "\"'\\", "for f in *; do cat $f; done", "head -n", "tail -n +0 f"} {
		f.Add(c, "answer\n")
	}
	f.Fuzz(func(t *testing.T, command, answer string) {
		s := newStory().bash(command, answer).bash(command, answer).cut().bash(command, answer)
		if w := s.w.Of(measure.Held{Text: answer}, nil); w.Repeated > 1 || w.Repeated != w.Answered+w.Residual {
			t.Errorf("%+v", w)
		}
	})
}
