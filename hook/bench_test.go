package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith/hook"
)

// longSession is a Claude Code session of that many bytes, none of which
// repeats another.
func longSession(b *testing.B, size int64) (*bench, *client) {
	b.Helper()
	dir := b.TempDir()
	machine := &bench{kind: "sqlite", data: filepath.Join(dir, "data", "pith")}
	folder := filepath.Join(dir, "amberly shop")
	for _, d := range []string{machine.data, folder} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			b.Fatal(err)
		}
	}
	c := newClient(filepath.Join(dir, "claude"), "0b7e0001", folder, "markone")
	random := seeded(40)
	for n := int64(0); n < size; {
		c.work(random)
		info, err := os.Stat(c.transcript)
		if err != nil {
			b.Fatal(err)
		}
		n = info.Size()
	}
	return machine, c
}

// work is about 20 KB of a session: one of 120 files that is read, an edit, a
// check.
func (c *client) work(random *rand.Rand) {
	var text strings.Builder
	for i := range 260 {
		fmt.Fprintf(&text, "%d\tfunc part%x(n int) error { return check(n, %d, %q) }\n", i, random.Uint32(), random.Uint32(), c.mark)
	}
	if c.rows == 0 {
		c.says("Rename the ledger " + c.mark + " in every package.\n\n- Never touch " + c.mark + "/legacy.go, the auditors read it.")
	}
	path := filepath.Join(c.folder, c.mark, fmt.Sprintf("part%d.go", c.turns/3%120))
	c.calls("Read", map[string]any{"file_path": path}, text.String(), false)
	c.calls("Edit", map[string]any{"file_path": path, "old_string": "a", "new_string": "b"}, "The file "+path+" has been updated.", false)
	c.calls("Bash", map[string]any{"command": "./" + c.mark + "-check all"}, "Exit code 3\n"+c.mark+" is not renamed everywhere", true)
}

// BenchmarkHook answers events in this process, without what it costs to start
// one: the first of a session, and those after it with 20 KB more each time.
func BenchmarkHook(b *testing.B) {
	for _, size := range []int64{4 << 20, 40 << 20} {
		machine, c := longSession(b, size)
		for _, event := range []hook.Event{hook.SessionCompact, hook.PreCompact, hook.PostToolUse, hook.Stop} {
			in, err := json.Marshal(c.input(event, "auto"))
			if err != nil {
				b.Fatal(err)
			}
			name := fmt.Sprintf("%s/%dMB/", event, size>>20)
			answer := func(b *testing.B) {
				if _, err := machine.hooks("ada").Run(context.Background(), hook.ClaudeCode, event, bytes.NewReader(in)); err != nil {
					b.Fatal(err)
				}
			}
			b.Run(name+"first", func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					if err := os.RemoveAll(machine.data); err != nil {
						b.Fatal(err)
					}
					if err := os.MkdirAll(machine.data, 0o700); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					answer(b)
				}
			})
			b.Run(name+"later", func(b *testing.B) {
				random := seeded(4)
				for b.Loop() {
					b.StopTimer()
					c.work(random)
					b.StartTimer()
					answer(b)
				}
			})
		}
	}
}

// BenchmarkProcess answers events as a client has them answered, each in a
// process of its own. Beside the mean it reports the median, the 99th percentile
// and the least time, and the median of the processor time.
func BenchmarkProcess(b *testing.B) {
	path := filepath.Join(b.TempDir(), "pith")
	if out, err := exec.Command("go", "build", "-o", path, "github.com/pith-memory/pith/cmd/pith").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for _, size := range []int64{4 << 20, 40 << 20} {
		machine, c := longSession(b, size)
		for name, of := range map[hook.Client]session{hook.ClaudeCode: c, hook.Codex: longRollout(b, c, size)} {
			for _, event := range []hook.Event{hook.SessionCompact, hook.PreCompact, hook.PostToolUse, hook.Stop} {
				if event == hook.SessionCompact && name == hook.Codex {
					continue // Codex has no such event
				}
				p := &process{path: path, data: filepath.Dir(machine.data), name: name, event: event, client: of}
				for _, later := range []bool{false, true} {
					b.Run(fmt.Sprintf("%s/%s/%dMB/later=%t", name, event, size>>20, later), func(b *testing.B) { p.bench(b, later) })
				}
			}
		}
	}
}

// session is one that goes on.
type session interface {
	work(random *rand.Rand)
	input(event hook.Event, why string) map[string]any
}

// process is an event that a process is started for.
type process struct {
	path, data string
	name       hook.Client
	event      hook.Event
	client     session
}

func (p *process) bench(b *testing.B, later bool) {
	input := p.client.input(p.event, "auto")
	in, err := json.Marshal(input)
	if err != nil {
		b.Fatal(err)
	}
	file := input["transcript_path"].(string)
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { // the next event finds the session as long as this one did
		if err := os.Truncate(file, info.Size()); err != nil {
			b.Error(err)
		}
	}()
	random := seeded(4)
	var wall, busy []time.Duration
	for b.Loop() {
		b.StopTimer()
		if later {
			p.client.work(random)
		} else if err := os.RemoveAll(filepath.Join(p.data, "pith")); err != nil {
			b.Fatal(err)
		}
		cmd := exec.Command(p.path, "hook", string(p.event), "--client", string(p.name))
		cmd.Stdin = bytes.NewReader(in)
		cmd.Env = append(os.Environ(), "HOME="+p.data, "XDG_DATA_HOME="+p.data, "XDG_CONFIG_HOME="+p.data)
		b.StartTimer()
		start := time.Now()
		out, err := cmd.CombinedOutput()
		wall = append(wall, time.Since(start))
		if err != nil || bytes.Contains(out, []byte("pith: "+string(p.event))) {
			b.Fatalf("%v: %s", err, out)
		}
		busy = append(busy, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	slices.Sort(wall)
	slices.Sort(busy)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(wall[0]), "ms-least")
	b.ReportMetric(ms(wall[len(wall)/2]), "ms-p50")
	b.ReportMetric(ms(wall[len(wall)*99/100]), "ms-p99")
	b.ReportMetric(ms(busy[len(busy)/2]), "cpu-ms-p50")
}
