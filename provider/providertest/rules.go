package providertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/pith-memory/pith"
)

// problem is why a request is refused, in the words of the API.
type problem struct {
	status int
	// rule names the check, for Problems.
	rule                       string
	kind, code, param, message string
}

func invalid(rule, param, format string, args ...any) *problem {
	return &problem{status: http.StatusBadRequest, rule: rule, kind: "invalid_request_error", param: param, message: fmt.Sprintf(format, args...)}
}

// parsed is what the rules and the answer need of a body.
type parsed struct {
	model      string
	maxTokens  int
	stream     bool
	usageChunk bool
	schema     json.RawMessage
	// texts is what the model reads, messages how many messages or items.
	texts    []string
	messages int
	media    int
	// marks counts the cache marks.
	marks int

	anthropic *anthropicRequest
	chat      *chatRequest
	responses *responsesRequest
}

// prefix stands for everything before the answer, which its thinking is bound to.
func (p *parsed) prefix() string {
	if p.anthropic == nil {
		return ""
	}
	prefixes := p.anthropic.prefixes()
	return prefixes[len(prefixes)-1]
}

func parse(f pith.Format, body []byte) (parsed, *problem) {
	switch f {
	case pith.FormatAnthropic:
		return parseAnthropic(body)
	case pith.FormatOpenAIChat:
		return parseChat(body)
	}
	return parseResponses(body)
}

func (s *Server) rules(p parsed) *problem {
	switch {
	case p.anthropic != nil:
		check := func() *problem { return p.anthropic.check(s.options.Strict, s.options.PreservedThinking) }
		if s.options.Clients {
			check = p.anthropic.checkClient
		}
		return firstOf(check, func() *problem { return p.anthropic.thinksFirst(s.began) })
	case p.chat != nil:
		return p.chat.check(s.options.Strict)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.Clients {
		return p.responses.checkClient(s.reasons)
	}
	return p.responses.check(s.options.Strict, s.reasons)
}

// began tells whether an answer with this call began with thinking.
func (s *Server) began(call string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.thought[call]
}

// firstOf runs checks until one finds something.
func firstOf(checks ...func() *problem) *problem {
	for _, check := range checks {
		if p := check(); p != nil {
			return p
		}
	}
	return nil
}

// validText refuses bytes that are no UTF-8, and half characters in escapes.
func validText(body []byte) *problem {
	if !utf8.Valid(body) {
		return invalid("utf-8", "", "The request body is not valid JSON: str is not valid UTF-8: surrogates not allowed")
	}
	if !json.Valid(body) {
		return invalid("json", "", "The request body is not valid JSON: unexpected end of data or character")
	}
	if at := loneSurrogate(body); at >= 0 {
		return invalid("utf-8", "", "The request body is not valid JSON: no low surrogate in string: line 1 column %d (char %d)", at+1, at)
	}
	return nil
}

// loneSurrogate is where an escape names one half of a character alone, -1
// where none does.
func loneSurrogate(body []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(body[at:], '\\')
		if i < 0 {
			return -1
		}
		at += i
		unit := escapedUnit(body[at:])
		switch {
		case unit >= 0xdc00 && unit <= 0xdfff:
			return at
		case unit >= 0xd800 && unit <= 0xdbff:
			if low := escapedUnit(body[at+6:]); low < 0xdc00 || low > 0xdfff {
				return at
			}
			at += 12
		default:
			at += 2
		}
	}
}

// escapedUnit is the value of a \u escape, -1 where there is none.
func escapedUnit(b []byte) int {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	var unit int
	if _, err := fmt.Sscanf(string(b[2:6]), "%04x", &unit); err != nil {
		return -1
	}
	return unit
}

// unknownFields refuses a field that the API does not know.
func unknownFields(body []byte, known string, wrong func(name string) *problem) *problem {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return invalid("json", "", "Input should be an object")
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if !strings.Contains(known, " "+name+" ") {
			return wrong(name)
		}
	}
	return nil
}

func overWindow(f pith.Format, input pith.Tokens, reserved, window int) *problem {
	if window == 0 || int(input)+reserved <= window {
		return nil
	}
	over := int(input) > window
	var p *problem
	switch {
	case f == pith.FormatAnthropic && over:
		return invalid("window", "", "prompt is too long: %d tokens > %d maximum", input, window)
	case f == pith.FormatAnthropic:
		return invalid("window", "", "input length and `max_tokens` exceed context limit: %d + %d > %d, decrease input length or `max_tokens` and try again", input, reserved, window)
	case f == pith.FormatOpenAIResponses:
		p = invalid("window", "input", "Your input exceeds the context window of this model. Please adjust your input and try again.")
	case over:
		p = invalid("window", "messages", "This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", window, input)
	default:
		p = invalid("window", "messages", "This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion). Please reduce the length of the messages or completion.", window, int(input)+reserved, input, reserved)
	}
	p.code = "context_length_exceeded"
	return p
}

// part is a block of a content list, in any of the formats.
type part struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	Refusal      string          `json:"refusal"`
	ID           string          `json:"id"`
	ToolUseID    string          `json:"tool_use_id"`
	Name         string          `json:"name"`
	Thinking     string          `json:"thinking"`
	Signature    string          `json:"signature"`
	Input        json.RawMessage `json:"input"`
	Content      json.RawMessage `json:"content"`
	CacheControl *struct {
		TTL string `json:"ttl"`
	} `json:"cache_control"`
}

// readParts reads a content: a string is one text part. The flag is not set
// for null and for what is no content.
func readParts(content json.RawMessage) ([]part, bool) {
	var text string
	if len(content) > 0 && content[0] == '"' && json.Unmarshal(content, &text) == nil {
		return []part{{Type: "text", Text: text}}, true
	}
	var parts []part
	if len(content) == 0 || content[0] != '[' || json.Unmarshal(content, &parts) != nil {
		return nil, false
	}
	return parts, true
}

// nothing tells whether a text says nothing. OpenAI takes white space, other
// servers of its formats do not.
func nothing(text string, strict bool) bool {
	return text == "" || strict && strings.TrimSpace(text) == ""
}

// textOf joins the texts of a content; other parts leave nothing.
func textOf(content json.RawMessage) string {
	parts, _ := readParts(content)
	texts := make([]string, len(parts))
	for i := range parts {
		texts[i] = parts[i].Text + parts[i].Refusal
	}
	return strings.Join(texts, "\n")
}

// toolNames lists the names in a tools list of any format.
func toolNames(tools json.RawMessage) []string {
	var list []struct {
		Type     string `json:"type"`
		Name     string `json:"name"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if json.Unmarshal(tools, &list) != nil {
		return nil
	}
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name + list[i].Function.Name
		if names[i] == "" {
			names[i] = list[i].Type
		}
	}
	return names
}

func duplicate(names []string) string {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}
