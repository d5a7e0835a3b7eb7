// Package transcript turns session files into records, one at a time: the
// messages of a session in file order, the places where the client compacted
// it, and exit codes that arrive late. It reads the files of Claude Code and
// Codex, pi, Gemini CLI and opencode, and request bodies through package wire.
//
// Rows are damaged in real files: torn, doubled, padded with NUL bytes. A
// damaged row is noted and never ends the reading. Memory follows one row and
// the messages that are still open, not the file; only where a file can take
// back what it said (a tree of branches, a rewound chat) do its rows wait,
// undecoded, for the end.
package transcript

import (
	"errors"
	"fmt"
	"io"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// Options say how to read a session. The zero value detects the format.
type Options struct {
	// Format is "" to detect it from the content.
	Format pith.Format
	// Session selects one of several sessions in a file: its id, its task's id,
	// or its number from 1. A task whose id is a number is "task:" and the number.
	Session string
	// KeepRaw fills Message.Raw with a message that is ready to send: blocks
	// byte for byte as the session holds them. Messages that only this package
	// wrote have none.
	KeepRaw bool
	// MaxRow is the longest row that is read, in bytes; 0 means 64 MiB.
	MaxRow int
	// Behind is set where the input is the later part of a session file, which
	// begins with a whole row and, of what came before it, answers no call. Only
	// FormatClaudeCode and FormatCodex are read from their middle.
	Behind *Behind
}

// Behind is what the part of a session before the input said of it.
type Behind struct {
	Header      Header
	CWD, Branch string
	// Rows are the ids of its last rows, in order.
	Rows []string
	// Codex is what a reading of a Codex rollout left.
	Codex CodexRest
}

const (
	defaultMaxRow = 64 << 20
	// maxBody bounds a request body, which is read as a whole.
	maxBody = 512 << 20
	// maxSkips bounds the list of damaged places; the count goes on.
	maxSkips = 256
	// maxUnknown bounds the names of unknown rows that are told apart.
	maxUnknown = 256
)

// Header is what a session says of itself. It is final when Next gave io.EOF.
type Header struct {
	Format        pith.Format
	SessionID     string
	ClientVersion string
	// Agent is the id of the sub-agent whose own session this is.
	Agent string
	// Model is the last one that answered.
	Model string
}

// Skip is a damaged place in the file and what became of it.
type Skip struct {
	Line   int
	Reason string
}

// session reads the objects of one format.
type session interface {
	// object reads the row at the cursor. It gives false, and has changed
	// nothing, where the row is torn or is no row of this format.
	object(c *jsonscan.Cursor, at place) bool
	// finish hands over what is still held at the end of the file.
	finish()
}

// lateSession reads some of its rows only at the end of the file.
type lateSession interface {
	// more reads the next row that waited, and gives false where none did.
	more() bool
}

// place is where an object stands.
type place struct {
	line int
	// recovered: it was found behind a torn row and may be a part of that one.
	recovered bool
}

// Decoder yields the records of one session. It is not safe for concurrent use.
type Decoder struct {
	rows    rowReader
	source  source
	begin   int64 // of the row at hand, in bytes
	cursor  jsonscan.Cursor
	opts    Options
	header  Header
	session session
	// document reads what is no list of rows; session is nil then.
	document *document
	ready    []pith.Record
	taken    int
	index    int
	done     bool
	unknown  map[string]*int
	skips    []Skip
	skipped  int
	body     []byte
}

// NewDecoder reads as much of r as it takes to know the format.
// Errors: KindInput where r is empty, unreadable, or of no known format.
func NewDecoder(r io.Reader, o Options) (*Decoder, error) {
	if o.MaxRow <= 0 {
		o.MaxRow = defaultMaxRow
	}
	d := &Decoder{opts: o, unknown: map[string]*int{}}
	d.rows = rowReader{r: r, max: o.MaxRow}
	f, err := d.format()
	if err != nil {
		return nil, err
	}
	d.header.Format = f
	d.source = &d.rows
	switch {
	case o.Behind == nil:
	case f != pith.FormatClaudeCode && f != pith.FormatCodex:
		return nil, inputError(fmt.Errorf("a part of a %s session cannot be read by itself", f), "")
	default:
		d.header = o.Behind.Header
		d.header.Format = f
	}
	switch f {
	case pith.FormatClaudeCode:
		d.session = newClaudeCode(d)
	case pith.FormatCodex:
		d.session = newCodex(d)
	case pith.FormatPi:
		d.session = newPi(d)
	case pith.FormatGemini:
		d.session = newGemini(d)
	case pith.FormatOpencode:
		d.session = newOpencode(d)
	case pith.FormatAnthropic, pith.FormatOpenAIChat, pith.FormatOpenAIResponses:
		err = d.readBody(f)
	case pith.FormatSWEAgent, pith.FormatMiniSWEAgent, pith.FormatOpenHands, pith.FormatTauBench:
		d.document = newDocument(d, f)
	default:
		err = inputError(fmt.Errorf("unknown format %q", f), knownFormats)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Next returns the next record, and io.EOF at the end.
// Errors: KindInput where the file cannot be read any further.
func (d *Decoder) Next() (pith.Record, error) {
	for d.taken == len(d.ready) {
		d.ready, d.taken = d.ready[:0], 0
		if d.done {
			if late, ok := d.session.(lateSession); ok && late.more() {
				continue
			}
			return pith.Record{}, io.EOF
		}
		if d.document != nil {
			if err := d.document.step(); err != nil {
				return pith.Record{}, err
			}
			continue
		}
		d.begin = d.rows.offset
		r, err := d.source.next()
		switch {
		case errors.Is(err, io.EOF):
			d.done = true
			d.session.finish()
		case err != nil:
			return pith.Record{}, inputError(err, "")
		case r.tooLong:
			d.skip(r.line, fmt.Sprintf("longer than %d bytes, passed over", d.rows.max))
		default:
			d.readRow(r)
		}
	}
	out := d.ready[d.taken]
	d.ready[d.taken] = pith.Record{}
	d.taken++
	return out, nil
}

// Header is what is known of the session so far.
func (d *Decoder) Header() Header { return d.header }

// Body is the request body that is read, nil where it is a session file.
func (d *Decoder) Body() []byte { return d.body }

// Skipped lists the damaged places, up to a limit, in file order.
func (d *Decoder) Skipped() []Skip { return d.skips }

// SkippedCount counts the damaged places.
func (d *Decoder) SkippedCount() int { return d.skipped }

// Offset is the number of bytes that were read, for a progress display.
func (d *Decoder) Offset() int64 { return d.rows.offset }

// UnknownRows counts the rows that were passed over, by their type.
func (d *Decoder) UnknownRows() map[string]int {
	out := make(map[string]int, len(d.unknown))
	for k, n := range d.unknown {
		out[k] = *n
	}
	return out
}

// pass counts a row of a type that is not read, named by up to two parts.
func (d *Decoder) pass(kind, detail []byte) {
	var name [96]byte
	key := append(name[:0], kind[:min(len(kind), 40)]...)
	if len(detail) > 0 {
		key = append(append(key, '/'), detail[:min(len(detail), 40)]...)
	}
	if n := d.unknown[string(key)]; n != nil {
		*n++
		return
	}
	if len(d.unknown) >= maxUnknown {
		key = append(name[:0], "other"...)
		if n := d.unknown["other"]; n != nil {
			*n++
			return
		}
	}
	one := 1
	d.unknown[jsonscan.Text(key)] = &one
}

func (d *Decoder) skip(line int, reason string) {
	d.skipped++
	if len(d.skips) < maxSkips {
		d.skips = append(d.skips, Skip{Line: line, Reason: reason})
	}
}

// emit numbers a message and hands it out.
func (d *Decoder) emit(m *pith.Message) {
	m.Index = d.index
	d.index++
	d.ready = append(d.ready, pith.Record{Message: m})
}
