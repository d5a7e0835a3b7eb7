package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/hook"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/workspace"
)

// states are the states that are stored of a session, the first one first.
func (b *bench) states(session string) []*pith.State {
	b.t.Helper()
	store, done, err := stores[b.kind](context.Background(), b.data)
	if err != nil {
		b.t.Fatal(err)
	}
	defer done()
	var out []*pith.State
	for _, e := range b.kept(session) {
		saved, err := store.Get(context.Background(), e.ID)
		if err != nil {
			b.t.Fatal(err)
		}
		out = append([]*pith.State{saved.State}, out...)
	}
	return out
}

// cursor is the place that the record of the only session has.
func (b *bench) cursor() hook.Cursor {
	b.t.Helper()
	records, err := filepath.Glob(filepath.Join(b.data, "hooks", "*.json"))
	if err != nil || len(records) != 1 {
		b.t.Fatalf("%v: %v", records, err)
	}
	data, err := os.ReadFile(records[0])
	if err != nil {
		b.t.Fatal(err)
	}
	var r hook.Record
	if err := json.Unmarshal(data, &r); err != nil {
		b.t.Fatal(err)
	}
	return r.Cursor
}

// blind makes the part of a session's file before a place unreadable as one,
// apart from the last bytes of it, which tell whether it is the same: what is
// known afterwards was not read from there.
func (c *client) blind(t *testing.T, before int64) {
	t.Helper()
	data, err := os.ReadFile(c.transcript)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data[:max(0, before-(4<<10))] {
		data[i] = ' '
	}
	if err := os.WriteFile(c.transcript, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestOnlyWhatCame: the second event of a session reads what came since the
// first, and its state covers both.
func TestOnlyWhatCame(t *testing.T) {
	b, c := place(t, "file")
	compacts(t, b.hooks("ada"), c, false)
	first := b.cursor()
	size := fileSize(t, c)
	if first.Offset != size || first.Path != c.transcript || first.Checkpoint == "" {
		t.Fatalf("the cursor is %+v of %d bytes", first, size)
	}
	c.blind(t, first.Offset)
	c.round(seeded(1))
	compacts(t, b.hooks("ada"), c, false)
	states := b.states(c.id)
	if len(states) != 2 {
		t.Fatalf("%d checkpoints", len(states))
	}
	a, z := states[0], states[1]
	if z.Checkpoint.FromMessage != 0 || z.Checkpoint.ThroughMessage <= a.Checkpoint.ThroughMessage || z.Goal.Text != a.Goal.Text ||
		len(z.Files.Modified) != len(a.Files.Modified)+1 || z.Checkpoint.SessionID != c.id {
		t.Errorf("the second checkpoint is %+v with %d files, behind %+v with %d", z.Checkpoint, len(z.Files.Modified), a.Checkpoint, len(a.Files.Modified))
	}
	if now := b.cursor(); now.Offset != fileSize(t, c) || now.Checkpoint != z.Checkpoint.ID {
		t.Errorf("the cursor is %+v", now)
	}
	if text := b.problems(); text != "" {
		t.Errorf("the problems are %q", text)
	}
}

func fileSize(t *testing.T, c *client) int64 {
	t.Helper()
	info, err := os.Stat(c.transcript)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// whole is the state of all of a session, as it stands.
func whole(t *testing.T, c *client) *pith.State {
	t.Helper()
	data, err := os.ReadFile(c.transcript)
	if err != nil {
		t.Fatal(err)
	}
	m := memory.New(memory.Config{})
	s, err := m.Read(bytes.NewReader(data), memory.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		t.Fatal(err)
	}
	return r.State
}

// TestWhatFitsNoMore: where the file, the record or the store is another one
// than it was, the whole file is read, and nothing is missing.
func TestWhatFitsNoMore(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, b *bench, c *client){
		"nothing changed": func(*testing.T, *bench, *client) {},
		"another beginning": func(t *testing.T, _ *bench, c *client) {
			data, err := os.ReadFile(c.transcript)
			if err != nil {
				t.Fatal(err)
			}
			put(t, c.transcript, `{"type":"mode","mode":"normal","sessionId":"`+c.id+`"}`+"\n"+string(data))
		},
		"no record": func(t *testing.T, b *bench, _ *client) {
			if err := os.RemoveAll(filepath.Join(b.data, "hooks")); err != nil {
				t.Fatal(err)
			}
		},
		"an open call": func(_ *testing.T, _ *bench, c *client) {
			c.answers(map[string]any{"type": "tool_use", "id": "toolu_open", "name": "Bash", "input": map[string]any{"command": "sleep 9"}})
		},
		"a compaction": func(_ *testing.T, _ *bench, c *client) { c.compacts("auto") },
		"a secret": func(_ *testing.T, _ *bench, c *client) {
			c.says("The key is ghp_" + strings.Repeat("a1B2", 9))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, c := place(t, "file")
			compacts(t, b.hooks("ada"), c, false)
			for n := range 3 {
				change(t, b, c)
				compacts(t, b.hooks("ada"), c, false)
				c.round(seeded(uint64(n)))
				compacts(t, b.hooks("ada"), c, false)
			}
			states := b.states(c.id)
			got, want := states[len(states)-1], whole(t, c)
			if got.Checkpoint.TranscriptSHA256 != want.Checkpoint.TranscriptSHA256 || got.Checkpoint.ThroughMessage != want.Checkpoint.ThroughMessage ||
				len(got.Files.Modified) != len(want.Files.Modified) || got.Goal.Text != want.Goal.Text || len(got.Constraints) != len(want.Constraints) {
				t.Errorf("the checkpoint is %+v, and read whole %+v", got.Checkpoint, want.Checkpoint)
			}
		})
	}
}

// TestAHalfWrittenRow: a row that has no end yet is not counted as read.
func TestAHalfWrittenRow(t *testing.T) {
	b, c := place(t, "file")
	before := fileSize(t, c)
	c.says("Never write to the archive folder.")
	data, err := os.ReadFile(c.transcript)
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []int64{before + 1, before + 40, int64(len(data)) - 2} {
		put(t, c.transcript, string(data[:end]))
		compacts(t, b.hooks("ada"), c, false)
		if at := b.cursor().Offset; at != before {
			t.Errorf("of %d bytes, %d were read, want %d", end, at, before)
		}
	}
	put(t, c.transcript, string(data))
	if block := compacts(t, b.hooks("ada"), c, false); !strings.Contains(block, "Never write to the archive folder.") {
		t.Errorf("the row is not in the memory:\n%s", block)
	}
	if n := len(b.kept(c.id)); n != 2 {
		t.Errorf("%d checkpoints, want 2", n)
	}
}

// TestCaseR1Triggers: every trigger of a compaction is answered, and none has
// to be there; what is only prepared is not.
func TestCaseR1Triggers(t *testing.T) {
	for trigger, reason := range map[string]pith.Reason{
		"manual": pith.ReasonManual, "auto": pith.ReasonTokens70, "plugin": pith.ReasonManual, "": pith.ReasonManual, "made-up": pith.ReasonManual, "precompute": "",
	} {
		b, c := place(t, "file")
		in := c.input(hook.SessionCompact, trigger)
		in["messages"] = nil
		out, err := b.as("ada", hook.SessionCompact, in)
		list := b.states(c.id)
		switch {
		case err != nil:
			t.Errorf("%q: %v", trigger, err)
		case reason == "":
			if out.Answered || len(list) != 0 {
				t.Errorf("%q: it is answered with %q", trigger, out.Memory)
			}
		case !out.Answered || len(list) != 1 || list[0].Checkpoint.Trigger != reason:
			t.Errorf("%q: answered %t, %d checkpoints", trigger, out.Answered, len(list))
		}
	}
}

// TestNoSmaller: a memory that would be no smaller than the history takes no place.
func TestNoSmaller(t *testing.T) {
	b, c := place(t, "file")
	in := c.input(hook.SessionCompact, "manual")
	in["messages"] = []map[string]any{{"handle": "h1", "role": "user", "chars": 900}, {"handle": "h2", "role": "assistant", "chars": 300}}
	out, err := b.as("ada", hook.SessionCompact, in)
	if err != nil || out.Answered {
		t.Errorf("%v, %q", err, out.Memory)
	}
	in["messages"] = []map[string]any{{"handle": "h1", "role": "user", "chars": 90_000}, {"handle": "h2", "role": "user", "chars": 9}, {"handle": "h3", "role": "assistant", "chars": 300}}
	out, err = b.as("ada", hook.SessionCompact, in)
	if err != nil || !out.Answered || len(out.Keep) != 2 || out.Keep[0] != "h2" || out.Notice == "" {
		t.Errorf("%v, %v, %q, %q", err, out.Keep, out.Notice, out.Memory)
	}
}

// TestASubAgentsOwnChain: a sub-agent's file has checkpoints of its own, found by
// the main session's file as well.
func TestASubAgentsOwnChain(t *testing.T) {
	b, c := place(t, "file")
	compacts(t, b.hooks("ada"), c, false)
	own := filepath.Join(strings.TrimSuffix(c.transcript, ".jsonl"), "subagents", "agent-a17.jsonl")
	row := func(kind, id, content string) string {
		return `{"type":"` + kind + `","uuid":"` + id + `","isSidechain":true,"agentId":"a17","sessionId":"` + c.id + `","cwd":"` + c.folder + `","timestamp":"2026-11-02T10:00:00Z","message":{"id":"m` + id + `","role":"` + kind + `","content":` + content + `}}` + "\n"
	}
	put(t, own, row("user", "s1", `"Count the amber files."`)+row("assistant", "s2", `[{"type":"text","text":"I count them: `+strings.Repeat("one more ", 9000)+`"}]`))
	for range 2 {
		in := with(c.input(hook.SessionCompact, "auto"), "agent_id", "a17")
		in["messages"] = nil
		out, err := b.as("ada", hook.SessionCompact, in)
		if err != nil || !strings.Contains(out.Memory, "Count the amber files.") || strings.Contains(out.Memory, "Rename the ledger") {
			t.Fatalf("%v:\n%s", err, out.Memory)
		}
		more := row("user", "s3", `"Go on with the green ones."`)
		f, err := os.OpenFile(own, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString(more)
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	if a, z := len(b.kept(c.id)), len(b.kept(c.id+".agent-a17")); a != 1 || z != 2 {
		t.Errorf("%d checkpoints of the session and %d of the sub-agent", a, z)
	}
	for _, s := range b.states(c.id + ".agent-a17") {
		if s.Checkpoint.Agent != "a17" || s.Checkpoint.Transcript != own {
			t.Errorf("%+v", s.Checkpoint)
		}
	}
}

// TestCaseN5: the folder is the session's, whatever folder the hook runs in.
func TestCaseN5(t *testing.T) {
	b, c := place(t, "file")
	t.Chdir(t.TempDir())
	var roots atomic.Value
	h := hook.New(hook.Config{
		Memory: memory.Config{}, Owner: "ada", Project: resolved, Now: time.Now, Dir: filepath.Join(b.data, "hooks"),
		Look: func(ctx context.Context, root string, paths []string) (*pith.Disk, error) {
			roots.Store(root)
			return workspace.Look(ctx, root, paths)
		},
		Open: func(ctx context.Context) (pith.Store, func(), error) { return stores[b.kind](ctx, b.data) },
	})
	compacts(t, h, c, false)
	list := b.kept(c.id)
	if len(list) != 1 || list[0].Project != c.folder || roots.Load() != c.folder {
		t.Errorf("%+v, and the disk was looked at in %v", list, roots.Load())
	}
}
