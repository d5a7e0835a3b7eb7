package memory

import (
	"errors"
	"io"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/transcript"
)

// Identity reads as much of a transcript as it takes to know its format and
// the session's id, "" where it names none.
func Identity(r io.Reader, n Numbering) (pith.Format, string, error) {
	d, err := transcript.NewDecoder(r, transcript.Options{Format: n.Format, Session: n.Session})
	if err != nil {
		return "", "", err
	}
	for n := 0; n < 64 && d.Header().SessionID == ""; n++ {
		if _, err := d.Next(); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return "", "", err
		}
	}
	var names labels
	h := names.header(d.Header())
	if h.SessionID != "" && h.Agent != "" { // a part of a session, to a search
		h.SessionID += "#" + h.Agent
	}
	return h.Format, h.SessionID, nil
}

// AgentSession names the session that a sub-agent's own thread is: its
// checkpoints are a chain of their own.
func AgentSession(session, agent string) string {
	id := session + agentMark + agent
	if !schema.ValidSessionID(id) {
		return hashed("session-", id)
	}
	return id
}

// agentMark stands between the id of a session and that of its sub-agent.
const agentMark = ".agent-"

// IsAgentOf tells by its id whether a session is that of a sub-agent of another.
func IsAgentOf(id, session string) bool { return strings.HasPrefix(id, session+agentMark) }

// Root reads as much of a transcript as it takes to know the folder in which
// its work began, as the client recorded it, "" where it says nothing of that.
func Root(r io.Reader, n Numbering) (string, error) {
	d, err := transcript.NewDecoder(r, transcript.Options{Format: n.Format, Session: n.Session})
	if err != nil {
		return "", err
	}
	for range 64 {
		record, err := d.Next()
		if errors.Is(err, io.EOF) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		if m := record.Message; m != nil && m.CWD != "" {
			var names labels
			c := *m
			names.message(&c)
			return c.CWD, nil
		}
	}
	return "", nil
}

// Carried is the beginning of the id of the checkpoint whose block a transcript
// begins with, "" where it begins with none: a client that makes a session of a
// part of another one takes the block along, and not what it stands for.
func Carried(r io.Reader, n Numbering) (string, error) {
	d, err := transcript.NewDecoder(r, transcript.Options{Format: n.Format, Session: n.Session})
	if err != nil {
		return "", err
	}
	for said := 0; said < 2; {
		record, err := d.Next()
		if errors.Is(err, io.EOF) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		m := record.Message
		if m == nil || m.Role == pith.RoleSystem {
			continue
		}
		said++
		for i := range m.Blocks {
			if h, ok := restore.BlockIn(m.Blocks[i].Text); ok && m.Role == pith.RoleUser && m.Blocks[i].Kind == pith.KindText {
				return h.CheckpointID, nil
			}
		}
	}
	return "", nil
}
