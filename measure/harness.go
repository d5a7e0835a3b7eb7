package measure

import (
	"strings"

	"github.com/pith-memory/pith"
)

// harnessTool takes the facts of a call of SWE-agent's, mini-swe-agent's or
// OpenHands's own tools.
func (o *Observer) harnessTool(use, res *pith.Block, cwd string, failed bool) {
	text := strings.TrimSpace(res.Text)
	for _, p := range []string{"ERROR", "Error", "No replacement", "Your proposed edit", "File ", "usage:", "Usage:", "Traceback"} {
		failed = failed || strings.HasPrefix(text, p) && !strings.HasPrefix(text, "File created") && !strings.HasPrefix(text, "File updated")
	}
	target := use.Arg("path", "filename")
	switch use.ToolName {
	case "bash", "execute_bash", "run":
		o.shell(use, res, cwd, failed)
	case "open", "goto", "scroll_down", "scroll_up":
		if !failed && strings.HasPrefix(text, "[File: ") {
			o.inspect(target, cwd)
		}
	case "create":
		if !failed {
			o.modify(target, cwd)
		}
	case "edit":
		if use.Arg("lines") != "" || use.Arg("search") != "" {
			if !failed {
				o.modify(target, cwd)
			}
		}
	case "insert":
		if !failed && use.Arg("text") != "" {
			o.modify(target, cwd)
		}
	case "str_replace_editor":
		o.editor(use, text, target, cwd, failed)
	}
}

// editor takes the facts of the editor with several commands.
func (o *Observer) editor(use *pith.Block, text, target, cwd string, failed bool) {
	if failed {
		return
	}
	switch use.Arg("command") {
	case "view":
		if !strings.Contains(text[:min(len(text), 200)], "files and directories") {
			o.inspect(target, cwd)
		}
	case "create", "str_replace", "insert":
		o.modify(target, cwd)
	}
}
