package measure

import (
	"strings"

	"github.com/pith-memory/pith"
)

// The line with which pi ends the output of a command that failed, and the one
// that Gemini CLI writes behind it.
var exitTail = pattern(`(?m)^(?:Command exited with code|Exit Code:) (\d+)$`)

// clientTool takes the facts of a call by the names that pi, opencode and
// Gemini CLI give their tools, and tells whether it was one of those.
func clientTool(o *Observer, use, res *pith.Block, cwd string, failed bool) bool {
	target := use.Arg("path", "filePath", "file_path", "absolute_path")
	switch use.ToolName {
	case "read", "read_file":
		if !failed && !isFolder(res.Text) {
			o.inspect(target, cwd)
		}
	case "edit", "write", "multiedit", "replace", "write_file":
		if !failed {
			o.modify(target, cwd)
		}
	case "bash", "run_shell_command":
		if dir := use.Arg("directory", "dir_path"); dir != "" && cwd != "" {
			cwd = resolve(cwd, dir)
		}
		o.shell(use, res, cwd, failed)
	default:
		return false
	}
	return true
}

// isFolder tells opencode's listing of a folder from a file.
func isFolder(text string) bool {
	return strings.Contains(text[:min(len(text), 600)], "<type>directory</type>")
}

// tail is where pi and Gemini CLI state how a command ended.
func tail(s string) string { return s[max(0, len(s)-200):] }
