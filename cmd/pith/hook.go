package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/hook"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/workspace"
)

// hookFolder is where hooks keep what they remember between two events.
func hookFolder() string { return filepath.Join(dataFolder(), "pith", "hooks") }

func hookCommand(c *console) *cobra.Command {
	var client string
	cmd := &cobra.Command{
		Use:   hookName + " EVENT",
		Short: "Answer a hook of a coding agent (called by the agent)",
		Long: `Answer a hook of a coding agent: the event's JSON on standard input, the answer
on standard output. "pith install" sets the hooks up; nobody types this.

Events: session-start, user-prompt-submit, post-tool-use, post-tool-use-failure,
pre-compact, post-compact, subagent-start, subagent-stop, stop, session-end; and
session-compact, by which pith's plugins take a compaction over.

It never harms the agent: whatever goes wrong, it says nothing, exits with 0, and
leaves a line that "pith doctor" shows.

Exit codes: 0, always.`,
		// Whatever it is called with, the agent is never told of an error.
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, args []string) error {
			event := ""
			if len(args) > 0 {
				event = args[0]
			}
			c.answerHook(cmd.Context(), hook.Client(client), hook.Event(event))
			return nil
		},
	}
	cmd.Flags().StringVar(&client, "client", string(hook.ClaudeCode), "the agent that calls: claude-code, codex, opencode or pi")
	return cmd
}

const hookName = "hook"

// uncollected is how much memory a hook may fill before it is collected. Units:
// bytes.
const uncollected = 192 << 20

// hookFailed notes what kept a hook from being answered as it should have been,
// for doctor: an agent that is told of an error may stop.
func (c *console) hookFailed(err error) {
	hook.Note(hookFolder(), hook.Problem{At: time.Now(), Error: err.Error()})
	c.sayHook(hookName, err)
}

// sayHook tells what went wrong on standard error, which clients log.
func (c *console) sayHook(event string, err error) {
	fmt.Fprintf(c.err, "pith: %s: %s\n", event, redact.New().Text(err.Error()))
}

// answerHook answers one event. There is no error: an agent that is told of one
// may stop.
func (c *console) answerHook(ctx context.Context, client hook.Client, event hook.Event) {
	// The process is over before most of what it made would be worth collecting.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(uncollected)
	defer func() {
		if p := recover(); p != nil {
			c.hookFailed(fmt.Errorf("a fault in pith: %v", p))
		}
	}()
	h := hook.New(c.hookConfig())
	out, err := h.Run(ctx, client, event, c.in)
	if err != nil {
		c.sayHook(string(event), err)
	}
	answer, err := out.Encode(client, event)
	if err != nil {
		return
	}
	_, _ = c.out.Write(answer) // a client that closed its end wants no answer
}

func (c *console) hookConfig() hook.Config {
	set := c.settings.memory()
	if set.Window == 0 {
		set.Window = clientWindow()
	}
	return hook.Config{
		Memory:  set,
		Open:    func(ctx context.Context) (pith.Store, func(), error) { return c.openStore(ctx) },
		Look:    workspace.Look,
		Dir:     hookFolder(),
		Owner:   owner(),
		Project: projectFolder,
		Now:     time.Now,

		KeepDays: c.settings.count("keep-days"),
	}
}

// clientWindow is the window that Claude Code compacts by where its user set
// one, 0 where not: the client's hooks inherit its environment.
func clientWindow() int {
	n, err := strconv.Atoi(os.Getenv("CLAUDE_CODE_AUTO_COMPACT_WINDOW"))
	if err != nil || n < 0 {
		return 0
	}
	return n
}
