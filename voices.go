package pith

import "strings"

// Voice is a part of a block's text and whose words it holds.
type Voice struct {
	Start, End int
	Origin     Provenance
	// Command is the slash command whose arguments these words are, or
	// ShellInput where the user ran them as a command of their own.
	Command string
}

// ShellInput marks words that the user ran in the client's shell mode.
const ShellInput = "!"

// harnessTags are the elements that clients put around text of their own
// inside a user block, at the beginning of a line. Their presence lowers a
// label; nothing raises one.
var harnessTags = [...]string{
	"system-reminder", "system_reminder", "local-command-stdout", "local-command-stderr", "local-command-caveat",
	"bash-stdout", "bash-stderr", "command-message", "command-name", "command-contents",
	"task-notification", "user-prompt-submit-hook", "session-context", "new-diagnostics", "total_tokens",
	"ide_opened_file", "ide_selection", "ide_diagnostics", "teammate-message", "fork-boilerplate",
	"environment_context", "environment_details", "turn_aborted", "subagent_notification", "user_instructions",
	"permissions", "INSTRUCTIONS", "collaboration_mode", "user_shell_command", "user_action",
	"skills_instructions", "plugins_instructions", "app-context", "skill", "tools-used-before-summary",
	"pith-memory",
}

// wordTags are the elements whose content the user did say.
var wordTags = [...]string{"command-args", "bash-input"}

// harnessOpenings are the beginnings of whole user blocks that no human typed.
var harnessOpenings = [...]string{
	"Caveat: The messages below were generated",
	"This session is being continued from a previous conversation",
	"Another language model started to solve this problem",
	"CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.",
	"You are performing a CONTEXT CHECKPOINT COMPACTION",
}

const (
	interruption = "[Request interrupted by user"
	// ideContext and ideRequest surround what an editor adds before a request.
	ideContext = "# Context from my IDE setup:"
	ideRequest = "## My request for Codex:"
)

// Voices tells whose words a block holds, part by part and in order: a user
// block may carry reminders, hook output and earlier summaries that the client
// put there. Blocks of any other origin have one voice.
func (b *Block) Voices() []Voice {
	whole := Voice{End: len(b.Text), Origin: b.Origin}
	if b.Kind == KindText && b.Origin < UserExplicit && strings.Contains(b.Text, RecordOpen) {
		return withoutRecords(b.Text, b.Origin)
	}
	if b.Kind != KindText || b.Origin != UserExplicit {
		return []Voice{whole}
	}
	start := len(b.Text) - len(strings.TrimLeft(b.Text, " \t\r\n"))
	trimmed := b.Text[start:]
	for i := range harnessOpenings {
		if strings.HasPrefix(trimmed, harnessOpenings[i]) {
			whole.Origin = Harness
			return []Voice{whole}
		}
	}
	s := voiceSplitter{text: b.Text}
	switch {
	case strings.HasPrefix(trimmed, "# AGENTS.md instructions"), strings.HasPrefix(trimmed, "# CLAUDE.md"):
		s.rulesFile(start)
	case strings.HasPrefix(trimmed, interruption):
		s.harness(lineEnd(b.Text, start))
	case strings.HasPrefix(trimmed, ideContext):
		if i := strings.Index(b.Text, ideRequest); i >= 0 {
			s.harness(i + len(ideRequest))
		}
	case !strings.Contains(trimmed, "<"):
		return []Voice{whole}
	}
	s.elements()
	return s.out
}

// A restored memory in a prompt is a record of many voices, not the words of
// who wrote the prompt.
const (
	// RecordOpen begins a restored memory.
	RecordOpen  = "<pith-memory "
	recordClose = "</pith-memory>"
)

// withoutRecords gives a prompt's words their origin, and the memories that
// stand in it the harness's.
func withoutRecords(text string, origin Provenance) []Voice {
	var out []Voice
	at := 0
	for at < len(text) {
		i := strings.Index(text[at:], RecordOpen)
		if i < 0 {
			break
		}
		if i > 0 {
			out = append(out, Voice{Start: at, End: at + i, Origin: origin})
		}
		start, end := at+i, len(text)
		if j := strings.Index(text[start:], recordClose); j >= 0 {
			end = start + j + len(recordClose)
		}
		out = append(out, Voice{Start: start, End: end, Origin: Harness})
		at = end
	}
	if at < len(text) {
		out = append(out, Voice{Start: at, End: len(text), Origin: origin})
	}
	return out
}

// voiceSplitter walks a user block once and cuts out what a client put there.
type voiceSplitter struct {
	text string
	// at is where the words begin that have no voice yet.
	at      int
	command string
	out     []Voice
	// unclosed holds a bit for each tag that no closing follows any more, so
	// that the text is searched for it once.
	unclosed uint64
}

// harness gives the text up to end to the client.
func (s *voiceSplitter) harness(end int) { s.give(end, Harness) }

func (s *voiceSplitter) give(end int, o Provenance) {
	if strings.TrimSpace(s.text[s.at:end]) != "" {
		s.out = append(s.out, Voice{Start: s.at, End: end, Origin: o})
	}
	s.at = end
}

// rulesFile gives the text to a rules file that the client sent as a message:
// up to the closing tag where there is one, else all of it.
func (s *voiceSplitter) rulesFile(start int) {
	end := len(s.text)
	const closing = "</INSTRUCTIONS>"
	if i := strings.Index(s.text[start:], closing); i >= 0 {
		end = start + i + len(closing)
	}
	s.give(end, PolicyFile)
}

// elements gives every harness element to the client and the rest to the user.
func (s *voiceSplitter) elements() {
	for i := s.at; i < len(s.text); {
		open := strings.IndexByte(s.text[i:], '<')
		if open < 0 {
			break
		}
		open += i
		e, ok := s.element(open)
		if !ok {
			i = open + 1
			continue
		}
		s.give(open, UserExplicit)
		s.take(e)
		i = e.end
	}
	s.give(len(s.text), UserExplicit)
}

// take gives an element its voice.
func (s *voiceSplitter) take(e element) {
	inner := s.text[e.body:e.close]
	switch e.name {
	case "command-args", "bash-input":
		command := s.command
		if e.name == "bash-input" {
			command = ShellInput
		}
		if strings.TrimSpace(inner) != "" {
			s.out = append(s.out, Voice{Start: e.body, End: e.close, Origin: UserExplicit, Command: command})
		}
		s.at = e.end
		return
	case "command-name":
		s.command = strings.TrimSpace(inner)
	case "system-reminder":
		s.rulesInReminder(e)
	}
	s.harness(e.end)
}

// rulesInReminder finds the rules files that Claude Code repeats in a
// reminder, each under "Contents of PATH (what it is):".
func (s *voiceSplitter) rulesInReminder(e element) {
	const head = "\nContents of /"
	if !introducesRules(s.text[e.body:e.close]) {
		return // the text of a file or a hook, which may say the same
	}
	for i := s.at; ; {
		at := strings.Index(s.text[i:e.close], head)
		if at < 0 {
			return
		}
		at += i + 1
		title := lineEnd(s.text[:e.close], at)
		i = title
		if !strings.HasSuffix(strings.TrimSpace(s.text[at:title]), "):") {
			continue
		}
		s.harness(at)
		end := e.close
		for _, next := range [...]string{head, "</" + e.name + ">", "\n# currentDate", "\n# gitStatus", "\n      IMPORTANT: this context"} {
			if j := strings.Index(s.text[title:end], next); j >= 0 {
				end = title + j
			}
		}
		s.give(end, PolicyFile)
		i = end
	}
}

// element is a harness element: text[body:close] is its content.
type element struct {
	name             string
	body, close, end int
}

// element reads a harness element that opens at text[open]. It must begin a
// line or follow another one, as clients write them, and be closed: a tag that
// a user only mentions is the user's word. One that opens the block and is
// never closed reaches to the end, since the client cut it.
func (s *voiceSplitter) element(open int) (element, bool) {
	if !s.beginsLine(open) {
		return element{}, false
	}
	name, bit := harnessTag(s.text[open+1:])
	if name == "" || s.unclosed&bit != 0 {
		return element{}, false
	}
	gt := strings.IndexByte(s.text[open:], '>')
	if gt < 0 {
		return element{}, false
	}
	e := element{name: name, body: open + gt + 1}
	first := strings.TrimSpace(s.text[:open]) == ""
	if e.closed(s.text, first) {
		return e, true
	}
	s.unclosed |= bit
	if !first {
		return element{}, false
	}
	e.close, e.end = len(s.text), len(s.text)
	return e, true
}

// beginsLine tells whether only white space stands between text[i] and the
// beginning of its line, or of the part that has no voice yet.
func (s *voiceSplitter) beginsLine(i int) bool {
	for i > s.at && (s.text[i-1] == ' ' || s.text[i-1] == '\t' || s.text[i-1] == '\r') {
		i--
	}
	return i == s.at || s.text[i-1] == '\n'
}

// harnessTag names the element that begins with rest, and gives each name a bit.
func harnessTag(rest string) (name string, bit uint64) {
	for i := range harnessTags {
		if tagged(rest, harnessTags[i]) {
			return harnessTags[i], 1 << i
		}
	}
	for i := range wordTags {
		if tagged(rest, wordTags[i]) {
			return wordTags[i], 1 << (len(harnessTags) + i)
		}
	}
	return "", 0
}

// tagged tells whether rest begins with the whole name.
func tagged(rest, name string) bool {
	if len(rest) <= len(name) || rest[:len(name)] != name {
		return false
	}
	c := rest[len(name)]
	return c == '>' || c == ' ' || c == '\n'
}

// lineEnd is where the line that holds text[at] ends.
func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}
