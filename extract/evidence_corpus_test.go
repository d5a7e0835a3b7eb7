package extract_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith/extract"
)

// Evidence of real sessions holds to the contract, and what it shows occurs in
// the session word for word.
func TestCorpusEvidence(t *testing.T) {
	for _, file := range corpusFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var all strings.Builder
			x := extract.New()
			for _, rec := range records(t, file) {
				fold(x, rec)
				write(&all, rec)
			}
			f := x.Facts()
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
		})
	}
}
