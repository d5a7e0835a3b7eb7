package extract

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// The parts of the text of a next action, in bytes; all of it stays under the
// contract's 2,000.
const (
	maxNextBytes    = 1300
	maxContextBytes = 300
)

// nextAction picks the one step that follows from what was said: a call that
// has no result, a question that waits, the list of steps, the user's last
// request, or what the assistant said it would do. It is never taken from a
// tool's output, and a thing that is finished or that led nowhere is never next.
func nextAction(x *Extractor, f *Facts) pith.NextAction {
	n := chooseNext(x, f)
	n.Text = cutTo(oneLine(n.Text), maxNextBytes+2*maxContextBytes)
	if n.Preconditions == nil {
		n.Preconditions = []pith.Precondition{}
	}
	if n.Command != "" && isDestructive(n.Command) || n.Kind != "ask_user" && n.Kind != "none" && destructiveText(n.Text) {
		n.Destructive, n.RequiresConfirmation = true, true
	}
	if n.TargetPath != "" {
		n.Preconditions = append(n.Preconditions, pith.Precondition{Path: n.TargetPath, Must: "exist"})
	}
	if n.Kind != "inspect" && leavesRoot(f, n.TargetPath) {
		n.RequiresConfirmation = true
	}
	if n.Destructive && len(n.Preconditions) == 0 {
		n.Preconditions = append(n.Preconditions, pith.Precondition{Path: workingPath(f), Must: "exist"})
	}
	return n
}

// leavesRoot tells whether a path lies outside the session's root: a step that
// writes there asks first.
func leavesRoot(f *Facts, path string) bool {
	if slices.Contains(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }), "..") {
		return true
	}
	for _, files := range [][]pith.File{f.Files.Modified, f.Files.Inspected} {
		for i := range files {
			if files[i].Outside && (files[i].Path == path || files[i].AsUsed == path) {
				return true
			}
		}
	}
	return false
}

func workingPath(f *Facts) string {
	for _, p := range []string{f.Workspace.CWD, f.Workspace.Worktree, f.Workspace.Root} {
		if p != "" {
			return p
		}
	}
	return "."
}

func chooseNext(x *Extractor, f *Facts) pith.NextAction {
	q := &x.questions
	if f.Goal.Provenance == pith.Harness {
		return pith.NextAction{Kind: "ask_user", Text: "Ask the user what to do next: the session holds no request in the user's own words.", Basis: "none", Provenance: pith.Harness, Source: f.Goal.Source}
	}
	if q.last == interrupted {
		return pith.NextAction{Kind: "ask_user", Text: "The user interrupted the work: ask how to go on.", Basis: "none", Provenance: pith.Harness, Source: q.stop}
	}
	for _, c := range q.pending(x) {
		if n, ok := takeUp(x, f, c); ok {
			return n
		}
	}
	if q.last == userSpoke {
		return request(x, f)
	}
	if t, ok := q.awaitsAnswer(); ok {
		return pith.NextAction{Kind: "ask_user", Text: t.text, Basis: "question", Provenance: pith.Assistant, Source: t.at}
	}
	if n, ok := openStep(x, f); ok {
		return n
	}
	if t, ok := q.intent(); ok {
		return withTarget(f, x, pith.NextAction{Kind: "inspect", Text: t.text, Basis: "intent", Provenance: pith.Assistant, Source: t.at})
	}
	if q.last == callEnded && q.user.text != "" {
		return request(x, f)
	}
	if f.Goal.Provenance == pith.PeerAgent {
		return pith.NextAction{Kind: "none", Text: "The task that the other agent gave is under way.", Basis: "none", Provenance: pith.PeerAgent, Source: f.Goal.Source}
	}
	source := q.assistant.at
	if source == (pith.Source{}) {
		source = f.Goal.Source
	}
	return pith.NextAction{Kind: "none", Text: "No step is open: the user's next message decides.", Basis: "none", Provenance: pith.Assistant, Source: source}
}

// takeUp makes a step of a call without a result.
func takeUp(x *Extractor, f *Facts, c *Call) (pith.NextAction, bool) {
	n := pith.NextAction{Kind: "inspect", Basis: "pending_call", Provenance: pith.Assistant, Source: c.At}
	line := callText(c)
	n.Text = "Take up the call that has no result: " + c.Use.ToolName + ": " + cutTo(line, maxNextBytes-200)
	switch {
	case isOneOf(c.Use.ToolName, questionTools...):
		n.Kind, n.Basis = "ask_user", "question"
		if text := askedText(c); text != "" {
			n.Text = cutTo(text, maxNextBytes)
		}
	case c.Command != "":
		if f.ended(c.Command) {
			return n, false
		}
		if simpleLine(c.Command) {
			n.Kind, n.Command = "command", strings.TrimSpace(c.Command)
		}
		if isDestructive(c.Command) {
			n.Destructive, n.RequiresConfirmation = true, true
		}
	case isEditTool(c.Use.ToolName):
		path := c.Use.Arg(pathKeys...)
		if readOnly(x, f) {
			return pith.NextAction{Kind: "ask_user", Text: "A change was pending, but the mode is read-only: ask the user before anything is changed.", Basis: "pending_call", Provenance: pith.Assistant, Source: c.At}, true
		}
		if path != "" {
			n.Kind, n.TargetPath = "edit", resolvePath(c.Dir, path)
		}
	}
	return n, true
}

// askedText is what a question tool asks.
func askedText(c *Call) string {
	if text := c.Use.Arg("question"); text != "" {
		return text
	}
	var list []struct{ Question string }
	if json.Unmarshal([]byte(c.Use.Arg("questions")), &list) != nil {
		return ""
	}
	var asked []string
	for _, q := range list {
		asked = append(asked, q.Question)
	}
	return strings.Join(asked, " ")
}

// simpleLine tells whether a command is one command, with nothing in it that
// a shell would run besides.
func simpleLine(command string) bool {
	return !strings.ContainsAny(strings.TrimSpace(command), ";|&`\n<>") && !strings.Contains(command, "$(")
}

// ended tells whether a command is finished or led nowhere.
func (f *Facts) ended(command string) bool {
	command = strings.TrimSpace(command)
	for i := range f.Context.Done {
		if f.Context.Done[i].Text == command {
			return true
		}
	}
	for i := range f.Failed {
		if f.Failed[i].DoNotRetry && f.Failed[i].Attempt == command {
			return true
		}
	}
	return false
}

// openStep is the step of the list that is under way, else the first open one.
// A list that is older than the user's last request says nothing about it.
func openStep(x *Extractor, f *Facts) (pith.NextAction, bool) {
	q, parts := &x.questions, &x.phase.parts
	fresh := x.phase.todo.seq > q.userCall || len(parts.parts) > 0 && parts.seq >= q.userCall
	if !fresh && len(q.user.text) > shortReply {
		return pith.NextAction{}, false
	}
	for _, status := range []string{"in_progress", "pending"} {
		for i := range f.Context.Todo {
			t := &f.Context.Todo[i]
			if t.Status != status {
				continue
			}
			n := pith.NextAction{Kind: "inspect", Text: t.Text + pause(x, f), Basis: "todo", Provenance: pith.Assistant, Source: t.Source}
			if len(parts.parts) > 0 && parts.seq >= x.phase.todo.seq {
				n.Provenance = pith.UserExplicit
			}
			return withTarget(f, x, n), true
		}
	}
	return pith.NextAction{}, false
}
