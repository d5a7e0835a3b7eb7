package providertest

import (
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/pith-memory/pith"
)

// connection is the way back to one client.
type connection struct {
	w       http.ResponseWriter
	done    <-chan struct{}
	closing <-chan struct{}
	format  pith.Format
	stream  bool
	n       int
}

// hold keeps the connection until the client gives up or the server ends.
func (c *connection) hold() {
	select {
	case <-c.done:
	case <-c.closing:
	}
}

// wait holds the answer until ready is closed; false: nobody waits for it any more.
func (c *connection) wait(ready <-chan struct{}) bool {
	select {
	case <-ready:
		return true
	case <-c.done:
	case <-c.closing:
	}
	return false
}

// refuse writes an error as the format has it.
func (c *connection) refuse(p *problem) {
	body := openAIError(p)
	if c.format == pith.FormatAnthropic {
		body = anthropicError(p, c.n)
	}
	c.whole(p.status, "application/json", body)
}

func (c *connection) head(status int, contentType string) {
	h := c.w.Header()
	h.Set("Content-Type", contentType)
	name := "X-Request-Id"
	if c.format == pith.FormatAnthropic {
		name = "Request-Id"
	}
	h.Set(name, fmt.Sprintf("req_%06d", c.n))
	c.w.WriteHeader(status)
}

func (c *connection) whole(status int, contentType, body string) {
	c.w.Header().Set("Content-Length", itoa(len(body)))
	c.head(status, contentType)
	_, _ = c.w.Write([]byte(body)) // a client that is gone needs no answer
}

// send writes an answer, with the fault that it may have.
func (c *connection) send(r reply) {
	f := r.Fault
	switch {
	case f == nil:
	case f.kind == silent:
		c.hold()
		return
	case f.kind == instead:
		c.instead(f)
		return
	case !c.stream && f.kind == errorInStream:
		c.refuse(overloaded(c.format))
		return
	}
	if c.stream {
		c.sendStream(&r, f)
		return
	}
	body := c.body(&r)
	if f == nil {
		c.whole(http.StatusOK, "application/json", body)
		return
	}
	// The length is not said, so that the end of a part looks like an end.
	c.head(http.StatusOK, "application/json")
	c.chunks(body[:len(body)/2])
	c.breakOff(f)
}

func (c *connection) instead(f *Fault) {
	if f.retryAfter != "" {
		c.w.Header().Set("Retry-After", f.retryAfter)
	}
	if f.retryAfterMS != "" {
		c.w.Header().Set("Retry-After-Ms", f.retryAfterMS)
	}
	if f.body != "" {
		c.whole(f.status, f.contentType, f.body)
		return
	}
	c.refuse(f.problem(c.format))
}

func (c *connection) body(r *reply) string {
	switch c.format {
	case pith.FormatAnthropic:
		return anthropicBody(r)
	case pith.FormatOpenAIChat:
		return chatBody(r)
	}
	return responseBody(r, "", "null")
}

func (c *connection) events(r *reply) []event {
	switch c.format {
	case pith.FormatAnthropic:
		return anthropicEvents(r)
	case pith.FormatOpenAIChat:
		return chatEvents(r)
	}
	return responseEvents(r)
}

func (c *connection) sendStream(r *reply, f *Fault) {
	c.w.Header().Set("Cache-Control", "no-cache")
	c.head(http.StatusOK, "text/event-stream; charset=utf-8")
	events := c.events(r)
	if f != nil {
		events = events[:(len(events)+1)/2]
		if f.kind == errorInStream {
			events = append(events, c.errorEvent(r, len(events)))
		}
	}
	var b strings.Builder
	if c.format == pith.FormatOpenAIChat {
		b.WriteString(": PROCESSING\n\n") // a comment, as gateways send it to keep the connection
	}
	for _, e := range events {
		b.WriteString(e.String())
	}
	c.chunks(b.String())
	if f != nil {
		c.breakOff(f)
	}
}

// errorEvent is how a format tells of an error after it began to answer.
func (c *connection) errorEvent(r *reply, n int) event {
	p := overloaded(c.format)
	switch c.format {
	case pith.FormatAnthropic:
		return event{"error", fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q}}`, p.kind, p.message)}
	case pith.FormatOpenAIChat:
		return event{data: openAIError(p)}
	}
	failure := fmt.Sprintf(`{"code":"server_error","message":%q}`, p.message)
	return event{"response.failed", fmt.Sprintf(`{"type":"response.failed","sequence_number":%d,"response":%s}`, n, responseBody(r, "failed", failure))}
}

// chunkSizes are the sizes of the writes that an answer is sent in: none of
// them knows of lines, events or characters. Units: bytes.
var chunkSizes = [...]int{1, 2, 3, 61, 5, 127, 19, 257, 7, 1021}

func (c *connection) chunks(text string) {
	flush := http.NewResponseController(c.w)
	for i := 0; text != ""; i++ {
		n := min(len(text), chunkSizes[i%len(chunkSizes)])
		if _, err := c.w.Write([]byte(text[:n])); err != nil {
			return
		}
		if flush.Flush() != nil {
			return
		}
		text = text[n:]
	}
}

// breakOff ends an answer in its middle.
func (c *connection) breakOff(f *Fault) {
	switch f.kind {
	case stalls:
		c.hold()
	case resets:
		conn, _, err := http.NewResponseController(c.w).Hijack()
		if err != nil {
			return
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // closes with a reset
		}
		_ = conn.Close()
	}
}
