package main

import (
	"errors"
	"io"
	"io/fs"
	"runtime/debug"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/pith-memory/pith"
)

// input is a file or standard input, opened for reading.
type input struct {
	io.Reader
	name  string // "" for standard input
	size  int64  // -1 unknown
	close func() error
	bar   *bar
}

const stdinName = "standard input"

// open opens the argument of a command; "-" is standard input.
func (c *console) open(arg string) (*input, error) {
	if arg == "-" {
		in := &input{Reader: c.in, size: -1, close: func() error { return nil }}
		c.watch(in, stdinName)
		return in, nil
	}
	f, info, err := openFile(arg)
	if err != nil {
		return nil, err
	}
	in := &input{Reader: f, name: arg, size: info.Size(), close: f.Close}
	if in.size < smallInput {
		// The run lasts milliseconds and ends with the process: collecting
		// garbage would cost more than it frees.
		debug.SetGCPercent(800)
	}
	c.watch(in, arg)
	return in, nil
}

// openFile opens a file, or a session of a database; a folder, which opens but cannot be read, is refused.
func openFile(name string) (readable, fs.FileInfo, error) {
	f, err := openReadable(name)
	if known := (*pith.Error)(nil); errors.As(err, &known) {
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, openError(name, err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a folder")
	}
	if err != nil {
		_ = f.Close() // it was only read
		return nil, nil, openError(name, err)
	}
	return f, info, nil
}

// smallInput is the size under which a session's garbage fits into memory.
const smallInput = 32 << 20

// Close closes the file and ends the progress line.
func (in *input) Close() error {
	in.bar.finish()
	return in.close()
}

func openError(name string, err error) error {
	return &pith.Error{Op: "open " + name, Kind: pith.KindInput, Err: cause(err), Hint: "pass the path of a file that can be read"}
}

// cause takes the operation and the path out of an error of package os, which
// the error around it names in the user's terms.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// slow is how long a command may take before it shows how far it is.
const slow = 500 * time.Millisecond

// watch shows progress on a terminal once the reading takes long.
func (c *console) watch(in *input, name string) {
	if !c.progress {
		return
	}
	in.bar = &bar{start: time.Now(), size: in.size, name: name, out: c.err}
	in.Reader = io.TeeReader(in.Reader, in.bar)
}

type bar struct {
	start time.Time
	size  int64
	done  int64
	name  string
	out   io.Writer
	shown *progressbar.ProgressBar
}

// Write counts what was read; it draws nothing before the reading is slow.
func (b *bar) Write(p []byte) (int, error) {
	b.done += int64(len(p))
	if b.shown == nil && time.Since(b.start) > slow {
		b.shown = progressbar.NewOptions64(b.size,
			progressbar.OptionSetWriter(b.out), progressbar.OptionShowBytes(true),
			progressbar.OptionSetDescription("reading "+b.name), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond))
	}
	if b.shown != nil {
		_ = b.shown.Set64(b.done) // a progress line that cannot be drawn is no reason to stop
	}
	return len(p), nil
}

func (b *bar) finish() {
	if b != nil && b.shown != nil {
		_ = b.shown.Clear()
	}
}
