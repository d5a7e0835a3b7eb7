package hook_test

import (
	"encoding/json"
	"fmt"
	"os"
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
	failure := map[string]any{"tool_name": "Bash", "error": "Exit code 3\nerror: entry 7 is not balanced"}
	for _, client := range []hook.Client{hook.ClaudeCode, hook.Codex} {
		t.Run(string(client), func(t *testing.T) {
			d := newDesk(t)
			d.client, d.window = client, 1_000_000
			event := hook.PostToolUseFailure
			if client == hook.Codex {
				event = hook.PostToolUse // it has no other, and its file says how it went
			}
			d.c.says("Make the check pass. Never touch legacy.go.")
			var told []int
			for i := 1; i <= 7; i++ {
				d.c.calls("Bash", map[string]any{"command": "./check all"}, "Exit code 3\nerror: entry 7 is not balanced", true)
				out := d.tell(d.c, event, "", failure)
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
			silent(t, d.tell(d.c, hook.PostToolUse, "", nil))
			for i := range 3 {
				d.c.calls("Bash", map[string]any{"command": "./check all"}, "Exit code 3\nerror: entry 7 is not balanced", true)
				if out := d.tell(d.c, event, "", failure); (out.Context != "") != (i == 2) {
					t.Errorf("at %d of another run: %q", i+1, out.Context)
				}
			}
		})
	}
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

// Claude Code sends its events before it writes the results.
func TestTheFileIsBehind(t *testing.T) {
	d := newDesk(t)
	d.window = 1_000_000
	d.c.says("Make the check pass. Never touch legacy.go.")
	fails := func(exit int) hook.Output {
		return d.tell(d.c, hook.PostToolUseFailure, "", map[string]any{"tool_name": "Bash", "error": fmt.Sprintf("Exit code %d\nerror: token=%s is refused", exit, secret)})
	}
	for _, exit := range []int{3, 4, 3, 3} {
		silent(t, fails(exit))
	}
	text := fails(3).Context
	holds(t, text, "the last 3 tool runs failed the same way (Bash: exit code 3)", "The last error", "is refused")
	lacks(t, text, secret)
	if err := os.Remove(d.c.transcript); err != nil {
		t.Fatal(err)
	}
	silent(t, d.tell(d.c, hook.PostToolUse, "", nil))
	silent(t, d.tell(d.c, hook.Stop, "", nil))
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
