package transcript

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

var update = flag.Bool("update", false, "write the golden files anew")

// dump writes what a decoder yields, for people to compare.
func dump(d *Decoder) string {
	var out strings.Builder
	for {
		r, err := d.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				fmt.Fprintf(&out, "error: %v\n", err)
			}
			break
		}
		switch {
		case r.Message != nil:
			dumpMessage(&out, r.Message)
		case r.Boundary != nil:
			b := r.Boundary
			fmt.Fprintf(&out, "boundary %d line=%d trigger=%q before=%d preserved=%v\n", b.N, b.Line, b.Trigger, b.Before, b.PreservedRows)
			for i := range b.Replacement {
				out.WriteString("  replacement: ")
				dumpMessage(&out, &b.Replacement[i])
			}
		case r.Exit != nil:
			fmt.Fprintf(&out, "late exit %s=%d\n", r.Exit.ToolUseID, r.Exit.Code)
		}
	}
	h := d.Header()
	fmt.Fprintf(&out, "header format=%s session=%q version=%q agent=%q model=%q\n", h.Format, h.SessionID, h.ClientVersion, h.Agent, h.Model)
	for _, s := range d.Skipped() {
		fmt.Fprintf(&out, "skipped line %d: %s\n", s.Line, s.Reason)
	}
	unknown := d.UnknownRows()
	for _, t := range slices.Sorted(maps.Keys(unknown)) {
		fmt.Fprintf(&out, "unknown %s: %d\n", t, unknown[t])
	}
	return out.String()
}

func dumpMessage(out *strings.Builder, m *pith.Message) {
	fmt.Fprintf(out, "%d %s id=%s line=%d", m.Index, m.Role, m.ID, m.Line)
	for _, f := range []struct{ name, value string }{{"agent", m.Agent}, {"model", m.Model}, {"cwd", m.CWD}, {"branch", m.Branch}} {
		if f.value != "" {
			fmt.Fprintf(out, " %s=%s", f.name, f.value)
		}
	}
	if len(m.RowIDs) > 1 {
		fmt.Fprintf(out, " rows=%v", m.RowIDs)
	}
	if m.Usage != nil {
		fmt.Fprintf(out, " usage=%+v", *m.Usage)
	}
	if !m.Time.IsZero() {
		fmt.Fprintf(out, " time=%s", m.Time.Format("15:04:05"))
	}
	out.WriteByte('\n')
	for i := range m.Blocks {
		dumpBlock(out, &m.Blocks[i])
	}
	if m.Raw != nil {
		fmt.Fprintf(out, "  raw %s\n", m.Raw)
	}
}

func dumpBlock(out *strings.Builder, b *pith.Block) {
	fmt.Fprintf(out, "  %s %s", b.Kind, b.Origin)
	if b.ToolUseID != "" || b.ToolName != "" {
		fmt.Fprintf(out, " %s(%s)", b.ToolName, b.ToolUseID)
	}
	if b.Exit != nil {
		fmt.Fprintf(out, " exit=%d", *b.Exit)
	}
	for _, f := range []struct {
		name string
		set  bool
	}{{"error", b.IsError}, {"rejected", b.Rejected}, {"expected", b.ExpectedNonZero}} {
		if f.set {
			out.WriteString(" " + f.name)
		}
	}
	if b.Running != "" {
		out.WriteString(" running=" + b.Running)
	}
	if b.MediaBytes > 0 {
		fmt.Fprintf(out, " media=%s/%d", b.MediaType, b.MediaBytes)
	}
	fmt.Fprintf(out, " %q\n", b.Text)
}

func TestGoldenSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			keepRaw := strings.Contains(file, "raw")
			got := decodeDump(t, bytes.NewReader(data), keepRaw)
			if small := decodeDump(t, oneByteReader{bytes.NewReader(data)}, keepRaw); small != got {
				t.Errorf("reading byte by byte gives something else:\n%s", small)
			}
			golden := strings.TrimSuffix(file, filepath.Ext(file)) + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func decodeDump(t *testing.T, r io.Reader, keepRaw bool) string {
	t.Helper()
	d, err := NewDecoder(r, Options{KeepRaw: keepRaw})
	if err != nil {
		return fmt.Sprintf("error: %v\nhint: %s\n", err, pith.HintOf(err))
	}
	return dump(d)
}

// oneByteReader is a slow source.
type oneByteReader struct{ r io.Reader }

func (o oneByteReader) Read(p []byte) (int, error) { return o.r.Read(p[:min(1, len(p))]) }

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
