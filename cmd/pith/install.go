package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith/install"
)

// installFlags are what install and uninstall take.
type installFlags struct {
	install.Options
	scope               string
	dryRun, yes, asJSON bool
}

// installed is what `pith install --json` and `pith uninstall --json` print.
type installed struct {
	*install.Plan
	Files   []install.FileChange `json:"files"`
	Applied bool                 `json:"applied"`
}

func installCommand(c *console) *cobra.Command {
	var f installFlags
	cmd := &cobra.Command{
		Use:   "install [AGENT]",
		Short: "Set pith up in a coding agent",
		Long: `Set pith up in a coding agent: claude-code, codex, opencode or pi, or in any client
of MCP with "mcp". Without an agent it lists which agents there are and where pith
is installed.

It shows every change as a diff and asks before it makes it; --dry-run only shows
(also the files in pith's own folder), --yes does not ask, and --json asks nothing
and does nothing without --yes. Settings keep every byte of theirs: comments, order,
blanks. All files are changed or none. A second time there is nothing to change. What
was done is written down, and "pith uninstall" takes it back.

For Claude Code, --scope project changes the local settings of the project in the
current folder (.claude/settings.local.json), which are not for the repository.
Codex looks in its user's settings for the agreement to a project's hooks, so that
is where --trust puts it. "mcp" prints the entry for a client's settings, or puts it into --file.

Exit codes: 0 done, or nothing to change, or "no" was answered; 2 usage; 3 a settings
file cannot be read or changed (nothing was changed anywhere).`,
		Example: "  pith install                        # which agents are there\n  pith install claude-code --statusline\n  pith install codex --dry-run\n  pith install mcp --file ~/.cursor/mcp.json --yes",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.listAgents(f.asJSON)
			}
			config, err := c.installConfig(&f)
			if err != nil {
				return err
			}
			if args[0] == string(install.MCP) && f.File == "" {
				_, err := fmt.Fprint(c.out, config.Snippet())
				return err
			}
			return c.carryOut(func() (*install.Plan, error) { return config.Install(install.Agent(args[0]), f.Options) }, &f, "install")
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&f.StatusLine, "statusline", false, "Claude Code: also show pith in the status line, where there is none yet")
	cmd.Flags().BoolVar(&f.NoMCP, "no-mcp", false, "leave the MCP server out")
	cmd.Flags().BoolVar(&f.Trust, "trust", false, "Codex: also write down that the hooks of pith may run, which it asks otherwise")
	return cmd
}

func uninstallCommand(c *console) *cobra.Command {
	var f installFlags
	cmd := &cobra.Command{
		Use:   "uninstall AGENT",
		Short: "Take pith out of a coding agent",
		Long: `Take back what "pith install" did. A file that nobody changed since becomes what it
was, byte for byte; from one that was changed only the entries of pith go, and those
that you changed stay, with a note. What pith stored of sessions stays.

Exit codes: 0 done, or "no" was answered; 2 usage; 3 a settings file cannot be read or
changed (nothing was changed anywhere); 4 nothing is installed there.`,
		Example: "  pith uninstall claude-code\n  pith uninstall codex --dry-run",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			config, err := c.installConfig(&f)
			if err != nil {
				return err
			}
			if args[0] == string(install.MCP) && f.File == "" {
				return usage("--file names the client's settings", "no settings file is named")
			}
			return c.carryOut(func() (*install.Plan, error) { return config.Uninstall(install.Agent(args[0]), f.Options) }, &f, "uninstall")
		},
	}
	f.register(cmd)
	return cmd
}

func (f *installFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.scope, "scope", string(install.User), "for whom: user (all your work) or project (the current folder)")
	flags.BoolVarP(&f.dryRun, "dry-run", "n", false, "only show what would change")
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	flags.StringVar(&f.File, "file", "", "mcp: the settings file of the client")
}

// carryOut makes a plan and does it; where somebody else changed a file in
// between, once more from the beginning.
func (c *console) carryOut(work func() (*install.Plan, error), f *installFlags, what string) error {
	again := false
	for {
		plan, err := work()
		if err != nil {
			return err
		}
		if err = c.carryOutPlan(plan, f, what); again || !errors.Is(err, install.ErrChanged) {
			return err
		}
		again = true
		fmt.Fprintf(c.err, "pith: note: %v; once more\n", err)
	}
}

// carryOutPlan shows a plan, asks, and does it.
func (c *console) carryOutPlan(plan *install.Plan, f *installFlags, what string) error {
	if f.asJSON {
		apply := f.yes && !f.dryRun
		if apply {
			if err := plan.Apply(); err != nil {
				return err
			}
		}
		return printJSON(c.out, installed{plan, plan.Files(), apply})
	}
	for _, note := range plan.Notes {
		fmt.Fprintf(c.err, "pith: note: %s\n", note)
	}
	if plan.Empty() {
		if !f.dryRun {
			if err := plan.Apply(); err != nil { // the receipt may be new
				return err
			}
		}
		_, err := fmt.Fprintln(c.out, "nothing to change")
		return err
	}
	if err := plan.Diff(c.out, c.paintDiff, !f.dryRun); err != nil {
		return writeError("", err)
	}
	if f.dryRun {
		return nil
	}
	if !f.yes {
		if !c.asks() {
			return usage("--yes applies it without a question, --dry-run only shows it", "nobody can be asked whether this is to be applied")
		}
		if !c.ask("apply?") {
			fmt.Fprintln(c.err, "pith: nothing was changed")
			return nil
		}
	}
	if err := plan.Apply(); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%sed: %s\n", what, counted(len(plan.Files()), "file"))
	for _, next := range plan.Next {
		fmt.Fprintf(c.out, "next: %s\n", next)
	}
	return nil
}

func (c *console) paintDiff(kind byte, line string) string {
	switch kind {
	case '+':
		return c.paint(green, line)
	case '-':
		return c.paint(red, line)
	case '@', 'f':
		return c.paint(dim, line)
	}
	return line
}

func (c *console) listAgents(asJSON bool) error {
	config := c.agentFolders()
	list := config.Survey()
	if asJSON {
		return printJSON(c.out, list)
	}
	for _, s := range list {
		found := "not found"
		switch {
		case s.Program != "":
			found = "found: " + s.Program
		case s.Settled:
			found = "settings found: " + s.Folder
		}
		fmt.Fprintf(c.out, "%-12s %s\n", s.Agent, found)
		for _, x := range s.Installed {
			fmt.Fprintf(c.out, "%-12s pith %s is installed (%s): %s\n", "", x.Version, x.Scope, x.Folder)
		}
		if len(s.Installed) == 0 && (s.Program != "" || s.Settled) {
			fmt.Fprintf(c.out, "%-12s %s\n", "", c.paint(dim, "pith install "+string(s.Agent)))
		}
	}
	return nil
}

// installConfig is where things are, for a scope that was named.
func (c *console) installConfig(f *installFlags) (*install.Config, error) {
	if home, err := os.UserHomeDir(); err != nil || !filepath.IsAbs(home) {
		return nil, usage("set it to the absolute path of your home folder", "the home folder is not known: HOME is %q", home)
	}
	config := c.agentFolders()
	switch f.Scope = install.Scope(f.scope); f.Scope {
	case install.User:
	case install.Project:
		config.Project = projectFolder("")
	default:
		return nil, usage("--scope user or --scope project", "unknown scope %q", f.scope)
	}
	if f.File != "" {
		path, err := filepath.Abs(f.File)
		if err != nil {
			return nil, err
		}
		f.File = path
	}
	var err error
	config.Pith, err = ownPath()
	return config, err
}

func (c *console) agentFolders() *install.Config {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "."
	}
	config := &install.Config{
		Version:  programVersion(),
		Data:     filepath.Join(dataFolder(), "pith"),
		Claude:   envFolder("CLAUDE_CONFIG_DIR", filepath.Join(home, ".claude")),
		Codex:    envFolder("CODEX_HOME", filepath.Join(home, ".codex")),
		OpenCode: filepath.Join(envFolder("XDG_CONFIG_HOME", filepath.Join(home, ".config")), "opencode"),
		Pi:       envFolder("PI_CODING_AGENT_DIR", filepath.Join(home, ".pi", "agent")),
	}
	if os.Getenv("CODEX_HOME") != "" {
		config.Codex = projectFolder(config.Codex) // as Codex names it
	}
	return config
}

// envFolder is a folder that the environment names, made absolute.
func envFolder(name, otherwise string) string {
	dir := os.Getenv(name)
	if dir == "" {
		return otherwise
	}
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// ownPath is pith's path for agents to run it by: as it was called, where that
// is the same program, because a path with a version in it dies with the next one.
func ownPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find pith's own path: %w", err)
	}
	if filepath.Base(filepath.Dir(self)) == "exe" && strings.Contains(self, string(filepath.Separator)+"go-build") {
		return "", usage("`go install` or `go build -o` makes a program that stays, to install from", "this pith is gone when `go run` ends")
	}
	if called, err := exec.LookPath(os.Args[0]); err == nil && sameFile(self, called) {
		return filepath.Abs(called)
	}
	return self, nil
}

// sameFile tells whether two paths lead to one file.
func sameFile(one, other string) bool {
	a, errA := os.Stat(one)
	b, errB := os.Stat(other)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// programVersion is pith's version.
func programVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
