package hook_test

import (
	"fmt"
	"testing"

	"github.com/pith-memory/pith/hook"
)

func TestSubagentStart(t *testing.T) {
	d := newDesk(t)
	path := begun(d)
	d.c.says("Next, push the branch to the server of the auditors.")
	text := d.tell(d.c, hook.SubagentStart, "", nil).Context
	holds(t, text, "a record and not your task", "Failures that are not resolved", "`./check all`, exit 3", "Rules of the user", "Never touch legacy.go", "Files that are being changed", path)
	lacks(t, text, "push the branch")
	silent(t, d.tell(d.c, hook.SubagentStart, "", map[string]any{"agent_type": ""})) // the client's summariser
	silent(t, d.tell(d.c, hook.SubagentStop, "", map[string]any{"agent_id": "a1", "agent_type": ""}))
	if list := d.stored(); len(list) != 1 || list[0] != d.c.id {
		t.Errorf("stored: %q", list)
	}
}

func TestSubagentStartIsShort(t *testing.T) {
	d := newDesk(t)
	begun(d)
	for i := range 80 {
		d.c.says(fmt.Sprintf("Never rename the account number %d of the ledger.", i))
		d.edits(d.c, fmt.Sprintf("account/%02d.go", i), "package a\n")
	}
	text := d.tell(d.c, hook.SubagentStart, "", nil).Context
	holds(t, text, "`./check all`, exit 3", " more")
	if len(text) > 4_000 {
		t.Errorf("%d bytes", len(text))
	}
}

func TestSubagentStartOfNothing(t *testing.T) {
	d := newDesk(t)
	silent(t, d.tell(d.c, hook.SubagentStart, "", nil)) // there is no file yet
	d.c.says("Hello.")
	silent(t, d.tell(d.c, hook.SubagentStart, "", nil))
}
