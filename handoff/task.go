package handoff

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/schema"
)

// Task is an a2a-task.json: contracts/schemas/a2a-task-compaction.json.
type Task struct {
	ID              string   `json:"task_id"`
	State           string   `json:"state,omitempty"`
	Delegator       string   `json:"delegator"`
	AssigneeRole    string   `json:"assignee_role"`
	Description     string   `json:"task_description"`
	OutputSchemaRef string   `json:"output_schema_ref"`
	Criteria        []string `json:"success_criteria"`
	Constraints     []string `json:"constraints,omitempty"`
	// RiskTier is vibe, agentic or engineering.
	RiskTier       string    `json:"risk_tier"`
	TimeoutMinutes int       `json:"timeout_minutes,omitzero"`
	ParentTaskID   string    `json:"parent_task_id,omitempty"`
	Input          TaskInput `json:"input_data"`
}

// TaskInput carries the state and what the delegate may do.
type TaskInput struct {
	Envelope    Envelope    `json:"compact_working_state"`
	Permissions Permissions `json:"permissions"`
	// MAC signs the task: the envelope's own MAC does not cover what is around it.
	MAC string `json:"task_mac,omitempty"`
}

// Options say what is delegated, to whom, and within which limits.
type Options struct {
	Key   Key
	Nonce [16]byte
	Now   time.Time
	// Expires is when the task can no longer be accepted, zero for never.
	Expires time.Time
	// Previous is the last envelope of the session that went to this role.
	Previous Link
	// Delegator is what the sender calls itself; it gives no trust.
	Delegator string
	// Role is who may accept the task.
	Role string
	// Description is the task in a few words; the next action where it is "".
	Description string
	// Criteria say when the task is done.
	Criteria []string
	// Tools and Paths are all that the delegate may use; nothing by default.
	Tools, Paths []string
	// Risk is the tier, engineering where it is "".
	Risk string
	// Timeout is how long the delegate may take, 0 for no limit.
	Timeout time.Duration
	// Budget bounds the snapshot, DefaultBudget where it is 0.
	Budget pith.Tokens
}

// Built is a task that is ready to be sent.
type Built struct {
	Task *Task
	// JSON is the file.
	JSON     []byte
	Snapshot *Snapshot
}

const defaultCriterion = "The answer says what was done, and names the command and the exit code that show it."

// Build makes the task that hands a state over. Errors: KindUsage for options
// that the contract does not allow; KindCheck where the state is not valid.
func Build(s *pith.State, o Options) (*Built, error) {
	const op = "make the task"
	for _, p := range o.Paths {
		if strays(p) {
			return nil, usage(op, "the path %.200q is empty, climbs with \"..\" or begins with a tilde", p)
		}
	}
	snapshot, err := Bound(s, o.Budget)
	if err != nil {
		return nil, err
	}
	e, err := Seal(o.Key, snapshot.JSON, Header{
		SessionID: s.Checkpoint.SessionID, Previous: o.Previous, Audience: o.Role, Nonce: o.Nonce, Created: o.Now, Expires: o.Expires,
	})
	if err != nil {
		return nil, err
	}
	task := &Task{
		ID: "task-" + hex.EncodeToString(o.Nonce[:8]), State: "submitted",
		Delegator: or(o.Delegator, "pith"), AssigneeRole: o.Role, Description: describe(snapshot.State, o.Description),
		Criteria: slices.Clone(o.Criteria), Constraints: constraintTexts(snapshot.State), RiskTier: or(o.Risk, "engineering"),
		Input: TaskInput{Envelope: *e, Permissions: Permissions{Tools: normal(o.Tools), Paths: normal(o.Paths)}},
	}
	if len(task.Criteria) == 0 {
		task.Criteria = []string{defaultCriterion}
	}
	if o.Timeout > 0 {
		task.TimeoutMinutes = int((o.Timeout + time.Minute - 1) / time.Minute)
	}
	if n := utf8.RuneCountInString(task.Description); n > maxDescription {
		return nil, usage(op, "the description and the failures that it begins with have %d characters, more than %d", n, maxDescription)
	}
	if task.Input.MAC, err = task.sign(o.Key); err != nil {
		return nil, err
	}
	doc, err := task.marshal()
	if err != nil {
		return nil, err
	}
	if problems := schema.ValidateTask(doc); len(problems) > 0 {
		return nil, &pith.Error{Op: op, Kind: pith.KindUsage, Err: problemError(problems[0])}
	}
	return &Built{Task: task, JSON: doc, Snapshot: snapshot}, nil
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// describe puts the failures before what is to be done.
func describe(s *pith.State, task string) string {
	if strings.TrimSpace(task) == "" {
		task = "Go on from the next action of the state: " + s.Next.Text
	}
	return declare(s) + "\n" + task
}

// sign is the MAC over the task: over the MAC of its envelope, and over the
// canonical form (RFC 8785) of the whole document without its own MAC.
func (t *Task) sign(k Key) (string, error) {
	bare := *t
	bare.Input.MAC = ""
	doc, err := json.Marshal(&bare, json.Deterministic(true))
	if err != nil {
		return "", &pith.Error{Op: "sign the task", Kind: pith.KindUsage, Err: err}
	}
	v := jsontext.Value(doc)
	if err := v.Canonicalize(); err != nil {
		return "", &pith.Error{Op: "sign the task", Kind: pith.KindUsage, Err: err}
	}
	return k.sum(taskDomain, []byte(t.Input.Envelope.MAC), v), nil
}

func (t *Task) marshal() ([]byte, error) {
	doc, err := json.Marshal(t, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, &pith.Error{Op: "write the task", Kind: pith.KindUsage, Err: err}
	}
	return append(doc, '\n'), nil
}
