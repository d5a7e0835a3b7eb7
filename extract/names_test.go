package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"pgregory.net/rapid"
)

func namesOf(ids []pith.Identifier) string {
	var out []string
	for _, i := range ids {
		s := i.Name
		if i.Note != "" {
			s += "=" + i.Note
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func TestNamesOfATape(t *testing.T) {
	p := newTape()
	p.say(pith.RoleUser, "Fix parseConfig in #42, see https://github.com/o/r/pull/7. The server runs on localhost:8080, release v1.2.3.")
	p.run("git log --oneline -3", 0, "07a1b2c (HEAD -> main) fix: the cache\n1234567 numbers only\n9f8e7d6 feat: paging")
	p.run("go test ./internal/syncer -run TestSync", 1, "--- FAIL: TestSync/one_branch (0.01s)\n    a_test.go:3: readAllRefs failed\nok  \tx/y\t0.1s")
	p.run("git checkout -b fix/cache && git commit -am x", 0, "[fix/cache abc1234] fix: never cache errors\n 1 file changed")
	p.run("grep -rl sync_state .", 0, "./lib/sync.go\n./docs/sync.md")
	p.say(pith.RoleAssistant, "The bug is in loadConfig_v2; `handleErr` swallows it. Commit deadbee1 is fine.")
	f := p.x.Facts()
	for _, tt := range []struct{ kind, got, want string }{
		{"symbols", namesOf(f.Identifiers.Symbols), "handleErr, loadConfig_v2, parseConfig, readAllRefs, sync_state"},
		{"tests", namesOf(f.Identifiers.Tests), "TestSync, TestSync/one_branch"},
		{"commits", namesOf(f.Identifiers.Commits), "07a1b2c=fix: the cache, 9f8e7d6=feat: paging, abc1234=fix: never cache errors, deadbee1"},
		{"refs", namesOf(f.Identifiers.Refs), "#42, https://github.com/o/r/pull/7, localhost:8080, v1.2.3, fix/cache"},
		{"paths", namesOf(f.Identifiers.Paths), "./internal/syncer, ./lib/sync.go, ./docs/sync.md, a_test.go"},
	} {
		if !sameItems(tt.got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.kind, tt.got, tt.want)
		}
	}
	if got := f.Identifiers.Commits[0].Name; got != "abc1234" {
		t.Errorf("the first commit is %s, want the agent's own", got)
	}
}

func TestNamesThatAreNone(t *testing.T) {
	p := newTape()
	p.say(pith.RoleUser, "Use HTTP and and/or JSON; e.g. i.e. Foo bar. 550e8400-e29b-41d4-a716-446655440000 deadbeef 1234567 &#123; a#b x:8080 v1 ...")
	p.run("cat notes", 0, "agent id a1b2c3d and session 0a1b2c3d4e")
	f := p.x.Facts()
	id := f.Identifiers
	if len(id.Symbols)+len(id.Tests)+len(id.Refs)+len(id.Commits)+len(id.Paths) != 0 {
		t.Errorf("%+v", id)
	}
}

func TestFailingTestsComeFirst(t *testing.T) {
	p := newTape()
	for i := 0; i < 5; i++ {
		p.run("go test -run TestOften ./...", 0, "ok")
	}
	p.run("pytest", 1, "FAILED tests/test_a.py::test_parse - AssertionError\nFAILED tests/test_a.py::test_gone")
	p.run("npx jest", 1, "  ✕ adds two numbers (5 ms)\n  ✓ subtracts (1 ms)")
	p.run("go test ./...", 1, "--- FAIL: TestFixed (0.00s)\n")
	p.run("go test -v ./...", 0, "--- PASS: TestFixed (0.00s)\n")
	got := namesOf(p.x.Facts().Identifiers.Tests)
	if !strings.HasPrefix(got, "adds two numbers, ") || strings.Index(got, "TestOften") < strings.Index(got, "tests/test_a.py::test_parse") ||
		strings.Contains(got, "subtracts") {
		t.Errorf("%s", got)
	}
}

func TestRecentNamesRankHigher(t *testing.T) {
	p := newTape()
	p.say(pith.RoleAssistant, "oldName once")
	for i := 0; i < 100; i++ {
		p.run("true", 0, "")
	}
	p.say(pith.RoleAssistant, "newName once")
	if got := namesOf(p.x.Facts().Identifiers.Symbols); got != "newName, oldName" {
		t.Errorf("%s", got)
	}
}

// A path that is listed as a file is not named again.
func TestPathsLeaveFilesOut(t *testing.T) {
	p := newTape()
	p.run("ls lib", 0, "lib/a.go\nlib/b.go\nlib/c.go")
	p.run("cat lib/a.go", 0, "package lib")
	p.call("Read", []pith.Arg{text("file_path", "/srv/shop/lib/b.go")}, pith.Block{Text: "package lib"})
	if got := namesOf(p.x.Facts().Identifiers.Paths); got != "lib/c.go" {
		t.Errorf("%s", got)
	}
}

// The tables stay bounded, and the last names survive.
func TestNamesAreBounded(t *testing.T) {
	x := New()
	for i := 0; i < 60; i++ {
		var b strings.Builder
		for k := 0; k < 1500; k++ {
			fmt.Fprintf(&b, "name%dOf%d ", k, i)
		}
		x.Message(&pith.Message{Index: i, Role: pith.RoleAssistant, Blocks: []pith.Block{{Kind: pith.KindText, Text: b.String(), Origin: pith.Assistant}}})
	}
	if n := len(x.names.symbols.uses); n > maxNames {
		t.Errorf("%d names are kept", n)
	}
	if _, ok := x.names.symbols.index["name7Of59"]; !ok {
		t.Error("the last names were dropped")
	}
}

// The same session gives the same names in the same order, and no text breaks
// the scan.
func TestNamesAnything(t *testing.T) {
	piece := rapid.SampledFrom([]string{"fooBar", "a/b.go", " ", "\n", "#12", "v1.2.3", "abc1234", "..", "/", ":", "//x/pull/3", "Test", "TestA/b",
		"_", "\xff", "é", "localhost:80", "-", "--- FAIL: ", "[main abc1234] x", "commit "})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "text"), "")
		run := func() string {
			p := newTape()
			p.say(pith.RoleAssistant, s)
			p.run("git log "+s, 1, s)
			return fmt.Sprintf("%+v", p.x.Facts().Identifiers)
		}
		if a, b := run(), run(); a != b {
			t.Fatalf("%q gave\n%s\n%s", s, a, b)
		}
	})
}

// A call without a command, without a result, with nothing in it.
func TestEmptyCalls(t *testing.T) {
	p := newTape()
	for _, c := range []string{"", " ", "# only a comment", ";;", "\"", "<<", "> "} {
		p.run(c, 0, "x")
		p.run(c, 1, "x")
	}
	p.call("Read", nil, pith.Block{})
	p.call("", nil, pith.Block{Text: "x"})
	p.call("move_file", nil, pith.Block{Text: "x"})
	f := p.x.Facts()
	if len(f.Files.Modified)+len(f.Files.Inspected) != 0 {
		t.Errorf("%+v", f.Files)
	}
}

func BenchmarkNames(b *testing.B) {
	text := strings.Repeat("The parser in internal/syncer/syncer.go reads objectsToPush and calls handleErr, then it waits for more.\n", 5000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var n nameSlot
		n.init()
		n.scan(text, &mention{weight: weightAgent})
	}
}
