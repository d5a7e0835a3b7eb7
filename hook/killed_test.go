package hook_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith/hook"
	"github.com/pith-memory/pith/store/storetest"
)

// TestCaseR3Killed kills hooks in the middle of their work. The next one works
// as if nothing had happened, and nothing is lost.
func TestCaseR3Killed(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	path, kills := program(t), storetest.Kills(t, os.Getenv("PITH_KILLS"))
	for kind := range stores {
		t.Run(kind, func(t *testing.T) {
			b, c := place(t, kind)
			random, dead := seeded(11), 0
			for i := range kills {
				c.round(random)
				event := []hook.Event{hook.SessionCompact, hook.PreCompact, hook.Stop, hook.SessionEnd, hook.PostToolUse}[random.IntN(5)]
				if b.killed(path, c, event, time.Duration(random.IntN(60))*time.Millisecond) {
					dead++
				}
				if i%4 != 3 {
					continue
				}
				out, err := b.asProcess(path)(c, hook.SessionCompact, c.input(hook.SessionCompact, "manual"), "")
				if err != nil {
					t.Fatalf("after kill %d: %v", i, err)
				}
				for _, want := range c.wants() {
					if !strings.Contains(out.Memory, want) {
						t.Fatalf("after kill %d: %q is not in the memory:\n%s", i, want, out.Memory)
					}
				}
			}
			b.chains()
			left, err := filepath.Glob(filepath.Join(b.data, "hooks", ".new-*"))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d were killed in time; %d half-written records are left", dead, kills, len(left))
			if dead == 0 {
				t.Error("none was killed in time")
			}
			if text := b.problems(); text != "" {
				t.Errorf("the problems are %q", text)
			}
		})
	}
}

// killed starts a hook and kills it after some time. It gives false where the
// hook was done by then.
func (b *bench) killed(path string, c *client, event hook.Event, after time.Duration) bool {
	in, err := json.Marshal(c.input(event, "auto"))
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.Command(path, "hook", string(event))
	home := filepath.Dir(b.data)
	cmd.Stdin = bytes.NewReader(in)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, "config"), "PITH_STORE="+b.kind)
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	return cmd.Wait() != nil
}
