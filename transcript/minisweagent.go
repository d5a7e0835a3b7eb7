package transcript

import (
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// miniSWE reads a mini-swe-agent trajectory: chat messages in which the one
// fenced block of an answer is a command, and the user message behind it the
// command's return code and output.
type miniSWE struct{ talk }

func (s *miniSWE) wants(key string) bool { return key == "messages" || key == "info" }

func (s *miniSWE) element(key string, value []byte) bool {
	if len(value) == 0 || value[0] != '{' {
		return false
	}
	if key == "info" {
		c := jsonscan.New(memberPath(value, "config", "model", "model_name"))
		if name := c.String(); name != "" {
			s.d.header.Model = name
		}
		if v := member(value, "mini_version"); v != "" {
			s.d.header.ClientVersion = v
		}
		return true
	}
	role := member(value, "role")
	content := chatText(memberValue(value, "content"))
	switch role {
	case "system", "developer":
		s.say(&pith.Message{Role: pith.RoleSystem, Blocks: textBlock(content, pith.System)})
	case "assistant":
		s.answer(value, content)
	case "user", "tool":
		s.reply(value, content)
	case "exit":
		s.say(&pith.Message{Role: pith.RoleUser, Blocks: textBlock(content, pith.Harness)})
	default:
		return false
	}
	return true
}

func (s *miniSWE) answer(value []byte, content string) {
	m := pith.Message{Role: pith.RoleAssistant}
	if c, ok := jsonscan.Find(value, "tool_calls"); ok && c.Peek() == '[' {
		m.Blocks = wire.ReadMessage(pith.FormatOpenAIChat, value).Blocks
		s.say(&m)
		return
	}
	text, command, ok := fencedCommand(content)
	m.Blocks = textBlock(text, pith.Assistant)
	if ok {
		m.Blocks = append(m.Blocks, pith.Block{
			Kind: pith.KindToolUse, ToolName: "bash", Args: []pith.Arg{stringArg("command", command)}, Origin: pith.Assistant,
		})
	}
	s.say(&m)
}

// fences open the block that holds a command.
var fences = [...]string{"```mswea_bash_command\n", "```bash\n", "```sh\n", "```shell\n"}

// fencedCommand takes the command out of an answer. An answer with two of
// them, or with none, runs nothing.
func fencedCommand(content string) (text, command string, ok bool) {
	for _, fence := range fences {
		before, rest, found := strings.Cut(content, fence)
		if !found || strings.Contains(rest, fence) {
			continue
		}
		end := strings.LastIndex(rest, "\n```")
		if end < 0 {
			continue
		}
		after := strings.TrimSpace(rest[end+len("\n```"):])
		return strings.TrimSpace(strings.TrimSpace(before) + "\n" + after), rest[:end], true
	}
	return content, "", false
}

func (s *miniSWE) reply(value []byte, content string) {
	m := pith.Message{Role: pith.RoleUser}
	switch {
	case s.open() != nil:
		b := pith.Block{Kind: pith.KindToolResult, Origin: pith.ToolOutput, ToolUseID: member(value, "tool_call_id")}
		b.Text, b.Exit = returned(content)
		b.IsError = strings.HasPrefix(content, "The last command <command>") && strings.Contains(content, "timed out")
		m.Blocks = []pith.Block{b}
	case !s.asked:
		s.asked = true
		m.Blocks = taskBlocks(content)
	default:
		m.Blocks = textBlock(content, pith.Harness)
	}
	s.say(&m)
}

// returned takes a return code and an output out of the elements around them.
func returned(content string) (string, *int) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(content, " \n"), "<returncode>")
	if !ok {
		return content, nil
	}
	number, rest, _ := strings.Cut(rest, "</returncode>")
	c := jsonscan.New([]byte(strings.TrimSpace(number)))
	code, ok := c.Int()
	if !ok {
		return content, nil
	}
	if output, ok := strings.CutPrefix(strings.TrimLeft(rest, " \n"), "<output>"); ok {
		if end := strings.LastIndex(output, "</output>"); end >= 0 && strings.TrimSpace(output[end+len("</output>"):]) == "" {
			return strings.TrimPrefix(output[:end], "\n"), &code
		}
	}
	return content, &code
}

func (s *miniSWE) finish() {}
