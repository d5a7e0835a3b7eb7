package transcript

import (
	"bytes"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// translation writes a client's message in the shape of an Anthropic one, from
// undecoded JSON values: what is read of it and what can be sent are then the
// same blocks.
type translation struct {
	buf    []byte
	blocks int
	// unsigned are thoughts that no provider takes back.
	unsigned []pith.Block
}

func (t *translation) begin(role pith.Role) {
	t.buf = append(append(append(t.buf[:0], `{"role":"`...), role...), `","content":[`...)
	t.blocks, t.unsigned = 0, nil
}

func (t *translation) open(kind string) {
	if t.blocks > 0 {
		t.buf = append(t.buf, ',')
	}
	t.blocks++
	t.buf = append(append(append(t.buf, `{"type":"`...), kind...), '"')
}

func (t *translation) field(key string, value []byte) {
	t.buf = append(append(append(t.buf, `,"`...), key...), `":`...)
	t.buf = append(t.buf, value...)
}

func isString(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// text adds a text block; an empty one is no block, which APIs refuse.
func (t *translation) text(value []byte) bool {
	if !isString(value) || len(value) == 2 {
		return false
	}
	t.open("text")
	t.field("text", value)
	t.buf = append(t.buf, '}')
	return true
}

// thinking adds what the model thought. Providers refuse it without the
// signature that they gave it, so that it goes into no body then.
func (t *translation) thinking(value, signature []byte) {
	if !isString(value) || len(value) == 2 {
		return
	}
	if !isString(signature) || len(signature) == 2 {
		t.unsigned = append(t.unsigned, pith.Block{Kind: pith.KindThinking, Text: jsonString(value), Origin: pith.Assistant})
		return
	}
	t.open("thinking")
	t.field("thinking", value)
	t.field("signature", signature)
	t.buf = append(t.buf, '}')
}

// thoughts is a message of the thoughts that cannot be sent, nil where there
// are none. It stands before the one that they led to, and has no bytes.
func (t *translation) thoughts() *pith.Message {
	if t.unsigned == nil {
		return nil
	}
	return &pith.Message{Role: pith.RoleAssistant, Blocks: t.unsigned}
}

func (t *translation) image(mediaType, data []byte) {
	if !isString(mediaType) || !isString(data) {
		return
	}
	t.open("image")
	t.buf = append(t.buf, `,"source":{"type":"base64"`...)
	t.field("media_type", mediaType)
	t.field("data", data)
	t.buf = append(t.buf, `}}`...)
}

func (t *translation) call(id, name, input []byte) {
	t.open("tool_use")
	t.field("id", callID(id))
	if !isString(name) {
		name = []byte(`"tool"`)
	}
	t.field("name", name)
	if len(input) == 0 || input[0] != '{' {
		input = []byte("{}")
	}
	t.field("input", input)
	t.buf = append(t.buf, '}')
}

// result adds a result whose content is a JSON string or a list of blocks.
func (t *translation) result(id, content []byte, failed bool) {
	t.open("tool_result")
	t.field("tool_use_id", callID(id))
	if len(content) > 0 {
		t.field("content", content)
	}
	if failed {
		t.field("is_error", []byte("true"))
	}
	t.buf = append(t.buf, '}')
}

// callID writes an id in the letters that every provider takes.
func callID(value []byte) []byte {
	id := []byte(jsonString(value))
	if len(id) == 0 {
		id = []byte("call")
	}
	for i, c := range id {
		word := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
		if !word {
			id[i] = '_'
		}
	}
	return append(append([]byte{'"'}, id...), '"')
}

func jsonString(value []byte) string {
	if !isString(value) {
		return ""
	}
	c := jsonscan.New(value)
	return c.String()
}

func quoted(s string) []byte { return jsonscan.AppendQuoted(nil, s) }

// message ends the message; nil where it has no block.
func (t *translation) message(keepRaw bool) *pith.Message {
	if t.blocks == 0 {
		return nil
	}
	t.buf = append(t.buf, "]}"...)
	m := wire.ReadMessage(pith.FormatAnthropic, t.buf)
	if keepRaw {
		m.Raw = bytes.Clone(t.buf)
	}
	return &m
}

// millis is a time in milliseconds since 1970; zero where there is none.
func millis(n int) time.Time {
	if n <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(n)).UTC()
}

func isoTime(value []byte) time.Time {
	t, err := time.Parse(time.RFC3339Nano, jsonString(value))
	if err != nil {
		return time.Time{}
	}
	return t
}

// onlyCalls drops what was said on a branch that was left, and tells whether
// the message holds calls or results: those are no part of the conversation
// either, but what they did to the disk did happen.
func onlyCalls(m *pith.Message) bool {
	kept := m.Blocks[:0]
	for _, b := range m.Blocks {
		if b.Kind == pith.KindToolUse || b.Kind == pith.KindToolResult {
			kept = append(kept, b)
		}
	}
	m.Blocks, m.Raw, m.Usage = kept, nil, nil
	m.Agent, m.Nested = pith.AbandonedBranch, true
	return len(kept) > 0
}

// keptRows are the ids of the messages so far, in order: compactions name the
// first one that they keep. What since returns shares their memory.
type keptRows struct {
	ids []string
	at  map[string]int
}

func (k *keptRows) add(id string) {
	if id == "" || len(k.ids) > 0 && k.ids[len(k.ids)-1] == id {
		return
	}
	if k.at == nil {
		k.at = map[string]int{}
	}
	k.at[id] = len(k.ids)
	k.ids = append(k.ids, id)
}

// since lists the ids from one on, nil where it is not among them.
func (k *keptRows) since(id string) []string {
	i, ok := k.at[id]
	if !ok {
		return nil
	}
	return k.ids[i:len(k.ids):len(k.ids)]
}

// heldRow is a row that waits until the end of the file: only there it is known
// which branch of a session is the one that lives.
type heldRow struct {
	data       []byte
	line       int
	id, parent string
	// left: it is no part of the conversation.
	left bool
}
