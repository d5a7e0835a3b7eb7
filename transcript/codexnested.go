package transcript

import (
	"net/url"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// Newer Codex models call one tool, exec, whose input is a script; the script
// calls the tools that run commands and change files. Only events tell of
// those calls: their ids begin with nestedCall, and no item has them.
const nestedCall = "exec-"

// completed reads the item of an item_completed event. One that belongs to a
// call of the model's own tells how that call ended.
func (s *codex) completed(item []byte) {
	id := member(item, "id")
	switch kind := member(item, "type"); {
	case id == "" || kind != "CommandExecution" && kind != "FileChange":
		s.d.pass([]byte("event_msg/item_completed"), []byte(kind))
	case strings.HasPrefix(id, nestedCall):
		s.nested(id, kind, item)
	default:
		end := callEnd{failed: kind == "FileChange" && member(item, "status") == "failed"}
		end.code, end.coded = exitCode(item)
		if end.coded || end.failed {
			s.ended([]byte(id), end)
		}
	}
}

func exitCode(item []byte) (code int, ok bool) {
	c, _ := jsonscan.Find(item, "exit_code")
	return c.Int()
}

// nested holds a call and its result that a script made, as a call of the tool
// that the script named.
func (s *codex) nested(id, kind string, item []byte) {
	use := pith.Block{Kind: pith.KindToolUse, ToolUseID: id, Origin: pith.Assistant, ToolName: "exec_command"}
	result := pith.Block{Kind: pith.KindToolResult, ToolUseID: id, Origin: pith.ToolOutput}
	if kind == "FileChange" {
		use.ToolName = "apply_patch"
		use.Args = []pith.Arg{{Key: "input", Value: changesPatch(item), IsString: true}}
		result.Text = member(item, "stdout") + member(item, "stderr")
	} else {
		use.Args = []pith.Arg{{Key: "cmd", Value: commandLine(item), IsString: true}}
		if dir := localPath(member(item, "cwd")); dir != "" {
			use.Args = append(use.Args, pith.Arg{Key: "workdir", Value: dir, IsString: true})
		}
		result.Text = member(item, "aggregated_output")
		if code, ok := exitCode(item); ok {
			result.Exit = &code
		}
	}
	status := member(item, "status")
	result.IsError = status == "failed"
	result.Rejected = status == "declined"
	use.Text = pith.ToolUseText(use.ToolName, use.Args)
	result.ToolName = use.ToolName
	for _, b := range []pith.Block{use, result} {
		m := s.newMessage()
		m.ID, m.Nested, m.Blocks = id, true, []pith.Block{b}
		m.Role, m.Model = pith.RoleAssistant, s.d.header.Model
		if b.Kind == pith.KindToolResult {
			m.Role, m.Model = pith.RoleUser, ""
		}
		s.hold(pith.Record{Message: m}, false)
	}
}

// commandLine is the command of a shell, without the shell, or the words of
// any other program.
func commandLine(item []byte) string {
	c, _ := jsonscan.Find(item, "command")
	if c.Peek() == '"' {
		return c.String()
	}
	var words []string
	if c.Array() {
		for c.More() {
			words = append(words, c.String())
		}
	}
	if len(words) == 3 && (words[1] == "-lc" || words[1] == "-c" || words[1] == "-Command") {
		return words[2]
	}
	return strings.Join(words, " ")
}

// localPath reads a path that may be written as a file: URL.
func localPath(s string) string {
	rest, ok := strings.CutPrefix(s, "file://")
	if !ok {
		return s
	}
	if p, err := url.PathUnescape(rest); err == nil {
		rest = p
	}
	if len(rest) > 3 && rest[0] == '/' && rest[2] == ':' { // file:///C:/src
		return rest[1:]
	}
	return rest
}

// changesPatch writes the changes of an event in the format of apply_patch,
// which is what the script passed on.
func changesPatch(item []byte) string {
	var out strings.Builder
	out.WriteString("*** Begin Patch\n")
	c, _ := jsonscan.Find(item, "changes")
	if c.Object() {
		for {
			key, more := c.Key()
			if !more {
				break
			}
			writeChange(&out, jsonscan.Text(key), c.Value())
		}
	}
	out.WriteString("*** End Patch")
	return out.String()
}

func writeChange(out *strings.Builder, path string, change []byte) {
	switch member(change, "type") {
	case "add":
		out.WriteString("*** Add File: " + path + "\n" + prefixed(member(change, "content")))
	case "delete":
		out.WriteString("*** Delete File: " + path + "\n")
	default:
		out.WriteString("*** Update File: " + path + "\n")
		if to := member(change, "move_path"); to != "" {
			out.WriteString("*** Move to: " + to + "\n")
		}
		out.WriteString(strings.TrimSuffix(member(change, "unified_diff"), "\n") + "\n")
	}
}

// prefixed marks every line of a new file as added.
func prefixed(content string) string {
	if content == "" {
		return ""
	}
	return "+" + strings.ReplaceAll(strings.TrimSuffix(content, "\n"), "\n", "\n+") + "\n"
}
