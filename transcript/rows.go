package transcript

import (
	"bytes"
	"errors"
	"io"
)

// rowReader cuts a stream into lines. Its buffer is used again for every row,
// and a row that is too long is passed over without being held.
type rowReader struct {
	r          io.Reader
	buf        []byte
	start, end int
	max        int
	line       int
	offset     int64
	err        error
}

// firstBuffer holds the rows of most sessions, and stays in a core's cache.
const firstBuffer = 128 << 10

// head returns up to n bytes from the current position without using them up.
func (r *rowReader) head(n int) []byte {
	for r.err == nil && r.end-r.start < n {
		r.fill()
	}
	return r.buf[r.start:min(r.end, r.start+n)]
}

// fill reads once. It moves or grows the buffer where it is full.
func (r *rowReader) fill() {
	if r.end == len(r.buf) {
		if r.start > 0 {
			r.end = copy(r.buf, r.buf[r.start:r.end])
			r.start = 0
		}
		if r.end > len(r.buf)*3/4 || len(r.buf) == 0 {
			grown := make([]byte, max(firstBuffer, 2*len(r.buf)))
			r.end = copy(grown, r.buf[:r.end])
			r.buf = grown
		}
	}
	for range 100 {
		n, err := r.r.Read(r.buf[r.end:])
		r.end += n
		if err != nil {
			r.err = err
			return
		}
		if n > 0 {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// row is one line of the stream, valid until the next call.
type row struct {
	data []byte
	// line counts from 1.
	line int
	// tooLong: the row was over the limit and is not held.
	tooLong bool
	// open: the stream ended without a newline after it.
	open bool
}

// next returns the next line, io.EOF after the last one, or the read error.
func (r *rowReader) next() (row, error) {
	out := row{line: r.line + 1}
	searched := r.start
	for {
		if k := bytes.IndexByte(r.buf[searched:r.end], '\n'); k >= 0 {
			out.data = r.buf[r.start : searched+k]
			r.advance(searched + k + 1)
			return r.finish(out)
		}
		if r.end-r.start > r.max {
			out.tooLong = true
			r.drop()
		}
		if r.err != nil {
			break
		}
		held := r.end - r.start
		r.fill()
		searched = r.start + held
	}
	if !errors.Is(r.err, io.EOF) {
		return row{}, r.err
	}
	if r.start == r.end && !out.tooLong {
		return row{}, io.EOF
	}
	out.data, out.open = r.buf[r.start:r.end], true
	r.advance(r.end)
	return r.finish(out)
}

func (r *rowReader) finish(out row) (row, error) {
	r.line++
	if out.tooLong || len(out.data) > r.max {
		out.tooLong, out.data = true, nil
	}
	return out, nil
}

func (r *rowReader) advance(to int) {
	r.offset += int64(to - r.start)
	r.start = to
}

// drop forgets what is buffered of a row that is too long.
func (r *rowReader) drop() {
	r.advance(r.end)
	r.start, r.end = 0, 0
}
