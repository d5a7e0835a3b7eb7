package hook_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/pith-memory/pith/hook"
)

// uses has the model answer with a context of so many tokens.
func (c *client) uses(tokens int) {
	c.turns++
	c.row("assistant", map[string]any{"message": map[string]any{
		"id": fmt.Sprintf("msg_%s_%d", c.mark, c.turns), "type": "message", "role": "assistant", "model": "claude-opus-5-5",
		"content": []any{map[string]any{"type": "text", "text": "Going on."}}, "usage": map[string]any{"input_tokens": tokens, "output_tokens": 1},
	}})
}

func TestItFillsUp(t *testing.T) {
	d := newDesk(t)
	d.window = 100_000
	d.c.says("Rename the ledger. Never touch legacy.go.")
	told := 0
	for _, step := range []struct {
		tokens int
		want   string
	}{
		{30_000, ""},
		{59_000, ""},
		{60_200, "60 % of 100k tokens"}, // once
		{62_000, ""},
		{71_000, ""},
		{85_000, ""},
		{12_000, ""}, // it was compacted
		{40_000, ""},
		{72_000, "72 % of 100k tokens"}, // from far below to far above
		{73_000, ""},
	} {
		d.c.uses(step.tokens)
		out := d.tell(d.c, hook.PostToolUse, "", nil)
		if step.want == "" {
			silent(t, out)
			continue
		}
		told++
		holds(t, out.Context, step.want, "will be compacted", "`recall`")
		if len(out.Context) > 600 {
			t.Errorf("%d bytes", len(out.Context))
		}
	}
	s := d.hooks().Status(d.c.id)
	if told != 2 || s.Used < 73_000 || s.Window != 100_000 {
		t.Errorf("told %d times, %+v", told, s)
	}
}

func TestItFailsAgainAndAgain(t *testing.T) {
	d := newDesk(t)
	d.window = 1_000_000
	d.c.says("Make the check pass. Never touch legacy.go.")
	var told []int
	for i := 1; i <= 7; i++ {
		d.c.calls("Bash", map[string]any{"command": "./check all"}, "Exit code 3\nerror: entry 7 is not balanced", true)
		event := []hook.Event{hook.PostToolUse, hook.PostToolUseFailure}[i%2]
		out := d.tell(d.c, event, "", map[string]any{"error": "Exit code 3", "tool_use_id": ""})
		if out.Context == "" {
			continue
		}
		told = append(told, i)
		holds(t, out.Context, fmt.Sprintf("the last %d tool runs failed the same way", i), "`./check all`, exit 3: error: entry 7 is not balanced", "Never touch legacy.go", "Look for the cause first")
		if len(d.stored()) == 0 {
			t.Error("no checkpoint was kept")
		}
	}
	if fmt.Sprint(told) != "[3 6]" {
		t.Errorf("it is told at %v", told)
	}
	d.c.calls("Bash", map[string]any{"command": "ls"}, "book.go", false)
	silent(t, d.tell(d.c, hook.PostToolUse, "", map[string]any{"tool_use_id": ""}))
	for range 3 {
		d.c.calls("Bash", map[string]any{"command": "./other"}, "Exit code 4\nno", true)
	}
	holds(t, d.tell(d.c, hook.PostToolUse, "", map[string]any{"tool_use_id": ""}).Context, "the last 3 tool runs")
}

func TestStopKeepsNowAndThen(t *testing.T) {
	d := newDesk(t)
	d.window = 1_000_000
	d.c.says("Rename the ledger. Never touch legacy.go.")
	kept := []int{}
	for i := 1; i <= 12; i++ {
		d.c.uses(10_000 + i)
		out := d.tell(d.c, hook.Stop, "", map[string]any{"stop_hook_active": i%2 == 0})
		silent(t, out)
		if n := len(d.stored()); n > len(kept) {
			kept = append(kept, i)
		}
	}
	if fmt.Sprint(kept) != "[5 10]" {
		t.Errorf("kept at %v", kept)
	}
	silent(t, d.tell(d.c, hook.SessionEnd, "", map[string]any{"reason": "other"}))
	if n := len(d.stored()); n != 3 {
		t.Errorf("%d checkpoints", n)
	}
	d.tell(d.session("none", "ledger", "birch"), hook.SessionEnd, "", nil) // a session without a word
}

// Claude Code sends the event before it writes the result.
func TestTheFileIsBehind(t *testing.T) {
	d := newDesk(t)
	d.window = 1_000_000
	d.c.says("Make the check pass. Never touch legacy.go.")
	fails := func(id string) hook.Output {
		return d.tell(d.c, hook.PostToolUseFailure, "", map[string]any{"tool_name": "Bash", "tool_use_id": id, "error": "Exit code 3\nerror: token=" + secret + " is refused"})
	}
	for range 2 {
		silent(t, fails("toolu_new"))
		d.c.calls("Bash", map[string]any{"command": "./check all"}, "Exit code 3\nerror: refused", true)
	}
	text := fails("toolu_new").Context
	holds(t, text, "the last 3 tool runs failed the same way (Bash: exit code 3)", "The last error", "is refused")
	lacks(t, text, secret)
	d.c.calls("Bash", map[string]any{"command": "./check all"}, "Exit code 3\nerror: refused", true)
	silent(t, d.tell(d.c, hook.PostToolUse, "", map[string]any{"tool_use_id": "toolu_newer"})) // this one went well
}

// secret is made up.
const secret = "ghp_" + "x7Kq2mVt9LzR4cWn8YbD1sJf6HgP3aQe5UoT"

// Whatever happens, no answer blocks, stops or repeats anything.
func TestNoAnswerBlocks(t *testing.T) {
	allowed := map[string]bool{"hookSpecificOutput": true, "systemMessage": true, "hookEventName": true, "additionalContext": true, "memory": true, "keep": true, "notice": true}
	full := hook.Output{Context: "c", Notice: "n", Instructions: "i", Memory: "m", Answered: true}
	for _, client := range hook.Clients() {
		for _, event := range events {
			data, err := full.Encode(client, event)
			if err != nil {
				t.Fatal(err)
			}
			if event == hook.PreCompact && client == hook.ClaudeCode {
				continue // plain text
			}
			var fields map[string]json.RawMessage
			if len(data) > 0 {
				if err := json.Unmarshal(data, &fields); err != nil {
					t.Fatalf("%s %s: %v", client, event, err)
				}
			}
			for name := range fields {
				if !allowed[name] {
					t.Errorf("%s %s: %s", client, event, name)
				}
			}
		}
	}
}

var events = []hook.Event{
	hook.SessionStart, hook.UserPromptSubmit, hook.PostToolUse, hook.PostToolUseFailure, hook.PreCompact, hook.PostCompact,
	hook.SubagentStart, hook.SubagentStop, hook.Stop, hook.SessionEnd, hook.SessionCompact,
}
