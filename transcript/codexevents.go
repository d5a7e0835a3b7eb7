package transcript

import (
	"slices"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// event reads an event_msg row. Most events repeat an item or are for a
// display; four say something that the items do not.
func (s *codex) event(p []byte) {
	kind := member(p, "type")
	switch kind {
	case "exec_command_end":
		if start, end, ok := jsonscan.Member(p, "exit_code"); ok {
			c := jsonscan.NewAt(p[:end], start)
			if code, ok := c.Int(); ok {
				s.ended(member(p, "call_id"), callEnd{code: code, coded: true})
			}
		}
		return
	case "patch_apply_end":
		if start, end, ok := jsonscan.Member(p, "success"); ok && string(p[start:end]) == "false" {
			s.ended(member(p, "call_id"), callEnd{failed: true})
		}
		return
	case "token_count":
		s.tokenCount(p)
		return
	case "turn_aborted":
		if !s.aborted {
			s.say(pith.RoleUser, "<turn_aborted>\nreason: "+member(p, "reason")+"\n</turn_aborted>", pith.Harness, false)
		}
		s.aborted = false
		return
	case "user_message", "agent_message":
		s.twin(p, kind == "user_message")
		return
	}
	s.d.pass([]byte("event_msg"), []byte(kind))
}

// twin reads an event that repeats a message. It counts only in a file that
// holds no messages as items.
func (s *codex) twin(p []byte, user bool) {
	text := member(p, "message")
	if s.items || text == "" {
		return
	}
	role, origin := pith.RoleAssistant, pith.Assistant
	if user {
		role, origin = pith.RoleUser, pith.UserExplicit
		if s.peer {
			origin = pith.PeerAgent
		}
	}
	s.say(role, text, origin, true)
}

// dropTentative forgets the messages of events: this file has the items.
func (s *codex) dropTentative() {
	if s.items {
		return
	}
	s.items = true
	s.held = slices.DeleteFunc(s.held, func(h held) bool { return h.tentative })
}

// tokenCount reads the usage of the request that was answered last and hands
// it to its last message.
func (s *codex) tokenCount(p []byte) {
	start, end, ok := jsonscan.Member(p, "info")
	if !ok {
		return
	}
	info := p[start:end]
	start, end, ok = jsonscan.Member(info, "last_token_usage")
	if !ok {
		return
	}
	usage := wire.ReadUsage(info[start:end])
	if usage == nil {
		return
	}
	if start, end, ok := jsonscan.Member(info, "model_context_window"); ok {
		c := jsonscan.NewAt(info[:end], start)
		usage.Window, _ = c.Int()
	}
	s.usage = usage
	for i := len(s.held) - 1; i >= 0; i-- {
		if m := s.held[i].record.Message; m != nil && m.Role == pith.RoleAssistant {
			if m.Usage == nil {
				m.Usage = usage
			}
			return
		}
	}
}

// beginRequest lets go of an answered request: an item of the assistant behind
// one of the user belongs to another request.
func (s *codex) beginRequest() {
	asked := false
	for i := range s.held {
		m := s.held[i].record.Message
		if m == nil {
			continue
		}
		if m.Role == pith.RoleAssistant {
			asked = true
		} else if asked {
			s.release()
			return
		}
	}
}

func (s *codex) hold(r pith.Record, tentative bool) {
	if len(s.held) >= maxHeld {
		s.release()
	}
	s.held = append(s.held, held{record: r, tentative: tentative})
}

// release hands out what is held. Messages of events stay while it is open
// whether the file has them as items, unless they are too many.
func (s *codex) release() {
	for i := range s.held {
		r := s.held[i].record
		if r.Message != nil {
			s.d.emit(r.Message)
		} else {
			s.d.ready = append(s.d.ready, r)
		}
		s.held[i] = held{}
	}
	s.held = s.held[:0]
}

func (s *codex) finish() { s.release() }
