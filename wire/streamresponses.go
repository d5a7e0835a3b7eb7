package wire

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pith-memory/pith/jsonscan"
)

// responsesStream gathers the output items of an OpenAI response. It takes
// them whole, when they are done: the ciphertext of an item that was only
// added is not the one to send back.
type responsesStream struct {
	room room
	// items are in the order of their index.
	items []outputItem
	// response is what the last event says of the whole.
	response []byte
	id       string
	model    string
	// said is the text of a server that sends no items.
	said []byte
	text []byte
}

type outputItem struct {
	index int
	raw   []byte
}

func (s *responsesStream) newText() *[]byte { return &s.text }

func (s *responsesStream) event(kind string, data []byte) (last bool, err error) {
	switch kind {
	case "response.output_text.delta":
		delta := memberValue(data, "delta")
		if err := s.room.take(len(delta)); err != nil {
			return false, err
		}
		s.text = appendBody(s.text, delta)
		s.said = appendBody(s.said, delta)
	case "response.output_item.done":
		return false, s.done(memberIndex(data, "output_index", -1), memberValue(data, "item"))
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled", "response.done":
		response := memberValue(data, "response")
		if e := responseError(response); e != nil {
			return false, e
		}
		if kind == "response.failed" {
			return false, &ReplyError{Type: "failed"}
		}
		s.response = slices.Clone(response)
		return true, s.room.take(len(response))
	default:
		if response := memberValue(data, "response"); response != nil && s.id == "" {
			s.id, s.model = memberString(response, "id"), memberString(response, "model")
		}
	}
	return false, nil
}

func (s *responsesStream) done(index int, item []byte) error {
	if len(item) == 0 || item[0] != '{' {
		return unreadable("an item that is done is not there")
	}
	if err := s.room.take(len(item)); err != nil {
		return err
	}
	if index < 0 {
		index = 0
		if n := len(s.items); n > 0 {
			index = s.items[n-1].index + 1
		}
	}
	at, found := slices.BinarySearchFunc(s.items, index, func(o outputItem, i int) int { return o.index - i })
	if found {
		s.items[at].raw = slices.Clone(item)
		return nil
	}
	if len(s.items) >= maxReplyBlocks {
		return errTooLong
	}
	s.items = slices.Insert(s.items, at, outputItem{index, slices.Clone(item)})
	return nil
}

// responseError is the error of a response that failed or was given up.
func responseError(response []byte) *ReplyError {
	status := memberString(response, "status")
	if e := errorIn(response); e != nil {
		return e
	}
	if status == "failed" || status == "cancelled" {
		return &ReplyError{Type: status}
	}
	return nil
}

func (s *responsesStream) reply(ended bool) (Reply, error) {
	if !ended || s.response == nil {
		return Reply{}, tornOff()
	}
	items := elements(memberValue(s.response, "output"))
	if len(items) < len(s.items) {
		items = items[:0]
		for i := range s.items {
			items = append(items, s.items[i].raw)
		}
	}
	if len(items) == 0 && len(s.said) > 0 {
		item := append([]byte(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"`), s.said...)
		items = append(items, append(item, `"}]}`...))
	}
	r := readResponse(s.response, items)
	if r.ID == "" {
		r.ID = s.id
	}
	if r.Model == "" {
		r.Model = s.model
	}
	return r, nil
}

func (s *responsesStream) body(body []byte) (Reply, error) {
	if e := responseError(body); e != nil {
		return Reply{}, e
	}
	output := memberValue(body, "output")
	if c := jsonscan.New(output); c.Peek() != '[' {
		return Reply{}, unreadable("the body has no output")
	}
	return readResponse(body, elements(output)), nil
}

// readResponse fills in what the items say. Why a response stopped is what
// left it incomplete, or else its status.
func readResponse(response []byte, items [][]byte) Reply {
	r := Reply{
		ID: memberString(response, "id"), Model: memberString(response, "model"),
		Stop: memberString(response, "status"), Usage: ReadUsage(memberValue(response, "usage")),
	}
	if reason := memberString(memberValue(response, "incomplete_details"), "reason"); reason != "" {
		r.Stop = reason
	}
	var text strings.Builder
	for _, item := range items {
		switch memberString(item, "type") {
		case "message":
			readResponseParts(&r, &text, memberValue(item, "content"))
		case "reasoning":
			r.Thought = true
		case "function_call":
			r.ToolCalls = append(r.ToolCalls, ToolCall{
				ID: memberString(item, "call_id"), Name: memberString(item, "name"),
				Input: inputOf(memberString(item, "arguments")),
			})
		case "custom_tool_call":
			r.ToolCalls = append(r.ToolCalls, ToolCall{
				ID: memberString(item, "call_id"), Name: memberString(item, "name"),
				Input: jsonscan.AppendQuoted(nil, memberString(item, "input")),
			})
		}
		r.Messages = append(r.Messages, json.RawMessage(slices.Clone(item)))
	}
	r.Text = text.String()
	return r
}

func readResponseParts(r *Reply, text *strings.Builder, content []byte) {
	for _, part := range elements(content) {
		switch memberString(part, "type") {
		case "output_text", "text":
			text.WriteString(memberString(part, "text"))
		case "refusal":
			r.Refusal += memberString(part, "refusal")
		}
	}
}
