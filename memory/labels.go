package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/transcript"
)

// The longest names that the contract takes, in bytes.
const (
	longestPath   = 4096
	longestBranch = 400
	longestName   = 200
	// longestTool is the length up to which a tool's name is taken unseen: the
	// API allows no longer one, and no secret is this short and plain.
	longestTool = 64
)

// labels makes what a session says of itself fit to be written: the contract
// has each of these on one line, in visible characters, within a limit and
// without a secret. Most messages repeat the labels of the one before.
type labels struct{ cwd, branch, model, agent label }

// label is a value as the session has it, and as it may be written.
type label struct{ in, out string }

func (l *label) clean(s *string, limit int) {
	if *s == "" {
		return
	}
	if *s != l.in {
		l.in, l.out = *s, cleanLabel(*s, limit)
	}
	*s = l.out
}

// cleanLabel normalises a label. One that is too long or holds a secret is
// left out: a part of a path or of a name would be another one.
func cleanLabel(s string, limit int) string {
	s, _ = redact.Normalise(s)
	s = strings.TrimSpace(strings.NewReplacer("\n", " ", "\t", " ").Replace(s))
	if len(s) > limit || len(redact.Dirty([]byte(s))) > 0 {
		return ""
	}
	return s
}

func (l *labels) message(m *pith.Message) {
	switch m.Role {
	case pith.RoleSystem, pith.RoleUser, pith.RoleAssistant:
	default: // whose words they are is said by each block, not by the role
		m.Role = pith.RoleUser
	}
	l.cwd.clean(&m.CWD, longestPath)
	l.branch.clean(&m.Branch, longestBranch)
	l.model.clean(&m.Model, longestName)
	if m.Agent != "" {
		m.Agent = l.thread(m.Agent)
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if misplaced(m.Role, b.Kind) {
			*b = pith.Block{Kind: pith.KindOpaque, Origin: b.Origin}
		}
		if b.Kind == pith.KindToolUse && !isPlainName(b.ToolName) {
			b.ToolName = cleanLabel(b.ToolName, longestName)
			if b.ToolName == "" {
				b.ToolName = "unnamed"
			}
		}
	}
}

// misplaced tells whether no API takes a block in a message of this role: only
// a model calls tools, and no prompt holds what they returned.
func misplaced(role pith.Role, kind pith.BlockKind) bool {
	return kind == pith.KindToolUse && role != pith.RoleAssistant || kind == pith.KindToolResult && role == pith.RoleSystem
}

// isPlainName tells whether a tool's name is one as every client writes it.
func isPlainName(s string) bool {
	if s == "" || len(s) > longestTool {
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

// thread cleans the id of a sub-agent. It tells threads apart, so one that
// cannot be written is named by its hash.
func (l *labels) thread(id string) string {
	out := id
	l.agent.clean(&out, longestName)
	if out == "" {
		return hashed("agent-", id)
	}
	return out
}

func (l *labels) header(h transcript.Header) transcript.Header {
	l.model.clean(&h.Model, longestName)
	h.ClientVersion = cleanLabel(h.ClientVersion, longestName)
	if h.Agent != "" {
		h.Agent = l.thread(h.Agent)
	}
	if id := h.SessionID; id != "" && (!schema.ValidSessionID(id) || cleanLabel(id, longestName) != id) {
		h.SessionID = hashed("session-", id)
	}
	return h
}

// hashed names a thing whose own id cannot be written.
func hashed(kind, id string) string {
	sum := sha256.Sum256([]byte(id))
	return kind + hex.EncodeToString(sum[:8])
}
