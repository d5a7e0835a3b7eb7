package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/trigger"
	"github.com/pith-memory/pith/wire"
)

// EntryKind says what a step was.
type EntryKind string

// The kinds of step.
const (
	EntryStart      EntryKind = "start"      // the session began, or went on behind a checkpoint
	EntryPrompt     EntryKind = "prompt"     // the user said Text
	EntryReply      EntryKind = "reply"      // the model answered Messages
	EntryCall       EntryKind = "call"       // call number Call of the last reply is about to run
	EntryResult     EntryKind = "result"     // it gave back Text
	EntryCompaction EntryKind = "compaction" // the conversation goes on with Messages
	EntryPruning    EntryKind = "pruning"    // spent reasoning was taken out of it
)

// JournalVersion is the version of the entries that are written. A journal of a
// later one is not read.
const JournalVersion = 1

// Entry is one step of a session. Its texts are redacted where a journal has it.
type Entry struct {
	Kind EntryKind `json:"kind"`
	Time time.Time `json:"time"`
	// Turn is the number of the turn that the step belongs to.
	Turn int `json:"turn"`

	// Version, Session, Format and the hashes of system prompt and tools are of a
	// start. Version is JournalVersion of the program that wrote it.
	Version int         `json:"version,omitempty"`
	Session string      `json:"session,omitempty"`
	Format  pith.Format `json:"format,omitempty"`
	System  string      `json:"system_sha256,omitempty"`
	Tools   string      `json:"tools_sha256,omitempty"`
	// Checkpoint is what a start goes on from, and what a compaction made. State
	// is that of a start, as it is written.
	Checkpoint string          `json:"checkpoint,omitempty"`
	State      json.RawMessage `json:"state,omitempty"`

	// Text is a prompt, the whole of a result, or the block of a compaction.
	Text string `json:"text,omitempty"`
	// Peer is set where the words of a prompt are another agent's.
	Peer bool `json:"peer,omitempty"`
	// Messages are a reply, or the conversation after a compaction; Numbers are
	// their numbers in the session, -1 for what only this conversation has.
	Messages []json.RawMessage `json:"messages,omitempty"`
	Numbers  []int             `json:"numbers,omitempty"`
	// InSystem is set where the block stands in the system prompt.
	InSystem bool `json:"in_system,omitempty"`
	// Trigger is what the policy remembers of earlier compactions.
	Trigger *trigger.State `json:"trigger,omitempty"`

	// Stop, Reason, Usage, Model and Answer are of a reply: Answer is its text.
	Stop   compactor.Stop `json:"stop,omitempty"`
	Reason string         `json:"stop_reason,omitempty"`
	Usage  *pith.Usage    `json:"usage,omitempty"`
	Model  string         `json:"model,omitempty"`
	Answer string         `json:"answer,omitempty"`

	// Call is the position of a call among those of the last reply.
	Call int `json:"call,omitempty"`
	// Sent is what the model got of a result, nil where it got all of Text.
	Sent    *string `json:"sent,omitempty"`
	IsError bool    `json:"is_error,omitempty"`
	// Class names the kind of failure, "" where the call did not fail.
	Class string `json:"class,omitempty"`
	// Unrun is set where the call was never run.
	Unrun bool `json:"unrun,omitempty"`
}

// step writes an entry down and does what it says. Where it cannot be written
// the conversation has it all the same, and it is written before the next one.
func (a *Agent) step(ctx context.Context, e *Entry) error {
	kept := a.keep(ctx, e)
	if kept != nil && e.Kind == EntryCall {
		return kept // nothing runs of which nobody would know
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.do(e); err != nil {
		return err
	}
	return kept
}

// do makes the conversation what it is after a step.
func (a *Agent) do(e *Entry) error {
	switch e.Kind {
	case EntryPrompt:
		a.prompt, a.done, a.open = e.Text, false, nil
		return a.append(e, read(a.talk.format(), []json.RawMessage{wire.UserMessage(a.talk.format(), e.Text)}), nil)
	case EntryReply:
		return a.doReply(e)
	case EntryCall, EntryResult:
		if e.Call < 0 || e.Call >= len(a.open) {
			return fmt.Errorf("there is no open call %d", e.Call)
		}
		c := &a.open[e.Call]
		c.started = c.started || e.Kind == EntryCall
		if e.Kind == EntryCall || c.answered {
			return nil
		}
		return a.doResult(e, c)
	case EntryCompaction:
		return a.doCompaction(e)
	case EntryPruning:
		return a.doPruning()
	}
	return nil
}

// append puts messages at the end of the conversation and of the session, which
// remembers the whole of what the conversation may have in part.
func (a *Agent) append(e *Entry, messages, whole []pith.Message) error {
	said := messages[:0]
	for i := range messages {
		m := messages[i]
		if whole != nil {
			m = whole[i]
		}
		m.Time, m.Model = e.Time, e.Model
		if e.Peer {
			m.Blocks = relayed(m.Blocks)
		}
		if i == len(messages)-1 {
			m.Usage = e.Usage
		}
		messages[i].Index = a.session.Append(m)
		if string(messages[i].Raw) != leftOut {
			said = append(said, messages[i])
		}
	}
	return a.talk.add(said...)
}

// relayed are blocks that say what another agent says.
func relayed(blocks []pith.Block) []pith.Block {
	blocks = slices.Clone(blocks)
	for i := range blocks {
		blocks[i].Origin = pith.PeerAgent
	}
	return blocks
}

func (a *Agent) doReply(e *Entry) error {
	a.turn++
	f := a.talk.format()
	if len(e.Messages) > 0 {
		if err := a.append(e, read(f, e.Messages), nil); err != nil {
			return err
		}
	}
	if e.Usage != nil {
		a.talk.answered(*e.Usage, a.card.Name)
	}
	a.open = readCalls(f, e)
	a.done = len(a.open) == 0 && e.Stop != compactor.StopPause
	a.last = Reply{Text: e.Answer, Stop: e.Stop, StopReason: e.Reason}
	return nil
}

func (a *Agent) doCompaction(e *Entry) error {
	messages := read(a.talk.format(), e.Messages)
	if len(messages) != len(e.Numbers) {
		return fmt.Errorf("%d messages have %d numbers", len(messages), len(e.Numbers))
	}
	var kept []int
	said := messages[:0]
	for i, n := range e.Numbers {
		if string(messages[i].Raw) == leftOut {
			continue
		}
		messages[i].Index = n
		said = append(said, messages[i])
		if n >= 0 {
			kept = append(kept, n)
		}
	}
	if err := a.talk.replace(e.Text, e.InSystem, said); err != nil {
		return err
	}
	a.session.Replaced(e.Text, kept)
	a.block, a.inSystem = e.Text, e.InSystem
	if e.Trigger != nil {
		a.trigger = *e.Trigger
	}
	a.staging = false
	return nil
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Journal keeps the steps of one session, in order.
type Journal interface {
	// Append keeps a step for good: once it returns, a stop does not undo it.
	Append(ctx context.Context, e *Entry) error
	// Each calls f with every step that was kept, until f returns an error.
	Each(ctx context.Context, f func(*Entry) error) error
}

// keeper writes to the journal, redacted, and remembers what could not be written.
type keeper struct {
	journal  Journal
	format   pith.Format
	redactor *redact.Redactor
	unkept   []*Entry
}

// keep writes an entry, behind those that could not be written before.
// Errors: KindStore.
func (a *Agent) keep(ctx context.Context, e *Entry) error {
	if e.Time.IsZero() {
		e.Time, e.Turn = a.config.Now().UTC(), a.turn
	}
	k := &a.keeper
	if k.journal == nil {
		return nil
	}
	k.unkept = append(k.unkept, k.redacted(e))
	err := a.flush(ctx)
	if err != nil && e.Kind == EntryCall {
		k.unkept = k.unkept[:len(k.unkept)-1]
	}
	return err
}

// flush writes what could not be written before. A step that was done is kept,
// whatever became of the caller meanwhile.
func (a *Agent) flush(ctx context.Context) error {
	k := &a.keeper
	for len(k.unkept) > 0 {
		if err := k.journal.Append(context.WithoutCancel(ctx), k.unkept[0]); err != nil {
			return &pith.Error{
				Op: "write the journal", Kind: pith.KindStore, Err: err,
				Hint: "nothing was lost; run the agent again once the journal can be written",
			}
		}
		k.unkept = k.unkept[1:]
	}
	return nil
}

// redacted is an entry as it may be stored. A message that redaction changed
// loses its thinking: what signs it covers other bytes.
func (k *keeper) redacted(e *Entry) *Entry {
	c := *e
	c.Text, c.Answer = k.redactor.Text(e.Text), k.redactor.Text(e.Answer)
	if e.Sent != nil {
		sent := k.redactor.Text(*e.Sent)
		c.Sent = &sent
	}
	c.Messages = make([]json.RawMessage, len(e.Messages))
	for i, raw := range e.Messages {
		c.Messages[i] = k.message(raw)
	}
	return &c
}

// leftOut stands in the journal for a message of which nothing is left.
const leftOut = "null"

func (k *keeper) message(raw json.RawMessage) json.RawMessage {
	clean := k.redactor.JSON(raw)
	if string(clean) == string(raw) {
		return raw
	}
	m := read(k.format, []json.RawMessage{clean})[0]
	m, err := wire.RemoveBlocks(k.format, m, func(i int) bool { return m.Blocks[i].Kind == pith.KindThinking })
	if err != nil || len(m.Raw) == 0 {
		return json.RawMessage(leftOut)
	}
	return m.Raw
}
