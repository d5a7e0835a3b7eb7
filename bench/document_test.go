package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith/measure"
)

var update = flag.Bool("update", false, "write the expected document anew")

// TestDocument holds that recorded figures become the document, byte for byte.
func TestDocument(t *testing.T) {
	golden := filepath.Join("testdata", "comparison.md")
	got := document(recordedFigures(t))
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the document differs; go test ./bench -update writes it anew:\n%s", got)
	}
}

// TestPublished holds that the published document is made from the published figures.
func TestPublished(t *testing.T) {
	figures, err := os.ReadFile(filepath.Join("..", "docs", "comparison.json"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("..", "docs", "comparison.md"))
	if err != nil {
		t.Fatal(err)
	}
	var c Comparison
	if err := json.Unmarshal(figures, &c); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(document(&c), want) {
		t.Error("docs/comparison.md is not what docs/comparison.json gives: run go run ./bench")
	}
}

func recordedFigures(t *testing.T) *Comparison {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "comparison.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c Comparison
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	return &c
}

// TestBetterTellsOfOthers holds that a lead of another candidate is told.
func TestBetterTellsOfOthers(t *testing.T) {
	c := recordedFigures(t)
	mask := func() *Row {
		for i := range c.AtAll.Rows {
			if c.AtAll.Rows[i].Of == "mask:10" {
				return &c.AtAll.Rows[i]
			}
		}
		t.Fatal("no row")
		return nil
	}()
	mask.Needed = []measure.Retained{{Kind: measure.KindCommit, Full: 10, Of: 10}}
	own := &c.AtAll.Rows[0]
	own.Needed = []measure.Retained{{Kind: measure.KindCommit, Full: 9, Of: 10}}
	if got := string(document(c)); !strings.Contains(got, "coding agents, needed commits: mask:10 100.0 %") {
		t.Error("the document hides that mask:10 is ahead")
	}
}

// TestTabulate holds that candidates are compared at the same cuts alone.
func TestTabulate(t *testing.T) {
	report := func(file string, n int, of, absent string, full int) judged {
		r := measure.Report{File: file, Cut: measure.Cut{Kind: "boundary", N: n}, Of: of, Absent: absent}
		if absent == "" {
			r.Size = measure.Size{Live: 100, Text: 10, Tail: 10}
			r.All = []measure.Retained{{Kind: measure.KindRule, Full: full, Of: 4}}
		}
		return judged{Report: r, note: note{checked: of == "pith", broken: n - 1}}
	}
	reports := []judged{
		report("a", 1, "pith", "", 4), report("a", 1, "client", "", 1),
		report("a", 2, "pith", "", 2), report("a", 2, "client", "no summary", 0),
		report("b", 1, "pith", "", 4), report("b", 1, "client", "", 3),
	}
	all := tabulate(reports, func([]judged) bool { return true })
	if all.Cuts != 3 || all.Sessions != 2 || len(all.Rows) != 1 {
		t.Fatalf("%+v", all)
	}
	pith := all.Rows[0]
	if got := total(pith.All); got.Full != 10 || got.Of != 12 || pith.Ratio() != 5 || pith.Checked != 3 || pith.Broken != 1 {
		t.Errorf("%+v", pith)
	}
	some := tabulate(reports, hasSummary)
	if some.Cuts != 2 || len(some.Rows) != 2 || total(some.Rows[1].All).Full != 4 {
		t.Errorf("%+v", some)
	}
}
