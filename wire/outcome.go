package wire

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// runsCommands tells from a tool's name whether its results are the output of
// a command. A tool without a known name may be one.
func runsCommands(tool string) bool {
	if tool == "" {
		return true
	}
	name := strings.ToLower(tool)
	for _, word := range []string{"bash", "shell", "exec", "terminal", "command", "run", "console", "stdin", "process", "python", "taskoutput", "test", "cmd", "pwsh", "zsh"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// readOutcome sets how a tool result ended, from what its text states: exit
// code, rejection by the user, or a command that goes on. Nothing is guessed:
// a result that states no exit code has none. Text that is JSON around an
// output and its exit code becomes the output.
func readOutcome(b *pith.Block, tool string) {
	if b.Kind != pith.KindToolResult {
		return
	}
	unwrapOutput(b)
	switch text := b.Text; {
	case hasAnyPrefix(text, rejections):
		b.Rejected = true
		return
	case hasAnyPrefix(text, toolErrors):
		b.IsError = true
	}
	if !runsCommands(tool) {
		b.IsError = b.IsError || saysError(b.Text)
		return
	}
	b.Running = runningID(b.Text)
	if b.Exit != nil {
		return
	}
	if n, ok := statedExit(b.Text); ok {
		b.Exit = &n
	}
}

// rejections are how clients tell the model that the user said no.
var rejections = []string{
	"The user doesn't want to proceed",
	"The user doesn't want to take this action",
	"[Request interrupted by user",
	"aborted by user",
	"rejected by user",
	"The user rejected",
	"User rejected",
	"User denied",
	"exec_command failed for `aborted by user",
}

// toolErrors are how clients without an error flag say that a call failed.
var toolErrors = []string{
	"<tool_use_error>",
	"exec_command failed",
	"write_stdin failed",
	"apply_patch verification failed",
	"execution error:",
	"failed to parse function arguments",
	"unsupported call:",
	"unsupported custom tool call:",
	"tool call error:",
	"Script failed\nWall time ", // Codex in code mode
}

func hasAnyPrefix(text string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// saysError: a tool that has no error flag to set answers with one line that
// begins with the word. More than a line may be a file that does.
func saysError(text string) bool {
	return len(text) < 500 && !strings.Contains(text, "\n") &&
		(strings.HasPrefix(text, "Error: ") || strings.HasPrefix(text, "ERROR: "))
}

// unwrapOutput turns {"output":"...","metadata":{"exit_code":0}} into its
// output, and reads a top-level exit code of any other JSON object.
func unwrapOutput(b *pith.Block) {
	if !strings.HasPrefix(b.Text, "{") || !strings.Contains(b.Text, `"`) {
		return
	}
	c := jsonscan.New([]byte(b.Text))
	c.Object()
	output, hasOutput, exit, hasExit := "", false, 0, false
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "output":
			if hasOutput = c.Peek() == '"'; hasOutput {
				output = c.String()
			} else {
				c.Skip()
			}
		case "metadata":
			if m, ok := jsonscan.Find(c.Value(), "exit_code"); ok {
				exit, hasExit = m.Int()
			}
		case "exit_code", "exitCode", "returncode", "return_code":
			exit, hasExit = c.Int()
		default:
			c.Skip()
		}
	}
	if c.Bad() || c.Peek() != 0 || !hasExit {
		return
	}
	b.Exit = &exit
	if hasOutput {
		b.Text = output
	}
}

// statedExit reads the exit code that a command's output states in its header,
// as clients put it there, or in its last line.
func statedExit(text string) (int, bool) {
	header := outputHeader(text)
	rest := header
	for line := 0; line < maxHeaderLines && rest != ""; line++ {
		var first string
		first, rest, _ = strings.Cut(rest, "\n")
		if n, ok := headExit(first, line == 0); ok {
			return n, true
		}
	}
	if strings.Contains(header, "Wall time: ") && hasAnyPrefix(text, codexHeaders) {
		return 0, false // Codex says it above: what stands at the end is the command's own words
	}
	tail := strings.TrimRight(text, " \t\r\n")
	tail = tail[strings.LastIndexByte(tail, '\n')+1:]
	return tailExit(tail)
}

const (
	maxHeaderLines = 8
	maxHeaderBytes = 600
	maxCodexHeader = 16 << 10
)

// outputHeader is what a client wrote before the output of a command. Codex
// repeats the whole command there, however many lines it has.
func outputHeader(text string) string {
	if !hasAnyPrefix(text, codexHeaders) {
		return text[:min(len(text), maxHeaderBytes)]
	}
	head := text[:min(len(text), maxCodexHeader)]
	if end := strings.Index(head, "\nOutput:"); end >= 0 {
		head = head[:end]
	}
	if chunk := strings.LastIndex(head, "\nChunk ID: "); chunk >= 0 {
		head = head[chunk+1:]
	}
	return head[:min(len(head), maxHeaderBytes)]
}

var codexHeaders = []string{"Chunk ID:", "Command: ", "[Command: ", "Wall time: ", "Exit code: "}

// headExit reads a line of a client's own header. Only there "Exit code 1"
// stands at the beginning of the text.
func headExit(line string, first bool) (int, bool) {
	if first {
		for _, p := range []string{"Exit code: ", "Exit code ", "Exit Code: "} {
			if rest, ok := strings.CutPrefix(line, p); ok {
				return leadingInt(rest, true)
			}
		}
	}
	if rest, ok := strings.CutPrefix(line, "Process exited with code "); ok {
		return leadingInt(rest, true)
	}
	for _, tag := range []string{"<returncode>", "<exit_code>"} {
		if rest, ok := strings.CutPrefix(line, tag); ok {
			return leadingInt(rest, false)
		}
	}
	return 0, false
}

// tailExit reads a last line that ends with the exit code.
func tailExit(line string) (int, bool) {
	if len(line) > 200 || len(line) < 7 {
		return 0, false
	}
	lower := strings.ToLower(line)
	if !strings.Contains(lower, "exit") && !strings.Contains(lower, "return") {
		return 0, false
	}
	for _, phrase := range []string{
		"exit status ", "exit status: ", "exit code ", "exit code: ", "exit code=", "exited with code ",
		"exited with status ", "exit_code: ", "exit_code=", "exit: ", "return code: ", "returncode: ",
		"returncode=", "<returncode>", "<exit_code>", "return code ",
	} {
		i := strings.LastIndex(lower, phrase)
		if i < 0 || i > 0 && isWordByte(lower[i-1]) {
			continue
		}
		if n, ok := leadingInt(line[i+len(phrase):], true); ok {
			return n, true
		}
	}
	return 0, false
}

func isWordByte(x byte) bool {
	return x >= 'a' && x <= 'z' || x >= 'A' && x <= 'Z' || x >= '0' && x <= '9' || x == '_'
}

// leadingInt reads a number at the beginning of s. Where it must end the line,
// only closing punctuation or tags may follow.
func leadingInt(s string, endsLine bool) (int, bool) {
	end := 0
	if strings.HasPrefix(s, "-") {
		end = 1
	}
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(s[:end])
	if err != nil || end > 11 {
		return 0, false
	}
	if endsLine {
		rest := strings.TrimRight(s[end:], " \t\r")
		if rest != "" && strings.Trim(rest, ")].>}*`\"'") != "" && !strings.HasPrefix(rest, "</") {
			return 0, false
		}
	}
	return n, true
}

// runningID returns the id under which a command goes on, "" where it ended.
func runningID(text string) string {
	head := outputHeader(text)
	if !strings.Contains(head, " ID") {
		return ""
	}
	for _, phrase := range []string{
		"Process running with session ID ", "running in background with ID: ",
		"running in the background with ID: ", "moved to the background with ID: ",
		"backgrounded by user with ID: ", "backgrounded with ID: ",
	} {
		i := strings.Index(head, phrase)
		if i < 0 {
			continue
		}
		id := head[i+len(phrase):]
		if end := strings.IndexFunc(id, func(r rune) bool {
			return !(r < 128 && isWordByte(byte(r)) || r == '-')
		}); end >= 0 {
			id = id[:end]
		}
		if id != "" {
			return id
		}
	}
	return ""
}

// OpenCalls remembers the names of calls until they are answered. Clients use
// ids again, so an answer belongs to the nearest open call of its id.
type OpenCalls struct{ calls []openCall }

type openCall struct{ id, name string }

// maxOpenCalls bounds what a session full of unanswered calls can pile up.
const maxOpenCalls = 4096

// open remembers a call.
func (o *OpenCalls) open(id, name string) {
	if len(o.calls) >= maxOpenCalls {
		o.calls = append(o.calls[:0], o.calls[maxOpenCalls/2:]...)
	}
	o.calls = append(o.calls, openCall{id, name})
}

// answer closes a call and returns its tool's name, "" where none was open.
func (o *OpenCalls) answer(id string) string {
	for i := len(o.calls) - 1; i >= 0; i-- {
		if o.calls[i].id == id {
			name := o.calls[i].name
			o.calls = append(o.calls[:i], o.calls[i+1:]...)
			return name
		}
	}
	return ""
}

// Waiting counts the calls that have no answer yet.
func (o *OpenCalls) Waiting() int { return len(o.calls) }

// Waits tells whether a call has no answer yet.
func (o *OpenCalls) Waits(id string) bool {
	return slices.ContainsFunc(o.calls, func(c openCall) bool { return c.id == id })
}

// Outcomes pairs a message's results with the calls before them and reads how
// they ended.
func (o *OpenCalls) Outcomes(m *pith.Message) {
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; b.Kind {
		case pith.KindToolUse:
			o.open(b.ToolUseID, b.ToolName)
		case pith.KindToolResult:
			if name := o.answer(b.ToolUseID); name != "" {
				b.ToolName = name
			}
			readOutcome(b, b.ToolName)
		}
	}
}

func readOutcomes(messages []pith.Message) {
	var open OpenCalls
	for i := range messages {
		open.Outcomes(&messages[i])
	}
}
