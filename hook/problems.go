package hook

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-memory/pith/redact"
)

// Problem is one event that could not be answered as it should have been.
type Problem struct {
	At      time.Time `json:"at"`
	Client  Client    `json:"client"`
	Event   Event     `json:"event"`
	Session string    `json:"session,omitempty"`
	Error   string    `json:"error"`
}

// maxProblems bounds the list: when it is larger, it begins anew. Units: bytes.
const maxProblems = 256 << 10

const problemsFile = "problems.jsonl"

// note adds to the list of problems. Where even that is impossible, nothing
// more can be done without harm to the client.
func (h *Hooks) note(client Client, event Event, session string, cause error) {
	text := redact.New().Text(strings.ReplaceAll(cause.Error(), "\n", " "))
	line, err := json.Marshal(Problem{At: h.config.Now().UTC(), Client: client, Event: event, Session: session, Error: text})
	if err != nil || os.MkdirAll(h.config.Dir, 0o700) != nil {
		return
	}
	path := filepath.Join(h.config.Dir, problemsFile)
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(path); err == nil && info.Size() > maxProblems {
		flags = os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.Write(append(line, '\n')) // see above
}

// Problems reads the list that hooks left in a folder, oldest first.
func Problems(dir string) ([]Problem, error) {
	data, err := os.ReadFile(filepath.Join(dir, problemsFile))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Problem
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxProblems)
	for lines.Scan() {
		var p Problem
		if json.Unmarshal(lines.Bytes(), &p) == nil {
			list = append(list, p)
		}
	}
	return list, lines.Err()
}

// faultLine is the first line of a stack that is pith's own, to report.
func faultLine(stack []byte) string {
	behind := false
	for line := range strings.Lines(string(stack)) {
		behind = behind || strings.HasPrefix(line, "panic(")
		if at := strings.LastIndex(line, "/pith/"); behind && at >= 0 && strings.Contains(line, ".go:") {
			place, _, _ := strings.Cut(strings.TrimSpace(line[at+1:]), " ")
			return place
		}
	}
	return "no place known"
}
