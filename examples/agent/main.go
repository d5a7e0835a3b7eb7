// Command agent is a small coding agent: a model of any provider, four tools
// that work in one folder, and a memory that is compacted before the window is
// full. It is an example of package agent; README.md says how it is run.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/agent"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/store/sqlite"
	"github.com/pith-memory/pith/telemetry"
	"github.com/pith-memory/pith/workspace"
)

func main() { os.Exit(start()) }

func start() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "\nagent: stopped; started again with the same session it goes on")
		return 130
	}
	fmt.Fprintf(os.Stderr, "agent: error: %v\n", err)
	if hint := pith.HintOf(err); hint != "" {
		fmt.Fprintf(os.Stderr, "agent: hint: %s\n", hint)
	}
	return 1
}

// options are the flags.
type options struct {
	model, compactor, url, dir, session string
	window                              int
	yes, figures                        bool
}

func readFlags(args []string, errOut io.Writer) (options, string, error) {
	var o options
	f := flag.NewFlagSet("agent", flag.ContinueOnError)
	f.SetOutput(errOut)
	f.StringVar(&o.model, "model", "anthropic/claude-haiku-4-5", "the model that works, as PROVIDER/NAME; PROVIDER is anthropic, openai, openai-chat or openai-responses")
	f.StringVar(&o.compactor, "compactor", "", "the model that drafts compactions (default: the same, over its own cached request; \"none\": facts only)")
	f.StringVar(&o.url, "url", "", "base URL of the API, as http://localhost:11434/v1")
	f.StringVar(&o.dir, "dir", ".", "the folder to work in")
	f.StringVar(&o.session, "session", "", "name of the session: the same name goes on where it stopped (default: the folder's)")
	f.IntVar(&o.window, "window", 0, "context window in tokens (default: that of the model)")
	f.BoolVar(&o.yes, "yes", false, "run destructive commands without asking")
	f.BoolVar(&o.figures, "figures", false, "write the figures of each compaction to standard error, a line of JSON")
	if err := f.Parse(args); err != nil {
		return o, "", err
	}
	return o, strings.Join(f.Args(), " "), nil
}

func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) error {
	o, prompt, err := readFlags(args, errOut)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	w, err := openWorkshop(o.dir)
	if err != nil {
		return err
	}
	if o.session == "" {
		o.session = "example-" + strings.ReplaceAll(strings.Trim(w.dir, "/"), "/", "-")
	}
	s := screen{in: bufio.NewReader(in), out: out, err: errOut, terminal: isTerminal(in), yes: o.yes}
	if o.figures {
		s.observe = telemetry.Slog(slog.New(slog.NewJSONHandler(errOut, nil)))
	}
	config, err := configure(&o, w, &s)
	if err != nil {
		return err
	}
	closeAll, err := keep(ctx, &config)
	if err != nil {
		return err
	}
	defer closeAll()
	a, err := agent.New(ctx, config)
	if err != nil {
		return err
	}
	defer a.Close()
	return s.talk(ctx, a, prompt)
}

// configure is what the agent works with, without where it is kept.
func configure(o *options, w *workshop, s *screen) (agent.Config, error) {
	model, err := newModel(o.model, o.url, o.window)
	if err != nil {
		return agent.Config{}, err
	}
	c := agent.Config{
		Model: model, Memory: memory.Config{Window: o.window}, Session: o.session,
		Project: w.dir, Owner: account(), System: system(w.dir), Tools: w.tools(),
		Confirm: s.confirm, OnText: s.text, OnCall: s.call, OnWarn: s.warn, OnCompact: s.compacted, OnRestore: s.restored,
		Look: func(ctx context.Context, paths []string) (*pith.Disk, error) {
			return workspace.Look(ctx, w.dir, paths)
		},
	}
	switch o.compactor {
	case "":
		c.Fork = true
	case "none":
	default:
		if c.Compactor, err = newModel(o.compactor, o.url, 0); err != nil {
			return agent.Config{}, err
		}
	}
	return c, nil
}

func system(dir string) string {
	return "You are a careful software engineer. You work in the folder " + dir + ", with the tools that you have: look before you change, " +
		"change little, and run the tests after each change. Say in one or two sentences what you did when the work is done. " +
		"What the user said stands until the user takes it back."
}

// keep opens what outlives the process: the journal has every step, and the
// store the checkpoints. Both lie in the folder for the state of programs. The
// function closes them.
func keep(ctx context.Context, c *agent.Config) (func(), error) {
	dir, err := stateFolder()
	if err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, "pith", "agent")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	journal, err := agent.OpenJournal(filepath.Join(dir, fileName(c.Session)+".jsonl"))
	if err != nil {
		return nil, err
	}
	store, err := sqlite.Open(ctx, filepath.Join(dir, "pith.db"))
	if err != nil {
		return nil, errors.Join(err, journal.Close())
	}
	c.Journal, c.Store = journal, store
	return func() {
		if err := errors.Join(journal.Close(), store.Close()); err != nil {
			fmt.Fprintf(os.Stderr, "agent: what was kept did not close: %v\n", err)
		}
	}, nil
}

func stateFolder() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "state"), nil
}

// fileName is a session's name with nothing in it that leads elsewhere.
func fileName(session string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, session)
}

func account() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

func isTerminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
