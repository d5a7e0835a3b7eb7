package transcript

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

const knownFormats = "pith reads session files of Claude Code, Codex, pi, Gemini CLI and opencode, runs of SWE-agent, mini-swe-agent, OpenHands and tau-bench, and request bodies of Anthropic messages, OpenAI chat completions and OpenAI responses (JSON)"

const (
	firstHead = 64 << 10
	// maxHead is how far into a file its first whole row may begin.
	maxHead = 8 << 20
	// maxDetectRows is how many rows may be damaged or unknown before it.
	maxDetectRows = 1000
)

func inputError(err error, hint string) error {
	return &pith.Error{Op: "read the session", Kind: pith.KindInput, Err: err, Hint: hint}
}

// format takes the caller's format, or looks at ever more of the file until it
// is known.
func (d *Decoder) format() (pith.Format, error) {
	for n := firstHead; ; n *= 4 {
		head := d.rows.head(n)
		if err := d.rows.err; err != nil && !errors.Is(err, io.EOF) && len(head) < n {
			return "", inputError(err, "")
		}
		if len(head) == 0 && d.opts.Behind == nil {
			return "", inputError(errors.New("the file is empty"), "name a session file with at least one row")
		}
		if d.opts.Format != "" {
			return d.opts.Format, nil
		}
		if f := detect(head); f != "" {
			return f, nil
		}
		if len(head) < n || n >= maxHead {
			return "", unknownContent(head)
		}
	}
}

// unknownContent says in one line what a file is that no format fits.
func unknownContent(head []byte) error {
	body := bytes.Trim(head, "\x00 \r\n\t")
	switch {
	case len(body) == 0 && bytes.IndexByte(head, 0) >= 0:
		return inputError(errors.New("the file holds NUL bytes only"), "restore it from a backup; a crash can leave such a file")
	case len(body) == 0:
		return inputError(errors.New("the file holds white space only"), "name a session file with at least one row")
	case bytes.IndexByte(body, 0) >= 0 || !utf8.Valid(wholeRunes(body)):
		return inputError(errors.New("the file is binary, not a session"), knownFormats)
	}
	if body[0] != '{' && body[0] != '[' {
		return inputError(errors.New("the file is not JSON"), knownFormats)
	}
	return inputError(errors.New("the file is JSON of no known format"), knownFormats)
}

// wholeRunes drops a character that the end of the buffer may have cut.
func wholeRunes(b []byte) []byte {
	for n := 0; n < utf8.UTFMax && n < len(b); n++ {
		if r, _ := utf8.DecodeLastRune(b[:len(b)-n]); r != utf8.RuneError {
			return b[:len(b)-n]
		}
	}
	return b
}

// detect tells a file's format from its first bytes, "" where it is none that
// pith knows or where the bytes are too few to tell.
func detect(head []byte) pith.Format {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	start := skipPadding(head, 0)
	if start == len(head) {
		return ""
	}
	if f, _ := wholeFormat(head[start:]); f != "" {
		return f
	}
	if f := documentFormat(head[start:]); f != "" {
		return f
	}
	if f := bodyFormat(head[start:]); f != "" {
		return f
	}
	// A line made of opening brackets must not cost its square.
	budget := 8*len(head) + firstHead
	for rows := 0; len(head) > 0 && rows < maxDetectRows; rows++ {
		line, rest, _ := bytes.Cut(head, []byte("\n"))
		head = rest
		for at := skipPadding(line, 0); at < len(line) && budget > 0; {
			f, read := rowFormat(line[at:])
			if f != "" {
				return f
			}
			budget -= read + 16
			next := bytes.Index(line[at+1:], []byte(`{"`))
			if next < 0 || rows > 16 {
				break
			}
			at += 1 + next
		}
	}
	return ""
}

// rowFormat tells from the keys of one row, which may be torn, whose it is, and
// how many bytes it read for that.
func rowFormat(line []byte) (f pith.Format, read int) {
	c := jsonscan.New(line)
	if c.Peek() != '{' {
		return "", 0
	}
	c.Object()
	kind, payload, message, claude := "", false, false, false
	other := rowKeys{}
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "type":
			kind = c.String()
			continue
		case "payload":
			payload = c.Peek() == '{'
		case "message":
			message = c.Peek() == '{'
		case "sessionId", "parentUuid", "leafUuid", "session_id":
			claude = true
		default:
			other.see(key)
		}
		c.Skip()
	}
	if read = c.Pos(); c.Bad() {
		read = c.BadAt()
	}
	if f := other.format(kind, message, claude); f != "" {
		return f, read
	}
	return formatOf(kind, payload, message, claude), read
}

// formatOf tells whose a row of this type is, which has a payload or a message
// as an object, or one of the keys that only Claude Code writes.
func formatOf(kind string, payload, message, claude bool) pith.Format {
	switch kind {
	case "session_meta", "response_item", "event_msg", "turn_context", "compacted":
		if payload {
			return pith.FormatCodex
		}
	case "user", "assistant":
		if message {
			return pith.FormatClaudeCode
		}
	case "file-history-snapshot", "summary":
		return pith.FormatClaudeCode
	}
	if claude && kind != "" && !payload {
		return pith.FormatClaudeCode
	}
	return ""
}

// readBody reads a request body whole and queues its system prompt and messages.
func (d *Decoder) readBody(f pith.Format) error {
	var body []byte
	for {
		body = append(body, d.rows.buf[d.rows.start:d.rows.end]...)
		d.rows.drop()
		if d.rows.err != nil {
			break
		}
		if len(body) > maxBody {
			return inputError(errors.New("the request body is over 512 MiB"), "")
		}
		d.rows.fill()
	}
	if err := d.rows.err; !errors.Is(err, io.EOF) {
		return inputError(err, "")
	}
	body = plainBody(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	var conv pith.Conversation
	var err error
	if d.opts.Format == "" {
		conv, err = wire.Decode(body)
	} else {
		conv, err = wire.DecodeAs(f, body)
	}
	if err != nil {
		return err
	}
	d.done, d.body = true, body
	d.header.Format, d.header.Model = conv.Format, conv.Model
	if len(conv.System) > 0 {
		system := &pith.Message{Index: pith.SystemIndex, Role: pith.RoleSystem, Blocks: conv.System}
		d.ready = append(d.ready, pith.Record{Message: system})
	}
	for i := range conv.Messages {
		m := &conv.Messages[i]
		if !d.opts.KeepRaw {
			m.Raw = nil
		}
		d.ready = append(d.ready, pith.Record{Message: m})
	}
	return nil
}
