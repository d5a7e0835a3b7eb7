package openai

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/provider/internal/transport"
	"github.com/pith-memory/pith/wire"
)

// dialect is how a server differs from OpenAI's own. It begins with what is
// likely and is corrected by what the server complains of.
type dialect uint32

const (
	// noSchema: response_format or text.format is not known.
	noSchema dialect = 1 << iota
	// noStreamOptions: stream_options is not known.
	noStreamOptions
	// oldMaxTokens: it is max_tokens, not max_completion_tokens.
	oldMaxTokens
	// sureOfMaxTokens: the server complained of the other name.
	sureOfMaxTokens
)

func (d dialect) has(bit dialect) bool { return d&bit != 0 }

func (m *Model) dialect() dialect { return dialect(m.learned.Load()) }

// The members of a body that a server may not know.
const (
	streamOptions = "stream_options"
	maxTokensOld  = "max_tokens"
	maxTokensNew  = "max_completion_tokens"
)

// body makes the body of a request that has none.
func (m *Model) body(r compactor.Request, d dialect) ([]byte, error) {
	if r.Prompt == "" {
		return nil, errNoPrompt
	}
	chat := m.card.Format == pith.FormatOpenAIChat
	parts := wire.RequestParts{
		Model: m.card.Name, Stream: true, MaxTokens: r.MaxTokens,
		NoReasoning: true, // its reasoning would be for a next turn, which there is not
	}
	if chat {
		if r.System != "" {
			parts.Messages = append(parts.Messages, chatMessage("system", r.System))
		}
		parts.Messages = append(parts.Messages, chatMessage("user", r.Prompt))
	} else {
		parts.System, parts.Messages = r.System, []json.RawMessage{wire.UserMessage(m.card.Format, r.Prompt)}
	}
	if m.card.MaxOutput > 0 {
		parts.MaxTokens = min(parts.MaxTokens, m.card.MaxOutput)
	}
	if m.card.Schema && !d.has(noSchema) && r.Schema != nil {
		parts.Schema, parts.SchemaName = r.Schema, "answer"
	}
	body, err := wire.NewRequest(m.card.Format, parts)
	if err != nil || !chat {
		return body, err
	}
	return renamed(body, func(key string) string {
		switch {
		case key == streamOptions && d.has(noStreamOptions):
			return ""
		case (key == maxTokensNew || key == maxTokensOld) && d.has(oldMaxTokens):
			return maxTokensOld
		case key == maxTokensNew || key == maxTokensOld:
			return maxTokensNew
		}
		return key
	}), nil
}

// chatMessage has its text as a string: not every server reads a list of parts.
func chatMessage(role, text string) json.RawMessage {
	raw := jsonscan.AppendQuoted([]byte(`{"role":"`+role+`","content":`), text)
	return append(raw, '}')
}

// renamed gives the members of an object other names; "" leaves one out.
func renamed(body []byte, name func(key string) string) []byte {
	out := make([]byte, 0, len(body)+16)
	c := jsonscan.New(body)
	c.Object()
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		value := c.Value()
		to := name(string(key))
		if to == "" {
			continue
		}
		if len(out) > 0 {
			out = append(out, ',')
		}
		out = append(append(jsonscan.AppendQuoted(out, to), ':'), value...)
	}
	return append(append([]byte{'{'}, out...), '}')
}

// learn tells whether err complains of something that the body had only because
// the server was thought to know it; then the next body has it no more.
func (m *Model) learn(err error, used dialect, r compactor.Request) bool {
	var refusal *transport.Refusal
	if !errors.As(err, &refusal) {
		return false
	}
	switch refusal.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented:
	default:
		return false
	}
	about := strings.ToLower(refusal.Problem.Param + " " + refusal.Problem.Code + " " + refusal.Problem.Message)
	add, drop := m.complaint(about, used, r)
	if add|drop == 0 {
		return false
	}
	for {
		old := m.learned.Load()
		if m.learned.CompareAndSwap(old, old&^uint32(drop)|uint32(add)) {
			return true
		}
	}
}

// complaint is what a server's words say of its dialect. Each correction is
// made once at most, so that the requests are bounded.
func (m *Model) complaint(about string, used dialect, r compactor.Request) (add, drop dialect) {
	chat := m.card.Format == pith.FormatOpenAIChat
	if chat && !used.has(noStreamOptions) && strings.Contains(about, streamOptions) {
		return noStreamOptions, 0
	}
	if chat && r.MaxTokens > 0 && !used.has(sureOfMaxTokens) && (strings.Contains(about, maxTokensNew) || strings.Contains(about, maxTokensOld)) {
		if used.has(oldMaxTokens) {
			return sureOfMaxTokens, oldMaxTokens
		}
		return sureOfMaxTokens | oldMaxTokens, 0
	}
	if m.card.Schema && !used.has(noSchema) && r.Schema != nil {
		for _, word := range []string{"response_format", "json_schema", "text.format", "structured output", "json schema", "grammar"} {
			if strings.Contains(about, word) {
				return noSchema, 0
			}
		}
	}
	return 0, 0
}
