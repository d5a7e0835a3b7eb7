package measure

import (
	"slices"
	"strings"
)

// wordsEffect says what one simple command does, by its name and its flags.
func wordsEffect(words []string) effect {
	if len(words) == 0 || saysOwnWords(words[0]) {
		return reads
	}
	head, rest := words[0], words[1:]
	if i := strings.LastIndexByte(head, '/'); i >= 0 && strings.HasPrefix(head, "/") {
		head = head[i+1:]
	}
	switch head {
	case "cat", "head", "tail", "nl", "wc", "grep", "rg", "egrep", "fgrep", "ag", "ls", "fd", "tree", "stat", "file", "du", "which", "type", "diff",
		"cmp", "cut", "uniq", "awk", "tr", "column", "jq", "basename", "dirname", "realpath", "readlink", "strings", "xxd", "hexdump", "od", "less",
		"more", "bat", "zcat", "md5sum", "shasum", "sha256sum", "comm", "paste", "fold", "rev", "tac", "expand", "in":
		return reads
	case "sed", "perl", "yq":
		return inPlace(head, rest)
	case "sort":
		return unless(slices.Contains(rest, "-o"), reads)
	case "find":
		return unless(hasAny(rest, "-delete", "-exec", "-execdir", "-ok", "-fprint"), reads)
	case "git":
		return gitEffect(rest)
	case "go":
		return goEffect(rest)
	case "gofmt", "goimports", "prettier", "black", "ruff", "eslint", "golangci-lint", "biome":
		if hasAny(rest, "-w", "--write", "--fix", "fmt", "format") {
			return writes
		}
		return neither
	case "pytest", "tsc", "vitest", "jest", "staticcheck", "shellcheck", "ctest", "rspec", "gh", "curl", "sleep", "date", "ps", "kill", "wait", "lsof",
		"pgrep", "df", "env", "printenv", "uname", "whoami", "hostname", "id", "nproc", "top", "jobs", "ping", "dig", "man", "open", "history":
		return neither
	case "npm", "pnpm", "yarn", "bun", "npx", "cargo", "make", "mise", "task", "just", "gradle", "./gradlew", "mvn", "python", "python3", "bash", "sh":
		return runnerEffect(head, rest)
	case "tee", "rm", "touch", "mkdir", "chmod", "rmdir", "mv", "cp", "ln", "patch":
		return writes
	}
	return moves
}

// unless gives e, or what a command of unknown effect has.
func unless(changes bool, e effect) effect {
	if changes {
		return moves
	}
	return e
}

func hasAny(words []string, of ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(of, w) })
}

// inPlace knows the editors of streams, which write their input with -i alone.
func inPlace(head string, rest []string) effect {
	for _, w := range rest {
		if strings.HasPrefix(w, "-i") || w == "--in-place" || strings.HasPrefix(w, "-pi") {
			return writes
		}
	}
	return unless(head == "perl", reads)
}

func gitEffect(rest []string) effect {
	for len(rest) > 1 && (rest[0] == "-C" || rest[0] == "-c") {
		rest = rest[2:]
	}
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return reads
	}
	sub, rest := rest[0], rest[1:]
	named := slices.ContainsFunc(rest, func(w string) bool { return !strings.HasPrefix(w, "-") })
	switch sub {
	case "log", "diff", "show", "status", "blame", "rev-parse", "rev-list", "ls-files", "ls-tree", "cat-file", "grep", "shortlog", "describe",
		"merge-base", "for-each-ref", "diff-tree", "name-rev", "show-ref", "reflog", "check-ignore", "version", "count-objects", "whatchanged":
		return reads
	case "branch", "tag", "remote":
		if !named || hasAny(rest, "--list", "-l", "--contains", "--merged", "get-url", "show", "-v", "-vv") {
			return reads
		}
		return moves
	case "stash", "worktree":
		if hasAny(rest, "list", "show") {
			return reads
		}
		return anything
	case "config":
		return unless(!hasAny(rest, "--get", "--list", "-l") && len(rest) != 1, reads)
	case "mv", "rm":
		return writes
	case "add", "commit", "push", "fetch", "ls-remote", "notes", "update-index":
		return moves
	}
	return anything
}

func goEffect(rest []string) effect {
	if len(rest) == 0 {
		return neither
	}
	switch rest[0] {
	case "doc", "list", "env", "version":
		return reads
	case "test", "build", "vet", "install", "clean", "tool":
		return neither
	case "generate", "fmt", "fix", "mod":
		return anything
	}
	return moves
}

// runnerEffect knows the runners of tests, builds and linters by the word that
// says what they run. Formatters and generators write where they like.
func runnerEffect(head string, rest []string) effect {
	if hasAny(rest, "--fix", "--write", "-w", "fmt", "format", "generate", "update") {
		return anything
	}
	if head == "bash" || head == "sh" {
		return unless(!slices.Contains(rest, "-n"), neither)
	}
	for _, w := range rest {
		if w == "pytest" || w == "unittest" {
			return neither
		}
		for _, known := range [...]string{"test", "lint", "check", "build", "vet", "tsc", "typecheck", "clippy", "jest", "vitest", "eslint"} {
			if w == known || strings.HasPrefix(w, known+":") || strings.HasPrefix(w, known+"-") {
				return unless(strings.HasPrefix(head, "python"), neither)
			}
		}
	}
	return moves
}

// writtenBy are the files that a writing command names: its operands.
func writtenBy(words []string) []string {
	if len(words) == 0 || wordsEffect(words) != writes {
		return nil
	}
	var out []string
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") {
			out = append(out, w)
		}
	}
	return out
}
