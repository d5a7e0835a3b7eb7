package extract_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/extract"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/transcript"
)

// corpusFiles are the real sessions that PITH_CORPUS names.
func corpusFiles(t *testing.T) []string {
	t.Helper()
	root := os.Getenv("PITH_CORPUS")
	if root == "" {
		t.Skip("PITH_CORPUS names no folder of real sessions")
	}
	var files []string
	for _, dir := range []string{"claude-code", "codex"} {
		found, _ := filepath.Glob(filepath.Join(root, dir, "*.jsonl"))
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Fatalf("no sessions under %s", root)
	}
	return files
}

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

// write adds the text of a record's message.
func write(b *strings.Builder, rec pith.Record) {
	if rec.Message == nil {
		return
	}
	for i := range rec.Message.Blocks {
		b.WriteString(rec.Message.Blocks[i].Text + "\n")
	}
}
