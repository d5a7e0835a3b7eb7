package extract_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith/extract"
)

// Every stated path occurs in the session as it was used, and what was
// committed is among the modified files.
func TestCorpusFiles(t *testing.T) {
	found, wanted := 0, 0
	for _, file := range corpusFiles(t) {
		var all strings.Builder
		x := extract.New()
		for _, rec := range records(t, file) {
			fold(x, rec)
			write(&all, rec)
		}
		facts := x.Facts()
		modified := map[string]bool{}
		for i, f := range append(facts.Files.Modified, facts.Files.Inspected...) {
			used := f.AsUsed
			if used == "" {
				used = f.Path
			}
			if !strings.Contains(all.String(), used) {
				t.Errorf("%s: %q does not occur in the session", filepath.Base(file), used)
			}
			if i < len(facts.Files.Modified) {
				modified[strings.TrimPrefix(f.Path, facts.Workspace.Root+"/")] = true
			}
		}
		for _, f := range filesTouched(file) {
			wanted++
			if modified[f] {
				found++
			}
		}
	}
	t.Logf("%d of %d committed files are among the modified ones", found, wanted)
	if found*100 < wanted*80 {
		t.Errorf("only %d of %d committed files were found", found, wanted)
	}
}

// filesTouched are the files of the commit that a session led to.
func filesTouched(session string) []string {
	var meta struct {
		Files []string `json:"files_touched"`
	}
	if b, err := os.ReadFile(session + ".meta.json"); err == nil {
		_ = json.Unmarshal(b, &meta)
	}
	return meta.Files
}
