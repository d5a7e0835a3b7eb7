package transcript

import (
	"bytes"

	"github.com/pith-memory/pith/jsonscan"
)

// skipPadding passes over white space and NUL bytes.
func skipPadding(b []byte, at int) int {
	for at < len(b) && (b[at] <= ' ' || at == 0 && bytes.HasPrefix(b, []byte("\xef\xbb\xbf"))) {
		if b[at] == 0xef {
			at += 2
		}
		at++
	}
	return at
}

// readRow reads the objects of one line: usually one, two where a newline got
// lost, and behind a torn one whatever whole object follows it.
func (d *Decoder) readRow(r row) {
	b := r.data
	at := skipPadding(b, 0)
	if bytes.IndexByte(b[:at], 0) >= 0 {
		if at == len(b) {
			d.skip(r.line, "NUL bytes only")
		} else {
			d.skip(r.line, "NUL bytes before the row, which was read")
		}
	}
	where := place{line: r.line}
	damaged := false
	for objects := 0; at < len(b); {
		c := &d.cursor // it would be made anew for each row
		*c = jsonscan.NewAt(b, at)
		if b[at] == '{' && d.session.object(c, where) {
			objects++
			if objects == 2 && !damaged {
				d.skip(r.line, "two rows on one line, both read")
			}
			where.recovered = false
			at = skipPadding(b, c.Pos())
			continue
		}
		if !damaged {
			d.skip(r.line, damage(b[at], c, r.open))
			damaged = true
		}
		next := nextObject(b, at+1)
		if next < 0 {
			return
		}
		at, where.recovered = next, true
	}
}

func damage(first byte, c *jsonscan.Cursor, open bool) string {
	switch {
	case first != '{':
		return "not a JSON object"
	case !c.Bad():
		return "an object that is no row"
	case open:
		return "cut off at the end of the file"
	}
	return "torn or not valid JSON"
}

// nextObject finds an object behind a torn row: one that is whole and reaches
// to the end of the line or to another object. Parts of the torn row itself do
// not, they are followed by its remains. The work is bounded: a line made of
// opening brackets must not cost its square.
func nextObject(b []byte, from int) int {
	for budget := 8*len(b) + firstHead; budget > 0; {
		k := bytes.Index(b[from:], []byte(`{"`))
		if k < 0 {
			return -1
		}
		at := from + k
		c := jsonscan.NewAt(b, at)
		c.Skip()
		end := c.Pos()
		if c.Bad() {
			end = c.BadAt()
		} else if rest := skipPadding(b, end); rest == len(b) || b[rest] == '{' {
			return at
		}
		budget -= end - at + 16
		from = at + 1
	}
	return -1
}
