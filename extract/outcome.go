package extract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
)

// The statuses of an evidence item.
const (
	statusPass    = "pass"
	statusFail    = "fail"
	statusError   = "error"
	statusTimeout = "timeout"
	statusUnknown = "unknown"
)

func failing(status string) bool {
	return status == statusFail || status == statusError || status == statusTimeout
}

// statusOfCode reads a non-zero exit code. By convention of shells, 124 and
// 137 end a timeout, 126 and 127 are commands that could not be run, and what
// is over 128 is a signal.
func statusOfCode(code int, output string, verifies bool) string {
	switch {
	case code == 124, code == 137, strings.Contains(output, "panic: test timed out after"):
		return statusTimeout
	case code == 126, code == 127, code > 128, code < 0, !verifies:
		return statusError
	}
	return statusFail
}

// verdict tells from the output alone how a verification went, where the exit
// code is not its own. What is not clear stays unknown.
func (l *verifyLine) verdict(output string, counts *pith.Counts) string {
	s := scanVerdict(output, l)
	switch {
	case s.failMark:
		return statusFail
	case counts != nil && counts.Failed+counts.Errors > 0, s.strong:
		return statusFail
	case s.passMark:
		return statusPass
	case s.weak && !s.tests:
		return statusFail
	case l.Shows.cutsEnd(s.lines):
		return statusUnknown
	case counts != nil && (counts.Passed > 0 || counts.Unit != ""):
		return statusPass
	case s.pass:
		return statusPass
	case s.weak:
		return statusFail
	case s.lines == 0 && l.silent() && !l.Shows.Selects && !l.Shows.Hidden:
		return statusPass
	}
	return statusUnknown
}

// silent tells whether no output at all means that all was well.
func (l *verifyLine) silent() bool {
	for i := range l.Verifiers {
		quiet := l.Verifiers[i].Silent || l.Shows.DropsPasses && l.Verifiers[i].Name == "go test"
		if !quiet {
			return false
		}
	}
	return true
}

type verdictScan struct {
	// tests is set where tests were run, whose own output may say anything.
	tests                                  bool
	lines                                  int
	strong, weak, pass, passMark, failMark bool
}

func scanVerdict(output string, l *verifyLine) verdictScan {
	var v verdictScan
	compiles := false
	for i := range l.Verifiers {
		compiles = compiles || l.Verifiers[i].Kind != verifiesTests
		v.tests = v.tests || l.Verifiers[i].Kind == verifiesTests
	}
	eachLine(output, func(line string) {
		s := strings.TrimSpace(line)
		if s == "" || isNoOutput(s) {
			return
		}
		if !slices.Contains(l.Says, s) {
			v.lines++
		}
		v.passMark = v.passMark || s == l.PassMark
		v.failMark = v.failMark || s == l.FailMark
		v.strong = v.strong || isFailVerdict(s)
		v.pass = v.pass || isPassVerdict(s)
		switch r := lineRank(s); {
		case r == rankPosition: // of a compiler, unless a search prints positions, too
			v.weak = v.weak || compiles && (!l.Mixed || strings.HasPrefix(s, "vet: "))
		case r >= rankError:
			v.weak = true
		}
	})
	return v
}

// isNoOutput knows what clients write in the place of an empty output.
func isNoOutput(s string) bool {
	return s == "(Bash completed with no output)" || s == "(no output)" || s == "Tool ran without output or errors" || s == "<no output>"
}

// isFailVerdict knows the lines by which test runners say that a run failed.
func isFailVerdict(s string) bool {
	switch s[0] {
	case 'F':
		return s == "FAIL" || strings.HasPrefix(s, "FAIL\t") || strings.HasPrefix(s, "FAIL ") || strings.HasPrefix(s, "FAILED ") || s == "FAILED"
	case '-':
		return strings.HasPrefix(s, "--- FAIL")
	case 'B':
		return strings.HasPrefix(s, "BUILD FAIL")
	case 'm':
		return strings.HasPrefix(s, "make: *** ") || strings.HasPrefix(s, "make[") && strings.Contains(s, ": *** ")
	case 'n':
		return strings.HasPrefix(s, "npm ERR!") || strings.HasPrefix(s, "npm error ")
	}
	return false
}

// isPassVerdict knows the lines by which tools say that all was well.
func isPassVerdict(s string) bool {
	switch s[0] {
	case 'P':
		return s == "PASS" || s == "PASSED"
	case 'A':
		return strings.HasPrefix(s, "All checks passed") || strings.HasPrefix(s, "All matched files use") || strings.HasPrefix(s, "All tests passed")
	case 'S':
		return strings.HasPrefix(s, "Success: no issues found") || strings.HasPrefix(s, "Success! The configuration is valid")
	case 'B', '[':
		return strings.Contains(s, "BUILD SUCCESS") || strings.HasPrefix(s, "Build succeeded") || strings.HasPrefix(s, "Build complete!")
	case 'N', 'n':
		return strings.HasPrefix(s, "No vulnerabilities found") || s == "no problems found" || s == "No issues found!"
	case 'F':
		return strings.HasPrefix(s, "Finished `") || strings.HasPrefix(s, "Finished dev") || strings.HasPrefix(s, "Finished release")
	case '0':
		return strings.HasPrefix(s, "0 issues") || strings.HasPrefix(s, "0 errors")
	}
	return strings.Contains(s, "Compiled successfully") || strings.HasPrefix(s, "✔ No ESLint warnings")
}

// printedCode finds the exit code that the line itself printed after a text.
func printedCode(output, after string) (int, bool) {
	for tries := 0; output != "" && tries < 40; tries++ {
		line := output
		if i := strings.LastIndexByte(output, '\n'); i >= 0 {
			line, output = output[i+1:], output[:i]
		} else {
			output = ""
		}
		s := strings.TrimSpace(line)
		if after != "" {
			i := strings.Index(s, after)
			if i < 0 {
				continue
			}
			s = strings.TrimSpace(s[i+len(after):])
		}
		n := leadingDigits(s)
		if n == 0 || n > 3 || after == "" && n != len(s) {
			continue
		}
		code, err := strconv.Atoi(s[:n])
		return code, err == nil
	}
	return 0, false
}

// outputOf is what the command itself wrote: the result without the header
// that a client puts before it.
func outputOf(text string) string {
	head := text[:min(len(text), 1500)]
	switch {
	case strings.HasPrefix(text, "Exit code "):
		if i := strings.IndexByte(head, '\n'); i >= 0 {
			return text[i+1:]
		}
		return ""
	case strings.HasPrefix(text, "Chunk ID:"), strings.HasPrefix(text, "Command: "), strings.HasPrefix(text, "Exit code: "), strings.HasPrefix(text, "Wall time:"), strings.HasPrefix(text, "Process "):
		if i := strings.Index(head, "\nOutput:\n"); i >= 0 {
			return text[i+len("\nOutput:\n"):]
		}
		if strings.HasSuffix(head, "\nOutput:") {
			return ""
		}
	case strings.HasPrefix(text, "<"):
		for _, tag := range [...]string{"output", "stdout"} {
			if i := strings.Index(text, "<"+tag+">"); i >= 0 {
				body := text[i+len(tag)+2:]
				if j := strings.LastIndex(body, "</"+tag+">"); j >= 0 {
					return body[:j]
				}
				return body
			}
		}
	}
	return text
}
