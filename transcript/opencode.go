package transcript

import (
	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// opencode reads what "opencode export" writes: one JSON object with the
// session and its messages, read message by message.
type opencode struct {
	d     *Decoder
	calls wire.OpenCalls
	write translation
	cwd   string
	// peer: the "user" of this session is another agent.
	peer bool
	// revert is the first message that the user took back, with what it did
	// to the disk; reverted is set behind it.
	revert   string
	reverted bool
	// kept are the ids of the messages so far, that compactions point at.
	kept       keptRows
	boundaries int
	results    []opencodeResult
}

func newOpencode(d *Decoder) *opencode {
	s := &opencode{d: d}
	d.source = newElementReader(d, "messages", s.member)
	return s
}

// member reads what a session says of itself.
func (s *opencode) member(key string, value []byte) {
	if key != "info" {
		return
	}
	h := &s.d.header
	h.SessionID, h.ClientVersion = member(value, "id"), member(value, "version")
	s.cwd = member(value, "directory")
	if member(value, "parentID") != "" {
		s.peer, h.Agent = true, h.SessionID
	}
	if c, ok := jsonscan.Find(value, "revert"); ok {
		if v := c.Value(); member(v, "partID") == "" {
			s.revert = member(v, "messageID")
		}
	}
}

// opencodeInfo is what a message says of itself, undecoded.
type opencodeInfo struct {
	id, role, model, path []byte
	tokens, time          []byte
	summary               bool
}

func readOpencodeInfo(value []byte) (f opencodeInfo) {
	c := jsonscan.New(value)
	if !c.Object() {
		return f
	}
	for {
		key, ok := c.Key()
		if !ok {
			return f
		}
		switch string(key) {
		case "id":
			f.id = c.Value()
		case "role":
			f.role, _ = c.Raw()
		case "modelID":
			f.model = c.Value()
		case "path":
			f.path = c.Value()
		case "tokens":
			f.tokens = c.Value()
		case "time":
			f.time = c.Value()
		case "summary":
			f.summary = c.Bool()
		default:
			c.Skip()
		}
	}
}

func (s *opencode) object(c *jsonscan.Cursor, at place) bool {
	if !c.Object() {
		return false
	}
	var info, parts []byte
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "info":
			info = c.Value()
		case "parts":
			parts = c.Value()
		default:
			c.Skip()
		}
	}
	if c.Bad() || info == nil || len(parts) == 0 || parts[0] != '[' {
		return false
	}
	f := readOpencodeInfo(info)
	role := rowRole(f.role)
	if role == "" {
		s.d.pass([]byte("message"), f.role)
		return true
	}
	if s.revert != "" && jsonString(f.id) == s.revert {
		s.reverted = true
	}
	if s.reverted {
		s.d.pass([]byte("message"), []byte("reverted"))
		return true
	}
	s.message(&f, role, parts, at.line)
	return true
}

// message reads a message part by part. A step that begins after calls begins
// another message: the model has seen the results by then.
func (s *opencode) message(f *opencodeInfo, role pith.Role, parts []byte, line int) {
	if cwd := member(f.path, "cwd"); cwd != "" {
		s.cwd = cwd
	}
	s.write.begin(role)
	var origins []pith.Provenance
	c := jsonscan.New(parts)
	for c.Array(); c.More(); {
		p := readOpencodePart(&c)
		switch string(p.kind) {
		case "text":
			if !p.ignored && s.write.text(p.text) {
				origins = append(origins, s.origin(f, role, p.synthetic))
			}
		case "reasoning":
			before := s.write.blocks
			if s.write.thinking(p.text, p.signature()); s.write.blocks > before {
				origins = append(origins, pith.Assistant)
			}
		case "tool":
			s.tool(&p)
			origins = append(origins, pith.Assistant)
		case "file":
			if s.file(&p) {
				origins = append(origins, pith.UserExplicit)
			}
		case "subtask":
			if s.write.text(p.prompt) {
				origins = append(origins, pith.Harness)
			}
		case "step-start":
			if len(s.results) > 0 {
				s.flush(f, role, origins, line, false)
				origins = nil
			}
		case "compaction":
			s.boundary(&p, line)
		case "step-finish", "snapshot", "agent", "retry":
		default:
			s.d.pass([]byte("part"), p.kind)
		}
	}
	s.flush(f, role, origins, line, true)
}

// origin tells whose words a text part holds.
func (s *opencode) origin(f *opencodeInfo, role pith.Role, synthetic bool) pith.Provenance {
	switch {
	case synthetic, f.summary && role == pith.RoleAssistant:
		return pith.Harness
	case role == pith.RoleAssistant:
		return pith.Assistant
	case s.peer:
		return pith.PeerAgent
	}
	return pith.UserExplicit
}

// flush hands out what was written: a message, and the results of its calls.
func (s *opencode) flush(f *opencodeInfo, role pith.Role, origins []pith.Provenance, line int, last bool) {
	id := jsonString(f.id)
	number := func(m *pith.Message) {
		m.ID, m.Line, m.CWD = id, line, s.cwd
		if id != "" {
			m.RowIDs = []string{id}
		}
		if c, ok := jsonscan.Find(f.time, "created"); ok {
			n, _ := c.Int()
			m.Time = millis(n)
		}
		s.calls.Outcomes(m)
	}
	if m := s.write.thoughts(); m != nil {
		number(m)
		s.d.emit(m)
	}
	if m := s.write.message(s.d.opts.KeepRaw); m != nil {
		number(m)
		for i := range m.Blocks {
			if m.Blocks[i].Kind == pith.KindText && i < len(origins) {
				m.Blocks[i].Origin = origins[i]
			}
		}
		if role == pith.RoleAssistant {
			if name := jsonString(f.model); name != "" {
				s.d.header.Model = name
			}
			m.Model = s.d.header.Model
			if last {
				m.Usage = opencodeUsage(f.tokens)
			}
		}
		s.d.emit(m)
	}
	if m := s.answers(); m != nil {
		number(m)
		s.outcomes(m)
		s.d.emit(m)
	}
	s.results = s.results[:0]
	s.kept.add(id)
	s.write.begin(role)
}

// boundary reads the part that asks for a compaction: the summary is the next
// message, and the messages from the part's tail on stay.
func (s *opencode) boundary(p *opencodePart, line int) {
	s.boundaries++
	b := &pith.Boundary{N: s.boundaries, Line: line, Trigger: "manual"}
	if p.auto {
		b.Trigger = "auto"
	}
	b.PreservedRows = s.kept.since(jsonString(p.tail))
	s.d.ready = append(s.d.ready, pith.Record{Boundary: b})
}

func (s *opencode) finish() {}
