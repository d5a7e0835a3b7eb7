package measure

import (
	"encoding/json"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/pith-memory/pith"
)

// The patterns find plain, unmistakable cases only: what they hit is certain,
// so that a miss of the state is a miss.
var (
	patchHeader = pattern(`(?m)^\*\*\* (?:Update|Add|Delete) File: (.+)$|^\*\*\* Move to: (.+)$`)
	written     = pattern(`(?:^|\s)>{1,2} ?([\w./~+-]+\.[A-Za-z]\w{0,7})(?:\s|$|;|&|\))|\btee (?:-a )?([\w./~+-]+\.[A-Za-z]\w{0,7})|\bsed -i(?: '')? (?:-e )?(?:'[^'\n]*'|"[^"\n]*") ([\w./~+-]+\.[A-Za-z]\w{0,7})`)
	shown       = pattern(`(?:^|[;&|\n] ?)(?:cat|head(?: -n? ?\d+)?|tail(?: -n? ?\d+)?|sed -n ['"][\d,$]+p['"]|nl -ba) ([\w./~+-]+\.[A-Za-z]\w{0,7})(?:\s|$)`)
	verifier    = pattern(`(?:^|[;&|(\n] ?)(?:env )?(?:[A-Z_]+=\S+ )*(?:sudo |time |timeout \d+\w? |mise exec -- )?(?:go test|go vet|go build|golangci-lint run|pytest|python3? -m pytest|npm test|(?:npm|pnpm|yarn) run (?:test|lint|build|check|typecheck)|pnpm test|yarn test|shellcheck|npx (?:jest|vitest|tsc|eslint)|cargo (?:test|build|check|clippy)|make (?:test|check|lint)|mise run (?:test|lint|fmt|check)|mvn |gradle|\./gradlew|bundle exec rspec|rspec|ctest|tsc|eslint|staticcheck)\b`)
	goResult    = pattern(`(?m)^\s*--- (PASS|FAIL|SKIP)`)
	sums        = pattern(`(\d+) (passed|failed|skipped)\b`)
	exitHead    = pattern(`^Exit code (-?\d+)`)
	exitCodex   = pattern(`Process exited with code (-?\d+)`)
	firmWord    = pattern(`(?i)\b(?:must|never|always)\b`)
	toldWord    = pattern(`(?i)\b(?:and|but|is|are) never \w+(?:[^s]s|ed)\b`)
	looseWord   = pattern(`(?i)\b(?:i|we|they|it) (?:don['’]?t|do not|didn['’]?t|did not|need to|should)\b|n['’]t need to\b|\b(?:should|must) have\b|\b(?:i think|maybe|perhaps|would be great)\b|^(?:can|could|would) you\b`)
	document    = pattern(`<<-?\s*['"\\]?(\w+)`)
	exitDenied  = pattern(`^exec_command failed for .*?exit_code: (-?\d+)`)
	exitTag     = pattern(`<exit_code>(-?\d+)</exit_code>`)
	exitNotice  = pattern(`exit code (-?\d+)`)
	taskTag     = pattern(`<task-id>([^<\n]+)</task-id>`)
	session     = pattern(`Process running with session ID (\d+)`)
	ruleWord    = pattern(`(?i)\b(?:must|make sure|ensure|unless)\b|` + clause + `(?:(?:must|should) )?(?:never|always|don['’]?t|do not|avoid)\b|\b(?:must|should) (?:never|always)\b|^(?:[-*\d.) ]*)(?:(?:please|also|and|but|so|ok|then),? )*(?:only|keep|stop|use|leave|let['’]?s)\b.*\b(?:only|keep|stop|instead|without|rather than)\b`)
	askWord     = pattern(`(?i)\b(?:should|shouldn['’]?t|needs? to)\b`)
)

// clause is where an order begins: with a sentence or behind a stop or a joint.
const clause = `(?:^|[-*,;:.(] ?|\b(?:and|but|so|please|also|then) )(?:please )?`

// pattern compiles an expression when it is first asked for: every start of
// the program would pay for it otherwise.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// maxTyped is how long a later message may be to be read for rules: longer ones
// are pasted, and what is pasted is somebody else's. maxAsk is how short one is
// in which "should" is a demand and no description.
const (
	maxTyped = 3000
	maxAsk   = 500
)

// userText takes the sentences of the user's own words that set a rule. A
// question sets none.
func (o *Observer) userText(words string) {
	if len(words) > maxTyped && len(o.said) > 1 {
		return
	}
	for _, line := range strings.Split(words, "\n") {
		for _, s := range splitSentences(line) {
			if len(s) >= 15 && len(s) <= 400 && setsRule(s, len(words) <= maxAsk) {
				o.ledger.rule(squash(s))
			}
		}
	}
}

func setsRule(s string, short bool) bool {
	if strings.HasSuffix(s, "?") || len(strings.Fields(s)) < 3 || !ruleWord().MatchString(s) && !(short && askWord().MatchString(s)) {
		return false
	}
	return !toldWord().MatchString(s) && (firmWord().MatchString(s) || !looseWord().MatchString(s))
}

func splitSentences(line string) []string {
	var out []string
	from := 0
	for i := 0; i < len(line); i++ {
		if strings.IndexByte(".!?", line[i]) >= 0 && (i+1 == len(line) || line[i+1] == ' ') {
			out = append(out, strings.TrimSpace(line[from:i+1]))
			from = i + 1
		}
	}
	return append(out, strings.TrimSpace(line[from:]))
}

// result takes the facts of a call whose result is known.
func (o *Observer) result(use, res *pith.Block, cwd string) {
	if res.Rejected {
		o.refusals++
	}
	failed := res.IsError || res.Rejected
	if code, ok := statedExit(res.Text); ok && code != 0 {
		failed = true
	}
	failed = failed || res.Exit != nil && *res.Exit != 0
	if clientTool(o, use, res, cwd, failed) {
		return
	}
	target := use.Arg("file_path", "notebook_path")
	switch use.ToolName {
	case "Read":
		if !failed {
			o.inspect(target, cwd)
		}
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		if !failed {
			o.modify(target, cwd)
		}
	case "apply_patch":
		if !failed && !strings.HasPrefix(res.Text, "apply_patch verification failed") {
			o.patch(use.Arg("input", "patch", "patchText"), cwd)
		}
	case "write_stdin":
		o.continued(use, res)
	case "TaskOutput", "BashOutput":
		o.ended(use.Arg("task_id", "bash_id"), exitTag(), res)
	case "Bash", "exec_command", "shell", "shell_command":
		o.shell(use, res, cwd, failed)
	default:
		o.harnessTool(use, res, cwd, failed)
	}
}

func (o *Observer) inspect(p, cwd string) {
	o.ledger.path(resolve(cwd, p), "")
}

func (o *Observer) modify(p, cwd string) { o.change(p, cwd, opEdited) }

// change notes what was done to a file.
func (o *Observer) change(p, cwd, op string) {
	o.ledger.path(resolve(cwd, p), op)
}

func (o *Observer) shell(use, res *pith.Block, cwd string, failed bool) {
	command := commandOf(use)
	if dir := use.Arg("workdir"); dir != "" {
		cwd = dir
	}
	plain := withoutDocuments(command)
	if !failed && !strings.Contains(plain, "cd ") {
		for _, m := range written().FindAllStringSubmatch(plain, -1) {
			if p := m[1] + m[2] + m[3]; !strings.HasPrefix(p, "/dev/") {
				o.modify(p, cwd)
			}
		}
		o.ledger.removed(plain, cwd)
		for _, m := range shown().FindAllStringSubmatch(plain, -1) {
			o.inspect(m[1], cwd)
		}
	}
	if res.Rejected || command == "" || notRun(res.Text) {
		return
	}
	r := run{command: squash(command), verify: verifier().MatchString(plain)}
	if code, ok := statedExit(res.Text); ok {
		r.exit = &code
	} else if res.Exit != nil {
		r.exit = res.Exit
	}
	r.learn(plain, res, failed)
	r.at = o.ledger.at
	if res.Running != "" {
		o.running[res.Running] = len(o.runs)
	}
	if m := session().FindStringSubmatch(head(res.Text)); m != nil {
		o.running[m[1]] = len(o.runs)
	}
	o.byID[use.ToolUseID] = len(o.runs)
	o.runs = append(o.runs, r)
}

// withoutDocuments takes the here-documents out of a command: what they hold is
// no command.
func withoutDocuments(command string) string {
	if !strings.Contains(command, "<<") {
		return command
	}
	var b strings.Builder
	end := ""
	for line := range strings.Lines(command) {
		if end != "" {
			if strings.TrimSpace(line) == end {
				end = ""
			}
			continue
		}
		if m := document().FindStringSubmatch(line); m != nil {
			end = m[1]
		}
		b.WriteString(line)
	}
	return b.String()
}

// commandOf is the command of a call. Codex had it as a list of words, most of
// them a shell and what it is to run.
func commandOf(use *pith.Block) string {
	command := use.Arg("command", "cmd")
	if !strings.HasPrefix(command, "[") {
		return command
	}
	var words []string
	if json.Unmarshal([]byte(command), &words) != nil {
		return command
	}
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	return strings.Join(words, " ")
}

// notRun tells whether a client says that it did not run a command at all.
func notRun(text string) bool {
	for _, p := range []string{"<tool_use_error>", "Permission for this action was denied", "Permission to use", refused} {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// continued joins how a command that went on ended to its start.
func (o *Observer) continued(use, res *pith.Block) {
	id := use.Arg("session_id")
	i, ok := o.running[id]
	if !ok {
		return
	}
	r := &o.runs[i]
	code, ended := statedExit(res.Text)
	if ended {
		delete(o.running, id)
		r.exit = &code
	} else if res.Exit != nil && r.exit == nil {
		r.exit = res.Exit
	}
	r.more(res)
	r.at = o.ledger.at
}

// notified joins a notice of Claude Code's that a command in the background
// ended to that command.
func (o *Observer) notified(b *pith.Block) {
	if b.Origin != pith.Harness || !strings.Contains(b.Text, "<task-notification>") {
		return
	}
	if m := taskTag().FindStringSubmatch(b.Text); m != nil {
		o.ended(m[1], exitNotice(), b)
	}
}

// ended notes the exit code that a text states for a command in the background.
func (o *Observer) ended(id string, expr *regexp.Regexp, b *pith.Block) {
	i, ok := o.running[id]
	if !ok {
		return
	}
	m := expr.FindStringSubmatch(b.Text)
	if m == nil {
		return
	}
	if code, err := strconv.Atoi(m[1]); err == nil {
		r := &o.runs[i]
		r.exit = &code
		r.more(b)
		r.at = o.ledger.at
	}
}

func statedExit(text string) (int, bool) {
	m := exitHead().FindStringSubmatch(text)
	if m == nil {
		m = exitCodex().FindStringSubmatch(head(text))
	}
	if m == nil {
		m = exitDenied().FindStringSubmatch(text)
	}
	if m == nil {
		m = exitTail().FindStringSubmatch(tail(text))
	}
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil
}

// counts are the numbers of tests that an output states, as "3 failed".
func counts(text string) []string {
	n := map[string]int{}
	for _, m := range goResult().FindAllStringSubmatch(text, -1) {
		n[map[string]string{"PASS": "passed", "FAIL": "failed", "SKIP": "skipped"}[m[1]]]++
	}
	var out []string
	for _, k := range []string{"passed", "failed", "skipped"} {
		if n[k] > 0 {
			out = append(out, strconv.Itoa(n[k])+" "+k)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, line := range strings.Split(text, "\n") {
		if found := sums().FindAllString(line, -1); len(found) > 0 {
			out = found
		}
	}
	return out
}

// head is where Codex states how a command ended, above its output.
func head(s string) string { return s[:min(len(s), 400)] }

func squash(s string) string { return strings.Join(strings.Fields(s), " ") }

func resolve(cwd, p string) string {
	if p == "" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || cwd == "" {
		return p
	}
	return path.Join(cwd, p)
}
