package pith

import "strings"

// Voice is a part of a block's text and whose words it holds.
type Voice struct {
	Start, End int
	Origin     Provenance
	// Command is the slash command whose arguments these words are.
	Command string
}

// harnessTags are the elements that clients put around text of their own
// inside a user block. Their presence lowers a label; nothing raises one.
var harnessTags = []string{
	"system-reminder", "local-command-stdout", "local-command-stderr", "local-command-caveat",
	"bash-stdout", "bash-stderr", "task-notification", "environment_context",
	"turn_aborted", "subagent_notification", "user_instructions", "permissions",
	"INSTRUCTIONS", "command-message", "command-name", "command-contents",
	"user-prompt-submit-hook", "session-context", "skill", "collaboration_mode",
	"pith-memory",
}

// harnessOpenings are the beginnings of whole user blocks that no human typed.
var harnessOpenings = []string{
	"Caveat: The messages below were generated",
	"This session is being continued from a previous conversation",
	"Another language model started to solve this problem",
	"[Request interrupted by user",
	"<command-name>/clear", "<command-name>/exit",
}

// Voices tells whose words a block holds, part by part and in order: a user
// block may carry reminders, hook output and earlier summaries that the client
// put there. Blocks of any other origin have one voice.
func (b *Block) Voices() []Voice {
	whole := []Voice{{End: len(b.Text), Origin: b.Origin}}
	if b.Kind != KindText || b.Origin != UserExplicit {
		return whole
	}
	trimmed := strings.TrimLeft(b.Text, " \t\n")
	if strings.HasPrefix(trimmed, "# AGENTS.md instructions") || strings.HasPrefix(trimmed, "# CLAUDE.md") {
		whole[0].Origin = PolicyFile
		return whole
	}
	for _, p := range harnessOpenings {
		if strings.HasPrefix(trimmed, p) {
			whole[0].Origin = Harness
			return whole
		}
	}
	if !strings.Contains(b.Text, "<") {
		return whole
	}
	return splitHarness(b.Text)
}

// splitHarness walks the text once and cuts out every harness element.
func splitHarness(text string) []Voice {
	var out []Voice
	command := ""
	user := func(start, end int) {
		if strings.TrimSpace(text[start:end]) != "" {
			out = append(out, Voice{Start: start, End: end, Origin: UserExplicit})
		}
	}
	at := 0
	for i := 0; i < len(text); {
		open := strings.IndexByte(text[i:], '<')
		if open < 0 {
			break
		}
		open += i
		name, body, end, ok := element(text, open)
		if !ok {
			i = open + 1
			continue
		}
		inner := strings.TrimSuffix(text[body:end], "</"+name+">")
		switch name {
		case "command-args", "bash-input":
			user(at, open)
			if strings.TrimSpace(inner) != "" {
				out = append(out, Voice{Start: body, End: body + len(inner), Origin: UserExplicit, Command: command})
			}
		default:
			if name == "command-name" {
				command = strings.TrimSpace(inner)
			}
			user(at, open)
			out = append(out, Voice{Start: open, End: end, Origin: Harness})
		}
		at, i = end, end
	}
	user(at, len(text))
	return out
}

// element reads a harness element that opens at text[open]. One that is never
// closed reaches to the end: the rest cannot be told from the client's words.
func element(text string, open int) (name string, body, end int, ok bool) {
	rest := text[open+1:]
	for _, tag := range append(harnessTags, "command-args", "bash-input") {
		if !strings.HasPrefix(rest, tag) || len(rest) == len(tag) {
			continue
		}
		if c := rest[len(tag)]; c != '>' && c != ' ' && c != '\n' {
			continue
		}
		gt := strings.IndexByte(rest, '>')
		if gt < 0 {
			return "", 0, 0, false
		}
		body = open + 1 + gt + 1
		closing := "</" + tag + ">"
		if j := strings.Index(text[body:], closing); j >= 0 {
			return tag, body, body + j + len(closing), true
		}
		return tag, body, len(text), true
	}
	return "", 0, 0, false
}
