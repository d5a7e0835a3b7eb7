package file

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"github.com/pith-memory/pith"
)

// system is every way in which the store touches the disk, so that a test can
// let each of them fail.
type system struct {
	create  func(path string) (handle, error) // a new file; an error where it exists
	open    func(path string) (io.ReadCloser, error)
	entries func(dir string) ([]fs.DirEntry, error)
	mkdir   func(path string) error
	link    func(from, to string) error // an error where to exists
	rename  func(from, to string) error
	remove  func(path string) error
	syncDir func(path string) error
}

// handle is a file that is being written.
type handle interface {
	io.WriteCloser
	Sync() error
}

func realSystem() system {
	return system{
		create: func(path string) (handle, error) {
			return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		},
		open:    func(path string) (io.ReadCloser, error) { return os.Open(path) },
		entries: os.ReadDir,
		mkdir:   func(path string) error { return os.MkdirAll(path, 0o700) },
		link:    os.Link,
		rename:  os.Rename,
		remove:  os.Remove,
		syncDir: syncDir,
	}
}

// syncDir makes the names in a folder last. Windows writes them through by
// itself, and gives no handle to ask for it.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// read gives the whole of a file.
func (y *system) read(path string) ([]byte, error) {
	f, err := y.open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(f)
}

// readStart gives the first bytes of a file, n at most.
func (y *system) readStart(path string, n int64) ([]byte, error) {
	f, err := y.open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, n))
}

// write makes a new file that lies on the disk for good, its name aside. It is
// tried once: after a failed fsync the same file may seem whole and not be.
func (y *system) write(path string, b []byte) error {
	f, err := y.create(path)
	if err != nil {
		return err
	}
	n, err := f.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = y.remove(path) // what is left is swept
	}
	return err
}

// noLinks tells whether an error of link says that the file system has none.
func noLinks(err error) bool {
	const windowsInvalidFunction = syscall.Errno(1)
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EMLINK) ||
		runtime.GOOS != "windows" && errors.Is(err, syscall.EPERM) ||
		runtime.GOOS == "windows" && errors.Is(err, windowsInvalidFunction)
}

// fail turns an error of the disk into one for people: one line, and what to do.
func fail(op string, err error) error {
	if err == nil {
		return nil
	}
	var already *pith.Error
	if errors.As(err, &already) && already.Kind == pith.KindStore {
		return err
	}
	const windowsDiskFull = syscall.Errno(112)
	e := &pith.Error{Op: op, Kind: pith.KindStore, Err: err}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), runtime.GOOS == "windows" && errors.Is(err, windowsDiskFull):
		e.Hint = "the disk is full: make room and save again; what was stored before is as it was"
	case errors.Is(err, syscall.EROFS):
		e.Hint = "the disk can only be read: choose a folder for the store that can be written"
	case errors.Is(err, fs.ErrPermission):
		e.Hint = "the folder of the store belongs to somebody else or may not be written: choose another, or change its permissions"
	case errors.Is(err, syscall.ENOTDIR):
		e.Hint = "a file stands where the store needs a folder: move it, or choose another folder"
	case errors.Is(err, syscall.EIO):
		e.Hint = "the disk reports a fault: look after the disk, then save again; what was stored before is as it was"
	}
	return e
}
