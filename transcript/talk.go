package transcript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// talk makes the messages of clients whose files are no API messages: it pairs
// calls with results and writes the bytes of a message that is ready to send.
type talk struct {
	d     *Decoder
	calls wire.OpenCalls
	// pending are the calls without a result, oldest first.
	pending []pith.Block
	made    int
	// asked is set once the user said something.
	asked bool
}

// maxPending bounds what calls without a result can pile up.
const maxPending = 256

// say hands out a message; one without blocks is none.
func (t *talk) say(m *pith.Message) {
	m.Blocks = slices.DeleteFunc(m.Blocks, func(b pith.Block) bool { return b.Kind == pith.KindText && b.Text == "" })
	if len(m.Blocks) == 0 {
		return
	}
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; b.Kind {
		case pith.KindToolUse:
			if b.ToolUseID == "" {
				t.made++
				b.ToolUseID = "call-" + strconv.Itoa(t.made)
			}
			b.Text = pith.ToolUseText(b.ToolName, b.Args)
			t.pending = append(t.pending, *b)
		case pith.KindToolResult:
			t.answered(b)
		}
	}
	if n := len(t.pending); n > maxPending {
		t.pending = append(t.pending[:0], t.pending[n/2:]...)
	}
	t.calls.Outcomes(m)
	if t.d.opts.KeepRaw && m.Role != pith.RoleSystem {
		m.Raw = messageBytes(m)
	}
	t.d.emit(m)
}

// answered closes the call of a result, by its id or else the oldest one.
func (t *talk) answered(b *pith.Block) {
	for i := range t.pending {
		if b.ToolUseID == "" || t.pending[i].ToolUseID == b.ToolUseID {
			b.ToolUseID, b.ToolName = t.pending[i].ToolUseID, t.pending[i].ToolName
			t.pending = append(t.pending[:i], t.pending[i+1:]...)
			return
		}
	}
}

// open gives the oldest call without a result, nil where there is none.
func (t *talk) open() *pith.Block {
	if len(t.pending) == 0 {
		return nil
	}
	return &t.pending[0]
}

func textBlock(text string, origin pith.Provenance) []pith.Block {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []pith.Block{{Kind: pith.KindText, Text: text, Origin: origin}}
}

func stringArg(key, value string) pith.Arg { return pith.Arg{Key: key, Value: value, IsString: true} }

// objectArgs are the members of an object as a tool's arguments.
func objectArgs(object []byte) (args []pith.Arg) {
	c := jsonscan.New(object)
	if c.Peek() != '{' {
		return nil
	}
	c.Object()
	for {
		key, ok := c.Key()
		if !ok {
			return args
		}
		name := jsonscan.Text(key)
		if c.Peek() == '"' {
			args = append(args, stringArg(name, c.String()))
		} else if raw := c.Value(); raw != nil && string(raw) != "null" {
			args = append(args, pith.Arg{Key: name, Value: string(raw)})
		}
	}
}

// messageBytes writes a message as the API of Anthropic takes it.
func messageBytes(m *pith.Message) []byte {
	out := append([]byte(`{"role":"`), m.Role...)
	out = append(out, `","content":[`...)
	for i := range m.Blocks {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendBlock(out, &m.Blocks[i])
	}
	return append(out, "]}"...)
}

func appendBlock(out []byte, b *pith.Block) []byte {
	switch b.Kind {
	case pith.KindToolUse:
		out = jsonscan.AppendQuoted(append(out, `{"type":"tool_use","id":`...), b.ToolUseID)
		out = jsonscan.AppendQuoted(append(out, `,"name":`...), b.ToolName)
		out = append(out, `,"input":{`...)
		for i := range b.Args {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(jsonscan.AppendQuoted(out, b.Args[i].Key), ':')
			if v := b.Args[i].Value; b.Args[i].IsString || !jsontext.Value(v).IsValid() {
				out = jsonscan.AppendQuoted(out, v)
			} else {
				out = append(out, v...)
			}
		}
		return append(out, "}}"...)
	case pith.KindToolResult:
		out = jsonscan.AppendQuoted(append(out, `{"type":"tool_result","tool_use_id":`...), b.ToolUseID)
		out = jsonscan.AppendQuoted(append(out, `,"content":`...), b.Text)
		if b.IsError {
			out = append(out, `,"is_error":true`...)
		}
		return append(out, '}')
	}
	return append(jsonscan.AppendQuoted(append(out, `{"type":"text","text":`...), b.Text), '}')
}

// chatText is the content of a chat message: a string, or the texts of a list.
func chatText(value []byte) string {
	c := jsonscan.New(value)
	if c.Peek() == '"' {
		return c.String()
	}
	var parts []string
	if !c.Array() {
		return ""
	}
	for c.More() {
		if text := member(c.Value(), "text"); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}

// memberValue is the bytes of a member, nil where there is none.
func memberValue(object []byte, key string) []byte {
	start, end, ok := jsonscan.Member(object, key)
	if !ok {
		return nil
	}
	return object[start:end]
}

// memberPath follows members into objects.
func memberPath(object []byte, keys ...string) []byte {
	for _, k := range keys {
		if object = memberValue(object, k); object == nil {
			return nil
		}
	}
	return object
}

// requests are how harnesses wrap what a person asked for: the words between
// are the person's, the instructions around them the harness's.
var requests = [...]struct{ before, after string }{
	{"<pr_description>", "</pr_description>"},
	{"<issue_description>", "</issue_description>"},
	{"<task_description>", "</task_description>"},
	{"<task>", "</task>"},
	{"\nISSUE:\n", "\nINSTRUCTIONS:"},
	{"Please solve this issue: ", "\n\nYou can execute bash commands"},
	{"Please solve this issue:", "\n\nYou can execute bash commands"},
	{"Please fix the following issue", "\n\nIMPORTANT"},
}

// taskBlocks splits the first message of a session into the harness's words
// and the user's; one that no known template wraps is the user's.
func taskBlocks(text string) []pith.Block {
	for _, r := range requests {
		i := strings.Index(text, r.before)
		if i < 0 {
			continue
		}
		i += len(r.before)
		k := strings.Index(text[i:], r.after)
		if k < 0 || strings.TrimSpace(text[i:i+k]) == "" {
			continue
		}
		blocks := textBlock(text[:i], pith.Harness)
		blocks = append(blocks, textBlock(text[i:i+k], pith.UserExplicit)...)
		return append(blocks, textBlock(text[i+k:], pith.Harness)...)
	}
	return textBlock(text, pith.UserExplicit)
}
