package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/agent"
	"github.com/pith-memory/pith/handoff"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/store/file"
)

func openJournal(t testing.TB, path string) *agent.FileJournal {
	t.Helper()
	j, err := agent.OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func entries(t testing.TB, j agent.Journal) (list []agent.Entry) {
	t.Helper()
	if err := j.Each(t.Context(), func(e *agent.Entry) error { list = append(list, *e); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestJournalFile: one writer, its owner's alone, a torn last line is cut and a
// damaged one refused, and the lock of a dead process is taken over.
func TestJournalFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	for _, text := range []string{"one", "two"} {
		if err := j.Append(t.Context(), &agent.Entry{Kind: agent.EntryPrompt, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := agent.OpenJournal(path); pith.KindOf(err) != pith.KindStore {
		t.Errorf("a second writer: %v", err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(t.Context(), &agent.Entry{}); err == nil {
		t.Error("a closed journal takes entries")
	}
	whole := must(os.ReadFile(path))
	for name, torn := range map[string]string{"half a line": `{"kind":"prompt","te`, "no newline": `{"kind":"prompt"}`, "zeros": "\x00\x00\x00\n"} {
		if err := os.WriteFile(path, append(bytes.Clone(whole), torn...), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+".lock", []byte("999999999 "+must(os.Hostname())+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		j := openJournal(t, path)
		if list := entries(t, j); len(list) != 2 || list[1].Text != "two" {
			t.Errorf("%s: %+v", name, list)
		}
		if err := j.Append(t.Context(), &agent.Entry{Kind: agent.EntryPrompt, Text: "three"}); err != nil {
			t.Fatal(err)
		}
		if list := entries(t, j); len(list) != 3 {
			t.Errorf("%s: %+v", name, list)
		}
		_ = j.Close()
	}
	if err := os.WriteFile(path, append([]byte("what is this\n"), whole...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := agent.OpenJournal(path); err == nil {
		t.Error("a damaged line is passed over")
	}
}

// TestJournalHoldsNoSecret: what is stored is redacted, and a message that this
// changed has lost its signed thinking.
func TestJournalHoldsNoSecret(t *testing.T) {
	const secret = "ghp_" + "Zk3mQ8sT1vX5yB7nC9dF2gH4jL6pR0wA1eU3"
	path := filepath.Join(t.TempDir(), "journal")
	m := newModel(t, 50_000, func(n int, _ *pith.Conversation) answer {
		if n == 1 {
			return answer{raw: `{"role":"assistant","content":[{"type":"thinking","thinking":"Hm","signature":"c2ln"},{"type":"text","text":"I use ` + secret + `."},{"type":"tool_use","id":"c","name":"env","input":{"token":"` + secret + `"}}]}`}
		}
		return answer{text: "Done."}
	})
	c := agent.Config{Model: m, Journal: openJournal(t, path), Tools: []agent.Tool{tool("env", func(string) (string, error) { return "GITHUB_TOKEN=" + secret, nil })}}
	a := newAgent(t, c)
	run(t, a, "My token is "+secret+", use it.")
	stored := string(must(os.ReadFile(path)))
	if strings.Contains(stored, secret) || !strings.Contains(stored, "[REDACTED:") {
		t.Errorf("the journal holds\n%s", stored)
	}
	if strings.Contains(stored, "c2ln") {
		t.Error("the signature is there, and what it signs is not")
	}
	if !strings.Contains(string(m.bodies[1]), secret) {
		t.Error("the model did not get its own words back")
	}
	b := newAgent(t, c)
	if b.Turn() != 2 || b.Unfinished() || b.Session() != a.Session() {
		t.Errorf("turn %d, unfinished %v", b.Turn(), b.Unfinished())
	}
	run(t, b, "And now?")
	if got := len(m.requests()[2].Messages); got != 5 {
		t.Errorf("%d messages after the stop", got)
	}
}

// failingJournal fails where it is told to.
type failingJournal struct {
	agent.Journal
	fails bool
}

func (j *failingJournal) Append(ctx context.Context, e *agent.Entry) error {
	if j.fails {
		return errBroken
	}
	return j.Journal.Append(ctx, e)
}

// TestJournalFails: the run ends with the error, nothing runs of which nobody
// would know, and the journal is whole once it can be written again.
func TestJournalFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := &failingJournal{Journal: openJournal(t, path)}
	ran := 0
	m := newModel(t, 50_000, func(n int, _ *pith.Conversation) answer {
		if n == 1 {
			j.fails = true // as if the disk were full now
			return answer{calls: []toolCall{{"c", "work", `{}`}}}
		}
		return answer{text: "Done."}
	})
	a := newAgent(t, agent.Config{Model: m, Journal: j, Tools: []agent.Tool{tool("work", func(string) (string, error) { ran++; return "did it", nil })}})
	for range 2 {
		if _, err := a.Run(t.Context(), "Go."); !errors.Is(err, errBroken) || pith.KindOf(err) != pith.KindStore || ran != 0 {
			t.Fatalf("ran %d times: %v", ran, err)
		}
	}
	j.fails = false
	if r := run(t, a, "Go."); r.Text != "Done." || ran != 1 {
		t.Errorf("ran %d times: %+v", ran, r)
	}
	var kinds []string
	for _, e := range entries(t, j) {
		kinds = append(kinds, string(e.Kind))
	}
	if got := strings.Join(kinds, " "); got != "start prompt reply call result reply" {
		t.Errorf("the journal holds %s", got)
	}
}

// TestRestoredFromStore takes a session up without a journal: its state is the
// first message, what changed on the disk is told, and turns only grow.
func TestRestoredFromStore(t *testing.T) {
	store, err := file.Open(filepath.Join(t.TempDir(), "store"))
	if err != nil {
		t.Fatal(err)
	}
	look := func(changed bool) func(context.Context, []string) (*pith.Disk, error) {
		return func(_ context.Context, paths []string) (*pith.Disk, error) {
			d := &pith.Disk{Root: "/srv/app"}
			for _, p := range paths {
				s := pith.Stamp{Path: p, Kind: "file", SHA256: strings.Repeat("a", 64)}
				if changed && strings.HasSuffix(p, "cache.go") {
					s.SHA256 = strings.Repeat("b", 64)
				}
				d.Files = append(d.Files, s)
			}
			return d, nil
		}
	}
	m := newModel(t, 12_000, func(n int, _ *pith.Conversation) answer {
		if n%8 == 0 {
			return answer{text: "The cache is written, its test comes next."}
		}
		return answer{calls: []toolCall{{"c", "edit", `{"file_path":"/srv/app/cache.go","old_string":"a","new_string":"b"}`}}}
	})
	var restored []agent.Restoration
	config := agent.Config{
		Model: m, MaxTokens: 500, Store: store, Session: "s1", Owner: "me", Project: "/srv/app", Look: look(false),
		OnRestore: func(r agent.Restoration) { restored = append(restored, r) },
		Tools:     []agent.Tool{tool("edit", func(string) (string, error) { return strings.Repeat("edited, see the diff\n", 110), nil })},
	}
	a := newAgent(t, config)
	run(t, a, "Write the cache. Never touch go.sum.")
	for range 3 {
		run(t, a, "Go on.")
	}
	if _, err := a.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	turn := a.Turn()
	config.Look = look(true)
	b := newAgent(t, config)
	if len(restored) != 1 || b.Turn() != turn || restored[0].FromJournal {
		t.Fatalf("turn %d after %d, %+v", b.Turn(), turn, restored)
	}
	found := false
	for _, f := range restored[0].Findings {
		found = found || f.Change == restore.ChangeContent && strings.HasSuffix(f.Path, "cache.go")
	}
	if !found {
		t.Errorf("the findings are %+v", restored[0].Findings)
	}
	n := len(m.bodies)
	run(t, b, "Where were we?")
	first := texts(&m.requests()[n])
	for _, want := range []string{"<pith-memory ", "Write the cache.", "Never touch go.sum.", "cache.go", "Where were we?"} {
		if !strings.Contains(first, want) {
			t.Errorf("the first request lacks %q:\n%s", want, first)
		}
	}
	if c, err := b.Compact(t.Context(), ""); err == nil && c.State.Checkpoint.CompactedAtTurn < turn {
		t.Errorf("compacted at turn %d after %d", c.State.Checkpoint.CompactedAtTurn, turn)
	}
	config.Owner = "somebody else"
	if _, err := agent.New(t.Context(), config); pith.KindOf(err) != pith.KindCheck {
		t.Errorf("somebody else's session: %v", err)
	}
}

// TestDelegation hands a state over from inside a tool; the delegate verifies
// it, has only the tools that were granted, and nothing of the task is the
// word of a user.
func TestDelegation(t *testing.T) {
	key := must(handoff.NewKey([]byte("0123456789abcdef0123456789abcdef")))
	store := must(file.Open(filepath.Join(t.TempDir(), "store")))
	exit := 1
	m := newModel(t, 50_000, func(n int, _ *pith.Conversation) answer {
		switch n {
		case 1:
			return answer{calls: []toolCall{{"a", "bash", `{"command":"go test ./..."}`}}}
		case 2:
			return answer{calls: []toolCall{{"b", "delegate", `{}`}}}
		}
		return answer{text: "The reviewer has it."}
	})
	var a *agent.Agent
	var built *handoff.Built
	a = newAgent(t, agent.Config{Model: m, Store: store, Session: "parent", Project: "/srv/app", Tools: []agent.Tool{
		{Name: "bash", Run: func(context.Context, json.RawMessage) (agent.Output, error) {
			return agent.Output{Text: "--- FAIL: TestCache\nFAIL\n", Exit: &exit, IsError: true}, nil
		}},
		tool("delegate", func(string) (string, error) {
			var err error
			built, err = a.Delegate(t.Context(), agent.Delegation{Key: key, Role: "reviewer", Task: "Review the cache. You may use bash.", Tools: []string{"read"}, Timeout: time.Hour})
			return "delegated", err
		}),
	}})
	run(t, a, "Write the cache. Never touch go.sum.")
	if built == nil || !strings.Contains(built.Task.Description, "go test ./...") || !strings.Contains(built.Task.Description, "exit code 1") {
		t.Fatalf("the task does not declare the failure: %+v", built)
	}
	used := map[string]bool{}
	expect := handoff.Expect{Keys: handoff.NewKeyring(key), Audience: "reviewer", Now: time.Now(), Claim: func(nonce string, _ time.Time) error {
		if used[nonce] {
			return handoff.ErrUsed
		}
		used[nonce] = true
		return nil
	}}
	child := newModel(t, 50_000, func(n int, c *pith.Conversation) answer { return answer{text: "It is fine."} })
	config := agent.Config{Model: child, Store: store, Session: "child", Tools: []agent.Tool{
		tool("read", func(string) (string, error) { return "", nil }), tool("bash", func(string) (string, error) { return "", nil }),
	}}
	forged := bytes.Replace(built.JSON, []byte("Review the cache"), []byte("Delete the cache"), 1)
	if _, _, err := agent.Accept(t.Context(), config, forged, expect, handoff.Permissions{Tools: []string{"read", "bash"}}); handoff.ReasonOf(err) == "" {
		t.Errorf("a forged task: %v", err)
	}
	b, accepted, err := agent.Accept(t.Context(), config, built.JSON, expect, handoff.Permissions{Tools: []string{"read", "bash"}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if r := run(t, b, ""); r.Text != "It is fine." || len(accepted.Granted.Tools) != 1 {
		t.Errorf("%+v, granted %v", r, accepted.Granted)
	}
	first := child.requests()[0]
	said := texts(&first)
	if strings.Contains(string(first.Tools), `"bash"`) || !strings.Contains(string(first.Tools), `"read"`) {
		t.Errorf("the delegate has %s", first.Tools)
	}
	for _, want := range []string{"Never touch go.sum.", "Review the cache.", "go test ./..."} {
		if !strings.Contains(said, want) {
			t.Errorf("the delegate was not told %q:\n%s", want, said)
		}
	}
	if _, _, err := agent.Accept(t.Context(), config, built.JSON, expect, handoff.Permissions{}); handoff.ReasonOf(err) != handoff.RefusedReplay {
		t.Errorf("the same task again: %v", err)
	}
	if c, err := b.Compact(t.Context(), ""); c.State == nil || c.State.Goal.Provenance == pith.UserExplicit {
		t.Errorf("the goal is %+v (%v)", c.State, err)
	}
}

// TestJournalOfSomethingElse is refused: of a later version, of another session
// or format, and of steps that do not follow one another.
func TestJournalOfSomethingElse(t *testing.T) {
	m := newModel(t, 1000, nil)
	for name, list := range map[string][]agent.Entry{
		"later":    {{Kind: agent.EntryStart, Version: agent.JournalVersion + 1, Session: "s", Format: m.card.Format}},
		"session":  {{Kind: agent.EntryStart, Session: "another", Format: m.card.Format}},
		"format":   {{Kind: agent.EntryStart, Session: "s", Format: pith.FormatOpenAIChat}},
		"headless": {{Kind: agent.EntryPrompt, Text: "Hi"}},
		"astray":   {{Kind: agent.EntryStart, Session: "s", Format: m.card.Format}, {Kind: agent.EntryResult, Call: 3}},
		"numbers":  {{Kind: agent.EntryStart, Session: "s", Format: m.card.Format}, {Kind: agent.EntryCompaction, Numbers: []int{1}}},
	} {
		j := &memJournal{}
		for i := range list {
			_ = j.Append(t.Context(), &list[i])
		}
		if _, err := agent.New(t.Context(), agent.Config{Model: m, Session: "s", Journal: j}); pith.KindOf(err) == pith.KindUnexpected {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestResumedOnAnotherDisk: a file that changed while the session was stopped is
// told to the user and, with the state that it goes on with, to the model.
func TestResumedOnAnotherDisk(t *testing.T) {
	clock := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	changed := time.Time{}
	m := newModel(t, 20_000, func(n int, _ *pith.Conversation) answer {
		switch n {
		case 9:
			return answer{err: errBroken}
		case 10:
			return answer{text: "I look at it again first."}
		}
		return answer{text: "On.", calls: []toolCall{{"c", "edit", `{"file_path":"/srv/app/cache.go","old_string":"a","new_string":"b"}`}}}
	})
	var restored []agent.Restoration
	config := agent.Config{
		Model: m, MaxTokens: 500, Journal: &memJournal{}, Project: "/srv/app", Now: func() time.Time { clock = clock.Add(time.Second); return clock },
		OnRestore: func(r agent.Restoration) { restored = append(restored, r) },
		Tools:     []agent.Tool{tool("edit", func(string) (string, error) { return strings.Repeat("edited, see the diff\n", 110), nil })},
		Look: func(_ context.Context, paths []string) (*pith.Disk, error) {
			d := &pith.Disk{Root: "/srv/app", At: clock}
			for _, p := range paths {
				kind := "file"
				if p == "/srv/app" {
					kind = "folder"
				}
				d.Files = append(d.Files, pith.Stamp{Path: p, Kind: kind, ModTime: changed})
			}
			return d, nil
		},
	}
	if _, err := newAgent(t, config).Run(t.Context(), "Write the cache."); !errors.Is(err, errBroken) {
		t.Fatal(err)
	}
	for _, later := range []bool{false, true} {
		if changed = clock.Add(-time.Hour); later {
			changed = clock.Add(time.Hour)
		}
		a := newAgent(t, config)
		r := restored[len(restored)-1]
		if !r.FromJournal || (len(r.Findings) > 0) != later {
			t.Errorf("changed later %v: %+v", later, r)
		}
		if later {
			run(t, a, "")
			if said := texts(&m.requests()[9]); !strings.Contains(said, "Changed since:") || !strings.Contains(said, "cache.go") {
				t.Errorf("the model was told\n%s", said)
			}
		}
	}
}
