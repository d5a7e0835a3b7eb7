package extract

import (
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// backgroundSlot keeps the commands that were left running: servers, watchers,
// long jobs. An agent that does not know of them starts them a second time.
type backgroundSlot struct{ list []background }

type background struct {
	id   string
	call pith.PendingCall
}

const (
	maxBackground = 16
	// inBackground begins what is said of such a command; its id follows.
	inBackground = "still in the background as "
)

func (b *backgroundSlot) call(c *Call) {
	if c.Side || c.Result.Rejected {
		return
	}
	if c.Command == "" {
		b.asked(c)
		return
	}
	id := runningID(&c.Result)
	if id == "" {
		return
	}
	b.end(id)
	if len(b.list) == maxBackground {
		b.list = slices.Delete(b.list, 0, 1)
	}
	text := inBackground + id + ": " + headTail(squashSpaces(c.Command), maxPendingBytes/2, maxPendingBytes/2)
	b.list = append(b.list, background{id, pith.PendingCall{Tool: c.Use.ToolName, Text: text, Source: c.At}})
}

// asked takes in a call that reads, feeds or stops such a command.
func (b *backgroundSlot) asked(c *Call) {
	id := c.Use.Arg("session_id", "bash_id", "task_id", "shell_id", "process_id", "id")
	if id == "" || len(b.list) == 0 {
		return
	}
	name := toolName(c.Use.ToolName)
	stopped := strings.Contains(name, "kill") || strings.Contains(name, "stop")
	if stopped && c.OK() || c.Result.Exit != nil || endedStatus(c.Result.Text) {
		b.end(id)
	}
}

// said takes in the client's notice that such a command has ended.
func (b *backgroundSlot) said(s *Said) {
	if len(b.list) == 0 || s.Origin == pith.UserExplicit || !strings.Contains(s.Text, "<task-id>") {
		return
	}
	if strings.Contains(s.Text, "exit code ") || endedStatus(s.Text) {
		b.end(between(s.Text, "<task-id>", "</task-id>"))
	}
}

func endedStatus(text string) bool {
	switch between(text, "<status>", "</status>") {
	case "completed", "failed", "killed", "stopped":
		return true
	}
	return false
}

func (b *backgroundSlot) end(id string) {
	b.list = slices.DeleteFunc(b.list, func(r background) bool { return r.id == id })
}

// goOn takes the commands that ran at an earlier state.
func (b *backgroundSlot) goOn(s *pith.State) {
	for i := range s.Context.PendingCalls {
		call := s.Context.PendingCalls[i]
		if rest, ok := strings.CutPrefix(call.Text, inBackground); ok {
			if id, _, ok := strings.Cut(rest, ": "); ok {
				b.list = append(b.list, background{id, call})
			}
		}
	}
}

// facts lists them behind the calls that are not answered.
func (b *backgroundSlot) facts(f *Facts) {
	for i := range b.list {
		f.Context.PendingCalls = append(f.Context.PendingCalls, b.list[i].call)
	}
}
