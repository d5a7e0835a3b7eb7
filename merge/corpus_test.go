package merge_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/merge"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/transcript"
)

// TestRealSummaries judges what clients' own models wrote of real sessions: of
// statements that are mostly true most must stay.
func TestRealSummaries(t *testing.T) {
	root := os.Getenv("PITH_CORPUS")
	if root == "" {
		t.Skip("PITH_CORPUS names no folder of real sessions")
	}
	files, _ := filepath.Glob(filepath.Join(root, "claude-code", "*.jsonl"))
	kept, all, kinds := 0, 0, map[string]int{}
	for _, path := range files {
		before, summary := untilSummary(t, path)
		if summary == "" {
			continue
		}
		for _, text := range statements(summary) {
			d := &compactor.Draft{KeyDecisions: []compactor.Decision{{Decision: text}}}
			c := merge.NewClaims(d)
			for _, m := range before {
				c.Message(m)
			}
			s, v := merge.Judge(&pith.State{}, d, c, "m")
			all++
			if len(s.Decisions) == 1 {
				kept++
				continue
			}
			kinds[v.Kinds[0].Kind]++
			if testing.Verbose() {
				t.Logf("%s: %s", v.Kinds[0].Kind, text)
			}
		}
	}
	if all == 0 {
		t.Fatalf("no summaries under %s", root)
	}
	t.Logf("%d of %d statements stay; dropped: %v", kept, all, kinds)
	if kept*2 < all {
		t.Errorf("only %d of %d statements of real summaries stay", kept, all)
	}
}

// statements are the items of a summary's lists.
func statements(summary string) []string {
	var out []string
	for line := range strings.Lines(summary) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "- "); ok && len(text) > 40 && len(text) < 600 && len(out) < 24 {
			out = append(out, strings.ReplaceAll(text, "**", ""))
		}
	}
	return out
}

// untilSummary reads a session up to the first summary that its client put in.
func untilSummary(t *testing.T, path string) (before []*pith.Message, summary string) {
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
	for {
		rec, err := d.Next()
		if errors.Is(err, io.EOF) {
			return before, ""
		}
		if err != nil {
			t.Fatal(err)
		}
		m := rec.Message
		if m == nil {
			continue
		}
		r.Message(m)
		if len(m.Blocks) > 0 && strings.HasPrefix(m.Blocks[0].Text, "This session is being continued") {
			return before, m.Blocks[0].Text
		}
		before = append(before, m)
	}
}
