// Package hook answers the hooks of coding agents: an event, as the client
// sends it, and the session file that it names become what the client is told
// and, where something came to an end, a checkpoint.
//
// A hook never harms its client: whatever goes wrong, the answer is the empty
// one, within a bounded time, and the problem is noted for `pith doctor`.
//
// Where a behaviour is found:
//
//	what clients send and take   input.go, output.go
//	what is kept between events  record.go (one small file for each session), prune.go, problems.go
//	where the session's file is  cursor.go (how far it was read), await.go (rows that come late), place.go (whose it is), fork.go (what it goes on from)
//	reading the session          session.go (for a checkpoint), follow.go (to see how it stands)
//	each event                   events.go (the table names the file of each)
//	what is told, and how long   brief.go, keep.go (the messages that stay), lost.go (what a summary lost)
//	a session without a file     export.go
//	the status line              status.go
package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
)

// Client names a coding agent whose hooks are answered.
type Client string

// The clients.
const (
	ClaudeCode Client = "claude-code"
	Codex      Client = "codex"
	OpenCode   Client = "opencode"
	Pi         Client = "pi"
)

// Clients lists them.
func Clients() []Client { return []Client{ClaudeCode, Codex, OpenCode, Pi} }

// Event names what happened in the client.
type Event string

// The events. The first group are the client's own hooks, by their names in
// lower case with dashes; the second is asked by pith's plugins inside the
// clients, which take the compaction over.
const (
	SessionStart       Event = "session-start"
	UserPromptSubmit   Event = "user-prompt-submit"
	PostToolUse        Event = "post-tool-use"
	PostToolUseFailure Event = "post-tool-use-failure"
	PreCompact         Event = "pre-compact"
	PostCompact        Event = "post-compact"
	SubagentStart      Event = "subagent-start"
	SubagentStop       Event = "subagent-stop"
	Stop               Event = "stop"
	SessionEnd         Event = "session-end"

	// SessionCompact asks for the memory that takes the place of the history,
	// and for which of the last messages stay.
	SessionCompact Event = "session-compact"
)

// Config says what hooks work with. Store may be slow, locked or broken: a
// hook goes on without it.
type Config struct {
	Memory memory.Config
	// Open opens the store of checkpoints; the function closes it.
	Open func(context.Context) (pith.Store, func(), error)
	// Look looks at the disk, as workspace.Look does.
	Look func(ctx context.Context, root string, paths []string) (*pith.Disk, error)
	// Dir is the folder of the records and of the list of problems.
	Dir string
	// Owner is the account, Project names the folder that work belongs to as
	// checkpoints name it.
	Owner   string
	Project func(folder string) string
	Now     func() time.Time
	// KeepDays is for how long the archive keeps a session, 0 for good.
	KeepDays int
	// Limit bounds one event; 0 means 10 s, under what every client allows.
	Limit time.Duration
}

// Hooks answers events. It holds no session and may be shared.
type Hooks struct{ config Config }

// New returns Hooks.
func New(c Config) *Hooks {
	if c.Limit == 0 {
		c.Limit = 10 * time.Second
	}
	c.Memory.Steady = true
	return &Hooks{config: c}
}

// Run answers one event. The answer can always be given to the client; an error
// beside it says why it is an empty or a lesser one, and is noted in the list of
// problems already. It returns within the limit, whatever an event waits for.
func (h *Hooks) Run(ctx context.Context, client Client, event Event, in io.Reader) (Output, error) {
	ctx, cancel := context.WithTimeout(ctx, h.config.Limit)
	defer cancel()
	done := make(chan answer, 1)
	go func() { done <- h.answer(ctx, client, event, in) }()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		select {
		case a = <-done:
		case <-time.After(grace): // it hangs in what no context ends
			a.err = fmt.Errorf("no answer within %v: %w", h.config.Limit, ctx.Err())
		}
	}
	for _, err := range a.lesser {
		h.note(client, event, a.session, err)
	}
	if a.err != nil {
		h.note(client, event, a.session, a.err)
	}
	return a.out, errors.Join(append(a.lesser, a.err)...)
}

// grace is how long an event may take to see that its time is over.
const grace = 200 * time.Millisecond

// answer is what became of an event.
type answer struct {
	out     Output
	session string
	// lesser is what went wrong without spoiling the answer, err what did.
	lesser []error
	err    error
}

func (h *Hooks) answer(ctx context.Context, client Client, event Event, in io.Reader) (a answer) {
	t := &turn{ctx: ctx, hooks: h, client: client, event: event}
	defer func() {
		if p := recover(); p != nil {
			a.out, a.err = Output{}, fmt.Errorf("a fault in pith: %v (%s)", p, faultLine(debug.Stack()))
		}
		a.session, a.lesser = t.input.SessionID, t.lesser
		if t.forget != nil {
			t.forget()
		}
	}()
	handle := handlers[event]
	if handle == nil {
		a.err = &pith.Error{Op: "answer the hook", Kind: pith.KindUsage, Err: fmt.Errorf("%q is no event that pith answers", event)}
		return a
	}
	if a.err = t.input.read(in); a.err != nil {
		return a
	}
	t.hooks = h.within(t.input.Window)
	t.record = h.record(t.input.key())
	a.out, a.err = handle(t)
	if err := t.record.save(); err != nil {
		t.lesser = append(t.lesser, fmt.Errorf("remember the session: %w", err))
	}
	if event == SessionStart || event == SessionEnd {
		h.prune()
	}
	return a
}

// within is Hooks for the window that a client names. What is configured comes
// before it.
func (h *Hooks) within(window int) *Hooks {
	if window <= 0 || h.config.Memory.Window > 0 {
		return h
	}
	c := h.config
	c.Memory.Window = window
	return &Hooks{config: c}
}

// turn is one event while it is answered.
type turn struct {
	ctx    context.Context
	hooks  *Hooks
	client Client
	event  Event
	input  Input
	record *Record
	// lesser holds what went wrong without spoiling the answer.
	lesser []error
	// waits is the time that is left for the store, once it was asked for.
	waits  context.Context
	forget context.CancelFunc
}
