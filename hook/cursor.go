package hook

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pith-memory/pith/memory"
)

// Cursor is a place in a session file, behind what a checkpoint was made from.
type Cursor struct {
	Checkpoint string `json:"checkpoint,omitempty"`
	Path       string `json:"path,omitempty"`
	// Offset is in bytes; Print tells whether the bytes before it are the same.
	Offset int64  `json:"offset,omitempty"`
	Print  string `json:"print,omitempty"`
	// Mark is what a reading from there on must know.
	Mark memory.Mark `json:"mark,omitzero"`
}

// source is the bytes of a session: of its file, as far as its rows are whole,
// or as the client sent them.
type source struct {
	io.ReaderAt
	// path is "" for what the client sent.
	path string
	// end lies behind the last whole row.
	end int64
	// torn is set where the last row lacks its newline and is read all the same:
	// it may not be all of it.
	torn  bool
	close func()
}

// errNoFile is the cause where a client names no session file.
var errNoFile = errors.New("the client names no session file")

// open gives the session's bytes.
func (t *turn) open() (*source, error) {
	if export := t.input.Export; len(export) > 0 {
		return &source{ReaderAt: bytes.NewReader(export), end: int64(len(export)), close: func() {}}, nil
	}
	path := t.transcript()
	if path == "" {
		return nil, errNoFile
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path) // opening a pipe would wait for ever
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &source{ReaderAt: f, path: path, close: func() { f.Close() }}
	if err := s.measure(f); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// measure finds where the last whole row ends. The client may be in the middle
// of the next one.
func (s *source) measure(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if s.end = size; !strings.HasSuffix(s.path, ".jsonl") {
		return nil
	}
	end, err := lastRow(f, size)
	if err != nil || end == size {
		return err
	}
	row := make([]byte, size-end)
	if _, err := f.ReadAt(row, end); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if s.torn = json.Valid(row); !s.torn {
		s.end = end
	}
	return nil
}

// lastRow is the place behind the last newline.
func lastRow(f io.ReaderAt, size int64) (int64, error) {
	const step = 64 << 10
	buf := make([]byte, step)
	for to := size; to > 0; {
		if to == size {
			buf = buf[:1] // mostly it is the last byte
		}
		from := max(0, to-int64(len(buf)))
		part := buf[:to-from]
		if _, err := f.ReadAt(part, from); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return from + int64(i) + 1, nil
		}
		to, buf = from, buf[:step]
	}
	return 0, nil
}

// from reads on from a place.
func (s *source) from(offset int64) *io.SectionReader {
	return io.NewSectionReader(s.ReaderAt, offset, s.end-offset)
}

// printed is how many bytes before a place tell it from another one.
const printed = 4 << 10

// print tells the bytes before a place apart from others.
func (s *source) print(offset int64) (string, error) {
	n := min(offset, printed)
	part := make([]byte, n)
	if _, err := s.ReadAt(part, offset-n); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	sum := sha256.Sum256(part)
	return hex.EncodeToString(sum[:16]), nil
}

// holds tells whether a place that was noted earlier is one in these bytes.
func (s *source) holds(path, mark string, offset int64) bool {
	if s.path == "" || path != s.path || offset <= 0 || offset > s.end {
		return false
	}
	now, err := s.print(offset)
	return err == nil && now == mark
}

// cursor is the place behind what was read, nil where no reading can go on from
// there.
func (s *source) cursor(checkpoint string, read *memory.Session) *Cursor {
	left, ok := read.Mark()
	if !ok || s.torn || s.path == "" {
		return nil
	}
	mark, err := s.print(s.end)
	if err != nil {
		return nil
	}
	return &Cursor{Checkpoint: checkpoint, Path: s.path, Offset: s.end, Print: mark, Mark: left}
}
