package hook_test

import (
	"testing"

	"github.com/pith-memory/pith/hook"
)

// TestEncode has what each client takes of an answer that says all that can be
// said: Codex refuses a whole answer for one field that it does not know, and
// after Stop Claude Code takes a context for a reason to go on.
func TestEncode(t *testing.T) {
	full := hook.Output{Context: "c", Notice: "n", Instructions: "i"}
	context := func(name string) string {
		return `{"hookSpecificOutput":{"additionalContext":"c","hookEventName":"` + name + `"},"systemMessage":"n"}`
	}
	const notice = `{"systemMessage":"n"}`
	for event, want := range map[hook.Event][2]string{
		// Claude Code, Codex
		hook.SessionStart:       {context("SessionStart"), context("SessionStart")},
		hook.UserPromptSubmit:   {context("UserPromptSubmit"), context("UserPromptSubmit")},
		hook.PostToolUse:        {context("PostToolUse"), context("PostToolUse")},
		hook.PostToolUseFailure: {context("PostToolUseFailure"), ""},
		hook.PreCompact:         {"i", notice},
		hook.PostCompact:        {notice, notice},
		hook.SubagentStart:      {context("SubagentStart"), context("SubagentStart")},
		hook.SubagentStop:       {notice, notice},
		hook.Stop:               {notice, notice},
		hook.SessionEnd:         {"", ""},
		hook.SessionCompact:     {"", ""}, // there is no memory
	} {
		for i, client := range []hook.Client{hook.ClaudeCode, hook.Codex} {
			got, err := full.Encode(client, event)
			if err != nil || string(got) != want[i] {
				t.Errorf("%s %s: %s %v, want %s", client, event, got, err, want[i])
			}
			silent, err := new(hook.Output).Encode(client, event)
			if err != nil || len(silent) > 0 {
				t.Errorf("%s %s: an answer that says nothing is %s %v", client, event, silent, err)
			}
		}
	}
	memory := hook.Output{Memory: "m", Notice: "n", Answered: true}
	got, err := memory.Encode(hook.ClaudeCode, hook.SessionCompact)
	if err != nil || string(got) != `{"keep":[],"memory":"m","notice":"n"}` {
		t.Errorf("%s %v", got, err)
	}
}
