package wire

import (
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// Detect tells the format of a request body, or of a bare list of messages or
// items, from its keys; "" where it is none. A body that only just began is
// enough, as long as its keys are there.
func Detect(body []byte) pith.Format {
	c := jsonscan.New(body)
	switch c.Peek() {
	case '[':
		return listFormat(&c, "")
	case '{':
		return bodyKeys(&c)
	}
	return ""
}

// bodyKeys decides by the first key that only one provider has, then by the
// messages, then by the model.
func bodyKeys(c *jsonscan.Cursor) pith.Format {
	var messages jsonscan.Cursor
	hasMessages, hasInput, hasMaxTokens := false, false, false
	var hint pith.Format
	model := ""
	c.Object()
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "messages":
			hasMessages, messages = c.Peek() == '[', *c
		case "input":
			hasInput = c.Peek() == '[' || c.Peek() == '"'
		case "system", "anthropic_version", "stop_sequences", "anthropic_beta":
			hint = pith.FormatAnthropic
		case "max_completion_tokens", "stream_options", "response_format", "frequency_penalty", "presence_penalty":
			hint = pith.FormatOpenAIChat
		case "max_tokens":
			hasMaxTokens = true
		case "tools":
			if f := toolsFormat(c.Value()); f != "" {
				hint = f
			}
			continue
		case "model":
			model = c.String()
			continue
		}
		if hint != "" && hasMessages {
			return hint
		}
		c.Skip()
	}
	switch {
	case !hasMessages && hasInput:
		return pith.FormatOpenAIResponses
	case !hasMessages:
		return ""
	case hint != "":
		return hint
	}
	fallback := pith.FormatOpenAIChat
	if hasMaxTokens || strings.Contains(model, "claude") {
		fallback = pith.FormatAnthropic
	}
	if strings.HasPrefix(model, "gpt") {
		fallback = pith.FormatOpenAIChat
	}
	return listFormat(&messages, fallback)
}

// toolsFormat tells Anthropic's flat tools from those that OpenAI wraps.
func toolsFormat(tools []byte) pith.Format {
	c := jsonscan.New(tools)
	if c.Peek() != '[' {
		return ""
	}
	c.Array()
	for c.More() {
		tool := c.Value()
		if _, _, ok := jsonscan.Member(tool, "function"); ok {
			return pith.FormatOpenAIChat
		}
		if _, _, ok := jsonscan.Member(tool, "input_schema"); ok {
			return pith.FormatAnthropic
		}
	}
	return ""
}

// listFormat reads messages until one tells whose they are. Without a
// fallback, a list that nobody could have written is no conversation.
func listFormat(c *jsonscan.Cursor, fallback pith.Format) pith.Format {
	c.Array()
	first, messages := true, 0
	for c.More() {
		f, isMessage := messageFormat(c, first)
		if f != "" {
			return f
		}
		if isMessage {
			messages++
		}
		first = false
	}
	if fallback == "" && messages > 0 {
		return pith.FormatOpenAIChat
	}
	return fallback
}

func messageFormat(c *jsonscan.Cursor, first bool) (f pith.Format, isMessage bool) {
	if !c.Object() {
		return "", false
	}
	system := false
	set := func(found pith.Format) {
		if f == "" {
			f = found
		}
	}
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "role":
			role, _ := c.Raw()
			isMessage = true
			switch string(role) {
			case "tool", "function", "developer":
				set(pith.FormatOpenAIChat)
			case "system":
				system = true
			}
		case "tool_calls", "tool_call_id":
			set(pith.FormatOpenAIChat)
			c.Skip()
		case "type":
			kind, _ := c.Raw()
			if isItem(string(kind)) {
				f = pith.FormatOpenAIResponses
			}
		case "content":
			set(contentFormat(c))
		default:
			c.Skip()
		}
	}
	if system && first {
		set(pith.FormatOpenAIChat)
	}
	return f, isMessage
}

func isItem(kind string) bool {
	switch kind {
	case "message", "reasoning", "compaction", "item_reference":
		return true
	}
	return strings.HasSuffix(kind, "_call") || strings.HasSuffix(kind, "_call_output")
}

func contentFormat(c *jsonscan.Cursor) (f pith.Format) {
	if c.Peek() != '[' {
		c.Skip()
		return ""
	}
	c.Array()
	for c.More() {
		kind, ok := jsonscan.Find(c.Value(), "type")
		if !ok || f != "" {
			continue
		}
		switch k := kind.String(); k {
		case "tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document", "server_tool_use":
			f = pith.FormatAnthropic
		case "image_url", "input_audio", "refusal":
			f = pith.FormatOpenAIChat
		case "input_text", "output_text", "input_image":
			f = pith.FormatOpenAIResponses
		default:
			if strings.HasSuffix(k, "_tool_result") {
				f = pith.FormatAnthropic
			}
		}
	}
	return f
}
