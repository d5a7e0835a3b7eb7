package memory

import (
	"io"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/transcript"
)

// Messages reads a transcript's messages as a state's sources point into them:
// normalised and redacted, in order, one at a time. The function it returns
// gives io.EOF at the end.
func Messages(r io.Reader, format pith.Format) (func() (*pith.Message, error), error) {
	return messages(r, transcript.Options{Format: format}, 0)
}

// MessagesOf reads them as the sources of one state point into them: a state
// that goes on from an earlier one numbers its messages on.
func MessagesOf(r io.Reader, s *pith.State) (func() (*pith.Message, error), error) {
	return messages(r, transcript.Options{Format: s.Checkpoint.Format, Session: sessionIn(s)}, s.Checkpoint.FromMessage)
}

// sessionIn names the session of a state in a file that holds several; what is
// named by its content is the only one of its file.
func sessionIn(s *pith.State) string {
	if strings.HasPrefix(s.Checkpoint.SessionID, "content-") {
		return ""
	}
	return s.Checkpoint.SessionID
}

func messages(r io.Reader, o transcript.Options, base int) (func() (*pith.Message, error), error) {
	d, err := transcript.NewDecoder(r, o)
	if err != nil {
		return nil, err
	}
	redactor := redact.New()
	var names labels
	return func() (*pith.Message, error) {
		for {
			rec, err := d.Next()
			if err != nil {
				return nil, err
			}
			if rec.Boundary != nil {
				// Markers are numbered over everything that was read.
				for i := range rec.Boundary.Replacement {
					redactor.Message(&rec.Boundary.Replacement[i])
				}
			}
			if rec.Message != nil {
				if rec.Message.Index >= 0 {
					rec.Message.Index += base
				}
				names.message(rec.Message)
				redactor.Message(rec.Message)
				return rec.Message, nil
			}
		}
	}, nil
}
