package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestTablesAreCurrent(t *testing.T) {
	dir := t.TempDir()
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"vocabulary.bin", "classes.bin"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		have, err := os.ReadFile(filepath.Join("..", "internal", "o200k", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s is out of date: run go generate in meter/internal/o200k", name)
		}
	}
}

func TestVocabularyRefusesWhatDoesNotFit(t *testing.T) {
	for name, ranks := range map[string]map[string]int{
		"a token that is too long":  {string(make([]byte, 200)): 1},
		"a rank that is used twice": {"a": 1, "b": 1},
	} {
		if _, err := buildVocabulary(ranks); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
