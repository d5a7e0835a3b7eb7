package install_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith/provider/providertest"
)

// ownPith gives the rig a pith of its own, in a folder whose name needs
// quoting, and installs that one.
func (r *rig) ownPith() string {
	r.t.Helper()
	path := filepath.Join(r.Home, "my programs", "pith")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if os.Link(pithPath(r.t), path) != nil {
		copyFile(r.t, pithPath(r.t), path)
	}
	if res := r.run("", path, "install", "claude-code", "--yes"); res.Code != 0 {
		r.t.Fatalf("%+v", res)
	}
	return path
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRealClaudeGoesOn holds that nothing that pith does can stop the client:
// its own compaction runs, and the session goes on.
func TestRealClaudeGoesOn(t *testing.T) {
	t.Parallel()
	const summary = "The port is 8123."
	for _, c := range []struct {
		name string
		// program takes pith's place, "" leaves nothing there.
		program string
		pith    bool
	}{
		{"whole, in a folder with a space", "", true},
		{"missing", "", false},
		{"exits with 1", "exit 1", false},
		{"killed", "kill -9 $$", false},
		{"hangs", "case $2 in session-compact) exec sleep 600;; esac", false},
		{"prints junk", "echo junk", false},
		{"keeps what is not there", `case $2 in session-compact) echo '{"memory":"<pith-memory> nothing","keep":["nowhere"],"notice":""}';; esac`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &script{Summary: "<summary>" + summary + "</summary>"}
			r := newRig(t, s)
			r.Env = append(r.Env, smallWindow)
			path := r.ownPith()
			if !c.pith {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			if c.program != "" {
				if err := os.WriteFile(path, []byte("#!/bin/sh\n"+c.program+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			turns := plant(r).turns(r, full)
			turns = append(turns[len(turns)-6:], fill(20_000), providertest.Say("All is done."))
			s.then(turns...)
			res := r.valid(r.claude("current", "-p", "Keep port 8123."))
			main := s.Main()
			last := main[len(main)-1]
			if !strings.Contains(res.Out, "All is done.") || len(main) != len(turns) {
				t.Fatalf("it said %q after %d requests", res.Out, len(main))
			}
			if c.pith {
				if s.Summaries() != 0 || len(memories(&last)) != 1 {
					t.Fatalf("%d summaries, %d memories", s.Summaries(), len(memories(&last)))
				}
				return
			}
			if s.Summaries() != 1 || len(memories(&last)) != 0 || !strings.Contains(spoken(&last), summary) {
				t.Fatalf("%d summaries, %d memories", s.Summaries(), len(memories(&last)))
			}
		})
	}
}
