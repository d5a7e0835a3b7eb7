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
	"github.com/pith-memory/pith/measure"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/transcript"
)

// records reads a session file, redacted.
func records(t *testing.T, path string) []pith.Record {
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
	r := redact.New()
	var out []pith.Record
	for {
		rec, err := d.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if rec.Message != nil {
			r.Message(rec.Message)
		}
		out = append(out, rec)
	}
}

func fold(x *extract.Extractor, rec pith.Record) {
	switch {
	case rec.Message != nil:
		x.Message(rec.Message)
	case rec.Boundary != nil:
		x.Boundary(rec.Boundary)
	case rec.Exit != nil:
		x.LateExit(rec.Exit)
	}
}

// namesBlock writes the names as a block with room for about symbolTokens of
// symbols would.
func namesBlock(f *extract.Facts, symbolTokens int) string {
	var b strings.Builder
	for _, l := range [][]pith.File{f.Files.Modified, f.Files.Inspected} {
		for _, file := range l {
			b.WriteString(file.Path + " " + file.AsUsed + "\n")
		}
	}
	id := f.Identifiers
	for _, l := range [][]pith.Identifier{id.Tests, id.Commits, id.Refs, id.Paths} {
		for _, i := range l {
			b.WriteString(i.Name + "\n")
		}
	}
	for _, i := range id.Symbols {
		if symbolTokens -= 1 + len(i.Name)*10/36; symbolTokens < 0 {
			break
		}
		b.WriteString(i.Name + "\n")
	}
	return b.String()
}

// What the agent's next calls used, and had seen before, stands among the names
// at every compaction of the client's.
func TestCorpusNames(t *testing.T) {
	var total measure.NeedShares
	for _, file := range corpusFiles(t) {
		recs := records(t, file)
		var seen strings.Builder
		x := extract.New()
		for i, rec := range recs {
			if rec.Boundary != nil {
				all := seen.String()
				needs := nextNeeds(recs[i+1:], func(w string) bool { return strings.Contains(all, w) })
				facts := x.Facts()
				total.Add(needs.In(namesBlock(facts, 1200), facts.Workspace.Root))
			}
			fold(x, rec)
			if rec.Message != nil {
				for k := range rec.Message.Blocks {
					seen.WriteString(rec.Message.Blocks[k].Text + "\n")
				}
			}
		}
	}
	for _, s := range []struct {
		name  string
		share measure.Share
		want  float64
	}{{"paths", total.Paths, 0.85}, {"tests", total.Tests, 0.95}, {"commits", total.SHAs, 0.6}, {"symbols", total.Symbols, 0.6}} {
		got := float64(s.share.Found) / float64(max(s.share.Of, 1))
		t.Logf("%s: %d of %d", s.name, s.share.Found, s.share.Of)
		if s.share.Of > 0 && got < s.want {
			t.Errorf("%s: %.2f, want %.2f; missed %q", s.name, got, s.want, s.share.Missed)
		}
	}
}

func nextNeeds(recs []pith.Record, seen func(string) bool) *measure.Needs {
	var needs measure.Needs
	calls := 0
	for _, rec := range recs {
		if rec.Message == nil {
			continue
		}
		for k := range rec.Message.Blocks {
			if b := &rec.Message.Blocks[k]; b.Kind == pith.KindToolUse && calls < measure.Window {
				calls++
				needs.Call(b, seen)
			}
		}
	}
	return &needs
}

// Every stated path occurs in the session as it was used, and what was
// committed is among the modified files.
func TestCorpusFiles(t *testing.T) {
	found, wanted := 0, 0
	for _, file := range corpusFiles(t) {
		var all strings.Builder
		x := extract.New()
		for _, rec := range records(t, file) {
			fold(x, rec)
			if rec.Message != nil {
				for k := range rec.Message.Blocks {
					all.WriteString(rec.Message.Blocks[k].Text + "\n")
				}
			}
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
