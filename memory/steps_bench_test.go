package memory_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/extract"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/transcript"
)

// The benchmarks below are the steps of BenchmarkCompact, each by itself. MB/s
// are of what a step reads: the file, the texts of its messages, the block,
// the state.

func decode(b *testing.B, data []byte) []pith.Record {
	b.Helper()
	d, err := transcript.NewDecoder(bytes.NewReader(data), transcript.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var records []pith.Record
	for {
		r, err := d.Next()
		if errors.Is(err, io.EOF) {
			return records
		}
		if err != nil {
			b.Fatal(err)
		}
		records = append(records, r)
	}
}

// copied gives the messages of records blocks of their own, to be redacted.
func copied(records []pith.Record) []pith.Message {
	var out []pith.Message
	for _, r := range records {
		if r.Message == nil {
			continue
		}
		m := *r.Message
		m.Blocks = slices.Clone(m.Blocks)
		for i := range m.Blocks {
			m.Blocks[i].Args = slices.Clone(m.Blocks[i].Args)
		}
		out = append(out, m)
	}
	return out
}

func redacted(messages []pith.Message) []pith.Message {
	r := redact.New()
	for i := range messages {
		r.Message(&messages[i])
	}
	return messages
}

func textBytes(messages []pith.Message) (n int64) {
	for i := range messages {
		for j := range messages[i].Blocks {
			n += int64(len(messages[i].Blocks[j].Text))
		}
	}
	return n
}

func compacted(b *testing.B, data []byte) *memory.Result {
	b.Helper()
	m := memory.New(memory.Config{})
	s, err := m.Read(bytes.NewReader(data), memory.ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	r, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func BenchmarkDecode(b *testing.B) {
	data := largest(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		decode(b, data)
	}
}

func BenchmarkRedact(b *testing.B) {
	records := decode(b, largest(b))
	b.SetBytes(textBytes(copied(records)))
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		messages := copied(records)
		b.StartTimer()
		redacted(messages)
	}
}

func BenchmarkExtract(b *testing.B) {
	records := decode(b, largest(b))
	messages := redacted(copied(records))
	b.SetBytes(textBytes(messages))
	b.ReportAllocs()
	for b.Loop() {
		e, next := extract.New(), 0
		for _, r := range records {
			switch {
			case r.Message != nil:
				e.Message(&messages[next])
				next++
			case r.Boundary != nil:
				e.Boundary(r.Boundary)
			case r.Exit != nil:
				e.LateExit(r.Exit)
			}
		}
		e.Facts()
	}
}

func BenchmarkCount(b *testing.B) {
	messages := redacted(copied(decode(b, largest(b))))
	b.SetBytes(textBytes(messages))
	b.ReportAllocs()
	for b.Loop() {
		var live meter.Live
		for i := range messages {
			live.Add(&messages[i])
		}
		live.Tokens()
	}
}

func BenchmarkRender(b *testing.B) {
	r := compacted(b, largest(b))
	b.SetBytes(int64(len(r.Block.Text)))
	b.ReportAllocs()
	for b.Loop() {
		restore.Render(r.State, restore.Options{})
	}
}

func BenchmarkSeal(b *testing.B) {
	r := compacted(b, largest(b))
	b.SetBytes(int64(len(r.JSON)))
	b.ReportAllocs()
	for b.Loop() {
		if _, problems := schema.Seal(r.State); len(problems) > 0 {
			b.Fatal(problems)
		}
	}
}

func BenchmarkRescan(b *testing.B) {
	r := compacted(b, largest(b))
	b.SetBytes(int64(len(r.JSON)))
	b.ReportAllocs()
	for b.Loop() {
		if found := redact.Dirty(r.JSON); len(found) > 0 {
			b.Fatal(found)
		}
	}
}
