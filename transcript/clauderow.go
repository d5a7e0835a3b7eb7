package transcript

import (
	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// claudeRow is one row, undecoded.
type claudeRow struct {
	kind, subtype, uuid, agentID []byte
	cwd, branch, timestamp       []byte
	sessionID, version, summary  []byte
	rowSource, madeBy            []byte
	result                       []byte
	compact, attachment          []byte
	message                      claudeMessage
	meta, sidechain, compacted   bool
	apiError, known              bool
}

// written tells whether the client or a hook wrote the row. What a user typed
// is "local" in newer clients and unmarked in older ones; "recorded" is what
// other agents and tasks reported, and in a sub-agent's thread its prompt.
func (r *claudeRow) written() bool {
	switch string(r.rowSource) {
	case "harness", "hook":
		return true
	case "recorded":
		return !r.sidechain
	}
	return false
}

func readClaudeRow(c *jsonscan.Cursor) (r claudeRow) {
	if !c.Object() {
		return r
	}
	for {
		key, ok := c.Key()
		if !ok {
			return r
		}
		switch string(key) {
		case "type":
			r.kind, _ = c.Raw()
		case "subtype":
			r.subtype, _ = c.Raw()
		case "uuid":
			r.uuid, _ = c.Raw()
		case "agentId":
			r.agentID, _ = c.Raw()
		case "cwd":
			r.cwd, _ = c.Raw()
		case "gitBranch":
			r.branch, _ = c.Raw()
		case "timestamp":
			r.timestamp, _ = c.Raw()
		case "sessionId", "session_id":
			r.sessionID, r.known = c.Raw()
		case "version":
			r.version, _ = c.Raw()
		case "summary":
			r.summary, _ = c.Raw()
		case "rowSource":
			r.rowSource, _ = c.Raw()
		case "madeBy":
			r.madeBy, _ = c.Raw()
		case "message":
			r.readMessage(c)
		case "toolUseResult":
			r.result = c.Value()
		case "compactMetadata":
			r.compact = c.Value()
		case "attachment":
			r.attachment = c.Value()
		case "isMeta":
			r.meta = c.Bool()
		case "isSidechain":
			r.sidechain = c.Bool()
		case "isCompactSummary":
			r.compacted = c.Bool()
		case "isApiErrorMessage":
			r.apiError = c.Bool()
		default:
			c.Skip()
		}
	}
}

// claudeMessage is a row's message.
type claudeMessage struct {
	id, model, content, usage []byte
	blocks                    []pith.Block
	// role is what the content was read as, "" where that was not known.
	role pith.Role
	// whole is the undecoded message.
	whole []byte
}

// rowRole is whose words a row of that type holds, "" where it is no message.
func rowRole(kind []byte) pith.Role {
	switch string(kind) {
	case "user":
		return pith.RoleUser
	case "assistant":
		return pith.RoleAssistant
	}
	return ""
}

// readMessage reads the message at the cursor as that of the row's type, or as
// what it says itself where the type is still to come. Of one that is not whole
// JSON inside, what stands before the fault is read.
func (r *claudeRow) readMessage(c *jsonscan.Cursor) {
	r.message = claudeMessage{}
	if c.Peek() != '{' || r.kind != nil && rowRole(r.kind) == "" {
		c.Skip()
		return
	}
	start := *c
	if r.message.read(c, rowRole(r.kind)); c.Bad() {
		*c = start
		c.Skip()
	}
	r.message.whole = c.Since(&start)
}

// of gives the message of a row of that role, false where it has no content.
func (m *claudeMessage) of(role pith.Role) bool {
	if m.role != role && m.whole != nil {
		c := jsonscan.New(m.whole)
		*m = claudeMessage{whole: m.whole}
		m.read(&c, role)
	}
	return m.content != nil
}

// read reads a message. Without a role it goes by the message's own, where that
// stands before the content.
func (m *claudeMessage) read(c *jsonscan.Cursor, role pith.Role) {
	m.role = role
	unread := false
	c.Object()
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "role":
			if name, _ := c.Raw(); m.role == "" {
				m.role = rowRole(name)
			}
		case "id":
			m.id, _ = c.Raw()
		case "model":
			m.model, _ = c.Raw()
		case "content":
			if unread = m.role == ""; unread {
				c.Skip()
			} else {
				m.readContent(c)
			}
		case "usage":
			m.usage = c.Value()
		default:
			c.Skip()
		}
	}
	if unread {
		m.role = ""
	}
}

func (m *claudeMessage) readContent(c *jsonscan.Cursor) {
	c.Peek()
	start := *c
	if m.blocks = wire.ContentAt(c, m.role); c.Bad() {
		*c = start
		c.Skip()
	}
	m.content = c.Since(&start)
}

// resultFacts reads the two facts that only the client's own record of a shell
// command holds. The record of any other tool, which may repeat a whole file,
// is not read.
func resultFacts(result []byte) (expectedNonZero, interrupted bool) {
	c := jsonscan.New(result)
	if c.Peek() != '{' {
		return false, false
	}
	c.Object()
	for first := true; ; first = false {
		key, ok := c.Key()
		if !ok || first && string(key) != "stdout" {
			return expectedNonZero, interrupted
		}
		switch string(key) {
		case "returnCodeInterpretation":
			text, _ := c.Raw()
			expectedNonZero = len(text) > 0
		case "interrupted":
			interrupted = c.Bool()
		default:
			c.Skip()
		}
	}
}

// uuidList reads the ids of preserved messages.
func uuidList(value []byte) (out []string) {
	for _, key := range []string{"uuids", "allUuids"} {
		c, ok := jsonscan.Find(value, key)
		if !ok || !c.Array() {
			continue
		}
		for c.More() {
			out = append(out, c.String())
		}
		if out != nil {
			return out
		}
	}
	return nil
}

// member reads a string out of an object, "" where there is none.
func member(object []byte, key string) string {
	c, _ := jsonscan.Find(object, key)
	return c.String()
}
