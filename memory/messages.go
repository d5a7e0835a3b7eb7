package memory

import (
	"io"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/transcript"
)

// Messages reads a transcript's messages as a state's sources point into them:
// normalised and redacted, in order, one at a time. The function it returns
// gives io.EOF at the end.
func Messages(r io.Reader, format pith.Format) (func() (*pith.Message, error), error) {
	return messages(r, format, 0)
}

// MessagesOf reads them as the sources of one state point into them: a state
// that goes on from an earlier one numbers its messages on.
func MessagesOf(r io.Reader, s *pith.State) (func() (*pith.Message, error), error) {
	return messages(r, s.Checkpoint.Format, s.Checkpoint.FromMessage)
}

func messages(r io.Reader, format pith.Format, base int) (func() (*pith.Message, error), error) {
	d, err := transcript.NewDecoder(r, transcript.Options{Format: format})
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
