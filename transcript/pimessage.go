package transcript

import (
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// piMessage is the message of a row, undecoded.
type piMessage struct {
	role, content, usage, model []byte
	api                         []byte
	callID, command, output     []byte
	errorText, summary          []byte
	exit                        int
	hasExit, failed             bool
	cancelled, hidden           bool
}

func readPiMessage(value []byte) (m piMessage) {
	c := jsonscan.New(value)
	if !c.Object() {
		return m
	}
	for {
		key, ok := c.Key()
		if !ok {
			return m
		}
		switch string(key) {
		case "role":
			m.role, _ = c.Raw()
		case "content":
			m.content = c.Value()
		case "usage":
			m.usage = c.Value()
		case "model":
			m.model = c.Value()
		case "api":
			m.api, _ = c.Raw()
		case "toolCallId":
			m.callID = c.Value()
		case "isError":
			m.failed = c.Bool()
		case "command":
			m.command = c.Value()
		case "output":
			m.output = c.Value()
		case "summary":
			m.summary = c.Value()
		case "errorMessage":
			m.errorText = c.Value()
		case "exitCode":
			m.exit, m.hasExit = c.Int()
		case "cancelled":
			m.cancelled = c.Bool()
		case "excludeFromContext":
			m.hidden = c.Bool()
		default:
			c.Skip()
		}
	}
}

// content adds what stands in a message's content to the one that is written.
func (s *pi) content(value []byte) {
	if s.write.text(value) || len(value) == 0 || value[0] != '[' {
		return
	}
	c := jsonscan.New(value)
	for c.Array(); c.More(); {
		s.block(&c)
	}
}

func (s *pi) block(c *jsonscan.Cursor) {
	if c.Peek() == '"' {
		s.write.text(c.Value())
		return
	}
	if !c.Object() {
		return
	}
	var kind, text, thinking, signature, id, name, args, data, mime []byte
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "type":
			kind, _ = c.Raw()
		case "text":
			text = c.Value()
		case "thinking":
			thinking = c.Value()
		case "thinkingSignature":
			signature = c.Value()
		case "id":
			id = c.Value()
		case "name":
			name = c.Value()
		case "arguments":
			args = c.Value()
		case "data":
			data = c.Value()
		case "mimeType":
			mime = c.Value()
		default:
			c.Skip()
		}
	}
	switch string(kind) {
	case "text":
		s.write.text(text)
	case "thinking":
		if !s.signed { // another provider's
			signature = nil
		}
		s.write.thinking(thinking, signature)
	case "toolCall":
		s.write.call(id, name, args)
	case "image":
		s.write.image(mime, data)
	}
}

// message reads a message of any of pi's roles.
func (s *pi) message(r *piRow, id string, line int, left bool) {
	f := readPiMessage(r.message)
	origin := pith.Harness
	switch role := string(f.role); role {
	case "user", "assistant":
		origin = pith.UserExplicit
		s.write.begin(pith.Role(role))
		s.signed = string(f.api) == "anthropic-messages"
		s.content(f.content)
	case "toolResult":
		s.write.begin(pith.RoleUser)
		s.write.result(f.callID, piResult(f.content), f.failed)
	case "bashExecution":
		s.shell(&f, r, id, line, left)
		return
	case "custom", "hookMessage", "branchSummary", "compactionSummary":
		s.write.begin(pith.RoleUser)
		s.content(f.content)
		s.write.text(f.summary)
	default:
		s.d.pass([]byte("message"), f.role)
		return
	}
	if m := s.write.thoughts(); m != nil {
		s.emit(m, r, id, line, left)
	}
	m := s.write.message(s.d.opts.KeepRaw)
	if m == nil {
		return
	}
	switch {
	case m.Role == pith.RoleAssistant:
		if !left {
			s.setModel(f.model)
		}
		m.Model, m.Usage = s.model, piUsage(f.usage)
	case origin == pith.Harness || len(m.Blocks) == 1 && isBareCommand(m.Blocks[0].Text):
		relabel(m.Blocks, pith.Harness)
	}
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == pith.KindToolResult && b.IsError && piAborted(b.Text) {
			b.Rejected = true
		}
	}
	s.emit(m, r, id, line, left)
}

// isBareCommand tells a slash command without any words that pi did not know.
// Those that it knows are carried out or expanded, and never become a message.
func isBareCommand(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) > 0 && len(text) < 40 && text[0] == '/' && !strings.ContainsAny(text[1:], "/. \t\n")
}

// piAborted tells a call that the user broke off from one that failed.
func piAborted(text string) bool {
	return strings.HasSuffix(strings.TrimSpace(text), "Command aborted") || strings.TrimSpace(text) == "Operation aborted"
}

// piResult turns the images of a result into those of an Anthropic one.
func piResult(content []byte) []byte {
	if len(content) == 0 || content[0] != '[' {
		return content
	}
	var s pi
	s.write.begin(pith.RoleUser)
	s.content(content)
	at := strings.IndexByte(string(s.write.buf), '[')
	return append(s.write.buf[at:], ']')
}

// shell reads a command that the user ran: a call and its result.
func (s *pi) shell(f *piMessage, r *piRow, id string, line int, left bool) {
	call := quoted("user-" + id)
	s.write.begin(pith.RoleAssistant)
	s.write.call(call, []byte(`"bash"`), append(append([]byte(`{"command":`), orEmpty(f.command)...), '}'))
	use := s.write.message(s.d.opts.KeepRaw)
	s.write.begin(pith.RoleUser)
	s.write.result(call, orEmpty(f.output), f.hasExit && f.exit != 0)
	res := s.write.message(s.d.opts.KeepRaw)
	if f.hidden { // the model was not told
		use.Nested, res.Nested = true, true
		use.Raw, res.Raw = nil, nil
	}
	b := &res.Blocks[0]
	b.Rejected = f.cancelled
	if f.hasExit {
		code := f.exit
		b.Exit = &code
	}
	s.emit(use, r, id, line, left)
	s.emit(res, r, id, line, left)
}

func orEmpty(value []byte) []byte {
	if isString(value) {
		return value
	}
	return []byte(`""`)
}

// piUsage reads pi's own count, in which input excludes cached tokens.
func piUsage(value []byte) *pith.Usage {
	var u pith.Usage
	c := jsonscan.New(value)
	if c.Peek() != '{' {
		return nil
	}
	for c.Object(); ; {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "input":
			u.Input, _ = c.Int()
		case "output":
			u.Output, _ = c.Int()
		case "cacheRead":
			u.CacheRead, _ = c.Int()
		case "cacheWrite":
			u.CacheWrite, _ = c.Int()
		default:
			c.Skip()
		}
	}
	if u == (pith.Usage{}) {
		return nil
	}
	return &u
}
