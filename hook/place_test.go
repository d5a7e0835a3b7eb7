package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/hook"
)

// place is one folder with one session of five rounds in it, and a store.
func place(t *testing.T, kind string) (*bench, *client) {
	b := &bench{t: t, kind: kind, data: filepath.Join(realFolder(t), "data", "pith")}
	c := b.session("0b7e0001", filepath.Join(realFolder(t), "amberly shop"), "markone")
	for range 3 {
		c.round(rand.New(rand.NewPCG(1, 1)))
	}
	c.reads()
	return b, c
}

// session adds a session in a folder.
func (b *bench) session(id, folder, mark string) *client {
	put(b.t, filepath.Join(folder, "README.md"), "x\n")
	put(b.t, filepath.Join(b.data, ".keep"), "")
	c := newClient(filepath.Join(filepath.Dir(b.data), "claude"), id, folder, mark)
	b.sessions, b.folders = append(b.sessions, c), append(b.folders, folder)
	return c
}

// as answers an event as an account does, in this process.
func (b *bench) as(owner string, event hook.Event, input map[string]any) (hook.Output, error) {
	b.t.Helper()
	in, err := json.Marshal(input)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.hooks(owner).Run(context.Background(), hook.ClaudeCode, event, bytes.NewReader(in))
}

// told is all that an event says to anybody.
func (b *bench) told(owner string, event hook.Event, input map[string]any) string {
	b.t.Helper()
	out, err := b.as(owner, event, input)
	if err != nil {
		b.t.Errorf("%s: %v", event, err)
	}
	return out.Context + out.Memory + out.Instructions + out.Notice
}

// kept is what is stored of a session.
func (b *bench) kept(session string) []pith.Entry {
	b.t.Helper()
	store, done, err := stores[b.kind](context.Background(), b.data)
	if err != nil {
		b.t.Fatal(err)
	}
	defer done()
	list, err := store.List(context.Background(), session)
	if err != nil {
		b.t.Fatal(err)
	}
	return list
}

func with(input map[string]any, more ...any) map[string]any {
	for i := 0; i < len(more); i += 2 {
		input[more[i].(string)] = more[i+1]
	}
	return input
}

// TestAnyTrigger (R1): whatever a client calls the reason, and where it calls
// it nothing, the memory is the same.
func TestAnyTrigger(t *testing.T) {
	for _, trigger := range []any{"auto", "manual", "", "unknown", nil, "plugin"} {
		b, c := place(t, "file")
		input := with(c.input(hook.SessionCompact, ""), "trigger", trigger)
		out, err := b.as("ada", hook.SessionCompact, input)
		if err != nil || !out.Answered {
			t.Fatalf("trigger %v: %+v, %v", trigger, out, err)
		}
		b.own(c, hook.SessionCompact, out)
		b.told("ada", hook.PreCompact, with(c.input(hook.PreCompact, ""), "trigger", trigger))
		if n := len(b.kept(c.id)); n != 1 {
			t.Errorf("trigger %v: %d checkpoints of what was said once", trigger, n)
		}
	}
}

// TestAnyOrder (R1): no event needs another one to have come, and what has come
// before spoils nothing.
func TestAnyOrder(t *testing.T) {
	events := map[string]struct {
		event hook.Event
		why   string
	}{
		"pre": {hook.PreCompact, "auto"}, "start": {hook.SessionStart, "compact"}, "post": {hook.PostCompact, "auto"}, "resume": {hook.SessionStart, "resume"},
		"tool": {hook.PostToolUse, ""}, "replace": {hook.SessionCompact, "auto"}, "stop": {hook.Stop, ""}, "end": {hook.SessionEnd, ""},
	}
	for _, order := range []string{
		"start", "post start", "pre start post", "pre pre start", "pre post start", "start pre start", "tool start", "end start", "resume start",
		"pre round start", "pre round post round start", "start round start", "replace start round start", "replace round pre round start", "stop round start",
	} {
		t.Run(order, func(t *testing.T) {
			b, c := place(t, "file")
			random := rand.New(rand.NewPCG(2, 2))
			var last hook.Output
			for step := range strings.FieldsSeq(order) {
				if step == "round" {
					c.round(random)
					c.reads()
					continue
				}
				e := events[step]
				if e.why == "compact" {
					c.compacts("auto")
				}
				out, err := b.as("ada", e.event, c.input(e.event, e.why))
				if err != nil {
					t.Errorf("%s: %v", step, err)
				}
				if step == "start" {
					last = out
				}
			}
			b.own(c, hook.SessionStart, last)
			b.chains()
		})
	}
}

// TestWhereAHookRuns (N5): the folder of a session is what its rows and the
// client say, however they say it, and never the one that the hook runs in.
func TestWhereAHookRuns(t *testing.T) {
	wrong := filepath.Join(realFolder(t), "wrongplace")
	put(t, filepath.Join(wrong, "shop", "README.md"), "x")
	t.Chdir(wrong)
	for _, cwd := range []any{nil, "", ".", "shop", "..", `C:\work\shop`, `\\host\shop`, "~/shop", "/nowhere/at all", "/\x00"} {
		b, c := place(t, "file")
		for _, rows := range []string{c.folder, ".", "shop", "", `C:\work\shop`, filepath.Join(wrong, "deleted")} {
			x := b.session(fmt.Sprintf("0b7e-%x", rows), c.folder, "marktwo")
			x.folder = rows
			x.round(rand.New(rand.NewPCG(1, 1)))
			x.reads()
			out, err := b.as("ada", hook.SessionCompact, with(x.input(hook.SessionCompact, "auto"), "cwd", cwd))
			if err != nil && cwd != "/\x00" || !out.Answered {
				t.Errorf("cwd %q, rows %q: answered %v, %v", cwd, rows, out.Answered, err)
			}
			for _, e := range b.kept(x.id) {
				if e.Project == wrong || e.Project == filepath.Join(wrong, "shop") || e.Project == filepath.Dir(wrong) || strings.Contains(e.Project, "C:") {
					t.Errorf("cwd %q, rows %q: it belongs to %q", cwd, rows, e.Project)
				}
				if rows == c.folder && e.Project != c.folder {
					t.Errorf("cwd %q: it belongs to %q, and its rows say %q", cwd, e.Project, c.folder)
				}
			}
		}
	}
}

// TestOffers: a new session hears of the latest work in its own folder, by
// whatever name it has, and of nobody else's.
func TestOffers(t *testing.T) {
	b, c := place(t, "file")
	t.Chdir(c.folder) // where a hook runs is no reason to offer anything
	b.told("ada", hook.SessionCompact, c.input(hook.SessionCompact, "auto"))
	theirs := b.session("0b7e0009", c.folder, "markbob")
	theirs.round(rand.New(rand.NewPCG(1, 1)))
	theirs.reads()
	b.told("bob", hook.SessionCompact, theirs.input(hook.SessionCompact, "auto"))
	top := filepath.Dir(c.folder)
	below, beside, linked := filepath.Join(c.folder, "below"), c.folder+"-2", filepath.Join(top, "linked")
	for _, dir := range []string{below, beside, filepath.Join(top, "other")} {
		put(t, filepath.Join(dir, "x"), "x")
	}
	if err := os.Symlink(c.folder, linked); err != nil {
		t.Skip("links cannot be made here")
	}
	for _, tt := range []struct {
		cwd   any
		owner string
		want  bool
	}{
		{c.folder, "ada", true}, {linked, "ada", true}, {filepath.Join(linked, "below", ".."), "ada", true}, {c.folder + "/", "ada", true},
		{c.folder, "bob", false}, {c.folder, "", false}, {c.folder, "Ada", false}, {c.folder, "ad", false},
		{below, "ada", false}, {beside, "ada", false}, {top, "ada", false}, {filepath.Join(top, "other"), "ada", false}, {strings.ToUpper(c.folder), "ada", false},
		{".", "ada", false}, {"", "ada", false}, {nil, "ada", false}, {"/", "ada", false}, {`C:\`, "ada", false}, {filepath.Base(c.folder), "ada", false},
	} {
		for _, source := range []string{"startup", "clear"} {
			got := b.told(tt.owner, hook.SessionStart, with(c.input(hook.SessionStart, source), "cwd", tt.cwd))
			if strings.Contains(got, c.mark) != tt.want {
				t.Errorf("%s of %q at %v is told of it: %v, want %v\n%s", source, tt.owner, tt.cwd, !tt.want, tt.want, got)
			}
			if strings.Contains(got, theirs.mark) != (tt.owner == "bob" && tt.cwd == c.folder) {
				t.Errorf("%s of %q at %v, and what bob did last:\n%s", source, tt.owner, tt.cwd, got)
			}
		}
	}
}

// TestOnlyItsOwn (N3): no event tells a session what is stored of another one,
// however much alike they are named, or of another account.
func TestOnlyItsOwn(t *testing.T) {
	ids := []string{"0b7e0001", "0b7e0001-2", "0b7e000", "0B7E0001", "0b7e0001.agent-x", "0b7e0001#x", "../0b7e0001", "0b7e0001/", "0b7e0001\n", "", "ﬀ0b7e0001", " 0b7e0001"}
	for kind := range stores {
		b, c := place(t, kind)
		b.told("ada", hook.SessionCompact, c.input(hook.SessionCompact, "auto"))
		for _, id := range ids {
			for _, owner := range []string{"ada", "bob"} {
				if id == c.id && owner == "ada" {
					continue
				}
				other := b.session(fmt.Sprintf("x%x-%s", id, owner), filepath.Join(realFolder(t), "birchway"), "marktwo")
				other.round(rand.New(rand.NewPCG(1, 1)))
				other.reads()
				for _, e := range []struct {
					event hook.Event
					why   string
				}{
					{hook.SessionStart, "resume"}, {hook.SessionStart, "compact"}, {hook.PreCompact, "auto"}, {hook.SessionCompact, "auto"}, {hook.PostCompact, "auto"},
					{hook.PostToolUse, ""}, {hook.UserPromptSubmit, ""}, {hook.SubagentStart, ""}, {hook.Stop, ""}, {hook.SessionEnd, ""},
				} {
					in := with(other.input(e.event, e.why), "session_id", id)
					out, _ := b.as(owner, e.event, in) // an odd id may be refused
					if told := out.Context + out.Memory + out.Instructions + out.Notice; strings.Contains(told, c.mark) {
						t.Errorf("%s: %s of %q, %s %s: it is told of another's:\n%s", kind, owner, id, e.event, e.why, around(told, c.mark))
					}
				}
			}
		}
		for _, e := range b.kept(c.id) {
			if e.Owner != "ada" || e.Project != c.folder {
				t.Errorf("%s: another's checkpoint is in its chain: %+v", kind, e)
			}
		}
		out, err := b.as("ada", hook.SessionCompact, c.input(hook.SessionCompact, "auto"))
		if err != nil {
			t.Error(err)
		}
		b.own(c, hook.SessionCompact, out)
	}
}

// TestOneIDTwice (N3): a session's id that another project's session has, too,
// brings nothing of the one into the other.
func TestOneIDTwice(t *testing.T) {
	for kind := range stores {
		b, c := place(t, kind)
		b.told("ada", hook.SessionCompact, c.input(hook.SessionCompact, "auto"))
		before := b.kept(c.id)
		other := b.session(c.id, filepath.Join(realFolder(t), "birchway"), "marktwo")
		random := rand.New(rand.NewPCG(1, 1))
		for range 4 {
			other.round(random)
			other.reads()
			for _, e := range []struct {
				event hook.Event
				why   string
			}{{hook.SessionStart, "resume"}, {hook.PostCompact, "auto"}, {hook.SessionStart, "compact"}, {hook.PreCompact, "auto"}, {hook.SubagentStart, ""}, {hook.SessionCompact, "auto"}} {
				out, err := b.as("ada", e.event, other.input(e.event, e.why))
				if told := out.Context + out.Memory + out.Instructions + out.Notice; strings.Contains(told, c.mark) {
					t.Errorf("%s, %s %s: it is told of the other project's:\n%s", kind, e.event, e.why, around(told, c.mark))
				}
				if e.event == hook.SessionCompact {
					if !out.Answered {
						t.Errorf("%s: no answer: %v", kind, err)
					}
					b.own(other, e.event, out)
				}
			}
		}
		after := b.kept(c.id)
		if len(after) < len(before) || after[len(after)-1].ID != before[len(before)-1].ID {
			t.Errorf("%s: the first one's checkpoints were %v, are %v", kind, before, after)
		}
		c.round(random)
		out, err := b.as("ada", hook.SessionCompact, c.input(hook.SessionCompact, "auto"))
		if err != nil || strings.Contains(out.Memory, other.mark) {
			t.Errorf("%s, the first one again: %v\n%s", kind, err, out.Memory)
		}
		b.own(c, hook.SessionCompact, out)
	}
}

// TestAWorktreeInMidSession (N1): the client goes from the checkout to a worktree
// beside it; the memory has its whole paths, its folder and branch, and a later
// start looks at the disk there.
func TestAWorktreeInMidSession(t *testing.T) {
	dir := realFolder(t)
	root, tree := filepath.Join(dir, "amberly shop"), filepath.Join(dir, "amberly shop fix 12")
	checkout(t, root, tree, "fix/12")
	b := &bench{t: t, kind: "file", data: filepath.Join(dir, "data", "pith")}
	c := b.session("0b7e0001", root, "markone")
	random := rand.New(rand.NewPCG(1, 1))
	c.round(random)
	c.calls("Bash", map[string]any{"command": "git worktree add -b fix/12 '" + tree + "'"}, "Preparing worktree (new branch 'fix/12')", false)
	c.folder, c.branch = tree, "fix/12"
	c.round(random)
	for _, p := range c.paths {
		put(t, p, "package part\n")
	}
	c.reads()
	put(t, filepath.Join(tree, c.mark, "large.go"), "package large\n")
	out, err := b.as("ada", hook.SessionCompact, with(c.input(hook.SessionCompact, "auto"), "cwd", tree))
	if err != nil {
		t.Fatal(err)
	}
	b.own(c, hook.SessionCompact, out)
	for _, want := range append([]string{tree, "fix/12"}, c.paths...) {
		if !strings.Contains(out.Memory, want) {
			t.Errorf("%q is not in it:\n%s", want, out.Memory)
		}
	}
	if list := b.kept(c.id); len(list) != 1 || list[0].Project != root {
		t.Errorf("it belongs to %+v", list)
	}
	if got := b.told("ada", hook.SessionStart, with(c.input(hook.SessionStart, "resume"), "cwd", tree)); strings.Contains(got, "hanged") {
		t.Errorf("nothing changed, and it says:\n%s", got)
	}
	edited := c.paths[1]
	put(t, edited, "package other\n")
	put(t, c.paths[0], "package part\n") // written anew, the same
	put(t, filepath.Join(root, ".git", "worktrees", filepath.Base(tree), "HEAD"), "ref: refs/heads/other\n")
	got := b.told("ada", hook.SessionStart, with(c.input(hook.SessionStart, "resume"), "cwd", tree))
	if !strings.Contains(got, filepath.Base(edited)) || strings.Contains(got, filepath.Base(c.paths[0])) || !strings.Contains(got, "branch was fix/12, is other") {
		t.Errorf("%s was changed, and the branch:\n%s", edited, got)
	}
}

// TestAStoreThatCannotBeHad (R3): the answer comes in time, is bounded, and has
// the memory all the same.
func TestAStoreThatCannotBeHad(t *testing.T) {
	for name, open := range map[string]func(context.Context) (pith.Store, func(), error){
		"broken": func(context.Context) (pith.Store, func(), error) { return nil, nil, fmt.Errorf("no such luck") },
		"hangs": func(ctx context.Context) (pith.Store, func(), error) {
			<-ctx.Done()
			return nil, nil, ctx.Err()
		},
		"hangs for good": func(context.Context) (pith.Store, func(), error) { select {} },
		"panics":         func(context.Context) (pith.Store, func(), error) { panic("at the disco") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, c := place(t, "file")
			h := hook.New(hook.Config{
				Open: open, Look: func(context.Context, string, []string) (*pith.Disk, error) { return nil, fmt.Errorf("blind") },
				Dir: filepath.Join(b.data, "hooks"), Owner: "ada", Project: resolved, Now: time.Now, Limit: 20 * time.Second,
			})
			for _, event := range []hook.Event{hook.SessionCompact, hook.PreCompact, hook.SessionStart, hook.Stop, hook.PostToolUse, hook.SubagentStart} {
				in, err := json.Marshal(with(c.input(event, "compact")))
				if err != nil {
					t.Fatal(err)
				}
				begin := time.Now()
				out, _ := h.Run(context.Background(), hook.ClaudeCode, event, bytes.NewReader(in))
				if took := time.Since(begin); took > 15*time.Second {
					t.Errorf("%s took %s", event, took)
				}
				if n := len(out.Context + out.Memory + out.Instructions + out.Notice); n > 64<<10 {
					t.Errorf("%s says %d bytes", event, n)
				}
				if event == hook.SessionCompact || event == hook.SessionStart && !out.Answered && out.Context != "" {
					b.own(c, event, out)
				}
			}
			problems, err := hook.Problems(filepath.Join(b.data, "hooks"))
			if err != nil || len(problems) == 0 {
				t.Errorf("nothing is noted of it: %v", err)
			}
		})
	}
}

// TestTwiceAtOnce (P1, P3): of hooks of one session at once each has an answer,
// and they leave one chain; the lock of a process that is gone hinders nobody.
func TestTwiceAtOnce(t *testing.T) {
	for kind := range stores {
		b, c := place(t, kind)
		random := rand.New(rand.NewPCG(1, 1))
		for range 4 {
			c.round(random)
			if kind == "file" { // as a process leaves it that was killed
				for _, e := range b.kept(c.id)[:min(1, len(b.kept(c.id)))] {
					put(t, filepath.Join(b.data, "checkpoints", e.SessionID, ".lock"), "999999999\n")
				}
			}
			var asked sync.WaitGroup
			for range 4 {
				asked.Go(func() {
					out, err := b.as("ada", hook.SessionCompact, c.input(hook.SessionCompact, "auto"))
					if err != nil {
						t.Errorf("%s: %v", kind, err)
					}
					b.own(c, hook.SessionCompact, out)
				})
			}
			asked.Wait()
		}
		b.chains()
		problems, err := hook.Problems(filepath.Join(b.data, "hooks"))
		if err != nil || len(problems) > 0 {
			t.Errorf("%s: %v, %v", kind, problems, err)
		}
	}
}

// TestACopyGoesItsOwnWay (N3): a session's file was copied, and both go on under
// one id: a compaction of the one knows nothing of what came to the other.
func TestACopyGoesItsOwnWay(t *testing.T) {
	b, c := place(t, "file")
	rows, err := os.ReadFile(c.transcript)
	if err != nil {
		t.Fatal(err)
	}
	other := newClient("", c.id, filepath.Join(realFolder(t), "birchway"), c.mark)
	other.transcript, other.last, other.rows, other.turns = filepath.Join(filepath.Dir(c.transcript), "copy", c.id+".jsonl"), c.last, c.rows+1000, c.turns+1000
	put(t, filepath.Join(other.folder, "x"), "x")
	put(t, other.transcript, string(rows))
	random := rand.New(rand.NewPCG(1, 1))
	for i, x := range []*client{c, other, c, other} {
		name := []string{"amberfile", "birchfile"}[i%2]
		x.says("Never delete " + name + ".go.")
		for range 1 + i {
			x.round(random)
		}
		x.reads()
		out, _ := b.as("ada", hook.SessionCompact, x.input(hook.SessionCompact, "auto")) // one of them may not be stored
		got := out.Memory
		foreign := []string{"birchfile", "amberfile"}[i%2]
		if !strings.Contains(got, name) || strings.Contains(got, foreign) {
			t.Errorf("compaction %d has %s: %v, %s: %v", i, name, strings.Contains(got, name), foreign, strings.Contains(got, foreign))
		}
	}
}
