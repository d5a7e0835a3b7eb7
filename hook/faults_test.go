package hook_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/hook"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/workspace"
)

// everyEvent is what clients may ask.
var everyEvent = []hook.Event{
	hook.SessionStart, hook.UserPromptSubmit, hook.PostToolUse, hook.PostToolUseFailure, hook.PreCompact, hook.PostCompact,
	hook.SubagentStart, hook.SubagentStop, hook.Stop, hook.SessionEnd, hook.SessionCompact, "made-up", "",
}

// desperate has every event answered on a machine on which something is wrong:
// in bounded time, and with nothing that could stop a client.
func desperate(t *testing.T, h *hook.Hooks, in []byte) {
	t.Helper()
	for _, client := range hook.Clients() {
		for _, event := range everyEvent {
			out, _ := h.Run(context.Background(), client, event, bytes.NewReader(in))
			answer, err := out.Encode(client, event)
			if err != nil {
				t.Errorf("%s, %s: %v", client, event, err)
			}
			for _, word := range []string{`"continue"`, `"decision"`, `"block"`, `"stopReason"`, `"permissionDecision"`} {
				if bytes.Contains(answer, []byte(word)) {
					t.Errorf("%s, %s: the answer has %s: %s", client, event, word, answer)
				}
			}
		}
	}
}

// TestCaseR3Inputs: whatever comes on standard input, the answer is harmless.
func TestCaseR3Inputs(t *testing.T) {
	b, c := place(t, "file")
	session := func(change string, value any) []byte {
		in := with(c.input(hook.PreCompact, "auto"), change, value)
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	dir := t.TempDir()
	junk, none, torn := filepath.Join(dir, "junk.jsonl"), filepath.Join(dir, "none.jsonl"), filepath.Join(dir, "torn.jsonl")
	put(t, junk, "\x00\x01\x02\xff"+strings.Repeat("\xfe\x00", 4000))
	put(t, none, "")
	put(t, torn, `{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"us`)
	for name, in := range map[string][]byte{
		"nothing":                  nil,
		"white space":              []byte(" \n"),
		"half":                     []byte(`{"session_id":`),
		"a list":                   []byte(`[]`),
		"null":                     []byte(`null`),
		"an empty object":          []byte(`{}`),
		"other types":              []byte(`{"session_id":7,"transcript_path":[],"cwd":{},"messages":"x","trigger":1}`),
		"binary":                   bytes.Repeat([]byte{0, 255}, 1000),
		"no file":                  session("transcript_path", ""),
		"a file that is not there": session("transcript_path", filepath.Join(dir, "gone.jsonl")),
		"a folder":                 session("transcript_path", dir),
		"a device":                 session("transcript_path", "/dev/zero"),
		"junk":                     session("transcript_path", junk),
		"an empty file":            session("transcript_path", none),
		"half a row":               session("transcript_path", torn),
		"an odd session":           session("session_id", "../../etc/passwd\x00"),
		"an odd sub-agent":         session("agent_id", "../../x"),
		"no folder":                session("cwd", "/nowhere/at/all"),
	} {
		t.Run(name, func(t *testing.T) { desperate(t, b.hooks("ada"), in) })
	}
}

// TestCaseR3TooMuch: of more than any client sends only the beginning is read.
func TestCaseR3TooMuch(t *testing.T) {
	b, _ := place(t, "file")
	read := &counted{r: io.MultiReader(strings.NewReader(`{"session_id":"`), &endless{})}
	out, err := b.hooks("ada").Run(context.Background(), hook.ClaudeCode, hook.PostToolUse, read)
	if err == nil || out.Context != "" || read.n > 65<<20 {
		t.Errorf("%v, %q, %d bytes read", err, out.Context, read.n)
	}
}

type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

type endless struct{}

func (*endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestCaseR3Hangs: a client that never ends its input gets its answer in time.
func TestCaseR3Hangs(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	h := hook.New(hook.Config{Dir: t.TempDir(), Now: time.Now, Limit: 20 * time.Millisecond})
	if _, err := h.Run(context.Background(), hook.ClaudeCode, hook.Stop, r); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want that it took too long", err)
	}
}

// compacts has a session answered that is on a machine with a fault, and wants
// the memory all the same. It gives the block.
func compacts(t *testing.T, h *hook.Hooks, c *client, wrong bool) string {
	t.Helper()
	in, err := json.Marshal(c.input(hook.SessionCompact, "manual"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.Run(context.Background(), hook.ClaudeCode, hook.SessionCompact, bytes.NewReader(in))
	if wrong != (err != nil) {
		t.Errorf("the problem is %v", err)
	}
	for _, want := range c.wants() {
		if !strings.Contains(out.Memory, want) {
			t.Errorf("%q is not in the memory:\n%s", want, out.Memory)
		}
	}
	return out.Memory
}

// problems are the texts that doctor would show.
func (b *bench) problems() string {
	b.t.Helper()
	list, err := hook.Problems(filepath.Join(b.data, "hooks"))
	if err != nil {
		b.t.Fatal(err)
	}
	text := ""
	for _, p := range list {
		text += fmt.Sprintf("%s %d %s\n", p.Event, p.Times, p.Error)
	}
	return text
}

// TestCaseR3LockedDatabase: while another program writes for ever, the memory
// is given and is not kept.
func TestCaseR3LockedDatabase(t *testing.T) {
	b, c := place(t, "sqlite")
	compacts(t, b.hooks("ada"), c, false)
	c.round(seeded(1))
	db, err := sql.Open("sqlite", filepath.Join(b.data, "pith.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	lock, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock.ExecContext(context.Background(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	block := compacts(t, b.hooks("ada"), c, true)
	if strings.Contains(block, "kept under ref") {
		t.Error("the block promises what is not kept")
	}
	if _, err := lock.ExecContext(context.Background(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if text := b.problems(); !strings.Contains(text, "session-compact") {
		t.Errorf("the problems are %q", text)
	}
	compacts(t, b.hooks("ada"), c, false)
}

// TestCaseR3LockedFiles: a checkpoint goes into a folder whose lock another
// process holds, or left behind.
func TestCaseR3LockedFiles(t *testing.T) {
	b, c := place(t, "file")
	compacts(t, b.hooks("ada"), c, false)
	lock := ""
	err := filepath.WalkDir(b.data, func(path string, d os.DirEntry, err error) error {
		if d != nil && !d.IsDir() && strings.HasSuffix(path, ".json") && filepath.Base(filepath.Dir(path)) != "hooks" {
			lock = filepath.Join(filepath.Dir(path), ".lock")
		}
		return err
	})
	if err != nil || lock == "" {
		t.Fatalf("no folder of checkpoints: %v", err)
	}
	host, _ := os.Hostname()
	for name, text := range map[string]string{"stale": fmt.Sprintf("%d %s\n", 1<<22-3, host), "held": fmt.Sprintf("%d %s\n", os.Getpid(), host), "empty": ""} {
		t.Run(name, func(t *testing.T) {
			before := len(b.kept(c.id))
			c.round(seeded(2))
			put(t, lock, text)
			compacts(t, b.hooks("ada"), c, false)
			if n := len(b.kept(c.id)); n != before+1 {
				t.Errorf("%d checkpoints, %d before", n, before)
			}
			_ = os.Remove(lock) // whoever holds it has ended
		})
	}
}

// TestCaseR3DamagedStore: what is no store, or none any more, costs the store.
func TestCaseR3DamagedStore(t *testing.T) {
	b, c := place(t, "sqlite")
	compacts(t, b.hooks("ada"), c, false)
	for _, text := range []string{"", "junk", "SQLite format 3\x00" + strings.Repeat("\x07", 5000)} {
		for _, suffix := range []string{"-wal", "-shm"} {
			_ = os.Remove(filepath.Join(b.data, "pith.db"+suffix))
		}
		put(t, filepath.Join(b.data, "pith.db"), text)
		compacts(t, b.hooks("ada"), c, text != "")
	}
}

// full is a store on a disk with no room left.
type full struct{ pith.Store }

func (full) Put(context.Context, *pith.Saved) error {
	return &pith.Error{Op: "save the checkpoint", Kind: pith.KindStore, Err: &os.PathError{Op: "write", Path: "pith.db", Err: syscall.ENOSPC}}
}

// TestCaseR3FullDisk: with no room for the store, the record and the list of
// problems, the memory is given.
func TestCaseR3FullDisk(t *testing.T) {
	b, c := place(t, "file")
	nowhere := filepath.Join(t.TempDir(), "file")
	put(t, nowhere, "")
	h := hook.New(hook.Config{
		Memory: memory.Config{}, Look: workspace.Look, Owner: "ada", Project: resolved, Now: time.Now,
		Dir: filepath.Join(nowhere, "hooks"), // no file can be made below a file
		Open: func(ctx context.Context) (pith.Store, func(), error) {
			s, done, err := stores[b.kind](ctx, b.data)
			return full{s}, done, err
		},
	})
	block := compacts(t, h, c, true)
	if strings.Contains(block, "kept under ref") {
		t.Error("the block promises what is not kept")
	}
}

// TestCaseR3FullFileSystem is TestCaseR3FullDisk on a file system that is full.
func TestCaseR3FullFileSystem(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no small file system can be mounted here: %v: %s", err, out)
	}
	defer func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}()
	b, c := place(t, "sqlite")
	b.data = dir
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	compacts(t, b.hooks("ada"), c, true)
}

// TestCaseR3Panic: a fault in pith is a problem, not the client's.
func TestCaseR3Panic(t *testing.T) {
	b, c := place(t, "file")
	h := hook.New(hook.Config{
		Memory: memory.Config{}, Owner: "ada", Project: resolved, Now: time.Now, Dir: filepath.Join(b.data, "hooks"),
		Look: func(context.Context, string, []string) (*pith.Disk, error) { panic("no disk") },
		Open: func(ctx context.Context) (pith.Store, func(), error) { return stores[b.kind](ctx, b.data) },
	})
	in, err := json.Marshal(c.input(hook.PreCompact, "auto"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.Run(context.Background(), hook.ClaudeCode, hook.PreCompact, bytes.NewReader(in))
	if err == nil || out.Instructions != "" {
		t.Errorf("%v, %q", err, out.Instructions)
	}
	if text := b.problems(); !strings.Contains(text, "no disk") || !strings.Contains(text, "hook/faults_test.go:") {
		t.Errorf("the problems are %q", text)
	}
}

// TestCaseR3Record: a record that cannot be read is a new one, and a clock that
// goes backwards changes nothing.
func TestCaseR3Record(t *testing.T) {
	b, c := place(t, "file")
	for i, text := range []string{"", "{", `{"version":99}`, `{"version":1,"session":"another"}`, `{"version":1,"cursor":{"offset":-5,"path":"` + c.transcript + `"}}`, strings.Repeat("x", 2<<20)} {
		compacts(t, b.hooks("ada"), c, false)
		records, err := filepath.Glob(filepath.Join(b.data, "hooks", "*.json"))
		if err != nil || len(records) != 1 {
			t.Fatalf("%v: %v", records, err)
		}
		put(t, records[0], text)
		c.round(seeded(uint64(i)))
	}
	back := hook.New(hook.Config{
		Memory: memory.Config{}, Look: workspace.Look, Owner: "ada", Project: resolved, Dir: filepath.Join(b.data, "hooks"),
		Now:  func() time.Time { return time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC) },
		Open: func(ctx context.Context) (pith.Store, func(), error) { return stores[b.kind](ctx, b.data) },
	})
	compacts(t, back, c, false)
	c.round(seeded(9))
	compacts(t, b.hooks("ada"), c, false)
	if text := b.problems(); text != "" {
		t.Errorf("the problems are %q", text)
	}
}

// TestProblemsAreCounted: one that comes again and again is one line, and the
// list does not grow without end.
func TestProblemsAreCounted(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	for i := range 50 {
		hook.Note(dir, hook.Problem{At: at.Add(time.Duration(i) * time.Second), Event: hook.Stop, Error: fmt.Sprintf("process %d\nholds it with the key sk-ant-api03-%s", i, strings.Repeat("aB3", 31))})
	}
	list, err := hook.Problems(dir)
	if err != nil || len(list) != 1 || list[0].Times != 50 || !list[0].At.Equal(at.Add(49*time.Second)) || strings.Contains(list[0].Error, "aB3") {
		t.Fatalf("%+v, %v", list, err)
	}
	for i := range 300 {
		hook.Note(dir, hook.Problem{At: at, Event: hook.Stop, Error: strings.Repeat(string(rune('a'+i%26)), 1+i/26) + " " + strings.Repeat("long ", 1000)})
	}
	list, err = hook.Problems(dir)
	info, statErr := os.Stat(filepath.Join(dir, "problems.jsonl"))
	if err != nil || statErr != nil || len(list) > 200 || info.Size() > 256<<10 {
		t.Errorf("%d problems, %v, %v", len(list), err, statErr)
	}
}

func seeded(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, n)) }
