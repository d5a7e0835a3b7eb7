package transcript

import (
	"bytes"

	"github.com/pith-memory/pith/jsonscan"
)

// tornLayout reads what is there of an element that the end of the file cut.
type tornLayout interface{ torn(element []byte) }

// rest hands a layout the element that the end of the file cut.
func (x *document) rest() {
	t, ok := x.layout.(tornLayout)
	if !ok {
		return
	}
	element := bytes.TrimLeft(x.json.UnreadBuffer(), ", \t\r\n")
	if len(element) > 0 && element[0] == '{' && len(element) <= x.d.opts.MaxRow {
		t.torn(element)
	}
}

func (s *openHands) torn(element []byte) {
	k := memberKeys(element)
	events := k.value("history")
	if len(events) == 0 || events[0] != '[' {
		return
	}
	c := jsonscan.New(k.value("instance_id"))
	id := c.String()
	if s.x.sessions.open(id, id) {
		s.d.header.SessionID = id
		s.list(events)
	}
}

func (s *tau2) torn(element []byte) {
	k := memberKeys(element)
	messages := k.value("messages")
	if messages == nil {
		messages = k.value("traj")
	}
	if len(messages) == 0 || messages[0] != '[' {
		return
	}
	c, task := jsonscan.New(k.value("id")), jsonscan.New(k.value("task_id"))
	id := c.String()
	if s.x.sessions.open(id, task.String()) {
		s.d.header.SessionID, s.d.header.Model = id, s.model
		s.list(messages)
	}
}

// list reads messages up to the end of the list, or to where it is cut.
func (s *tau2) list(messages []byte) {
	c := jsonscan.New(messages)
	if !c.Array() {
		return
	}
	for c.More() {
		if m := c.Value(); m != nil {
			s.message(m)
		}
	}
}
