package transcript

import (
	"strings"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// claudeCode reads the rows of a Claude Code session. Rows stand in file order:
// following parentUuid loses rows of parallel calls.
type claudeCode struct {
	d     *Decoder
	turn  claudeTurn
	calls wire.OpenCalls
	rows  recentRows
	// messages are those whose usage was counted.
	messages recentRows
	// content is set once the file held a message.
	content bool
	// ownAgent is the sub-agent whose file this is.
	ownAgent    string
	cwd, branch string
	boundaries  int
	copies      copiedRows
}

func newClaudeCode(d *Decoder) *claudeCode {
	s := &claudeCode{d: d}
	if b := d.opts.Behind; b != nil {
		s.cwd, s.branch = b.CWD, b.Branch
		for _, id := range b.Rows {
			s.rows.add(id)
		}
		// The rows of a sub-agent's own file tell by themselves whose they are.
		s.content = b.Header.Agent == ""
	}
	return s
}

func (s *claudeCode) object(c *jsonscan.Cursor, at place) bool {
	r := readClaudeRow(c)
	if c.Bad() || len(r.kind) == 0 || at.recovered && !r.known && r.uuid == nil {
		return false
	}
	id := string(r.uuid)
	if id != "" && !s.rows.add(id) {
		s.d.skip(at.line, "the same row again, passed over")
		return true
	}
	s.header(&r)
	switch role := rowRole(r.kind); {
	case role != "":
		if r.message.of(role) {
			if copied := s.copied(&r, role); copied && s.repeats(&r, id, at.line, role) {
				return true
			} else if !copied {
				s.copiesEnd()
			}
			s.message(&r, id, at.line, role)
			return true
		}
	case string(r.kind) == "system" && string(r.subtype) == "compact_boundary" && !s.foreign(&r):
		s.copiesEnd()
		s.boundary(&r, at.line)
		return true
	case string(r.kind) == "summary" && !s.content && r.summary != nil:
		m := s.newMessage(&r, id, at.line, pith.RoleUser)
		s.turn.add(s, &m, id, []pith.Block{{Kind: pith.KindText, Text: jsonscan.Text(r.summary), Origin: pith.Harness}}, nil)
		return true
	case string(r.kind) == "attachment" && r.attachment != nil:
		if kind, done := s.attached(&r, id, at.line); !done {
			s.d.pass(r.kind, kind)
		}
		return true
	}
	s.d.pass(r.kind, r.subtype)
	return true
}

func (s *claudeCode) header(r *claudeRow) {
	h := &s.d.header
	if h.SessionID == "" && r.sessionID != nil {
		h.SessionID = jsonscan.Text(r.sessionID)
	}
	if r.version != nil && string(r.version) != h.ClientVersion {
		h.ClientVersion = jsonscan.Text(r.version)
	}
	if r.cwd != nil && string(r.cwd) != s.cwd {
		s.cwd = jsonscan.Text(r.cwd)
	}
	if r.branch != nil && string(r.branch) != s.branch {
		s.branch = jsonscan.Text(r.branch)
	}
}

// agent names the sub-agent of a row, "" for the thread that the file is of.
func (s *claudeCode) agent(r *claudeRow) string {
	if !r.sidechain {
		return ""
	}
	if len(r.agentID) == 0 {
		return "sidechain"
	}
	if string(r.agentID) == s.ownAgent {
		return ""
	}
	return jsonscan.Text(r.agentID)
}

// foreign tells whether a row is of another thread than the file's.
func (s *claudeCode) foreign(r *claudeRow) bool {
	return r.sidechain && s.ownAgent == "" && s.content
}

// newMessage is a row's message so far. Its RowIDs are added with the turn's.
func (s *claudeCode) newMessage(r *claudeRow, id string, line int, role pith.Role) pith.Message {
	m := pith.Message{ID: id, Role: role, Line: line, CWD: s.cwd, Branch: s.branch}
	if t, err := time.Parse(time.RFC3339Nano, string(r.timestamp)); err == nil {
		m.Time = t
	}
	return m
}

// message takes in a user or assistant row.
func (s *claudeCode) message(r *claudeRow, id string, line int, role pith.Role) {
	if !s.content && r.sidechain && len(r.agentID) > 0 {
		s.ownAgent = jsonscan.Text(r.agentID)
		s.d.header.Agent = s.ownAgent
	}
	s.content = true
	f := &r.message
	m := s.newMessage(r, id, line, role)
	m.Agent = s.agent(r)
	if role == pith.RoleUser {
		s.userBlocks(r, f.blocks)
	} else {
		if f.id != nil {
			m.ID = jsonscan.Text(f.id)
		}
		switch {
		case r.remade(role): // the model's words, which the client wrote again
		case r.apiError || string(f.model) == "<synthetic>": // the client's words, not a model's
			relabel(f.blocks, pith.Harness)
		default:
			m.Model = s.model(f.model, m.Agent)
			m.Usage = wire.ReadUsage(f.usage)
		}
	}
	s.turn.add(s, &m, id, f.blocks, f.content)
}

// model keeps one string for the model that goes on answering.
func (s *claudeCode) model(raw []byte, agent string) string {
	h := &s.d.header
	if string(raw) == h.Model {
		return h.Model
	}
	if len(raw) == 0 {
		return ""
	}
	name := jsonscan.Text(raw)
	if agent == "" {
		h.Model = name
	}
	return name
}

// userBlocks labels the words of a user row, and takes from the row what its
// tool results do not say.
func (s *claudeCode) userBlocks(r *claudeRow, blocks []pith.Block) {
	switch {
	case r.compacted || r.meta || r.written():
		relabel(blocks, pith.Harness)
	case r.sidechain:
		relabel(blocks, pith.PeerAgent)
	}
	if len(r.result) == 0 {
		return
	}
	expected, interrupted := resultFacts(r.result)
	for i := range blocks {
		if blocks[i].Kind == pith.KindToolResult {
			blocks[i].ExpectedNonZero = expected
			blocks[i].Rejected = interrupted
		}
	}
}

func relabel(blocks []pith.Block, origin pith.Provenance) {
	for i := range blocks {
		if blocks[i].Kind == pith.KindText {
			blocks[i].Origin = origin
		}
	}
}

// attached reads an attachment row: words that were queued while the agent
// worked. Any other kind is the client's own and gives false.
func (s *claudeCode) attached(r *claudeRow, id string, line int) (kind []byte, done bool) {
	c := jsonscan.New(r.attachment)
	c.Object()
	var mode, prompt []byte
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "type":
			kind, _ = c.Raw()
		case "commandMode":
			mode, _ = c.Raw()
		case "prompt":
			prompt = c.Value()
		default:
			c.Skip()
		}
	}
	if string(kind) != "queued_command" || prompt == nil {
		return kind, false
	}
	s.copiesEnd()
	blocks := wire.Content(prompt, pith.RoleUser)
	switch {
	case len(mode) > 0 && string(mode) != "prompt":
		relabel(blocks, pith.Harness)
	case r.sidechain:
		relabel(blocks, pith.PeerAgent)
	}
	m := s.newMessage(r, id, line, pith.RoleUser)
	m.Agent = s.agent(r)
	s.content = true
	s.turn.add(s, &m, id, blocks, prompt)
	return kind, true
}

func (s *claudeCode) boundary(r *claudeRow, line int) {
	s.turn.flush(s)
	s.boundaries++
	b := &pith.Boundary{N: s.boundaries, Line: line}
	c := jsonscan.New(r.compact)
	if c.Peek() == '{' {
		c.Object()
		for {
			key, ok := c.Key()
			if !ok {
				break
			}
			switch string(key) {
			case "trigger":
				b.Trigger = c.String()
			case "preTokens":
				n, _ := c.Int()
				b.Before = pith.Tokens(n)
			case "preservedMessages":
				if rows := uuidList(c.Value()); rows != nil {
					b.PreservedRows = rows
				}
			case "preservedSegment":
				if segment := c.Value(); b.PreservedRows == nil {
					b.PreservedRows = s.rows.between(member(segment, "headUuid"), member(segment, "tailUuid"))
				}
			default:
				c.Skip()
			}
		}
	}
	s.copies = copiedRows{boundary: b, time: string(r.timestamp), first: !s.content}
	s.content = true
}

func (s *claudeCode) finish() {
	s.copiesEnd()
	s.turn.flush(s)
}

// impliedExit: Claude Code marks a failed command as an error, so a command's
// result without a mark is an exit 0, where it has ended at all. That holds
// against a last line that states another code: "go run x | tail" ends with
// one that is not the command's own.
func impliedExit(m *pith.Message) {
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Kind != pith.KindToolResult || b.IsError || b.Rejected || b.ExpectedNonZero || b.Running != "" {
			continue
		}
		if b.Exit != nil && strings.HasPrefix(b.Text, "Exit code ") {
			continue
		}
		if name := strings.ToLower(b.ToolName); name == "bash" || name == "powershell" || name == "shell" {
			zero := 0
			b.Exit = &zero
		}
	}
}
