package wire

import (
	"errors"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// SetSystemText replaces what block i of the separate system prompt says; an
// empty text removes the block. It changes c.Raw and c.System, never the bytes
// or blocks that they share with anyone.
// Errors: KindUnexpected where the body has no such block.
func SetSystemText(c *pith.Conversation, i int, text string) error {
	missing := &pith.Error{Op: "change the system prompt", Err: errors.New("the body has no such block")}
	start, end, ok := jsonscan.Member(c.Raw, systemKey(bodyFormat(c.Format)))
	if !ok || i < 0 || i >= len(c.System) {
		return missing
	}
	blocks := append([]pith.Block(nil), c.System...)
	if c.Raw[start] == '"' {
		c.Raw = splice(c.Raw, start, end, jsonscan.AppendQuoted(nil, text))
	} else {
		from, to, ok := elementAt(c.Raw[start:end], i)
		if !ok {
			return missing
		}
		if text == "" {
			c.Raw = cut(c.Raw, start+from, start+to)
		} else {
			element, err := setText(c.Raw[start+from:start+to], pith.KindText, text)
			if err != nil {
				return err
			}
			c.Raw = splice(c.Raw, start+from, start+to, element)
		}
	}
	if blocks[i].Text = text; text == "" {
		blocks = append(blocks[:i], blocks[i+1:]...)
	}
	c.System = blocks
	return nil
}

// elementAt finds element i of a list.
func elementAt(list []byte, i int) (start, end int, ok bool) {
	c := jsonscan.New(list)
	if !c.Array() {
		return 0, 0, false
	}
	for ; c.More(); i-- {
		start = c.Pos()
		c.Skip()
		if i == 0 {
			return start, c.Pos(), !c.Bad()
		}
	}
	return 0, 0, false
}
