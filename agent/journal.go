package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/pith-memory/pith"
)

// FileJournal keeps the steps of a session in a file, a JSON object on each
// line, readable by its owner alone.
type FileJournal struct {
	mu     sync.Mutex
	file   *os.File
	unlock func()
	// size is where the next entry begins: behind the last that is whole.
	size int64
	err  error
}

// maxLine bounds a line that is read. Units: bytes.
const maxLine = 256 << 20

// OpenJournal opens the journal of a session, and makes it where there is none.
// A last line that a stop cut off is taken away. Until Close nobody else can
// open it; that of a process that died is taken over.
// Errors: KindStore where it is in use or cannot be opened; KindInput where a
// line in it is no entry.
func OpenJournal(path string) (*FileJournal, error) {
	unlock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, journalError("open", path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		unlock()
		return nil, journalError("open", path, err)
	}
	j := &FileJournal{file: f, unlock: unlock}
	if err := j.recover(path); err != nil {
		_ = j.Close()
		return nil, err
	}
	return j, nil
}

// recover finds the end of the last whole line and cuts what is behind it.
func (j *FileJournal) recover(path string) error {
	if err := j.file.Chmod(0o600); err != nil {
		return journalError("open", path, err)
	}
	end, err := lastLine(j.file)
	if err != nil {
		return journalError("read", path, err)
	}
	j.size = end
	if err := j.file.Truncate(end); err != nil {
		return journalError("mend", path, err)
	}
	if err := j.file.Sync(); err != nil {
		return journalError("mend", path, err)
	}
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return journalError("open", path, err)
	}
	return nil
}

// lastLine is where the last line ends that is whole: with its newline, and
// with JSON before it, since a stop may leave zeros where bytes should be.
func lastLine(f *os.File) (int64, error) {
	r := bufio.NewReaderSize(io.NewSectionReader(f, 0, 1<<62), 64<<10)
	end := int64(0)
	for {
		line, err := readLine(r)
		if errors.Is(err, io.EOF) {
			return end, nil
		}
		if err != nil {
			return 0, err
		}
		if !json.Valid(line) {
			if _, err := r.Peek(1); errors.Is(err, io.EOF) {
				return end, nil
			}
			return 0, fmt.Errorf("the line at byte %d is no entry", end)
		}
		end += int64(len(line))
	}
}

// readLine reads a line with its newline; io.EOF where there is no whole one.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, errors.New("a line is over 256 MiB")
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// Append writes an entry and waits until the disk has it. A write that failed
// leaves nothing behind.
func (j *FileJournal) Append(_ context.Context, e *Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false) // a reply goes back byte by byte
	if err := encoder.Encode(e); err != nil {
		return err
	}
	_, err := j.file.WriteAt(line.Bytes(), j.size)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		if cut := j.file.Truncate(j.size); cut != nil {
			j.err = fmt.Errorf("the journal cannot be mended: %w", cut)
		}
		return err
	}
	j.size += int64(line.Len())
	return nil
}

// Each calls f with every entry, in order.
func (j *FileJournal) Each(ctx context.Context, f func(*Entry) error) error {
	j.mu.Lock()
	end := j.size
	j.mu.Unlock()
	r := bufio.NewReaderSize(io.NewSectionReader(j.file, 0, end), 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		e := new(Entry)
		if err := json.Unmarshal(line, e); err != nil {
			return &pith.Error{Op: fmt.Sprintf("read line %d of the journal", n), Kind: pith.KindInput, Err: errors.New("it is no entry")}
		}
		if err := f(e); err != nil {
			return err
		}
	}
}

// Close lets the journal go.
func (j *FileJournal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.unlock == nil {
		return nil
	}
	j.err = os.ErrClosed
	err := j.file.Close()
	j.unlock()
	j.unlock = nil
	return err
}

func journalError(what, path string, err error) error {
	kind := pith.KindStore
	return &pith.Error{Op: what + " the journal " + path, Kind: kind, Err: err}
}
