package transcript

import (
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// tau2 reads the simulations of tau2-bench and the runs of tau-bench: chat
// messages, a session for each simulation.
type tau2 struct {
	talk
	x     *document
	model string
}

func (s *tau2) wants(key string) bool { return key == "simulations" || key == "info" }

func (s *tau2) element(key string, value []byte) bool {
	if len(value) == 0 || value[0] != '{' {
		return false
	}
	if key == "info" {
		c := jsonscan.New(memberPath(value, "agent_info", "llm"))
		s.model = c.String()
		return true
	}
	messages := memberValue(value, "messages")
	if messages == nil {
		messages = memberValue(value, "traj")
	}
	if messages == nil {
		return false
	}
	task := scalar(memberValue(value, "task_id"))
	id := member(value, "id")
	if id == "" {
		id = "task-" + task + "-trial-" + scalar(memberValue(value, "trial"))
	}
	if !s.x.sessions.open(id, task) {
		return true
	}
	s.d.header.SessionID, s.d.header.Model = id, s.model
	s.list(messages)
	s.x.sessions.close()
	return true
}

// scalar is the text of a string or a number.
func scalar(value []byte) string {
	c := jsonscan.New(value)
	if c.Peek() == '"' {
		return c.String()
	}
	return string(value)
}

func (s *tau2) message(value []byte) {
	role := member(value, "role")
	if role == "tool" && member(value, "requestor") == "user" {
		s.d.pass([]byte("tool"), []byte("of the user"))
		return
	}
	m := wire.ReadMessage(pith.FormatOpenAIChat, value)
	m.ID = ""
	if role == "user" { // the devices that a simulated user works are not the agent's tools
		kept := m.Blocks[:0]
		for _, b := range m.Blocks {
			if b.Kind != pith.KindToolUse {
				kept = append(kept, b)
			}
		}
		m.Blocks = kept
	}
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04:05.999999"} {
		if t, err := time.Parse(layout, member(value, "timestamp")); err == nil {
			m.Time = t
			break
		}
	}
	if m.Role == pith.RoleAssistant {
		m.Model = s.model
		if usage := memberValue(value, "usage"); usage != nil {
			m.Usage = wire.ReadUsage(usage)
		}
	}
	s.say(&m)
}

func (s *tau2) finish() {}
