package extract

import (
	"encoding/json"
	"strings"

	"github.com/pith-memory/pith"
)

// todoSlot keeps the latest list of steps that the agent wrote, whatever the
// tool was called: a whole list at a time, or task by task.
type todoSlot struct {
	// list is the latest whole list, as JSON or as lines with check boxes.
	list   string
	listAt pith.Source
	tasks  []task
	// byTask is set where the latest word was on a single task.
	byTask bool
	// carried is set while the list is that of an earlier state.
	carried bool
	// seq is the call that wrote last.
	seq int
}

type task struct {
	id, text, status string
	at               pith.Source
}

// listKeys are the fields under which tools take a whole list.
var listKeys = []string{"todos", "plan", "items", "tasks", "task_list", "task_progress", "todo_list"}

func (t *todoSlot) call(c *Call) {
	if c.Side || c.Result.IsError || c.Result.Rejected {
		return
	}
	switch c.Use.ToolName {
	case "TaskCreate":
		t.create(c)
		return
	case "TaskUpdate":
		t.update(c)
		return
	}
	for i := range c.Use.Args {
		a := &c.Use.Args[i]
		if !isOneOf(a.Key, listKeys...) || !looksLikeList(a) {
			continue
		}
		t.list, t.listAt, t.byTask, t.seq, t.carried = a.Value, c.At, false, c.Seq, false
		return
	}
}

func looksLikeList(a *pith.Arg) bool {
	if a.IsString && a.Key != "plan" && strings.Contains(a.Value, "- [") {
		return true
	}
	v := strings.TrimSpace(a.Value)
	if v == "[]" {
		return a.Key == "todos"
	}
	for _, field := range [...]string{`"status"`, `"state"`, `"done"`, `"completed"`} {
		if strings.Contains(v, field) {
			return strings.HasPrefix(v, "[")
		}
	}
	return false
}

func (t *todoSlot) create(c *Call) {
	id := c.Use.Arg("taskId", "id")
	if i := strings.IndexByte(c.Result.Text, '#'); i >= 0 {
		id, _, _ = strings.Cut(c.Result.Text[i+1:], " ")
	}
	t.tasks = append(t.tasks, task{id: id, text: c.Use.Arg("subject", "title", "description"), status: "pending", at: c.At})
	t.byTask, t.seq = true, c.Seq
}

func (t *todoSlot) update(c *Call) {
	id := c.Use.Arg("taskId", "task_id", "id")
	for i := range t.tasks {
		if t.tasks[i].id != id {
			continue
		}
		if s := c.Use.Arg("status"); s != "" {
			t.tasks[i].status, t.tasks[i].at = todoStatus(s), c.At
		}
		if s := c.Use.Arg("subject"); s != "" {
			t.tasks[i].text = s
		}
		t.byTask, t.seq = true, c.Seq
	}
}

// todoStatus maps the words of all clients to those of the contract.
func todoStatus(s string) string {
	switch strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(s)) {
	case "completed", "complete", "done", "finished", "closed", "resolved", "true", "x":
		return "completed"
	case "in_progress", "inprogress", "doing", "active", "started", "current":
		return "in_progress"
	case "cancelled", "canceled", "deleted", "skipped", "removed", "abandoned", "-":
		return "cancelled"
	}
	return "pending"
}

func (t *todoSlot) items() []pith.Todo {
	out := []pith.Todo{}
	if t.byTask {
		for _, k := range t.tasks {
			if k.text != "" && k.status != "cancelled" {
				out = append(out, pith.Todo{Text: k.text, Status: k.status, Source: k.at})
			}
		}
		return out
	}
	if strings.HasPrefix(strings.TrimSpace(t.list), "[") {
		return append(out, jsonTodos(t.list, t.listAt)...)
	}
	return append(out, checkBoxes(t.list, t.listAt)...)
}

func jsonTodos(list string, at pith.Source) []pith.Todo {
	var items []struct {
		Content, Step, Text, Title, Subject, Task, Description, Name string
		Status, State                                                string
		Done, Completed                                              bool
	}
	if json.Unmarshal([]byte(list), &items) != nil {
		return nil
	}
	var out []pith.Todo
	for _, i := range items {
		text := ""
		for _, s := range []string{i.Content, i.Step, i.Text, i.Title, i.Subject, i.Task, i.Description, i.Name} {
			if text == "" {
				text = strings.TrimSpace(s)
			}
		}
		status := i.Status
		if status == "" {
			status = i.State
		}
		if i.Done || i.Completed {
			status = "completed"
		}
		if text != "" {
			out = append(out, pith.Todo{Text: text, Status: todoStatus(status), Source: at})
		}
	}
	return out
}

// checkBoxes reads lines such as "- [x] write the test".
func checkBoxes(list string, at pith.Source) []pith.Todo {
	var out []pith.Todo
	for line := range strings.Lines(list) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "- [")
		if !ok || len(rest) < 3 || rest[1] != ']' {
			continue
		}
		status := "pending"
		switch rest[0] {
		case 'x', 'X':
			status = "completed"
		case '~', '/', '>':
			status = "in_progress"
		}
		if text := strings.TrimSpace(rest[2:]); text != "" {
			out = append(out, pith.Todo{Text: text, Status: status, Source: at})
		}
	}
	return out
}
