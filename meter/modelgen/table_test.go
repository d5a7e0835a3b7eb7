package main

import (
	"bytes"
	"os"
	"testing"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"

	"github.com/pith-memory/pith/meter"
)

func TestTableIsCurrent(t *testing.T) {
	have, err := os.ReadFile("../models.tsv")
	if err != nil {
		t.Fatal(err)
	}
	if want := table(embedded.GetAll()); !bytes.Equal(have, want) {
		t.Error("models.tsv is out of date: run go generate in meter")
	}
}

func TestMakersRule(t *testing.T) {
	model := func(id string, window, output int64, in, out, a, b float64) catwalk.Model {
		return catwalk.Model{ID: id, ContextWindow: window, DefaultMaxTokens: output, CostPer1MIn: in, CostPer1MOut: out, CostPer1MInCached: a, CostPer1MOutCached: b}
	}
	got := string(table([]catwalk.Provider{
		{ID: "reseller", Models: []catwalk.Model{
			model("anthropic/claude-x-5", 64_000, 4000, 9, 90, 0, 0),
			model("other-1", 32_000, 8000, 1, 2, 0.1, 0),
			model("empty", 0, 0, 1, 1, 0, 0),
		}},
		{ID: "anthropic", Models: []catwalk.Model{model("claude-x-5-20260101", 200_000, 64_000, 1, 5, 1.25, 0.1)}},
		{ID: "second", Models: []catwalk.Model{
			model("claude-x-5", 1_000, 100, 20, 90, 0, 0),
			model("other-1", 16_000, 0, 2, 2, 2.5, 0.2),
			model("own-price", 16_000, 16_000, 0.75, 3.75, 0.075, 3.75),
		}},
	}))
	want := "claude-x-5\t200000\t64000\t1\t5\t0.1\t1.25\t0\n" +
		"other-1\t16000\t8000\t2\t2\t0.2\t2.5\t0\n" +
		"own-price\t16000\t0\t0.75\t3.75\t0.075\t0.75\t0\n"
	if got != want {
		t.Errorf("\n%s, want\n%s", got, want)
	}
}

// TestModelReadsTheMakersOwn holds what package meter reads against the source.
func TestModelReadsTheMakersOwn(t *testing.T) {
	n := 0
	for _, p := range embedded.GetAll() {
		if p.ID != "anthropic" && p.ID != "openai" {
			continue
		}
		for _, m := range p.Models {
			n++
			info, ok := meter.Model(m.ID)
			if !ok || info.Window != int(m.ContextWindow) || int64(info.MaxOutput) != m.DefaultMaxTokens || info.Reasons != m.CanReason {
				t.Errorf("%s: %+v, want %d and %d", m.ID, info, m.ContextWindow, m.DefaultMaxTokens)
			}
			if near(info.Input, m.CostPer1MIn) && near(info.Output, m.CostPer1MOut) {
				continue
			}
			t.Errorf("%s: %v and %v dollars, want %v and %v", m.ID, info.Input, info.Output, m.CostPer1MIn, m.CostPer1MOut)
		}
	}
	if n < 30 {
		t.Errorf("only %d models", n)
	}
}

func near(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 }
