package hook

import (
	"errors"
	"fmt"
	"io"
	"os"

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
	if !src.holds(f.Path, f.Print, f.Offset) || !f.GoesOn() {
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

// follows notes how a session stands that was read to its end for a checkpoint.
func (t *turn) follows(src *source, g *memory.Gauge) {
	if mark, err := src.print(src.end); err == nil && g.GoesOn() && !src.torn && src.path != "" {
		t.record.Followed = Followed{Path: src.path, Offset: src.end, Print: mark, Gauge: *g}
	}
}

// longFile is the size of a session's file that has had turns enough for a
// checkpoint. Units: bytes.
const longFile = 1 << 20

// unfollowed tells whether nothing is known of a long session: then it is read
// for a checkpoint at once, not first to see how it stands.
func (t *turn) unfollowed() bool {
	info, err := os.Stat(t.transcript())
	return err == nil && info.Size() >= longFile && t.record.Followed.Path == ""
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
