package transcript

import (
	"bytes"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// bodyFormat tells the format of a request body in any of the forms in which
// logs keep one, "" where the bytes are none of them.
func bodyFormat(head []byte) pith.Format {
	if len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return ""
	}
	if f := wire.Detect(head); f != "" {
		return f
	}
	if f, _ := rowFormat(head); f != "" { // a session's row may hold a request, too
		return ""
	}
	if inner := wrapped(head); inner != nil {
		return wire.Detect(inner)
	}
	if isMessageLine(head) {
		return wire.Detect(append([]byte{'['}, bytes.ReplaceAll(head, []byte{'\n'}, []byte{','})...))
	}
	return ""
}

// plainBody takes a request body out of what a log wrote around it: an
// object's body or request, or messages that stand on a line each. Any other
// body is returned as it came.
func plainBody(body []byte) []byte {
	body = body[skipPadding(body, 0):]
	if len(body) == 0 || body[0] != '{' || wire.Detect(body) != "" {
		return body
	}
	if inner := wrapped(body); inner != nil {
		return inner
	}
	if !isMessageLine(body) {
		return body
	}
	list := []byte{'['}
	for _, line := range bytes.Split(body, []byte{'\n'}) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(list, line...)
	}
	return append(list, ']')
}

// wrapped is the object under "body" or "request", to a depth of two; nil
// where there is none. A head that only just began will do.
func wrapped(object []byte) []byte {
	for range 2 {
		start := -1
		c := jsonscan.New(object)
		c.Object()
		for start < 0 {
			key, ok := c.Key()
			if !ok {
				return nil
			}
			if k := string(key); (k == "body" || k == "request") && c.Peek() == '{' {
				start = c.Pos()
			}
			c.Skip()
		}
		end := c.Pos()
		object = object[start:end]
		if wire.Detect(object) != "" {
			return object
		}
	}
	return nil
}

// isMessageLine tells whether a text begins with a message that stands alone.
func isMessageLine(body []byte) bool {
	line, _, more := bytes.Cut(body, []byte{'\n'})
	_, _, role := jsonscan.Member(line, "role")
	_, _, content := jsonscan.Member(line, "content")
	return more && role && content
}
