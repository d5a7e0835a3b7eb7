package extract

import (
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
)

// keepOpen keeps the output of a run without a code for a while.
func (e *evidenceSlot) keepOpen(r *evidenceRun) {
	e.open = append(e.open, r)
	if len(e.open) <= maxOpen {
		return
	}
	if old := e.open[0]; !old.waiting {
		old.output = ""
	}
	copy(e.open, e.open[1:])
	e.open = e.open[:maxOpen]
}

// lateExit joins a code that the session states apart from its result.
func (e *evidenceSlot) lateExit(l *pith.LateExit) {
	for i := len(e.open) - 1; i >= 0; i-- {
		if r := e.open[i]; r.useID == l.ToolUseID {
			if r.code == nil {
				code := l.Code
				r.code = &code
				e.settle(r)
			}
			e.open = append(e.open[:i], e.open[i+1:]...)
			return
		}
	}
	if len(e.codes) < 4*maxOpen {
		e.codes[l.ToolUseID] = l.Code
	}
}

// runningID is the id under which a command goes on. A session that states the
// code elsewhere already still brings the output under that id.
func runningID(b *pith.Block) string {
	if b.Running != "" {
		return b.Running
	}
	const says = "Process running with session ID "
	head := b.Text[:min(len(b.Text), 1500)]
	i := strings.Index(head, says)
	if i < 0 || b.Exit == nil || i > 0 && head[i-1] != '\n' {
		return ""
	}
	id := head[i+len(says):]
	return id[:leadingDigits(id)]
}

// goesOn joins a call that reads, feeds or ends a running command. It tells
// whether the call was one.
func (e *evidenceSlot) goesOn(c *Call) bool {
	if len(e.running) == 0 {
		return false
	}
	id := c.Use.Arg("session_id", "bash_id", "task_id", "shell_id", "process_id", "id")
	r, ok := e.running[id]
	if !ok || id == "" || c.Result.Rejected {
		return false
	}
	text := outputOf(c.Result.Text)
	r.output = joinOutput(r.output, text)
	code := c.Result.Exit
	if code == nil {
		if n := toolName(c.Use.ToolName); strings.Contains(n, "kill") || strings.Contains(n, "stop") {
			delete(e.running, id)
			r.waiting, r.output = false, ""
		} else if r.code != nil {
			r.item.Source = c.ResultAt
			e.settle(r)
		}
		return true
	}
	delete(e.running, id)
	r.code, r.waiting = code, false
	r.item.Source = c.ResultAt
	e.settle(r)
	return true
}

// maxJoined bounds the output that is put together of a running command.
const maxJoined = 256 << 10

func joinOutput(a, b string) string {
	if len(a)+len(b) > maxJoined {
		if len(b) > maxJoined {
			b = b[len(b)-maxJoined:]
		}
		a = a[max(0, len(a)+len(b)-maxJoined):]
	}
	if a == "" || strings.HasSuffix(a, "\n") {
		return a + b
	}
	return a + "\n" + b
}

// notified reads the client's notice that a background command has ended.
func (e *evidenceSlot) notified(s *Said) {
	id := between(s.Text, "<task-id>", "</task-id>")
	r, ok := e.running[id]
	if id == "" || !ok {
		return
	}
	i := strings.Index(s.Text, "exit code ")
	if i < 0 {
		if st := between(s.Text, "<status>", "</status>"); st == "killed" || st == "stopped" {
			delete(e.running, id)
			r.waiting = false
		}
		return
	}
	rest := s.Text[i+len("exit code "):]
	code, err := strconv.Atoi(rest[:leadingDigits(rest)])
	if err != nil {
		return
	}
	delete(e.running, id)
	r.code, r.waiting, r.output = &code, false, ""
	r.item.Source = s.At
	e.settle(r)
	if r.verifies && len(e.unread) < maxOpen {
		r.useID = id
		e.unread = append(e.unread, r)
	}
}

// readLate finds the output of a background command where the agent reads the
// file that the client wrote it to.
func (e *evidenceSlot) readLate(c *Call) {
	path := c.Command
	if path == "" {
		path = c.Use.Arg("file_path", "path")
	}
	if !strings.Contains(path, ".output") {
		return
	}
	for i, r := range e.unread {
		if strings.Contains(path, r.useID+".output") {
			r.output = c.Result.Text
			r.item.Source = c.ResultAt
			e.settle(r)
			e.unread = append(e.unread[:i], e.unread[i+1:]...)
			return
		}
	}
}

func between(text, open, shut string) string {
	i := strings.Index(text, open)
	if i < 0 {
		return ""
	}
	rest := text[i+len(open):]
	j := strings.Index(rest, shut)
	if j < 0 {
		return ""
	}
	return strings.TrimSpace(rest[:j])
}
