// Package wire turns API request bodies into conversations and back. It reads
// Anthropic messages, OpenAI chat completions and OpenAI responses, and writes
// a body by splicing: every byte that was not changed leaves as it came, since
// a client's unknown fields, key order and signed blocks are not ours to touch.
// Of an answer, streamed or whole, it makes the message that the next request
// repeats.
package wire

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

const knownBodies = "pith reads request bodies of Anthropic messages, OpenAI chat completions and OpenAI responses"

var errNoBody = errors.New("no messages and no input")

// Decode reads a request body whose format it finds out from the content. A
// bare array of messages or items is taken as well.
// Errors: KindInput where the body is not whole JSON or of no known format.
func Decode(body []byte) (pith.Conversation, error) {
	f := Detect(body)
	if f == "" {
		c := jsonscan.New(body)
		c.Skip()
		if c.Bad() {
			return pith.Conversation{}, malformed(c.BadAt(), len(body))
		}
		return pith.Conversation{}, inputError(errNoBody, knownBodies)
	}
	return DecodeAs(f, body)
}

// DecodeAs reads a request body of a known format. The session formats stand
// for the body that their client sends.
// Errors: KindInput where the body is not whole JSON or has no messages.
func DecodeAs(f pith.Format, body []byte) (pith.Conversation, error) {
	conv := pith.Conversation{Format: bodyFormat(f), Raw: body}
	if conv.Format == "" {
		return conv, inputError(fmt.Errorf("format %q has no request body", f), knownBodies)
	}
	c := jsonscan.New(body)
	found := false
	switch c.Peek() {
	case '[':
		found = true
		decodeMessages(&conv, &c)
	case '{':
		found = decodeBody(&conv, &c)
	}
	if c.Bad() {
		return conv, malformed(c.BadAt(), len(body))
	}
	if !found {
		return conv, inputError(errNoBody, knownBodies)
	}
	readOutcomes(conv.Messages)
	return conv, nil
}

func decodeBody(conv *pith.Conversation, c *jsonscan.Cursor) (found bool) {
	messages := listKey(conv.Format)
	c.Object()
	for {
		key, ok := c.Key()
		if !ok {
			return found
		}
		switch string(key) {
		case messages:
			found = true
			conv.Messages = nil
			decodeMessages(conv, c)
		case "model":
			conv.Model = c.String()
		case "tools":
			conv.Tools = c.Value()
		case "max_tokens", "max_completion_tokens", "max_output_tokens":
			if n, ok := c.Int(); ok {
				conv.MaxTokens = pith.Tokens(n)
			}
		case "system", "instructions":
			if string(key) == systemKey(conv.Format) {
				r := reader{format: conv.Format, role: pith.RoleSystem}
				r.content(c)
				conv.System = r.blocks
			} else {
				c.Skip()
			}
		default:
			c.Skip()
		}
	}
}

// decodeMessages reads the list at the cursor; an input that is one string is
// one user message.
func decodeMessages(conv *pith.Conversation, c *jsonscan.Cursor) {
	if c.Peek() == '"' {
		raw := c.Value()
		s := jsonscan.New(raw)
		conv.Messages = []pith.Message{{
			Role: pith.RoleUser, Raw: raw,
			Blocks: []pith.Block{{Text: s.String(), Origin: pith.UserExplicit}},
		}}
		return
	}
	if !c.Array() {
		return
	}
	for c.More() {
		raw := c.Value()
		if c.Bad() {
			return
		}
		m := ReadMessage(conv.Format, raw)
		m.Index, m.Raw = len(conv.Messages), raw
		conv.Messages = append(conv.Messages, m)
	}
}

// ReadMessage reads one message or item of a body. Raw and Index are left to
// the caller, and so are the outcomes of tool results, which need the call.
func ReadMessage(f pith.Format, raw []byte) pith.Message {
	r := reader{format: bodyFormat(f)}
	r.message(raw)
	return pith.Message{ID: r.id, Role: r.role, Blocks: r.blocks}
}

func malformed(at, size int) error {
	if at >= size {
		return inputError(fmt.Errorf("the JSON ends too early, after %d bytes", size), "send the whole body")
	}
	return inputError(fmt.Errorf("not valid JSON at byte %d of %d", at, size), knownBodies)
}

func inputError(err error, hint string) error {
	return &pith.Error{Op: "read the request body", Kind: pith.KindInput, Err: err, Hint: hint}
}

// bodyFormat maps a session's format to that of the requests its client sends.
func bodyFormat(f pith.Format) pith.Format {
	switch f {
	case pith.FormatClaudeCode, pith.FormatAnthropic:
		return pith.FormatAnthropic
	case pith.FormatCodex, pith.FormatOpenAIResponses:
		return pith.FormatOpenAIResponses
	case pith.FormatOpenAIChat:
		return f
	}
	return ""
}

func listKey(f pith.Format) string {
	if f == pith.FormatOpenAIResponses {
		return "input"
	}
	return "messages"
}

func systemKey(f pith.Format) string {
	switch f {
	case pith.FormatAnthropic:
		return "system"
	case pith.FormatOpenAIResponses:
		return "instructions"
	}
	return ""
}

// reader reads the blocks of one message. For an edit it also notes where in
// the message's bytes each block stands.
type reader struct {
	format pith.Format
	role   pith.Role
	id     string
	blocks []pith.Block
	// places is filled where wantPlaces is set, one for each block.
	places     []place
	wantPlaces bool
}

type placeKind uint8

const (
	// wholeMessage: the block is the message.
	wholeMessage placeKind = iota
	// wholeContent: the block is the message's content, a string.
	wholeContent
	// inContent and inToolCalls: the block is an element of that array.
	inContent
	inToolCalls
	// aMember: the block is a field of the message, its key included.
	aMember
)

type place struct {
	kind       placeKind
	start, end int
}

func (r *reader) add(b pith.Block, kind placeKind, start, end int) {
	r.blocks = append(r.blocks, b)
	if r.wantPlaces {
		r.places = append(r.places, place{kind, start, end})
	}
}

// message reads a message's bytes from the beginning.
func (r *reader) message(raw []byte) {
	switch r.format {
	case pith.FormatOpenAIChat:
		r.chatMessage(raw)
	case pith.FormatOpenAIResponses:
		r.item(raw)
	default:
		r.anthropicMessage(raw)
	}
}

// content reads a content value: a string, or a list of blocks or parts.
func (r *reader) content(c *jsonscan.Cursor) {
	switch c.Peek() {
	case '"':
		start := c.Pos()
		text := c.String()
		r.add(r.text(text), wholeContent, start, c.Pos())
	case '[':
		c.Array()
		for c.More() {
			start := c.Pos()
			var b pith.Block
			switch {
			case c.Peek() == '"':
				b = r.text(c.String())
			case r.format == pith.FormatAnthropic:
				b = r.anthropicBlock(c)
			default:
				b = r.openAIPart(c)
			}
			r.add(b, inContent, start, c.Pos())
		}
	default:
		c.Skip()
	}
}

func (r *reader) text(text string) pith.Block {
	return pith.Block{Kind: pith.KindText, Text: text, Origin: originOf(r.role)}
}

// originOf labels the words of a role. Results, images and documents have an
// origin of their own, whoever's turn they stand in.
func originOf(role pith.Role) pith.Provenance {
	switch role {
	case pith.RoleSystem:
		return pith.System
	case pith.RoleAssistant:
		return pith.Assistant
	}
	return pith.UserExplicit
}

func roleOf(name []byte) pith.Role {
	switch string(name) {
	case "assistant", "model":
		return pith.RoleAssistant
	case "system", "developer":
		return pith.RoleSystem
	}
	return pith.RoleUser
}

// toolUse builds the block of a call from its name and the JSON of its input.
func toolUse(id, name string, input []byte) pith.Block {
	c := jsonscan.New(input)
	return toolUseAt(id, name, &c)
}

// toolUseAt is toolUse for the input at the cursor.
func toolUseAt(id, name string, c *jsonscan.Cursor) pith.Block {
	args, text := readArgs(name, c)
	return pith.Block{
		Kind: pith.KindToolUse, ToolUseID: id, ToolName: name, Args: args,
		Text: text, Origin: pith.Assistant,
	}
}

// rawArg is a field of an input, undecoded.
type rawArg struct {
	key, value []byte
	isString   bool
}

// readArgs lists the top-level fields of the input at the cursor, and gives
// them as the text that pith.ToolUseText makes of them. An input that is no
// object is one field named "input".
func readArgs(name string, c *jsonscan.Cursor) ([]pith.Arg, string) {
	var room [8]rawArg
	raws := room[:0]
	switch c.Peek() {
	case 0:
	case '{':
		c.Object()
		for {
			key, ok := c.Key()
			if !ok {
				break
			}
			raws = append(raws, readArg(key, c))
		}
	default:
		raws = append(raws, readArg([]byte("input"), c))
	}
	return decodeArgs(name, raws)
}

func readArg(key []byte, c *jsonscan.Cursor) rawArg {
	if c.Peek() == '"' {
		value, _ := c.Raw()
		return rawArg{key, value, true}
	}
	return rawArg{key, c.Value(), false}
}

// knownName decodes the name of a tool or of a field. The frequent ones are shared.
func knownName(raw []byte) string {
	for _, known := range names {
		if string(raw) == known {
			return known
		}
	}
	return jsonscan.Text(raw)
}

var names = [...]string{
	"command", "description", "file_path", "old_string", "new_string", "content", "pattern", "path", "offset", "limit",
	"Bash", "Edit", "Read", "Write", "Grep", "Glob", "TodoWrite", "todos", "timeout", "replace_all", "output_mode", "workdir",
}

// longArg is from where on a value is a part of the call's text: a short one
// that is kept must not keep the text.
const longArg = 256

func decodeArgs(name string, raws []rawArg) ([]pith.Arg, string) {
	n := len(name)
	for i := range raws {
		n += len(raws[i].key) + len(raws[i].value) + 3
	}
	var text strings.Builder
	text.Grow(n)
	text.WriteString(name)
	var args []pith.Arg
	if len(raws) > 0 {
		args = make([]pith.Arg, len(raws))
	}
	for i := range raws {
		raw, a := &raws[i], &args[i]
		a.Key, a.IsString = knownName(raw.key), raw.isString
		text.WriteByte('\n')
		text.WriteString(a.Key)
		text.WriteString(": ")
		start := text.Len()
		if raw.isString {
			jsonscan.WriteText(&text, raw.value)
		} else {
			text.WriteString(strings.ToValidUTF8(string(raw.value), "\ufffd"))
		}
		a.Value = text.String()[start:]
		if len(a.Value) < longArg {
			a.Value = strings.Clone(a.Value)
		}
	}
	return args, text.String()
}

// argumentsToolUse builds the block of a call whose arguments come as text,
// which may or may not be JSON.
func argumentsToolUse(id, name, arguments string) pith.Block {
	if c := jsonscan.New([]byte(arguments)); c.Peek() == '{' {
		c.Skip()
		if !c.Bad() && c.Peek() == 0 {
			return toolUse(id, name, []byte(arguments))
		}
	}
	b := toolUse(id, name, nil)
	if strings.TrimSpace(arguments) != "" {
		b.Args = []pith.Arg{{Key: "arguments", Value: arguments, IsString: true}}
		b.Text = pith.ToolUseText(name, b.Args)
	}
	return b
}
