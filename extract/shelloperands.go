package extract

import (
	"slices"
	"strings"
)

// packageRunner takes npx, uv run and the like off a command.
func packageRunner(argv []string, expands []bool) ([]string, []bool) {
	n := 0
	switch argv[0] {
	case "npx", "bunx", "pnpx", "uvx":
		n = 1
	case "uv", "poetry", "pipenv", "hatch", "rye", "pdm", "yarn", "pnpm", "npm", "bundle", "mise":
		if len(argv) > 1 && (argv[1] == "run" || argv[1] == "exec" || argv[1] == "x") {
			n = 2
		} else if argv[0] == "yarn" || argv[0] == "pnpm" {
			n = 1
		}
	}
	for n > 0 && n < len(argv) && strings.HasPrefix(argv[n], "-") {
		n++
	}
	if n == 0 || n >= len(argv) {
		return argv, expands
	}
	return argv[n:], expands[n:]
}

// operands are the words of a command that are neither flags nor the values of
// flags. valued lists the single letters whose value is the next word.
func operands(argv []string, expands []bool, valued string) []operand {
	var out []operand
	plain := false
	for i := 1; i < len(argv); i++ {
		w := argv[i]
		switch {
		case w == "":
		case plain:
			out = append(out, operand{w, expands[i]})
		case w == "--":
			plain = true
		case w[0] == '-' && len(w) > 1:
			if len(w) == 2 && strings.IndexByte(valued, w[1]) >= 0 {
				i++
			}
		case w[0] == '/' && len(w) == 2 && isLetter(w[1]):
			// A switch of cmd: del /q file.
		default:
			out = append(out, operand{w, expands[i]})
		}
	}
	return out
}

// plainOperands are the operands of a command that writes. PowerShell names its
// parameters: the value of -Path is an operand, that of -Value is none.
func plainOperands(argv []string, expands []bool) []operand {
	if !strings.Contains(argv[0], "-") {
		return operands(argv, expands, "mogtS")
	}
	var out []operand
	for i := 1; i < len(argv); i++ {
		w := argv[i]
		if !strings.HasPrefix(w, "-") {
			out = append(out, operand{w, expands[i]})
			continue
		}
		switch strings.ToLower(w) {
		case "-path", "-literalpath", "-filepath", "-destination", "-newname", "-recurse", "-force", "-raw", "-append", "-nonewline":
		default:
			i++
		}
	}
	return out
}

// readOperands are the words that name the files whose content a command shows;
// reads is false for a command that shows none.
func readOperands(name string, argv []string, expands []bool) (files []operand, reads bool) {
	valued, skip := "", 0
	switch name {
	case "cat", "less", "more", "bat", "batcat", "nl", "tac", "wc", "zcat", "base64", "strings", "rev", "fold", "gc", "type":
	case "get-content":
		return plainOperands(argv, expands), true
	case "head", "tail":
		valued = "nc"
	case "diff", "cmp", "comm", "paste":
		valued = "UCLI"
	case "sort", "uniq", "cut", "column", "xxd", "od", "hexdump":
		valued = "kotdfcsnlNAj"
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep":
		valued, skip = "efABCmgtTdj", 1
		if listsOnly(argv) {
			return nil, false
		}
		if flagged(argv, "-e", "-f", "--regexp") {
			skip = 0
		}
	case "jq", "yq":
		valued, skip = "fL", 1
		if flagged(argv, "-i", "--in-place", "-f", "--from-file") {
			return nil, false
		}
	case "awk", "gawk":
		valued, skip = "Ffv", 1
		if flagged(argv, "inplace") {
			return nil, false
		}
		if flagged(argv, "-f") {
			skip = 0
		}
	case "sed":
		if editsInPlace(argv) {
			return nil, false
		}
		valued, skip = "efl", 1
		if flagged(argv, "-e", "-f", "--expression") {
			skip = 0
		}
	default:
		return nil, false
	}
	out := operands(argv, expands, valued)
	return out[min(skip, len(out)):], true
}

// listsOnly tells whether a search prints names or counts instead of lines.
func listsOnly(argv []string) bool {
	for _, a := range argv[1:] {
		if strings.HasPrefix(a, "--") {
			switch a {
			case "--files-with-matches", "--files-without-match", "--count", "--quiet", "--files", "--count-matches":
				return true
			}
			continue
		}
		if len(a) > 1 && a[0] == '-' && strings.IndexByte("efABCmgtT", a[len(a)-1]) < 0 && strings.ContainsAny(a[1:], "lLcq") {
			return true
		}
	}
	return false
}

func flagged(argv []string, flags ...string) bool {
	for _, a := range argv[1:] {
		for _, f := range flags {
			if a == f || strings.HasPrefix(f, "--") && strings.HasPrefix(a, f+"=") {
				return true
			}
		}
	}
	return false
}

// editsInPlace tells sed -i from sed.
func editsInPlace(argv []string) bool {
	for _, a := range argv[1:] {
		if a == "--in-place" || strings.HasPrefix(a, "--in-place=") {
			return true
		}
		if len(a) > 1 && a[0] == '-' && a[1] != '-' {
			flags := a[1:]
			if i := strings.IndexByte(flags, 'i'); i >= 0 && !strings.ContainsAny(flags[:i], "efl") {
				return true
			}
		}
	}
	return false
}

// inPlace records the files that sed -i, perl -pi and awk -i inplace rewrote.
func (l *shellLine) inPlace(cmd *simpleCommand, name string, argv []string, expands []bool) {
	valued, skip := "ef", 1
	switch name {
	case "sed":
		if flagged(argv, "-e", "-f", "--expression") {
			skip = 0
		}
	case "perl":
		if !editsInPlace(argv) {
			return
		}
		valued, skip = "eE", 0
		argv = splitPerl(argv)
	default:
		valued = "Ffvi"
	}
	args := operands(argv, expands, valued)
	for _, p := range l.expand(args[min(skip, len(args)):]) {
		if isPathWord(p) {
			l.add(cmd, p, opRewrite)
		}
	}
}

// splitPerl writes -0pie CODE as -e CODE, so that the code is no operand.
func splitPerl(argv []string) []string {
	out := slices.Clone(argv)
	for i, a := range out[1:] {
		if len(a) > 2 && a[0] == '-' && a[1] != '-' && (a[len(a)-1] == 'e' || a[len(a)-1] == 'E') {
			out[i+1] = "-e"
		}
	}
	return out
}

// outputFlag records the file after -o, -O or --output.
func (l *shellLine) outputFlag(cmd *simpleCommand, argv []string, expands []bool) {
	for i, a := range argv {
		if p, ok := strings.CutPrefix(a, "--output="); ok && !expands[i] && isPathWord(p) {
			l.add(cmd, p, opCreate)
		}
		if (a == "-o" || a == "--output" || a == "-O" && cmd.Name() == "wget" || cmd.Name() == "curl" && joinedOutput(a)) && i+1 < len(argv) && !expands[i+1] && isPathWord(argv[i+1]) {
			l.add(cmd, argv[i+1], opCreate)
		}
	}
}

// joinedOutput tells whether several of curl's flags in one end with the one for
// the file: -fsSLo.
func joinedOutput(a string) bool {
	return len(a) > 2 && a[0] == '-' && a[len(a)-1] == 'o' && strings.Trim(a[1:len(a)-1], "fsSLkgijlnpqRv046#") == ""
}

// isFormatter tells whether a command rewrites files in place.
func isFormatter(name string, argv []string) bool {
	second := ""
	if len(argv) > 1 {
		second = argv[1]
	}
	switch name {
	case "gofmt", "goimports", "gofumpt", "golines", "shfmt", "gci":
		return flagged(argv, "-w", "--write", "write")
	case "prettier", "biome", "oxfmt":
		return flagged(argv, "-w", "--write")
	case "eslint", "oxlint", "stylelint", "rubocop", "golangci-lint", "markdownlint", "ktlint":
		return flagged(argv, "--fix", "-a", "-A", "-F", "--autocorrect") || second == "fmt"
	case "black", "isort", "rustfmt", "yapf", "swiftformat", "stylua", "autopep8", "clang-format", "ormolu":
		return !flagged(argv, "--check", "--diff", "-c", "--dry-run") && (name != "clang-format" && name != "yapf" || flagged(argv, "-i", "--in-place"))
	case "ruff":
		return second == "format" && !flagged(argv, "--check", "--diff") || flagged(argv, "--fix")
	case "go", "cargo", "dotnet", "mix", "deno", "terraform", "zig":
		return (second == "fmt" || second == "format" || second == "fix") && !flagged(argv, "--check", "-check")
	case "make", "just", "task", "run":
		return second == "fmt" || second == "format"
	}
	return name == "fmt" || name == "format" || name == "lint:fix"
}
