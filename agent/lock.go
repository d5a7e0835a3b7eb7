package agent

import (
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

// lockFile takes a lock: a file with the number of the process that holds it
// and its machine. That of a dead process of this machine is taken over.
func lockFile(path string) (unlock func(), err error) {
	mine := fmt.Sprintf("%d %s\n", os.Getpid(), hostname())
	for range 8 {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, err = f.WriteString(mine)
			if closed := f.Close(); err == nil {
				err = closed
			}
			if err != nil {
				_ = os.Remove(path)
				return nil, err
			}
			return func() { _ = os.Remove(path) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if err := takeOver(path); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("others take %s all the time", path)
}

// takeOver removes a lock that nobody holds any more. It is renamed first: of
// several who find it, one gets it, and sees whether it is still the same.
func takeOver(path string) error {
	seen, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if heldLock(string(seen)) || len(seen) == 0 && justMade(path) {
		return fmt.Errorf("it is in use by process %s (%s)", strings.TrimSpace(string(seen)), path)
	}
	aside := path + "-" + rand.Text()[:12]
	if err := os.Rename(path, aside); err != nil {
		return nil //nolint:nilerr // somebody else has taken it over
	}
	if got, err := os.ReadFile(aside); err == nil && string(got) != string(seen) {
		return os.Rename(aside, path) // a new holder's: give it back
	}
	return os.Remove(aside)
}

// heldLock tells from the text of a lock whether somebody holds it. The number
// of a process says nothing about those of another machine; a lock without one
// was left by a process that died while it wrote it.
func heldLock(text string) bool {
	number, host, _ := strings.Cut(strings.TrimSpace(text), " ")
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 0 {
		return false
	}
	if host != hostname() {
		return true
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

// justMade tells of a lock in which no number stands yet.
func justMade(path string) bool {
	info, err := os.Stat(path)
	return err == nil && time.Since(info.ModTime()) < nameless
}

// nameless is how long a lock may be without a number.
const nameless = 10 * time.Second

func hostname() string {
	name, _ := os.Hostname() // without one it is taken for the same machine
	return name
}

// syncFolder makes the names in a folder last. Windows writes them through by
// itself, and gives no handle to ask for it.
func syncFolder(path string) error {
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
