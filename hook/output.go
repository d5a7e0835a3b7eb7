package hook

import (
	"encoding/json"
	"strings"
	"unicode/utf16"
)

// Output is the answer to an event. The zero Output says nothing and changes
// nothing.
type Output struct {
	// Context is told to the model.
	Context string
	// Notice is told to the person.
	Notice string
	// Instructions are added to the request for the client's own summary.
	Instructions string
	// Memory takes the place of the history, and of its last messages those
	// with these handles stay. Answered is set where there is one.
	Memory   string
	Keep     []string
	Answered bool
	// Waits is set where the next step is the user's: a client that would go on
	// by itself after a compaction does not.
	Waits bool
}

// claudeLimit is the longest text that Claude Code gives on whole: of a longer
// one (additionalContext, systemMessage, the output of PreCompact) the model
// gets the first lines and the name of a file. Seen with 2.1.197 and 2.1.332:
// 10,000 arrive, 10,001 do not. Units: UTF-16 code units, as JavaScript counts.
//
// Codex has a limit of about 2,500 tokens that each hook's own settings switch
// off (additionalContextLimit), as those that pith installs do.
const claudeLimit = 10_000

// limit is how long a text to a client's model may be. Units: UTF-16 code units.
func (c Client) limit() int {
	if c == ClaudeCode {
		return claudeLimit
	}
	return 1 << 20
}

// units is the length of a text as JavaScript counts it.
func units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// clientName is an event by the name that clients expect in an answer.
func clientName(e Event) string {
	var b strings.Builder
	for part := range strings.SplitSeq(string(e), "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// takesContext tells whether a client gives the context of an answer to the
// model, and goes on as it would have: after Stop and SubagentStop Claude Code
// takes one for a reason not to stop, and Codex refuses the whole answer.
func takesContext(client Client, event Event) bool {
	switch event {
	case SessionStart, UserPromptSubmit, PostToolUse, SubagentStart:
		return true
	case PostToolUseFailure:
		return client != Codex // which has no such event
	}
	return false
}

// takesNotice tells whether a client shows the notice of an answer.
func takesNotice(client Client, event Event) bool {
	switch event {
	case SessionEnd:
		return false // its answer is read by nobody
	case PreCompact:
		return client != ClaudeCode // all that it prints goes to the summariser
	case PostToolUseFailure:
		return client != Codex
	}
	return true
}

// Encode writes an answer as the client takes it, nil where there is nothing to
// say. It has no field that would stop, block or repeat anything, and none that
// a client does not know: Codex refuses an answer for one.
func (o *Output) Encode(client Client, event Event) ([]byte, error) {
	switch {
	case event == SessionCompact:
		if !o.Answered {
			return nil, nil
		}
		return json.Marshal(replacement{append([]string{}, o.Keep...), o.Memory, o.Notice, o.Waits && client == OpenCode})
	case event == PreCompact && client == ClaudeCode:
		// Its standard output is what the client adds to the request.
		return []byte(o.Instructions), nil
	}
	var answer eventAnswer
	if o.Context != "" && takesContext(client, event) {
		answer.Specific = &addedContext{o.Context, clientName(event)}
	}
	if o.Notice != "" && takesNotice(client, event) {
		answer.Notice = o.Notice
	}
	if answer == (eventAnswer{}) {
		return nil, nil
	}
	return json.Marshal(answer)
}

// replacement is what a plugin that asked for a compaction is given.
type replacement struct {
	Keep   []string `json:"keep"`
	Memory string   `json:"memory"`
	Notice string   `json:"notice"`
	Waits  bool     `json:"waits,omitempty"`
}

// eventAnswer is what a client's own hook is given: no field that is not needed.
type eventAnswer struct {
	Specific *addedContext `json:"hookSpecificOutput,omitempty"`
	Notice   string        `json:"systemMessage,omitempty"`
}

type addedContext struct {
	Context string `json:"additionalContext"`
	Event   string `json:"hookEventName"`
}
