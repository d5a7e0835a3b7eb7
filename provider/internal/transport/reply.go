package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/wire"
)

// maxProblem bounds what of an error body is looked at. Units: bytes.
const maxProblem = 64 << 10

var errNoResponse = errors.New("no response")

// Refusal is a response with an error status: the Failure that it stands for,
// and what the provider said in its own words, which leave no provider package.
type Refusal struct {
	*compactor.Failure
	Problem Problem
}

// Unwrap is the Failure.
func (r *Refusal) Unwrap() error { return r.Failure }

// Reply reads the answer out of what an SDK returned: the response, as raw as
// it gives it, and its error. A server that was asked for a stream and sent one
// JSON body, or the other way round, is understood by what its body begins
// with. The body is closed. onText, unless nil, gets the text as it arrives.
// Errors: *compactor.Failure or *Refusal for what the server said, else what
// went wrong on the way; Do classifies all of them.
func (c *Call) Reply(f pith.Format, res *http.Response, err error, onText func(piece string)) (wire.Reply, error) {
	if res == nil || res.Body == nil {
		if err == nil {
			err = errNoResponse
		}
		return wire.Reply{}, err
	}
	defer res.Body.Close() //nolint:errcheck // what counts was read, or its error is the one to tell
	switch {
	case res.StatusCode >= http.StatusBadRequest:
		return wire.Reply{}, c.refusal(res)
	case err != nil:
		return wire.Reply{}, err
	case res.StatusCode != http.StatusOK:
		return wire.Reply{}, c.Unreadable(res.StatusCode, "no answer but "+http.StatusText(res.StatusCode))
	}
	if onText == nil {
		onText = func(string) {}
	}
	body := bufio.NewReader(res.Body)
	first, err := skipSpace(body)
	if err != nil {
		return wire.Reply{}, unexpectedEnd(err)
	}
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if first != '{' && (media == "text/event-stream" || beginsEvent(body)) {
		return c.stream(f, body, onText)
	}
	return c.whole(f, body, res.StatusCode, onText)
}

// refusal makes the error of a response with an error status. Where its body
// broke off, the status alone speaks.
func (c *Call) refusal(res *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxProblem))
	p := ReadProblem(body)
	return &Refusal{Failure: c.Refused(res.StatusCode, res.Header, p), Problem: p}
}

// skipSpace passes over what servers send to keep a connection alive while they
// think, and returns the first byte that says something, unread.
func skipSpace(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, r.UnreadByte()
		}
	}
}

func beginsEvent(r *bufio.Reader) bool {
	const longestField = len("event:")
	start, _ := r.Peek(longestField)
	for _, field := range []string{":", "data:", "event:", "id:"} {
		if bytes.HasPrefix(bytes.TrimPrefix(start, byteOrderMark), []byte(field)) {
			return true
		}
	}
	return false
}

// unexpectedEnd says of a body that ended too early that it did, so that it is
// not taken for one that is complete.
func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// stream reads an answer event by event. One that is whole is an answer,
// whatever becomes of the connection afterwards: it was paid for.
func (c *Call) stream(f pith.Format, body io.Reader, onText func(string)) (wire.Reply, error) {
	assembler := wire.NewAssembler(f)
	var refused error
	err := Events(body, int(c.limits.MaxBody), func(name string, data []byte) error {
		if refused = assembler.Event(name, data); refused != nil {
			return refused
		}
		if text := assembler.Text(); text != "" {
			onText(text)
		}
		if isDone(data) || isLast(name) {
			c.parting = true
		}
		return nil
	})
	if refused != nil {
		return wire.Reply{}, c.replyError(refused, http.StatusOK)
	}
	reply, replyErr := assembler.Reply()
	switch {
	case replyErr == nil:
		return reply, nil
	case err == nil:
		return wire.Reply{}, c.replyError(replyErr, http.StatusOK)
	case errors.Is(err, bufio.ErrTooLong):
		return wire.Reply{}, errTooLong
	}
	return wire.Reply{}, unexpectedEnd(err)
}

// isLast tells the event after which a stream says nothing more.
func isLast(name string) bool {
	return name == "message_stop" || name == "response.completed" || name == "response.incomplete"
}

// whole reads an answer that comes as one JSON body.
func (c *Call) whole(f pith.Format, r io.Reader, status int, onText func(string)) (wire.Reply, error) {
	body, err := io.ReadAll(r)
	if err != nil {
		return wire.Reply{}, unexpectedEnd(err)
	}
	if isCut(body) {
		return wire.Reply{}, io.ErrUnexpectedEOF
	}
	reply, err := wire.ReadReply(f, body)
	if err == nil {
		if reply.Text != "" {
			onText(reply.Text)
		}
		return reply, nil
	}
	if !json.Valid(body) {
		return wire.Reply{}, c.Unreadable(status, "not JSON: "+pageText(string(body[:min(len(body), maxProblem)])))
	}
	return wire.Reply{}, c.replyError(err, status)
}

// isCut tells whether a body began as JSON and stopped. Without a length
// nothing else shows that a connection broke.
func isCut(body []byte) bool {
	var syntax *json.SyntaxError
	var value json.RawMessage
	err := json.Unmarshal(body, &value)
	return errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end")
}

// replyError is what an error of package wire means: the provider's own words,
// a stream that stopped, or bytes that are not what the API promises.
func (c *Call) replyError(err error, status int) error {
	var said *wire.ReplyError
	switch {
	case errors.As(err, &said):
		p := Problem{Type: said.Type, Message: said.Message}
		if p.Message == "" {
			p.Message = said.Type
		}
		return &compactor.Failure{Kind: Kind(said.Status, p), Status: said.Status, Detail: c.Detail(p.Message)}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	}
	return c.Unreadable(status, err.Error())
}

// Response is a reply as package compactor knows it.
func Response(r wire.Reply, stop compactor.Stop) compactor.Response {
	out := compactor.Response{
		Text: r.Text, Stop: stop, StopReason: r.Stop, Thought: r.Thought, Messages: r.Messages, Model: r.Model, ID: r.ID,
	}
	for i := range r.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, r.ToolCalls[i].Name)
	}
	if r.Usage != nil {
		out.Usage = *r.Usage
	}
	return out
}
