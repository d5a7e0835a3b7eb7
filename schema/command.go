package schema

import (
	"path"
	"slices"
	"strings"
)

// OneCommand tells whether a command line is a single command.
func OneCommand(line string) bool { return composed(line) == "" }

// composed names the first sign that a command line is more than one command
// (";", "&&", "||", "|", a substitution or a line break outside quotes), ""
// where it is a single one (rule V15).
func composed(command string) string {
	quote := byte(0)
	for i := 0; i < len(command); i++ {
		b := command[i]
		switch {
		case quote == '\'':
			if b == '\'' {
				quote = 0
			}
		case b == '\\':
			i++
		case b == '`':
			return "`"
		case b == '$' && strings.HasPrefix(command[i:], "$("):
			return "$("
		case b == '\'' || b == '"':
			switch quote {
			case 0:
				quote = b
			case b:
				quote = 0
			}
		case quote != 0:
		case strings.HasPrefix(command[i:], "&&"), strings.HasPrefix(command[i:], "||"):
			return command[i : i+2]
		case b == ';' || b == '|' || b == '\n':
			return string(b)
		}
	}
	return ""
}

// destructive tells whether a command line holds a command that destroys what
// cannot be fetched again: recursive removal, forced pushes and resets, dropped
// tables, overwritten devices, deleted infrastructure (rule V15). It errs on
// the side of asking.
func destructive(command string) bool {
	for _, words := range simpleCommands(command) {
		if destroys(words) {
			return true
		}
	}
	return dropsTable(command)
}

// simpleCommands splits a line at its operators and into words, without quotes.
func simpleCommands(line string) [][]string {
	var all [][]string
	var words []string
	var word strings.Builder
	quote, started := byte(0), false
	endWord := func() {
		if started {
			words = append(words, word.String())
			word.Reset()
			started = false
		}
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 {
			all = append(all, words)
			words = nil
		}
	}
	for i := 0; i < len(line); i++ {
		b := line[i]
		switch {
		case quote == 0 && (b == '\'' || b == '"'):
			quote, started = b, true
		case quote != 0 && b == quote:
			quote = 0
		case quote == 0 && b == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			started = true
		case quote == 0 && (b == ' ' || b == '\t'):
			endWord()
		case quote == 0 && strings.IndexByte(";|&\n(){}`", b) >= 0:
			endCommand()
		default:
			word.WriteByte(b)
			started = true
		}
	}
	endCommand()
	return all
}

// wrappers are commands that run the command behind them.
var wrappers = []string{"sudo", "doas", "env", "time", "nice", "nohup", "exec", "command", "xargs", "timeout"}

func destroys(words []string) bool {
	for len(words) > 0 && (slices.Contains(wrappers, words[0]) || strings.Contains(words[0], "=") || strings.HasPrefix(words[0], "-") || isDigits(words[0])) {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	args := words[1:]
	switch name := path.Base(words[0]); name {
	case "rm":
		return hasFlag(args, "rR", "--recursive")
	case "sh", "bash", "zsh":
		at := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") && strings.HasSuffix(a, "c") })
		return at >= 0 && at+1 < len(args) && destructive(args[at+1])
	case "git":
		return gitDestroys(args)
	case "dd", "shred", "wipefs", "fdisk", "parted", "dropdb":
		return true
	case "find":
		return slices.Contains(args, "-delete")
	case "kubectl", "oc":
		return slices.Contains(args, "delete")
	case "helm":
		return slices.Contains(args, "uninstall") || slices.Contains(args, "delete")
	case "terraform", "tofu", "pulumi":
		return slices.Contains(args, "destroy")
	case "docker", "podman":
		return slices.Contains(args, "prune")
	default:
		return name == "mkfs" || strings.HasPrefix(name, "mkfs.")
	}
}

func gitDestroys(args []string) bool {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-C" || args[0] == "-c" {
			args = args[1:]
		}
		args = args[min(1, len(args)):]
	}
	if len(args) == 0 {
		return false
	}
	rest := args[1:]
	switch args[0] {
	case "reset":
		return slices.Contains(rest, "--hard")
	case "push":
		forced := slices.ContainsFunc(rest, func(a string) bool {
			return strings.HasPrefix(a, "--force") || a == "--mirror" || a == "--delete" || strings.HasPrefix(a, "+")
		})
		return forced || hasFlag(rest, "fd", "")
	case "clean":
		return hasFlag(rest, "f", "--force")
	case "branch":
		return hasFlag(rest, "D", "")
	case "filter-branch", "filter-repo":
		return true
	case "stash":
		return slices.Contains(rest, "clear") || slices.Contains(rest, "drop")
	}
	return false
}

// hasFlag finds one of the letters in a bundle of short flags, or a long flag.
func hasFlag(args []string, letters, long string) bool {
	for _, a := range args {
		if a == "--" {
			return false
		}
		if long != "" && a == long || len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.ContainsAny(a[1:], letters) {
			return true
		}
	}
	return false
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.smhd") == "" && s[0] >= '0' && s[0] <= '9'
}

// dropsTable finds SQL that throws away tables, whatever program takes it.
func dropsTable(command string) bool {
	words := strings.FieldsFunc(strings.ToUpper(command), func(r rune) bool { return strings.ContainsRune(" \t\n'\";(", r) })
	for i := 0; i+1 < len(words); i++ {
		switch next := words[i+1]; words[i] {
		case "DROP":
			if slices.Contains([]string{"TABLE", "DATABASE", "SCHEMA", "INDEX", "VIEW", "COLUMN"}, next) {
				return true
			}
		case "TRUNCATE":
			if next == "TABLE" {
				return true
			}
		}
	}
	return false
}
