package extract

import (
	"slices"
	"strings"
)

// isProbe tells whether a non-zero exit only answers a question: grep found
// nothing, files differ, a path is not there. That is no failure.
func isProbe(shell []simpleCommand, code int, output string) bool {
	if len(shell) == 0 || code > 2 && code != 3 && code != 123 && code != 128 && code != 22 {
		return false
	}
	last := lastOfLine(shell)
	if !asksAtEnd(&shell[last], code, output) {
		return false
	}
	// A command before it in the same && list may be what failed instead.
	for i := last; i > 0 && (shell[i].Op == "&&" || shell[i].Op == "|"); i-- {
		if before := &shell[i-1]; shell[i].Op == "&&" && !isQuiet(before) && !asksAtEnd(before, code, output) {
			return code == 1 && isSearch(&shell[last]) && !strings.Contains(output, "rror")
		}
	}
	return true
}

// lastOfLine is the command whose exit code the line has.
func lastOfLine(shell []simpleCommand) int {
	last := len(shell) - 1
	for last > 0 && len(shell[last].Argv) > 0 && shell[last].Argv[0] == "" {
		last--
	}
	return last
}

// asksAtEnd tells whether a command answers with its exit code.
func asksAtEnd(c *simpleCommand, code int, output string) bool {
	if len(c.Argv) == 0 {
		return false
	}
	argv := c.Argv
	switch programName(argv[0]) {
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "pgrep", "zgrep":
		// 2 is an error of the search itself: a bad pattern, a path that is not there.
		return code == 1 || code == 123
	case "diff", "cmp", "colordiff", "comm":
		return code == 1
	case "cat", "head", "tail", "wc", "nl", "sed", "rm", "less", "bat":
		return code == 1 && missing(output)
	case "test", "[", "[[", "which", "type", "hash", "whereis", "false", "pidof", "lsof", "command":
		return code <= 1 || argv[0] == "which"
	case "ls", "stat", "file", "find", "readlink", "realpath", "du", "fd", "tree", "jq":
		return missing(output) || (argv[0] == "jq" || argv[0] == "find") && strings.TrimSpace(output) == ""
	case "systemctl", "service":
		return slices.Contains(argv, "is-active") || slices.Contains(argv, "is-enabled") || slices.Contains(argv, "status")
	case "kill":
		return len(argv) > 1 && argv[1] == "-0"
	case "gh":
		return code == 1 && strings.Contains(output, "no pull requests found")
	case "git":
		return gitAsks(argv[1:], code, output)
	case "go":
		return false
	}
	return false
}

func isSearch(c *simpleCommand) bool {
	switch programName(c.Argv[0]) {
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "diff":
		return true
	}
	return false
}

func gitAsks(args []string, code int, output string) bool {
	for len(args) > 1 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-C" || args[0] == "-c" {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return false
	}
	switch args[0] {
	case "grep", "check-ignore", "show-ref", "cat-file":
		return code == 1 || args[0] == "cat-file" && (hasFlag(args, "-e") || strings.Contains(output, "could not get object info") || strings.Contains(output, "Not a valid object name"))
	case "diff":
		return code == 1 && (hasFlag(args, "--quiet") || hasFlag(args, "--exit-code") || hasFlag(args, "--no-index") || hasFlag(args, "--check"))
	case "merge-base":
		return code == 1
	case "config":
		// A key that is not set; what other commands of the line printed may stand before it.
		return code == 1 && !strings.Contains(output, "rror")
	case "rev-parse":
		return true
	case "ls-remote", "ls-files", "symbolic-ref":
		return code <= 2 && (hasFlag(args, "--exit-code") || hasFlag(args, "--error-unmatch") || hasFlag(args, "-q"))
	}
	return false
}

// missing tells whether a looking command says that the path is not there.
func missing(output string) bool {
	return strings.Contains(output, "No such file or directory") || strings.Contains(output, "no matches found") || strings.Contains(output, "cannot access")
}

// isQuiet are commands that hardly ever fail by themselves.
func isQuiet(c *simpleCommand) bool {
	if len(c.Argv) == 0 {
		return true
	}
	switch programName(c.Argv[0]) {
	case "cd", "echo", "printf", "export", "true", ":", "set", "source", "pwd", "date", "sleep", "sort", "uniq", "cut", "tr":
		return true
	}
	return isAssignment(c.Argv[0])
}
