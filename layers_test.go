package pith_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/pith-memory/pith"

// pure names the L1 packages and the L1 packages that each may import: the
// table in ARCHITECTURE.md, which TestArchitectureTable compares with this one.
var pure = map[string][]string{
	"jsonscan":   {},
	"wire":       {"jsonscan"},
	"transcript": {"jsonscan", "wire"},
	"redact":     {"jsonscan"},
	"truncate":   {},
	"meter":      {},
	"trigger":    {"meter"},
	"extract":    {"jsonscan", "truncate"},
	"schema":     {},
	"compactor":  {"meter", "redact", "truncate"},
	"merge":      {"compactor", "diff", "extract", "redact"},
	"restore":    {"meter", "truncate", "wire"},
	"measure":    {},
	"diff":       {},
	"handoff":    {"meter", "schema"},
}

// impure is what a pure package never imports: everything that reads the
// world, keeps time or draws lots.
var impure = []string{"os", "os/exec", "net", "net/http", "database/sql", "log", "log/slog", "math/rand", "math/rand/v2", "syscall", "path/filepath", "io/ioutil"}

// adapters are the L3 packages; they never import one another.
var adapters = []string{"agent", "workspace", "store", "provider", "telemetry", "hook", "install", "mcpserver", "opencode", "proxy", "web"}

// programs are the folders of commands: they alone read flags and the environment.
var programs = map[string]bool{"cmd": true, "examples": true, "bench": true}

func TestLayers(t *testing.T) {
	seen := 0
	eachGoFile(t, func(path, _ string) {
		dir := filepath.ToSlash(filepath.Dir(path))
		top, _, _ := strings.Cut(dir, "/")
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		seen++
		for _, imp := range imports(t, path) {
			own, isOwn := strings.CutPrefix(imp, module)
			own = strings.TrimPrefix(own, "/")
			if why := forbidden(top, dir, imp, own, isOwn); why != "" {
				t.Errorf("%s imports %s: %s", path, imp, why)
			}
		}
	})
	if seen < 20 {
		t.Fatalf("only %d files were read: the walk is broken", seen)
	}
}

// forbidden says why a package may not import another, "" where it may.
func forbidden(top, dir, imp, own string, isOwn bool) string {
	switch {
	case dir == "." || dir == "contracts/schemas":
		if isOwn || strings.Contains(imp, ".") {
			return "L0 imports the standard library only"
		}
	case programs[top]:
		return ""
	case pure[top] != nil:
		if slices.Contains(impure, imp) {
			return "a pure package does no I/O and reads no clock"
		}
		if isOwn && own != "" && own != "contracts/schemas" && own != top && !strings.HasPrefix(own, top+"/") && !slices.Contains(pure[top], own) {
			return "it is not among the packages that " + top + " may import"
		}
	case top == "memory", top == "trial":
		if isOwn && slices.Contains(adapters, strings.Split(own, "/")[0]) {
			return "L2 knows no adapter"
		}
	case slices.Contains(adapters, top):
		if other := strings.Split(own, "/")[0]; isOwn && other != top && slices.Contains(adapters, other) {
			return "adapters never import one another"
		}
	case dir != ".":
		return "the package has no layer: add it to layers_test.go and ARCHITECTURE.md"
	}
	if !programs[top] && isOwn && programs[strings.Split(own, "/")[0]] {
		return "nothing imports a command"
	}
	return ""
}

// TestPureSources finds what an import list cannot show: a clock reading.
func TestPureSources(t *testing.T) {
	eachGoFile(t, func(path, text string) {
		dir := filepath.ToSlash(filepath.Dir(path))
		top, _, _ := strings.Cut(dir, "/")
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		if (pure[top] != nil || dir == ".") && strings.Contains(text, "time.Now(") {
			t.Errorf("%s reads the clock: L0 and L1 take the time as a value", path)
		}
		if !programs[top] {
			for _, call := range []string{"os.Getenv(", "os.Exit(", "flag.Parse("} {
				if strings.Contains(text, call) {
					t.Errorf("%s calls %s): only programs do", path, call)
				}
			}
		}
	})
}

func TestArchitectureTable(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, deps := range pure {
		want := "nothing"
		if len(deps) > 0 {
			want = strings.Join(deps, ", ")
		}
		if row := "| `" + name + "` | " + want + " |"; !strings.Contains(string(text), row) {
			t.Errorf("ARCHITECTURE.md lacks the row %q", row)
		}
	}
}

func imports(t *testing.T, path string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// eachGoFile calls f with every Go file of this module, by its path from the root.
func eachGoFile(t *testing.T, f func(path, text string)) {
	t.Helper()
	eachFile(t, ".go", func(path, text string) {
		if !nestedModule(filepath.Dir(path)) {
			f(path, text)
		}
	})
}

// nestedModule tells whether a folder belongs to a module of its own.
func nestedModule(dir string) bool {
	for d := dir; d != "." && d != "/"; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return true
		}
	}
	return false
}
