package memory_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// laterCase is a fault of a second compaction: what the first one kept word for
// word, and the conversation that goes on from it.
type laterCase struct {
	Request  json.RawMessage `json:"request"`
	KeptTail []message       `json:"kept_tail_of_previous"`
}

type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

func readLater(t *testing.T, id string) (c laterCase, messages []message) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "later", id+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	var body struct{ Messages []message }
	if err := json.Unmarshal(c.Request, &body); err != nil {
		t.Fatal(err)
	}
	return c, body.Messages
}

func body(t *testing.T, messages ...message) []byte {
	t.Helper()
	return mustJSON(t, map[string]any{"model": "claude-opus-4-8", "max_tokens": 1000, "messages": messages})
}

// TestKeptTail (case O1): what the first compaction kept word for word is in
// the second state, whether the first state was made with it or without it.
func TestKeptTail(t *testing.T) {
	c, later := readLater(t, "O1")
	head := []message{
		{"user", "Paginate the orders API. No schema change."},
		{"assistant", "I will look at the handlers."},
		{"user", "Please do."},
	}
	for name, through := range map[string]int{"without the tail": 2, "with the tail": 6} {
		t.Run(name, func(t *testing.T) {
			first := link(t, body(t, append(slices.Clone(head), c.KeptTail...)...), nil, &through).State
			next := append(slices.Clone(c.KeptTail), later...)
			second := link(t, body(t, next...), first, nil).State
			p := second.Checkpoint
			if p.FromMessage != through+1 || p.ThroughMessage != through+len(next) {
				t.Errorf("it covers %d to %d behind %d", p.FromMessage, p.ThroughMessage, through)
			}
			if second.Goal.Text != first.Goal.Text || !strings.Contains(rules(second), "No schema change") {
				t.Errorf("goal %q, rules %q", second.Goal.Text, rules(second))
			}
			decided, tried := 0, 0
			for _, d := range second.Decisions {
				if strings.Contains(d.Decision+d.Rationale, "use cursor paging") {
					decided++
				}
			}
			for _, f := range second.Failed {
				if strings.Contains(f.Attempt, "Offset paging was tried and skips rows") {
					tried++
				}
			}
			if decided != 1 || tried != 1 {
				t.Errorf("the decision stands %d times, the failed attempt %d times: %+v %+v", decided, tried, second.Decisions, second.Failed)
			}
			if !hasPath(second.Files.Modified, "api/list.go") || second.Goal.Amendments[len(second.Goal.Amendments)-1].Text != "Now the tests." {
				t.Errorf("the new part: %v, %+v", paths(second.Files.Modified), second.Goal.Amendments)
			}
		})
	}
}

// TestOneStatus (case O3): what the earlier state has under way and the later
// part ends has one status, and a value that changed is there once.
func TestOneStatus(t *testing.T) {
	_, later := readLater(t, "O3")
	todo := func(id, name, args string) message {
		return message{"assistant", []any{map[string]any{"type": "tool_use", "id": id, "name": name, "input": json.RawMessage(args)}}}
	}
	first := link(t, body(t,
		message{"user", "Write the parser."},
		todo("toolu_1", "TodoWrite", `{"todos":[{"content":"write parser","status":"in_progress"},{"content":"add cache","status":"completed"}]}`),
		message{"user", []any{map[string]any{"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}}},
		message{"assistant", "I'll use timeout 5 instead of no timeout, because the tests hang."},
	), nil, nil).State
	if len(first.Context.Todo) != 2 || len(first.Decisions) != 1 {
		t.Fatalf("todo %+v, decisions %+v", first.Context.Todo, first.Decisions)
	}
	second := link(t, body(t, later...), first, nil).State
	status := map[string][]string{}
	for _, x := range second.Context.Todo {
		status[x.Text] = append(status[x.Text], x.Status)
	}
	if !slices.Equal(status["write parser"], []string{"completed"}) {
		t.Errorf("write parser is %q", status["write parser"])
	}
	if slices.Contains(status["add cache"], "completed") {
		t.Errorf("add cache is %q", status["add cache"])
	}
	if !slices.ContainsFunc(second.Failed, func(f pith.FailedAttempt) bool { return strings.Contains(f.Attempt, "cache") }) {
		t.Errorf("failed attempts: %+v", second.Failed)
	}
	var current []string
	for _, d := range second.Decisions {
		current = append(current, d.Decision)
	}
	if !slices.Equal(current, []string{"Timeout is now 15, not 5."}) {
		t.Errorf("decisions: %q", current)
	}
}
