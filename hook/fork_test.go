package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/pith-memory/pith/hook"
)

// fork is what Claude Code 2.1.332 makes of a session that pith compacted: a
// file of its own that begins with the boundary and the memory.
func (c *client) fork(home, id, mark, memory string) *client {
	f := newClient(home, id, c.folder, mark)
	f.row("system", map[string]any{
		"subtype": "compact_boundary", "content": "Conversation compacted",
		"compactMetadata": map[string]any{"trigger": "auto", "preTokens": 80290, "postTokens": 2898},
	})
	f.row("user", map[string]any{"rowSource": "hook", "message": map[string]any{"role": "user", "content": memory}})
	return f
}

func asks(t *testing.T, h *hook.Hooks, c *client, event hook.Event) hook.Output {
	t.Helper()
	in, err := json.Marshal(c.input(event, "auto"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.Run(context.Background(), hook.ClaudeCode, event, bytes.NewReader(in))
	if err != nil {
		t.Error(err)
	}
	return out
}

// TestForkGoesOn: a fork knows what the session knew that it was made of, has
// a chain of its own, and leaves the other one as it is.
func TestForkGoesOn(t *testing.T) {
	for kind := range stores {
		t.Run(kind, func(t *testing.T) {
			b, c := place(t, kind)
			c.reads()
			memory := asks(t, b.hooks("ada"), c, hook.SessionCompact).Memory
			holds(t, memory, c.wants()...)
			f := c.fork(filepath.Join(filepath.Dir(b.data), "claude"), "fork-1", "forked", memory)
			f.says("Look at the other half too. Never rename forked/keep.go.")
			f.reads()
			forked := asks(t, b.hooks("ada"), f, hook.SessionCompact).Memory
			holds(t, forked, append(c.wants(), "Never rename forked/keep.go")...)

			states := b.states(f.id)
			if len(states) != 2 || states[0].Checkpoint.ParentID != nil || *states[1].Checkpoint.ParentID != states[0].Checkpoint.ID {
				t.Fatalf("the fork has %d checkpoints", len(states))
			}
			if states[1].Goal.Text != states[0].Goal.Text || states[1].Checkpoint.SessionID != f.id {
				t.Errorf("the fork's goal is %q, its session %s", states[1].Goal.Text, states[1].Checkpoint.SessionID)
			}
			if n := len(b.states(c.id)); n != 1 {
				t.Errorf("the session that was forked has %d checkpoints", n)
			}
			if text := b.problems(); text != "" {
				t.Errorf("the problems are %q", text)
			}

			f.round(seeded(3))
			f.reads()
			holds(t, asks(t, b.hooks("ada"), f, hook.SessionCompact).Memory, c.wants()[:2]...)
		})
	}
}

// TestForkOfAnother: the memory of another account's session is text, and no
// more is taken from the store for it.
func TestForkOfAnother(t *testing.T) {
	b, c := place(t, "file")
	c.reads()
	memory := asks(t, b.hooks("ada"), c, hook.SessionCompact).Memory
	f := c.fork(filepath.Join(filepath.Dir(b.data), "claude"), "fork-1", "forked", memory)
	f.says("Look at the other half.")
	f.reads()
	asks(t, b.hooks("eve"), f, hook.PreCompact)
	store, done, err := stores[b.kind](context.Background(), b.data)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	saved, err := store.Latest(context.Background(), f.id)
	if err != nil {
		t.Fatal(err)
	}
	if p := saved.State.Checkpoint; p.ParentID != nil || len(saved.State.Constraints) != 0 {
		t.Errorf("another account's fork holds %+v", saved.State.Constraints)
	}
}
