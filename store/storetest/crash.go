package storetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith"
)

// CrashFolder is the environment variable that makes a test binary the process
// that Crash kills. TestMain of a package that calls Crash looks at it first:
// where it is set, it opens the store in the folder that it names, calls
// SaveForever with the standard output, and exits with its error.
const CrashFolder = "PITH_CRASH_FOLDER"

// Kills is how often to kill: what env says, the value of PITH_KILLS, else few.
func Kills(t *testing.T, env string) int {
	t.Helper()
	if env != "" {
		n, err := strconv.Atoi(env)
		if err != nil {
			t.Fatalf("PITH_KILLS is %q, want a number", env)
		}
		return n
	}
	if testing.Short() {
		return 5
	}
	return 25
}

// SaveForever saves checkpoints in chains of twenty, and writes the session
// and the id of each once Put returned. It returns only with an error.
func SaveForever(store pith.Store, w io.Writer) error {
	ctx := context.Background()
	work := strings.Repeat("a sentence of the work that was done, ", 1500)
	for chain := 0; ; chain++ {
		session := fmt.Sprintf("crash-%d-%d", os.Getpid(), chain)
		var parent *pith.Saved
		for i := range 20 {
			c, err := newSaved(session, parent, fmt.Sprint("goal ", i, "\n", work[:len(work)/(1+i%3)]))
			if err != nil {
				return err
			}
			if err := store.Put(ctx, c); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(w, session, c.State.Checkpoint.ID); err != nil {
				return err
			}
			parent = c
		}
	}
}

// killsPerFolder is after how many kills a new store is begun.
const killsPerFolder = 25

// Crash kills a process again and again while it saves checkpoints, each time
// at another moment, and holds that every checkpoint whose Put returned can be
// read, and that no record is torn. The test binary must begin as CrashFolder says.
func Crash(t *testing.T, kills int, open func(dir string) (pith.Store, error)) {
	t.Helper()
	if kills <= 0 {
		t.Skip("no kills were asked for")
	}
	all := t.TempDir()
	saved, began := 0, time.Now()
	for done := 0; done < kills; {
		dir := filepath.Join(all, strconv.Itoa(done))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		c := crashed{dir: dir, open: open, latest: map[string]string{}}
		for range min(killsPerFolder, kills-done) {
			if err := c.once(); err != nil {
				t.Fatalf("after %d kills: %v", done, err)
			}
			done++
		}
		n, err := c.whole()
		if err != nil {
			t.Fatalf("after %d kills: %v", done, err)
		}
		saved += n
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	if saved == 0 {
		t.Fatal("no checkpoint was saved before a kill: the test holds nothing")
	}
	t.Logf("%d kills, %d checkpoints acknowledged: none torn, none lost, in %v", kills, saved, time.Since(began).Round(time.Millisecond))
}

// crashed is one store, and what was acknowledged to the processes that died.
type crashed struct {
	dir    string
	open   func(dir string) (pith.Store, error)
	acked  []string
	latest map[string]string
}

// once lets a process save until it is killed, and looks at what it left.
func (c *crashed) once() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), CrashFolder+"="+c.dir)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	before := len(c.acked)
	c.readUntilKilled(cmd.Process, out)
	if err := cmd.Wait(); err == nil || complaint.Len() > 0 {
		return fmt.Errorf("the process ended by itself (%s): %s", cmd.ProcessState, complaint.String())
	}
	store, err := c.open(c.dir)
	if err != nil {
		return fmt.Errorf("open the store again: %w", err)
	}
	defer closeStore(store)
	for _, id := range c.acked[before:] {
		if _, err := store.Get(context.Background(), id); err != nil {
			return fmt.Errorf("acknowledged checkpoint %.12s: %w", id, err)
		}
	}
	return nil
}

// readUntilKilled takes what a process acknowledges. Most are killed within or
// between two of their saves, some while they begin.
func (c *crashed) readUntilKilled(p *os.Process, out io.Reader) {
	kill := func() { _ = p.Kill() }
	wait := 10 * time.Second // it is to acknowledge something before
	if rand.IntN(4) == 0 {
		wait = time.Duration(rand.IntN(80)) * time.Millisecond
	}
	timer := time.AfterFunc(wait, kill)
	defer timer.Stop()
	lines := bufio.NewReader(out)
	for n := 0; ; n++ {
		line, err := lines.ReadString('\n')
		if err != nil {
			return // a line without its end was not acknowledged
		}
		session, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		c.acked = append(c.acked, id)
		c.latest[session] = id
		if n == 0 {
			timer.Reset(time.Duration(rand.IntN(40_000)) * time.Microsecond)
		}
	}
}

// whole reads everything there is, and counts the acknowledged checkpoints.
func (c *crashed) whole() (int, error) {
	store, err := c.open(c.dir)
	if err != nil {
		return 0, err
	}
	defer closeStore(store)
	ctx := context.Background()
	entries, err := store.List(ctx, "")
	if err != nil {
		return 0, err
	}
	there := map[string]bool{}
	for _, e := range entries {
		if e.Damaged != "" {
			return 0, fmt.Errorf("a torn record: %+v", e)
		}
		if _, err := store.Get(ctx, e.ID); err != nil {
			return 0, fmt.Errorf("a record that cannot be read: %w", err)
		}
		there[e.ID] = true
	}
	for _, id := range c.acked {
		if !there[id] {
			return 0, fmt.Errorf("acknowledged checkpoint %.12s is lost", id)
		}
	}
	for session, id := range c.latest {
		if err := goesOn(ctx, store, session, id); err != nil {
			return 0, fmt.Errorf("session %s: %w", session, err)
		}
	}
	return len(c.acked), nil
}

// goesOn holds that the latest checkpoint is the last that was acknowledged,
// or the one behind it whose Put did not return, and that it takes a child.
func goesOn(ctx context.Context, store pith.Store, session, acked string) error {
	last, err := store.Latest(ctx, session)
	if err != nil {
		return err
	}
	if last.State.Checkpoint.ID != acked && parentOf(last) != acked {
		return errors.New("the latest is older than the last that was acknowledged")
	}
	child, err := newSaved(session, last, "after the crash")
	if err != nil {
		return err
	}
	return store.Put(ctx, child)
}

func closeStore(store pith.Store) {
	if c, ok := store.(io.Closer); ok {
		_ = c.Close()
	}
}
