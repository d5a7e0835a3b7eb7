package extract

import "strings"

// afterEscape is where a token begins that follows a backslash: in text that is
// quoted inside a text, "\nName" is an escape and a name. Where the backslash
// separates the parts of a Windows path, nothing is left out.
func afterEscape(text string, start int) int {
	if start == 0 || text[start-1] != '\\' || inWindowsPath(text, start-1) {
		return start
	}
	switch text[start] {
	case 'n', 't', 'r':
		return start + 1
	case 'u':
		end := start + 1
		for end < len(text) && end < start+5 && isHexDigit(text[end]) {
			end++
		}
		if end == start+5 {
			return end
		}
	}
	return start
}

func isHexDigit(b byte) bool {
	return isDigit(b) || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

// maxDriveDistance is how far back the drive of a Windows path is looked for.
const maxDriveDistance = 200

// inWindowsPath tells whether the backslash at text[i] belongs to a path with a
// drive or a share before it.
func inWindowsPath(text string, i int) bool {
	for at := i; at >= 0 && i-at < maxDriveDistance; at-- {
		switch b := text[at]; {
		case b == ':':
			return at > 0 && isLetter(text[at-1]) && at+1 < len(text) && text[at+1] == '\\' && (at == 1 || !isWordByte(text[at-2]))
		case b != '\\' && b != '.' && b != '-' && b != '/' && !isWordByte(b):
			return false
		}
	}
	return false
}

// isCoined tells a name that somebody coined from other words with an inner
// capital or underscore: _emphasis_, the plural of an acronym, the id of a
// message or a call, a field of the tools' own inputs.
func isCoined(w string) bool {
	last := len(w) - 1
	if w[0] == '_' && w[last] == '_' && (w[1] != '_' || w[last-1] != '_') {
		return false
	}
	if w[last] == 's' && isCapitals(w[:last]) {
		return false
	}
	return !isOpaque(w) && !isProtocolWord(w)
}

// isCapitals tells an acronym: neither lower case nor an underscore.
func isCapitals(w string) bool {
	for i := 0; i < len(w); i++ {
		if w[i] == '_' || w[i] >= 'a' && w[i] <= 'z' {
			return false
		}
	}
	return true
}

// isOpaque tells a word with a random tail, as services number their messages,
// requests and calls: "req_011CWuujhmWM". What begins with "toolu_" is the id of
// a call, whatever follows.
func isOpaque(w string) bool {
	if strings.HasPrefix(w, "toolu_") {
		return true
	}
	cut := strings.LastIndexByte(w, '_')
	tail := w[cut+1:]
	if len(tail) < 6 || cut >= 0 && !isDigit(tail[0]) && len(tail) < 16 {
		return false
	}
	var lower, upper, digits, turns int
	for i := 0; i < len(tail); i++ {
		switch b := tail[i]; {
		case isDigit(b):
			digits++
			if i > 0 && !isDigit(tail[i-1]) {
				turns++
			}
		case b >= 'a':
			lower++
		default:
			upper++
		}
	}
	if cut >= 0 && isDigit(tail[0]) {
		return lower > 0 && upper > 0
	}
	return lower > 0 && upper > 0 && turns > 2 && digits > 3 && len(tail) >= 16
}

// isProtocolWord tells the fields and values of the tools' own inputs and of the
// client's notes on the session, which say nothing of the work.
func isProtocolWord(w string) bool {
	switch w {
	case "file_path", "old_string", "new_string", "replace_all", "activeForm", "output_mode", "in_progress", "max_output_tokens",
		"yield_time_ms", "files_with_matches", "environment_context", "tool_use_error", "subagent_type", "run_in_background",
		"current_date", "permission_profile", "approval_policy", "sandbox_mode", "network_access", "writable_roots", "turn_aborted", "subagent_notification":
		return true
	}
	return false
}

// isSlashName tells the path of a package or directory from other words with a
// slash: regular expressions, flags, types of media, a choice of two words.
func isSlashName(t string) bool {
	if len(t) < 6 || t[0] == '-' || t[0] == '+' || t[0] == '@' {
		return false
	}
	for _, p := range [...]string{"/dev/", "application/", "s/"} {
		if strings.HasPrefix(t, p) {
			return false
		}
	}
	letters := 0
	for i := 0; i < len(t); i++ {
		if isLetter(t[i]) {
			letters++
		}
	}
	return letters*2 > len(t) && strings.Contains(strings.TrimLeft(t, "./"), "/")
}

// isChoice tells two plain words with a slash between them that stand in a
// sentence: "the token/password, if any".
func isChoice(text string, start, end int) bool {
	slashes := 0
	for i := start; i < end; i++ {
		switch {
		case text[i] == '/' && i > start:
			slashes++
		case !isLetter(text[i]) && text[i] != '-':
			return false
		}
	}
	return slashes == 1 && (start == 0 || strings.IndexByte(" \t\n(", text[start-1]) >= 0) &&
		(end == len(text) || strings.IndexByte(" \t\n).,;", text[end]) >= 0)
}

// listsFiles tells names of files with a slash between them from a path:
// "client.go/types.go".
func listsFiles(t string) bool {
	slash := strings.IndexByte(t, '/')
	dot := strings.LastIndexByte(t, '.')
	return slash > 0 && dot > slash && strings.HasSuffix(t[:slash], t[dot:])
}
