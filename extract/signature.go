package extract

import "strings"

// How well a line names what went wrong, in rising order.
const (
	rankNothing = iota
	rankEnd     // "exit status 1", "make: *** [test] Error 1"
	rankVerdict // "FAIL", "--- FAIL: TestExport"
	rankMention // "Error:" somewhere in the line
	rankError   // "error: ...", "fatal: ..."
	rankThrown  // a panic, an exception's last line
	rankPosition
	rankNamed // "FAILED tests/a.py::test_b - assert ..."
)

const maxSignature = 280

// signatureOf is the one line of an output that names the failure, word for
// word as it stands there.
func signatureOf(output string) string {
	if s := goFailure(output); s != "" {
		return shorten(s, maxSignature)
	}
	best, bestRank, first, last, usage := "", rankNothing, "", "", false
	eachLine(output, func(line string) {
		s := strings.TrimSpace(line)
		if s == "" || isNoOutput(s) || strings.EqualFold(s, "error:") { // what went wrong stands below
			return
		}
		r := lineRank(s)
		if r > bestRank {
			best, bestRank = s, r
		}
		if r == rankEnd || isMarkup(s) || strings.HasPrefix(s, "hint: ") {
			return
		}
		if first == "" {
			first = s
		}
		usage = usage || hasFold(s, "usage:")
		last = s
	})
	switch {
	case bestRank < rankMention && usage:
		return shorten(first, maxSignature)
	case bestRank >= rankMention:
		return shorten(best, maxSignature)
	case last != "" && bestRank != rankVerdict:
		return shorten(last, maxSignature)
	}
	return shorten(best, maxSignature)
}

func isMarkup(s string) bool {
	return s[0] == '<' && s[len(s)-1] == '>' && !strings.Contains(s, " ")
}

// goFailure is the message under the first failing test of go test: the line
// after "--- FAIL", or in -v mode the last one before it.
func goFailure(output string) string {
	at := strings.Index(output, "--- FAIL")
	if at < 0 {
		return ""
	}
	message, verdict := "", ""
	seen := 0
	eachLine(output[at:], func(line string) {
		s := strings.TrimSpace(line)
		seen++
		if message != "" || seen > 40 || s == "" {
			return
		}
		if strings.HasPrefix(s, "--- FAIL") {
			verdict = s
		} else if goMessage(s) && verdict != "" {
			message = s
		}
	})
	if message != "" && !strings.HasSuffix(message, ":") {
		return message
	}
	if s := goMessageBefore(output[:at]); s != "" {
		return s
	}
	if message != "" {
		if i := strings.Index(output, message); i >= 0 {
			if s := testifyError(output[i:]); s != "" {
				return s
			}
		}
		return message
	}
	return verdict
}

// goMessage knows "export_test.go:212: want 48 rows, got 47".
func goMessage(s string) bool {
	i := strings.Index(s, ".go:")
	return i > 0 && i+4 < len(s) && isDigit(s[i+4]) && !strings.ContainsAny(s[:i], " \t")
}

// goMessageBefore looks back from a verdict to the message that was printed
// while the test ran.
func goMessageBefore(text string) string {
	for range 30 {
		text = strings.TrimRight(text, "\n\r\t ")
		i := strings.LastIndexByte(text, '\n')
		s := strings.TrimSpace(text[i+1:])
		if strings.HasPrefix(s, "=== ") || s == "" {
			return ""
		}
		if goMessage(s) && !strings.HasSuffix(s, ":") {
			return s
		}
		if i < 0 {
			return ""
		}
		text = text[:i]
	}
	return ""
}

// testifyError is the "Error:" line of an assertion that prints a block.
func testifyError(text string) string {
	found, lines := "", 0
	eachLine(text[:min(len(text), 4000)], func(line string) {
		s := strings.TrimSpace(line)
		lines++
		if found == "" && lines < 30 && strings.HasPrefix(s, "Error:") && len(s) > 8 {
			found = s
		}
	})
	return found
}

// lineRank tells how well a line names a failure. It looks at the beginning of
// the line first, since most lines are no candidates at all.
func lineRank(s string) int {
	if s == "" {
		return rankNothing
	}
	switch s[0] {
	case 'F':
		switch {
		case strings.HasPrefix(s, "FAILED ") && strings.Contains(s, "::"):
			return rankNamed
		case s == "FAIL", strings.HasPrefix(s, "FAIL"):
			return rankVerdict
		case strings.HasPrefix(s, "Fatal error"), strings.HasPrefix(s, "FATAL"):
			return rankThrown
		}
	case '-':
		if strings.HasPrefix(s, "--- FAIL") {
			return rankVerdict
		}
	case 'f', 'p':
		switch {
		case strings.HasPrefix(s, "fatal error: "), strings.HasPrefix(s, "panic: "):
			return rankThrown
		case strings.HasPrefix(s, "fatal: "):
			return rankError
		}
	case 'e', 'E':
		switch {
		case strings.HasPrefix(s, "error[E"):
			return rankPosition
		case strings.HasPrefix(s, "error: could not compile"):
			return rankMention
		case strings.HasPrefix(s, "E   "):
			return rankThrown
		case hasFold(s, "error: "), hasFold(s, "error "):
			return rankError
		case strings.HasPrefix(s, "exit status "), strings.HasPrefix(s, "Exit code "):
			return rankEnd
		}
	case 'm', 'n':
		if strings.HasPrefix(s, "make: ***") || strings.HasPrefix(s, "make[") || strings.HasPrefix(s, "npm ERR!") || strings.HasPrefix(s, "npm error") {
			return rankEnd
		}
	case 'P', 'C':
		if strings.HasPrefix(s, "Process exited with code") || strings.HasPrefix(s, "Command exited with code") {
			return rankEnd
		}
	case '[':
		if strings.HasPrefix(s, "[ERROR] ") && len(s) > 12 {
			return rankError
		}
	case 0xe2: // "●", "✕", "×"
		if strings.HasPrefix(s, "● ") {
			return rankThrown
		}
	}
	return inlineRank(s)
}

// inlineRank looks for what stands after a path or a program's name.
func inlineRank(s string) int {
	if len(s) > 1000 {
		s = s[:1000]
	}
	colon := strings.IndexByte(s, ':')
	if colon < 0 {
		if strings.Contains(s, "): error") {
			return rankPosition
		}
		return rankNothing
	}
	if isPosition(s) || strings.Contains(s, "): error ") {
		if strings.Contains(s, "warning") || strings.Contains(s, ": note:") {
			return rankMention
		}
		return rankPosition
	}
	name := s[:colon]
	if !strings.ContainsAny(name, " \t/\\\"'") && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Failure")) {
		return rankThrown
	}
	for _, w := range [...]string{"rror: ", "command not found", "No such file or directory", "ermission denied", " failed: ", "not found", "cannot ", ": error:", "denied", "refused", "timed out", "rejected"} {
		if strings.Contains(s[colon:], w) || w == "rror: " && strings.Contains(s, w) {
			return rankMention
		}
	}
	return rankNothing
}

// isPosition knows "path/file.ext:12: message" and "path/file.ext:12:5: message".
func isPosition(s string) bool {
	s = strings.TrimPrefix(s, "vet: ")
	i := strings.IndexByte(s, ':')
	if i == 1 && isLetter(s[0]) {
		if j := strings.IndexByte(s[2:], ':'); j >= 0 {
			i = j + 2
		}
	}
	if i < 3 || i+2 >= len(s) || !isDigit(s[i+1]) {
		return false
	}
	path := s[:i]
	if strings.ContainsAny(path, " \t\"'=") || strings.IndexByte(path[max(0, len(path)-8):], '.') < 0 || isDigit(path[len(path)-1]) {
		return false
	}
	rest := strings.TrimLeft(s[i+1:], "0123456789:,-")
	if strings.HasPrefix(rest, " +0x") {
		return false // a frame of a stack trace
	}
	return strings.HasPrefix(rest, " ") && len(rest) > 3
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// sameFailure is a signature without what differs from run to run: numbers,
// addresses, temporary paths, durations. It is compared, never shown.
func sameFailure(signature string) string {
	b := make([]byte, 0, len(signature))
	for i := 0; i < len(signature); {
		rest := signature[i:]
		if n := temporaryPath(rest); n > 0 {
			b = append(b, "/tmp/#"...)
			i += n
			continue
		}
		if isDigit(rest[0]) {
			n := 1
			for n < len(rest) && (isWordByte(rest[n]) || rest[n] == '.' && n+1 < len(rest) && isDigit(rest[n+1])) {
				n++
			}
			b = append(b, '#')
			i += n
			continue
		}
		if n := hexWord(rest); n > 0 && (i == 0 || !isWordByte(signature[i-1])) {
			b = append(b, '#')
			i += n
			continue
		}
		b = append(b, rest[0])
		i++
	}
	return string(b)
}

func temporaryPath(s string) int {
	if s[0] != '/' {
		return 0
	}
	for _, p := range [...]string{"/tmp/", "/private/tmp/", "/var/folders/", "/private/var/folders/", "/var/tmp/"} {
		if strings.HasPrefix(s, p) {
			n := len(p)
			for n < len(s) && strings.IndexByte(" \t\"':;,)]", s[n]) < 0 {
				n++
			}
			return n
		}
	}
	return 0
}

// hexWord measures a word of hex digits of at least seven, such as a commit.
func hexWord(s string) int {
	n, digits := 0, 0
	for n < len(s) && (isDigit(s[n]) || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'f') {
		if isDigit(s[n]) {
			digits++
		}
		n++
	}
	if n < 7 || digits == 0 || n < len(s) && isWordByte(s[n]) {
		return 0
	}
	return n
}
