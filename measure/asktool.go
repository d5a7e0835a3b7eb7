package measure

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
)

// callDeed says what a call of any client's tool asks and does.
func callDeed(use *pith.Block, cwd string) deed {
	target := resolve(cwd, use.Arg("file_path", "path", "filePath", "absolute_path", "notebook_path", "filename"))
	switch use.ToolName {
	case "Bash", "bash", "exec_command", "shell", "shell_command", "local_shell", "run_shell_command", "execute_bash", "run":
		if dir := use.Arg("workdir", "directory", "dir_path"); dir != "" {
			cwd = resolve(cwd, dir)
		}
		return shellDeed(commandLine(use), cwd)
	case "Read", "read", "read_file", "NotebookRead", "open":
		if target == "" {
			return deed{effect: neither}
		}
		from, limit := number(use.Arg("offset"), 1), number(use.Arg("limit"), endOfFile)
		return deed{asks: []ask{{path: target, from: max(from, 1), to: min(from+limit-1, endOfFile)}}}
	case "Grep", "Glob", "LS", "grep", "glob", "find", "ls", "list", "list_directory", "list_dir", "search_file_content", "grep_files", "read_many_files":
		return deed{asks: []ask{{command: cwd + "$ " + squash(pith.ToolUseText(use.ToolName, use.Args))}}}
	case "Edit", "Write", "MultiEdit", "NotebookEdit", "edit", "write", "multiedit", "replace", "write_file", "create", "insert":
		return deed{effect: writes, files: []string{target}}
	case "apply_patch":
		d := deed{effect: writes}
		for _, m := range patchHeader().FindAllStringSubmatch(use.Arg("input", "patch", "patchText"), -1) {
			d.files = append(d.files, resolve(cwd, strings.TrimSpace(m[1]+m[2])))
		}
		return d
	case "str_replace_editor":
		if use.Arg("command") == "view" {
			return deed{asks: []ask{{command: squash(pith.ToolUseText("view", use.Args))}}}
		}
		return deed{effect: writes, files: []string{target}}
	case "Task", "Agent", "spawn_agent":
		if kind := use.Arg("subagent_type", "agent_type"); kind == "Explore" || kind == "Plan" || kind == "explorer" {
			return deed{effect: neither}
		}
		return deed{effect: anything}
	}
	return deed{effect: neither}
}

// commandLine is the command of a shell tool. Codex's older one takes a list of
// words: ["bash","-lc","..."].
func commandLine(use *pith.Block) string {
	command := use.Arg("command", "cmd")
	if !strings.HasPrefix(command, "[") {
		return command
	}
	var words []string
	if json.Unmarshal([]byte(command), &words) != nil {
		return command
	}
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	return strings.Join(words, " ")
}

func number(s string, otherwise int) int {
	if n, err := strconv.Atoi(s); err == nil && n >= 0 && n < endOfFile {
		return n
	}
	return otherwise
}

// answerOf is what a result answers, without what a client writes around it.
func answerOf(text string) string {
	for _, begins := range [...]string{"Chunk ID:", "Command:", "Exit code:", "Wall time:"} {
		if !strings.HasPrefix(text, begins) {
			continue
		}
		// Codex's header is a few lines; the first of them may hold a long command.
		if i := strings.Index(text, "\nOutput:"); i >= 0 && strings.Count(text[:i], "\n") <= 60 {
			text = strings.TrimPrefix(text[i+len("\nOutput:"):], "\n")
		}
		break
	}
	if i := strings.Index(text, "\n\n<system-reminder>"); i >= 0 {
		text = text[:i]
	}
	return strings.TrimRight(text, " \n")
}

// cutShort tells whether a client cut an answer, so that it was not seen whole.
func cutShort(text string) bool {
	for _, mark := range [...]string{
		"tokens truncated", "<persisted-output>", "[Output truncated", "... [truncated", "chars truncated", "lines truncated", "characters truncated",
		"Output too large", "Full output saved to", "[Truncated:", "more lines in file", "Results are truncated", "(Results truncated",
	} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// withoutNumber drops the line number that readers put before a line.
func withoutNumber(line string) string {
	t := strings.TrimLeft(line, " ")
	n := 0
	for n < len(t) && t[n] >= '0' && t[n] <= '9' {
		n++
	}
	if n == 0 || n == len(t) {
		return line
	}
	if rest, ok := strings.CutPrefix(t[n:], "→"); ok {
		return rest
	}
	if t[n] == '\t' {
		return t[n+1:]
	}
	return line
}
