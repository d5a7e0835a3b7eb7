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
	what, hint := explain(err, path)
	return &pith.Error{Op: op, Kind: pith.KindStore, Err: what, Hint: hint}
}

// explain names the usual troubles of a file in words.
func explain(err error, path string) (error, string) {
	named := func(format string) error { return fmt.Errorf(format+" (%w)", path, err) }
	switch c := code(err); {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err, ""
	case c == codes.SQLITE_BUSY, c == codes.SQLITE_LOCKED:
		return named("%s is locked by another process"), "wait until it has finished, then try again"
	case c == codes.SQLITE_FULL, errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return named("the disk is full: %s could not grow"), "make room on the disk, then try again; what was stored before is as it was"
	case c == codes.SQLITE_READONLY, c == codes.SQLITE_PERM, errors.Is(err, syscall.EROFS):
		return named("%s is read-only"), "make the file and its folder writable, or choose another one"
	case errors.Is(err, fs.ErrPermission), c == codes.SQLITE_CANTOPEN, c == codes.SQLITE_AUTH:
		return named("%s cannot be opened"), "check who owns " + filepath.Dir(path) + ", and that it is a folder that you may write to"
	case c == codes.SQLITE_NOTADB:
		return named("%s is not a database"), "move the file away or choose another one; pith did not change it"
	case c == codes.SQLITE_CORRUPT:
		return named("%s is corrupt"), "copy the file and its -wal before anything else; what can still be read is shown by `pith sessions`"
	case c == codes.SQLITE_IOERR:
		return named("%s could not be read or written"), "check the disk, then try again"
	}
	return err, ""
}

// unreadable tells a file that is damaged from one that cannot be written at the moment.
func unreadable(err error) bool {
	return code(err) == codes.SQLITE_CORRUPT || code(err) == codes.SQLITE_NOTADB
}
