package transcript

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

func TestSessionSelection(t *testing.T) {
	for _, c := range []struct{ file, session, id, fault string }{
		{"tau2-several.json", "s-2", "s-2", ""},
		{"tau2-several.json", "2", "s-2", ""},
		{"tau2-several.json", "task:28", "s-2", ""},
		{"tau2-several.json", "", "", "it holds 2 sessions: s-1, s-2"},
		{"tau2-several.json", "s-9", "", `there is no session "s-9": it holds 2 sessions: s-1, s-2`},
		{"openhands-several.jsonl", "shop-3", "shop-3", ""},
		{"openhands-several.jsonl", "", "", "it holds 2 sessions: shop-1, shop-3"},
		{"openhands-raw.jsonl", "shop-1", "shop-1", ""},
		{"tau2-raw.json", "", "s-1", ""},
	} {
		t.Run(c.file+"/"+c.session, func(t *testing.T) {
			d, err := NewDecoder(bytes.NewReader(testdata(t, c.file)), Options{Session: c.session})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for err == nil {
				var r pith.Record
				if r, err = d.Next(); r.Message != nil {
					n++
				}
			}
			if c.fault != "" {
				if pith.KindOf(err) != pith.KindInput || !strings.Contains(err.Error(), c.fault) || !strings.Contains(pith.HintOf(err), "--session ID") {
					t.Fatalf("error %v (%s)", err, pith.HintOf(err))
				}
				return
			}
			if !errors.Is(err, io.EOF) || d.Header().SessionID != c.id || n == 0 {
				t.Errorf("session %q with %d messages, %v", d.Header().SessionID, n, err)
			}
		})
	}
}

func TestSessions(t *testing.T) {
	for file, want := range map[string][]SessionInfo{
		"tau2-several.json":       {{1, "s-1", "27"}, {2, "s-2", "28"}},
		"openhands-several.jsonl": {{1, "shop-1", "shop-1"}, {2, "shop-3", "shop-3"}},
		"sweagent.json":           {{Number: 1}},
	} {
		got, err := Sessions(bytes.NewReader(testdata(t, file)))
		if err != nil || len(got) != len(want) {
			t.Fatalf("%s: %v, %v", file, got, err)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: session %d is %+v, want %+v", file, i, got[i], want[i])
			}
		}
	}
}

// TestDocumentCut holds that a file that ends anywhere gives what stands before
// the cut, in the words of the whole one, and at most one note.
func TestDocumentCut(t *testing.T) {
	for _, file := range []string{"sweagent.json", "mini-raw.json", "tau2-raw.json", "openhands-pairs.json", "openhands-raw.jsonl"} {
		whole := testdata(t, file)
		full := decodeDump(t, bytes.NewReader(whole), false)
		messages, _, _ := strings.Cut(full, "header ")
		for end := len(whole) * 2 / 3; end < len(whole); end += 97 {
			d, err := NewDecoder(bytes.NewReader(whole[:end]), Options{})
			if err != nil {
				t.Fatalf("%s cut at %d: %v", file, end, err)
			}
			got := dump(d)
			if part, _, _ := strings.Cut(got, "header "); file != "sweagent.json" && !strings.HasPrefix(messages, part) {
				t.Fatalf("%s cut at %d:\n%s", file, end, got)
			}
			if part, _, _ := strings.Cut(got, "header "); strings.Count(part, "\n") < 2 {
				t.Fatalf("%s cut at %d: the messages before it are lost:\n%s", file, end, got)
			}
			if d.SkippedCount() != 1 || strings.Contains(got, "error:") {
				t.Fatalf("%s cut at %d: %d notes\n%s", file, end, d.SkippedCount(), got)
			}
		}
	}
}

func TestDocumentCorpus(t *testing.T) {
	root := os.Getenv("PITH_CORPUS")
	if root == "" {
		t.Skip("set PITH_CORPUS to a folder of real sessions to run this")
	}
	for folder, format := range map[string]pith.Format{
		"swe-agent": pith.FormatSWEAgent, "mini-swe-agent": pith.FormatMiniSWEAgent,
		"openhands": pith.FormatOpenHands, "tau2-bench": pith.FormatTauBench,
	} {
		files, err := filepath.Glob(filepath.Join(root, folder, "*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no sessions in %s: %v", folder, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sessions, err := Sessions(bytes.NewReader(data))
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			for _, s := range sessions {
				o := Options{KeepRaw: true}
				if len(sessions) > 1 {
					o.Session = s.ID
				}
				d, err := NewDecoder(bytes.NewReader(data), o)
				if err != nil {
					t.Fatal(err)
				}
				asked, results := wordsAndResults(t, d)
				if d.Header().Format != format || asked == 0 || results == 0 && format != pith.FormatTauBench || d.SkippedCount() > 0 {
					t.Errorf("%s session %s: %s, %d of the user, %d results, skipped %v", file, s.ID, d.Header().Format, asked, results, d.Skipped())
				}
			}
		}
	}
}

// wordsAndResults counts the blocks that hold the user's words, and the results.
func wordsAndResults(t *testing.T, d *Decoder) (asked, results int) {
	for {
		r, err := d.Next()
		if errors.Is(err, io.EOF) {
			return asked, results
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Message == nil {
			continue
		}
		for _, b := range r.Message.Blocks {
			switch {
			case b.Kind == pith.KindText && b.Origin == pith.UserExplicit:
				asked++
			case b.Kind == pith.KindToolResult && b.ToolName != "":
				results++
			}
		}
	}
}
