// Package jsonscan walks JSON bytes without allocating and without giving up
// at the first fault. It turns a byte slice into positions: keys, values and
// strings are returned as parts of the slice, undecoded, until a caller asks
// for their text.
//
// encoding/json and its successors are right for whole values and wrong here:
// rows of a session file are torn, doubled or padded with NULs, and most of
// their bytes (a tool's copy of a whole file) are skipped unread. Skipping
// checks only what tells a torn value from a whole one: brackets, the ends of
// strings, and what may stand after a string or key.
package jsonscan

import "bytes"

// Cursor stands somewhere in a JSON text. After a fault it is Bad and stands
// at the end, so that every loop over keys or elements ends by itself.
type Cursor struct {
	b   []byte
	i   int
	bad bool
	at  int
	key int
	// fresh: the cursor has just entered an object or array, where no comma stands.
	fresh bool
}

// New returns a cursor at the beginning of b.
func New(b []byte) Cursor { return Cursor{b: b} }

// NewAt returns a cursor at b[pos:]; positions count from the beginning of b.
func NewAt(b []byte, pos int) Cursor { return Cursor{b: b, i: min(max(pos, 0), len(b))} }

// Pos is the offset of the next unread byte.
func (c *Cursor) Pos() int { return c.i }

// Bad tells that the text was torn or malformed.
func (c *Cursor) Bad() bool { return c.bad }

// BadAt is the offset of the fault.
func (c *Cursor) BadAt() int { return c.at }

// KeyPos is where the last key's opening quote stands.
func (c *Cursor) KeyPos() int { return c.key }

func (c *Cursor) fail() {
	if !c.bad {
		c.bad, c.at = true, c.i
	}
	c.i = len(c.b)
}

// Peek returns the next byte that is not white space, 0 at the end.
func (c *Cursor) Peek() byte {
	for c.i < len(c.b) {
		switch x := c.b[c.i]; x {
		case ' ', '\n', '\t', '\r':
			c.i++
		default:
			return x
		}
	}
	return 0
}

// Object enters an object. Any other value is skipped and gives false.
func (c *Cursor) Object() bool { return c.enter('{') }

// Array enters an array. Any other value is skipped and gives false.
func (c *Cursor) Array() bool { return c.enter('[') }

func (c *Cursor) enter(open byte) bool {
	if c.Peek() != open {
		c.Skip()
		return false
	}
	c.i++
	c.fresh = true
	return true
}

// next passes over the comma before all keys and elements but the first. It
// gives false at the closing bracket, and where there is neither.
func (c *Cursor) next(closing byte) bool {
	first := c.fresh
	c.fresh = false
	switch x := c.Peek(); {
	case x == closing:
		c.i++
		return false
	case first:
		return true
	case x == ',':
		c.i++
		return true
	}
	c.fail()
	return false
}

// Key returns the next key of the object, undecoded, and stands before its
// value. It gives false after the object's end.
func (c *Cursor) Key() ([]byte, bool) {
	if !c.next('}') {
		return nil, false
	}
	if c.Peek() != '"' {
		c.fail()
		return nil, false
	}
	c.key = c.i
	key, ok := c.Raw()
	if !ok || c.Peek() != ':' {
		c.fail()
		return nil, false
	}
	c.i++
	return key, true
}

// More tells whether the array has another element, and stands on its first byte.
func (c *Cursor) More() bool {
	if !c.next(']') {
		return false
	}
	switch c.Peek() {
	case 0, '}', ']', ':', ',':
		c.fail()
		return false
	}
	return true
}

// Skip passes over one value.
func (c *Cursor) Skip() {
	switch c.Peek() {
	case '"':
		c.skipString()
	case '{', '[':
		c.skipNested()
	default:
		start := c.i
		for c.i < len(c.b) && !delimiter(c.b[c.i]) {
			c.i++
		}
		if c.i == start {
			c.fail()
		}
	}
}

func delimiter(x byte) bool {
	switch x {
	case ',', '}', ']', ':', '"', '{', '[', ' ', '\n', '\t', '\r', 0:
		return true
	}
	return false
}

// skipNested counts brackets of both kinds together: a row whose brackets are
// balanced but mixed up does not occur, a torn one leaves some open.
func (c *Cursor) skipNested() {
	depth := 0
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case '"':
			c.skipString()
			if !c.afterString() {
				c.fail()
				return
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				c.i++
				return
			}
		}
		c.i++
	}
	c.fail()
}

// afterString tells whether a string may end here: inside an object or array
// it is followed by one of four bytes. In a row that was cut inside a string
// and continued by another row it is not.
func (c *Cursor) afterString() bool {
	switch c.Peek() {
	case ',', ':', '}', ']':
		return true
	}
	return false
}

func (c *Cursor) skipString() {
	end, ok := stringEnd(c.b, c.i+1)
	if !ok {
		c.i = end
		c.fail()
		return
	}
	c.i = end + 1
}

// stringEnd finds the closing quote of a string whose body starts at b[i].
func stringEnd(b []byte, i int) (int, bool) {
	// Most strings are keys and short words, for which a search costs more
	// than it saves.
	for k, x := range b[i:min(len(b), i+shortString)] {
		if x == '"' {
			return i + k, true
		}
		if x == '\\' {
			break
		}
	}
	for from := i; ; {
		k := bytes.IndexByte(b[from:], '"')
		if k < 0 {
			return len(b), false
		}
		end := from + k
		slashes := 0
		for j := end - 1; j >= i && b[j] == '\\'; j-- {
			slashes++
		}
		if slashes%2 == 0 {
			return end, true
		}
		from = end + 1
	}
}

const shortString = 12

// Value passes over one value and returns its bytes.
func (c *Cursor) Value() []byte {
	c.Peek()
	start := c.i
	c.Skip()
	if c.bad {
		return nil
	}
	return c.b[start:c.i]
}

// Since returns the bytes that were passed over from where start stands, nil
// after a fault.
func (c *Cursor) Since(start *Cursor) []byte {
	if c.bad {
		return nil
	}
	return c.b[start.i:c.i]
}

// Raw returns the undecoded body of a string. Any other value is skipped and
// gives false.
func (c *Cursor) Raw() ([]byte, bool) {
	if c.Peek() != '"' {
		c.Skip()
		return nil, false
	}
	start := c.i + 1
	c.skipString()
	if c.bad {
		return nil, false
	}
	return c.b[start : c.i-1], true
}

// String returns the text of a string, "" for any other value.
func (c *Cursor) String() string {
	raw, ok := c.Raw()
	if !ok {
		return ""
	}
	return Text(raw)
}

// Bool tells whether the value is true.
func (c *Cursor) Bool() bool { return string(c.Value()) == "true" }

// Int returns the whole part of a number.
func (c *Cursor) Int() (int, bool) {
	v := c.Value()
	negative := len(v) > 0 && v[0] == '-'
	if negative {
		v = v[1:]
	}
	n, digits := 0, 0
	for ; digits < len(v) && v[digits] >= '0' && v[digits] <= '9'; digits++ {
		if digits == 18 {
			return 0, false
		}
		n = n*10 + int(v[digits]-'0')
	}
	if negative {
		n = -n
	}
	return n, digits > 0
}

// Find returns a cursor on the value of the object's last member of that key.
// Where b has none it gives false, and a cursor that reads nothing.
func Find(b []byte, key string) (Cursor, bool) {
	start, end, ok := Member(b, key)
	if !ok {
		return Cursor{}, false
	}
	return NewAt(b[:end], start), true
}

// Member returns where the value of the object's last member of that key
// stands in b, and false where b has none.
func Member(b []byte, key string) (start, end int, ok bool) {
	c := New(b)
	if !c.Object() {
		return 0, 0, false
	}
	for {
		k, more := c.Key()
		if !more {
			return start, end, ok && !c.bad
		}
		c.Peek()
		from := c.i
		c.Skip()
		if string(k) == key && !c.bad {
			start, end, ok = from, c.i, true
		}
	}
}
