package transcript

import (
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// sweAgent reads a .traj file. Its history is what the model was sent, with
// roles, call ids and the marks of demonstrations; the trajectory repeats the
// steps (and from 1.0 on the whole prompt in each of them), and is read only
// where a file has no history.
type sweAgent struct {
	talk
	steps   []sweStep
	history bool
	// last is the last step: its observation is not in every history. lastAction
	// is the history's own.
	last       sweStep
	lastAction string
	// openFile and dir are what the agent's shell last reported.
	openFile, dir string
}

// sweStep is a step of the trajectory, for the case that nothing else is there.
type sweStep struct{ thought, action, observation, openFile, dir string }

func (s *sweAgent) wants(key string) bool { return key == "history" || key == "trajectory" }

func (s *sweAgent) element(key string, value []byte) bool {
	if len(value) == 0 || value[0] != '{' {
		return false
	}
	if key != "history" {
		return s.step(value)
	}
	role := member(value, "role")
	if role == "" {
		return false
	}
	if n := len(s.steps); n > 0 {
		s.last = s.steps[n-1]
	}
	s.history, s.steps = true, nil
	s.turn(role, value)
	return true
}

func (s *sweAgent) step(value []byte) bool {
	if s.history {
		return true
	}
	if memberValue(value, "action") == nil {
		return false
	}
	state := memberValue(value, "state")
	if c := jsonscan.New(state); c.Peek() == '"' {
		state = []byte(c.String())
	}
	st := sweStep{
		thought: member(value, "thought"), action: member(value, "action"), observation: member(value, "observation"),
		openFile: member(state, "open_file"), dir: member(state, "working_dir"),
	}
	if st.thought == "" {
		st.thought = member(value, "response")
	}
	s.steps = append(s.steps, st)
	return true
}

// turn reads one item of the history.
func (s *sweAgent) turn(role string, value []byte) {
	kind := member(value, "message_type")
	content := chatText(memberValue(value, "content"))
	switch {
	case kind == "demonstration" || string(memberValue(value, "is_demo")) == "true" || strings.HasPrefix(content, "Here is a demonstration of how to"):
		s.d.pass([]byte("demonstration"), nil)
	case role == "system":
		s.say(&pith.Message{Role: pith.RoleSystem, Blocks: textBlock(content, pith.System)})
	case role == "assistant":
		s.action(value, content)
	case s.open() != nil:
		s.observation(content, callIDs(value))
	case !s.asked:
		s.asked = true
		text := s.status(content)
		s.say(&pith.Message{Role: pith.RoleUser, Blocks: taskBlocks(text), CWD: s.dir})
	default:
		s.say(&pith.Message{Role: pith.RoleUser, Blocks: textBlock(s.status(content), pith.Harness), CWD: s.dir})
	}
}

// callIDs are the ids of the calls that a result answers.
func callIDs(value []byte) (ids []string) {
	if id := member(value, "tool_call_id"); id != "" {
		return []string{id}
	}
	c, ok := jsonscan.Find(value, "tool_call_ids")
	if !ok || !c.Array() {
		return nil
	}
	for c.More() {
		ids = append(ids, c.String())
	}
	return ids
}

func (s *sweAgent) action(value []byte, content string) {
	m := pith.Message{Role: pith.RoleAssistant, CWD: s.dir}
	s.lastAction = member(value, "action")
	if c, ok := jsonscan.Find(value, "tool_calls"); ok && c.Peek() == '[' {
		m.Blocks = wire.ReadMessage(pith.FormatOpenAIChat, value).Blocks
		for i := range m.Blocks {
			s.complete(&m.Blocks[i])
		}
		s.say(&m)
		return
	}
	thought, hasThought := content, memberValue(value, "thought") != nil
	if hasThought {
		thought = member(value, "thought")
	}
	m.Blocks = textBlock(strings.TrimSpace(thought), pith.Assistant)
	if use, ok := s.command(s.lastAction); ok {
		m.Blocks = append(m.Blocks, use)
	}
	s.say(&m)
}

// observation is the result of the open calls.
func (s *sweAgent) observation(content string, ids []string) {
	m := pith.Message{Role: pith.RoleUser, CWD: s.dir}
	text := strings.TrimPrefix(s.status(content), "OBSERVATION:\n")
	b := pith.Block{Kind: pith.KindToolResult, Text: text, Origin: pith.ToolOutput, IsError: editorFailed(text)}
	if len(ids) > 0 {
		b.ToolUseID = ids[0]
	}
	m.Blocks = []pith.Block{b}
	s.say(&m)
}

// editorFailed tells from an editor's answer that it changed nothing.
func editorFailed(text string) bool {
	text = strings.TrimLeft(text, " \r\n")
	for _, p := range [...]string{
		"Your proposed edit has introduced new syntax error", "Your edit was not applied", "No replacement was performed",
		"ERROR:\n", "Text not found", "No edit was performed", "No file open", "Error: No file", "Usage: ",
		"Invalid `path` parameter", "The path ", "Invalid `",
	} {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// status takes off what the shell's prompt reports below an observation.
func (s *sweAgent) status(content string) string {
	i := strings.LastIndex(content, "(Open file: ")
	if i < 0 || len(content)-i > 2000 || i > 0 && content[i-1] != '\n' {
		return content
	}
	open, rest, ok := strings.Cut(content[i+len("(Open file: "):], ")\n")
	if !ok {
		return content
	}
	if dir, ok := strings.CutPrefix(rest, "(Current directory: "); ok {
		dir, rest, _ = strings.Cut(dir, ")\n")
		s.dir = dir
	}
	if trimmed := strings.TrimRight(rest, " \n"); trimmed != "bash-$" && trimmed != "" {
		return content
	}
	s.openFile = open
	return strings.TrimSuffix(content[:i], "\n")
}

// complete adds the file that a windowed editor works on, which the call does
// not name: the one that is open.
func (s *sweAgent) complete(b *pith.Block) {
	if b.Kind != pith.KindToolUse || b.Arg("path", "filename", "file", "file_path") != "" || s.openFile == "" || s.openFile == "n/a" {
		return
	}
	switch b.ToolName {
	case "edit", "insert", "goto", "scroll_up", "scroll_down", "search_file":
		b.Args = append([]pith.Arg{stringArg("path", s.openFile)}, b.Args...)
	}
}

// command reads an action as a call: one of the harness's own commands, or
// else a line for the shell.
func (s *sweAgent) command(action string) (pith.Block, bool) {
	action = strings.TrimSpace(action)
	if action == "" {
		return pith.Block{}, false
	}
	b := pith.Block{Kind: pith.KindToolUse, Origin: pith.Assistant}
	first, body, _ := strings.Cut(action, "\n")
	words := actionWords(first)
	b.ToolName = words[0]
	rest := words[1:]
	arg := func(keys ...string) {
		for i := range min(len(keys), len(rest)) {
			b.Args = append(b.Args, stringArg(keys[i], rest[i]))
		}
	}
	switch b.ToolName {
	case "open":
		arg("path", "line_number")
	case "create":
		arg("path")
	case "goto":
		arg("line_number")
	case "scroll_up", "scroll_down", "submit":
	case "search_dir":
		arg("search_term", "dir")
	case "search_file":
		arg("search_term", "file")
	case "find_file":
		arg("file_name_pattern", "dir")
	case "edit":
		arg("lines")
		if text := strings.TrimSuffix(body, "end_of_edit"); text != "" {
			b.Args = append(b.Args, stringArg("replacement_text", strings.TrimSuffix(text, "\n")))
		}
	case "str_replace_editor":
		b.Args = editorArgs(rest)
	default:
		b.ToolName, b.Args = "bash", []pith.Arg{stringArg("command", action)}
	}
	s.complete(&b)
	return b, true
}

// editorArgs are the words of a str_replace_editor command line.
func editorArgs(words []string) (args []pith.Arg) {
	for i, key := 0, 0; i < len(words); i++ {
		if name, ok := strings.CutPrefix(words[i], "--"); ok && i+1 < len(words) {
			args = append(args, stringArg(name, words[i+1]))
			i++
			continue
		}
		if key < 2 {
			args = append(args, stringArg([...]string{"command", "path"}[key], words[i]))
			key++
		}
	}
	return args
}

// actionWords splits a line at spaces outside of quotes; there is one word at least.
func actionWords(line string) []string {
	words, word, quote, started := []string{}, strings.Builder{}, byte(0), false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, started = c, true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\r'):
			if started || word.Len() > 0 {
				words = append(words, word.String())
			}
			word.Reset()
			started = false
		default:
			word.WriteByte(c)
		}
	}
	if started || word.Len() > 0 || len(words) == 0 {
		words = append(words, word.String())
	}
	return words
}

func (s *sweAgent) finish() {
	for i := range s.steps {
		st := &s.steps[i]
		m := pith.Message{ID: "step-" + strconv.Itoa(i+1), Role: pith.RoleAssistant, CWD: st.dir}
		m.Blocks = textBlock(strings.TrimSpace(st.thought), pith.Assistant)
		if use, ok := s.command(st.action); ok {
			m.Blocks = append(m.Blocks, use)
		}
		s.say(&m)
		s.openFile, s.dir = st.openFile, st.dir
		if s.open() != nil {
			s.observation(st.observation, nil)
		}
	}
	s.steps = nil
	if s.history && s.open() != nil && s.last.action == s.lastAction {
		s.observation(s.last.observation, nil)
	}
}
