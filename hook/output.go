package hook

import (
	"encoding/json"
	"strings"
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
}

// clientNames are the events by the names that clients expect in an answer.
func clientName(e Event) string {
	var b strings.Builder
	for part := range strings.SplitSeq(string(e), "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// Encode writes an answer as the client takes it, nil where there is nothing to
// say.
func (o *Output) Encode(client Client, event Event) ([]byte, error) {
	switch {
	case event == SessionCompact:
		if !o.Answered {
			return nil, nil
		}
		keep := o.Keep
		if keep == nil {
			keep = []string{}
		}
		return json.Marshal(map[string]any{"memory": o.Memory, "keep": keep, "notice": o.Notice})
	case event == PreCompact && client == ClaudeCode:
		// Its standard output is what the client adds to the request.
		return []byte(o.Instructions), nil
	}
	answer := map[string]any{}
	if o.Context != "" {
		answer["hookSpecificOutput"] = map[string]string{"hookEventName": clientName(event), "additionalContext": o.Context}
	}
	if o.Notice != "" {
		answer["systemMessage"] = o.Notice
	}
	if len(answer) == 0 {
		return nil, nil
	}
	return json.Marshal(answer)
}
