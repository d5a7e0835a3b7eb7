package measure_test

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
)

func exit(n int) *int { return &n }

// session is a small one with one fact of every kind.
func session() []pith.Message {
	use := func(id, tool string, args ...pith.Arg) pith.Block {
		return pith.Block{Kind: pith.KindToolUse, ToolUseID: id, ToolName: tool, Args: args}
	}
	result := func(id, text string, code *int) pith.Block {
		return pith.Block{Kind: pith.KindToolResult, ToolUseID: id, Text: text, Exit: code, IsError: code != nil && *code != 0}
	}
	arg := func(k, v string) pith.Arg { return pith.Arg{Key: k, Value: v, IsString: true} }
	blocks := []pith.Block{
		{Kind: pith.KindText, Origin: pith.UserExplicit, Text: "Fix the parser. Never change the public API of the lexer."},
		use("1", "Read", arg("file_path", "/r/lexer.go")), result("1", "1\tpackage r", nil),
		use("2", "Edit", arg("file_path", "/r/parser.go")), result("2", "updated", nil),
		use("3", "Bash", arg("command", "go test ./...")), result("3", "Exit code 1\n--- FAIL: TestParse (0.0s)\n--- PASS: TestLex (0.0s)\nFAIL", exit(1)),
	}
	var out []pith.Message
	for i, b := range blocks {
		role := pith.RoleAssistant
		if b.Kind != pith.KindToolUse {
			role = pith.RoleUser
		}
		out = append(out, pith.Message{Index: i, Role: role, CWD: "/r", Blocks: []pith.Block{b}})
	}
	return out
}

// full is the state that holds all of it.
func full() *pith.State {
	return &pith.State{
		Goal:     pith.Goal{Text: "Fix the parser. Never change the public API of the lexer."},
		Files:    pith.Files{Modified: []pith.File{{Path: "/r/parser.go"}}, Inspected: []pith.File{{Path: "/r/lexer.go"}}},
		Evidence: []pith.Evidence{{Command: "go test ./...", ExitCode: exit(1), Counts: &pith.Counts{Passed: 1, Failed: 1}}},
	}
}

func observed() *measure.Observer {
	o := measure.NewObserver()
	for _, m := range session() {
		o.Record(pith.Record{Message: &m})
	}
	return o
}

func TestScoreFindsAll(t *testing.T) {
	r := observed().Score(full())
	for name, s := range map[string]measure.Share{
		"modified": r.Modified, "inspected": r.Inspected, "failing": r.Failing, "verified": r.Verified, "rules": r.Constraints,
	} {
		if s.Found != 1 || s.Of != 1 {
			t.Errorf("%s: %d of %d, missed %v", name, s.Found, s.Of, s.Missed)
		}
	}
	if r.Precision.Of == 0 || r.Precision.Found != r.Precision.Of {
		t.Errorf("precision: %+v", r.Precision)
	}
}

// TestScoreMisses holds that each fact that a state lacks or bends shows.
func TestScoreMisses(t *testing.T) {
	tests := []struct {
		name string
		bend func(*pith.State)
		look func(measure.Retention) measure.Share
	}{
		{"modified file gone", func(s *pith.State) { s.Files.Modified = nil }, func(r measure.Retention) measure.Share { return r.Modified }},
		{"only the base name", func(s *pith.State) { s.Files.Modified[0].Path = "parser.go" }, func(r measure.Retention) measure.Share { return r.Modified }},
		{"inspected file gone", func(s *pith.State) { s.Files.Inspected = nil }, func(r measure.Retention) measure.Share { return r.Inspected }},
		{"another exit code", func(s *pith.State) { s.Evidence[0].ExitCode = exit(2) }, func(r measure.Retention) measure.Share { return r.Failing }},
		{"other counts", func(s *pith.State) { s.Evidence[0].Counts.Failed = 2 }, func(r measure.Retention) measure.Share { return r.Verified }},
		{"a rule in other words", func(s *pith.State) { s.Goal.Text = "Fix the parser. Keep the lexer." }, func(r measure.Retention) measure.Share { return r.Constraints }},
		{"an invented path", func(s *pith.State) { s.Files.Inspected[0].Path = "/r/nowhere.go" }, func(r measure.Retention) measure.Share { return r.Precision }},
		{"an invented command", func(s *pith.State) { s.Evidence[0].Command = "make world" }, func(r measure.Retention) measure.Share { return r.Precision }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := full()
			tt.bend(s)
			if share := tt.look(observed().Score(s)); share.Found == share.Of || len(share.Missed) == 0 {
				t.Errorf("no miss: %+v", share)
			}
		})
	}
}

func TestNeeds(t *testing.T) {
	o := observed()
	var n measure.Needs
	call := pith.Block{Kind: pith.KindToolUse, ToolName: "Bash", Args: []pith.Arg{
		{Key: "command", Value: "go test -run TestParse /r/parser.go newName"}, {Key: "content", Value: "TestLex"},
	}}
	n.Call(&call, o.Seen)
	s := n.In("the block names TestParse and parser.go", "/r")
	if s.Tests.Of != 1 || s.Tests.Found != 1 || s.Paths.Of != 1 || s.Paths.Found != 1 || s.Symbols.Of != 0 {
		t.Errorf("needs: %+v", s)
	}
	if s := n.In("nothing", "/r"); s.Tests.Found != 0 || s.Paths.Found != 0 {
		t.Errorf("found in an empty block: %+v", s)
	}
}

func TestTextOf(t *testing.T) {
	if got := measure.TextOf(session()[:1]); !strings.HasPrefix(got, "Fix the parser.") {
		t.Errorf("%q", got)
	}
}
