//go:build unix

package workspace_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/pith-memory/pith/workspace"
)

func TestLookWaitsForNothing(t *testing.T) {
	root := folder(t)
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	must(t, os.Mkdir(filepath.Join(root, ".git"), 0o755))
	must(t, syscall.Mkfifo(filepath.Join(root, ".git", "HEAD"), 0o644))
	link(t, "/dev/zero", filepath.Join(root, "zero"))
	done := make(chan struct{})
	go func() {
		defer close(done)
		d, err := workspace.View{Outside: true}.Look(context.Background(), root, []string{"pipe", "zero"})
		if err != nil {
			t.Error(err)
			return
		}
		for _, s := range d.Files {
			if s.Kind != "other" || s.SHA256 != "" {
				t.Errorf("%+v", s)
			}
		}
		if d.Why == "" {
			t.Error("nothing can be known of a HEAD that is a pipe")
		}
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("the look hangs at a pipe or a device")
	}
}

func TestLookAtTheUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	root := folder(t)
	write(t, filepath.Join(root, "locked"), "x")
	must(t, os.Chmod(filepath.Join(root, "locked"), 0))
	write(t, filepath.Join(root, "shut", "f"), "x")
	must(t, os.Chmod(filepath.Join(root, "shut"), 0))
	defer os.Chmod(filepath.Join(root, "shut"), 0o755)
	if s := one(t, root, "locked"); s.Kind != "file" || s.Size != 1 || s.SHA256 != "" || s.Why == "" {
		t.Errorf("%+v", s)
	}
	if s := one(t, root, "shut/f"); s.Kind != "unknown" || s.Why == "" {
		t.Errorf("%+v", s)
	}
}
