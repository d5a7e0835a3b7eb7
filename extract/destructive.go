package extract

import (
	"slices"
	"strings"
)

// Destructive tells whether a shell command destroys what cannot be brought
// back, or reaches other people: what a person should be asked about first. It
// knows the common commands; it is no sandbox.
func Destructive(command string) bool { return isDestructive(command) }

// isDestructive tells whether a command destroys what cannot be brought back,
// or reaches other people.
func isDestructive(command string) bool {
	for _, s := range parseShell(command) {
		if destroys(s.Argv) {
			return true
		}
	}
	return destructiveText(command)
}

func destroys(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	args := argv[1:]
	has := func(words ...string) bool {
		for _, a := range args {
			if isOneOf(a, words...) {
				return true
			}
		}
		return false
	}
	switch program := baseName(argv[0]); program {
	case "rm":
		return recursive(args)
	case "dd", "shred", "wipefs", "fdisk", "parted", "reboot", "shutdown", "poweroff", "halt":
		return true
	case "git":
		return destroysHistory(args)
	case "kubectl", "oc":
		return has("delete", "drain", "apply", "scale")
	case "terraform", "tofu", "pulumi":
		return has("destroy", "apply", "up")
	case "docker", "podman":
		return has("prune", "rm", "rmi", "push")
	case "dropdb", "redis-cli":
		return program == "dropdb" || has("FLUSHALL", "FLUSHDB", "flushall", "flushdb")
	case "helm":
		return has("uninstall", "delete", "upgrade")
	case "npm", "pnpm", "yarn", "cargo", "twine":
		return has("publish", "upload", "unpublish", "yank")
	case "find":
		return has("-delete") || has("-exec") && has("rm")
	case "ssh":
		return destructiveText(strings.Join(args, " "))
	default:
		return strings.HasPrefix(program, "mkfs") || finishes(argv)
	}
}

// recursive: rm with -r in any form.
func recursive(args []string) bool {
	for _, a := range args {
		if a == "--recursive" || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.ContainsAny(a, "rR") {
			return true
		}
	}
	return false
}

func destroysHistory(args []string) bool {
	has := func(word string) bool { return slices.Contains(args, word) }
	switch {
	case has("push"):
		for _, a := range args {
			forced := strings.HasPrefix(a, "--force") || strings.HasPrefix(a, "+")
			deletes := strings.HasPrefix(a, ":") // push origin :branch
			if forced || deletes || isOneOf(a, "-f", "-d", "--delete", "--mirror") {
				return true
			}
		}
		return false
	case has("reset"):
		return has("--hard")
	case has("clean"):
		for _, a := range args {
			if strings.HasPrefix(a, "-") && strings.Contains(a, "f") {
				return true
			}
		}
		return false
	case has("branch"):
		return has("-D") || has("-d") || has("--delete")
	case has("checkout"), has("restore"):
		return has(".") || has("--")
	case has("stash"):
		return has("drop") || has("clear")
	}
	return has("filter-branch") || has("filter-repo") || has("gc") && has("--prune=now")
}

// destructiveText finds the same in text that is no shell line, and in SQL.
func destructiveText(text string) bool {
	lower := strings.ToLower(text)
	for _, p := range [...]string{"rm -rf", "rm -fr", "rm -r ", "reset --hard", "push --force", "push -f", "clean -fd", "drop table", "drop database", "drop schema", "drop the table", "truncate table", "delete from ", "mkfs", "kubectl delete", "terraform destroy", "flushall", "force-push", "force push", "> /dev/sd"} {
		if strings.Contains(lower, p) {
			return true
		}
	}
	return false
}
