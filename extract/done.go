package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// doneSlot keeps the finished steps that leave a trace outside of the working
// tree and have evidence: a commit, a push, a deploy, a migration that exited 0.
type doneSlot struct{ list []pith.Quote }

const (
	maxDone      = 40
	maxDoneBytes = 240
)

func (d *doneSlot) call(c *Call) {
	if c.Command == "" || !c.OK() || c.Result.Running != "" {
		return
	}
	for i := range c.Shell {
		s := &c.Shell[i]
		if !finishes(s.Argv) || s.Start >= s.End || s.End > len(c.Command) {
			continue
		}
		if line := doneText(strings.TrimSpace(c.Command[s.Start:s.End])); line != "" {
			d.add(pith.Quote{Text: line, Provenance: pith.Assistant, Source: spanIn(&c.Use, c.At, line)})
		}
	}
}

// doneText is a command's first line. Where a here document follows, it goes
// on to that one's first line: the subject of a commit.
func doneText(command string) string {
	line, rest, _ := strings.Cut(command, "\n")
	end := len(line)
	if strings.Contains(line, "<<") && rest != "" {
		subject, _, _ := strings.Cut(rest, "\n")
		end += 1 + len(subject)
	}
	return strings.TrimSpace(cutTo(command[:end], maxDoneBytes))
}

// add keeps the latest of equal steps.
func (d *doneSlot) add(q pith.Quote) {
	for i := range d.list {
		if d.list[i].Text == q.Text {
			d.list = append(d.list[:i], d.list[i+1:]...)
			break
		}
	}
	d.list = append(d.list, q)
	if len(d.list) > maxDone {
		d.list = append(d.list[:0], d.list[1:]...)
	}
}

func (d *doneSlot) quotes() []pith.Quote { return append([]pith.Quote{}, d.list...) }

// spanIn is the source of a text within a block, or the block as a whole.
func spanIn(b *pith.Block, at pith.Source, text string) pith.Source {
	if i := strings.Index(b.Text, text); i >= 0 {
		at.Start, at.End = i, i+len(text)
	}
	return at
}

// finishing are the commands that finish a step: a program, and the words of
// which one must follow, none for a program that always does.
var finishing = []struct {
	program string
	words   []string
}{
	{"git", []string{"commit", "push", "tag", "merge", "rebase", "revert", "cherry-pick"}},
	{"gh", []string{"create", "merge", "close", "publish", "upload"}},
	{"glab", []string{"create", "merge"}},
	{"npm", []string{"publish", "version"}},
	{"pnpm", []string{"publish"}},
	{"yarn", []string{"publish"}},
	{"cargo", []string{"publish"}},
	{"twine", []string{"upload"}},
	{"goreleaser", []string{"release"}},
	{"docker", []string{"push"}},
	{"podman", []string{"push"}},
	{"kubectl", []string{"apply", "rollout", "delete", "create"}},
	{"helm", []string{"install", "upgrade", "uninstall"}},
	{"terraform", []string{"apply", "destroy"}},
	{"tofu", []string{"apply", "destroy"}},
	{"alembic", []string{"upgrade", "downgrade"}},
	{"goose", []string{"up", "down"}},
	{"flyway", []string{"migrate"}},
	{"migrate", nil},
	{"deploy", nil},
	{"fly", []string{"deploy"}},
	{"flyctl", []string{"deploy"}},
	{"vercel", []string{"deploy", "--prod"}},
	{"netlify", []string{"deploy"}},
	{"gcloud", []string{"deploy"}},
	{"serverless", []string{"deploy"}},
	{"ansible-playbook", nil},
	{"rsync", nil},
	{"scp", nil},
}

// finishes tells whether a command finishes a step. A dry run and a question
// (git tag -l) finish nothing.
func finishes(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	program := baseName(argv[0])
	if isOneOf(program, "bash", "sh", "zsh") && len(argv) > 1 {
		argv = argv[1:]
		program = baseName(argv[0])
	}
	for _, a := range argv[1:] {
		switch a {
		case "--dry-run", "-n", "--list", "-l", "--help", "--abort", "--points-at", "--contains", "--continue", "--version":
			return false
		}
		if program == "git" && (strings.HasPrefix(a, "--sort") || strings.HasPrefix(a, "-n") && len(a) > 2) {
			return false
		}
	}
	stem, _, _ := strings.Cut(program, ".")
	if stem == "deploy" || stem == "release" || stem == "publish" || strings.HasPrefix(stem, "deploy-") || strings.HasPrefix(stem, "deploy_") {
		return true
	}
	for i := range finishing {
		if finishing[i].program == program {
			return finishing[i].words == nil || followed(argv[1:], finishing[i].words)
		}
	}
	switch program {
	case "make", "just", "task", "mise", "npm", "pnpm", "yarn", "rake", "python", "python3", "php", "rails", "./manage.py":
		return runsTarget(argv[1:])
	}
	return false
}

// followed tells whether one of the first words after the program is given.
func followed(args, words []string) bool {
	seen := 0
	for i := 0; i < len(args) && seen < 2; i++ {
		a := args[i]
		if strings.HasPrefix(a, "-") && a != "--prod" {
			if a == "-C" || a == "-c" {
				i++
			}
			continue
		}
		if isOneOf(a, words...) {
			return len(args) > 1 || a != "tag"
		}
		seen++
	}
	return false
}

// runsTarget finds the targets of task runners that deploy, publish or migrate.
func runsTarget(args []string) bool {
	for _, a := range args {
		for _, w := range [...]string{"deploy", "publish", "release", "migrate"} {
			if a == w || strings.HasPrefix(a, w+":") || strings.HasPrefix(a, w+"-") || strings.HasSuffix(a, ":"+w) {
				return true
			}
		}
	}
	return false
}
