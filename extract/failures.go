package extract

import (
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// failureSlot collects what was tried and led nowhere: tool calls that failed
// or were refused, work that was undone, approaches that were given up. A
// command that only failed is evidence, not an attempt.
type failureSlot struct {
	attempts []*attempt
	byKey    map[string]*attempt
	// edits is the last edit of each path, for work that is undone.
	edits map[string]edit
	last  edit
	undos []undo
	// refused waits for the user's words about it.
	refused *attempt
	// proposal is what the assistant asked leave for in its last words.
	proposal   pith.Quote
	approaches []approach
}

// attempt is a failed attempt while the session is read.
type attempt struct {
	item pith.FailedAttempt
	// target is the tool family and path, by which a later success ends it.
	target string
	minor  bool
}

// edit is an edit that succeeded.
type edit struct {
	text string
	at   pith.Source
}

// undo is a command that took work back.
type undo struct {
	command string
	edit    edit
	at      pith.Source
}

const (
	maxAttempts = 400
	maxEdits    = 2000
	// maxReason bounds the user's words on a refusal, in bytes.
	maxReason = 600
)

func (s *failureSlot) call(c *Call) {
	switch {
	case c.Result.Rejected:
		s.reject(c)
	case c.Command != "":
		s.shell(c)
	case c.Result.IsError:
		if strings.Contains(c.Result.Text, "Sibling tool call errored") {
			return
		}
		s.toolError(c)
	default:
		if isEditTool(c.Use.ToolName) {
			s.edited(c)
		}
	}
}

// toolError records a call that the tool itself refused.
func (s *failureSlot) toolError(c *Call) {
	if _, ok := verifyingTool(&c.Use); ok {
		return
	}
	signature := toolSignature(c.Result.Text)
	a := s.add(attemptText(c), signature, c)
	a.item.Reason = "tool error"
	a.minor = strings.Contains(signature, "has not been read yet") || strings.Contains(signature, "modified since read")
	if isEditTool(c.Use.ToolName) {
		a.target = "edit\x00" + editTarget(&c.Use)
	} else {
		a.target = attemptText(c)
	}
}

// reject records a call that the user refused, with the user's words if there
// are any.
func (s *failureSlot) reject(c *Call) {
	switch toolName(c.Use.ToolName) {
	case "askuserquestion", "request_user_input":
		return
	}
	a := s.add(attemptText(c), "rejected by the user", c)
	a.item.DoNotRetry, a.item.Provenance = true, pith.UserExplicit
	a.item.Reason = "rejected by the user"
	if words, _, ok := refusal(c); ok {
		a.item.Reason = shorten(words, maxReason)
		return
	}
	s.refused = a
}

// shell reads commands that could not start, and those that undo work.
func (s *failureSlot) shell(c *Call) {
	if neverRan(&c.Result) {
		if strings.Contains(c.Result.Text, "Sibling tool call errored") {
			return
		}
		a := s.add(shownCommand(c.Command), toolSignature(c.Result.Text), c)
		a.item.Reason, a.target = "not run", squashSpaces(c.Command)
		return
	}
	if !c.OK() {
		return
	}
	if len(s.attempts) > 0 {
		s.ended(squashSpaces(c.Command), "passed later")
	}
	for i := range c.Shell {
		if path, ok := undoes(c.Shell[i].Argv); ok && len(s.undos) < maxAttempts {
			e := s.last
			if path != "" {
				e = s.edits[baseName(path)]
			}
			command := c.Command
			if b, end := c.Shell[i].Start, c.Shell[i].End; b < end && end <= len(command) {
				command = command[b:end]
			}
			s.undos = append(s.undos, undo{command: shorten(command, 200), edit: e, at: c.ResultAt})
		}
	}
}

// undoes tells whether a git command takes back what was done to the files.
func undoes(argv []string) (path string, ok bool) {
	if len(argv) < 2 || argv[0] != "git" {
		return "", false
	}
	args := argv[1:]
	for len(args) > 2 && (args[0] == "-C" || args[0] == "-c") {
		args = args[2:]
	}
	last := args[len(args)-1]
	switch args[0] {
	case "revert":
		return "", !slices.Contains(args, "--abort")
	case "reset":
		return "", slices.Contains(args, "--hard")
	case "checkout":
		if last == "." || slices.Contains(args, "--") && last != "--" {
			return strings.TrimSuffix(last, "."), true
		}
	case "restore":
		if !hasFlag(args, "--staged") && !hasFlag(args, "-S") && len(args) > 1 {
			return strings.TrimSuffix(last, "."), true
		}
	}
	return "", false
}

// edited notes an edit that succeeded; it ends the failed ones of its file.
func (s *failureSlot) edited(c *Call) {
	target := editTarget(&c.Use)
	e := edit{text: attemptText(c), at: c.ResultAt}
	s.last = e
	if s.edits == nil || len(s.edits) > maxEdits {
		s.edits = map[string]edit{}
	}
	s.edits[baseName(target)] = e
	if len(s.attempts) > 0 {
		s.ended("edit\x00"+target, "applied later")
	}
}

// maxEndScan bounds how far back a success looks for the failures it ends.
const maxEndScan = 60

func (s *failureSlot) ended(target, how string) {
	for i := len(s.attempts) - 1; i >= 0 && i >= len(s.attempts)-maxEndScan; i-- {
		a := s.attempts[i]
		if a.target == target && a.item.EndedBy == "" && a.item.Provenance != pith.UserExplicit {
			a.item.EndedBy = how
			a.item.DoNotRetry = false
		}
	}
}

// add counts an attempt that failed, with others of the same text and signature.
func (s *failureSlot) add(text, signature string, c *Call) *attempt {
	if signature == "" {
		signature = "tool error"
	}
	key := text + "\x00" + sameFailure(signature)
	if a := s.byKey[key]; a != nil {
		a.item.Occurrences++
		a.item.EndedBy = ""
		a.item.Source = c.ResultAt
		return a
	}
	if s.byKey == nil || len(s.byKey) >= maxAttempts {
		s.byKey = map[string]*attempt{}
	}
	if len(s.attempts) == maxAttempts {
		s.attempts = append(s.attempts[:0], s.attempts[1:]...)
	}
	a := &attempt{item: pith.FailedAttempt{
		Attempt: text, ErrorSignature: signature, Occurrences: 1,
		Provenance: pith.ToolOutput, Source: c.ResultAt,
	}}
	s.byKey[key] = a
	s.attempts = append(s.attempts, a)
	return a
}

// isEditTool tells by its name whether a tool changes files.
func isEditTool(name string) bool {
	n := toolName(name)
	for _, w := range [...]string{"edit", "write", "patch", "replace", "insert"} {
		if strings.Contains(n, w) && n != "todowrite" && n != "todo_write" && n != "write_stdin" {
			return true
		}
	}
	return false
}

// editTarget is the path that an edit is for, the first one of a patch.
func editTarget(b *pith.Block) string {
	if p := b.Arg(pathKeys...); p != "" {
		return p
	}
	patch := b.Arg("input", "patch", "diff")
	for _, h := range [...]string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} {
		if i := strings.Index(patch, h); i >= 0 {
			line, _, _ := strings.Cut(patch[i+len(h):], "\n")
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// attemptText says what a call tried, in its own words.
func attemptText(c *Call) string {
	if c.Command != "" {
		return shownCommand(c.Command)
	}
	if isEditTool(c.Use.ToolName) {
		if t := editTarget(&c.Use); t != "" {
			return c.Use.ToolName + " " + t
		}
	}
	text := c.Use.ToolName
	for i := range c.Use.Args {
		a := &c.Use.Args[i]
		if a.IsString && a.Value != "" {
			line, _, _ := strings.Cut(strings.TrimSpace(a.Value), "\n")
			return text + " " + shorten(line, 160)
		}
	}
	return text
}

// toolSignature is the first line of a tool's error, without its markup.
func toolSignature(text string) string {
	text = strings.TrimSpace(text)
	text = strings.TrimPrefix(text, "<tool_use_error>")
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimSuffix(strings.TrimSpace(line), "</tool_use_error>")
	return shorten(strings.TrimSpace(line), maxSignature)
}
