package wire

import (
	"bytes"
	"errors"

	"github.com/pith-memory/pith/jsonscan"
)

// growing is a JSON object that deltas add to. Whatever their keys are: the
// strings of a key are joined, its lists are joined, its objects are merged,
// and any other value replaces the one before. What no delta touched keeps its
// bytes, and joined strings are joined as they are escaped.
type growing struct {
	members []grown
	room    *room
}

// grown is a member of a growing object: whole JSON, or an object that grows.
type grown struct {
	key    string
	value  []byte
	object *growing
}

const (
	maxGrownMembers = 1024
	maxGrownDepth   = 8
)

var errTooManyFields = errors.New("the answer has too many fields")

// merge adds every member of a delta but those that skip names.
func (g *growing) merge(delta []byte, depth int, skip ...string) error {
	c := jsonscan.New(delta)
	if !c.Object() {
		return nil
	}
next:
	for {
		key, ok := c.Key()
		if !ok {
			return nil
		}
		value := c.Value()
		for _, s := range skip {
			if string(key) == s {
				continue next
			}
		}
		if err := g.add(string(key), value, depth); err != nil {
			return err
		}
	}
}

func (g *growing) find(key string) *grown {
	for i := range g.members {
		if g.members[i].key == key {
			return &g.members[i]
		}
	}
	return nil
}

// set makes a member what value says.
func (g *growing) set(key string, value []byte) {
	if m := g.find(key); m != nil {
		m.value, m.object = value, nil
		return
	}
	g.members = append(g.members, grown{key: key, value: value})
}

// value is the member's bytes, nil where there is none or it is an object that grew.
func (g *growing) value(key string) []byte {
	if m := g.find(key); m != nil && m.object == nil {
		return m.value
	}
	return nil
}

// add joins value to what the member holds.
func (g *growing) add(key string, value []byte, depth int) error {
	if err := g.room.take(len(key) + len(value)); err != nil || len(value) == 0 {
		return err
	}
	m := g.find(key)
	if m == nil {
		if len(g.members) >= maxGrownMembers {
			return errTooManyFields
		}
		g.members = append(g.members, grown{key: key, value: bytes.Clone(value)})
		return nil
	}
	if isNull(value) {
		return nil
	}
	if m.object != nil {
		if value[0] == '{' {
			return m.object.merge(value, depth+1)
		}
		m.object = nil
		m.value = bytes.Clone(value)
		return nil
	}
	return m.join(g.room, value, depth)
}

func (m *grown) join(room *room, value []byte, depth int) error {
	old := m.value[0]
	switch {
	case isNull(m.value) || string(m.value) == `""`:
		m.value = bytes.Clone(value)
	case isName(m.key) && old == '"': // said once, or again with every delta
		if m.key == "name" && value[0] == '"' && !bytes.Equal(m.value, value) {
			m.value = joinStrings(m.value, value)
		}
	case old == '"' && value[0] == '"':
		m.value = joinStrings(m.value, value)
	case old == '[' && value[0] == '[':
		m.value = joinLists(m.value, value)
	case m.key == "content" && (old == '[' && value[0] == '"' || old == '"' && value[0] == '['):
		m.value = joinLists(asParts(m.value), asParts(value))
	case old == '{' && value[0] == '{' && depth < maxGrownDepth:
		object := &growing{room: room}
		if err := object.merge(m.value, depth+1); err != nil {
			return err
		}
		m.object, m.value = object, nil
		return object.merge(value, depth+1)
	default:
		m.value = bytes.Clone(value)
	}
	return nil
}

// isName tells the keys whose strings name something and do not come in parts.
func isName(key string) bool {
	switch key {
	case "type", "role", "id", "name", "tool_use_id", "tool_call_id", "call_id", "object", "status":
		return true
	}
	return false
}

func isNull(value []byte) bool { return string(value) == "null" }

func joinStrings(a, b []byte) []byte { return append(a[:len(a)-1], b[1:]...) }

func joinLists(a, b []byte) []byte {
	more := bytes.TrimSpace(b[1 : len(b)-1])
	if len(more) == 0 {
		return a
	}
	a = bytes.TrimRight(a[:len(a)-1], " \n\r\t")
	if len(a) > 1 {
		a = append(a, ',')
	}
	return append(append(a, more...), ']')
}

// asParts makes a list of parts of a content that is one string: a few
// providers change from one to the other in mid-answer.
func asParts(content []byte) []byte {
	if content[0] == '[' {
		return content
	}
	return append(append([]byte(`[{"type":"text","text":`), content...), `}]`...)
}

// bytes writes the object.
func (g *growing) bytes() []byte {
	out := []byte{'{'}
	for i := range g.members {
		m := &g.members[i]
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), m.key...), `":`...)
		switch {
		case m.object != nil:
			out = append(out, m.object.bytes()...)
		case m.value[0] == '"':
			out = append(out, wholeString(m.value)...)
		default:
			out = append(out, m.value...)
		}
	}
	return append(out, '}')
}

// wholeString writes a string anew that may end in half a character, which
// providers refuse; any other one stays as it is.
func wholeString(quoted []byte) []byte {
	if !bytes.Contains(quoted, []byte(`\ud`)) && !bytes.Contains(quoted, []byte(`\uD`)) {
		return quoted
	}
	return jsonscan.AppendQuoted(nil, jsonscan.Text(quoted[1:len(quoted)-1]))
}

// appendBody appends the body of a string to text; any other value adds nothing.
func appendBody(text []byte, value []byte) []byte {
	c := jsonscan.New(value)
	if c.Peek() != '"' {
		return text
	}
	body, _ := c.Raw()
	return append(text, body...)
}
