package transcript

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// SessionInfo names one of the sessions of a file.
type SessionInfo struct {
	// Number counts from 1 in file order.
	Number int    `json:"number"`
	ID     string `json:"id"`
	// Task is what the session worked on, "" where the file does not say.
	Task string `json:"task,omitempty"`
}

func (i *SessionInfo) is(wanted string) bool {
	if n, err := strconv.Atoi(wanted); err == nil {
		return n == i.Number
	}
	task, named := strings.CutPrefix(wanted, "task:")
	return i.ID == wanted || i.Task == wanted || named && i.Task == task
}

// SeveralSessions is the error about a file of several sessions of which none
// was selected, or one that is not there.
type SeveralSessions struct {
	// Wanted is what was asked for, "" where nothing was.
	Wanted   string
	Sessions []SessionInfo
}

// shownSessions is how many sessions an error names.
const shownSessions = 5

func (e *SeveralSessions) Error() string {
	var ids []string
	for i := range e.Sessions {
		if i == shownSessions {
			ids = append(ids, "...")
			break
		}
		ids = append(ids, e.Sessions[i].ID)
	}
	list := fmt.Sprintf("it holds %d sessions: %s", len(e.Sessions), strings.Join(ids, ", "))
	if e.Wanted != "" {
		return fmt.Sprintf("there is no session %q: %s", e.Wanted, list)
	}
	return list
}

// Sessions lists the sessions of a file. A file of one session gives that one.
func Sessions(r io.Reader) ([]SessionInfo, error) {
	d, err := NewDecoder(r, Options{})
	if err != nil {
		return nil, err
	}
	for {
		if _, err = d.Next(); err != nil {
			break
		}
	}
	var several *SeveralSessions
	switch {
	case errors.As(err, &several):
		return several.Sessions, nil
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return []SessionInfo{{Number: 1, ID: d.header.SessionID}}, nil
}

// sessionList selects one session of a file.
type sessionList struct {
	wanted string
	infos  []SessionInfo
	found  bool
	// over: the selected session was read, and the rest is of no interest.
	over bool
}

// open notes a session and tells whether it is the one to read.
func (l *sessionList) open(id, task string) bool {
	info := SessionInfo{Number: len(l.infos) + 1, ID: id, Task: task}
	if info.ID == "" {
		info.ID = strconv.Itoa(info.Number)
	}
	l.infos = append(l.infos, info)
	if l.wanted == "" {
		return len(l.infos) == 1
	}
	if l.found {
		return false
	}
	l.found = info.is(l.wanted)
	return l.found
}

// close notes that the session that was opened last is read.
func (l *sessionList) close() { l.over = l.found && l.wanted != "" }

// verdict says at the end of the file what a selection came to.
func (l *sessionList) verdict() error {
	if len(l.infos) == 0 || l.found || l.wanted == "" && len(l.infos) == 1 {
		return nil
	}
	return inputError(&SeveralSessions{Wanted: l.wanted, Sessions: l.infos}, "choose one with --session ID, or by its number")
}
