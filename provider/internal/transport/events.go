package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// byteOrderMark may stand before the first line of an event stream.
var byteOrderMark = []byte("\xef\xbb\xbf")

// Events reads a text/event-stream and calls each with every event: its name,
// "" where it has none, and its data, the lines joined. An event that the end
// of the stream left without its empty line counts where its data is whole,
// since some local servers leave the last one so. It stops at the first error
// of each and returns it. A line longer than longest bytes is bufio.ErrTooLong.
func Events(r io.Reader, longest int, each func(name string, data []byte) error) error {
	lines := lineReader{r: bufio.NewReader(r), longest: longest}
	var name string
	var data []byte
	for first := true; ; first = false {
		line, err := lines.next()
		if err == io.EOF { //nolint:errorlint // the end of the stream itself
			break
		}
		if err != nil {
			return err
		}
		if first {
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		if len(line) == 0 {
			if data != nil {
				if err := each(name, data); err != nil {
					return err
				}
			}
			name, data = "", nil
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "data":
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, value...)
			if data == nil {
				data = []byte{}
			}
		}
	}
	if data != nil && (json.Valid(data) || isDone(data)) {
		return each(name, data)
	}
	return nil
}

// isDone tells the word with which OpenAI's streams end.
func isDone(data []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(data), []byte("[DONE]")) }

// lineReader reads lines, however few bytes come at a time. A bufio.Scanner
// looks through the whole line again after each read, so that a server could
// keep it busy for minutes with one long line.
type lineReader struct {
	r       *bufio.Reader
	line    []byte
	longest int
}

// next is the next line without its end, valid until the one after. The last
// one may have no end. Errors: io.EOF, bufio.ErrTooLong, and those of reading.
func (l *lineReader) next() ([]byte, error) {
	l.line = l.line[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if l.line = append(l.line, part...); len(l.line) > l.longest {
			return nil, bufio.ErrTooLong
		}
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(l.line) > 0:
			return bytes.TrimSuffix(bytes.TrimSuffix(l.line, []byte("\n")), []byte("\r")), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
