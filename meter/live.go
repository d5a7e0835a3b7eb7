package meter

import (
	"slices"

	"github.com/pith-memory/pith"
)

// maxPending bounds the text that a Live keeps for a later count. Units: bytes.
const maxPending = 8 << 20

// Live follows a session message by message and knows the size of the context
// that the client would send next. It counts lazily: texts are kept until
// somebody asks, so a session that is compacted before is never counted; what
// is more than 8 MiB is counted at once and let go. The zero Live is an empty
// session. It is not safe for concurrent use.
type Live struct {
	messages []liveMessage
	counter  Counter
	// The first counted messages have their texts counted; content and
	// overhead are their sums.
	counted           int
	content, overhead pith.Tokens
	pending           int
	usage             *pith.Usage
	usageModel        string
	answered          int // position of the message that usage came with
	begun             bool
	own               string // the agent whose session it is, "" for the main one
	model             string
}

// Sized is the size of a message of the context, with the ids of its rows.
type Sized struct {
	Rows   []string    `json:"rows"`
	Tokens pith.Tokens `json:"tokens"`
}

// Last gives the sizes of the last messages that are in the context, in order:
// those of which a compaction may keep some.
func (l *Live) Last(n int) []Sized {
	l.count()
	var out []Sized
	for _, m := range l.messages[max(0, len(l.messages)-n):] {
		if len(m.rowIDs) > 0 {
			out = append(out, Sized{m.rowIDs, m.content})
		}
	}
	return out
}

// Holds tells whether the context has all of these rows.
func (l *Live) Holds(rows []string) bool {
	known := make(map[string]bool, len(rows))
	for i := range l.messages {
		for _, id := range l.messages[i].rowIDs {
			known[id] = true
		}
	}
	return !slices.ContainsFunc(rows, func(id string) bool { return !known[id] })
}

// GoOn begins a Live that has read nothing with a context of that size, for a
// session of which only the later messages are at hand. reported is what the
// provider reported of it, of that model, 0 where that is unknown; last are the
// messages that it ends with, as Last gave them.
func (l *Live) GoOn(content, reported pith.Tokens, model string, last []Sized) {
	l.begun, l.model = true, model
	rest := content
	for _, m := range last {
		rest -= m.Tokens
	}
	l.messages = append(l.messages, liveMessage{content: max(rest, 0), overhead: messageOverhead})
	for _, m := range last {
		l.messages = append(l.messages, liveMessage{rowIDs: m.Rows, content: m.Tokens, overhead: messageOverhead})
	}
	if reported > 0 {
		l.usage, l.usageModel, l.answered = &pith.Usage{Input: int(reported)}, model, len(l.messages)-1
	}
}

// liveMessage is a message of the live context. content is complete once its
// texts are counted, and texts is nil then.
type liveMessage struct {
	rowIDs            []string
	texts             []string
	content, overhead pith.Tokens
}

// Add takes in the next message. Messages of sub-agents have a context of
// their own and are left out, except in a session that is a sub-agent's own.
func (l *Live) Add(m *pith.Message) {
	switch {
	case !l.begun:
		l.begun, l.own = true, m.Agent
	case m.Agent == "" && l.own != "":
		// The session began with a sub-agent's message, and is not its own.
		l.Boundary(&pith.Boundary{})
		l.own = ""
	}
	if m.Agent != l.own || m.Nested {
		return
	}
	l.add(m)
	if m.Role == pith.RoleAssistant && m.Model != "" {
		l.model = m.Model
	}
	if m.Usage.Context() > 0 {
		usage := *m.Usage
		l.usage, l.usageModel, l.answered = &usage, m.Model, len(l.messages)-1
	}
}

func (l *Live) add(m *pith.Message) {
	n := liveMessage{overhead: messageOverhead, rowIDs: m.RowIDs}
	for i := range m.Blocks {
		w := weigh(&m.Blocks[i])
		n.content += w.fixed
		n.overhead += w.overhead
		if w.text != "" {
			n.texts = append(n.texts, w.text)
			l.pending += len(w.text)
		}
	}
	l.messages = append(l.messages, n)
	if l.pending > maxPending {
		l.count()
	}
}

// Boundary takes in a compaction of the client's own: the context goes on with
// the boundary's replacement, or with the rows that it preserved. What was
// reported before does not count any more.
func (l *Live) Boundary(b *pith.Boundary) {
	kept := l.messages[:0]
	if len(b.Replacement) == 0 && len(b.PreservedRows) > 0 {
		preserved := make(map[string]bool, len(b.PreservedRows))
		for _, id := range b.PreservedRows {
			preserved[id] = true
		}
		for _, m := range l.messages {
			if slices.ContainsFunc(m.rowIDs, func(id string) bool { return preserved[id] }) {
				kept = append(kept, m)
			}
		}
	}
	clear(l.messages[len(kept):]) // lets their texts go
	*l = Live{messages: kept, counter: l.counter, begun: l.begun, own: l.own, model: l.model}
	for i := range b.Replacement {
		l.add(&b.Replacement[i])
	}
	l.recount()
}

// recount makes the sums start again from what each message holds.
func (l *Live) recount() {
	l.pending = 0
	for i := range l.messages {
		for _, text := range l.messages[i].texts {
			l.pending += len(text)
		}
	}
	l.counted, l.content, l.overhead = 0, 0, 0
}

// Tokens is the exact size of the live context's texts, and the estimate of
// its images and opaque blocks. Neither the client's fixed prompt nor what the
// prompt format adds is in it.
func (l *Live) Tokens() pith.Tokens {
	l.count()
	return l.content
}

// Count is the package's Count, faster for words that the session has held.
func (l *Live) Count(text string) pith.Tokens { return l.counter.Count(text) }

// count counts the texts that are still kept and lets them go.
func (l *Live) count() {
	for ; l.counted < len(l.messages); l.counted++ {
		m := &l.messages[l.counted]
		l.countMessage(m)
		l.content += m.content
		l.overhead += m.overhead
	}
	l.pending = 0
}

func (l *Live) countMessage(m *liveMessage) {
	for _, text := range m.texts {
		m.content += l.counter.Count(text)
	}
	m.texts = nil
}

// Reading is how full the window is before the next request. A session file
// lacks the client's fixed prompt, so that a reading without any reported
// usage is too low by its size. o.Model decides about the window only: the
// session itself says which model its usage is of.
func (l *Live) Reading(o ReadOptions) Reading {
	if o.Model == "" {
		o.Model = l.model
	}
	usage, usageModel, first := l.usage, l.usageModel, l.answered+1
	if o.Usage.Context() > 0 {
		usage, usageModel, first = o.Usage, o.UsageModel, len(l.messages)
	}
	if usage == nil || !sameModel(usageModel, l.model) {
		l.count()
		return o.reading(nil, l.content+l.overhead)
	}
	var since pith.Tokens
	for i := first; i < len(l.messages); i++ {
		m := &l.messages[i]
		for _, text := range m.texts {
			l.pending -= len(text)
		}
		l.countMessage(m)
		since += m.content + m.overhead
	}
	return o.reading(usage, since)
}
