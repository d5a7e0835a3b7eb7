// Package agent is the loop: request, tools, usage, trigger, compaction, and on
// until the model ends its turn.
//
// A step of the loop is an Entry: what a prompt, a reply, a call or a result
// does to the conversation is written down first and done then, by the same
// code whether it happens or is read from the journal. So a run that is stopped
// at any point goes on where it stood.
//
// The request is only ever appended to. Between two compactions it begins with
// the same bytes, and system and tools stay the same over the whole session.
// Only spent reasoning is taken out now and then, all of it at once.
package agent

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/trigger"
)

// Agent runs one session. Run and Compact exclude each other; the other
// methods may be called at any time, also by a tool.
type Agent struct {
	config Config
	tools  map[string]*Tool
	// busy is held by Run and Compact: the conversation has one writer.
	busy sync.Mutex
	// making is held while a state is made and kept: one compaction at a time.
	making sync.Mutex
	// mu guards what follows for those who are not the writer.
	mu      sync.Mutex
	model   compactor.Model
	card    compactor.Card
	memory  *memory.Memory
	window  int
	name    string // the session's
	session *memory.Session
	talk    *talk
	// block is the memory that the conversation begins with, "" for none.
	block    string
	inSystem bool
	// sent is the last request's body.
	sent []byte
	turn int
	// open are the calls of the last reply; done is set where a reply ended its
	// turn, and last is that reply.
	open []call
	done bool
	last Reply
	// prompt is the user's latest.
	prompt string
	phase  string
	// resumed is set until the first decision about a session that was stopped
	// in the middle of something.
	resumed bool
	// disk is what the disk said when it was taken up, until then.
	disk     *pith.Disk
	trigger  trigger.State
	failures trigger.FailureRun
	keeper   keeper
	warned   map[WarningKind]bool
	// staging is set where long output is shortened as it enters.
	staging bool
	breaker breaker
	ahead   *preparation
	// unforked counts the drafts in a row that no fork gave.
	unforked int
	// spare is the draft of a compaction that is being made.
	spare  *preparation
	closed bool
}

// New makes an agent. Where the journal, or else the store, has the session, it
// stands where the session stood: Run with an empty prompt goes on with it.
// Errors: KindUsage for a Config that cannot be meant; KindStore.
func New(ctx context.Context, c Config) (*Agent, error) {
	a, err := configured(c)
	if err != nil {
		return nil, err
	}
	found, err := a.replay(ctx)
	if err != nil || found {
		return a, err
	}
	found, err = a.restore(ctx)
	if err != nil || found {
		return a, err
	}
	return a, a.start(ctx, nil)
}

// configured is an agent without a session.
func configured(c Config) (*Agent, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	a := &Agent{config: c, tools: make(map[string]*Tool, len(c.Tools)), warned: map[WarningKind]bool{}}
	for i := range c.Tools {
		a.tools[c.Tools[i].Name] = &c.Tools[i]
	}
	a.use(c.Model)
	a.keeper = keeper{journal: c.Journal, format: a.card.Format, redactor: redact.New()}
	talk, err := newTalk(a.card.Format, c.parts(a.card, a.window))
	if err != nil {
		return nil, err
	}
	a.talk = talk
	return a, nil
}

// use takes a model for what follows.
func (a *Agent) use(m compactor.Model) {
	a.model, a.card = m, m.About()
	config := a.config.memoryFor(a.card)
	a.memory = memory.New(config)
	a.window, _ = meter.Window(a.card.Name, config.Window)
}

// start begins a session behind a checkpoint, nil for none.
func (a *Agent) start(ctx context.Context, behind *pith.State) error {
	if a.name == "" {
		if a.name = a.config.Session; a.name == "" {
			a.name = newName()
		}
	}
	e := Entry{Kind: EntryStart, Version: JournalVersion, Session: a.name, Format: a.card.Format, System: digest(a.config.System), Tools: digest(string(a.talk.request.Tools))}
	if behind != nil {
		written, err := schema.Marshal(behind, false)
		if err != nil {
			return err
		}
		e.Checkpoint, e.State = behind.Checkpoint.ID, written
	}
	a.begin(behind)
	return a.keep(ctx, &e)
}

func newName() string { return "agent-" + strings.ToLower(rand.Text()[:16]) }

// begin follows the session from here.
func (a *Agent) begin(behind *pith.State) {
	a.session = a.memory.Begin(memory.BeginOptions{
		Format: a.card.Format, ID: a.name, Model: a.card.Name, CWD: a.config.Project, System: a.config.System, Previous: behind,
	})
	if behind != nil {
		a.turn = behind.Checkpoint.CompactedAtTurn
		a.trigger.CompactedTurn, a.trigger.StagedTurn = a.turn, a.turn
	}
}

// Session is the session's name.
func (a *Agent) Session() string { return a.name }

// Turn counts the session's model requests. It only grows, over compactions and
// over stops.
func (a *Agent) Turn() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.turn
}

// Conversation is the next request as it stands. It is not to be changed.
func (a *Agent) Conversation() pith.Conversation {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.talk.conversation()
}

// Reading is how full the window is before the next request.
func (a *Agent) Reading() meter.Reading {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.reading()
}

func (a *Agent) reading() meter.Reading { return a.talk.reading(a.card, a.window) }

// Unfinished tells whether there is something to go on with: a prompt without
// an answer, or calls without results. Run with an empty prompt does it.
func (a *Agent) Unfinished() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.done && a.prompt != ""
}

// EndPhase tells that a phase of the work ended, which is a good place to
// compact. It counts before the next request.
func (a *Agent) EndPhase(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.phase = name
}

// SetModel goes on with another model of the same format. What the one before
// reported does not count any more, and the next request is checked against the
// new model's window. Errors: KindUsage for a model of another format; ErrBusy.
func (a *Agent) SetModel(m compactor.Model) error {
	if !a.busy.TryLock() {
		return ErrBusy
	}
	defer a.busy.Unlock()
	if f := m.About().Format; f != a.card.Format {
		return usage("the session is in the format %q, and %s takes %q", a.card.Format, m.About(), f)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.config.Compactor != nil && a.config.Fork {
		a.config.Compactor = m
	}
	a.config.Model = m
	a.use(m)
	fresh, err := newTalk(a.card.Format, a.config.parts(a.card, a.window))
	if err != nil {
		return err
	}
	said := ownMessages(a.talk.messages)
	a.talk = fresh
	return a.talk.replace(a.block, a.inSystem, said)
}

// Close ends what runs in the background and waits for it. The journal is the
// caller's.
func (a *Agent) Close() {
	a.making.Lock()
	defer a.making.Unlock()
	a.closed = true
	a.dropAhead()
}
