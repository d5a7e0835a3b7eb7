// Command pith gives AI agents compact memory: it turns a session that a
// coding agent left on disk into a small, checked working state.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pith-memory/pith"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// console is what a command talks to.
type console struct {
	in       io.Reader
	out, err io.Writer
	// people is set where standard output is a terminal, and colour where it
	// also wants colour.
	people, colour bool
	// progress is set where standard error is a terminal.
	progress bool
	// width is how many columns a line may take: the terminal's, else enough.
	width    int
	settings *settings
}

func run(args []string, in io.Reader, out, errOut io.Writer) int {
	c := newConsole(in, out, errOut)
	root := rootCommand(c)
	root.SetArgs(args)
	cmd, err := root.ExecuteC()
	if cmd.Name() == hookName {
		if err != nil {
			c.hookFailed(err)
			err = nil
		}
		return exitCode(err)
	}
	if isCallError(err) {
		err = &pith.Error{Kind: pith.KindUsage, Err: err, Hint: "`" + cmd.CommandPath() + " --help` says how it is called"}
	}
	if err != nil {
		report(errOut, err)
	}
	return exitCode(err)
}

func newConsole(in io.Reader, out, errOut io.Writer) *console {
	c := &console{in: in, out: out, err: errOut, width: 160}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		c.people, c.width = true, 80
		c.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 {
			c.width = w
		}
	}
	if f, ok := errOut.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		c.progress = true
	}
	return c
}

func rootCommand(c *console) *cobra.Command {
	root := &cobra.Command{
		Use:   "pith",
		Short: "Compact memory for AI agents",
		Long: `pith turns a coding agent's session into a small, checked working state:
facts are extracted by code, every item says where it comes from, and secrets
are redacted. It needs no model, no key and no configuration; a model that is
named adds the judgement, and what it says is checked.

Exit codes: 0 done, 1 unexpected, 2 usage, 3 unreadable input, 4 declined
(nothing to gain), 5 failed check, 6 store, 7 no draft of the model (only with
--require-model).`,
		Example: `  pith compact session.jsonl                 # the block to restore in the next session
  pith compact session.jsonl --view state    # the whole state as JSON
  pith inspect session.jsonl                 # how full the window was, and when to compact
  pith compact session.jsonl --view state | pith verify - --transcript session.jsonl`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &pith.Error{Kind: pith.KindUsage, Err: err, Hint: "`" + cmd.CommandPath() + " --help` lists the flags"}
	})
	var configFile string
	root.PersistentFlags().StringVar(&configFile, "config", "", "configuration file (default: pith/config.toml in the user's configuration folder)")
	settingFlag(root.PersistentFlags(), "store")
	settingFlag(root.PersistentFlags(), "store-path")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) (err error) {
		c.settings, err = loadSettings(configFile, cmd.Flags())
		if err != nil && cmd.Name() == hookName {
			c.hookFailed(err)
			c.settings, err = usableSettings(cmd.Flags()), nil
		}
		return err
	}
	root.AddCommand(
		compactCommand(c), inspectCommand(c), verifyCommand(c), measureCommand(c), truncateCommand(c),
		recallCommand(c), redactCommand(c), schemaCommand(c), configCommand(c), versionCommand(c),
		handoffCommand(c), keyCommand(c), hookCommand(c), statuslineCommand(c), mcpCommand(c), installCommand(c), uninstallCommand(c), doctorCommand(c),
	)
	root.AddCommand(
		sessionsCommand(c), showCommand(c), restoreCommand(c), diffCommand(c), editCommand(c), undoCommand(c),
		pinCommand(c), unpinCommand(c), exportCommand(c), importCommand(c), forgetCommand(c),
	)
	return root
}

// The exit codes, documented in the README and in `pith --help`.
const (
	exitDone       = 0
	exitUnexpected = 1
	exitUsage      = 2
	exitInput      = 3
	exitDeclined   = 4
	exitCheck      = 5
	exitStore      = 6
	exitModel      = 7
)

func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	switch pith.KindOf(err) {
	case pith.KindUsage:
		return exitUsage
	case pith.KindInput:
		return exitInput
	case pith.KindDeclined:
		return exitDeclined
	case pith.KindCheck:
		return exitCheck
	case pith.KindStore:
		return exitStore
	case pith.KindModel:
		return exitModel
	}
	return exitUnexpected
}

// isCallError recognises cobra's own complaints about commands and arguments,
// which have no type; those about flags go through the root's FlagErrorFunc.
func isCallError(err error) bool {
	var known *pith.Error
	if err == nil || errors.As(err, &known) {
		return false
	}
	for _, p := range []string{"unknown command", "accepts ", "requires "} {
		if strings.HasPrefix(err.Error(), p) {
			return true
		}
	}
	return false
}

func report(w io.Writer, err error) {
	fmt.Fprintf(w, "pith: error: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
	if hint := pith.HintOf(err); hint != "" {
		fmt.Fprintf(w, "pith: hint: %s\n", hint)
	}
}

// usage is the error for a call that cannot be meant.
func usage(hint, format string, args ...any) error {
	return &pith.Error{Kind: pith.KindUsage, Err: fmt.Errorf(format, args...), Hint: hint}
}
