package main

import (
	"bytes"
	"os"
	"testing"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"
)

func TestTableIsCurrent(t *testing.T) {
	have, err := os.ReadFile("../windows.tsv")
	if err != nil {
		t.Fatal(err)
	}
	if want := table(embedded.GetAll()); !bytes.Equal(have, want) {
		t.Error("windows.tsv is out of date: run go generate in meter")
	}
}

func TestMakersRule(t *testing.T) {
	model := func(id string, window int64) catwalk.Model { return catwalk.Model{ID: id, ContextWindow: window} }
	got := string(table([]catwalk.Provider{
		{ID: "reseller", Models: []catwalk.Model{model("anthropic/claude-x-5", 64_000), model("other-1", 32_000), model("empty", 0)}},
		{ID: "anthropic", Models: []catwalk.Model{model("claude-x-5-20260101", 200_000)}},
		{ID: "second", Models: []catwalk.Model{model("claude-x-5", 1_000), model("other-1", 16_000)}},
	}))
	if want := "claude-x-5\t200000\nother-1\t16000\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
