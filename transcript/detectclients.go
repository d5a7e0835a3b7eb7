package transcript

import (
	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// rowKeys are keys of a row that only some clients write.
type rowKeys struct {
	cwd, version, timestamp, project, content, control bool
}

func (k *rowKeys) see(key []byte) {
	switch string(key) {
	case "cwd":
		k.cwd = true
	case "version":
		k.version = true
	case "timestamp":
		k.timestamp = true
	case "projectHash":
		k.project = true
	case "content":
		k.content = true
	case "$set", "$rewindTo":
		k.control = true
	}
}

// format tells whose a row is that is neither Claude Code's nor Codex's.
// claude: it has one of the keys that Claude Code writes; Gemini CLI writes
// sessionId too, but only beside projectHash.
func (k *rowKeys) format(kind string, message, claude bool) pith.Format {
	switch {
	case kind == "" && (k.project || k.control):
		return pith.FormatGemini
	case claude:
		return ""
	case kind == "session" && k.cwd && k.timestamp,
		kind == "message" && message && k.timestamp,
		(kind == "model_change" || kind == "thinking_level_change") && k.timestamp:
		return pith.FormatPi
	case kind == "gemini" && k.content:
		return pith.FormatGemini
	}
	return ""
}

// wholeFormat tells whose session a file is that consists of one JSON object,
// and which of its members lists the messages. The object may have only begun.
func wholeFormat(head []byte) (f pith.Format, list string) {
	c := jsonscan.New(head)
	if c.Peek() != '{' || !c.Object() {
		return "", ""
	}
	project, session, info, started := false, false, false, false
	for {
		key, ok := c.Key()
		if !ok {
			return "", ""
		}
		switch string(key) {
		case "projectHash":
			project = true
		case "sessionId":
			session = true
		case "startTime", "lastUpdated":
			started = true
		case "info":
			info = c.Peek() == '{'
		case "messages":
			if c.Peek() != '[' {
				break
			}
			if session && (project || started) {
				return pith.FormatGemini, "messages"
			}
			if info && listsParts(c) {
				return pith.FormatOpencode, "messages"
			}
		}
		c.Skip()
	}
}

// listsParts tells whether a list is empty or begins with opencode's
// {info, parts}, as far as it can be seen.
func listsParts(c jsonscan.Cursor) bool {
	if !c.Array() || !c.More() {
		return true
	}
	if !c.Object() {
		return false
	}
	key, ok := c.Key()
	return !ok || string(key) == "info" || string(key) == "parts"
}
