package extract

import "strings"

// unwrapCommand takes off the programs that only start another one and that
// the parser of shell lines leaves: package runners, containers, interpreters
// that run a module.
func unwrapCommand(argv []string) []string {
	for range 8 {
		next := unwrapOnce(argv)
		if len(next) == len(argv) || len(next) == 0 {
			return next
		}
		argv = next
	}
	return argv
}

func unwrapOnce(argv []string) []string {
	if len(argv) < 2 {
		return argv
	}
	name, rest := programName(argv[0]), argv[1:]
	switch name {
	case "script", "bunx", "pnpx", "c8", "nyc", "cross-env", "dotenv", "doppler", "xvfb-run", "timeout", "env", "time":
		rest = skipFlags(rest, "-u", "-s", "-k", "-o", "-e")
		if name == "timeout" || name == "doppler" {
			rest = dropFirst(rest)
		}
		for len(rest) > 0 && isAssignment(rest[0]) {
			rest = rest[1:]
		}
		return skipFlags(rest)
	case "npx":
		return skipFlags(rest, "-p", "--package", "-w")
	case "bundle", "pnpm", "yarn", "npm", "bun", "poetry", "pipenv", "pdm", "hatch", "rye", "uv", "conda", "mamba",
		"mise", "nix", "direnv", "docker", "podman", "docker-compose", "composer", "pixi", "uvx", "pipx", "rtk":
		return unwrapRunner(name, argv)
	case "go":
		return unwrapGo(argv)
	}
	if name == "python" || name == "python3" || strings.HasPrefix(name, "python3.") || name == "py" || name == "coverage" {
		return unwrapModule(argv)
	}
	return argv
}

// unwrapRunner takes off "poetry run", "docker compose exec app" and the like.
func unwrapRunner(name string, argv []string) []string {
	rest := skipFlags(argv[1:], "--directory", "--project", "-C", "--filter", "-F", "--prefix")
	if len(rest) < 2 {
		return argv
	}
	switch name {
	case "uvx", "rtk":
		return rest
	case "bundle", "pnpm", "yarn", "npm", "composer":
		if rest[0] == "exec" || rest[0] == "dlx" {
			return skipFlags(rest[1:])
		}
		// yarn runs the binaries of packages by their plain names.
		if name == "yarn" || name == "pnpm" {
			if _, ok := plainVerifier(rest[0], rest[1:]); ok {
				return rest
			}
		}
	case "bun":
		if rest[0] == "x" {
			return skipFlags(rest[1:])
		}
	case "poetry", "pipenv", "pdm", "hatch", "rye", "uv", "conda", "mamba", "pixi", "pipx":
		if rest[0] == "run" {
			return skipFlags(rest[1:], "-n", "--name", "-p", "--python", "--with", "--extra", "--group", "--package", "-e", "--env-file")
		}
	case "mise", "nix", "direnv":
		for i, w := range rest {
			if w == "--" || w == "-c" || w == "--command" {
				return rest[i+1:]
			}
		}
		if name == "direnv" && rest[0] == "exec" {
			return rest[2:]
		}
	case "docker", "podman", "docker-compose":
		if rest[0] == "compose" {
			rest = skipFlags(rest[1:], "-f", "--file", "-p", "--profile")
		}
		if len(rest) > 2 && (rest[0] == "exec" || rest[0] == "run") {
			return dropFirst(skipFlags(rest[1:], "-e", "-w", "-u", "-v", "--env", "--workdir", "--user", "--volume", "--name", "--network", "--entrypoint", "-p", "--platform"))
		}
	}
	return argv
}

// unwrapGo takes off "go tool" and "go run module/path@version".
func unwrapGo(argv []string) []string {
	if len(argv) < 3 || argv[1] != "run" && argv[1] != "tool" {
		return argv
	}
	rest := skipFlags(argv[2:], "-modfile", "-tags")
	if len(rest) == 0 {
		return argv
	}
	name, _, versioned := strings.Cut(rest[0], "@")
	if argv[1] == "run" && !versioned && !strings.Contains(strings.SplitN(name, "/", 2)[0], ".") {
		return argv
	}
	name = programName(name)
	return append([]string{name}, rest[1:]...)
}

// unwrapModule takes off "python -m" and "coverage run -m".
func unwrapModule(argv []string) []string {
	for i := 1; i < len(argv) && i < 6; i++ {
		if argv[i] == "-m" && i+1 < len(argv) {
			return argv[i+1:]
		}
		if argv[i] == "-c" {
			break
		}
	}
	return argv
}

// scriptVerifier knows scripts by their names: ./run-tests.sh, .ci/run,
// bash scripts/check.sh, python tests/test_io.py.
func scriptVerifier(argv []string) (verifier, bool) {
	path, args := argv[0], argv[1:]
	name := programName(path)
	interpreted := false
	switch name {
	case "bash", "sh", "zsh", "fish", "python", "python3", "ruby", "perl", "php", "node", "tsx", "ts-node", "pwsh", "bun", "deno":
		rest := skipFlags(args, "-I", "-W", "--loader", "-r", "--import")
		if len(rest) == 0 || len(args) > 0 && (args[0] == "-c" || args[0] == "-e" || args[0] == "-lc") {
			return verifier{}, false
		}
		path, args, interpreted = rest[0], rest[1:], true
		name = programName(path)
	}
	if !interpreted && !strings.ContainsAny(path, `/\`) {
		return verifier{}, false
	}
	stem := name
	if i := strings.LastIndexByte(stem, '.'); i > 0 {
		switch stem[i+1:] {
		case "sh", "bash", "py", "js", "mjs", "ts", "rb", "pl", "php", "ps1", "cmd", "bat", "test", "zsh":
			stem = strings.ReplaceAll(stem, ".", "-")
		default:
			return verifier{}, false
		}
	}
	kind := targetKind(stem)
	if kind == 0 && (strings.Contains(path, ".ci/") || strings.HasPrefix(path, "ci/") || strings.Contains(path, "/ci/")) {
		kind = verifiesTests
	}
	if kind == 0 {
		return verifier{}, false
	}
	return verifier{Name: path, Kind: kind, Args: args}, true
}

// programName is a program's name without directory, extension, version ("npx
// eslint@9") and case.
func programName(path string) string {
	if i := strings.LastIndexAny(path, `/\`); i >= 0 {
		path = path[i+1:]
	}
	for _, ext := range [...]string{".exe", ".cmd", ".bat"} {
		if len(path) > len(ext) && strings.EqualFold(path[len(path)-len(ext):], ext) {
			path = path[:len(path)-len(ext)]
		}
	}
	if at := strings.IndexByte(path, '@'); at > 0 {
		path = path[:at]
	}
	return strings.ToLower(path)
}

// skipFlags drops leading flags, with the values of those that take one.
func skipFlags(args []string, valued ...string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		takes := false
		for _, v := range valued {
			takes = takes || args[0] == v
		}
		done := args[0] == "--"
		args = args[1:]
		if done {
			break
		}
		if takes && len(args) > 0 {
			args = args[1:]
		}
	}
	return args
}

// commandWords are the arguments that are neither flags nor values of flags
// nor assignments; rest are all arguments after the first such word.
func commandWords(args []string, valued ...string) (words, rest []string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			break
		}
		if strings.HasPrefix(a, "-") {
			for _, v := range valued {
				if a == v {
					i++
					break
				}
			}
			continue
		}
		if strings.Contains(a, "=") && !strings.ContainsAny(a, "/:") {
			continue
		}
		words = append(words, a)
		if rest == nil {
			rest = args[i+1:]
		}
	}
	return words, rest
}

func dropFirst(a []string) []string {
	if len(a) == 0 {
		return a
	}
	return a[1:]
}

func firstWord(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// afterWord is args without the first occurrence of word; what stood before it
// stays, since flags may come first.
func afterWord(args []string, word string) []string {
	for i, a := range args {
		if a == word {
			if i == 0 {
				return args[1:]
			}
			return append(append([]string{}, args[:i]...), args[i+1:]...)
		}
	}
	return args
}

// hasFlag finds a flag by itself, with a value, or among joined short flags.
func hasFlag(args []string, flag string) bool {
	for _, a := range args {
		if a == flag || strings.HasPrefix(a, flag+"=") {
			return true
		}
		if len(flag) == 2 && len(a) > 2 && len(a) < 5 && a[0] == '-' && a[1] != '-' && strings.IndexByte(a[1:], flag[1]) >= 0 {
			return true
		}
	}
	return false
}

func flagValue(args []string, names ...string) string {
	for i, a := range args {
		for _, n := range names {
			if a == n && i+1 < len(args) {
				return args[i+1]
			}
			if v, ok := strings.CutPrefix(a, n+"="); ok {
				return v
			}
		}
	}
	return ""
}

func asksForHelp(args []string) bool {
	for _, a := range args {
		switch a {
		case "--version", "-version", "--help", "-help", "-list", "--listTests", "--collect-only", "--dry-run":
			return true
		case "--":
			return false
		}
	}
	return len(args) == 1 && (args[0] == "-h" || args[0] == "help" || args[0] == "version" || args[0] == "-V")
}
