package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith/hook"
)

func summary(text string) map[string]any {
	return map[string]any{"compact_summary": "<analysis>\nIt went on.\n</analysis>\n\n<summary>\n" + text + "\n</summary>"}
}

func TestWhatASummaryLost(t *testing.T) {
	d := newDesk(t)
	path := begun(d)
	other := d.edits(d.c, "sub/page.go", "package page\n")
	d.tell(d.c, hook.PreCompact, "auto", nil)
	// The rule is told in other words, one file by its name alone, the check without its exit code.
	out := d.tell(d.c, hook.PostCompact, "auto", summary("1. Rename the ledger.\n- legacy.go should be left alone.\n- Edited `sub/page.go` and book.go.txt\n- ./check all fails."))
	holds(t, out.Notice, "pith: the summary kept 1 of ", "what it lost goes into the next request")
	if out.Context != "" {
		t.Errorf("a context that nobody reads: %s", out.Context)
	}
	s := d.hooks().Status(d.c.id)
	if s.Kept != 1 || s.Known < 4 || s.By != "client" {
		t.Errorf("%+v", s)
	}
	silentRecord(t, d)
	d.later()
	text := d.tell(d.c, hook.UserPromptSubmit, "", nil).Context
	holds(t, text, "a record and not a request", "Never touch legacy.go, the auditors read it.", "`./check all`, exit 3: error: entry 7 is not balanced", path)
	lacks(t, text, other)
	silent(t, d.tell(d.c, hook.UserPromptSubmit, "", nil)) // it is told once
}

// silentRecord holds that a record has figures and references alone.
func silentRecord(t *testing.T, d *desk) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(d.data, "hooks", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no record", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		lacks(t, string(data), "legacy", "book.go", "check all", "balanced", "Rename")
	}
}

func TestASummaryThatLostNothing(t *testing.T) {
	d := newDesk(t)
	path := begun(d)
	d.tell(d.c, hook.PreCompact, "auto", nil)
	out := d.tell(d.c, hook.PostCompact, "auto", summary("Goal: Rename the ledger amberly in every package.\n**Never touch `legacy.go`, the auditors read it.**\nFiles: "+path+".\nErrors: ./check all exited with 3.\nNext: "+strings.Repeat("the user's next message decides ", 1)))
	if s := d.hooks().Status(d.c.id); s.Kept != s.Known || s.Known == 0 {
		t.Errorf("%+v %s", s, out.Notice)
	}
	silent(t, out)
	d.later()
	silent(t, d.tell(d.c, hook.PostToolUse, "", nil))
}

// What the block behind the summary gives back is not told again, in whatever
// order a client sends its events.
func TestTheBlockPaysWhatIsOwed(t *testing.T) {
	for _, order := range [][]hook.Event{{hook.SessionStart, hook.PostCompact}, {hook.PostCompact, hook.SessionStart}} {
		t.Run(string(order[0])+" first", func(t *testing.T) {
			d := newDesk(t)
			begun(d)
			d.tell(d.c, hook.PreCompact, "auto", nil)
			d.c.compacts("auto")
			notice := ""
			for _, e := range order {
				if e == hook.PostCompact {
					notice = d.tell(d.c, e, "auto", summary("Something was done.")).Notice
				} else {
					holds(t, d.tell(d.c, e, "compact", nil).Context, "Never touch legacy.go")
				}
			}
			holds(t, notice, "pith: the summary kept 0 of ")
			s := d.hooks().Status(d.c.id)
			if s.Kept != s.Known || s.Known == 0 || s.Compactions != 1 {
				t.Errorf("%+v", s)
			}
			d.later()
			silent(t, d.tell(d.c, hook.UserPromptSubmit, "", nil))
		})
	}
}

// A host that sends nothing but the summary.
func TestALoneSummary(t *testing.T) {
	d := newDesk(t)
	begun(d)
	holds(t, d.tell(d.c, hook.PostCompact, "", summary("Something.")).Notice, "kept 0 of")
	d.later()
	holds(t, d.tell(d.c, hook.PostToolUse, "", nil).Context, "Never touch legacy.go")
	d.client = hook.Codex
	silent(t, d.tell(d.c, hook.PostCompact, "auto", map[string]any{"compact_summary": nil}))
}
