package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/hook"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/workspace"
)

// desk is one person's machine with one session at work.
type desk struct {
	t      *testing.T
	data   string
	owner  string
	client hook.Client
	now    time.Time
	window int
	c      *client
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	dir := realFolder(t)
	d := &desk{t: t, data: filepath.Join(dir, "data"), owner: "ada", client: hook.ClaudeCode, now: time.Date(2026, 11, 2, 14, 2, 0, 0, time.UTC)}
	d.c = d.session("5e55", "ledger", "amberly")
	return d
}

// session begins another session in a folder of the machine.
func (d *desk) session(id, folder, mark string) *client {
	d.t.Helper()
	folder = filepath.Join(filepath.Dir(d.data), folder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		d.t.Fatal(err)
	}
	return newClient(filepath.Join(filepath.Dir(d.data), "claude"), id, folder, mark)
}

func (d *desk) hooks() *hook.Hooks {
	return hook.New(hook.Config{
		Memory: memory.Config{Window: d.window},
		Open:   func(ctx context.Context) (pith.Store, func(), error) { return stores["file"](ctx, d.data) },
		Look:   workspace.Look,
		Dir:    filepath.Join(d.data, "hooks"), Owner: d.owner, Project: resolved,
		Now: func() time.Time { return d.now },
	})
}

// tell sends an event of a session a minute after the last one.
func (d *desk) tell(c *client, event hook.Event, why string, more map[string]any) hook.Output {
	d.t.Helper()
	d.now = d.now.Add(time.Second)
	input := c.input(event, why)
	maps.Copy(input, more)
	in, err := json.Marshal(input)
	if err != nil {
		d.t.Fatal(err)
	}
	out, err := d.hooks().Run(context.Background(), d.client, event, bytes.NewReader(in))
	if err != nil {
		d.t.Fatalf("%s %s: %v", event, why, err)
	}
	return out
}

// later lets time pass between two things that have nothing to do with each other.
func (d *desk) later() { d.now = d.now.Add(time.Hour) }

// edits has the agent write a file, on the disk too.
func (d *desk) edits(c *client, name, text string) string {
	path := filepath.Join(c.folder, name)
	put(d.t, path, text)
	c.calls("Edit", map[string]any{"file_path": path, "old_string": "a", "new_string": "b"}, "The file "+path+" has been updated.", false)
	return path
}

// holds asks for texts, in order.
func holds(t *testing.T, text string, wants ...string) {
	t.Helper()
	rest := text
	for _, want := range wants {
		_, after, ok := strings.Cut(rest, want)
		if !ok {
			t.Fatalf("%q is not in it (or not in that place):\n%s", want, text)
		}
		rest = after
	}
}

// lacks refuses texts.
func lacks(t *testing.T, text string, texts ...string) {
	t.Helper()
	for _, refused := range texts {
		if strings.Contains(text, refused) {
			t.Errorf("%q is in it:\n%s", refused, text)
		}
	}
}

// silent asks for an answer that says nothing.
func silent(t *testing.T, out hook.Output) {
	t.Helper()
	if out.Context+out.Notice+out.Instructions+out.Memory != "" {
		t.Errorf("it says something: %+v", out)
	}
}

// stored are the sessions of the checkpoints, the latest first.
func (d *desk) stored() []string {
	d.t.Helper()
	store, done, err := stores["file"](context.Background(), d.data)
	if err != nil {
		d.t.Fatal(err)
	}
	defer done()
	list, err := store.List(context.Background(), "")
	if err != nil {
		d.t.Fatal(err)
	}
	var out []string
	for i := range list {
		out = append(out, list[i].SessionID)
	}
	return out
}
