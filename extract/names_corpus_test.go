package extract_test

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/extract"
	"github.com/pith-memory/pith/measure"
)

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
			write(&seen, rec)
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
