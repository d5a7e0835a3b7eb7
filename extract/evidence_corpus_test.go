package extract_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/extract"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/transcript"
)

// readSession folds a session file and gives every record to see as well.
func readSession(t *testing.T, path string, see func(pith.Record)) *extract.Facts {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := transcript.NewDecoder(f, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, r := extract.New(), redact.New()
	for {
		rec, err := d.Next()
		if errors.Is(err, io.EOF) {
			return x.Facts()
		}
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case rec.Message != nil:
			r.Message(rec.Message)
			x.Message(rec.Message)
		case rec.Exit != nil:
			x.LateExit(rec.Exit)
		case rec.Boundary != nil:
			x.Boundary(rec.Boundary)
		}
		see(rec)
	}
}

// corpusFiles are the real sessions that PITH_CORPUS names.
func corpusFiles(t *testing.T) []string {
	t.Helper()
	root := os.Getenv("PITH_CORPUS")
	if root == "" {
		t.Skip("PITH_CORPUS names no folder of real sessions")
	}
	var files []string
	for _, dir := range []string{"claude-code", "codex"} {
		found, _ := filepath.Glob(filepath.Join(root, dir, "*.jsonl"))
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Fatalf("no sessions under %s", root)
	}
	return files
}

// Evidence of real sessions holds to the contract, and what it shows occurs in
// the session word for word.
func TestCorpusEvidence(t *testing.T) {
	for _, file := range corpusFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var all strings.Builder
			f := readSession(t, file, func(r pith.Record) {
				if r.Message == nil {
					return
				}
				for i := range r.Message.Blocks {
					all.WriteString(r.Message.Blocks[i].Text)
					all.WriteByte('\n')
				}
			})
			occurs := func(what, s string) {
				if s != "" && !strings.Contains(all.String(), s) {
					t.Errorf("%s %q does not occur in the session", what, s)
				}
			}
			ids := map[string]bool{}
			for _, e := range f.Evidence {
				if e.Status == "pass" && (e.ExitCode != nil && *e.ExitCode != 0 || e.Counts != nil && e.Counts.Failed+e.Counts.Errors > 0) {
					t.Errorf("a pass with a failure: %+v", e)
				}
				occurs("command", e.Command)
				occurs("signature", e.Signature)
				if e.Excerpt != nil {
					for _, l := range append(e.Excerpt.Head, e.Excerpt.Tail...) {
						occurs("line", l)
					}
				}
				if ids[e.ID] {
					t.Errorf("two items have the id %s", e.ID)
				}
				ids[e.ID] = true
			}
			for _, a := range f.Failed {
				if a.Attempt == "" || a.ErrorSignature == "" || a.Reason == "" {
					t.Errorf("incomplete: %+v", a)
				}
			}
			ev, _ := json.Marshal(f.Evidence)
			fa, _ := json.Marshal(f.Failed)
			t.Logf("%d items of evidence in %d bytes, %d failed attempts in %d bytes, %d claims", len(f.Evidence), len(ev), len(f.Failed), len(fa), len(f.Context.Unverified))
			if dump := os.Getenv("PITH_DUMP"); dump != "" {
				out, _ := json.MarshalIndent(map[string]any{"evidence": f.Evidence, "failed": f.Failed, "claims": f.Context.Unverified}, "", " ")
				_ = os.WriteFile(filepath.Join(dump, filepath.Base(file)+".json"), out, 0o600)
			}
		})
	}
}
