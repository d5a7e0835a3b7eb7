package hook_test

import (
	"testing"

	"github.com/pith-memory/pith/hook"
)

func TestAskedForACompactionAtOnce(t *testing.T) {
	d := newDesk(t)
	out := d.tell(d.c, hook.UserPromptSubmit, "", map[string]any{"prompt": "@compact"})
	if out.Notice != "pith: there is nothing to compact yet" || out.Context != "" {
		t.Errorf("the first words of a session: %+v", out)
	}
}

func TestAskedForACompaction(t *testing.T) {
	d := newDesk(t)
	begun(d)
	silent(t, d.tell(d.c, hook.UserPromptSubmit, "", nil))
	out := d.tell(d.c, hook.UserPromptSubmit, "", map[string]any{"prompt": "@compact-memory and go on"})
	holds(t, out.Notice, "pith kept checkpoint ", "/pith:compact or /compact")
	holds(t, out.Context, "the user asks for a compaction")
	silent(t, d.tell(d.c, hook.UserPromptSubmit, "", map[string]any{"prompt": "what does `@compact` do?"}))
	d.client = hook.Codex
	holds(t, d.tell(d.c, hook.UserPromptSubmit, "", map[string]any{"prompt": "@compact"}).Notice, "type /compact")
}
