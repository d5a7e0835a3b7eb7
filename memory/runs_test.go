package memory_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/transcript"
)

// compactRun compacts one session of a file and holds what every state must.
func compactRun(t *testing.T, data []byte, session string) *memory.Result {
	t.Helper()
	m := memory.New(memory.Config{})
	s, err := m.Read(bytes.NewReader(data), memory.ReadOptions{Session: session, KeepLive: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range schema.Validate(r.JSON) {
		t.Errorf("schema: %v", p)
	}
	next, err := memory.MessagesOf(bytes.NewReader(data), r.State)
	if err != nil {
		t.Fatal(err)
	}
	problems, followed := schema.CheckTranscript(r.State, next)
	for _, p := range problems {
		t.Errorf("provenance: %v", p)
	}
	if followed.Blocks == 0 {
		t.Error("no source was followed")
	}
	return r
}

func TestRunsOfHarnesses(t *testing.T) {
	for _, c := range []struct{ file, session, goal, modified, inspected string }{
		{"sweagent.json", "", "Totals are rounded wrongly.", "", "/srv/shop/cart.py"},
		{"sweagent-calls-raw.json", "", "Fix the totals.", "", "/srv/shop/cart.py"},
		{"sweagent-steps.json", "", "", "/srv/shop/a.py", ""},
		{"mini-raw.json", "", "Totals are wrong.", "", "cart.py"},
		{"openhands-raw.jsonl", "", "Totals are wrong.", "", "/srv/shop/cart.py"},
		{"openhands-pairs.json", "", "Fix the totals.", "", ""},
		{"tau2-several.json", "s-2", "Cancel EHGLP3.", "", ""},
	} {
		t.Run(c.file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("..", "transcript", "testdata", c.file))
			if err != nil {
				t.Fatal(err)
			}
			st := compactRun(t, data, c.session).State
			if c.goal != "" && (!strings.HasPrefix(strings.TrimSpace(st.Goal.Text), c.goal) || st.Goal.Provenance != pith.UserExplicit) {
				t.Errorf("goal %q of %s", st.Goal.Text, st.Goal.Provenance)
			}
			if got := strings.Join(paths(st.Files.Modified), " "); got != c.modified {
				t.Errorf("modified %q, want %q", got, c.modified)
			}
			if got := strings.Join(paths(st.Files.Inspected), " "); got != c.inspected {
				t.Errorf("inspected %q, want %q", got, c.inspected)
			}
		})
	}
}

func TestRunsCorpus(t *testing.T) {
	root := os.Getenv("PITH_CORPUS")
	if root == "" {
		t.Skip("set PITH_CORPUS to a folder of real sessions to run this")
	}
	for _, folder := range []string{"swe-agent", "mini-swe-agent", "openhands", "tau2-bench"} {
		files, err := filepath.Glob(filepath.Join(root, folder, "*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no sessions in %s: %v", folder, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sessions, err := transcript.Sessions(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range sessions {
				t.Run(filepath.Base(file)+"/"+s.ID, func(t *testing.T) { compactRun(t, data, s.ID) })
			}
		}
	}
}
