package transcript

import "github.com/pith-memory/pith/jsonscan"

// claudeRow is one row, undecoded.
type claudeRow struct {
	kind, subtype, uuid, agentID []byte
	cwd, branch, timestamp       []byte
	sessionID, version, summary  []byte
	rowSource                    []byte
	message, result              []byte
	compact, attachment          []byte
	meta, sidechain, compacted   bool
	apiError, known              bool
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
		case "message":
			r.message = c.Value()
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

// claudeMessage is a row's message, undecoded.
type claudeMessage struct{ id, model, content, usage []byte }

func readClaudeMessage(message []byte) (f claudeMessage) {
	c := jsonscan.New(message)
	c.Object()
	for {
		key, ok := c.Key()
		if !ok {
			return f
		}
		switch string(key) {
		case "id":
			f.id, _ = c.Raw()
		case "model":
			f.model, _ = c.Raw()
		case "content":
			f.content = c.Value()
		case "usage":
			f.usage = c.Value()
		default:
			c.Skip()
		}
	}
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
		start, end, ok := jsonscan.Member(value, key)
		if !ok {
			continue
		}
		c := jsonscan.NewAt(value[:end], start)
		if !c.Array() {
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

// member reads a string out of an object.
func member(object []byte, key string) string {
	start, end, ok := jsonscan.Member(object, key)
	if !ok {
		return ""
	}
	c := jsonscan.NewAt(object[:end], start)
	return c.String()
}
