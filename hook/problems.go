package hook

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-memory/pith/redact"
)

// Problem is one event that could not be answered as it should have been.
type Problem struct {
	// At is when it was met last, Times how often, 0 for once.
	At      time.Time `json:"at"`
	Times   int       `json:"times,omitempty"`
	Client  Client    `json:"client"`
	Event   Event     `json:"event"`
	Session string    `json:"session,omitempty"`
	Error   string    `json:"error"`
}

// The list of problems keeps the newest ones. Units: problems, and the bytes of
// a problem's text.
const (
	maxProblems    = 200
	maxProblemText = 600
)

const problemsFile = "problems.jsonl"

// Note adds to the list of problems in a folder; one that is there already is
// counted. Where even that is impossible, nothing more can be done without harm
// to the client.
func Note(dir string, p Problem) {
	p.At = p.At.UTC()
	p.Error = redact.New().Text(strings.Join(strings.Fields(p.Error), " "))
	p.Error = strings.ToValidUTF8(p.Error[:min(len(p.Error), maxProblemText)], "")
	p.Session = strings.ToValidUTF8(p.Session[:min(len(p.Session), 200)], "")
	list, err := Problems(dir)
	if err != nil {
		list = nil // it is made anew
	}
	for i := range list {
		if list[i].same(&p) {
			p.Times = max(list[i].Times, 1) + 1
			list = slices.Delete(list, i, i+1)
			break
		}
	}
	list = append(list, p)
	var text bytes.Buffer
	for _, p := range list[max(0, len(list)-maxProblems):] {
		if line, err := json.Marshal(p); err == nil {
			text.Write(append(line, '\n'))
		}
	}
	_ = replaceFile(filepath.Join(dir, problemsFile), text.Bytes()) // see above
}

// same tells whether two problems are one that came again: their texts may
// differ by numbers, as those of processes.
func (p *Problem) same(q *Problem) bool {
	return p.Client == q.Client && p.Event == q.Event && withoutNumbers(p.Error) == withoutNumbers(q.Error)
}

func withoutNumbers(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}

// note adds to the list of problems.
func (h *Hooks) note(client Client, event Event, session string, cause error) {
	Note(h.config.Dir, Problem{At: h.config.Now(), Client: client, Event: event, Session: session, Error: cause.Error()})
}

// Problems reads the list that hooks left in a folder, oldest first.
func Problems(dir string) ([]Problem, error) {
	data, err := readSmall(filepath.Join(dir, problemsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Problem
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxRecord)
	for lines.Scan() {
		var p Problem
		if json.Unmarshal(lines.Bytes(), &p) == nil {
			list = append(list, p)
		}
	}
	return list, lines.Err()
}

// faultLine is the first place of a stack that is pith's own, to report.
func faultLine(stack []byte) string {
	behind, ours := false, false
	for line := range strings.Lines(string(stack)) {
		behind = behind || strings.HasPrefix(line, "panic(")
		if ours { // the line behind a function says where it is
			place, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			return filepath.Base(filepath.Dir(place)) + "/" + filepath.Base(place)
		}
		ours = behind && strings.HasPrefix(line, "github.com/pith-memory/pith/")
	}
	return "no place known"
}
