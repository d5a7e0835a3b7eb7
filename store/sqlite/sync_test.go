package sqlite

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith/store/storetest"
)

// TestFailingSync lets the system refuse to bring what was written to the disk,
// from the n-th time on and just once: Put says so, and what was saved before is there.
func TestFailingSync(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace to make the system fail with")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"30+", "31", "32"} {
		dir := t.TempDir()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, strace, "-f", "-qq", "-o", os.DevNull, "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO:when="+when, self)
		cmd.Env = append(os.Environ(), storetest.CrashFolder+"="+dir)
		var complaint strings.Builder
		cmd.Stderr = &complaint
		out, err := cmd.Output()
		if err == nil || ctx.Err() != nil {
			t.Fatalf("from %s on: the process went on (%v)", when, err)
		}
		if strings.Contains(complaint.String(), "ptrace") {
			t.Skip(complaint.String())
		}
		if said := strings.TrimSpace(complaint.String()); !strings.Contains(said, "could not be read or written") || strings.Contains(said, "\n") {
			t.Errorf("from %s on, it said %q", when, said)
		}
		s := openAt(t, filepath.Join(dir, "pith.db"))
		saved := strings.Split(strings.TrimSpace(string(out)), "\n")
		for _, line := range saved {
			session, id, _ := strings.Cut(line, " ")
			c, err := s.Get(t.Context(), id)
			if err != nil {
				t.Fatalf("from %s on: %v", when, err)
			}
			if c.State.Checkpoint.SessionID != session {
				t.Errorf("%s is of session %s", id, c.State.Checkpoint.SessionID)
			}
		}
		if len(saved) < 10 {
			t.Errorf("from %s on: %d were saved before", when, len(saved))
		}
		entries, err := s.List(t.Context(), "")
		if err != nil || len(entries) < len(saved) || len(entries) > len(saved)+1 {
			t.Errorf("from %s on: %d entries for %d saved, %v", when, len(entries), len(saved), err)
		}
		for _, e := range entries {
			if e.Damaged != "" {
				t.Errorf("from %s on: %+v", when, e)
			}
		}
	}
}
