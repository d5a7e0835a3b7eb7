package extract

import (
	"slices"
	"strings"
)

// verifyKind says what a verification command proves.
type verifyKind uint8

const (
	verifiesTests verifyKind = iota + 1
	verifiesBuild
	verifiesStyle
)

// verifier is a command whose outcome says whether the work is right.
type verifier struct {
	// Name is the verifying part: "go test", "npm run lint".
	Name string
	Kind verifyKind
	// Args are the words after the name.
	Args []string
	// Silent is set where the command prints nothing when all is well.
	Silent bool
}

// verifierOf tells whether the words of one simple command verify something.
// Only the command itself counts: a commit message or an echo that mentions
// "go test" is not a run of it.
func verifierOf(argv []string) (verifier, bool) {
	argv = unwrapCommand(argv)
	if len(argv) == 0 || asksForHelp(argv[1:]) {
		return verifier{}, false
	}
	name := programName(argv[0])
	args := argv[1:]
	if v, ok := plainVerifier(name, args); ok {
		return v, true
	}
	if rule, ok := toolRules(name); ok {
		if v, ok := rule(name, args); ok {
			return v, true
		}
	}
	return scriptVerifier(argv)
}

// plainVerifier knows the programs that do nothing else than verify.
func plainVerifier(name string, args []string) (verifier, bool) {
	v := verifier{Name: name, Args: args}
	switch name {
	case "gotestsum", "pytest", "py.test", "unittest", "tox", "nox", "jest", "vitest", "mocha", "ava",
		"rspec", "minitest", "ctest", "phpunit", "pest", "prove", "bats", "busted", "nextest", "behave", "ginkgo",
		"cucumber", "karma", "jasmine", "ward", "pytest-3", "bun-test", "testem", "gotest", "trial", "stestr", "lit":
		v.Kind = verifiesTests
	case "tsc", "vue-tsc", "ngc", "javac", "gcc", "g++", "clang", "clang++", "rustc", "swiftc", "kotlinc", "xcodebuild":
		v.Kind, v.Silent = verifiesBuild, true
	case "golangci-lint", "staticcheck", "revive", "errcheck", "govulncheck", "gosec", "flake8", "pylint", "mypy",
		"pyright", "basedpyright", "bandit", "eslint", "oxlint", "stylelint", "svelte-check", "standard", "xo",
		"rubocop", "standardrb", "phpstan", "psalm", "phpcs", "shellcheck", "hadolint", "yamllint", "actionlint",
		"markdownlint", "markdownlint-cli2", "tflint", "ktlint", "detekt", "swiftlint", "ansible-lint", "credo",
		"clang-tidy", "cppcheck", "cspell", "pre-commit", "deadcode", "ineffassign", "nilaway", "semgrep", "vale":
		v.Kind = verifiesStyle
		v.Silent = name == "staticcheck" || name == "shellcheck" || name == "flake8" || name == "eslint" || name == "hadolint"
	default:
		return verifier{}, false
	}
	return subcommandOnly(v)
}

// subcommandOnly refuses what some of these programs do besides verifying.
func subcommandOnly(v verifier) (verifier, bool) {
	first := firstWord(v.Args)
	switch v.Name {
	case "golangci-lint":
		if first != "run" && first != "" && first != "fmt" {
			return verifier{}, false
		}
		v.Name, v.Args = "golangci-lint run", afterWord(v.Args, "run")
	case "pre-commit":
		if first != "run" {
			return verifier{}, false
		}
		v.Name, v.Args = "pre-commit run", afterWord(v.Args, "run")
	case "gcc", "g++", "clang", "clang++", "javac", "rustc", "swiftc", "kotlinc":
		if len(v.Args) == 0 {
			return verifier{}, false
		}
	}
	return v, true
}

// toolRules gives the rule for a program that verifies with some subcommands only.
func toolRules(name string) (func(string, []string) (verifier, bool), bool) {
	switch name {
	case "go":
		return goVerifier, true
	case "gofmt", "goimports", "gofumpt", "black", "isort", "prettier", "shfmt", "rustfmt", "yapf", "ruff",
		"terraform", "tofu", "biome", "dprint", "buf", "helm", "mix", "deno", "ty", "zig", "elixir":
		return checkingFormatter, true
	case "npm", "pnpm", "yarn", "bun", "turbo", "nx", "lerna":
		return scriptRunner, true
	case "cargo", "cross", "dotnet", "swift", "bazel", "bazelisk", "buck2", "stack", "cabal", "dune", "lein",
		"flutter", "dart", "gleam", "meson", "sbt", "mvn", "mvnw", "gradle", "gradlew", "cmake", "next", "vite",
		"playwright", "cypress", "rails", "node", "composer", "uv", "poetry", "hatch", "pixi", "ng", "crystal", "moon",
		"trunk", "webpack", "rollup", "esbuild", "tsup", "wrangler":
		return buildTool, true
	case "make", "gmake", "just", "mise", "task", "rake", "ninja", "invoke", "inv", "rush", "doit", "scons", "earthly", "dagger":
		return taskRunner, true
	}
	return nil, false
}

func goVerifier(_ string, args []string) (verifier, bool) {
	for len(args) >= 2 && args[0] == "-C" {
		args = args[2:]
	}
	if len(args) == 0 {
		return verifier{}, false
	}
	v := verifier{Name: "go " + args[0], Args: args[1:]}
	switch args[0] {
	case "test":
		v.Kind = verifiesTests
	case "build":
		v.Kind, v.Silent = verifiesBuild, true
	case "vet":
		v.Kind, v.Silent = verifiesStyle, true
	default:
		return verifier{}, false
	}
	return v, true
}

// checkingFormatter knows programs that verify only when they are told to
// check, not to write.
func checkingFormatter(name string, args []string) (verifier, bool) {
	v := verifier{Name: name, Args: args, Kind: verifiesStyle}
	first := firstWord(args)
	switch name {
	case "gofmt", "goimports", "gofumpt", "shfmt":
		v.Silent = true
		return v, (hasFlag(args, "-l") || hasFlag(args, "-d")) && !hasFlag(args, "-w")
	case "black", "isort", "prettier", "rustfmt", "dprint", "yapf":
		return v, hasFlag(args, "--check") || hasFlag(args, "-c") || hasFlag(args, "--check-only") ||
			hasFlag(args, "--diff") || hasFlag(args, "-l") || first == "check"
	case "ruff":
		return v, first == "check" || first == "format" && hasFlag(args, "--check") || first == "." || first == ""
	case "elixir":
		v.Kind = verifiesTests
		return v, strings.Contains(first, "test")
	}
	v.Name = name + " " + first
	v.Args = afterWord(args, first)
	switch first {
	case "test", "build", "compile", "plan":
		v.Kind = verifiesTests
		if first != "test" {
			v.Kind = verifiesBuild
		}
		if name == "zig" && first == "build" {
			if slices.Contains(v.Args, "test") {
				v.Kind = verifiesTests
			}
		}
		return v, true
	case "check", "validate", "lint", "ci", "credo", "dialyzer", "breaking":
		return v, true
	case "fmt", "format":
		return v, hasFlag(args, "--check") || hasFlag(args, "-check") || hasFlag(args, "--check-formatted")
	}
	return verifier{}, false
}

// scriptRunner knows the package managers that run scripts by name.
func scriptRunner(name string, args []string) (verifier, bool) {
	words, rest := commandWords(args, "-w", "-F", "-C", "--filter", "--prefix", "--workspace", "--cwd", "--dir", "-t", "--target")
	if len(words) == 0 {
		return verifier{}, false
	}
	if words[0] == "workspace" && len(words) > 2 {
		words = words[2:]
	}
	script, shown := words[0], words[0]
	if script == "run" || script == "run-script" || script == "run-many" {
		if len(words) < 2 {
			script = flagValue(args, "-t", "--target")
			shown += " " + script
		} else {
			script, shown = words[1], words[0]+" "+words[1]
		}
	} else if script == "t" || script == "tst" {
		script = "test"
	}
	kind := targetKind(script)
	if kind == 0 || script == "ci" || script == "install-test" {
		return verifier{}, false
	}
	return verifier{Name: name + " " + shown, Kind: kind, Args: rest}, true
}

// buildTool knows build tools whose subcommands or goals name what they do.
func buildTool(name string, args []string) (verifier, bool) {
	switch name {
	case "node":
		return verifier{Name: "node --test", Kind: verifiesTests, Args: args}, hasFlag(args, "--test")
	case "cmake":
		return verifier{Name: "cmake --build", Kind: verifiesBuild, Args: args}, hasFlag(args, "--build")
	}
	words, _ := commandWords(args, "-p", "-f", "--file", "-C", "--package", "--manifest-path", "-pl", "-s", "--project-dir", "--features", "-F")
	var best verifier
	for _, w := range words {
		if strings.HasPrefix(w, "+") {
			continue
		}
		kind := goalKind(name, w)
		if kind != 0 && (best.Kind == 0 || kind == verifiesTests) {
			best = verifier{Name: name + " " + w, Kind: kind, Args: afterWord(args, w)}
		}
		if name != "mvn" && name != "mvnw" && name != "gradle" && name != "gradlew" && name != "sbt" {
			break
		}
	}
	best.Silent = false
	if best.Name == "cargo fmt" && !hasFlag(args, "--check") {
		return verifier{}, false
	}
	return best, best.Kind != 0
}

// goalKind classifies a goal; a project's own names are read like targets.
func goalKind(name, goal string) verifyKind {
	switch goal {
	case "t", "nextest", "runtest", "testOnly", "testQuick":
		return verifiesTests
	case "b", "c", "package", "compile", "assemble", "install", "publish":
		if (goal == "install" || goal == "publish") && name != "mvn" && name != "mvnw" {
			return 0
		}
		return verifiesBuild
	case "clippy", "analyze", "fmt":
		return verifiesStyle
	case "verify":
		return verifiesTests
	}
	if i := strings.LastIndexByte(goal, ':'); i >= 0 {
		goal = goal[i+1:]
	}
	return targetKind(goal)
}

// taskRunner knows programs whose targets are named by the project.
func taskRunner(name string, args []string) (verifier, bool) {
	words, _ := commandWords(args, "-C", "-f", "-j", "-o", "-l", "-d", "-t", "--directory", "--file", "--taskfile", "--justfile", "--jobs")
	if name == "mise" || name == "rush" || name == "moon" {
		if len(words) > 0 && (words[0] == "run" || words[0] == "r") {
			words = words[1:]
		}
	}
	if len(words) == 0 {
		if name == "make" || name == "gmake" || name == "ninja" || name == "rake" {
			return verifier{Name: name, Kind: verifiesBuild, Args: args}, !hasFlag(args, "-n")
		}
		return verifier{}, false
	}
	for _, w := range words {
		if kind := targetKind(w); kind != 0 {
			shown := name + " " + w
			if name == "mise" {
				shown = "mise run " + w
			}
			return verifier{Name: shown, Kind: kind, Args: afterWord(args, w)}, !hasFlag(args, "-n")
		}
		if name == "mise" {
			break
		}
	}
	return verifier{}, false
}

// targetKind reads the words of a target's or script's name: "test:unit",
// "type-check", "lint_all". 0 is a target that verifies nothing.
func targetKind(target string) verifyKind {
	var kind verifyKind
	for len(target) > 0 {
		end := strings.IndexAny(target, ":-_./ ")
		word := target
		if end >= 0 {
			word, target = target[:end], target[end+1:]
		} else {
			target = ""
		}
		switch strings.ToLower(word) {
		case "test", "tests", "testall", "spec", "specs", "unit", "integration", "e2e", "smoke", "jest", "vitest", "pytest",
			"check", "checks", "ci", "verify", "validate", "coverage", "cover", "race", "acceptance", "regression", "unittest", "unittests":
			return verifiesTests
		case "build", "compile", "tsc", "typecheck", "types", "typescript", "bundle":
			kind = verifiesBuild
		case "lint", "linter", "linting", "vet", "fmt", "format", "eslint", "mypy", "clippy", "golangci", "staticcheck", "prettier", "audit":
			if kind == 0 {
				kind = verifiesStyle
			}
		}
		if kind == 0 && (strings.HasSuffix(word, "Test") || strings.HasSuffix(word, "Tests")) {
			return verifiesTests
		}
	}
	return kind
}
