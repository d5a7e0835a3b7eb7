package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// Assembler turns the server-sent events of one answer into the answer that
// the same request would have got without streaming. It keeps what it does not
// know: block types, fields and kinds of delta.
type Assembler struct {
	format pith.Format
	stream stream
	err    error
	// ended: the provider said that the answer is whole.
	ended bool
}

// stream is one format's part of an assembler. It also reads a whole body, so
// that both ways end in the same answer.
type stream interface {
	// event takes in one event and tells whether it was the last one.
	event(kind string, data []byte) (last bool, err error)
	// newText is the text that came since the last call, as the body of a JSON string.
	newText() *[]byte
	// reply is the answer after all events; ended tells whether the last one came.
	reply(ended bool) (Reply, error)
	// body reads an answer that came at once.
	body(body []byte) (Reply, error)
}

func newStream(f pith.Format) (stream, error) {
	switch bodyFormat(f) {
	case pith.FormatAnthropic:
		return &anthropicStream{room: room{maxReply}}, nil
	case pith.FormatOpenAIChat:
		return newChatStream(), nil
	case pith.FormatOpenAIResponses:
		return &responsesStream{room: room{maxReply}}, nil
	}
	return nil, &pith.Error{Op: "read an answer", Kind: pith.KindUsage, Err: fmt.Errorf("format %q has none", f)}
}

// maxReply bounds what one answer may hold, in bytes. The longest answer of
// any model is below a tenth of it.
const maxReply = 64 << 20

var errTooLong = errors.New("the answer is longer than 64 MiB")

// room is what is left of maxReply.
type room struct{ left int }

// entryCost is what an entry costs besides its bytes.
const entryCost = 64

func (r *room) take(n int) error {
	if r.left -= n + entryCost; r.left < 0 {
		return errTooLong
	}
	return nil
}

// NewAssembler makes an assembler for one answer.
func NewAssembler(f pith.Format) *Assembler {
	a := &Assembler{format: bodyFormat(f)}
	a.stream, a.err = newStream(f)
	return a
}

// Event takes in one event: its name, "" where it has none, and its data,
// which it does not keep. Events of no known kind are passed over.
// Errors: *ReplyError where the event is an error; others where its data is
// not what the API promises. After an error there is no answer.
func (a *Assembler) Event(name string, data []byte) error {
	if a.err != nil || a.ended || len(data) == 0 {
		return a.err
	}
	a.ended, a.err = a.take(name, data)
	return a.err
}

func (a *Assembler) take(name string, data []byte) (last bool, err error) {
	c := jsonscan.New(data)
	switch {
	case string(data) == "[DONE]":
		return a.stream.event("[DONE]", nil)
	case name == "ping":
		return false, nil
	case c.Peek() != '{' || !json.Valid(data):
		if name == "error" {
			return false, &ReplyError{Type: "error", Message: limited(string(data), maxErrorText)}
		}
		return false, unreadable("an event's data is not whole JSON")
	}
	kind := memberString(data, "type")
	if kind == "" {
		kind = name
	}
	if e := errorIn(data); e != nil {
		return false, e
	}
	if name == "error" || kind == "error" {
		return false, readError(data)
	}
	return a.stream.event(kind, data)
}

// Text is the answer's text that came since the last call, whole characters.
func (a *Assembler) Text() string {
	if a.stream == nil {
		return ""
	}
	pending := a.stream.newText()
	n := len(*pending)
	if !a.ended {
		n = wholeText(*pending)
	}
	text := jsonscan.Text((*pending)[:n])
	*pending = append((*pending)[:0], (*pending)[n:]...)
	return text
}

// wholeText is how much of the body of a JSON string ends with a whole
// character: providers cut a pair of surrogates, and careless ones a character.
func wholeText(body []byte) int {
	n := len(body)
	if n >= 6 && highSurrogate(body[n-6:]) && !escaped(body, n-6) {
		return n - 6
	}
	for back := 1; back < utf8.UTFMax && back <= n; back++ {
		if x := body[n-back]; utf8.RuneStart(x) {
			if x >= utf8.RuneSelf && !utf8.FullRune(body[n-back:]) {
				return n - back
			}
			break
		}
	}
	return n
}

// highSurrogate tells whether six bytes are the escape of a character's first half.
func highSurrogate(b []byte) bool {
	return b[0] == '\\' && b[1] == 'u' && (b[2] == 'd' || b[2] == 'D') && strings.IndexByte("89abAB", b[3]) >= 0
}

// escaped tells whether the byte at i stands behind an open backslash.
func escaped(body []byte, i int) bool {
	slashes := 0
	for ; i > slashes && body[i-1-slashes] == '\\'; slashes++ {
	}
	return slashes%2 == 1
}

// Reply is the whole answer, after the last event.
// Errors: those of Event; io.ErrUnexpectedEOF, wrapped, where the events ended
// before the answer did.
func (a *Assembler) Reply() (Reply, error) {
	if a.err != nil {
		return Reply{}, a.err
	}
	r, err := a.stream.reply(a.ended)
	if err != nil {
		return Reply{}, err
	}
	return finished(r, a.format), nil
}

func tornOff() error {
	return fmt.Errorf("the stream ended before the answer did: %w", io.ErrUnexpectedEOF)
}
