package transcript

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// source yields what a session is made of, one object at a time: the lines of
// a file, or the elements of a list inside one JSON object.
type source interface {
	next() (row, error)
}

// elementReader reads a file that is one JSON object with a list of messages.
// Each element of the list is a row, numbered from 1; every other member goes
// to member. It holds one value at a time.
type elementReader struct {
	rows   *rowReader
	dec    *jsontext.Decoder
	list   string
	member func(key string, value []byte)
	skip   func(line int, reason string)
	n      int
	// unread is what was handed to dec since the last value.
	unread        int
	begun, inList bool
	ended         bool
}

var errLongElement = errors.New("an element is too long")

func newElementReader(d *Decoder, list string, member func(key string, value []byte)) *elementReader {
	e := &elementReader{rows: &d.rows, list: list, member: member, skip: d.skip}
	d.rows.advance(d.rows.start + skipPadding(d.rows.buf[d.rows.start:d.rows.end], 0))
	e.dec = jsontext.NewDecoder(e, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	return e
}

// Read hands the bytes of the file to the JSON decoder.
func (e *elementReader) Read(p []byte) (int, error) {
	r := e.rows
	if e.unread > r.max {
		return 0, errLongElement
	}
	for r.start == r.end {
		if r.err != nil {
			return 0, r.err
		}
		r.drop()
		r.fill()
	}
	n := copy(p, r.buf[r.start:r.end])
	r.advance(r.start + n)
	e.unread += n
	return n, nil
}

// next returns the next element. A file that breaks off, or is damaged, ends
// there with a note: what stands behind the fault belongs nowhere.
func (e *elementReader) next() (row, error) {
	for !e.ended {
		value, err := e.step()
		switch {
		case err != nil:
			e.ended = true
			if r := e.rows.err; r != nil && !errors.Is(r, io.EOF) {
				return row{}, r
			}
			e.skip(e.n+1, e.damage(err))
		case value != nil:
			return row{data: value, line: e.n}, nil
		}
	}
	return row{}, io.EOF
}

func (e *elementReader) damage(err error) string {
	switch {
	case errors.Is(err, errLongElement):
		return fmt.Sprintf("longer than %d bytes, the reading ends", e.rows.max)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "cut off at the end of the file"
	}
	return "not valid JSON, the reading ends"
}

// step reads a value: an element of the list, or nil after anything else.
func (e *elementReader) step() (value []byte, err error) {
	e.unread = 0
	switch kind := e.dec.PeekKind(); {
	case !e.begun:
		e.begun = true
		_, err = e.dec.ReadToken()
	case e.inList && kind == ']':
		e.inList = false
		_, err = e.dec.ReadToken()
	case e.inList:
		e.n++
		if value, err = e.dec.ReadValue(); err != nil {
			e.n--
			return nil, err
		}
	case kind == '}':
		e.ended = true
	default:
		err = e.readMember()
	}
	return value, err
}

func (e *elementReader) readMember() error {
	name, err := e.dec.ReadToken()
	if err != nil {
		return err
	}
	key := name.String()
	if key == e.list && e.dec.PeekKind() == '[' {
		e.inList = true
		_, err = e.dec.ReadToken()
		return err
	}
	value, err := e.dec.ReadValue()
	if err == nil {
		e.member(key, value)
	}
	return err
}
