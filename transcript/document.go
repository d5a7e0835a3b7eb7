package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pith-memory/pith"
)

// layout reads the elements of a file that is one JSON value, or several
// values that need not stand on a line each.
type layout interface {
	// wants tells whether a member of the object at the top is read.
	wants(key string) bool
	// element reads one element of a list at the top, or of the list or value
	// that the named member holds. It gives false where that is none of its own.
	element(key string, value []byte) bool
	// finish hands over what is still held at the end of the file.
	finish()
}

// document walks a file with a streaming decoder: memory follows its largest
// element. What a client wrote before the file was cut off is read.
type document struct {
	d      *Decoder
	source *documentSource
	json   *jsontext.Decoder
	layout layout
	// whole: objects at the top are elements themselves, not walked into.
	whole    bool
	key      string
	elements int
	sessions sessionList
}

func newDocument(d *Decoder, f pith.Format) *document {
	x := &document{d: d, source: &documentSource{rows: &d.rows}}
	x.sessions.wanted = d.opts.Session
	talk := talk{d: d}
	switch f {
	case pith.FormatSWEAgent:
		x.layout = &sweAgent{talk: talk}
	case pith.FormatMiniSWEAgent:
		x.layout = &miniSWE{talk: talk}
	case pith.FormatOpenHands:
		x.whole = true
		x.layout = &openHands{talk: talk, x: x}
	default:
		x.layout = &tau2{talk: talk, x: x}
	}
	x.restart(x.source)
	return x
}

func (x *document) restart(r io.Reader) {
	x.json = jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// step reads one element; at the end of the file it ends the decoder.
func (x *document) step() error {
	key, value, err := x.next()
	switch {
	case err == nil && len(value) > x.d.opts.MaxRow:
		x.d.skip(x.source.line(), fmt.Sprintf("longer than %d bytes, passed over", x.d.opts.MaxRow))
	case err == nil:
		x.elements++
		if !x.layout.element(key, value) {
			x.d.skip(x.source.line(), fmt.Sprintf("element %d is none of this format", x.elements))
		}
		if x.sessions.over {
			return x.end()
		}
	case errors.Is(err, io.EOF):
		return x.end()
	case x.source.err != nil:
		return inputError(x.source.err, "")
	case errors.Is(err, io.ErrUnexpectedEOF):
		x.d.skip(x.source.line(), "cut off at the end of the file")
		x.rest()
		return x.end()
	default:
		x.d.skip(x.source.line(), "torn or not valid JSON")
		if !x.whole || !x.resume() {
			return x.end()
		}
	}
	return nil
}

func (x *document) end() error {
	x.d.done = true
	x.layout.finish()
	return x.sessions.verdict()
}

// next returns the next element and the member that it belongs to.
func (x *document) next() (string, []byte, error) {
	for {
		kind := x.json.PeekKind()
		if kind == ']' || kind == '}' {
			if _, err := x.json.ReadToken(); err != nil {
				return "", nil, err
			}
			continue
		}
		enter := false
		switch depth := x.json.StackDepth(); {
		case depth == 0:
			enter = kind == '[' || kind == '{' && !x.whole
			x.key = ""
		case depth == 1 && x.inObject():
			name, err := x.json.ReadToken()
			if err != nil {
				return "", nil, err
			}
			x.key = name.String()
			if !x.layout.wants(x.key) {
				if err := x.json.SkipValue(); err != nil {
					return "", nil, err
				}
				continue
			}
			enter = x.json.PeekKind() == '['
		}
		if !enter {
			value, err := x.json.ReadValue()
			return x.key, value, err
		}
		if _, err := x.json.ReadToken(); err != nil {
			return "", nil, err
		}
	}
}

func (x *document) inObject() bool {
	kind, _ := x.json.StackIndex(1)
	return kind == '{'
}

// resume goes on behind the line in which a value was torn.
func (x *document) resume() bool {
	if x.json.StackDepth() > 0 {
		return false
	}
	rest := bytes.TrimLeft(bytes.Clone(x.json.UnreadBuffer()), " \t\r\n")
	for {
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			x.restart(io.MultiReader(bytes.NewReader(rest[i+1:]), x.source))
			return true
		}
		rest = make([]byte, firstHead)
		n, err := x.source.Read(rest)
		if rest = rest[:n]; err != nil && n == 0 {
			return false
		}
	}
}

// documentSource reads what the detection left, without padding before it, and
// keeps apart an error of the source from a fault in the JSON.
type documentSource struct {
	rows    *rowReader
	started bool
	lines   int
	err     error
}

func (s *documentSource) Read(p []byte) (int, error) {
	r := s.rows
	for r.start == r.end || !s.started {
		if !s.started {
			r.advance(r.start + skipPadding(r.buf[r.start:r.end], 0))
			if s.started = r.start < r.end; s.started {
				continue
			}
		}
		if r.err != nil {
			if !errors.Is(r.err, io.EOF) {
				s.err = r.err
			}
			return 0, r.err
		}
		r.fill()
	}
	n := copy(p, r.buf[r.start:r.end])
	r.advance(r.start + n)
	s.lines += bytes.Count(p[:n], []byte{'\n'})
	return n, nil
}

// line is how far the file was read, in lines.
func (s *documentSource) line() int { return s.lines + 1 }
