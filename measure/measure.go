// Package measure judges a compaction against the transcript it was made from.
// It shares no code with package extract: the facts it wants to find were read
// off the records by patterns of its own, so that a fault of the extractor
// shows as a miss instead of agreeing with itself.
package measure

import (
	"strings"

	"github.com/pith-memory/pith"
)

// Observer reads a session's records, unredacted, up to the cut.
type Observer struct {
	runs     []run
	byID     map[string]int
	running  map[string]int
	said     []string // the user's own words, text by text
	text     strings.Builder
	open     map[string]pith.Block
	openCWD  map[string]string
	ledger   ledger
	refusals int
	// indexed is the text as it was when something was last looked up in it.
	indexed *index
}

// run is a shell command and its outcome as the records state it.
type run struct {
	command string
	exit    *int
	counts  []string
	// packages are the counts of packages, where a test run states those too.
	packages []string
	// stated are all the counts that any line of its output states.
	stated []string
	verify bool
	failed bool
	// output is what it wrote up to now.
	output string
	// families are what the command verifies with, or its first word.
	families  []string
	signature string
	at        place
}

// set keeps strings in the order they came.
type set struct {
	list []string
	has  map[string]bool
}

func (s *set) add(v string) {
	if s.has == nil {
		s.has = map[string]bool{}
	}
	if v != "" && !s.has[v] {
		s.has[v] = true
		s.list = append(s.list, v)
	}
}

// NewObserver returns an Observer that has read nothing.
func NewObserver() *Observer {
	return &Observer{
		byID: map[string]int{}, running: map[string]int{},
		open: map[string]pith.Block{}, openCWD: map[string]string{},
	}
}

// Record reads one record.
func (o *Observer) Record(r pith.Record) {
	if r.Exit != nil {
		if i, ok := o.byID[r.Exit.ToolUseID]; ok && o.runs[i].exit == nil {
			code := r.Exit.Code
			o.runs[i].exit = &code
			o.runs[i].failed = o.runs[i].failed || code != 0
		}
		return
	}
	if r.Message == nil {
		return
	}
	m := r.Message
	o.indexed = nil
	o.ledger.message(m)
	for i := range m.Blocks {
		o.block(m, &m.Blocks[i])
	}
}

func (o *Observer) block(m *pith.Message, b *pith.Block) {
	o.write(m, b)
	switch b.Kind {
	case pith.KindText:
		o.notified(b)
		if words := spokenIn(m, b); words != "" {
			o.said = append(o.said, words)
			o.ledger.spoke(words)
			o.userText(words)
		}
	case pith.KindToolUse:
		o.open[b.ToolUseID], o.openCWD[b.ToolUseID] = *b, m.CWD
	case pith.KindToolResult:
		if use, ok := o.open[b.ToolUseID]; ok {
			o.result(&use, b, o.openCWD[b.ToolUseID])
			o.ledger.result(m, &use, b)
			delete(o.open, b.ToolUseID)
		}
	}
}

// maxNamed is how much of what a call named is written again with its answer.
const maxNamed = 1000

// write adds a block to the text, below the folder and the branch that it was said in. What a
// call named belongs to its answer, too.
func (o *Observer) write(m *pith.Message, b *pith.Block) {
	o.ledger.blocks = append(o.ledger.blocks, o.ledger.lines)
	o.line(m.CWD)
	o.line(m.Branch)
	o.line(b.Text)
	for i := range b.Args {
		o.line(b.Args[i].Value)
	}
	if b.Kind != pith.KindToolResult {
		return
	}
	use := o.open[b.ToolUseID]
	for i := range use.Args {
		o.line(use.Args[i].Value[:min(len(use.Args[i].Value), maxNamed)])
	}
}

func (o *Observer) line(s string) {
	if s == "" {
		return
	}
	o.text.WriteString(s)
	o.text.WriteByte('\n')
	o.ledger.lines += strings.Count(s, "\n") + 1
}

// Seen tells whether a string occurs anywhere in what was read, as whole words.
func (o *Observer) Seen(s string) bool { return o.index().has(s) }

func (o *Observer) index() *index {
	if o.indexed == nil {
		o.indexed = newIndex(o.text.String())
	}
	return o.indexed
}

const maxMissed = 20

// Share is how many of the things there are were found.
type Share struct {
	Found int `json:"found"`
	Of    int `json:"of"`
	// Missed holds the first maxMissed of each cut that were not found.
	Missed []string `json:"missed,omitempty"`
}

func (s *Share) count(found bool, what string) {
	s.Of++
	if found {
		s.Found++
	} else if len(s.Missed) < maxMissed {
		s.Missed = append(s.Missed, what)
	}
}

// Add joins the shares of two cuts.
func (s *Share) Add(t Share) {
	s.Found += t.Found
	s.Of += t.Of
	s.Missed = append(s.Missed, t.Missed...)
}
