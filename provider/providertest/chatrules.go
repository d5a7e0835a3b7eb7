package providertest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// chatRequest is a body of OpenAI chat completions.
type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	Tools               json.RawMessage `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	ParallelToolCalls   *bool           `json:"parallel_tool_calls"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Stream              bool            `json:"stream"`
	StreamOptions       *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	ResponseFormat *struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`

	body []byte
}

type chatMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Refusal    string          `json:"refusal"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function *struct {
			Name      string  `json:"name"`
			Arguments *string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

const chatFields = " model messages tools tool_choice parallel_tool_calls max_tokens max_completion_tokens stream stream_options response_format frequency_penalty" +
	" presence_penalty logprobs top_logprobs n seed stop temperature top_p store user metadata audio modalities prediction logit_bias prompt_cache_key" +
	" prompt_cache_retention prompt_cache_options safety_identifier service_tier reasoning_effort verbosity web_search_options function_call functions moderation "

func parseChat(body []byte) (parsed, *problem) {
	r := &chatRequest{body: body}
	if err := json.Unmarshal(body, r); err != nil {
		return parsed{}, invalid("shape", "messages", "Invalid type for 'messages': %v", err)
	}
	p := parsed{model: r.Model, stream: r.Stream, messages: len(r.Messages), chat: r}
	p.usageChunk = r.StreamOptions != nil && r.StreamOptions.IncludeUsage
	for _, n := range []*int{r.MaxTokens, r.MaxCompletionTokens} {
		if n != nil {
			p.maxTokens = *n
		}
	}
	if r.ResponseFormat != nil {
		p.schema = r.ResponseFormat.JSONSchema.Schema
	}
	p.texts = append(p.texts, string(r.Tools))
	for i := range r.Messages {
		m := &r.Messages[i]
		p.texts = append(p.texts, textOf(m.Content), m.Refusal)
		parts, _ := readParts(m.Content)
		for _, part := range parts {
			if part.Type != "text" && part.Type != "refusal" {
				p.media++
			}
		}
		for _, c := range m.ToolCalls {
			if c.Function != nil && c.Function.Arguments != nil {
				p.texts = append(p.texts, c.Function.Name, *c.Function.Arguments)
			}
		}
	}
	return p, nil
}

func (r *chatRequest) check(strict bool) *problem {
	return firstOf(r.fields, r.tools,
		func() *problem { return r.content(strict) },
		func() *problem { return r.pairs(strict) },
		func() *problem { return r.order(strict) })
}

func (r *chatRequest) fields() *problem {
	switch {
	case r.Model == "":
		return invalid("model", "", "you must provide a model parameter")
	case len(r.Messages) == 0:
		return invalid("messages", "messages", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	case r.MaxTokens != nil && r.MaxCompletionTokens != nil:
		return invalid("max_tokens", "max_tokens", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	case r.StreamOptions != nil && !r.Stream:
		return invalid("stream_options", "stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case r.ResponseFormat != nil && r.ResponseFormat.Type == "json_schema" && (r.ResponseFormat.JSONSchema.Name == "" || len(r.ResponseFormat.JSONSchema.Schema) == 0):
		return invalid("response_format", "response_format.json_schema", "Missing required parameter: 'response_format.json_schema'.")
	}
	return unknownFields(r.body, chatFields, func(name string) *problem {
		return invalid("fields", "", "Unrecognized request argument supplied: %s", name)
	})
}

func (r *chatRequest) tools() *problem {
	names := toolNames(r.Tools)
	if len(names) == 0 {
		switch {
		case len(r.Tools) > 0 && string(r.Tools) != "null":
			return invalid("tools list", "tools", "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.")
		case r.ToolChoice != nil:
			return invalid("tool_choice", "tool_choice", "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
		case r.ParallelToolCalls != nil:
			return invalid("parallel_tool_calls", "parallel_tool_calls", "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.")
		}
	}
	if name := duplicate(names); name != "" {
		return invalid("tool names", "tools", "Invalid 'tools': function names must be unique, found '%s' more than once.", name)
	}
	return nil
}

func (r *chatRequest) content(strict bool) *problem {
	for i := range r.Messages {
		m := &r.Messages[i]
		at := fmt.Sprintf("messages.[%d].content", i)
		parts, ok := readParts(m.Content)
		switch m.Role {
		case "system", "developer", "user", "assistant", "tool":
		default:
			return invalid("role", fmt.Sprintf("messages[%d].role", i), "Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", m.Role)
		}
		if !ok {
			if m.Role != "assistant" || len(m.ToolCalls) == 0 && m.Refusal == "" {
				return invalid("empty content", at, "Invalid value for 'content': expected a string, got null.")
			}
			continue
		}
		if m.Role == "tool" || m.Role == "assistant" && len(m.ToolCalls) > 0 && len(m.Content) == 2 {
			continue // an output, and the text beside calls, may be empty
		}
		if len(parts) == 0 {
			return invalid("empty content", at, "Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.", at)
		}
		for _, part := range parts {
			if (part.Type == "text" || part.Type == "") && nothing(part.Text, strict) && m.Refusal == "" {
				return invalid("empty text", at, "Invalid value for 'content': text content must be non-empty.")
			}
		}
	}
	return nil
}

// pairs holds that the tool messages of an assistant message's calls follow it
// at once, all of them and no others.
func (r *chatRequest) pairs(strict bool) *problem {
	var open []string
	at, behindCalls := 0, false
	ever := map[string]bool{}
	for i := range r.Messages {
		m := &r.Messages[i]
		if m.Role == "tool" {
			if !behindCalls {
				return invalid("pairs", fmt.Sprintf("messages.[%d].role", i), "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
			}
			k := slices.Index(open, m.ToolCallID)
			if k < 0 {
				return invalid("pairs", fmt.Sprintf("messages.[%d].tool_call_id", i), "Invalid parameter: 'tool_call_id' of '%s' not found in 'tool_calls' of previous message.", m.ToolCallID)
			}
			if strict && textOf(m.Content) == "" {
				return invalid("empty result", fmt.Sprintf("messages.[%d].content", i), "Invalid value for 'content': a tool message must have non-empty content.")
			}
			open = append(open[:k:k], open[k+1:]...)
			continue
		}
		if len(open) > 0 {
			return chatUnanswered(at, open)
		}
		at, behindCalls = i, len(m.ToolCalls) > 0
		for j, c := range m.ToolCalls {
			where := fmt.Sprintf("messages[%d].tool_calls[%d]", i, j)
			switch {
			case m.Role != "assistant":
				return invalid("tool call", where, "Invalid parameter: only messages with role 'assistant' can have 'tool_calls'.")
			case c.ID == "" || c.Type != "function" || c.Function == nil || c.Function.Name == "" || c.Function.Arguments == nil:
				return invalid("tool call", where, "Missing required parameter: '%s'.", where)
			case !json.Valid([]byte(*c.Function.Arguments)):
				return invalid("tool call", where, "Invalid '%s.function.arguments': not valid JSON.", where)
			case slices.Contains(open, c.ID) || strict && ever[c.ID]:
				return invalid("tool ids", where, "Duplicate value for 'tool_call_id' of '%s'", c.ID)
			}
			ever[c.ID] = true
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return chatUnanswered(at, open)
	}
	return nil
}

func chatUnanswered(at int, ids []string) *problem {
	return invalid("pairs", fmt.Sprintf("messages.[%d].role", at), "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(ids, ", "))
}

// order looks at who speaks first and last and, where it is strict, at the
// turns between: a chat template of a local server refuses two of one side.
func (r *chatRequest) order(strict bool) *problem {
	last := ""
	for i := range r.Messages {
		role := r.Messages[i].Role
		if role == "system" || role == "developer" {
			continue
		}
		if last == "" && role != "user" {
			return invalid("first message", fmt.Sprintf("messages.[%d].role", i), "The first message that is not a system message must have the role 'user', got '%s'.", role)
		}
		if strict && role == last && role != "tool" {
			return invalid("alternate", fmt.Sprintf("messages.[%d].role", i), "Conversation roles must alternate user/assistant/user/assistant/...")
		}
		last = role
	}
	if last != "user" && last != "tool" {
		return invalid("last message", "messages", "The last message must have the role 'user' or 'tool'.")
	}
	return nil
}
