package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/wire"
)

// Config is what an agent works with. Every zero value has one meaning.
type Config struct {
	// Model answers the turns. It is required.
	Model compactor.Model
	// Compactor drafts the judgement of a compaction; nil is facts only, with no
	// model call, or Model where Fork is set.
	Compactor compactor.Model
	// Drafting is how the compactor is asked.
	Drafting compactor.Options
	// Fork asks the session's own model over the session's own request, whose
	// prefix the provider has cached already.
	Fork bool
	// CompactTimeout bounds what a compaction waits for its model; 0 is two minutes.
	CompactTimeout time.Duration
	// Memory says when to compact and how large a block may be. Its Pattern is
	// not looked at: see InSystem.
	Memory memory.Config
	// InSystem adds the block to the system prompt. It is the first message of
	// the user otherwise, so that system and tools stay the same, byte by byte,
	// over the whole session.
	InSystem bool

	// Session names the session; "" is the journal's, or a new name.
	Session string
	// Store keeps the checkpoints; nil keeps none.
	Store pith.Store
	// Owner is the account, Project the folder of the work.
	Owner, Project string
	// Look says what the disk says of paths; nil looks at nothing.
	Look func(ctx context.Context, paths []string) (*pith.Disk, error)
	// Journal keeps every step; nil keeps nothing between two runs of the program.
	Journal Journal

	// System is the system prompt.
	System string
	Tools  []Tool
	// MaxTokens bounds one answer. 0 is 8,192, or what the model can at most, or
	// a quarter of its window, whichever is least.
	MaxTokens pith.Tokens
	// NoCache leaves out the marks for Anthropic's prompt cache: the one behind the
	// system prompt, and the request's own, which some servers refuse.
	NoCache bool
	// Header is sent beside every request.
	Header map[string][]string
	// MaxTurns bounds the requests of one Run, 0 for no bound.
	MaxTurns int

	// Confirm asks a person about a call that its tool wants confirmed; nil says no.
	Confirm func(ctx context.Context, c Call) (bool, error)
	// The hooks are called in the goroutine of Run, and may call Turn and
	// Conversation, but neither Run nor Compact.
	OnWarn    func(Warning)
	OnCompact func(Compaction)
	OnRestore func(Restoration)
	OnCall    func(Call)
	OnResult  func(Call, Output)
	// OnText gets the answer's text while it arrives; where it is set the
	// requests ask for a stream.
	OnText func(piece string)
	// Logger gets constant messages and figures, never content; nil discards.
	Logger *slog.Logger
	// Now is the clock; nil is the machine's.
	Now func() time.Time
}

// Tool is a function that the model may call.
type Tool struct {
	Name, Description string
	// Schema is the JSON schema of the input, nil for no input.
	Schema json.RawMessage
	// Run does the work. Its error is told to the model, and so is a panic.
	Run func(ctx context.Context, input json.RawMessage) (Output, error)
	// ReadOnly: a call that was interrupted may simply be run again.
	ReadOnly bool
	// Confirm says why a person has to agree to a call first, "" where nobody
	// has to; nil is nobody ever.
	Confirm func(input json.RawMessage) string
}

// Output is what a tool gave back.
type Output struct {
	Text string
	// IsError tells the model that the call failed.
	IsError bool
	// Exit is the exit code of a command, nil where there is none. It is told at
	// the end of the text.
	Exit *int
}

// Call is a call of a tool.
type Call struct {
	ID, Name string
	// Input is the arguments' JSON object.
	Input json.RawMessage
	// Why is what the tool's Confirm says.
	Why string
}

const (
	defaultMaxTokens      = 8192
	defaultCompactTimeout = 2 * time.Minute
)

// check fills in the defaults.
func (c *Config) check() error {
	if c.Model == nil {
		return usage("a model is required")
	}
	card := c.Model.About()
	if !slices.Contains([]pith.Format{pith.FormatAnthropic, pith.FormatOpenAIChat, pith.FormatOpenAIResponses}, card.Format) {
		return usage("the model %s takes bodies of the format %q, which no agent speaks", card, card.Format)
	}
	seen := map[string]bool{}
	for i := range c.Tools {
		t := &c.Tools[i]
		switch {
		case t.Name == "" || t.Run == nil:
			return usage("tool %d has no name or nothing to run", i)
		case seen[t.Name]:
			return usage("two tools are named %q, which no provider takes", t.Name)
		}
		seen[t.Name] = true
	}
	if c.Fork && c.Compactor == nil {
		c.Compactor = c.Model
	}
	if c.CompactTimeout <= 0 {
		c.CompactTimeout = defaultCompactTimeout
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return nil
}

// memoryFor is the memory's configuration for a model.
func (c *Config) memoryFor(card compactor.Card) memory.Config {
	m := c.Memory
	m.Pattern = restore.PatternMessage
	if c.InSystem {
		m.Pattern = restore.PatternSystem
	}
	if m.Window == 0 {
		m.Window = card.Window
	}
	return m
}

func (c *Config) maxTokens(card compactor.Card, window int) pith.Tokens {
	if c.MaxTokens > 0 {
		return c.MaxTokens
	}
	n := pith.Tokens(defaultMaxTokens)
	if card.MaxOutput > 0 {
		n = min(n, card.MaxOutput)
	}
	if window > 0 {
		n = min(n, pith.Tokens(window/4))
	}
	return max(n, 1)
}

// parts is the request that every turn begins with.
func (c *Config) parts(card compactor.Card, window int) wire.RequestParts {
	model, known := meter.Model(card.Name)
	p := wire.RequestParts{
		Model: card.Name, System: c.System, MaxTokens: c.maxTokens(card, window), Stream: c.OnText != nil, Cache: true,
		NoReasoning: known && !model.Reasons,
	}
	for i := range c.Tools {
		t := &c.Tools[i]
		p.Tools = append(p.Tools, wire.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return p
}

func usage(format string, args ...any) error {
	return &pith.Error{Op: "run the agent", Kind: pith.KindUsage, Err: fmt.Errorf(format, args...)}
}

// ErrBusy is the error of a call while another one works on the conversation.
var ErrBusy = errors.New("the agent is at work")

// ErrMaxTurns is the error of a Run that reached Config.MaxTurns. The
// conversation is whole, and an empty prompt goes on with it.
var ErrMaxTurns = errors.New("the most turns of one run were reached")
