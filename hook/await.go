package hook

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/pith-memory/pith"
)

// Claude Code writes the rows of its session in batches, some time after it
// began a compaction.
const (
	// written is how long a hook waits for a batch; looking is how often it looks.
	written = 400 * time.Millisecond
	looking = 10 * time.Millisecond
	// lookedAt is how much of the file's end may hold the batch. Units: bytes.
	lookedAt = 1 << 20
	// lastResults is how many of the newest results are looked for.
	lastResults = 8
)

// await waits until the session's file has the last tool results, for a short
// time: with what is there by then the hook goes on.
func (t *turn) await() {
	path := t.transcript()
	if t.client != ClaudeCode || path == "" || len(t.input.Export) > 0 {
		return
	}
	results := t.lastResults()
	late := time.NewTimer(written)
	defer late.Stop()
	again := time.NewTicker(looking)
	defer again.Stop()
	for !hasResults(path, results) {
		select {
		case <-again.C:
		case <-late.C:
			return
		case <-t.ctx.Done():
			return
		}
	}
}

// lastResults are the ids of the newest results that the client told of.
func (t *turn) lastResults() (ids []string) {
	for i := len(t.input.Messages) - 1; i >= 0 && len(ids) < lastResults; i-- {
		ids = append(ids, t.input.Messages[i].Results...)
	}
	return ids
}

// hasResults tells whether the end of a session's file has these results, and
// that of its own last call. What cannot be read is not waited for; a file that
// is still to come is.
func hasResults(path string, ids []string) bool {
	end, err := endOf(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	if id := lastCall(end); id != "" {
		ids = append(ids[:len(ids):len(ids)], id)
	}
	for _, id := range ids {
		if !bytes.Contains(end, []byte(`"tool_use_id":"`+id+`"`)) {
			return false
		}
	}
	return true
}

// lastCall is the id of the last call in rows of Claude Code, "" where none is
// seen.
func lastCall(rows []byte) string {
	const call, id = `"type":"tool_use"`, `"id":"`
	_, rest, ok := bytes.Cut(rows[max(0, bytes.LastIndex(rows, []byte(call))):], []byte(call))
	if !ok {
		return ""
	}
	rest, ok = bytes.CutPrefix(rest, []byte(","+id))
	if !ok {
		return ""
	}
	name, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(name)
}

// endOf reads the end of a regular file.
func endOf(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &pith.Error{Op: "read the session", Kind: pith.KindInput, Err: errors.New("it is no file")}
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from := max(0, info.Size()-lookedAt)
	return io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
}
