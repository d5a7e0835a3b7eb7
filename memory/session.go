package memory

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/extract"
	"github.com/pith-memory/pith/merge"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/transcript"
)

// ReadOptions says which part of a session is read.
type ReadOptions struct {
	// Format is detected from the content where it is "".
	Format pith.Format
	// Session selects one of several sessions in a file, as transcript.Options does.
	Session string
	// ID names the session where the client says its name; "" is what the
	// session says of itself.
	ID string
	// Name is the path that the state will name, "" for standard input.
	Name string
	// Through is the index of the last message to read, nil for all.
	Through *int
	// Boundary stops just before the client's own N-th compaction, 0 reads on.
	Boundary int
	// Previous is the latest checkpoint of the session, nil for none: the new
	// state becomes its child. Where the messages at hand are not those that it
	// was made from, they are taken as what came after them, and are numbered on.
	Previous *pith.State
	// KeepLive keeps the live messages with their own bytes, for Conversation.
	KeepLive bool
	// Behind is set where the input is the later part of a session file: what
	// came after the messages that Previous was made from. It is the mark that
	// the reading of those left. Read gives ErrReadWhole where the part cannot
	// be read by itself.
	Behind *Mark
	// Gauge is filled on the way where it is set, to go on from the end of the
	// input; it stays the zero Gauge where none can.
	Gauge *Gauge
	// Each is called after every record with the bytes read so far, where it
	// is set: for progress and for what wants a figure per message.
	Each func(s *Session, r pith.Record, offset int64)
}

// Session is a session that was read to a cut: the facts of all of it, and
// how large the context was that the client held there.
type Session struct {
	Header     transcript.Header
	Skipped    []transcript.Skip
	SkippedN   int
	Unknown    map[string]int
	Boundaries []pith.Boundary
	// Messages counts the messages that were read.
	Messages    int
	name, id    string
	last        time.Time
	lastMessage int
	extract     *extract.Extractor
	facts       *extract.Facts
	live        meter.Live
	redactor    *redact.Redactor
	digest      schema.Digest
	kept        liveMessages
	// body is the request body that was read, nil for a session file.
	body  []byte
	model string
	// previous is the checkpoint that the state goes on from; base is the number
	// of the first message at hand, known what shows whether they are the same.
	previous *pith.State
	base     int
	known    anchors
	// behind is the mark that the reading went on from, nil where the input was
	// read from its beginning; open are the calls that wait for their results.
	behind *Mark
	open   openCalls
	rest   codexRest
	// whole is set where the session ended before a cut.
	whole bool
	// empty is set while no message held a block.
	empty  bool
	labels labels
	// follow is set where a program hands the messages over as they come.
	follow *followed
	// options are those that the session was read with; liveFrom is the number
	// of the first message behind the client's last compaction.
	options  transcript.Options
	liveFrom int
	// counted is the reading of a body, which counts all of it, for the window
	// that it was asked with; nil while nobody asked since the last message.
	counted    *meter.Reading
	countedFor int
}

// read folds the records of a transcript, one at a time.
func read(r io.Reader, o ReadOptions, base int) (*Session, error) {
	d, err := transcript.NewDecoder(r, transcript.Options{Format: o.Format, Session: o.Session, KeepRaw: o.KeepLive, Behind: behind(&o)})
	if err != nil {
		return nil, err
	}
	s := &Session{name: o.Name, id: o.ID, extract: extract.New(), redactor: redact.New(), empty: true}
	s.options = transcript.Options{Format: o.Format, Session: o.Session}
	s.goOn(o.Previous, base)
	if o.Behind != nil {
		if err := s.goBehind(o.Behind); err != nil {
			return nil, err
		}
	}
	s.kept.on, s.body = o.KeepLive, d.Body()
	s.Header.Format = d.Header().Format
	s.open.items = s.Header.Format == pith.FormatCodex
	gauge := o.gauging()
	for {
		rec, err := d.Next()
		if errors.Is(err, io.EOF) {
			s.whole = true
			break
		}
		if err != nil {
			return nil, err
		}
		if s.cut(rec, o) {
			break
		}
		if rec.Message != nil && rec.Message.Index >= 0 {
			rec.Message.Index += s.base
		}
		s.add(rec)
		gauge.add(rec)
		if s.behind != nil && !s.behindHolds(rec) {
			return nil, ErrReadWhole
		}
		if o.Each != nil {
			o.Each(s, rec, d.Offset())
		}
	}
	if s.behind != nil && d.Orphaned() {
		return nil, ErrReadWhole
	}
	s.Header = s.labels.header(d.Header())
	s.leave(d)
	gauge.end(d)
	if _, end := d.Settled(); o.Gauge != nil && (!s.whole || s.Header.Format == pith.FormatCodex && !end) {
		*o.Gauge = Gauge{}
	}
	s.Skipped, s.SkippedN, s.Unknown = d.Skipped(), d.SkippedCount(), d.UnknownRows()
	return s, s.complete(o)
}

// cut tells whether the record lies behind the part that was asked for.
func (s *Session) cut(rec pith.Record, o ReadOptions) bool {
	if rec.Boundary != nil {
		return o.Boundary > 0 && rec.Boundary.N == o.Boundary
	}
	return rec.Message != nil && o.Through != nil && rec.Message.Index > *o.Through
}

func (s *Session) add(rec pith.Record) {
	s.facts, s.counted = nil, nil
	switch {
	case rec.Message != nil:
		m := rec.Message
		if m.Index >= 0 {
			s.Messages++
		}
		if m.Model != "" {
			s.model = m.Model
		}
		s.empty = s.empty && len(m.Blocks) == 0
		s.labels.message(m)
		s.open.message(m)
		s.known.block(m)
		s.lastMessage = max(s.lastMessage, m.Index)
		s.redactor.Message(m)
		s.digest.Add(m)
		s.live.Add(m)
		s.kept.add(m)
		s.known.message(m)
		s.extract.Message(m)
		if m.Time.After(s.last) && m.Time.UTC().Year() <= lastYear {
			s.last = m.Time
		}
	case rec.Boundary != nil:
		b := rec.Boundary
		for i := range b.Replacement {
			s.redactor.Message(&b.Replacement[i])
		}
		s.live.Boundary(b)
		s.kept.boundary(b)
		s.extract.Boundary(b)
		s.liveFrom = s.lastMessage + 1
		note := *b
		note.Replacement = nil
		s.Boundaries = append(s.Boundaries, note)
	case rec.Exit != nil:
		s.extract.LateExit(rec.Exit)
	}
}

// complete refuses a cut that the session does not have.
func (s *Session) complete(o ReadOptions) error {
	if o.Boundary > 0 && s.whole {
		return &pith.Error{
			Op: "cut the session", Kind: pith.KindUsage,
			Err:  fmt.Errorf("there is no boundary %d: the client compacted this session %d times", o.Boundary, len(s.Boundaries)),
			Hint: "`pith inspect` lists the compactions",
		}
	}
	if s.behind != nil {
		return nil
	}
	if s.Messages == 0 {
		err := errors.New("it holds no messages")
		if len(s.Skipped) > 0 {
			err = fmt.Errorf("%w that can be read: %d damaged rows, the first on line %d (%s)", err, s.SkippedN, s.Skipped[0].Line, s.Skipped[0].Reason)
		}
		return &pith.Error{
			Op: "read the session", Kind: pith.KindInput, Err: err,
			Hint: "pass a session file of a coding agent, or an API request body",
		}
	}
	if s.empty {
		return &pith.Error{
			Op: "read the session", Kind: pith.KindInput, Err: errors.New("its messages are empty"),
			Hint: "there is nothing to compact yet",
		}
	}
	return nil
}

// lastYear is the last that a date in JSON can have.
const lastYear = 9999

// Reading is how full the window was at the cut: of a request body, with its
// system prompt and its tools.
func (s *Session) Reading(window int) meter.Reading {
	if s.IsBody() {
		if s.counted == nil || s.countedFor != window {
			c := s.Conversation()
			r := meter.Read(&c, meter.ReadOptions{Window: window})
			s.counted, s.countedFor = &r, window
		}
		return *s.counted
	}
	return s.live.Reading(meter.ReadOptions{Window: window, Model: s.Model()})
}

// IsBody tells a request body from a session file.
func (s *Session) IsBody() bool { return s.body != nil }

// Model is the model that answered last, "" where none is named.
func (s *Session) Model() string {
	if s.Header.Model != "" {
		return s.Header.Model
	}
	return s.model
}

// LastMessage is the index of the last message that was read.
func (s *Session) LastMessage() int { return s.lastMessage }

// Facts are what code alone found.
func (s *Session) Facts() *extract.Facts {
	if s.facts == nil {
		s.facts = s.extract.Facts()
	}
	return s.facts
}

// Live counts the content of the context that the client held at the cut,
// without its fixed prompt.
func (s *Session) Live() pith.Tokens { return s.live.Tokens() }

func (s *Session) state(why pith.Reason, pins []pith.Pin) (*pith.State, error) {
	reading := s.Reading(0)
	scan := pith.SecretScan{RulesetSHA256: redact.Ruleset(), Status: "clean", Redactions: s.redactor.Counts(), Rescan: "clean"}
	if len(scan.Redactions) > 0 {
		scan.Status = "redacted"
	}
	st := merge.State(s.Facts(), merge.Session{
		ID:               s.sessionID(),
		Format:           s.Header.Format,
		Model:            s.Model(),
		Agent:            s.Header.Agent,
		Transcript:       s.name,
		Trigger:          why,
		Time:             s.last,
		TranscriptSHA256: s.digest.Sum(),
		Skipped:          s.SkippedN,
		Security:         pith.Security{SecretScan: scan, Sanitized: s.redactor.Sanitized()},
		Metrics: pith.Metrics{
			TokensBefore: s.Live(),
			Reported:     reading.Reported,
			Tokenizer:    meter.Tokenizer,
		},
		Pins: pins,
	})
	if s.previous != nil {
		if s.base > 0 {
			st.Checkpoint.FromMessage = s.base
		}
		st.Checkpoint.FromTurn = s.fromTurn()
		if err := merge.Chain(st, s.previous); err != nil {
			return nil, &pith.Error{Op: "go on from checkpoint " + shortID(s.previous.Checkpoint.ID), Kind: pith.KindCheck, Err: err}
		}
		if s.behind != nil { // its messages are those of the file, from the same first one on
			st.Checkpoint.FromMessage, st.Checkpoint.FromTurn = s.previous.Checkpoint.FromMessage, s.previous.Checkpoint.FromTurn
		}
	}
	return st, nil
}

// sessionID is the client's id, of a sub-agent's own file with the sub-agent's
// behind it; what has none is named by its own content.
func (s *Session) sessionID() string {
	switch h := &s.Header; {
	case s.id != "" && schema.ValidSessionID(s.id):
		return s.id
	case h.SessionID != "" && h.Agent != "" && h.Format == pith.FormatClaudeCode:
		return AgentSession(h.SessionID, h.Agent)
	case h.SessionID != "":
		return h.SessionID
	}
	return "content-" + s.digest.Sum()[:16]
}
