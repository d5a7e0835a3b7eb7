package hook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/pith-memory/pith/hook"
	"github.com/pith-memory/pith/restore"
)

// begun is a session with a rule, a file and a check that fails.
func begun(d *desk) string {
	d.c.says("Rename the ledger " + d.c.mark + " in every package.\n\n- Never touch legacy.go, the auditors read it.")
	path := d.edits(d.c, "book.go", "package book\n")
	d.c.calls("Bash", map[string]any{"command": "./check all"}, "Exit code 3\nerror: entry 7 is not balanced", true)
	d.c.answers(map[string]any{"type": "text", "text": "The check fails still."})
	return path
}

func TestRestoreBehindASummary(t *testing.T) {
	for _, prepared := range []bool{true, false} {
		t.Run(fmt.Sprintf("pre-compact was sent: %v", prepared), func(t *testing.T) {
			d := newDesk(t)
			path := begun(d)
			if prepared {
				d.tell(d.c, hook.PreCompact, "auto", nil)
			}
			d.c.compacts("auto")
			text := d.tell(d.c, hook.SessionStart, "compact", nil).Context
			if _, _, err := restore.ParseBlock(text); err != nil {
				t.Fatalf("%v:\n%s", err, text)
			}
			holds(t, text, "Rename the ledger", "Never touch legacy.go, the auditors read it.", path, "./check all", "exit 3", "entry 7 is not balanced")
			d.later()
			silent(t, d.tell(d.c, hook.UserPromptSubmit, "", nil))
		})
	}
}

func TestRestoreSeesTheDisk(t *testing.T) {
	d := newDesk(t)
	path := begun(d)
	d.tell(d.c, hook.PreCompact, "manual", nil)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	text := d.tell(d.c, hook.SessionStart, "compact", nil).Context
	holds(t, text, "Changed since:", "book.go (absent)")
}

// A block that Claude Code would cut is no block.
func TestRestoreArrivesWhole(t *testing.T) {
	d := newDesk(t)
	begun(d)
	for i := range 40 {
		d.c.says(fmt.Sprintf("Now part %d. Never rename 帳簿%d, and 😀 stays. %s", i, i, strings.Repeat("It is about the books of the year. ", 12)))
		d.edits(d.c, fmt.Sprintf("some/long/folder/name/of/the/ledger/part_%03d.go", i), "package part\n")
	}
	d.tell(d.c, hook.PreCompact, "auto", nil)
	text := d.tell(d.c, hook.SessionStart, "compact", nil).Context
	if n := len(utf16.Encode([]rune(text))); n > 10_000 || n < 5_000 {
		t.Errorf("%d units", n)
	}
	holds(t, text, "Never touch legacy.go", "part_039.go")
	d.client, d.c = hook.Codex, d.session("5e56", "ledger", "birch")
	begun(d)
	holds(t, d.tell(d.c, hook.SessionStart, "compact", nil).Context, "Never touch legacy.go")
}

// What can be dropped no further is told in lines, still whole.
func TestRestoreOfTooMuch(t *testing.T) {
	d := newDesk(t)
	var rules strings.Builder
	for i := range 120 {
		fmt.Fprintf(&rules, "- Never touch the file number %d, whatever it takes: %s\n", i, strings.Repeat("really not ", 12))
	}
	d.c.says("Rename the ledger.\n\n" + rules.String())
	d.edits(d.c, "book.go", "package book\n")
	text := d.tell(d.c, hook.SessionStart, "compact", nil).Context
	if n := len(utf16.Encode([]rune(text))); n > 10_000 {
		t.Errorf("%d units", n)
	}
	holds(t, text, "Never touch the file number 0", "book.go")
}

func TestNothingWherePithsMemoryIs(t *testing.T) {
	d := newDesk(t)
	begun(d)
	if out := d.tell(d.c, hook.SessionCompact, "auto", nil); !out.Answered {
		t.Fatal("no memory")
	}
	silent(t, d.tell(d.c, hook.SessionStart, "compact", nil))
	silent(t, d.tell(d.c, hook.PostCompact, "auto", map[string]any{"compact_summary": "<pith-memory ..."}))
	s := d.hooks().Status(d.c.id)
	if s.Compactions != 1 || s.By != "pith" || s.Kept != s.Known || s.Known == 0 {
		t.Errorf("%+v", s)
	}
	d.later()
	// The next time the client lets pith's memory go and makes a summary.
	d.tell(d.c, hook.SessionCompact, "auto", nil)
	d.tell(d.c, hook.PreCompact, "auto", nil)
	holds(t, d.tell(d.c, hook.SessionStart, "compact", nil).Context, "<pith-memory", "Never touch legacy.go")
	if s := d.hooks().Status(d.c.id); s.Compactions != 2 || s.By != "client" {
		t.Errorf("%+v", s)
	}
}

func TestResume(t *testing.T) {
	for _, source := range []string{"resume", "fork", ""} {
		t.Run(source, func(t *testing.T) {
			d := newDesk(t)
			path := begun(d)
			silent(t, d.tell(d.c, hook.SessionStart, source, nil)) // no checkpoint yet
			d.tell(d.c, hook.SessionEnd, "", nil)
			d.later()
			put(t, path, "package other\n")
			text := d.tell(d.c, hook.SessionStart, source, nil).Context
			holds(t, text, "Changed on disk", "book.go (changed)", "Unresolved failures", "`./check all`, exit 3: error: entry 7 is not balanced")
			lacks(t, text, "<pith-memory", "Never touch")
			if len(text) > 3_000 {
				t.Errorf("%d bytes", len(text))
			}
			d.owner = "bob"
			silent(t, d.tell(d.c, hook.SessionStart, source, nil))
		})
	}
}

func TestOffer(t *testing.T) {
	for _, source := range []string{"startup", "clear"} {
		t.Run(source, func(t *testing.T) {
			d := newDesk(t)
			begun(d)
			silent(t, d.tell(d.c, hook.SessionStart, source, nil)) // nothing was kept
			d.tell(d.c, hook.SessionEnd, "", nil)
			d.later()
			text := d.tell(d.c, hook.SessionStart, source, nil).Context
			holds(t, text, "earlier work", "It is a record, not a request: what the user asks now decides", "nothing in it is started without that", "offered and not started", "Rename the ledger", "still in force", "Never touch legacy.go")
			lacks(t, text, "§ Next action", "Work continues")
			if len(text) > 6_000 {
				t.Errorf("%d bytes", len(text))
			}
			elsewhere := d.session("5e57", "other", "birch")
			silent(t, d.tell(elsewhere, hook.SessionStart, source, nil))
			// in a folder that only begins like it, and for somebody else
			silent(t, d.tell(d.session("5e58", "ledger two", "birch"), hook.SessionStart, source, nil))
			d.owner = "bob"
			silent(t, d.tell(d.c, hook.SessionStart, source, nil))
			d.owner = "ada"
			silent(t, d.tell(d.c, hook.SessionStart, source, map[string]any{"cwd": ""}))
			d.now = d.now.Add(15 * 24 * time.Hour)
			silent(t, d.tell(d.c, hook.SessionStart, source, nil))
		})
	}
}

// A question that was answered is nothing to go on with: what was done before it
// is offered, where there is any.
func TestOfferOfWork(t *testing.T) {
	d := newDesk(t)
	asks := func() {
		other := d.session("0ff3", filepath.Base(d.c.folder), "elm")
		other.says("What is a ledger?")
		other.answers(map[string]any{"type": "text", "text": "A book of accounts."})
		d.tell(other, hook.SessionEnd, "", nil)
		d.later()
	}
	next := d.session("0ff4", filepath.Base(d.c.folder), "oak")
	asks()
	silent(t, d.tell(next, hook.SessionStart, "clear", nil))
	begun(d)
	d.tell(d.c, hook.SessionEnd, "", nil)
	d.later()
	asks()
	holds(t, d.tell(next, hook.SessionStart, "clear", nil).Context, "earlier work", "Rename the ledger")
}

// Long work is offered in a few lines.
func TestOfferIsSmall(t *testing.T) {
	d := newDesk(t)
	begun(d)
	for i := range 60 {
		d.c.says(fmt.Sprintf("Never rename the account number %d of the ledger, and go on with it.", i))
		d.edits(d.c, filepath.Join("a", "long", "folder", fmt.Sprintf("account_%d.go", i)), "package a\n")
	}
	d.tell(d.c, hook.SessionEnd, "", nil)
	text := d.tell(d.c, hook.SessionStart, "startup", nil).Context
	holds(t, text, "not a request", "Rename the ledger", "Never touch legacy.go")
	if len(text) > 4_100 {
		t.Errorf("%d bytes", len(text))
	}
}
