package extract

import (
	"encoding/json"
	"strings"

	"github.com/pith-memory/pith"
)

// shellCommand is the command line that a tool use runs in a shell: the script
// itself where it is given as an argument vector of a shell. It is "" for every
// other tool.
func shellCommand(b *pith.Block) string {
	if b.Kind != pith.KindToolUse || !isShellTool(b.ToolName) {
		return ""
	}
	for i := range b.Args {
		a := &b.Args[i]
		switch a.Key {
		case "command", "cmd", "script", "commands":
			if a.IsString {
				return a.Value
			}
			return vectorCommand([]byte(a.Value))
		case "action":
			if a.IsString {
				continue
			}
			var action struct {
				Command json.RawMessage `json:"command"`
			}
			if json.Unmarshal([]byte(a.Value), &action) == nil && len(action.Command) > 0 {
				return vectorCommand(action.Command)
			}
		}
	}
	return ""
}

// isShellTool tells by a tool's name whether it runs commands. Names come with
// a server before them (mcp__host__bash, functions.exec_command).
func isShellTool(name string) bool {
	n := toolName(name)
	if strings.Contains(n, "edit") {
		return false
	}
	for _, w := range [...]string{"bash", "shell", "exec", "command", "terminal", "cmd", "pwsh"} {
		if strings.Contains(n, w) {
			return true
		}
	}
	return n == "run" || n == "sh" || n == "zsh"
}

// toolName is the tool's own name in lower case, without the server that offers it.
func toolName(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 && i+2 < len(name) {
		name = name[i+2:]
	}
	if i := strings.LastIndexAny(name, "./:"); i >= 0 && i+1 < len(name) {
		name = name[i+1:]
	}
	return strings.ToLower(name)
}

// vectorCommand turns a JSON argument vector, or a JSON string, into a line.
func vectorCommand(raw []byte) string {
	var argv []string
	if json.Unmarshal(raw, &argv) != nil {
		var line string
		if json.Unmarshal(raw, &line) != nil {
			return ""
		}
		return line
	}
	if len(argv) == 0 {
		return ""
	}
	c := simpleCommand{Argv: argv, Expands: make([]bool, len(argv))}
	if script, _ := innerScript(&c); script != "" {
		return script
	}
	quoted := make([]string, len(argv))
	for i, w := range argv {
		quoted[i] = quoteWord(w)
	}
	return strings.Join(quoted, " ")
}

// quoteWord writes a word so that a shell reads it back as it is.
func quoteWord(w string) string {
	plain := w != ""
	for i := 0; i < len(w) && plain; i++ {
		plain = isWordByte(w[i]) || strings.IndexByte("-./:=,@%+", w[i]) >= 0
	}
	if plain {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
