package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// corpusFiles lists real sessions, which are no part of this repository.
func corpusFiles(t testing.TB, client string) []string {
	root := os.Getenv("PITH_CORPUS")
	if root == "" {
		t.Skip("set PITH_CORPUS to a folder of real sessions to run this")
	}
	files, err := filepath.Glob(filepath.Join(root, client, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions of %s in %s", client, root)
	}
	return files
}

// naive is what encoding/json alone makes of a file.
type naive struct {
	results    []string
	boundaries int
	assistants map[string]bool
	users      int
}

func readNaive(t *testing.T, data []byte) naive {
	n := naive{assistants: map[string]bool{}}
	for _, line := range bytes.Split(data, []byte("\n")) {
		dec := json.NewDecoder(bytes.NewReader(line))
		for {
			var row struct {
				Type, Subtype string
				Message       struct {
					ID      string
					Content json.RawMessage
				}
				Payload struct {
					Type, Role string
					Output     json.RawMessage
				}
			}
			err := dec.Decode(&row)
			if errors.Is(err, io.EOF) {
				break
			}
			var mismatch *json.UnmarshalTypeError
			if err != nil && !errors.As(err, &mismatch) {
				t.Logf("damaged row: %v", err)
				break
			}
			n.row(row.Type, row.Subtype, row.Message.ID, row.Message.Content)
			n.item(row.Type, row.Payload.Type, row.Payload.Role, row.Payload.Output)
		}
	}
	return n
}

func (n *naive) row(kind, subtype, id string, content json.RawMessage) {
	switch {
	case kind == "system" && subtype == "compact_boundary", kind == "compacted":
		n.boundaries++
	case kind == "assistant":
		n.assistants[id] = true
	}
	var blocks []struct {
		Type    string
		Content json.RawMessage
	}
	if kind != "user" || json.Unmarshal(content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		if b.Type == "tool_result" {
			n.results = append(n.results, naiveText(b.Content))
		}
	}
}

func (n *naive) item(kind, item, role string, output json.RawMessage) {
	switch {
	case kind == "response_item" && strings.HasSuffix(item, "_output"):
		text := naiveText(output)
		var wrapped struct {
			Output   *string
			Metadata *struct {
				ExitCode *int `json:"exit_code"`
			}
		}
		if json.Unmarshal([]byte(text), &wrapped) == nil && wrapped.Output != nil && wrapped.Metadata != nil && wrapped.Metadata.ExitCode != nil {
			text = *wrapped.Output
		}
		n.results = append(n.results, text)
	case kind == "response_item" && item == "message" && role == "user":
		n.users++
	}
}

func naiveText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct{ Type, Text, ToolName string }
	if err := json.Unmarshal(content, &parts); err != nil {
		return ""
	}
	var lines []string
	for _, p := range parts {
		if strings.HasSuffix(p.Type, "text") {
			lines = append(lines, p.Text)
		} else {
			lines = append(lines, "["+p.Type)
		}
	}
	return strings.Join(lines, "\n")
}

func TestCorpus(t *testing.T) {
	for _, client := range []string{"claude-code", "codex"} {
		for _, file := range corpusFiles(t, client) {
			t.Run(filepath.Base(file), func(t *testing.T) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				compareNaive(t, client, data)
			})
		}
	}
}

// tally counts what a decoder yields, to compare.
type tally struct {
	results                      []pith.Block
	boundaries, users, withUsage int
	ids                          map[string]int
	messages                     int
}

func (y *tally) message(t *testing.T, m *pith.Message) {
	if m.Index != y.messages {
		t.Fatalf("message %d has index %d", y.messages, m.Index)
	}
	y.messages++
	if m.Raw != nil && !json.Valid(m.Raw) {
		t.Fatalf("message %d: raw is not JSON", m.Index)
	}
	if m.Usage != nil {
		y.withUsage++
	}
	if m.Role == pith.RoleAssistant {
		y.ids[m.ID]++
		return
	}
	if m.Role == pith.RoleUser && len(m.Blocks) > 0 && m.Blocks[0].Kind == pith.KindText && m.Blocks[0].Origin != pith.Harness {
		y.users++
	}
	for _, b := range m.Blocks {
		if b.Kind == pith.KindToolResult {
			y.results = append(y.results, b)
		}
	}
}

func tallyOf(t *testing.T, d *Decoder) tally {
	y := tally{ids: map[string]int{}}
	for {
		r, err := d.Next()
		switch {
		case errors.Is(err, io.EOF):
			return y
		case err != nil:
			t.Fatal(err)
		case r.Boundary != nil:
			y.boundaries++
		case r.Message != nil:
			y.message(t, r.Message)
		}
	}
}

func compareNaive(t *testing.T, client string, data []byte) {
	want := readNaive(t, data)
	d, err := NewDecoder(bytes.NewReader(data), Options{KeepRaw: true})
	if err != nil {
		t.Fatal(err)
	}
	if string(d.Header().Format) != client {
		t.Fatalf("format %s", d.Header().Format)
	}
	got := tallyOf(t, d)
	if len(got.results) != len(want.results) || got.boundaries != want.boundaries {
		t.Fatalf("%d results and %d boundaries, want %d and %d", len(got.results), got.boundaries, len(want.results), want.boundaries)
	}
	for i, b := range got.results {
		hasImage := strings.Contains(want.results[i], "[image") && b.MediaBytes > 0
		if b.Text != want.results[i] && !hasImage && b.ToolName != "ToolSearch" {
			t.Errorf("result %d: got %.300q want %.300q", i, b.Text, want.results[i])
		}
	}
	if client == "claude-code" {
		for id, n := range got.ids {
			if !want.assistants[id] || n != 1 {
				t.Errorf("assistant message %q yielded %d times", id, n)
			}
		}
		if len(got.ids) != len(want.assistants) {
			t.Errorf("%d assistant messages, want %d", len(got.ids), len(want.assistants))
		}
	} else if got.users != want.users {
		t.Errorf("%d user messages, want %d", got.users, want.users)
	}
	if got.withUsage == 0 {
		t.Error("no usage at all")
	}
	t.Logf("%d messages, %d results, %d with usage, skipped %v, unknown %v", got.messages, len(got.results), got.withUsage, d.Skipped(), d.UnknownRows())
}

func BenchmarkCorpus(b *testing.B) {
	for _, client := range []string{"claude-code", "codex"} {
		for _, file := range corpusFiles(b, client) {
			data, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(client+"/"+filepath.Base(file), func(b *testing.B) { benchmark(b, data) })
		}
	}
}

func benchmark(b *testing.B, data []byte) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		d, err := NewDecoder(bytes.NewReader(data), Options{})
		if err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := d.Next(); err != nil {
				break
			}
		}
	}
}
