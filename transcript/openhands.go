package transcript

import (
	"strconv"
	"strings"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// openHands reads the events of OpenHands: a list of them, one on each line,
// or the rows of an evaluation, each with the history of one instance.
type openHands struct {
	talk
	x *document
	// open is set once the events of a bare list belong to a session.
	open bool
	// calls are the call ids of actions, by the id of their event; replies are
	// the answers of a model whose text was told.
	calls      map[string]string
	response   string
	rows       []string
	dir        string
	boundaries int
}

func (s *openHands) wants(string) bool { return true }

func (s *openHands) element(_ string, value []byte) bool {
	switch {
	case len(value) == 0:
		return false
	case value[0] == '[' || isEvent(value):
		if !s.open {
			s.open = s.x.sessions.open("", "")
		}
		return !s.open || s.events(value)
	case value[0] != '{':
		return false
	}
	events := memberValue(value, "history")
	for _, key := range []string{"trajectory", "events"} {
		if c := jsonscan.New(events); c.Peek() != '[' {
			events = memberValue(value, key)
		}
	}
	c := jsonscan.New(events)
	if c.Peek() != '[' {
		return false
	}
	id := member(value, "instance_id")
	if id == "" {
		if id = scalar(memberValue(value, "id")); id != "" && strings.Trim(id, "0123456789") == "" {
			id = "id-" + id // a bare number selects by place
		}
	}
	if !s.x.sessions.open(id, member(value, "instance_id")) {
		return true
	}
	s.d.header.SessionID = id
	model := jsonscan.New(memberPath(value, "metadata", "llm_config", "model"))
	if s.d.header.Model = model.String(); s.d.header.Model == "" {
		s.d.header.Model = member(memberValue(value, "metadata"), "model_name")
	}
	s.list(events)
	s.x.sessions.close()
	return true
}

func isEvent(value []byte) bool {
	return memberValue(value, "action") != nil || memberValue(value, "observation") != nil
}

// events reads one event, or a pair of an action and its observation.
func (s *openHands) events(value []byte) bool {
	if value[0] == '[' {
		s.list(value)
		return true
	}
	return s.event(value)
}

func (s *openHands) list(value []byte) {
	c := jsonscan.New(value)
	c.Array()
	for c.More() {
		v := c.Value()
		switch {
		case v == nil: // cut off
		case len(v) > 0 && v[0] == '[':
			pair := jsonscan.New(v)
			pair.Array()
			for pair.More() {
				s.event(pair.Value())
			}
		case !s.event(v):
			s.d.pass([]byte("event"), nil)
		}
	}
}

// ohEvent is one event with what every kind of them has.
type ohEvent struct {
	id, name, source string
	args, extras     []byte
	meta, raw        []byte
	content          string
	time             time.Time
}

func (s *openHands) event(value []byte) bool {
	if len(value) == 0 || value[0] != '{' {
		return false
	}
	e := ohEvent{
		raw: value, id: scalar(memberValue(value, "id")), source: member(value, "source"),
		args: memberValue(value, "args"), extras: memberValue(value, "extras"),
		meta: memberValue(value, "tool_call_metadata"), content: member(value, "content"),
	}
	e.time, _ = time.Parse("2006-01-02T15:04:05.999999", member(value, "timestamp"))
	if e.name = member(value, "action"); e.name != "" {
		s.action(&e)
		return true
	}
	if e.name = member(value, "observation"); e.name != "" {
		s.observation(&e)
		return true
	}
	return false
}

// message is an event's message so far.
func (s *openHands) message(e *ohEvent, role pith.Role, blocks []pith.Block) {
	m := pith.Message{ID: e.id, Role: role, Blocks: blocks, Time: e.time, CWD: s.dir}
	if e.id != "" {
		m.RowIDs = []string{e.id}
		if len(blocks) > 0 {
			s.rows = append(s.rows, e.id)
		}
	}
	if role == pith.RoleAssistant {
		response := memberValue(e.meta, "model_response")
		m.Model = member(response, "model")
		if id := member(response, "id"); id == "" || id != s.response {
			m.Usage = usageOf(memberValue(response, "usage"))
			s.response = id
		}
	}
	s.say(&m)
}

// usageOf reads the usage of a proxy that counts cached tokens among those of
// the prompt, whatever the provider.
func usageOf(usage []byte) *pith.Usage {
	u := wire.ReadUsage(usage)
	if c, ok := jsonscan.Find(usage, "prompt_tokens"); ok && u != nil {
		if n, ok := c.Int(); ok {
			u.Input = max(n-u.CacheRead-u.CacheWrite, 0)
		}
	}
	return u
}

func (s *openHands) action(e *ohEvent) {
	switch e.name {
	case "system":
		s.message(e, pith.RoleSystem, textBlock(member(e.args, "content"), pith.System))
	case "message":
		text := member(e.args, "content")
		switch {
		case e.source != "user":
			s.message(e, pith.RoleAssistant, textBlock(text, pith.Assistant))
		case !s.asked:
			s.asked = true
			s.message(e, pith.RoleUser, taskBlocks(text))
		case strings.HasPrefix(text, "Please continue working on the task on whatever approach"):
			s.message(e, pith.RoleUser, textBlock(text, pith.Harness))
		default:
			s.message(e, pith.RoleUser, textBlock(text, pith.UserExplicit))
		}
	case "condensation":
		s.condensation(e)
	case "finish":
		text := member(e.args, "final_thought")
		for _, other := range []string{member(e.args, "message"), member(e.args, "thought"), member(e.raw, "message")} {
			if text == "" {
				text = other
			}
		}
		s.message(e, pith.RoleAssistant, textBlock(text, pith.Assistant))
	case "recall", "change_agent_state", "null", "pause", "resume", "stop", "condensation_request":
		s.d.pass([]byte("action"), []byte(e.name))
	default:
		s.call(e)
	}
}

// call is an action that a tool carries out.
func (s *openHands) call(e *ohEvent) {
	text, use := s.recorded(e)
	if use.ToolName == "" {
		use = plainCall(e)
		text = member(e.args, "thought")
	}
	if use.ToolUseID == "" {
		use.ToolUseID = "event-" + e.id
		if e.id == "" {
			s.made++
			use.ToolUseID = "call-" + strconv.Itoa(s.made)
		}
	}
	if s.calls == nil {
		s.calls = map[string]string{}
	}
	if e.id != "" {
		s.calls[e.id] = use.ToolUseID
	}
	s.message(e, pith.RoleAssistant, append(textBlock(text, pith.Assistant), use))
}

// recorded is the call as the model made it, and the text that the model wrote
// with it where that was not told yet.
func (s *openHands) recorded(e *ohEvent) (text string, use pith.Block) {
	id := member(e.meta, "tool_call_id")
	response := memberValue(e.meta, "model_response")
	c := jsonscan.New(memberValue(response, "choices"))
	if id == "" || !c.Array() || !c.More() {
		return "", use
	}
	m := wire.ReadMessage(pith.FormatOpenAIChat, memberValue(c.Value(), "message"))
	told := s.response != "" && s.response == member(response, "id")
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; {
		case b.Kind == pith.KindToolUse && b.ToolUseID == id:
			use = *b
		case b.Kind == pith.KindText && !told:
			text += b.Text
		}
	}
	return text, use
}

// plainCall is the call of an action without the model's own record of it.
func plainCall(e *ohEvent) pith.Block {
	b := pith.Block{Kind: pith.KindToolUse, ToolName: e.name, Origin: pith.Assistant}
	switch e.name {
	case "run":
		b.ToolName = "execute_bash"
	case "run_ipython":
		b.ToolName = "execute_ipython_cell"
	}
	for _, a := range objectArgs(e.args) {
		switch a.Key {
		case "command", "code", "path", "content", "start", "end", "url", "query", "old_str", "new_str", "file_text",
			"insert_line", "task_list", "inputs", "agent", "name", "arguments", "is_input", "browser_actions":
			if a.Value != "" {
				b.Args = append(b.Args, a)
			}
		}
	}
	if e.name == "think" {
		b.Args = append(b.Args, stringArg("thought", member(e.args, "thought")))
	}
	return b
}

// observation is the result of the action that caused it.
func (s *openHands) observation(e *ohEvent) {
	switch e.name {
	case "null", "agent_state_changed", "recall":
		s.d.pass([]byte("observation"), []byte(e.name))
		return
	case "condense", "agent_condensation":
		s.message(e, pith.RoleUser, textBlock(e.content, pith.Harness))
		return
	}
	b := pith.Block{Kind: pith.KindToolResult, Text: e.content, Origin: pith.ToolOutput}
	b.ToolUseID = s.calls[scalar(memberValue(e.raw, "cause"))]
	if b.ToolUseID == "" {
		b.ToolUseID = member(e.meta, "tool_call_id")
	}
	if !s.isOpen(b.ToolUseID) {
		if s.talk.open() == nil || b.ToolUseID != "" {
			s.message(e, pith.RoleUser, textBlock(e.content, pith.Harness))
			return
		}
		b.ToolUseID = s.pending[len(s.pending)-1].ToolUseID
	}
	metadata := memberValue(e.extras, "metadata")
	b.Exit = exitOf(metadata, e.extras, e.raw)
	if dir := member(metadata, "working_dir"); dir != "" {
		s.dir = dir
	}
	b.IsError = e.name == "error" || e.name != "run" && editorFailed(e.content)
	b.Rejected = e.name == "user_rejected"
	s.message(e, pith.RoleUser, []pith.Block{b})
}

func (s *openHands) isOpen(id string) bool {
	for i := range s.pending {
		if id != "" && s.pending[i].ToolUseID == id {
			return true
		}
	}
	return false
}

// exitOf is the exit code that the first of the objects states; -1 stands for a
// command that has not ended.
func exitOf(objects ...[]byte) *int {
	for _, o := range objects {
		if c, ok := jsonscan.Find(o, "exit_code"); ok {
			if n, ok := c.Int(); ok && n >= 0 {
				return &n
			}
		}
	}
	return nil
}

// condensation is where the client took events out of the context and put a
// summary in their place.
func (s *openHands) condensation(e *ohEvent) {
	s.boundaries++
	gone := map[string]bool{}
	if c, ok := jsonscan.Find(e.args, "forgotten_event_ids"); ok && c.Array() {
		for c.More() {
			gone[string(c.Value())] = true
		}
	}
	from, err1 := strconv.Atoi(scalar(memberValue(e.args, "forgotten_events_start_id")))
	to, err2 := strconv.Atoi(scalar(memberValue(e.args, "forgotten_events_end_id")))
	b := &pith.Boundary{N: s.boundaries, Trigger: "auto"}
	for _, id := range s.rows {
		n, err := strconv.Atoi(id)
		if ranged := err == nil && err1 == nil && err2 == nil && n >= from && n <= to; !ranged && !gone[id] {
			b.PreservedRows = append(b.PreservedRows, id)
		}
	}
	s.rows = append(s.rows[:0], b.PreservedRows...)
	s.d.ready = append(s.d.ready, pith.Record{Boundary: b})
	s.message(e, pith.RoleUser, textBlock(member(e.args, "summary"), pith.Harness))
}

func (s *openHands) finish() {}
