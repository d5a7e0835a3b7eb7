package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pith-memory/pith/jsonscan"
)

// chatStream gathers the message of a chat completion's first choice.
type chatStream struct {
	room      room
	id, model string
	stop      string
	seen      bool
	message   growing
	calls     []chatGrowing
	usage     []byte
	text      []byte
	// mended: the message is not the one that came, since no provider would
	// take that one back.
	mended bool
}

// chatGrowing is a tool call that is not whole yet.
type chatGrowing struct {
	index int
	id    string
	name  string
	call  growing
}

func newChatStream() *chatStream {
	s := &chatStream{room: room{maxReply}}
	s.message = growing{room: &s.room, members: []grown{{key: "role", value: []byte(`"assistant"`)}}}
	return s
}

func (s *chatStream) newText() *[]byte { return &s.text }

func (s *chatStream) event(kind string, data []byte) (last bool, err error) {
	if kind == "[DONE]" {
		return s.seen, nil
	}
	if s.id == "" {
		s.id, s.model = memberString(data, "id"), memberString(data, "model")
	}
	if usage := memberValue(data, "usage"); len(usage) > 0 && usage[0] == '{' {
		s.usage = append(s.usage[:0], usage...)
	}
	for _, choice := range elements(memberValue(data, "choices")) {
		if memberIndex(choice, "index", 0) != 0 {
			continue
		}
		s.seen = true
		if stop := memberString(choice, "finish_reason"); stop != "" {
			s.stop = stop
		}
		delta := memberValue(choice, "delta")
		if delta == nil {
			delta = memberValue(choice, "message")
		}
		if err := s.delta(delta); err != nil {
			return false, err
		}
	}
	return false, nil
}

func (s *chatStream) delta(delta []byte) error {
	content := memberValue(delta, "content")
	s.text = appendBody(s.text, content)
	for _, part := range elements(content) {
		s.text = appendBody(s.text, answerText(part))
	}
	for _, call := range elements(memberValue(delta, "tool_calls")) {
		if err := s.callDelta(call); err != nil {
			return err
		}
	}
	return s.message.merge(delta, 0, "tool_calls")
}

// callDelta adds to the call that the delta belongs to. Providers number the
// calls, or name them, or send them whole, with no number or always the same.
func (s *chatStream) callDelta(delta []byte) error {
	index := memberIndex(delta, "index", -1)
	id := memberString(delta, "id")
	function := memberValue(delta, "function")
	name := memberString(function, "name")
	call := s.callFor(index, id, name, bytes.HasPrefix(memberValue(function, "arguments"), []byte(`"{`)))
	if call == nil {
		if len(s.calls) >= maxGrownMembers {
			return errTooLong
		}
		s.calls = append(s.calls, chatGrowing{index: index, call: growing{room: &s.room}})
		call = &s.calls[len(s.calls)-1]
	}
	if call.id == "" {
		call.id = id
	}
	if call.name == "" {
		call.name = name
	}
	if start, end, ok := jsonscan.Member(function, "arguments"); ok {
		if arguments := function[start:end]; arguments[0] != '"' && !isNull(arguments) {
			s.mended = true
			function = splice(function, start, end, jsonscan.AppendQuoted(nil, string(arguments)))
		}
	}
	if err := call.call.merge(delta, 0, "index", "function"); err != nil {
		return err
	}
	if isNull(function) {
		return nil
	}
	return call.call.add("function", function, 0)
}

// callFor finds the call that a delta goes on with, nil for a new one: one that
// names a tool and has another id than the call of its number, or no id and
// begins its arguments, is new.
func (s *chatStream) callFor(index int, id, name string, begins bool) *chatGrowing {
	for i := len(s.calls) - 1; i >= 0; i-- {
		c := &s.calls[i]
		differs := id != "" && c.id != "" && id != c.id || id == "" && begins
		switch {
		case name != "" && c.name != "" && differs:
			continue
		case id != "" && id == c.id, index >= 0 && index == c.index:
			return c
		case index < 0 && i == len(s.calls)-1 && (name == "" || c.name == ""):
			return c
		}
	}
	return nil
}

// reply: servers of one's own leave out [DONE], a proxy the finish_reason; one
// of the two is there where the answer is whole.
func (s *chatStream) reply(ended bool) (Reply, error) {
	if !s.seen || !ended && s.stop == "" {
		return Reply{}, tornOff()
	}
	return s.whole(nil), nil
}

func (s *chatStream) body(body []byte) (Reply, error) {
	var choice []byte
	for i, c := range elements(memberValue(body, "choices")) {
		if i == 0 || memberIndex(c, "index", i) == 0 {
			choice = c
		}
	}
	message := memberValue(choice, "message")
	if len(message) == 0 || message[0] != '{' {
		return Reply{}, unreadable("the body has no message")
	}
	s.id, s.model = memberString(body, "id"), memberString(body, "model")
	s.stop, s.usage = memberString(choice, "finish_reason"), memberValue(body, "usage")
	if err := s.delta(message); err != nil {
		return Reply{}, err
	}
	s.mended = s.mended || memberString(message, "role") != "assistant"
	return s.whole(message), nil
}

// whole makes the answer. It repeats the message that came, where one came and
// there was nothing to mend.
func (s *chatStream) whole(message []byte) Reply {
	r := Reply{ID: s.id, Model: s.model, Stop: s.stop, Usage: ReadUsage(s.usage)}
	content := s.message.value("content")
	said := len(content) > 0 && !isNull(content) && string(content) != `""` && string(content) != "[]"
	calls := s.wholeCalls(&r)
	switch {
	case said:
	case len(calls) > 0:
		s.mended = s.mended || len(content) > 0 && !isNull(content)
		s.message.set("content", []byte("null"))
	default:
		s.message.set("content", []byte(`""`))
	}
	if len(calls) > 0 {
		s.message.set("tool_calls", append(append([]byte{'['}, bytes.Join(calls, []byte{','})...), ']'))
	}
	raw := s.message.bytes()
	readChatWords(&r, raw)
	if message != nil && !s.mended {
		raw = bytes.Clone(message)
	}
	if said || len(calls) > 0 || r.Refusal != "" || r.Thought || len(r.ToolCalls) > 0 {
		r.Messages = []json.RawMessage{raw}
	}
	return r
}

// wholeCalls writes the calls, each with what a request has to have: an id, a
// type, and arguments that are a string.
func (s *chatStream) wholeCalls(r *Reply) [][]byte {
	calls := make([][]byte, 0, len(s.calls))
	for i := range s.calls {
		call := &s.calls[i].call
		if s.calls[i].id == "" {
			s.mended = true
			s.calls[i].id = madeID(s.id, i)
			call.set("id", jsonscan.AppendQuoted(nil, s.calls[i].id))
		}
		if memberString(call.bytes(), "type") == "" {
			s.mended = true
			call.set("type", []byte(`"function"`))
		}
		raw := call.bytes()
		function, key := memberValue(raw, "function"), "arguments"
		if len(function) == 0 || function[0] != '{' {
			function, key = memberValue(raw, "custom"), "input"
		}
		text := memberString(function, key)
		input := inputOf(text)
		if key == "input" {
			input = jsonscan.AppendQuoted(nil, text)
		} else if strings.TrimSpace(text) == "" && len(function) > 0 {
			s.mended = true
			raw = splice(raw, 0, len(raw), callWithArguments(raw, "{}"))
		}
		r.ToolCalls = append(r.ToolCalls, ToolCall{ID: s.calls[i].id, Name: memberString(function, "name"), Input: input})
		calls = append(calls, raw)
	}
	return calls
}

// callWithArguments replaces a call's arguments.
func callWithArguments(call []byte, arguments string) []byte {
	start, end, ok := jsonscan.Member(call, "function")
	if !ok {
		return call
	}
	function, quoted := call[start:end], jsonscan.AppendQuoted(nil, arguments)
	from, to, ok := jsonscan.Member(function, "arguments")
	switch {
	case ok:
		function = splice(function, from, to, quoted)
	case len(bytes.TrimSpace(function[1:len(function)-1])) > 0:
		function = appendMember(function, "arguments", quoted)
	default:
		function = append(append([]byte(`{"arguments":`), quoted...), '}')
	}
	return splice(call, start, end, function)
}

// madeID names a call that its server did not name. It differs between answers,
// and is within the 40 bytes that OpenAI takes.
func madeID(reply string, i int) string {
	const most = 24
	reply = errorWord(reply)
	return "call_" + reply[max(0, len(reply)-most):] + "_" + strconv.Itoa(i)
}

// readChatWords fills in what the message says.
func readChatWords(r *Reply, message []byte) {
	content := memberValue(message, "content")
	var text strings.Builder
	if len(content) > 0 && content[0] == '"' {
		text.WriteString(memberString(message, "content"))
	}
	r.Refusal = memberString(message, "refusal")
	for _, part := range elements(content) {
		switch memberString(part, "type") {
		case "text":
			text.WriteString(memberString(part, "text"))
		case "refusal":
			r.Refusal += memberString(part, "refusal")
		case "thinking", "reasoning":
			r.Thought = true
		}
	}
	r.Text = text.String()
	for _, key := range []string{"reasoning_content", "reasoning", "reasoning_details", "thinking_blocks"} {
		switch value := memberValue(message, key); string(value) {
		case "", "null", `""`, "[]", "{}":
		default:
			r.Thought = true
		}
	}
	if call := memberValue(message, "function_call"); len(call) > 0 && call[0] == '{' { // the form before tools
		r.ToolCalls = append(r.ToolCalls, ToolCall{Name: memberString(call, "name"), Input: inputOf(memberString(call, "arguments"))})
	}
}
