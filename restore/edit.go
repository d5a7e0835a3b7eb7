package restore

import (
	"bytes"
	"unicode/utf8"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/wire"
)

// editor changes messages by package wire and keeps the first error, so that
// a plan reads as what it does. After an error it changes nothing more.
type editor struct {
	format pith.Format
	err    error
}

func (e *editor) note(err error) {
	if e.err == nil {
		e.err = err
	}
}

// edit is one change of a message; on an error the message stays as it was.
func (e *editor) edit(m pith.Message, change func() (pith.Message, error)) pith.Message {
	if e.err != nil {
		return m
	}
	out, err := change()
	if err != nil {
		e.note(err)
		return m
	}
	return out
}

func (e *editor) setText(m pith.Message, i int, text string) pith.Message {
	return e.edit(m, func() (pith.Message, error) { return wire.SetBlockText(e.format, m, i, text) })
}

func (e *editor) setID(m pith.Message, i int, id string) pith.Message {
	return e.edit(m, func() (pith.Message, error) { return wire.SetToolUseID(e.format, m, i, id) })
}

func (e *editor) resultsFirst(m pith.Message) pith.Message {
	return e.edit(m, func() (pith.Message, error) { return wire.ResultsFirst(e.format, m) })
}

func (e *editor) remove(m pith.Message, gone map[int]bool) pith.Message {
	if len(gone) == 0 {
		return m
	}
	return e.edit(m, func() (pith.Message, error) {
		return wire.RemoveBlocks(e.format, m, func(i int) bool { return gone[i] })
	})
}

// replaceImages puts a marker in the place of each image of a result, which
// says what tool made it, its type and its size.
func (e *editor) replaceImages(m pith.Message, i int, tool string) pith.Message {
	return e.edit(m, func() (pith.Message, error) {
		return wire.ReplaceImages(e.format, m, i, func(mediaType string, size int) string {
			if tool == "" {
				tool = "tool"
			}
			return "[image from " + tool + ", " + mediaType + ", " + itoa(size) + " bytes, left out]"
		})
	})
}

// rewrite keeps the blocks for which f says so, with the text that it gives.
// ok is false where none is left.
func (e *editor) rewrite(m pith.Message, f func(*pith.Block) (text string, keep bool)) (out pith.Message, ok bool) {
	gone := map[int]bool{}
	out = m
	for i := range m.Blocks {
		text, keep := f(&m.Blocks[i])
		switch {
		case !keep:
			gone[i] = true
		case text != m.Blocks[i].Text:
			out = e.setText(out, i, text)
		}
	}
	out = e.remove(out, gone)
	return out, len(out.Blocks) > 0
}

func (e *editor) userText(text string) pith.Message {
	return wire.TextMessage(e.format, pith.RoleUser, text)
}

func (e *editor) appendSystem(c pith.Conversation, text string) pith.Conversation {
	if e.err == nil {
		e.note(wire.AppendSystem(&c, text))
	}
	return c
}

func (e *editor) setSystem(c pith.Conversation, i int, text string) pith.Conversation {
	if e.err == nil {
		e.note(wire.SetSystemText(&c, i, text))
	}
	return c
}

// whole repairs what would make a provider refuse a message's bytes: half of a
// surrogate pair, which a careless cut leaves, and bytes that are no UTF-8.
func (e *editor) whole(m pith.Message) pith.Message {
	if !utf8.Valid(m.Raw) {
		m.Raw = bytes.ToValidUTF8(m.Raw, []byte("\uFFFD"))
	}
	m.Raw = pairSurrogates(m.Raw)
	return m
}

// pairSurrogates writes U+FFFD for each \u escape of a surrogate that stands
// without its other half. It copies only where there is one.
func pairSurrogates(raw []byte) []byte {
	copied := false
	for i := 0; i+6 <= len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		half := surrogate(raw[i:])
		if half == 0 {
			i++ // the escaped character
			continue
		}
		if half == high && surrogate(raw[i+6:]) == low {
			i += 11
			continue
		}
		if !copied {
			raw, copied = bytes.Clone(raw), true
		}
		copy(raw[i+2:], "fffd")
		i += 5
	}
	return raw
}

type half uint8

const (
	high half = iota + 1
	low
)

// surrogate tells whether an escape of a surrogate stands at the beginning, 0 if none.
func surrogate(at []byte) half {
	if len(at) < 6 || at[0] != '\\' || at[1] != 'u' || at[2]|0x20 != 'd' {
		return 0
	}
	switch c := at[3] | 0x20; {
	case at[3] == '8' || at[3] == '9' || c == 'a' || c == 'b':
		return high
	case c >= 'c' && c <= 'f':
		return low
	}
	return 0
}
