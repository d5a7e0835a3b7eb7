package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// Version names the rules of this package in a checkpoint. It changes whenever
// the same session would give other facts.
const Version = "extract/1"

// Facts is what code alone knows of a session: the slots of a state, without
// ids of their own making, limits or metrics.
type Facts struct {
	Goal        pith.Goal
	WorkType    pith.WorkType
	Phase       pith.Phase
	Constraints []pith.Constraint
	Files       pith.Files
	Decisions   []pith.Decision
	Evidence    []pith.Evidence
	Failed      []pith.FailedAttempt
	Invariants  []pith.Invariant
	Next        pith.NextAction
	Context     pith.Context
	Identifiers pith.Identifiers
	Quarantined []pith.Quarantine
	Workspace   pith.Workspace
	Model       string
	// Turns counts model requests.
	Turns int
	// First and Last are the indexes of the messages that were read.
	First, Last int
	// Blocks describes every block of the session, for the sources.
	Blocks *BlockIndex
}

// Extractor folds a session's records, in order, into Facts.
type Extractor struct {
	blocks BlockIndex
	calls  callTable
	// turn and call count model requests and tool calls so far.
	turn, call  int
	first, last int
	lastRole    pith.Role
	lastID      string
	// own is the agent whose thread the session is: "" in a main session, the
	// sub-agent in a file of its own.
	own         string
	workspace   workspaceSlot
	goal        goalSlot
	constraints constraintSlot
	files       fileSlot
	evidence    evidenceSlot
	failures    failureSlot
	decisions   decisionSlot
	phase       phaseSlot
	questions   questionSlot
	background  backgroundSlot
	names       nameSlot
	// next is the next action of the state that the session goes on from.
	next *pith.NextAction
}

// New returns an Extractor that has read nothing.
func New() *Extractor {
	x := &Extractor{first: -1, last: -1}
	x.files.init()
	x.evidence.init()
	x.names.init()
	return x
}

// Said is a part of a text block with one voice, as the slots read it.
type Said struct {
	Text   string
	Origin pith.Provenance
	// At covers the part; a span inside Text is At moved by its offsets.
	At pith.Source
	// Command is the slash command whose arguments the words are.
	Command string
	// Agent names the sub-agent whose thread this is, "" for the main one.
	Agent string
	// Side is set in a thread that is not the session's own.
	Side bool
	Turn int
	Call int
}

// Span is the source of Text[start:end].
func (s *Said) Span(start, end int) pith.Source {
	at := s.At
	at.Start, at.End = s.At.Start+start, s.At.Start+end
	return at
}

// Message reads one message. Its blocks are kept only as far as facts need them.
func (x *Extractor) Message(m *pith.Message) {
	if x.first < 0 {
		x.first, x.own = m.Index, m.Agent
	}
	if m.Agent == "" {
		x.own = ""
	}
	x.last = max(x.last, m.Index)
	x.countTurn(m)
	x.workspace.message(m, m.Agent != x.own)
	for i := range m.Blocks {
		b := &m.Blocks[i]
		at := pith.Source{Message: m.Index, Block: i}
		x.blocks.add(m, i)
		x.goal.block(b, at)
		switch b.Kind {
		case pith.KindText:
			x.text(m, b, at)
		case pith.KindToolUse:
			x.call++
			x.use(m, b, at)
		case pith.KindToolResult:
			if c := x.calls.answer(b, at); c != nil {
				x.finish(c)
			}
		}
	}
}

// countTurn adds a turn where the model was asked anew: an assistant message
// after anything else, or one with another id.
func (x *Extractor) countTurn(m *pith.Message) {
	if m.Agent != x.own || m.Nested {
		return
	}
	if m.Role == pith.RoleAssistant && (x.lastRole != pith.RoleAssistant || m.ID != "" && m.ID != x.lastID && m.Usage != nil) {
		x.turn++
	}
	x.lastRole, x.lastID = m.Role, m.ID
}

// text hands each voice of a text block to the slots that listen to it.
func (x *Extractor) text(m *pith.Message, b *pith.Block, at pith.Source) {
	for _, v := range b.Voices() {
		s := Said{
			Text: b.Text[v.Start:v.End], Origin: v.Origin, At: at, Command: v.Command,
			Agent: m.Agent, Side: m.Agent != x.own, Turn: x.turn, Call: x.call,
		}
		s.At.Start, s.At.End = v.Start, v.End
		x.workspace.said(&s)
		x.files.said(&s)
		x.goal.said(&s)
		x.constraints.said(&s)
		x.decisions.said(&s)
		x.phase.said(&s)
		x.questions.said(&s)
		x.background.said(&s)
		x.names.said(&s)
		x.evidence.said(&s)
		x.failures.said(&s)
	}
}

// use opens a call; its facts are taken when the result is known.
func (x *Extractor) use(m *pith.Message, b *pith.Block, at pith.Source) {
	c := x.calls.open(m, b, at, &x.workspace)
	c.Turn, c.Seq, c.Side = x.turn, x.call, m.Agent != x.own
	x.names.use(c)
}

// finish hands a call with its result to every slot.
func (x *Extractor) finish(c *Call) {
	x.files.call(c)
	x.evidence.call(c)
	x.failures.call(c)
	x.decisions.call(c)
	x.phase.call(c)
	x.questions.call(c)
	x.background.call(c)
	x.names.call(c)
	x.constraints.call(c)
	x.workspace.call(c)
}

// LateExit reads an exit code that the session states apart from its result.
func (x *Extractor) LateExit(e *pith.LateExit) {
	x.evidence.lateExit(e)
}

// Boundary reads a compaction of the client's own. Its replacement history
// repeats messages of the session, so nothing is read from it.
func (x *Extractor) Boundary(b *pith.Boundary) {
	if r := b.Replacement; len(r) > 0 && len(r[0].Blocks) > 0 && strings.HasPrefix(r[0].Blocks[0].Text, pith.RecordOpen) {
		return // a memory took the place of the summary
	}
	x.goal.boundary()
}

// Facts closes the fold. The Extractor can go on reading afterwards.
func (x *Extractor) Facts() *Facts {
	f := &Facts{Turns: x.turn, First: max(x.first, 0), Last: max(x.last, 0), Blocks: &x.blocks}
	x.workspace.facts(f)
	x.goal.facts(f)
	x.constraints.facts(f)
	x.files.facts(f, x)
	x.evidence.facts(f)
	x.failures.facts(f, &x.evidence)
	x.decisions.facts(f)
	x.phase.facts(f)
	x.questions.facts(f, x)
	x.background.facts(f)
	x.names.facts(f)
	if f.Next = nextAction(x, f); x.questions.last == nothing && x.next != nil && len(x.calls.pending) == 0 {
		f.Next = *x.next // nobody has said or done anything since
	}
	return f
}
