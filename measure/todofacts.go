package measure

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// todoList is the latest list of steps, whole or task by task.
type todoList struct {
	list []entry
	ids  []string
	// byID: the list was written task by task.
	byID bool
}

// step is an entry of a list as the tools of clients spell it.
type step struct {
	Content     string `json:"content"`
	Step        string `json:"step"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Text        string `json:"text"`
	Status      string `json:"status"`
}

func (s *step) text() string {
	for _, t := range []string{s.Content, s.Step, s.Title, s.Text, s.Description} {
		if t != "" {
			return squash(t)
		}
	}
	return ""
}

// todoArg names the field of a tool that takes a whole list.
var todoArg = map[string]string{
	"TodoWrite": "todos", "todowrite": "todos", "todo_write": "todos", "write_todos": "todos",
	"update_plan": "plan", "task_tracker": "task_list",
}

// result reads the call of a todo tool that did not fail.
func (t *todoList) result(use, res *pith.Block, at place) {
	if res.IsError || res.Rejected {
		return
	}
	switch use.ToolName {
	case "TaskCreate":
		t.create(use, res, at)
	case "TaskUpdate":
		t.update(use, at)
	default:
		key := todoArg[use.ToolName]
		if key == "" || use.Arg(key) == "" {
			return
		}
		var steps []step
		if json.Unmarshal([]byte(use.Arg(key)), &steps) == nil {
			t.replace(steps, at)
		}
	}
}

// replace takes a new list. A step that an earlier list held with another
// status remembers it.
func (t *todoList) replace(steps []step, at place) {
	old := t.list
	t.list, t.ids, t.byID = nil, nil, false
	for i := range steps {
		if text := steps[i].text(); text != "" {
			n := entry{kind: KindTodo, text: text, status: plainStatus(steps[i].Status), at: at}
			if k := slices.IndexFunc(old, func(e entry) bool { return e.text == text }); k >= 0 {
				n = n.after(&old[k])
			}
			t.list = append(t.list, n)
		}
	}
}

// after keeps the statuses that an entry had before.
func (e entry) after(old *entry) entry {
	e.was = old.was
	if old.status != e.status {
		e.was = append(slices.Clone(old.was), old.status)
	}
	return e
}

func (t *todoList) create(use, res *pith.Block, at place) {
	text := squash(use.Arg("subject", "title", "description"))
	_, id, ok := strings.Cut(res.Text, "#")
	if !ok || text == "" {
		return
	}
	id, _, _ = strings.Cut(id, " ")
	if !t.byID {
		t.list, t.ids, t.byID = nil, nil, true
	}
	t.list = append(t.list, entry{kind: KindTodo, text: text, status: pending, at: at})
	t.ids = append(t.ids, id)
}

func (t *todoList) update(use *pith.Block, at place) {
	i := slices.Index(t.ids, use.Arg("taskId", "id"))
	if i < 0 {
		return
	}
	if use.Arg("status") == "deleted" {
		t.list, t.ids = slices.Delete(t.list, i, i+1), slices.Delete(t.ids, i, i+1)
		return
	}
	n := t.list[i]
	if s := use.Arg("subject"); s != "" {
		n.text = squash(s)
	}
	if s := use.Arg("status"); s != "" {
		n.status = plainStatus(s)
	}
	n.at = at
	t.list[i] = n.after(&t.list[i])
}

const (
	pending    = "pending"
	inProgress = "in_progress"
	completed  = "completed"
	cancelled  = "cancelled"
)

// plainStatus is one word for what tools call a step's status.
func plainStatus(s string) string {
	switch strings.ToLower(s) {
	case "completed", "done", "complete", "finished":
		return completed
	case "in_progress", "in-progress", "in progress", "active", "doing":
		return inProgress
	case "cancelled", "canceled", "skipped":
		return cancelled
	}
	return pending
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
