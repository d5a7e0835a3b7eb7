package providertest

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/pith-memory/pith"
)

// Request is one request that the server received.
type Request struct {
	// N numbers the requests from 1, in the order in which they arrived.
	N      int
	Format pith.Format
	Path   string
	Header http.Header
	Body   []byte
	// Conversation is the body, read; it is empty where the body is no JSON.
	Conversation pith.Conversation
	Stream       bool
	// Schema is the JSON schema that the answer is to follow, nil for none.
	Schema json.RawMessage
	// Compaction tells that the request asks for a compaction.
	Compaction bool
	// Input is the size of the request, counted over its texts. Units: tokens.
	Input pith.Tokens
	// SharedPrefix is how many bytes the body begins with that an earlier
	// request began with too. Units: bytes.
	SharedPrefix int
	// Problem is why the API refuses the request, "" where it does not.
	Problem string
}

// LastText is the text of the last message: what the model is asked.
func (r *Request) LastText() string {
	messages := r.Conversation.Messages
	if len(messages) == 0 {
		return ""
	}
	return blockTexts(messages[len(messages)-1].Blocks)
}

// System is the system prompt, wherever the format has it.
func (r *Request) System() string {
	system := r.Conversation.System
	for i := range r.Conversation.Messages {
		if m := &r.Conversation.Messages[i]; m.Role == pith.RoleSystem {
			system = append(system[:len(system):len(system)], m.Blocks...)
		}
	}
	return blockTexts(system)
}

// Text is every text that the model reads, in order.
func (r *Request) Text() string {
	var b strings.Builder
	b.WriteString(blockTexts(r.Conversation.System))
	for i := range r.Conversation.Messages {
		b.WriteByte('\n')
		b.WriteString(blockTexts(r.Conversation.Messages[i].Blocks))
	}
	return b.String()
}

func blockTexts(blocks []pith.Block) string {
	texts := make([]string, len(blocks))
	for i := range blocks {
		texts[i] = blocks[i].Text
	}
	return strings.Join(texts, "\n")
}

// draftFields are two fields of a draft that no other text names together.
var draftFields = [...]string{"eliminated_approaches", "reason_ruled_out"}

// asksForDraft tells whether a request asks for a compaction: in its schema, in
// its last message, or in the words before a history that is all in one message.
func asksForDraft(r *Request) bool {
	asked := string(r.Schema) + r.LastText() + r.System()
	for _, field := range draftFields {
		if !strings.Contains(asked, field) {
			return false
		}
	}
	return true
}

// formatOf finds the format by the path, with or without the version in it.
func formatOf(path string) pith.Format {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return pith.FormatOpenAIChat
	case strings.HasSuffix(path, "/responses"):
		return pith.FormatOpenAIResponses
	case strings.HasSuffix(path, "/v1/messages"):
		return pith.FormatAnthropic
	}
	return ""
}
