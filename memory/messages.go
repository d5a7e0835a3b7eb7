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
				names.message(rec.Message)
				redactor.Message(rec.Message)
				return rec.Message, nil
			}
		}
	}, nil
}
