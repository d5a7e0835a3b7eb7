package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
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
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, min(4096, longest)), longest)
	var name string
	var data []byte
	for first := true; lines.Scan(); first = false {
		line := lines.Bytes()
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
	if err := lines.Err(); err != nil {
		return err
	}
	if data != nil && (json.Valid(data) || isDone(data)) {
		return each(name, data)
	}
	return nil
}

// isDone tells the word with which OpenAI's streams end.
func isDone(data []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(data), []byte("[DONE]")) }
