package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-memory/pith/memory"
)

const (
	// prunedFile says by its time when old records were removed last.
	prunedFile = ".pruned"
	pruneEvery = 24 * time.Hour
	// recordDays is how long a record is kept where the archive keeps sessions
	// for good.
	recordDays = 90
)

// prune removes the records of sessions that had no event for long, and what
// plugins keep of them, once a day at most. A record that is removed too early
// costs its session a whole reading.
func (h *Hooks) prune() {
	now, mark := h.config.Now(), filepath.Join(h.config.Dir, prunedFile)
	if info, err := os.Stat(mark); err == nil && now.Sub(info.ModTime()).Abs() < pruneEvery {
		return
	}
	if os.WriteFile(mark, nil, 0o600) != nil || os.Chtimes(mark, now, now) != nil {
		return // without it, each event would look at every record
	}
	days := h.config.KeepDays
	if days <= 0 {
		days = recordDays
	}
	for _, dir := range []string{h.config.Dir, filepath.Join(h.config.Dir, placedFolder)} {
		_ = eachRecord(dir, func(path string, info fs.FileInfo) error {
			if now.Sub(info.ModTime()) > time.Duration(days)*24*time.Hour {
				_ = os.Remove(path) // it may be gone, or goes another day
			}
			return nil
		})
	}
}

// eachRecord calls f with the records in a folder, and with what is left of
// those that were never written to their end.
func eachRecord(dir string, f func(path string, info fs.FileInfo) error) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if name := e.Name(); filepath.Ext(name) != ".json" && !strings.HasPrefix(name, newPrefix) {
			continue
		}
		info, infoErr := e.Info()
		if infoErr != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := f(filepath.Join(dir, e.Name()), info); err != nil {
			return err
		}
	}
	return err
}

// Forget removes what hooks and plugins remember of a session and of its
// sub-agents. Nothing there is no error.
func Forget(dir, session string) error {
	return errors.Join(forgetPlaced(dir, session), forgetRecords(dir, session))
}

func forgetRecords(dir, session string) error {
	err := eachRecord(dir, func(path string, _ fs.FileInfo) error {
		var r struct{ Session string }
		data, err := readSmall(path)
		if err != nil || json.Unmarshal(data, &r) != nil || r.Session != session && !memory.IsAgentOf(r.Session, session) {
			return nil //nolint:nilerr // it is no record of anybody
		}
		return os.Remove(path)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove what hooks remember of session %s: %w", session, err)
	}
	return nil
}
