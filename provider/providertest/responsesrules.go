package providertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// responsesRequest is a body of OpenAI responses.
type responsesRequest struct {
	Model           string          `json:"model"`
	Instructions    string          `json:"instructions"`
	Input           json.RawMessage `json:"input"`
	Tools           json.RawMessage `json:"tools"`
	ToolChoice      json.RawMessage `json:"tool_choice"`
	MaxOutputTokens *int            `json:"max_output_tokens"`
	Stream          bool            `json:"stream"`
	Store           *bool           `json:"store"`
	Text            struct {
		Format struct {
			Type   string          `json:"type"`
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"text"`

	body  []byte
	items []responsesItem
}

type responsesItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Content   json.RawMessage `json:"content"`
	Arguments *string         `json:"arguments"`
	Input     *string         `json:"input"`
	Output    json.RawMessage `json:"output"`
	Summary   json.RawMessage `json:"summary"`
	Encrypted *string         `json:"encrypted_content"`
}

const (
	responsesFields = " model input instructions tools tool_choice parallel_tool_calls max_output_tokens max_tool_calls stream stream_options store text reasoning" +
		" include metadata previous_response_id conversation prompt prompt_cache_key prompt_cache_retention prompt_cache_options safety_identifier service_tier" +
		" temperature top_p top_logprobs truncation user background context_management moderation access_programs "
	responsesKinds = " message function_call function_call_output reasoning custom_tool_call custom_tool_call_output web_search_call file_search_call mcp_call" +
		" mcp_list_tools mcp_approval_request mcp_approval_response code_interpreter_call image_generation_call computer_call computer_call_output" +
		" local_shell_call local_shell_call_output shell_call shell_call_output apply_patch_call apply_patch_call_output tool_search_call tool_search_output" +
		" additional_tools compaction compaction_trigger item_reference "
)

func parseResponses(body []byte) (parsed, *problem) {
	r := &responsesRequest{body: body}
	if err := json.Unmarshal(body, r); err != nil {
		return parsed{}, invalid("shape", "", "Invalid type: %v", err)
	}
	p := parsed{model: r.Model, stream: r.Stream, responses: r, schema: r.Text.Format.Schema}
	if r.MaxOutputTokens != nil {
		p.maxTokens = *r.MaxOutputTokens
	}
	if len(r.Input) > 0 && r.Input[0] == '"' {
		r.items = []responsesItem{{Role: "user", Content: r.Input}}
	} else if err := json.Unmarshal(r.Input, &r.items); err != nil {
		return p, invalid("shape", "input", "Invalid type for 'input': expected one of a string or an array of input items.")
	}
	p.messages = len(r.items)
	p.texts = append(p.texts, r.Instructions, string(r.Tools))
	for i := range r.items {
		it := &r.items[i]
		if it.Type == "" {
			it.Type = "message"
		}
		p.texts = append(p.texts, textOf(it.Content), textOf(it.Output), textOf(it.Summary), it.Name)
		for _, text := range []*string{it.Arguments, it.Input} {
			if text != nil {
				p.texts = append(p.texts, *text)
			}
		}
		parts, _ := readParts(it.Content)
		for _, part := range parts {
			if part.Type == "input_image" || part.Type == "input_file" {
				p.media++
			}
		}
	}
	return p, nil
}

func (r *responsesRequest) check(strict bool, reasons map[string]string) *problem {
	return firstOf(r.fields,
		func() *problem { return r.content(strict) },
		func() *problem { return r.pairs(strict) },
		func() *problem { return r.reasoning(reasons) },
		func() *problem { return r.order(strict) })
}

// checkClient leaves out what a client's betas change: fields, kinds of items,
// who speaks first, and what its hooks say while a tool is still at work.
func (r *responsesRequest) checkClient(reasons map[string]string) *problem {
	if r.Model == "" || len(r.items) == 0 {
		return r.fields()
	}
	r.items = slices.DeleteFunc(r.items, func(it responsesItem) bool { return it.Type == "message" && it.Role == "developer" })
	return firstOf(
		func() *problem { return r.pairs(false) },
		func() *problem { return r.reasoning(reasons) })
}

func (r *responsesRequest) fields() *problem {
	names := toolNames(r.Tools)
	name := duplicate(names)
	switch {
	case r.Model == "":
		return invalid("model", "model", "Missing required parameter: 'model'.")
	case len(r.items) == 0:
		return invalid("messages", "input", "Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	case r.ToolChoice != nil && len(names) == 0 && string(r.ToolChoice) != `"auto"`:
		return invalid("tool_choice", "tool_choice", "Tool choice %s must be specified with 'tools' parameter.", r.ToolChoice)
	case name != "":
		return invalid("tool names", "tools", "Invalid 'tools': function names must be unique, found '%s' more than once.", name)
	case r.Text.Format.Type == "json_schema" && r.Text.Format.Name == "":
		return invalid("response_format", "text.format.name", "Missing required parameter: 'text.format.name'.")
	case r.Text.Format.Type == "json_schema" && len(r.Text.Format.Schema) == 0:
		return invalid("response_format", "text.format.schema", "Missing required parameter: 'text.format.schema'.")
	}
	return unknownFields(r.body, responsesFields, func(name string) *problem {
		return invalid("fields", name, "Unknown parameter: '%s'.", name)
	})
}

func (r *responsesRequest) content(strict bool) *problem {
	for i := range r.items {
		it := &r.items[i]
		at := fmt.Sprintf("input[%d]", i)
		if !strings.Contains(responsesKinds, " "+it.Type+" ") {
			return invalid("block type", at, "Invalid value: '%s'. Supported values are:%s.", it.Type, strings.ReplaceAll(strings.TrimSuffix(responsesKinds, " "), " ", " '"))
		}
		if it.Type != "message" {
			continue
		}
		switch it.Role {
		case "user", "assistant", "system", "developer":
		default:
			return invalid("role", at, "Invalid value: '%s'. Supported values are: 'assistant', 'system', 'developer', and 'user'.", it.Role)
		}
		parts, ok := readParts(it.Content)
		if !ok || len(parts) == 0 {
			return invalid("empty content", at+".content", "Invalid '%s.content': expected a string or a non-empty array of content parts.", at)
		}
		for j, part := range parts {
			want := "input_text"
			if it.Role == "assistant" {
				want = "output_text"
			}
			switch part.Type {
			case "text":
				if it.Content[0] == '[' {
					return invalid("block type", fmt.Sprintf("%s.content[%d]", at, j), "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', 'output_text', 'refusal', 'input_file', 'computer_screenshot', and 'summary_text'.")
				}
			case "input_text", "output_text":
				if part.Type != want {
					return invalid("block type", fmt.Sprintf("%s.content[%d]", at, j), "Invalid value: '%s'. Supported values are: '%s' for the role '%s'.", part.Type, want, it.Role)
				}
			default:
				continue
			}
			if nothing(part.Text, strict) {
				return invalid("empty text", fmt.Sprintf("%s.content[%d].text", at, j), "Invalid '%s.content[%d].text': text must be non-empty.", at, j)
			}
		}
	}
	return nil
}

func isCall(kind string) bool { return kind == "function_call" || kind == "custom_tool_call" }

// pairs holds that the outputs of a group of calls follow it, all of them and
// no others, before anything else.
func (r *responsesRequest) pairs(strict bool) *problem {
	var open []string
	answering := false
	ever := map[string]bool{}
	for i := range r.items {
		it := &r.items[i]
		output := strings.HasSuffix(it.Type, "_call_output")
		switch {
		case output:
			k := slices.Index(open, it.CallID)
			if k < 0 {
				return invalid("pairs", "input", "No tool call found for function call output with call_id %s.", it.CallID)
			}
			if len(it.Output) == 0 || strict && textOf(it.Output) == "" {
				return invalid("empty result", fmt.Sprintf("input[%d].output", i), "Missing required parameter: 'input[%d].output'.", i)
			}
			open = append(open[:k:k], open[k+1:]...)
			answering = true
			continue
		case len(open) > 0 && (answering || it.Type == "message" && it.Role != "assistant"):
			return noOutput(open[0])
		case isCall(it.Type):
			if it.CallID == "" || it.Name == "" || it.Type == "function_call" && (it.Arguments == nil || !json.Valid([]byte(*it.Arguments))) {
				return invalid("tool call", fmt.Sprintf("input[%d]", i), "Missing required parameter: 'input[%d].arguments'.", i)
			}
			if slices.Contains(open, it.CallID) || strict && ever[it.CallID] {
				return invalid("tool ids", fmt.Sprintf("input[%d].call_id", i), "Duplicate value for 'call_id' of '%s'", it.CallID)
			}
			ever[it.CallID] = true
			open = append(open, it.CallID)
		}
		answering = false
	}
	if len(open) > 0 {
		return noOutput(open[0])
	}
	return nil
}

func noOutput(id string) *problem {
	return invalid("pairs", "input", "No tool output found for function call %s.", id)
}

// reasoning holds that a reasoning item comes back unchanged, with the item
// that it was sent with behind it.
func (r *responsesRequest) reasoning(reasons map[string]string) *problem {
	seen := map[string]bool{}
	for i := range r.items {
		it := &r.items[i]
		if want := reasons[it.ID]; want != "" && !seen[want] {
			return invalid("reasoning", "input", "Item '%s' of type '%s' was provided without its required 'reasoning' item: '%s'.", it.ID, it.Type, want)
		}
		if it.Type != "reasoning" {
			continue
		}
		seen[it.ID] = true
		switch {
		case it.Encrypted != nil && *it.Encrypted != encrypted(it.ID):
			p := invalid("signature", "", "The encrypted content for item %s could not be verified. Reason: Encrypted content could not be decrypted or parsed.", it.ID)
			p.code = "invalid_encrypted_content"
			return p
		case it.Encrypted == nil && r.Store != nil && !*r.Store:
			p := invalid("reasoning", "input", "Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", it.ID)
			p.status = http.StatusNotFound
			return p
		}
		if next := i + 1; next == len(r.items) || r.items[next].Type == "message" && r.items[next].Role != "assistant" || strings.HasSuffix(r.items[next].Type, "_output") {
			return invalid("reasoning", "input", "Item '%s' of type 'reasoning' was provided without its required following item.", it.ID)
		}
	}
	return nil
}

// order looks at who speaks first and last and, where it is strict, at two
// messages of the user in a row.
func (r *responsesRequest) order(strict bool) *problem {
	last := ""
	for i := range r.items {
		it := &r.items[i]
		if it.Type == "message" && (it.Role == "system" || it.Role == "developer") {
			continue
		}
		side := "assistant"
		switch {
		case it.Type == "message" && it.Role == "user":
			side = "user"
		case strings.HasSuffix(it.Type, "_output"), it.Type == "compaction_trigger":
			side = "output"
		}
		if last == "" && side != "user" && it.Type != "compaction" {
			return invalid("first message", "input", "The first input item has to be a message of the user.")
		}
		if strict && side == "user" && last == "user" {
			return invalid("alternate", "input", "Conversation roles must alternate user/assistant/user/assistant/...")
		}
		last = side
	}
	if last == "assistant" {
		return invalid("last message", "input", "The last input item has to be a message of the user or a tool output.")
	}
	return nil
}
