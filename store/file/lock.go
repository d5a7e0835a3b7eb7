package file

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	lockName   = ".lock"
	tempPrefix = ".tmp-"
	// lockWait is how long to wait for somebody's work, which takes
	// milliseconds, or seconds where many blocks are archived.
	lockWait = 30 * time.Second
	// nameless is after how long a lock without a process in it is left over:
	// its process died between making and writing it.
	nameless = 10 * time.Second
	// outdated is after how long anything unfinished is left over, whatever
	// the process of that number is by now.
	outdated = time.Hour
)

// tempName is a name for a file that is being written, with the process that
// writes it.
func tempName() string { return tempPrefix + strconv.Itoa(os.Getpid()) + "-" + rand.Text()[:12] }

// lock takes the lock of a session's folder: a file with the number of the
// process that holds it and its machine. That of a dead process is taken over.
func (s *Store) lock(ctx context.Context, folder string) (unlock func(), err error) {
	path := s.path(folder, lockName)
	for deadline := time.Now().Add(lockWait); ; {
		f, err := s.sys.create(path)
		if err == nil {
			_, err = fmt.Fprintln(f, os.Getpid(), hostname())
			if closeErr := f.Close(); err == nil {
				err = closeErr
			}
			if err != nil {
				_ = s.sys.remove(path)
				return nil, err
			}
			return func() { _ = s.sys.remove(path) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if err := s.breakStale(path); err != nil {
			return nil, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("another process holds %s", path)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// breakStale removes a lock that nobody holds any more. It is renamed first:
// of several who find it, one gets it, and sees whether it is still the one
// that it looked at.
func (s *Store) breakStale(path string) error {
	seen, err := s.sys.read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil //nolint:nilerr // it was released meanwhile
	}
	if held(string(seen), time.Since(info.ModTime())) {
		return nil
	}
	aside := path + "-" + rand.Text()[:12]
	if err := s.sys.rename(path, aside); err != nil {
		return nil //nolint:nilerr // somebody else has taken it over
	}
	if got, err := s.sys.read(aside); err == nil && string(got) != string(seen) {
		_ = s.sys.rename(aside, path) // a new holder's: give it back
		return nil
	}
	return s.sys.remove(aside)
}

// held tells from the text and the age of a lock whether somebody holds it.
// The number of a process says nothing about those of another machine.
func held(text string, age time.Duration) bool {
	number, host, _ := strings.Cut(strings.TrimSpace(text), " ")
	pid, err := strconv.Atoi(number)
	switch {
	case age > outdated:
		return false
	case err != nil:
		return age < nameless
	case host != "" && host != hostname():
		return true
	}
	return alive(pid)
}

func hostname() string {
	name, _ := os.Hostname() // without one it is taken for the same machine
	return name
}

// alive tells whether a process of this number is running.
func alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	if runtime.GOOS == "windows" {
		return true // there it is found only where it runs
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, syscall.EPERM)
}
