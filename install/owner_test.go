//go:build unix

package install

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOwnerStays: a file that root changes stays whose it is.
func TestOwnerStays(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, who can give files away")
	}
	c := newMachine(t)
	file := filepath.Join(c.Claude, "settings.json")
	writeFile(t, file, "{}\n")
	must(t, os.Chown(file, 65534, 65533))
	whose := func() [2]uint32 {
		info, err := os.Stat(file)
		must(t, err)
		st := info.Sys().(*syscall.Stat_t)
		return [2]uint32{st.Uid, st.Gid}
	}
	install(t, c, ClaudeCode, Options{Scope: User})
	if got := whose(); got != [2]uint32{65534, 65533} {
		t.Errorf("installed, it belongs to %v", got)
	}
	uninstall(t, c, ClaudeCode, Options{Scope: User})
	if got := whose(); got != [2]uint32{65534, 65533} {
		t.Errorf("uninstalled, it belongs to %v", got)
	}
}

// TestOwnDataIsPrivate: what pith keeps is for its owner alone, also where the
// installation makes its folder.
func TestOwnDataIsPrivate(t *testing.T) {
	c := newMachine(t)
	install(t, c, ClaudeCode, Options{Scope: User})
	for _, dir := range []string{c.Data, c.receipts(), filepath.Join(c.Data, "install", "claude-code")} {
		info, err := os.Stat(dir)
		must(t, err)
		if mode := info.Mode().Perm(); mode&0o077 != 0 {
			t.Errorf("%s has mode %o", dir, mode)
		}
	}
}
