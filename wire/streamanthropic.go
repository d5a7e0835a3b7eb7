package wire

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// anthropicStream gathers the content blocks of an Anthropic answer.
type anthropicStream struct {
	room   room
	id     string
	model  string
	stop   string
	detail string
	blocks []anthropicGrowing
	usage  growing
	text   []byte
}

// anthropicGrowing is a content block that is not whole yet.
type anthropicGrowing struct {
	index int
	block growing
	// input is the body of a JSON string whose text is the JSON of a call's input.
	input []byte
}

func (s *anthropicStream) newText() *[]byte { return &s.text }

func (s *anthropicStream) event(kind string, data []byte) (last bool, err error) {
	switch kind {
	case "message_start":
		message := memberValue(data, "message")
		s.id, s.model = memberString(message, "id"), memberString(message, "model")
		return false, s.mergeUsage(memberValue(message, "usage"))
	case "content_block_start":
		block := memberValue(data, "content_block")
		s.text = appendBody(s.text, answerText(block))
		b, err := s.start(memberIndex(data, "index", len(s.blocks)))
		if err != nil {
			return false, err
		}
		return false, b.block.merge(block, 0)
	case "content_block_delta":
		return false, s.delta(memberIndex(data, "index", len(s.blocks)-1), memberValue(data, "delta"))
	case "message_delta":
		delta := memberValue(data, "delta")
		if stop := memberString(delta, "stop_reason"); stop != "" {
			s.stop = stop
		}
		s.detail = refusalDetail(delta)
		return false, s.mergeUsage(memberValue(data, "usage"))
	case "message_stop":
		return true, nil
	}
	return false, nil
}

// answerText is the value of a block's text where the block is one.
func answerText(block []byte) []byte {
	if memberString(block, "type") != "text" {
		return nil
	}
	return memberValue(block, "text")
}

func memberIndex(object []byte, key string, otherwise int) int {
	if c, ok := jsonscan.Find(object, key); ok {
		if n, ok := c.Int(); ok && n >= 0 {
			return n
		}
	}
	return otherwise
}

// mergeUsage: a count that comes later replaces the one before; what is not
// repeated stays.
func (s *anthropicStream) mergeUsage(usage []byte) error {
	c := jsonscan.New(usage)
	if c.Peek() != '{' {
		return nil
	}
	c.Object()
	for {
		key, ok := c.Key()
		if !ok {
			return nil
		}
		value := c.Value()
		if len(value) == 0 || isNull(value) {
			continue
		}
		if err := s.room.take(len(value)); err != nil {
			return err
		}
		if len(s.usage.members) >= maxGrownMembers {
			return errTooManyFields
		}
		s.usage.set(string(key), slices.Clone(value))
	}
}

func (s *anthropicStream) find(index int) *anthropicGrowing {
	for i := len(s.blocks) - 1; i >= 0; i-- {
		if s.blocks[i].index == index {
			return &s.blocks[i]
		}
	}
	return nil
}

const maxReplyBlocks = 4096

// start begins the block of that index, behind all of a lower one.
func (s *anthropicStream) start(index int) (*anthropicGrowing, error) {
	if len(s.blocks) >= maxReplyBlocks {
		return nil, errTooLong
	}
	at := len(s.blocks)
	for at > 0 && s.blocks[at-1].index > index {
		at--
	}
	s.blocks = slices.Insert(s.blocks, at, anthropicGrowing{index: index, block: growing{room: &s.room}})
	return &s.blocks[at], nil
}

func (s *anthropicStream) delta(index int, delta []byte) error {
	kind := memberString(delta, "type")
	b := s.find(index)
	if b == nil { // a server that does not announce its blocks
		name := strings.TrimSuffix(kind, "_delta")
		if name != "text" && name != "thinking" {
			return unreadable("a delta belongs to no block")
		}
		var err error
		if b, err = s.start(max(index, 0)); err != nil {
			return err
		}
		b.block.set("type", jsonscan.AppendQuoted(nil, name))
	}
	switch kind {
	case "input_json_delta":
		part := memberValue(delta, "partial_json")
		if err := s.room.take(len(part)); err != nil {
			return err
		}
		b.input = appendBody(b.input, part)
		return nil
	case "citations_delta":
		if citation := memberValue(delta, "citation"); citation != nil {
			return b.block.add("citations", append(append([]byte{'['}, citation...), ']'), 0)
		}
		return nil
	case "text_delta":
		s.text = appendBody(s.text, memberValue(delta, "text"))
	}
	return b.block.merge(delta, 0, "type")
}

func (s *anthropicStream) reply(ended bool) (Reply, error) {
	if !ended {
		return Reply{}, tornOff()
	}
	blocks := make([][]byte, len(s.blocks))
	for i := range s.blocks {
		b := &s.blocks[i]
		if len(b.input) > 0 {
			b.block.set("input", inputOf(jsonscan.Text(b.input)))
		}
		blocks[i] = b.block.bytes()
	}
	r := Reply{ID: s.id, Model: s.model, Stop: s.stop, Refusal: s.detail}
	readAnthropicUsage(&r, s.usage.bytes())
	readAnthropicBlocks(&r, blocks)
	return r, nil
}

func (s *anthropicStream) body(body []byte) (Reply, error) {
	content := memberValue(body, "content")
	if c := jsonscan.New(content); c.Peek() != '[' {
		return Reply{}, unreadable("the body has no content")
	}
	r := Reply{ID: memberString(body, "id"), Model: memberString(body, "model"), Stop: memberString(body, "stop_reason"), Refusal: refusalDetail(body)}
	readAnthropicUsage(&r, memberValue(body, "usage"))
	readAnthropicBlocks(&r, elements(content))
	return r, nil
}

// refusalDetail is what an Anthropic answer says of its refusal.
func refusalDetail(object []byte) string {
	if memberString(object, "stop_reason") != "refusal" {
		return ""
	}
	details := memberValue(object, "stop_details")
	for _, key := range []string{"explanation", "category"} {
		if text := memberString(details, key); text != "" {
			return text
		}
	}
	return "refusal"
}

// readAnthropicBlocks fills in what the answer's blocks say, and the message
// that repeats them. Left out is what the API would refuse: a text that says
// nothing, and a last thinking that was cut before it was signed.
func readAnthropicBlocks(r *Reply, blocks [][]byte) {
	content := []byte(`{"role":"assistant","content":[`)
	start := len(content)
	var text strings.Builder
	for i, block := range blocks {
		switch memberString(block, "type") {
		case "text":
			said := memberString(block, "text")
			text.WriteString(said)
			if strings.TrimSpace(said) == "" {
				continue
			}
		case "thinking":
			r.Thought = true
			if i == len(blocks)-1 && r.Stop == "max_tokens" && memberString(block, "signature") == "" {
				continue
			}
		case "redacted_thinking":
			r.Thought = true
		case "tool_use":
			call := ToolCall{ID: memberString(block, "id"), Name: memberString(block, "name"), Input: slices.Clone(callInput(block))}
			r.ToolCalls = append(r.ToolCalls, call)
			block = withInput(block)
		case "server_tool_use", "mcp_tool_use":
			block = withInput(block)
		}
		if len(content) > start {
			content = append(content, ',')
		}
		content = append(content, block...)
	}
	r.Text = text.String()
	if len(content) > start {
		r.Messages = []json.RawMessage{append(content, `]}`...)}
	}
}

// callInput is the input of a call's block: {} where there is none.
func callInput(block []byte) []byte {
	input := memberValue(block, "input")
	if len(input) == 0 || isNull(input) {
		return []byte("{}")
	}
	return input
}

// withInput gives a call an input that the API takes back. One that is no
// object is wrapped, as Anthropic's page on streamed tool inputs has it.
func withInput(block []byte) []byte {
	input := callInput(block)
	if input[0] != '{' {
		input = append(append([]byte(`{"INVALID_JSON":`), input...), '}')
	}
	start, end, ok := jsonscan.Member(block, "input")
	if !ok {
		return appendMember(block, "input", input)
	}
	return splice(block, start, end, input)
}

// readAnthropicUsage sums up the iterations where the usage lists them, since
// its own counts leave out those of a compaction.
func readAnthropicUsage(r *Reply, usage []byte) {
	r.Usage = ReadUsage(usage)
	var sum pith.Usage
	for _, iteration := range elements(memberValue(usage, "iterations")) {
		u := ReadUsage(iteration)
		if u == nil {
			continue
		}
		sum.Input += u.Input
		sum.CacheRead += u.CacheRead
		sum.CacheWrite += u.CacheWrite
		sum.Output += u.Output
		if memberString(iteration, "type") == "message" {
			r.Context = u.Context()
		}
	}
	if sum != (pith.Usage{}) {
		r.Usage = &sum
	}
}
