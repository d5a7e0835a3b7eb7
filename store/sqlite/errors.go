package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/pith-memory/pith"
)

// code is SQLite's primary result code of an error, 0 where it is none of SQLite's.
func code(err error) int {
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// fail says of an error what was being done, what is the matter with the file,
// and what to do about it. What is said in terms of the contract stays as it is.
func fail(op, path string, err error) error {
	var conflict *pith.Conflict
	var told *pith.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &conflict), errors.As(err, &told):
		return err
	}
	hint, what := explain(err, path)
	return &pith.Error{Op: op, Kind: pith.KindStore, Err: what, Hint: hint}
}

// explain names the usual troubles of a file in words, and what helps.
func explain(err error, path string) (hint string, what error) {
	because := func(format, hint string) (string, error) { return hint, fmt.Errorf(format+" (%w)", path, err) }
	var file *fs.PathError
	switch c := code(err); {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "", err
	case errors.Is(err, errForeign):
		return because("%s is not of pith", "choose another file; pith did not change this one")
	case c == codes.SQLITE_BUSY, c == codes.SQLITE_LOCKED:
		return because("%s is locked by another process", "wait until it has finished, then try again")
	case c == codes.SQLITE_FULL, errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return because("the disk is full: %s could not grow", "make room on the disk, then try again; what was stored before is as it was")
	case c == codes.SQLITE_READONLY, c == codes.SQLITE_PERM, errors.Is(err, syscall.EROFS):
		return because("%s is read-only", "make the file and its folder writable, or choose another one")
	case errors.As(err, &file), c == codes.SQLITE_CANTOPEN, c == codes.SQLITE_AUTH:
		return because("%s cannot be opened", "check who owns "+filepath.Dir(path)+", and that it is a folder that you may write to")
	case c == codes.SQLITE_NOTADB:
		return because("%s is not a database", "move the file away or choose another one; pith did not change it")
	case c == codes.SQLITE_CORRUPT:
		return because("%s is corrupt", "copy the file and its -wal before anything else; what can still be read is shown by `pith sessions`")
	case c == codes.SQLITE_IOERR:
		return because("%s could not be read or written", "check the disk, then try again")
	}
	return "", err
}

// unreadable tells a file that is damaged from one that cannot be written at the moment.
func unreadable(err error) bool {
	return code(err) == codes.SQLITE_CORRUPT || code(err) == codes.SQLITE_NOTADB
}
