package wire

import (
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// chatFields are the members of a chat message, with their places.
type chatFields struct {
	role, name, callID []byte
	content, reasoning member
	refusal, toolCalls member
	functionCall       member
	isError            bool
}

// member is a field of an object: where it begins, its key included, and its value.
type member struct {
	keyAt, start, end int
	found             bool
}

func (m member) cursor(raw []byte) jsonscan.Cursor { return jsonscan.NewAt(raw, m.start) }

// chatMessage reads a chat completion message: reasoning, content and tool
// calls in that order, whatever their order in the bytes. A message of the
// role "tool" is one tool result of the user's turn.
func (r *reader) chatMessage(raw []byte) {
	f := readChatFields(raw)
	r.role = roleOf(f.role)
	if role := string(f.role); role == "tool" || role == "function" {
		b := pith.Block{
			Kind: pith.KindToolResult, ToolUseID: jsonscan.Text(f.callID), ToolName: jsonscan.Text(f.name),
			IsError: f.isError, Origin: pith.ToolOutput,
		}
		if f.content.found {
			resultContent(&b, raw[f.content.start:f.content.end])
		}
		r.add(b, wholeMessage, 0, len(raw))
		return
	}
	if text := memberText(raw, f.reasoning); text != "" {
		b := pith.Block{Kind: pith.KindThinking, Text: text, Origin: pith.Assistant}
		r.add(b, aMember, f.reasoning.keyAt, f.reasoning.end)
	}
	if f.content.found {
		c := f.content.cursor(raw)
		r.content(&c)
	}
	if text := memberText(raw, f.refusal); text != "" {
		r.add(r.text(text), aMember, f.refusal.keyAt, f.refusal.end)
	}
	if f.toolCalls.found {
		c := f.toolCalls.cursor(raw)
		r.toolCalls(&c)
	}
	if c := f.functionCall.cursor(raw); f.functionCall.found && c.Peek() == '{' {
		r.add(chatToolCall(c.Value()), aMember, f.functionCall.keyAt, f.functionCall.end)
	}
}

func readChatFields(raw []byte) chatFields {
	var f chatFields
	c := jsonscan.New(raw)
	if !c.Object() {
		return f
	}
	for {
		key, ok := c.Key()
		if !ok {
			return f
		}
		switch string(key) {
		case "role":
			f.role, _ = c.Raw()
		case "name":
			f.name, _ = c.Raw()
		case "tool_call_id", "id":
			if id, ok := c.Raw(); ok && (f.callID == nil || string(key) == "tool_call_id") {
				f.callID = id
			}
		case "content":
			f.content = readMember(&c)
		case "reasoning_content":
			f.reasoning = readMember(&c)
		case "refusal":
			f.refusal = readMember(&c)
		case "tool_calls":
			f.toolCalls = readMember(&c)
		case "function_call":
			f.functionCall = readMember(&c)
		case "error":
			f.isError = c.Bool()
		default:
			c.Skip()
		}
	}
}

// readMember notes the place of the member whose key was just read.
func readMember(c *jsonscan.Cursor) member {
	c.Peek()
	start := c.Pos()
	c.Skip()
	return member{keyAt: c.KeyPos(), start: start, end: c.Pos(), found: !c.Bad()}
}

func memberText(raw []byte, m member) string {
	if !m.found {
		return ""
	}
	c := m.cursor(raw)
	return c.String()
}

func (r *reader) toolCalls(c *jsonscan.Cursor) {
	if !c.Array() {
		return
	}
	for c.More() {
		start := c.Pos()
		call := c.Value()
		r.add(chatToolCall(call), inToolCalls, start, c.Pos())
	}
}

// chatToolCall reads {id, function:{name, arguments}}, {id, custom:{name,
// input}} or the flat {id, name, arguments}.
func chatToolCall(call []byte) pith.Block {
	var id, name string
	var arguments []byte
	read := func(c *jsonscan.Cursor, key string) {
		switch key {
		case "id":
			id = c.String()
		case "name":
			name = c.String()
		case "arguments", "input":
			arguments = c.Value()
		default:
			c.Skip()
		}
	}
	c := jsonscan.New(call)
	c.Object()
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		if k := string(key); k != "function" && k != "custom" {
			read(&c, k)
			continue
		}
		if !c.Object() {
			continue
		}
		for {
			key, ok := c.Key()
			if !ok {
				break
			}
			read(&c, string(key))
		}
	}
	if text := jsonscan.New(arguments); text.Peek() == '"' {
		return argumentsToolUse(id, name, text.String())
	}
	return toolUse(id, name, arguments)
}

// openAIPart reads one element of a content list of either OpenAI format.
func (r *reader) openAIPart(c *jsonscan.Cursor) pith.Block {
	if !c.Object() {
		return pith.Block{Kind: pith.KindOpaque, Origin: originOf(r.role)}
	}
	var kind, text, format []byte
	var data []byte
	hasText := false
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "type":
			kind, _ = c.Raw()
		case "text", "refusal":
			text, hasText = c.Raw()
		case "image_url", "file_data", "input_audio", "file":
			data = c.Value()
		case "format":
			format, _ = c.Raw()
		default:
			c.Skip()
		}
	}
	switch k := string(kind); {
	case hasText && (k == "" || strings.HasSuffix(k, "text") || k == "refusal"):
		return r.text(jsonscan.Text(text))
	case k == "image_url" || k == "input_image" || k == "file" || k == "input_file" || k == "input_audio":
		b := pith.Block{Kind: pith.KindImage, Origin: pith.ToolOutput}
		b.MediaType, b.MediaBytes = openAIMedia(data, format)
		b.Text = mediaMarker(k, b.MediaType, b.MediaBytes)
		return b
	}
	return pith.Block{Kind: pith.KindOpaque, Origin: originOf(r.role)}
}

// openAIMedia reads an address, a file object or an audio object.
func openAIMedia(value, format []byte) (mediaType string, size int) {
	if start, end, ok := jsonscan.Member(value, "file_data"); ok {
		return dataURL(value[start:end])
	}
	if start, end, ok := jsonscan.Member(value, "data"); ok {
		if at, to, ok := jsonscan.Member(value, "format"); ok {
			c := jsonscan.New(value[at:to])
			format, _ = c.Raw()
		}
		c := jsonscan.New(value[start:end])
		data, _ := c.Raw()
		return "audio/" + jsonscan.Text(format), decodedSize(data)
	}
	return dataURL(value)
}
