package main

import "encoding/json"

// asBody writes messages as a request body of the Anthropic API, for pith.
func asBody(messages []message) ([]byte, error) {
	type block struct {
		Type      string          `json:"type"`
		Text      string          `json:"text,omitempty"`
		ID        string          `json:"id,omitempty"`
		Name      string          `json:"name,omitempty"`
		Input     json.RawMessage `json:"input,omitempty"`
		ToolUseID string          `json:"tool_use_id,omitempty"`
		Content   string          `json:"content,omitempty"`
	}
	type turn struct {
		Role    string  `json:"role"`
		Content []block `json:"content"`
	}
	var body struct {
		Model     string `json:"model"`
		MaxTokens int    `json:"max_tokens"`
		Messages  []turn `json:"messages"`
	}
	body.Model, body.MaxTokens = "claude-opus-4-5", 8192
	for i := range messages {
		m := &messages[i]
		t := turn{Role: m.Role}
		if m.Role == "tool" {
			t.Role = "user"
			t.Content = append(t.Content, block{Type: "tool_result", ToolUseID: m.CallID, Content: m.Text})
		} else if m.Text != "" {
			t.Content = append(t.Content, block{Type: "text", Text: m.Text})
		}
		for _, c := range m.Calls {
			t.Content = append(t.Content, block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: c.Arguments})
		}
		body.Messages = append(body.Messages, t)
	}
	return json.Marshal(&body)
}
