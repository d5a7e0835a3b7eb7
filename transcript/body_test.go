package transcript

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// TestBodyForms reads request bodies in the forms in which logs keep them.
func TestBodyForms(t *testing.T) {
	const messages = `[{"role":"user","content":"Fix a.go"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}]`
	const body = `{"model":"claude-x","max_tokens":9,"messages":` + messages + `}`
	for name, c := range map[string]struct {
		text     string
		format   pith.Format
		messages int
	}{
		"plain":            {body, pith.FormatAnthropic, 2},
		"under body":       {`{"id":1,"body":` + body + `,"status":200}`, pith.FormatAnthropic, 2},
		"under request":    {`{"request":` + body + `}`, pith.FormatAnthropic, 2},
		"under both":       {"{\n \"request\": {\"body\": " + body + "}}", pith.FormatAnthropic, 2},
		"bare list":        {messages, pith.FormatAnthropic, 2},
		"line by line":     {`{"role":"user","content":"Fix a.go"}` + "\r\n\n" + `{"role":"tool","tool_call_id":"c","content":"x"}` + "\n", pith.FormatOpenAIChat, 2},
		"input as a text":  {`{"model":"gpt-x","input":"Fix a.go"}`, pith.FormatOpenAIResponses, 1},
		"request in a row": {`{"type":"user","sessionId":"s","message":{"role":"user","content":"Fix a.go"},"request":` + body + `}`, pith.FormatClaudeCode, 1},
	} {
		d, err := NewDecoder(strings.NewReader(c.text), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n := 0
		for _, err = d.Next(); err == nil; _, err = d.Next() {
			n++
		}
		if !errors.Is(err, io.EOF) || d.Header().Format != c.format || n != c.messages {
			t.Errorf("%s: %d messages of %s (%v), want %d of %s", name, n, d.Header().Format, err, c.messages, c.format)
		}
	}
}

// TestBracketsAreDetectedInLinearTime holds that a line made of openings is
// refused at once: the square of its length would run into the test's timeout.
func TestBracketsAreDetectedInLinearTime(t *testing.T) {
	for _, opening := range []string{`{"a":`, `[`, `{"body":`, `{"message":{"role":"user","content":[`} {
		if _, err := NewDecoder(strings.NewReader(strings.Repeat(opening, 400_000)), Options{}); pith.KindOf(err) != pith.KindInput {
			t.Errorf("%s...: %v", opening, err)
		}
	}
}

// TestRolloutThatBeginsWithACompaction holds that the words which a compaction
// kept are messages where the file has nothing before it.
func TestRolloutThatBeginsWithACompaction(t *testing.T) {
	const kept = `{"type":"compacted","payload":{"message":"","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Do it."}]}]}}`
	d, err := NewDecoder(strings.NewReader(kept+"\n"+kept), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for r, err := d.Next(); err == nil; r, err = d.Next() {
		if r.Message != nil {
			seen = append(seen, r.Message.Blocks[0].Text)
		} else {
			seen = append(seen, "boundary")
		}
	}
	if got := strings.Join(seen, ","); got != "Do it.,boundary,boundary" {
		t.Errorf("read %s", got)
	}
}
