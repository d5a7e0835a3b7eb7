package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lines is the transport over standard input and output: one message on each
// line. It is here in place of the SDK's because that one ends with the first line
// that is no message, and at the end of its input drops the answers of calls that
// are under way; this one answers both.
type lines struct {
	in  io.Reader
	out io.Writer
}

const (
	// maxLine bounds a message. Units: bytes.
	maxLine = 16 << 20
	// maxDepth bounds how deep a message nests.
	maxDepth = 100
	// maxID bounds the id of a request. Units: bytes.
	maxID = 256
	// drain is how long the answers to what was read may take after the input ended.
	drain = 70 * time.Second
)

func (l *lines) Connect(context.Context) (mcp.Connection, error) {
	c := &lineConn{
		out: l.out, incoming: make(chan jsonrpc.Message), closed: make(chan struct{}), open: map[jsonrpc.ID]bool{}, idle: make(chan struct{}, 1),
	}
	go c.read(bufio.NewReaderSize(l.in, 64<<10))
	return c, nil
}

// lineConn is a connection over lines.
type lineConn struct {
	out      io.Writer
	incoming chan jsonrpc.Message // closed where the input ended
	closed   chan struct{}
	once     sync.Once
	failed   error // why the input ended; set before incoming is closed

	mu   sync.Mutex          // guards out and open
	open map[jsonrpc.ID]bool // calls that were read and not answered
	idle chan struct{}
}

// SessionID is "": one process serves one client.
func (c *lineConn) SessionID() string { return "" }

// Read gives the next message.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.closed:
		return nil, io.EOF
	case m, ok := <-c.incoming:
		if !ok {
			return nil, c.failed
		}
		return m, nil
	}
}

// Close ends the connection. The goroutine that reads ends with its input.
func (c *lineConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// Write writes a message as one line.
func (c *lineConn) Write(_ context.Context, m jsonrpc.Message) error {
	response, ok := m.(*jsonrpc.Response)
	if !ok {
		data, err := jsonrpc.EncodeMessage(m)
		if err != nil {
			return err
		}
		return c.line(data, jsonrpc.ID{})
	}
	if response.Error != nil {
		response.Error = coded(response.Error)
	}
	data, err := jsonrpc.EncodeMessage(response)
	if err != nil {
		return err
	}
	return c.line(data, response.ID)
}

// coded gives an error without a code the one of an invalid request.
func coded(err error) error {
	var known *jsonrpc.Error
	if errors.As(err, &known) && known.Code != 0 {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the call was cancelled or took too long"}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}

// line writes one line; answered is the call that it answers, if any.
func (c *lineConn) line(data []byte, answered jsonrpc.ID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.out.Write(append(data, '\n'))
	if c.open[answered] {
		delete(c.open, answered)
		select {
		case c.idle <- struct{}{}:
		default:
		}
	}
	return err
}

// read hands over the messages of the input until it ends, and then waits for
// the answers to what was asked.
func (c *lineConn) read(in *bufio.Reader) {
	defer close(c.incoming)
	for {
		text, long, err := readLine(in, maxLine)
		if long {
			c.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is longer than %d bytes", maxLine))
		} else if text = bytes.TrimSpace(text); len(text) > 0 && !c.take(text) {
			c.failed = io.EOF
			return
		}
		if err != nil {
			c.failed = err
			c.await()
			return
		}
	}
}

// take hands over the message of one line. It gives false once the connection
// is closed.
func (c *lineConn) take(text []byte) bool {
	m, code, problem := decode(text)
	if problem != "" {
		c.refuse(code, problem)
		return true
	}
	if q, ok := m.(*jsonrpc.Request); ok && q.IsCall() && q.Method != "subscriptions/listen" && !c.opens(q.ID) {
		c.refuse(jsonrpc.CodeInvalidRequest, "the id is that of a call that is not answered yet")
		return true
	}
	select {
	case c.incoming <- m:
		return true
	case <-c.closed:
		return false
	}
}

// opens takes in a call, unless its id is in use.
func (c *lineConn) opens(id jsonrpc.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[id] {
		return false
	}
	c.open[id] = true
	return true
}

// await waits until every call was answered.
func (c *lineConn) await() {
	late := time.NewTimer(drain)
	defer late.Stop()
	for {
		c.mu.Lock()
		n := len(c.open)
		c.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-c.idle:
		case <-late.C:
			return
		case <-c.closed:
			return
		}
	}
}

// refuse answers what is no message. An output that is closed shows at the next answer.
func (c *lineConn) refuse(code int64, problem string) {
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": problem}})
	if err == nil {
		_ = c.line(data, jsonrpc.ID{})
	}
}

// readLine reads up to the next line feed. Of a line that is too long it gives
// nothing.
func readLine(in *bufio.Reader, limit int) (text []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if !long {
			text = append(text, part...)
		}
		if len(text) > limit {
			text, long = nil, true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, long, err
		}
	}
}

// decode turns a line into a message, or says why it is none.
func decode(text []byte) (m jsonrpc.Message, code int64, problem string) {
	switch {
	case !utf8.Valid(text):
		return nil, jsonrpc.CodeParseError, "the message is not UTF-8"
	case depth(text) > maxDepth:
		return nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message nests deeper than %d", maxDepth)
	case !json.Valid(text):
		return nil, jsonrpc.CodeParseError, "the message is not JSON"
	case text[0] == '[':
		return nil, jsonrpc.CodeInvalidRequest, "batches are not taken: send each message on a line of its own"
	}
	var head struct {
		ID     json.RawMessage `json:"id"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, jsonrpc.CodeInvalidRequest, "the message is no JSON object"
	}
	if !isID(head.ID) {
		return nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the id is neither a whole number nor a text of up to %d bytes", maxID)
	}
	if len(head.Params) > 0 && head.Params[0] != '{' && string(head.Params) != "null" {
		return nil, jsonrpc.CodeInvalidRequest, "params is no object"
	}
	m, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, jsonrpc.CodeInvalidRequest, "the message is no request, notification or response of JSON-RPC 2.0"
	}
	return m, 0, ""
}

// isID tells whether an id, absent in a notification, is one that can be repeated.
func isID(id json.RawMessage) bool {
	switch {
	case len(id) == 0:
		return true
	case len(id) > maxID:
		return false
	case id[0] == '"':
		return true
	}
	digits := bytes.TrimPrefix(id, []byte("-"))
	return len(digits) > 0 && len(digits) <= 15 && len(bytes.Trim(digits, "0123456789")) == 0
}

// depth is how deep brackets nest outside of strings.
func depth(text []byte) (deepest int) {
	at, quoted, escaped := 0, false, false
	for _, b := range text {
		switch {
		case escaped:
			escaped = false
		case quoted && b == '\\':
			escaped = true
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			at++
			deepest = max(deepest, at)
		case b == '}' || b == ']':
			at--
		}
	}
	return deepest
}
