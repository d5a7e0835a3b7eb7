package transcript

import (
	"slices"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// codexEvent is the part of an event that is read.
type codexEvent struct {
	kind, callID, message, reason []byte
	info, item                    []byte
	code                          int
	coded, failed                 bool
}

// readEvent reads an event's fields, and stops at once where its type is one
// that nothing is read from: the outputs in them are long.
func readEvent(p []byte) (e codexEvent) {
	c := jsonscan.New(p)
	c.Object()
	for {
		key, ok := c.Key()
		if !ok {
			return e
		}
		switch string(key) {
		case "type":
			if e.kind, _ = c.Raw(); !readsEvent(e.kind) {
				return e
			}
		case "call_id":
			e.callID, _ = c.Raw()
		case "exit_code":
			e.code, e.coded = c.Int()
		case "success":
			e.failed = string(c.Value()) == "false"
		case "message":
			e.message, _ = c.Raw()
		case "reason":
			e.reason, _ = c.Raw()
		case "info":
			e.info = c.Value()
		case "item":
			e.item = c.Value()
		default:
			c.Skip()
		}
	}
}

func readsEvent(kind []byte) bool {
	switch string(kind) {
	case "exec_command_end", "patch_apply_end", "token_count", "turn_aborted", "user_message", "agent_message", "item_completed":
		return true
	}
	return false
}

// event reads an event_msg row. Most events repeat an item or are for a
// display; five say something that the items do not.
func (s *codex) event(p []byte) {
	e := readEvent(p)
	switch string(e.kind) {
	case "exec_command_end":
		if e.coded {
			s.ended(e.callID, callEnd{code: e.code, coded: true})
		}
	case "patch_apply_end":
		if e.failed {
			s.ended(e.callID, callEnd{failed: true})
		}
	case "token_count":
		s.tokenCount(e.info)
	case "turn_aborted":
		if !s.aborted {
			s.say(pith.RoleUser, "<turn_aborted>\nreason: "+jsonscan.Text(e.reason)+"\n</turn_aborted>", pith.Harness, false)
		}
		s.aborted = false
	case "user_message", "agent_message":
		if !s.items && len(e.message) > 0 {
			s.twin(jsonscan.Text(e.message), string(e.kind) == "user_message")
		}
	case "item_completed":
		s.completed(e.item)
	default:
		s.d.pass([]byte("event_msg"), e.kind)
	}
}

// twin holds an event that repeats a message. It counts only in a file that
// holds no messages as items.
func (s *codex) twin(text string, user bool) {
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
func (s *codex) tokenCount(info []byte) {
	start, end, ok := jsonscan.Member(info, "last_token_usage")
	if !ok {
		return
	}
	usage := wire.ReadUsage(info[start:end])
	if usage == nil {
		return
	}
	if c, ok := jsonscan.Find(info, "model_context_window"); ok {
		usage.Window, _ = c.Int()
	}
	s.usage = usage
	for i := len(s.held) - 1; i >= 0; i-- {
		if m := s.held[i].record.Message; m != nil && m.Role == pith.RoleAssistant && !m.Nested {
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
		if m == nil || m.Nested {
			continue
		}
		if m.Role == pith.RoleAssistant {
			asked = true
		} else if asked {
			s.release()
			if !s.recovered && s.calls.Waiting() == 0 {
				s.settled = s.d.begin
			}
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

// release hands out what is held, messages of events included: what is still
// tentative now will not be taken back.
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

func (s *codex) finish() {
	s.quiet = s.isQuiet()
	s.release()
}
