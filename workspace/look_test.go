package workspace_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/workspace"
)

// folder is a temporary folder, its links resolved.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skipf("links cannot be made here: %v", err)
	}
}

func look(t *testing.T, root string, paths ...string) *pith.Disk {
	t.Helper()
	d, err := workspace.Look(context.Background(), root, paths)
	must(t, err)
	return d
}

// one looks at a single path.
func one(t *testing.T, root, path string) pith.Stamp {
	t.Helper()
	d := look(t, root, path)
	if len(d.Files) != 1 || d.Files[0].Path != path {
		t.Fatalf("want one stamp of %q, got %+v", path, d.Files)
	}
	return d.Files[0]
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

func TestLookAtFiles(t *testing.T) {
	root := folder(t)
	full := write(t, filepath.Join(root, "pkg", "a.go"), "package a\n")
	for _, path := range []string{full, "pkg/a.go", "./pkg/a.go", "pkg/../pkg/a.go"} {
		s := one(t, root, path)
		if s.Kind != "file" || s.SHA256 != sum("package a\n") || s.Size != 10 || s.ModTime.IsZero() || s.Target != "" {
			t.Errorf("%s: %+v", path, s)
		}
	}
	if s := one(t, root, "pkg"); s.Kind != "folder" || s.SHA256 != "" {
		t.Errorf("a folder: %+v", s)
	}
	for _, path := range []string{"b.go", "pkg/a.go/x", filepath.Join(root, "no", "such", "file")} {
		if s := one(t, root, path); s.Kind != "absent" || s.Target != "" {
			t.Errorf("%s: %+v", path, s)
		}
	}
	if d := look(t, root, "b.go", full, "b.go"); len(d.Files) != 2 || d.Files[0].Path != "b.go" {
		t.Errorf("each path once, in order: %+v", d.Files)
	}
}

func TestLookFollowsLinks(t *testing.T) {
	root, outside := folder(t), folder(t)
	inner := write(t, filepath.Join(root, "real.go"), "package real\n")
	secret := write(t, filepath.Join(outside, "secret"), "hidden")
	link(t, "real.go", filepath.Join(root, "same.go"))
	link(t, secret, filepath.Join(root, "leak"))
	link(t, outside, filepath.Join(root, "dir"))
	link(t, filepath.Join(outside, "nothing"), filepath.Join(root, "dangling"))
	link(t, "loop", filepath.Join(root, "loop"))

	if s := one(t, root, "same.go"); s.Kind != "file" || s.Target != inner || s.SHA256 != sum("package real\n") {
		t.Errorf("a link within: %+v", s)
	}
	for path, target := range map[string]string{
		"leak": secret, "dir/secret": secret, filepath.Join(root, "dir", "secret"): secret, "dir/../" + filepath.Base(outside) + "/secret": secret,
	} {
		s := one(t, root, path)
		if s.Kind != "file" || s.Target != target || s.SHA256 != "" || s.Size != 0 || !s.ModTime.IsZero() || !strings.Contains(s.Why, "outside") {
			t.Errorf("%s: what lies outside is not read: %+v", path, s)
		}
	}
	for path, target := range map[string]string{
		"dangling": filepath.Join(outside, "nothing"), "dir/new.go": filepath.Join(outside, "new.go"), "dir/../gone": filepath.Join(filepath.Dir(outside), "gone"),
	} {
		if s := one(t, root, path); s.Kind != "absent" || s.Target != target {
			t.Errorf("%s: want nothing at %s: %+v", path, target, s)
		}
	}
	if s := one(t, root, "loop"); s.Kind != "unknown" || s.Why == "" {
		t.Errorf("a loop: %+v", s)
	}
	d, err := workspace.View{Outside: true}.Look(context.Background(), root, []string{"leak"})
	must(t, err)
	if d.Files[0].SHA256 != sum("hidden") {
		t.Errorf("asked for what lies outside: %+v", d.Files[0])
	}
}

func TestLookIsConfined(t *testing.T) {
	top := folder(t)
	root := filepath.Join(top, "ws")
	must(t, os.Mkdir(root, 0o755))
	write(t, filepath.Join(top, "ws-other", "x"), "beside")
	write(t, filepath.Join(top, "secret"), "hidden")
	for _, path := range []string{"../secret", "../ws-other/x", filepath.Join(top, "secret"), root + "/../secret", "a/../../secret"} {
		s := one(t, root, path)
		if s.SHA256 != "" || s.Size != 0 {
			t.Errorf("%s: its content was read: %+v", path, s)
		}
		if s.Kind != "file" && path != "a/../../secret" {
			t.Errorf("%s: its existence is told: %+v", path, s)
		}
	}
	for _, path := range []string{"a\x00b", "", strings.Repeat("d/", 2100) + "f", "~/.ssh/id_rsa"} {
		if s := one(t, root, path); s.Kind != "unknown" || s.Why == "" {
			t.Errorf("%.20q: %+v", path, s)
		}
	}
	if s := one(t, root, strings.Repeat("n", 300)); s.Kind == "file" {
		t.Errorf("a name that is too long: %+v", s)
	}
	if runtime.GOOS != "windows" {
		if s := one(t, root, `C:\Users\x\a.go`); s.Kind != "unknown" {
			t.Errorf("a path of Windows: %+v", s)
		}
	}
}

func TestLookAtALongRow(t *testing.T) {
	root := folder(t)
	var paths []string
	for i := range workspace.MaxPaths + 3 {
		paths = append(paths, "f"+strings.Repeat("x", i%7)+time.Duration(i).String())
	}
	d := look(t, root, paths...)
	if n := len(d.Files); n != len(paths) || d.Files[n-1].Kind != "unknown" || d.Files[0].Kind != "absent" {
		t.Fatalf("%d stamps, the last %+v", n, d.Files[n-1])
	}
}

func TestLookAtALargeFile(t *testing.T) {
	root := folder(t)
	f, err := os.Create(filepath.Join(root, "big"))
	must(t, err)
	must(t, f.Truncate(workspace.MaxFile+1)) // takes no room
	must(t, f.Close())
	s := one(t, root, "big")
	if s.SHA256 != "" || s.Size != workspace.MaxFile+1 || s.ModTime.IsZero() || !strings.Contains(s.Why, "64 MiB") {
		t.Errorf("%+v", s)
	}
}

func TestLookEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := workspace.Look(ctx, folder(t), []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

func TestLookAtNoRoot(t *testing.T) {
	root := filepath.Join(folder(t), "gone")
	d := look(t, root, "a.go", root)
	if d.Files[0].Path != root || d.Files[0].Kind != "absent" || d.Files[1].Kind != "absent" {
		t.Errorf("%+v", d.Files)
	}
	file := write(t, filepath.Join(folder(t), "f"), "")
	if d := look(t, file, "a.go"); d.Files[0].Kind != "file" || d.Files[1].Kind != "absent" {
		t.Errorf("a file as the root: %+v", d.Files)
	}
	for _, bad := range []string{"", "a\x00", strings.Repeat("x", 5000)} {
		if _, err := workspace.Look(context.Background(), bad, nil); err == nil {
			t.Errorf("%.10q was taken for a root", bad)
		}
	}
}
