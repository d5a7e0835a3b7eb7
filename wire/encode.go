package wire

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// Encode writes the body to send: c.Raw with its list of messages replaced by
// the Raw of c.Messages. Where the messages are those that came, the body is
// c.Raw itself; otherwise every other byte of it stays. A message without Raw
// has nothing to send and is left out.
// Errors: KindUnexpected where c.Raw is not a body of c.Format.
func Encode(c pith.Conversation) ([]byte, error) {
	start, end, err := listPlace(&c)
	if err != nil {
		return nil, err
	}
	list := c.Raw[start:end]
	if sameList(list, c.Messages) {
		return c.Raw, nil
	}
	size := len(c.Raw) - len(list) + 2
	for i := range c.Messages {
		size += len(c.Messages[i].Raw) + 2
	}
	open, separator, closing := listStyle(list)
	out := make([]byte, 0, size+32)
	out = append(out, c.Raw[:start]...)
	out = append(out, open...)
	first := true
	for i := range c.Messages {
		raw := c.Messages[i].Raw
		if len(raw) == 0 {
			continue
		}
		if !first {
			out = append(out, separator...)
		}
		first = false
		if raw[0] == '"' && list[0] == '"' { // an input that was one string
			out = append(append(append(out, `{"role":"user","content":`...), raw...), '}')
			continue
		}
		out = append(out, raw...)
	}
	out = append(out, closing...)
	return append(out, c.Raw[end:]...), nil
}

// listPlace finds the list of messages in the body.
func listPlace(c *pith.Conversation) (start, end int, err error) {
	s := jsonscan.New(c.Raw)
	if s.Peek() == '[' {
		start = s.Pos()
		s.Skip()
		if !s.Bad() {
			return start, s.Pos(), nil
		}
	}
	start, end, ok := jsonscan.Member(c.Raw, listKey(bodyFormat(c.Format)))
	if !ok {
		return 0, 0, &pith.Error{Op: "write the request body", Err: errNoBody}
	}
	return start, end, nil
}

// sameList tells whether the list holds exactly these messages, byte by byte.
func sameList(list []byte, messages []pith.Message) bool {
	c := jsonscan.New(list)
	if c.Peek() == '"' {
		return len(messages) == 1 && bytes.Equal(c.Value(), messages[0].Raw)
	}
	if !c.Array() {
		return false
	}
	n := 0
	for c.More() {
		if n >= len(messages) || !bytes.Equal(c.Value(), messages[n].Raw) {
			return false
		}
		n++
	}
	return n == len(messages) && !c.Bad()
}

// listStyle takes the white space around the elements from the list itself.
func listStyle(list []byte) (open, separator, closing []byte) {
	open, separator, closing = []byte("["), []byte(","), []byte("]")
	c := jsonscan.New(list)
	if c.Peek() != '[' {
		return open, separator, closing
	}
	c.Array()
	if !c.More() {
		return open, separator, closing
	}
	open = list[:c.Pos()]
	c.Skip()
	last := c.Pos()
	if c.More() {
		separator = list[last:c.Pos()]
		for {
			c.Skip()
			last = c.Pos()
			if !c.More() {
				break
			}
		}
	}
	return open, separator, list[last:]
}

// AppendSystem adds a text to the system prompt, behind what stands there. The
// blocks that were there keep their bytes, cache marks included. It changes
// c.Raw, or c.Messages where the prompt is a message, never the bytes that
// either shares with anyone.
func AppendSystem(c *pith.Conversation, text string) error {
	s := jsonscan.New(c.Raw)
	list := s.Peek() == '['
	block := pith.Block{Kind: pith.KindText, Text: text, Origin: pith.System}
	switch f := bodyFormat(c.Format); {
	case f == pith.FormatOpenAIChat, f == pith.FormatOpenAIResponses && list:
		at := 0
		for at < len(c.Messages) && c.Messages[at].Role == pith.RoleSystem {
			at++
		}
		messages := make([]pith.Message, 0, len(c.Messages)+1)
		messages = append(messages, c.Messages[:at]...)
		messages = append(messages, TextMessage(f, pith.RoleSystem, text))
		c.Messages = append(messages, c.Messages[at:]...)
		return nil
	case list:
		return &pith.Error{Op: "add to the system prompt", Kind: pith.KindUsage, Err: errors.New("a bare list of messages has none")}
	case f == pith.FormatAnthropic:
		c.Raw = appendAnthropicSystem(c.Raw, text)
		if len(c.System) == 1 && c.System[0].Text == "" { // "", which no list can hold
			c.System = nil
		}
	case f == pith.FormatOpenAIResponses:
		c.Raw = appendInstructions(c.Raw, text)
	default:
		return &pith.Error{Op: "add to the system prompt", Kind: pith.KindUsage, Err: fmt.Errorf("format %q has none", c.Format)}
	}
	if c.Format == pith.FormatOpenAIResponses && len(c.System) == 1 {
		block.Text = c.System[0].Text + "\n\n" + text
		c.System = nil
	}
	c.System = append(c.System[:len(c.System):len(c.System)], block)
	return nil
}

func appendAnthropicSystem(raw []byte, text string) []byte {
	block := textElement("text", text)
	start, end, ok := jsonscan.Member(raw, "system")
	if !ok {
		return insertMember(raw, "system", append(append([]byte{'['}, block...), ']'))
	}
	old := raw[start:end]
	switch {
	case old[0] == '[' && len(bytes.TrimSpace(old[1:len(old)-1])) > 0:
		at := start + len(bytes.TrimRight(old[:len(old)-1], " \n\r\t"))
		return splice(raw, at, at, append([]byte{','}, block...))
	case old[0] == '"' && len(old) > 2:
		value := append(append([]byte(`[{"type":"text","text":`), old...), "},"...)
		return splice(raw, start, end, append(append(value, block...), ']'))
	}
	return splice(raw, start, end, append(append([]byte{'['}, block...), ']'))
}

func appendInstructions(raw []byte, text string) []byte {
	start, end, ok := jsonscan.Member(raw, "instructions")
	if !ok {
		return insertMember(raw, "instructions", jsonscan.AppendQuoted(nil, text))
	}
	if old := raw[start:end]; old[0] == '"' && len(old) > 2 {
		quoted := jsonscan.AppendQuoted(nil, "\n\n"+text)
		return splice(raw, end-1, end, quoted[1:])
	}
	return splice(raw, start, end, jsonscan.AppendQuoted(nil, text))
}

// insertMember writes a new first member into an object.
func insertMember(raw []byte, key string, value []byte) []byte {
	c := jsonscan.New(raw)
	c.Object()
	at := c.Pos()
	added := append(jsonscan.AppendQuoted(nil, key), ':')
	added = append(added, value...)
	if c.Peek() != '}' {
		added = append(added, ',')
	}
	return splice(raw, at, at, added)
}

// splice returns raw with raw[start:end] replaced.
func splice(raw []byte, start, end int, with []byte) []byte {
	out := make([]byte, 0, len(raw)-(end-start)+len(with))
	out = append(out, raw[:start]...)
	out = append(out, with...)
	return append(out, raw[end:]...)
}

func textElement(kind, text string) []byte {
	return append(jsonscan.AppendQuoted([]byte(`{"type":"`+kind+`","text":`), text), '}')
}

// textKind is what a format calls a text part of that role.
func textKind(f pith.Format, role pith.Role) string {
	switch {
	case bodyFormat(f) != pith.FormatOpenAIResponses:
		return "text"
	case role == pith.RoleAssistant:
		return "output_text"
	}
	return "input_text"
}

// TextMessage makes a message that says text, ready to send. It stands outside
// the session's numbering: its Index is SystemIndex. A system message is
// "developer" in a responses body and "system" in the others.
func TextMessage(f pith.Format, role pith.Role, text string) pith.Message {
	name := string(role)
	raw := []byte(`{"role":"`)
	if bodyFormat(f) == pith.FormatOpenAIResponses {
		raw = []byte(`{"type":"message","role":"`)
		if role == pith.RoleSystem {
			name = "developer"
		}
	}
	raw = append(append(raw, name...), `","content":`...)
	if bodyFormat(f) == pith.FormatOpenAIChat { // some servers take nothing but a string
		raw = append(jsonscan.AppendQuoted(raw, text), '}')
	} else {
		raw = append(append(append(raw, '['), textElement(textKind(f, role), text)...), "]}"...)
	}
	return pith.Message{
		Index: pith.SystemIndex, Role: role, Raw: raw,
		Blocks: []pith.Block{{Kind: pith.KindText, Text: text, Origin: originOf(role)}},
	}
}

// NewBody makes a minimal body around messages that came from a session file,
// read with their Raw. The fields that a provider requires besides the model
// are the sender's to add.
func NewBody(f pith.Format, model string, messages []pith.Message) pith.Conversation {
	f = bodyFormat(f)
	raw := jsonscan.AppendQuoted([]byte(`{"model":`), model)
	raw = append(append(raw, `,"`...), listKey(f)...)
	raw = append(raw, `":[]}`...)
	return pith.Conversation{Format: f, Model: model, Messages: messages, Raw: raw}
}
