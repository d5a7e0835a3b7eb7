package transcript

import (
	"bytes"
	"strings"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// codex reads the rows of a Codex rollout: API items, and events that repeat
// them or say more about them. What follows the last request is held until its
// usage is known.
type codex struct {
	d     *Decoder
	held  []held
	calls wire.OpenCalls
	// ends are exit codes and failures that came before their results, open
	// the results that came without a code.
	ends map[string]callEnd
	open map[string]bool
	// items is set once the file held a message as an item: then the events
	// that repeat messages are not needed.
	items bool
	// peer: the "user" of this session is another agent.
	peer        bool
	started     bool
	aborted     bool
	cwd, branch string
	sandbox     string
	usage       *pith.Usage
	boundaries  int
	// settled is where a later reading can go on, as Decoder.Settled says.
	settled   int64
	quiet     bool
	line      int
	recovered bool
	timestamp []byte
	// summary: the row holds what the client asked the model for when it
	// compacted.
	summary bool
}

// held is a record that waits. A tentative one goes when the file turns out to
// hold the same message as an item.
type held struct {
	record    pith.Record
	tentative bool
}

type callEnd struct {
	code   int
	coded  bool
	failed bool
}

const (
	maxHeld  = 256
	maxCalls = 1024
)

func newCodex(d *Decoder) *codex {
	s := &codex{d: d, ends: map[string]callEnd{}, open: map[string]bool{}}
	if b := d.opts.Behind; b != nil {
		s.goOn(b)
	}
	return s
}

func (s *codex) object(c *jsonscan.Cursor, at place) bool {
	var kind, payload []byte
	s.timestamp, s.summary = nil, false
	if !c.Object() {
		return false
	}
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "type":
			kind, _ = c.Raw()
		case "payload":
			payload = c.Value()
		case "timestamp":
			s.timestamp, _ = c.Raw()
		case "metadata":
			s.summary = string(memberValue(c.Value(), "compaction_output")) == "true"
		default:
			c.Skip()
		}
	}
	if c.Bad() || len(kind) == 0 || at.recovered && payload == nil {
		return false
	}
	s.line, s.recovered = at.line, at.recovered
	if len(payload) == 0 || payload[0] != '{' {
		s.d.pass(kind, nil)
		return true
	}
	switch string(kind) {
	case "response_item":
		s.item(payload)
	case "event_msg":
		s.event(payload)
	case "session_meta":
		s.meta(payload)
	case "turn_context":
		s.context(payload)
	case "compacted":
		s.compacted(payload)
	default:
		s.d.pass(kind, nil)
	}
	return true
}

// meta reads a session_meta row. A forked session repeats its parent's behind
// its own: the first one counts.
func (s *codex) meta(p []byte) {
	if cwd := member(p, "cwd"); cwd != "" {
		s.cwd = cwd
	}
	if s.started {
		return
	}
	s.started = true
	h := &s.d.header
	h.SessionID, h.ClientVersion = member(p, "id"), member(p, "cli_version")
	if start, end, ok := jsonscan.Member(p, "git"); ok {
		s.branch = member(p[start:end], "branch")
	}
	start, end, ok := jsonscan.Member(p, "source")
	if !ok {
		return
	}
	source := p[start:end]
	if _, _, ok := jsonscan.Member(source, "subagent"); ok || bytes.Equal(source, []byte(`"subagent"`)) {
		s.peer = true
		h.Agent = member(p, "agent_nickname")
		if h.Agent == "" {
			h.Agent = h.SessionID
		}
	}
}

// context reads a turn_context row. A sandbox is a limit that the client sets;
// it is told when it changes, and at the beginning where it forbids writing.
func (s *codex) context(p []byte) {
	var cwd, model, policy []byte
	c := jsonscan.New(p)
	c.Object()
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "cwd":
			cwd, _ = c.Raw()
		case "model":
			model, _ = c.Raw()
		case "sandbox_policy":
			policy = c.Value()
		default:
			c.Skip()
		}
	}
	if len(cwd) > 0 && string(cwd) != s.cwd {
		s.cwd = jsonscan.Text(cwd)
	}
	if len(model) > 0 && string(model) != s.d.header.Model {
		s.d.header.Model = jsonscan.Text(model)
	}
	mode := sandboxMode(policy)
	if mode == "" || mode == s.sandbox {
		return
	}
	changed := s.sandbox != "" || mode == "read-only"
	s.sandbox = mode
	if changed {
		s.say(pith.RoleUser, "sandbox: "+mode, pith.Harness, false)
	}
}

// sandboxMode reads a policy: its name, or an object that holds it.
func sandboxMode(policy []byte) string {
	if c := jsonscan.New(policy); c.Peek() == '"' {
		return c.String()
	}
	if mode := member(policy, "mode"); mode != "" {
		return mode
	}
	return member(policy, "type")
}

func (s *codex) newMessage() *pith.Message {
	m := &pith.Message{Line: s.line, CWD: s.cwd, Branch: s.branch}
	if t, err := time.Parse(time.RFC3339Nano, string(s.timestamp)); err == nil {
		m.Time = t
	}
	return m
}

// say holds a message that no item stands for.
func (s *codex) say(role pith.Role, text string, origin pith.Provenance, tentative bool) {
	m := s.newMessage()
	m.Role = role
	m.Blocks = []pith.Block{{Kind: pith.KindText, Text: text, Origin: origin}}
	if role == pith.RoleAssistant {
		m.Model = s.d.header.Model
	}
	s.hold(pith.Record{Message: m}, tentative)
}

// item reads an API item: one message.
func (s *codex) item(p []byte) {
	m := s.newMessage()
	read := wire.ReadMessage(pith.FormatCodex, p)
	m.ID, m.Role, m.Blocks = read.ID, read.Role, read.Blocks
	if s.d.opts.KeepRaw {
		m.Raw = bytes.Clone(p)
	}
	if s.peer && m.Role == pith.RoleUser {
		relabel(m.Blocks, pith.PeerAgent)
	}
	if len(m.Blocks) > 0 && m.Blocks[0].Kind == pith.KindText && m.Role != pith.RoleSystem {
		s.dropTentative()
		s.aborted = m.Role == pith.RoleUser && strings.HasPrefix(m.Blocks[0].Text, "<turn_aborted>")
	}
	if m.Role == pith.RoleAssistant {
		m.Model = s.d.header.Model
		s.beginRequest()
	}
	if s.summary { // the boundary behind it holds it too: nothing that the assistant told anybody
		relabel(m.Blocks, pith.Harness)
	}
	s.calls.Outcomes(m)
	for i := range m.Blocks {
		s.pair(&m.Blocks[i])
	}
	s.hold(pith.Record{Message: m}, false)
}

// pair gives a result the end that an event told before it.
func (s *codex) pair(b *pith.Block) {
	switch b.Kind {
	case pith.KindToolUse:
		delete(s.ends, b.ToolUseID) // an id that is used again
		delete(s.open, b.ToolUseID)
	case pith.KindToolResult:
		if end, ok := s.ends[b.ToolUseID]; ok {
			delete(s.ends, b.ToolUseID)
			end.apply(b)
		}
		if b.Exit == nil {
			if len(s.open) >= maxCalls {
				clear(s.open)
			}
			s.open[b.ToolUseID] = true
		}
	}
}

func (e callEnd) apply(b *pith.Block) {
	if e.coded && b.Exit == nil {
		code := e.code
		b.Exit, b.Running = &code, ""
	}
	b.IsError = b.IsError || e.failed
}

// ended takes an event that tells how a call ended: it goes to the result that
// is held, to the result to come, or out on its own where the result is gone.
func (s *codex) ended(callID []byte, end callEnd) {
	id := jsonscan.Text(callID)
	for i := len(s.held) - 1; i >= 0; i-- {
		m := s.held[i].record.Message
		if m == nil {
			continue
		}
		for k := range m.Blocks {
			if b := &m.Blocks[k]; b.Kind == pith.KindToolResult && b.ToolUseID == id {
				end.apply(b)
				delete(s.open, id)
				return
			}
		}
	}
	if s.open[id] {
		delete(s.open, id)
		if end.coded {
			s.hold(pith.Record{Exit: &pith.LateExit{ToolUseID: id, Code: end.code}}, false)
		}
		return
	}
	if len(s.ends) >= maxCalls {
		clear(s.ends)
	}
	s.ends[id] = end
}

// compacted reads a compaction of the client's own.
func (s *codex) compacted(p []byte) {
	s.release()
	s.boundaries++
	summary := member(p, "message")
	b := &pith.Boundary{N: s.boundaries, Line: s.line, Before: s.usage.Context(), Replacement: s.replacement(p, summary)}
	if s.d.index == 0 && s.d.opts.Behind == nil { // the file begins in the middle: what was kept is all there is
		for _, m := range s.replacement(p, summary) {
			m.Line = s.line
			s.d.emit(&m)
		}
	}
	if summary != "" && b.Replacement == nil {
		b.Replacement = []pith.Message{{
			Role: pith.RoleUser, Line: s.line,
			Blocks: []pith.Block{{Kind: pith.KindText, Text: summary, Origin: pith.Harness}},
		}}
	}
	s.usage = nil
	s.d.ready = append(s.d.ready, pith.Record{Boundary: b})
}

// replacement reads the history that a compaction put in the place of what was
// said; nil where the row holds none. The summary in it is a message of role
// user, but nobody's words.
func (s *codex) replacement(p []byte, summary string) (out []pith.Message) {
	c, ok := jsonscan.Find(p, "replacement_history")
	if !ok || !c.Array() {
		return nil
	}
	for c.More() {
		item := c.Value()
		m := wire.ReadMessage(pith.FormatCodex, item)
		if s.peer && m.Role == pith.RoleUser {
			relabel(m.Blocks, pith.PeerAgent)
		}
		if summary != "" && m.Role == pith.RoleUser && len(m.Blocks) == 1 && strings.HasSuffix(m.Blocks[0].Text, summary) {
			relabel(m.Blocks, pith.Harness)
		}
		if s.d.opts.KeepRaw {
			m.Raw = bytes.Clone(item)
		}
		out = append(out, m)
	}
	return out
}
