package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith/hook"
)

// TestRowsThatComeLate: the client writes the last rows of its file some time
// after it asked for the compaction.
func TestRowsThatComeLate(t *testing.T) {
	for _, event := range []hook.Event{hook.SessionCompact, hook.PreCompact} {
		b, c := place(t, "file")
		for range 4 {
			c.round(seeded(3))
		}
		c.calls("Bash", map[string]any{"command": "./late-" + c.mark}, "the late result", false)
		data, err := os.ReadFile(c.transcript)
		if err != nil {
			t.Fatal(err)
		}
		rows := strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
		_, id, _ := strings.Cut(rows[len(rows)-1], `"tool_use_id":"`)
		id, _, _ = strings.Cut(id, `"`)
		put(t, c.transcript, strings.Join(rows[:len(rows)-1], ""))
		in := with(c.input(event, "auto"), "messages", []map[string]any{{"handle": "h1", "role": "user", "chars": 90_000, "results": []string{id}}})
		written := time.AfterFunc(40*time.Millisecond, func() { put(t, c.transcript, string(data)) })
		out, err := b.inProcess(c, event, in, "")
		written.Stop()
		if err != nil {
			t.Fatal(err)
		}
		if text := out.Memory + out.Instructions; text == "" || strings.Contains(text, "has no result") || strings.Contains(text, "without a result") {
			t.Errorf("%s: the result that came late is not known:\n%s", event, text)
		}
	}
}

// TestAFileThatComesLate: so it is with the whole file in the first round.
func TestAFileThatComesLate(t *testing.T) {
	b, c := place(t, "file")
	c.round(seeded(3))
	data, err := os.ReadFile(c.transcript)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(c.transcript); err != nil {
		t.Fatal(err)
	}
	written := time.AfterFunc(40*time.Millisecond, func() { put(t, c.transcript, string(data)) })
	defer written.Stop()
	if _, err := b.inProcess(c, hook.PreCompact, c.input(hook.PreCompact, "auto"), ""); err != nil {
		t.Errorf("%v", err)
	}
}

// TestOldRecordsGo holds that the records of sessions that are long over are
// removed, once a day, and a forgotten session's with its sub-agents'.
func TestOldRecordsGo(t *testing.T) {
	b, c := place(t, "file")
	dir := filepath.Join(b.data, "hooks")
	old, fresh, other := filepath.Join(dir, "old.json"), filepath.Join(dir, "fresh.json"), filepath.Join(dir, "problems.jsonl")
	half, placed := filepath.Join(dir, ".new-1"), filepath.Join(dir, "opencode", "ses_1.json")
	age := func(paths ...string) {
		for _, p := range paths {
			put(t, p, `{"version":1,"session":"s"}`)
			then := time.Now().AddDate(0, 0, -91)
			if err := os.Chtimes(p, then, then); err != nil {
				t.Fatal(err)
			}
		}
	}
	exists := func(path string) bool { _, err := os.Stat(path); return err == nil }
	end := func() {
		if _, err := b.inProcess(c, hook.SessionEnd, c.input(hook.SessionEnd, ""), ""); err != nil {
			t.Fatal(err)
		}
	}
	c.round(seeded(3))
	if err := os.MkdirAll(filepath.Dir(placed), 0o700); err != nil {
		t.Fatal(err)
	}
	age(old, other, half, placed)
	put(t, fresh, `{"version":1,"session":"s"}`)
	end()
	if exists(old) || exists(half) || !exists(fresh) || !exists(other) {
		t.Errorf("after the first: old %t, half %t, fresh %t, problems %t", exists(old), exists(half), exists(fresh), exists(other))
	}
	if exists(placed) {
		t.Error("what a plugin placed in an old session stays")
	}
	age(old)
	end()
	if !exists(old) {
		t.Error("records were looked through twice a day")
	}
	put(t, filepath.Join(dir, "a.json"), `{"session":"x"}`)
	put(t, filepath.Join(dir, "b.json"), `{"session":"x.agent-7"}`)
	put(t, filepath.Join(dir, "c.json"), `{"session":"xy"}`)
	if err := hook.Forget(dir, "x"); err != nil {
		t.Fatal(err)
	}
	if exists(filepath.Join(dir, "a.json")) || exists(filepath.Join(dir, "b.json")) || !exists(filepath.Join(dir, "c.json")) {
		t.Error("the wrong records were forgotten")
	}
}
