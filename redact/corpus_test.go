package redact

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// corpusTexts calls f with every string of every session under PITH_CORPUS.
func corpusTexts(t testing.TB, f func(file, text string)) {
	root := os.Getenv("PITH_CORPUS")
	if root == "" {
		t.Skip("PITH_CORPUS names no folder of sessions")
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".meta.json") || strings.HasSuffix(path, ".tsv") {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sc := bufio.NewScanner(strings.NewReader(string(raw)))
		sc.Buffer(nil, 1<<28)
		for sc.Scan() {
			w := jsonWalk{s: sc.Text()}
			for w.next() {
				if text, ok := w.value(); ok && !w.opaque() {
					f(filepath.Base(path), text)
				}
			}
		}
		return sc.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCorpus(t *testing.T) {
	lines, redactions := 0, 0
	hits := map[string]int{}
	seen := map[string]bool{}
	corpusTexts(t, func(file, text string) {
		if seen[text] {
			return
		}
		seen[text] = true
		text, _ = Normalise(text)
		lines += 1 + strings.Count(text, "\n")
		for _, f := range Scan(text) {
			redactions++
			from := max(0, f.Start-40)
			if s := text[f.Start:f.End]; isUUID(s) || prefixListed(idPrefixes, s) || len(s) >= 7 && measure(s).hexRun == len(s) ||
				f.Rule != "url-password" && isPath(s) {
				t.Errorf("%s: %q is a path, a hash or an id", file, s)
			}
			hits[fmt.Sprintf("%-18s %q <<%s>> %q", f.Rule, text[from:f.Start], text[f.Start:f.End][:min(60, f.End-f.Start)], text[f.End:min(len(text), f.End+15)])]++
		}
	})
	list := make([]string, 0, len(hits))
	for h, n := range hits {
		list = append(list, fmt.Sprintf("%4d %s", n, h))
	}
	sort.Strings(list)
	for _, h := range list {
		t.Log(h)
	}
	rate := 1000 * float64(redactions) / float64(lines)
	t.Logf("%d redactions in %d lines: %.3f per 1000", redactions, lines, rate)
	if rate > 0.6 {
		t.Errorf("%.3f redactions per 1000 lines, want at most 0.6", rate)
	}
}
