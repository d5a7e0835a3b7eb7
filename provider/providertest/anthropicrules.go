package providertest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// anthropicRequest is a body of Anthropic messages.
type anthropicRequest struct {
	Model      string             `json:"model"`
	MaxTokens  *int               `json:"max_tokens"`
	Stream     bool               `json:"stream"`
	System     json.RawMessage    `json:"system"`
	Messages   []anthropicMessage `json:"messages"`
	Tools      json.RawMessage    `json:"tools"`
	ToolChoice *struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
	Thinking *struct {
		Type         string `json:"type"`
		BudgetTokens int    `json:"budget_tokens"`
		BlockBinding struct {
			OnMismatch string `json:"prefix_mismatch_behavior"`
		} `json:"block_binding"`
	} `json:"thinking"`
	OutputConfig struct {
		Format struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
	OutputFormat struct {
		Schema json.RawMessage `json:"schema"`
	} `json:"output_format"`

	body  []byte
	names []string
}

type anthropicMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`

	raw   json.RawMessage
	parts []part
}

// UnmarshalJSON keeps the message's own bytes beside its fields.
func (m *anthropicMessage) UnmarshalJSON(b []byte) error {
	type fields anthropicMessage
	if err := json.Unmarshal(b, (*fields)(m)); err != nil {
		return err
	}
	m.raw = append(m.raw[:0], b...)
	m.parts, _ = readParts(m.Content)
	return nil
}

const (
	anthropicFields = " model max_tokens messages system tools tool_choice stream stop_sequences temperature top_p top_k metadata service_tier thinking" +
		" container context_management mcp_servers output_config output_format inference_geo cache_control speed compaction "
	anthropicContent = " text image document search_result thinking redacted_thinking tool_use tool_result server_tool_use mcp_tool_use mcp_tool_result" +
		" web_search_tool_result web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result text_editor_code_execution_tool_result" +
		" tool_search_tool_result container_upload compaction "
	maxMarks = 4
)

func parseAnthropic(body []byte) (parsed, *problem) {
	r := &anthropicRequest{body: body}
	if err := json.Unmarshal(body, r); err != nil {
		return parsed{}, invalid("shape", "", "messages: Input should be a valid list (%v)", err)
	}
	r.names = toolNames(r.Tools)
	p := parsed{model: r.Model, stream: r.Stream, messages: len(r.Messages), anthropic: r, schema: r.OutputConfig.Format.Schema}
	if p.schema == nil {
		p.schema = r.OutputFormat.Schema
	}
	if r.MaxTokens != nil {
		p.maxTokens = *r.MaxTokens
	}
	p.texts = append(p.texts, textOf(r.System), string(r.Tools))
	for i := range r.Messages {
		for j := range r.Messages[i].parts {
			b := &r.Messages[i].parts[j]
			if b.Type == "image" || b.Type == "document" {
				p.media++
				continue
			}
			p.texts = append(p.texts, b.Text, b.Thinking, b.Name, string(b.Input))
			if len(b.Content) > 0 {
				p.texts = append(p.texts, textOf(b.Content))
			}
		}
	}
	p.marks = strings.Count(string(body), `"cache_control"`)
	return p, nil
}

func (r *anthropicRequest) check(strict, preserved bool) *problem {
	return firstOf(r.fields, r.tools, r.marks, r.order, r.content,
		func() *problem { return r.pairs(strict) },
		r.serverPairs,
		func() *problem { return r.signatures(preserved) },
		func() *problem {
			if strict {
				return r.strict()
			}
			return nil
		})
}

// checkClient judges the request of a coding agent.
func (r *anthropicRequest) checkClient() *problem {
	r.Messages = slices.DeleteFunc(r.Messages, func(m anthropicMessage) bool { return m.Role == "system" })
	return firstOf(r.marks, r.order, r.content,
		func() *problem { return r.pairs(false) },
		r.serverPairs,
		func() *problem { return r.signatures(false) })
}

func (r *anthropicRequest) fields() *problem {
	switch {
	case r.Model == "":
		return invalid("model", "", "model: Field required")
	case r.MaxTokens == nil:
		return invalid("max_tokens", "", "max_tokens: Field required")
	case *r.MaxTokens < 1:
		return invalid("max_tokens", "", "max_tokens: Input should be greater than or equal to 1")
	case r.Thinking != nil && r.Thinking.Type == "enabled" && *r.MaxTokens <= r.Thinking.BudgetTokens:
		return invalid("max_tokens", "", "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size")
	}
	return unknownFields(r.body, anthropicFields, func(name string) *problem {
		return invalid("fields", "", "%s: Extra inputs are not permitted", name)
	})
}

func (r *anthropicRequest) tools() *problem {
	if duplicate(r.names) != "" {
		return invalid("tool names", "", "tools: Tool names must be unique.")
	}
	if len(r.names) == 0 {
		if r.ToolChoice != nil {
			return invalid("tool_choice", "", "tool_choice: tool_choice may only be specified while providing tools.")
		}
		for i := range r.Messages {
			for _, b := range r.Messages[i].parts {
				if b.Type == "tool_use" || b.Type == "tool_result" {
					return invalid("tools list", "", "Requests which include `tool_use` or `tool_result` blocks must define tools.")
				}
			}
		}
	}
	if c := r.ToolChoice; c != nil && c.Type == "tool" && !slices.Contains(r.names, c.Name) {
		return invalid("tool_choice", "", "Tool '%s' not found in provided tools", c.Name)
	}
	return nil
}

// marks counts the cache marks of blocks and tools, and looks at their order.
func (r *anthropicRequest) marks() *problem {
	type marked struct {
		CacheControl *struct {
			TTL string `json:"ttl"`
		} `json:"cache_control"`
	}
	var ttls []string
	for _, list := range []json.RawMessage{r.Tools, r.System} {
		var blocks []marked
		if json.Unmarshal(list, &blocks) != nil {
			continue
		}
		for _, b := range blocks {
			if b.CacheControl != nil {
				ttls = append(ttls, b.CacheControl.TTL)
			}
		}
	}
	for i := range r.Messages {
		for _, b := range r.Messages[i].parts {
			if b.CacheControl != nil {
				ttls = append(ttls, b.CacheControl.TTL)
			}
		}
	}
	if len(ttls) > maxMarks {
		return invalid("cache marks", "", "A maximum of %d blocks with cache_control may be provided. Found %d.", maxMarks, len(ttls))
	}
	short := false
	for _, ttl := range ttls {
		if ttl == "1h" && short {
			return invalid("cache marks", "", "messages: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.")
		}
		short = short || ttl != "1h"
	}
	return nil
}

// order looks at who speaks first and last, and at what a message consists of.
func (r *anthropicRequest) order() *problem {
	if len(r.Messages) == 0 {
		return invalid("messages", "", "messages: at least one message is required")
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		switch m.Role {
		case "user", "assistant":
		case "system":
			return invalid("role", "", `messages: Unexpected role "system". The Messages API accepts a top-level `+"`system`"+` parameter, not "system" as an input message role.`)
		default:
			return invalid("role", "", "messages.%d.role: Input should be 'user' or 'assistant'", i)
		}
		if p := unknownFields(m.raw, " role content ", func(name string) *problem {
			return invalid("fields", "", "messages.%d.%s: Extra inputs are not permitted", i, name)
		}); p != nil {
			return p
		}
	}
	if r.Messages[0].Role != "user" {
		return invalid("first message", "", `messages: first message must use the "user" role`)
	}
	last := r.Messages[len(r.Messages)-1]
	if last.Role == "assistant" && !paused(last.parts) {
		return invalid("last message", "", "This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	return nil
}

// paused tells whether an answer may go on: it holds tools of the provider.
func paused(parts []part) bool {
	for _, b := range parts {
		if b.Type == "server_tool_use" || b.Type == "mcp_tool_use" {
			return true
		}
	}
	return false
}

func (r *anthropicRequest) content() *problem {
	if p := emptyText("system", r.System); p != nil {
		return p
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		if len(m.parts) == 0 || len(m.parts) == 1 && m.parts[0].Type == "text" && m.parts[0].Text == "" && m.Content[0] == '"' {
			return invalid("empty content", "", "messages.%d: %s messages must have non-empty content", i, m.Role)
		}
		if p := emptyText("messages", m.Content); p != nil {
			return p
		}
		for j, b := range m.parts {
			if !strings.Contains(anthropicContent, " "+b.Type+" ") {
				return invalid("block type", "", "messages.%d.content.%d: Input tag '%s' found using 'type' does not match any of the expected tags", i, j, b.Type)
			}
			if p := wrongSide(i, j, m.Role, b); p != nil {
				return p
			}
			if len(b.Content) > 0 && b.Content[0] == '[' {
				if p := emptyText(fmt.Sprintf("messages.%d.content.%d.content", i, j), b.Content); p != nil {
					return p
				}
			}
		}
	}
	return nil
}

func emptyText(where string, content json.RawMessage) *problem {
	parts, _ := readParts(content)
	for _, b := range parts {
		switch {
		case b.Type != "text":
		case b.Text == "":
			return invalid("empty text", "", "%s: text content blocks must be non-empty", where)
		case strings.TrimSpace(b.Text) == "":
			return invalid("empty text", "", "%s: text content blocks must contain non-whitespace text", where)
		}
	}
	return nil
}

var toolID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]+$`) })

// wrongSide refuses a block that the other side alone may write, and calls
// without what a call needs.
func wrongSide(i, j int, role string, b part) *problem {
	switch b.Type {
	case "tool_use", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use":
		if role != "assistant" {
			return invalid("block type", "", "messages.%d.content.%d: `%s` blocks can only be in `assistant` messages", i, j, b.Type)
		}
	case "tool_result":
		if role != "user" {
			return invalid("block type", "", "messages.%d.content.%d: `tool_result` blocks can only be in `user` messages", i, j)
		}
	}
	if b.Type != "tool_use" {
		return nil
	}
	switch {
	case !toolID().MatchString(b.ID):
		return invalid("tool id", "", "messages.%d.content.%d.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", i, j)
	case b.Name == "":
		return invalid("tool call", "", "messages.%d.content.%d.tool_use.name: String should have at least 1 character", i, j)
	case len(b.Input) == 0 || b.Input[0] != '{':
		return invalid("tool call", "", "messages.%d.content.%d.tool_use.input: Input should be a valid dictionary", i, j)
	}
	return nil
}
