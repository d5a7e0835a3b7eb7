package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/hook"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/store/file"
	"github.com/pith-memory/pith/store/sqlite"
	"github.com/pith-memory/pith/workspace"
)

// rounds is how many rounds all sessions of a run have together.
const rounds = 200

// TestTwoOfEverything has two projects with two worktrees each and two sessions
// in each of those at work at once, over one store and one folder of records.
// Nothing of one is ever told in another, and each keeps one chain.
func TestTwoOfEverything(t *testing.T) {
	n := rounds
	if testing.Short() {
		n = 40
	}
	var path string
	if !testing.Short() {
		path = program(t)
	}
	for kind := range stores {
		t.Run(kind+", one process", func(t *testing.T) {
			b := newBench(t, kind)
			t.Chdir(t.TempDir()) // wrong for all of them
			b.run(n, b.inProcess)
		})
		t.Run(kind+", a process each", func(t *testing.T) {
			if testing.Short() {
				t.Skip("hundreds of processes")
			}
			b := newBench(t, kind)
			if kind == "file" { // not the default
				n /= 4
			}
			b.run(n, b.asProcess(path))
		})
	}
}

var stores = map[string]func(ctx context.Context, dir string) (pith.Store, func(), error){
	"file": func(_ context.Context, dir string) (pith.Store, func(), error) {
		s, err := file.Open(filepath.Join(dir, "checkpoints"))
		return s, func() {}, err
	},
	"sqlite": func(ctx context.Context, dir string) (pith.Store, func(), error) {
		s, err := sqlite.Open(ctx, filepath.Join(dir, "pith.db"))
		if err != nil {
			return nil, nil, err
		}
		return s, func() { _ = s.Close() }, nil
	},
}

// program builds the real one.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pith")
	if out, err := exec.Command("go", "build", "-o", path, "github.com/pith-memory/pith/cmd/pith").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// bench is a machine with several projects, one store and one folder of records.
type bench struct {
	t        *testing.T
	kind     string
	data     string
	sessions []*client
	folders  []string
}

func newBench(t *testing.T, kind string) *bench {
	dir := realFolder(t)
	b := &bench{t: t, kind: kind, data: filepath.Join(dir, "data", "pith")}
	if err := os.MkdirAll(b.data, 0o700); err != nil {
		t.Fatal(err)
	}
	for p, project := range []string{"amberly", "birchway"} {
		root := filepath.Join(dir, project+" shop")
		tree := filepath.Join(dir, project+" shop-cedarfix")
		checkout(t, root, tree, "cedarfix-"+project)
		for w, folder := range []string{root, tree} {
			b.folders = append(b.folders, folder)
			for s := range 2 {
				id := fmt.Sprintf("0b7e%d%d%d0-3c7a-4a52-9a0e-2f1f6f0a9d1%d", p, w, s, s)
				c := newClient(filepath.Join(dir, "claude"), id, folder, fmt.Sprintf("mark%c%c%c", "qv"[p], "xj"[w], "kz"[s]))
				c.branch = []string{"main", "cedarfix-" + project}[w]
				b.sessions = append(b.sessions, c)
			}
		}
	}
	return b
}

func realFolder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// checkout makes what git has on the disk for a checkout and a worktree of it.
func checkout(t *testing.T, root, tree, branch string) {
	t.Helper()
	own := filepath.Join(root, ".git", "worktrees", filepath.Base(tree))
	sha := strings.Repeat("4f", 20)
	for path, text := range map[string]string{
		filepath.Join(root, ".git", "HEAD"):                  "ref: refs/heads/main\n",
		filepath.Join(root, ".git", "refs", "heads", "main"): sha + "\n",
		filepath.Join(root, ".git", "refs", "heads", branch): sha + "\n",
		filepath.Join(own, "HEAD"):                           "ref: refs/heads/" + branch + "\n",
		filepath.Join(own, "commondir"):                      "../..\n",
		filepath.Join(own, "gitdir"):                         filepath.Join(tree, ".git") + "\n",
		filepath.Join(tree, ".git"):                          "gitdir: " + own + "\n",
		filepath.Join(root, "README.md"):                     "checkout\n",
		filepath.Join(tree, "README.md"):                     "worktree\n",
	} {
		put(t, path, text)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// ask answers an event, as the client gets it.
type ask func(c *client, event hook.Event, input map[string]any, wrong string) (hook.Output, error)

// hooks answer as the account ada does.
func (b *bench) hooks(owner string) *hook.Hooks {
	return hook.New(hook.Config{
		Memory: memory.Config{},
		Open:   func(ctx context.Context) (pith.Store, func(), error) { return stores[b.kind](ctx, b.data) },
		Look:   workspace.Look,
		Dir:    filepath.Join(b.data, "hooks"), Owner: owner, Project: resolved, Now: time.Now,
	})
}

// resolved is a folder as the program names it.
func resolved(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	if led, err := filepath.EvalSymlinks(abs); err == nil {
		return led
	}
	return abs
}

func (b *bench) inProcess(_ *client, event hook.Event, input map[string]any, _ string) (hook.Output, error) {
	in, err := json.Marshal(input)
	if err != nil {
		return hook.Output{}, err
	}
	return b.hooks("ada").Run(context.Background(), hook.ClaudeCode, event, bytes.NewReader(in))
}

func (b *bench) asProcess(path string) ask {
	return func(_ *client, event hook.Event, input map[string]any, wrong string) (hook.Output, error) {
		in, err := json.Marshal(input)
		if err != nil {
			return hook.Output{}, err
		}
		cmd := exec.Command(path, "hook", string(event))
		cmd.Stdin, cmd.Dir = bytes.NewReader(in), wrong
		home := filepath.Dir(b.data)
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, "config"), "PITH_STORE="+b.kind)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			return hook.Output{}, fmt.Errorf("it exits with an error: %w: %s", err, stderr.String())
		}
		out, err := decoded(event, stdout.Bytes())
		if err == nil && stderr.Len() > 0 {
			err = errors.New(strings.TrimSpace(stderr.String()))
		}
		return out, err
	}
}

// decoded reads an answer as Claude Code does.
func decoded(event hook.Event, answer []byte) (out hook.Output, err error) {
	var body struct {
		Memory, Notice, SystemMessage string
		Keep                          []string
		HookSpecificOutput            struct{ AdditionalContext string }
	}
	switch {
	case len(answer) == 0:
		return out, nil
	case event == hook.PreCompact:
		return hook.Output{Instructions: string(answer)}, nil
	}
	err = json.Unmarshal(answer, &body)
	return hook.Output{
		Memory: body.Memory, Keep: body.Keep, Answered: event == hook.SessionCompact,
		Notice: body.Notice + body.SystemMessage, Context: body.HookSpecificOutput.AdditionalContext,
	}, err
}

// run has every session take its share of the rounds, all at once.
func (b *bench) run(n int, answer ask) {
	var all sync.WaitGroup
	for i, c := range b.sessions {
		all.Go(func() {
			random := rand.New(rand.NewPCG(20, uint64(i)))
			for range n / len(b.sessions) {
				c.round(random)
				for range 1 + random.IntN(2) {
					b.fire(c, random, answer)
				}
			}
		})
	}
	all.Wait()
	for i, c := range b.sessions {
		c.reads()
		b.own(c, hook.SessionCompact, b.tell(c, answer, hook.SessionCompact, "auto", b.folders[(i+3)%len(b.folders)]))
	}
	b.chains()
}

// fire sends one event of a session, sometimes twice at once.
func (b *bench) fire(c *client, random *rand.Rand, answer ask) {
	events := []struct {
		event hook.Event
		why   string
		own   bool
	}{
		{hook.PostToolUse, "", false}, {hook.UserPromptSubmit, "", false}, {hook.Stop, "", false}, {hook.SubagentStart, "", false},
		{hook.PreCompact, "auto", false}, {hook.PreCompact, "manual", false}, {hook.PostCompact, "auto", false},
		{hook.SessionStart, "compact", true}, {hook.SessionStart, "resume", false},
		{hook.SessionStart, "startup", false}, {hook.SessionStart, "clear", false},
		{hook.SessionCompact, "auto", true}, {hook.SessionCompact, "manual", true}, {hook.SessionCompact, "", true},
	}
	e := events[random.IntN(len(events))]
	wrong := b.folders[random.IntN(len(b.folders))]
	var asked sync.WaitGroup
	for range 1 + random.IntN(5)/4 {
		asked.Go(func() {
			out := b.tell(c, answer, e.event, e.why, wrong)
			if e.own && out.Memory+out.Context != "" {
				b.own(c, e.event, out)
			}
		})
	}
	asked.Wait()
}

// tell sends an event, and looks for what belongs to somebody else.
func (b *bench) tell(c *client, answer ask, event hook.Event, why, wrong string) hook.Output {
	input := c.input(event, why)
	out, err := answer(c, event, input, wrong)
	if err != nil && !strings.Contains(err.Error(), "somebody else holds it") { // for too long, on a slow machine: it is kept next time
		b.t.Errorf("%s, %s %s: %v", c.mark, event, why, err)
	}
	fresh := input["session_id"] != c.id
	told := out.Context + out.Notice + out.Memory + out.Instructions
	for _, x := range b.sessions {
		if x == c || fresh && x.folder == c.folder {
			continue
		}
		if strings.Contains(told, x.mark) {
			b.t.Errorf("%s in %s, %s %s: it is told of %s in %s:\n%s", c.mark, c.folder, event, why, x.mark, x.folder, around(told, x.mark))
		}
	}
	for _, f := range b.folders {
		if f != c.folder && mentions(told, f) {
			b.t.Errorf("%s in %s, %s %s: it is told of the folder %s:\n%s", c.mark, c.folder, event, why, f, around(told, f))
		}
	}
	return out
}

// mentions tells whether a text names a folder, and not one that begins so.
func mentions(text, folder string) bool {
	for rest := text; ; {
		i := strings.Index(rest, folder)
		if i < 0 {
			return false
		}
		if rest = rest[i+len(folder):]; !strings.HasPrefix(rest, "-cedarfix") {
			return true
		}
	}
}

func around(text, what string) string {
	at := strings.Index(text, what)
	return text[max(0, at-300):min(len(text), at+300)]
}

// own looks for what the session itself said and did.
func (b *bench) own(c *client, event hook.Event, out hook.Output) {
	for _, want := range c.wants() {
		if !strings.Contains(out.Memory+out.Context, want) {
			text := out.Memory + out.Context
			b.t.Errorf("%s, %s: %q is not in it:\n%s", c.mark, event, want, text[:min(len(text), 1200)])
			return
		}
	}
}

// chains looks at what is stored in the end.
func (b *bench) chains() {
	store, done, err := stores[b.kind](context.Background(), b.data)
	if err != nil {
		b.t.Fatal(err)
	}
	defer done()
	for _, c := range b.sessions {
		list, err := store.List(context.Background(), c.id)
		if err != nil {
			b.t.Fatal(err)
		}
		if len(list) == 0 {
			b.t.Fatalf("%s: nothing is stored", c.mark)
		}
		for i, e := range list {
			parent := ""
			if i+1 < len(list) {
				parent = list[i+1].ID
			}
			if e.ParentID != parent || e.Seq != list[len(list)-1].Seq+len(list)-1-i || e.Damaged != "" || e.Project != c.folder {
				b.t.Errorf("%s: it is no chain at %d of %d: %+v", c.mark, i, len(list), e)
			}
		}
		s, err := store.Latest(context.Background(), c.id)
		if err != nil {
			b.t.Fatal(err)
		}
		for _, want := range append(c.wants()[:4], c.paths...) {
			if !bytes.Contains(s.JSON, []byte(want)) {
				b.t.Errorf("%s: %q is not in its latest state", c.mark, want)
			}
		}
		if len(s.State.Evidence) == 0 || s.State.Evidence[0].ExitCode == nil || *s.State.Evidence[0].ExitCode != 3 {
			b.t.Errorf("%s: its exit code is not in its latest state: %+v", c.mark, s.State.Evidence)
		}
		for _, x := range b.sessions {
			if x != c && bytes.Contains(s.JSON, []byte(x.mark)) {
				b.t.Errorf("%s: %s is in its latest state", c.mark, x.mark)
			}
		}
	}
	all, err := store.List(context.Background(), "")
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range all {
		if !strings.HasPrefix(e.SessionID, "0b7e") {
			b.t.Errorf("a session that nobody had: %+v", e)
		}
	}
}
