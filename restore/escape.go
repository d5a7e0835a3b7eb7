package restore

import "strings"

// reserved are the elements that a client, a provider or pith itself gives a
// meaning to. Inside a block they lose it: "<" becomes "‹".
var reserved = []string{
	"pith-", "system-", "system", "user", "human", "assistant", "developer",
	"local-command-", "bash-", "command-", "task-notification", "environment_context", "turn_aborted",
	"subagent_notification", "user_instructions", "user-prompt-submit-hook", "session-context",
	"permissions", "instructions", "collaboration_mode", "skill",
	"conversation", "previous-summary", "summary", "state", "transcript", "memory", "context",
	"function_calls", "function_results", "invoke", "tool_result", "tool_use", "antml",
	"|",
}

// roles are the words that open a turn in flat transcripts.
var roles = []string{"human", "user", "assistant", "system", "developer", "tool"}

// Quote turns text of any origin into text that can stand beside a block.
func Quote(text string) string { return quote(text) }

// quote turns text of any origin into text that can stand in a block: nothing
// in it can close the fence, open a reminder, imitate a turn or a section.
// Every change is visible; text without such marks comes back as it is.
func quote(text string) string {
	if strings.IndexByte(text, '<') < 0 && strings.IndexByte(text, ':') < 0 && !strings.Contains(text, sectionMark) {
		return text
	}
	var b []byte
	from := 0
	change := func(at, skip int, with string) {
		b = append(b, text[from:at]...)
		b = append(b, with...)
		from = at + skip
	}
	lineStart := true
	for i := 0; i < len(text); i++ {
		c := text[i]
		if lineStart && (opensTurn(text[i:]) || opensSection(text[i:])) {
			change(i, 0, "\\")
		}
		if c == '<' && isReserved(text[i+1:]) {
			change(i, 1, "‹")
		}
		lineStart = c == '\n' || c == '\r' || lineStart && (c == ' ' || c == '\t')
	}
	if b == nil {
		return text
	}
	return string(append(b, text[from:]...))
}

// isReserved tells whether an element name after "<" or "</" is reserved.
func isReserved(rest string) bool {
	rest = strings.TrimLeft(rest, "/ ")
	for _, name := range reserved {
		if len(rest) < len(name) || !strings.EqualFold(rest[:len(name)], name) {
			continue
		}
		if strings.HasSuffix(name, "-") || name == "|" || name == "antml" || len(rest) == len(name) {
			return true
		}
		switch rest[len(name)] {
		case '>', ' ', '\n', '\t', '\r', '/':
			return true
		}
	}
	return false
}

// opensTurn tells whether a line begins like a turn of a flat transcript:
// "Human:", "[USER]:", "**Assistant:**", "### System:". A lower-case word
// without brackets is left alone: it is a field of YAML far more often.
func opensTurn(line string) bool {
	i := 0
	for i < len(line) && i < 8 && strings.IndexByte("#*[ ", line[i]) >= 0 {
		i++
	}
	bare := i == 0
	word := line[i:]
	for _, role := range roles {
		if len(word) <= len(role) || !strings.EqualFold(word[:len(role)], role) {
			continue
		}
		if bare && word[0] >= 'a' {
			return false
		}
		rest := strings.TrimLeft(word[len(role):], "]* ")
		return strings.HasPrefix(rest, ":")
	}
	return false
}

// opensSection tells whether a line begins like a section of the block itself.
func opensSection(line string) bool { return strings.HasPrefix(line, sectionMark) }

// oneLine is quote for text that must stay within its line.
func oneLine(text string) string {
	return quote(strings.Join(strings.Fields(text), " "))
}
