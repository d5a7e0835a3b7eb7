package hook

import (
	"errors"
	"fmt"
	"io"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/trigger"
)

// gauge is how a session stands, for the policy.
type gauge struct {
	Reading meter.Reading
	// Turns counts the model's requests over the whole session.
	Turns int
	// Failures are the tool executions at the end that failed alike.
	Failures trigger.FailureRun
}

// Followed is how far a session was followed, and how it stood there: figures
// and the names of tools.
type Followed struct {
	Path   string `json:"path,omitempty"`
	Offset int64  `json:"offset,omitempty"`
	Print  string `json:"print,omitempty"`
	memory.Gauge
}

// follow reads what came to the session file since it was followed last. It
// does not touch the store.
func (t *turn) follow() (gauge, error) {
	src, err := t.open()
	if err != nil {
		return gauge{}, &pith.Error{Op: "read the session", Kind: pith.KindInput, Err: err}
	}
	defer src.close()
	f := &t.record.Followed
	if !src.holds(f.Path, f.Print, f.Offset) || !f.Gauge.GoesOn() {
		*f = Followed{Path: src.path}
	}
	now, err := f.readOn(src)
	if errors.Is(err, memory.ErrReadWhole) {
		*f = Followed{Path: src.path}
		now, err = f.readOn(src)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		*f = Followed{}
		return gauge{}, fmt.Errorf("follow the session: %w", err)
	}
	if f.Print, err = src.print(f.Offset); err != nil || src.torn {
		f.Print = "" // the last row may be another one next time
	}
	return gauge{Reading: now.Reading(t.hooks.config.Memory.Window), Turns: now.Turns, Failures: now.Failures}, nil
}

// readOn reads what came since, and gives how the session stands now.
func (f *Followed) readOn(src *source) (memory.Gauge, error) {
	now := f.Gauge
	if f.Offset >= src.end {
		return now, nil
	}
	next, n, err := now.Read(src.from(f.Offset))
	f.Gauge, f.Offset = next, f.Offset+n
	return now, err
}
