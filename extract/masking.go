package extract

import (
	"slices"
	"strconv"
	"strings"
)

// verifyLine is what a shell line verifies and how far its exit code tells.
type verifyLine struct {
	Verifiers []verifier
	// Dir is where the first verifier ran, relative to the call's directory.
	Dir string
	// Masked is set where exit 0 of the line does not mean that all passed.
	Masked bool
	// Started is set where the line only starts a verifier in the background.
	Started bool
	// Prints is set where the line prints the verifier's exit code, after CodeAfter.
	Prints    bool
	CodeAfter string
	// Says are the literal texts that the line itself prints.
	Says []string
	// Mixed is set where other commands of the line print text of files.
	Mixed bool
	// PassMark and FailMark are what the line prints in place of a code.
	PassMark, FailMark string
	// Shows is what the line lets through of the verifier's output.
	Shows filter
}

// filter is what stands between a verifier and the output that is seen.
type filter struct {
	// Tail and Head are the number of lines let through, 0 for all.
	Tail, Head int
	// Pattern is what grep looks for, or any other selection.
	Selects bool
	Pattern string
	// DropsPasses is set where only the lines of passes are taken out.
	DropsPasses bool
	// Hidden is set where the output went to a file.
	Hidden bool
}

// partial tells whether an output of n lines may be a part only.
func (f filter) partial(n int) bool {
	return f.Selects || f.Head > 0 && n >= f.Head || f.Tail > 0 && n >= f.Tail
}

// cutsEnd tells whether the verdict at the end may be missing.
func (f filter) cutsEnd(n int) bool {
	return f.Hidden || f.Head > 0 && n >= f.Head || f.Selects && !strings.Contains(strings.ToLower(f.Pattern), "fail")
}

// readVerifyLine finds the verifiers among the commands of a line.
func readVerifyLine(command string, shell []simpleCommand) (verifyLine, bool) {
	var l verifyLine
	pipefail, errexit := false, false
	for i := range shell {
		argv := shell[i].Argv
		if len(argv) == 0 {
			continue
		}
		if said := echoed(argv); said != "" && len(l.Says) < maxVerifiers {
			l.Says = append(l.Says, said)
		}
		if argv[0] == "set" {
			pipefail = pipefail || slices.Contains(argv, "pipefail")
			errexit = errexit || hasFlag(argv, "-e") || slices.Contains(argv, "errexit") || hasFlag(argv, "-euxo")
			continue
		}
		v, ok := verifierOf(argv)
		l.Mixed = l.Mixed || !ok && shell[i].Op != "|" && printsFiles(argv[0])
		if !ok || shell[i].Op == "$(" && inText(shell, i) {
			continue
		}
		if len(l.Verifiers) == 0 {
			l.Dir = shell[i].Dir
		}
		l.Verifiers = append(l.Verifiers, v)
		l.follow(command, shell, i, pipefail, errexit)
		if len(l.Verifiers) > maxVerifiers {
			break
		}
	}
	return l, len(l.Verifiers) > 0
}

// maxVerifiers bounds what is read of a script that verifies again and again.
const maxVerifiers = 12

// follow reads what comes after verifier i and may hide its exit code.
func (l *verifyLine) follow(command string, shell []simpleCommand, i int, pipefail, errexit bool) {
	l.Shows.Hidden = shell[i].Hidden
	if shell[i].Op == "||" || shell[i].Op == "$(" {
		l.Masked = true
	}
	piped, own := false, true
	for j := i + 1; j < len(shell); j++ {
		if shell[j].Op == "$(" {
			if j = enclosing(shell, j); j < 0 {
				break
			}
		}
		next := &shell[j]
		switch next.Op {
		case "|":
			if !own {
				continue // the pipe of a command that only runs after a pass
			}
			l.Shows.through(next.Argv)
			piped = piped || !pipefail
			l.Masked = l.Masked || piped
			continue
		case "&&":
			if !piped && l.PassMark == "" {
				l.PassMark = echoed(next.Argv)
			}
			own = false
			continue
		case "||":
			if !piped {
				l.FailMark = echoed(next.Argv)
			}
			l.Masked = l.Masked || !leavesFailing(shell[j:])
		case "&":
			l.Started = true
		case ";":
			l.readPrinted(shell[j:], piped)
			l.Masked = l.Masked || !errexit && !exitsWith(shell[j:])
		}
		break
	}
	l.afterAll(command, shell)
}

// afterAll reads what stands behind the last command: "&", "done", "fi".
func (l *verifyLine) afterAll(command string, shell []simpleCommand) {
	end := shell[len(shell)-1].End
	if end < 0 || end > len(command) {
		return
	}
	rest := strings.TrimSpace(command[end:])
	if rest == "" || len(rest) > 200 {
		return
	}
	if strings.HasPrefix(rest, "&") && !strings.HasPrefix(rest, "&&") && !strings.HasPrefix(rest, "&>") {
		l.Started = true
	}
	for _, w := range strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ';' || r == '\n' || r == ')' }) {
		if w == "done" || w == "fi" {
			l.Masked = true
		}
	}
}

// inText tells whether a substitution stands in the text of a commit or a pull
// request: backticks there are meant as quotes.
func inText(shell []simpleCommand, i int) bool {
	k := enclosing(shell, i)
	if k < 0 {
		return false
	}
	switch programName(shell[k].Argv[0]) {
	case "git", "gh", "glab", "hub", "jj", "hg", "curl", "bd", "linear":
		return true
	}
	return false
}

// enclosing is the command that the substitution at j is a part of.
func enclosing(shell []simpleCommand, j int) int {
	for k := j + 1; k < len(shell); k++ {
		if shell[k].Start <= shell[j].Start && shell[k].End >= shell[j].End {
			return k
		}
	}
	return -1
}

// through notes a filter that the output passes.
func (f *filter) through(argv []string) {
	if len(argv) == 0 {
		return
	}
	switch programName(argv[0]) {
	case "tail":
		f.Tail = lineCount(argv)
	case "head":
		f.Head = lineCount(argv)
	case "tee", "cat", "less", "ts", "cut", "tr", "sort", "uniq", "strings", "fold", "nl", "column":
	case "grep", "egrep", "rg", "fgrep":
		if hasFlag(argv, "-v") || hasFlag(argv, "--invert-match") {
			f.DropsPasses = f.DropsPasses || strings.Contains(lastWord(argv), "ok")
			return
		}
		f.Selects = true
		for _, a := range argv[1:] {
			if !strings.HasPrefix(a, "-") {
				f.Pattern += a
				break
			}
		}
	default:
		f.Selects = true
	}
}

func printsFiles(program string) bool {
	switch programName(program) {
	case "grep", "rg", "egrep", "cat", "sed", "awk", "nl", "git", "head", "tail", "diff", "find", "jq":
		return true
	}
	return false
}

func lastWord(argv []string) string { return argv[len(argv)-1] }

// lineCount reads head -5, tail -n 5, tail -n5 and tail --lines=5.
func lineCount(argv []string) int {
	for i, a := range argv[1:] {
		a = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(a, "--lines="), "-n"), "-")
		if a == "" && i+2 < len(argv) {
			a = argv[i+2]
		}
		if n, err := strconv.Atoi(a); err == nil && n > 0 {
			return n
		}
	}
	return 10
}

// readPrinted finds the command that prints the exit code: echo "exit: $?",
// or rc=$? and a later echo "rc=$rc".
func (l *verifyLine) readPrinted(rest []simpleCommand, piped bool) {
	name := ""
	for i := range rest {
		argv := rest[i].Argv
		if i > 0 && rest[i].Op == "|" || len(argv) == 0 {
			return
		}
		if i == 0 && len(argv) == 1 {
			if n, value, ok := strings.Cut(argv[0], "="); ok && isStatusWord(strings.Trim(value, `"`), piped) {
				name = n
				continue
			}
		}
		if argv[0] != "echo" && argv[0] != "printf" {
			if name == "" {
				return
			}
			continue
		}
		text := strings.Join(argv[1:], " ")
		at := -1
		if name != "" {
			at = max(strings.Index(text, "$"+name), strings.Index(text, "${"+name+"}"))
		} else if i == 0 {
			at = statusWord(text, piped)
		}
		if at >= 0 {
			before := strings.TrimPrefix(strings.TrimPrefix(text[:at], "-e "), "-n ")
			if nl := max(strings.LastIndex(before, `\n`)+1, strings.LastIndexByte(before, '\n')); nl > 0 {
				before = before[nl+1:]
			}
			l.Prints, l.CodeAfter = true, strings.TrimSpace(before)
			return
		}
		if name == "" {
			return
		}
	}
}

// statusWord finds the variable that holds the verifier's own exit code.
// After a pipe, $? is the code of the last filter and says nothing.
func statusWord(text string, piped bool) int {
	for _, w := range [...]string{"${PIPESTATUS[0]}", "$PIPESTATUS", "${pipestatus[1]}", "$pipestatus[1]"} {
		if i := strings.Index(text, w); i >= 0 {
			return i
		}
	}
	if piped {
		return -1
	}
	for _, w := range [...]string{"$?", "${?}", "$status", "$LASTEXITCODE"} {
		if i := strings.Index(text, w); i >= 0 {
			return i
		}
	}
	return -1
}

func isStatusWord(text string, piped bool) bool { return statusWord(text, piped) == 0 }

// echoed is the literal text of an echo, "" for anything else.
func echoed(argv []string) string {
	if len(argv) < 2 || argv[0] != "echo" {
		return ""
	}
	text := strings.TrimSpace(strings.Join(skipFlags(argv[1:]), " "))
	if strings.ContainsAny(text, "$`\\") {
		return ""
	}
	return text
}

// leavesFailing tells whether what follows an || still ends with a failure.
func leavesFailing(rest []simpleCommand) bool {
	for i := range rest {
		argv := rest[i].Argv
		if i > 0 && rest[i].Op != ";" && rest[i].Op != "&&" || len(argv) == 0 {
			return false
		}
		switch argv[0] {
		case "false":
			return true
		case "exit", "return":
			return len(argv) > 1 && argv[1] != "0"
		}
	}
	return false
}

// exitsWith tells whether the line ends with the code that it kept.
func exitsWith(rest []simpleCommand) bool {
	argv := rest[len(rest)-1].Argv
	return len(argv) == 2 && (argv[0] == "exit" || argv[0] == "return") && strings.HasPrefix(strings.Trim(argv[1], `"`), "$")
}
