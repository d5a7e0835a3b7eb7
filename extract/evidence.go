package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// evidenceSlot collects every verification with its outcome and every command
// that failed. An outcome is what a result states: codes are never guessed.
type evidenceSlot struct {
	runs []*evidenceRun
	// running are the commands that go on, by the id that the client gave them.
	running map[string]*evidenceRun
	// unread are background commands that ended and whose output is in a file.
	unread []*evidenceRun
	// open are the latest runs without a code, for codes that come later.
	open []*evidenceRun
	// codes came before the results that they belong to.
	codes map[string]int
	// broken counts the failures of plain commands that may still be resolved.
	broken map[string]int
	// steps are failures that another line may end.
	steps  []*brokenStep
	claims []claim
}

// maxOpen bounds the outputs that are kept for a code that may come later.
const maxOpen = 64

// evidenceRun is one run of a command.
type evidenceRun struct {
	item pith.Evidence
	// key names the command and its directory; a later run of the same key
	// supersedes. exact is the line itself.
	key, exact string
	dir        string
	line       verifyLine
	shell      []simpleCommand
	verifies   bool
	useID      string
	code       *int
	output     string
	isError    bool
	// waiting is set while the command goes on, listed once the run is in runs.
	waiting, listed bool
	// same is the signature as sameFailure compares it.
	same string
	// endedBy is the key of the run that took a failed step another way; ends
	// is set on that run.
	endedBy string
	ends    bool
}

func (e *evidenceSlot) init() {
	e.running = map[string]*evidenceRun{}
	e.codes = map[string]int{}
	e.broken = map[string]int{}
}

func (e *evidenceSlot) call(c *Call) {
	if c.Command == "" && e.goesOn(c) {
		return
	}
	if len(e.unread) > 0 {
		e.readLate(c)
	}
	if c.Result.Rejected || neverRan(&c.Result) {
		return
	}
	r := e.newRun(c)
	if r == nil {
		return
	}
	if code, ok := e.codes[r.useID]; ok && r.code == nil {
		r.code = &code
	}
	delete(e.codes, r.useID)
	if id := runningID(&c.Result); id != "" {
		r.waiting = true
		e.running[id] = r
	} else if r.line.Started {
		return
	}
	e.stepsPassed(r, c.Shell)
	e.settle(r)
	if r.code == nil {
		e.keepOpen(r)
	}
}

// newRun reads a call that ran a command, or a tool that verifies by itself.
func (e *evidenceSlot) newRun(c *Call) *evidenceRun {
	command := c.Command
	line, verifies := readVerifyLine(c.Command, c.Shell)
	if command == "" {
		v, ok := verifyingTool(&c.Use)
		if !ok {
			return nil
		}
		command = c.Use.Text
		line.Verifiers, verifies = []verifier{v}, true
	}
	if !verifies && len(e.broken) == 0 && c.Result.Exit != nil && *c.Result.Exit == 0 {
		return nil
	}
	r := &evidenceRun{
		dir: c.Dir, useID: c.Use.ToolUseID, line: line, verifies: verifies,
		code: c.Result.Exit, isError: c.Result.IsError,
	}
	at := c.At
	r.item = pith.Evidence{Command: c.Command, Runs: 1, Provenance: pith.ToolOutput, Source: c.ResultAt, CallSource: &at}
	r.output = outputOf(c.Result.Text)
	if !r.verifies && r.code != nil && *r.code == 0 {
		return r // whether it ends an earlier failure is seen when it is settled
	}
	if c.Result.ExpectedNonZero && !r.verifies {
		return nil
	}
	r.exact = squashSpaces(command)
	if r.verifies {
		r.key = r.line.key(dirOf(r))
	} else {
		r.key = plainKey(c.Dir, r.exact)
		r.shell = c.Shell
	}
	r.item.Command = shownCommand(command)
	return r
}

// plainKey names a command that verifies nothing: its directory and its line.
func plainKey(dir, line string) string { return dir + "\x00" + line }

// settle gives a run the outcome that is known so far.
func (e *evidenceSlot) settle(r *evidenceRun) {
	if !r.verifies {
		e.settlePlain(r)
		return
	}
	r.judge()
	if !r.listed {
		r.listed = true
		e.runs = append(e.runs, r)
	}
	r.item.ID = pith.ItemID(pith.IDEvidence, r.item.Source, r.item.Command)
	if r.code != nil && !r.waiting {
		r.output = ""
	}
}

// failed gives a plain command that did not exit with 0 its status.
func (e *evidenceSlot) failed(r *evidenceRun) {
	it := &r.item
	it.ExitCode, it.Status = r.code, statusError
	switch {
	case r.code != nil && isProbe(r.shell, *r.code, r.output):
		it.Status, it.ExpectedNonZero = statusFail, true
		return
	case r.code != nil:
		it.Status = statusOfCode(*r.code, r.output, false)
	case timedOut(r.output):
		it.Status = statusTimeout
	}
	e.broken[r.key]++
	e.stepFailed(r)
	r.showFailure(plainFailure)
}

// settlePlain lists a plain command if it failed, or if it ends a failure.
func (e *evidenceSlot) settlePlain(r *evidenceRun) {
	if r.code == nil && (!r.isError || r.waiting) {
		return
	}
	it := &r.item
	if r.listed {
		if !it.ExpectedNonZero {
			r.showFailure(plainFailure)
		}
		return
	}
	if r.code != nil && *r.code == 0 {
		if len(e.broken) == 0 {
			return
		}
		r.exact = squashSpaces(it.Command)
		r.key = plainKey(r.dir, r.exact)
		e.stepsPassed(r, r.shell) // a code that came late
		if e.broken[r.key] == 0 && !r.ends {
			return
		}
		delete(e.broken, r.key)
		it.Command = shownCommand(it.Command)
		it.ExitCode, it.Status = r.code, statusPass
		it.Excerpt = passExcerptOf(r.output)
	} else {
		e.failed(r)
	}
	it.ID = pith.ItemID(pith.IDEvidence, it.Source, it.Command)
	r.listed, r.shell = true, nil
	if !r.waiting {
		r.output = ""
	}
	e.runs = append(e.runs, r)
}

// showFailure takes from the output what names the failure.
func (r *evidenceRun) showFailure(budget int) {
	if r.item.Status == statusPass || r.output == "" {
		return
	}
	r.item.Signature = signatureOf(r.output)
	r.same = sameFailure(r.item.Signature)
	r.item.Excerpt = excerptOf(r.output, budget)
}

// judge gives a verification its status, counts, excerpt and signature.
func (r *evidenceRun) judge() {
	it, l := &r.item, &r.line
	it.Verifies = l.names()
	if r.waiting && r.code == nil {
		it.Status = statusUnknown
		return
	}
	it.ExitCode, it.Masked = r.code, l.Masked
	it.Counts = countsOf(r.output, l.Shows)
	if l.Prints {
		if code, ok := printedCode(r.output, l.CodeAfter); ok {
			it.ExitCode, it.Masked = &code, false
		}
	}
	it.Status = r.status(it.ExitCode, it.Masked)
	if it.Status == statusPass && it.Counts != nil && it.Counts.Failed+it.Counts.Errors > 0 {
		it.Status = statusFail
	}
	if failing(it.Status) {
		r.showFailure(openFailure)
	} else {
		it.Signature, r.same = "", ""
		it.Excerpt = passExcerptOf(r.output)
	}
}

func (r *evidenceRun) status(code *int, masked bool) string {
	l := &r.line
	switch {
	case code != nil && *code != 0:
		return statusOfCode(*code, r.output, true)
	case code == nil && timedOut(r.output):
		return statusTimeout
	case code == nil && r.isError:
		return statusFail
	case code != nil && !masked:
		if l.listsOffenders() && strings.TrimSpace(r.output) != "" && !isNoOutput(strings.TrimSpace(r.output)) {
			return statusFail
		}
		return statusPass
	}
	return l.verdict(r.output, r.item.Counts)
}

// listsOffenders knows gofmt -l, which exits 0 whatever it finds.
func (l *verifyLine) listsOffenders() bool {
	if len(l.Verifiers) != 1 || l.Masked || l.Shows.Hidden {
		return false
	}
	switch l.Verifiers[0].Name {
	case "gofmt", "goimports", "gofumpt":
		return true
	}
	return false
}

// names lists the verifying parts of a line, each once.
func (l *verifyLine) names() string {
	var b strings.Builder
	for i := range l.Verifiers {
		n := l.Verifiers[i].Name
		repeated := false
		for j := range i {
			repeated = repeated || l.Verifiers[j].Name == n
		}
		if repeated {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(n)
	}
	return b.String()
}

// neverRan tells whether the client refused a call before anything ran.
func neverRan(b *pith.Block) bool {
	if !b.IsError || b.Exit != nil {
		return false
	}
	for _, p := range [...]string{
		"<tool_use_error>", "Permission for this action", "exec_command failed", "aborted by user", "Permission to use",
		"This command requires approval", "Claude requested permissions", "No such tool", "Error: No such tool", "InputValidationError",
	} {
		if strings.HasPrefix(b.Text, p) {
			return true
		}
	}
	return false
}

// timedOut looks for the client's note that it ended a command, at the
// beginning or the end of the output.
func timedOut(output string) bool {
	head, tail := cutTo(output, 300), cutFrom(output, 200)
	return strings.Contains(head, "ommand timed out") || strings.Contains(head, "timed out after") ||
		strings.Contains(tail, "ommand timed out")
}

// verifyingTool knows tools that verify without a shell: run_tests, lint.
func verifyingTool(b *pith.Block) (verifier, bool) {
	name := toolName(b.ToolName)
	switch {
	case strings.HasPrefix(name, "get"), strings.HasPrefix(name, "list"), strings.HasPrefix(name, "read"), strings.HasPrefix(name, "create"), strings.HasPrefix(name, "write"), strings.HasPrefix(name, "browser"):
		return verifier{}, false
	case strings.HasPrefix(name, "run"), strings.HasPrefix(name, "execute"), len(name) < 14:
		if kind := targetKind(strings.TrimPrefix(strings.ReplaceAll(name, "runtests", "test"), "run_")); kind != 0 {
			return verifier{Name: b.ToolName, Kind: kind}, true
		}
	}
	return verifier{}, false
}
