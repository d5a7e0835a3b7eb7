package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// Call is a tool use and, once it is known, its result.
type Call struct {
	Use      pith.Block
	At       pith.Source
	Result   pith.Block
	ResultAt pith.Source
	Answered bool
	// Dir is the directory the call ran in, as far as the session tells.
	Dir string
	// Root is the session's first directory.
	Root  string
	Agent string
	// Side is set in a thread that is not the session's own.
	Side bool
	Turn int
	// Seq numbers the tool calls of the session from 1.
	Seq int
	// Command is the shell command, "" for every other tool.
	Command string
	// Shell is Command as parsed.
	Shell []simpleCommand
}

// OK tells whether the call did what it was meant to do.
func (c *Call) OK() bool {
	return c.Answered && !c.Result.IsError && !c.Result.Rejected &&
		(c.Result.Exit == nil || *c.Result.Exit == 0 || c.Result.ExpectedNonZero)
}

// dirKeys are the names under which shell tools take the directory to run in.
var dirKeys = []string{"workdir", "cwd", "working_directory", "dir_path", "directory"}

// callTable pairs uses with results. Clients reuse ids, so a result answers
// the nearest open call of its id, and an id is free again once it is answered.
type callTable struct{ pending []*Call }

func (t *callTable) open(m *pith.Message, b *pith.Block, at pith.Source, w *workspaceSlot) *Call {
	c := &Call{Use: *b, At: at, Agent: m.Agent, Root: w.root}
	if command := shellCommand(&c.Use); strings.TrimSpace(command) != "" {
		c.Command = command
	}
	c.Dir = w.dir(m, c.Command != "")
	if c.Command != "" {
		c.Shell = parseShell(c.Command)
		if d := b.Arg(dirKeys...); d != "" {
			c.Dir = resolvePath(c.Dir, d)
		}
	}
	t.pending = append(t.pending, c)
	return c
}

func (t *callTable) answer(b *pith.Block, at pith.Source) *Call {
	for i := len(t.pending) - 1; i >= 0; i-- {
		c := t.pending[i]
		if c.Use.ToolUseID != b.ToolUseID {
			continue
		}
		t.pending = append(t.pending[:i], t.pending[i+1:]...)
		c.Result, c.ResultAt, c.Answered = *b, at, true
		return c
	}
	return nil
}
