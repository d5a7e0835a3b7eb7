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
	total := map[measure.Kind]measure.Retained{}
	var missed []measure.Lost
	for _, file := range corpusFiles(t) {
		recs := records(t, file)
		var seen strings.Builder
		x := extract.New()
		for i, rec := range recs {
			if rec.Boundary != nil {
				all := seen.String()
				needs := nextNeeds(recs[i+1:], func(w string) bool { return strings.Contains(all, w) })
				facts := x.Facts()
				rows, lost := measure.Retain(needs.Atoms(nil), measure.Held{Text: namesBlock(facts, 1200), Root: facts.Workspace.Root})
				missed = append(missed, lost...)
				for _, r := range rows {
					t := total[r.Kind]
					total[r.Kind] = measure.Retained{Full: t.Full + r.Full, Half: t.Half + r.Half, Of: t.Of + r.Of}
				}
			}
			fold(x, rec)
			write(&seen, rec)
		}
	}
	for kind, want := range map[measure.Kind]float64{
		measure.KindInspected: 0.85, measure.KindTest: 0.95, measure.KindCommit: 0.6, measure.KindSymbol: 0.6,
	} {
		got := total[kind]
		t.Logf("%s: %d and %d halves of %d", kind, got.Full, got.Half, got.Of)
		if got.Share() < want {
			t.Errorf("%s: %.2f, want %.2f; missed %v", kind, got.Share(), want, missed)
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
