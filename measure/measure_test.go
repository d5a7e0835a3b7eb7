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

func observed() *measure.Observer {
	o := measure.NewObserver()
	for _, m := range session() {
		o.Record(pith.Record{Message: &m})
	}
	return o
}

func TestNeeds(t *testing.T) {
	o := observed()
	var n measure.Needs
	call := pith.Block{Kind: pith.KindToolUse, ToolName: "Bash", Args: []pith.Arg{
		{Key: "command", Value: "go test -run TestParse /r/parser.go newName"}, {Key: "content", Value: "TestLex"},
	}}
	n.Call(&call, o.Seen)
	needed := n.Atoms(o.Atoms())
	if got := strings.Join(atomLines(needed), ","); got != "inspected_path /r/parser.go,test TestParse" {
		t.Errorf("needs: %s", got)
	}
	for text, want := range map[string]float64{"the block names TestParse and parser.go": 1, "nothing": 0} {
		rows, _ := measure.Retain(needed, measure.Held{Text: text, Root: "/r"})
		if got := cirr(rows); got != want {
			t.Errorf("%q holds %v of them, want %v", text, got, want)
		}
	}
}

func TestTextOf(t *testing.T) {
	if got := measure.TextOf(session()[:1]); !strings.HasPrefix(got, "Fix the parser.") {
		t.Errorf("%q", got)
	}
}
