package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// piCounts are what encoding/json alone finds in a session of pi.
type piCounts struct {
	users, assistants, calls, results, failed int
	last                                      string
}

func countPi(data []byte) (n piCounts) {
	for line := range bytes.Lines(data) {
		var row struct {
			Message struct {
				Role    string
				IsError bool
				Content []struct{ Type string }
			}
		}
		if json.Unmarshal(line, &row) != nil {
			continue
		}
		switch m := row.Message; m.Role {
		case "user":
			n.users++
		case "assistant":
			if len(m.Content) > 0 {
				n.assistants++
			}
			for _, b := range m.Content {
				if b.Type == "toolCall" {
					n.calls++
				}
			}
		case "toolResult":
			n.results++
			if m.IsError {
				n.failed++
			}
		}
	}
	return n
}

func TestCorpusOfPi(t *testing.T) {
	for _, file := range corpusFiles(t, "pi") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			d, err := NewDecoder(bytes.NewReader(data), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got piCounts
			for {
				r, err := d.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got.add(t, r.Message)
			}
			got.last = ""
			if want := countPi(data); got != want {
				t.Errorf("read %+v, want %+v", got, want)
			}
			if n := d.SkippedCount(); n > 0 {
				t.Errorf("%d rows were skipped: %v", n, d.Skipped())
			}
		})
	}
}

func (n *piCounts) add(t *testing.T, m *pith.Message) {
	if m == nil {
		return
	}
	if m.Role == pith.RoleAssistant {
		if n.last != m.ID { // thoughts come in a message of their own
			n.assistants++
		}
		n.last = m.ID
	} else if m.Blocks[0].Kind == pith.KindText {
		n.users++
	}
	for _, b := range m.Blocks {
		switch b.Kind {
		case pith.KindToolUse:
			n.calls++
		case pith.KindToolResult:
			n.results++
			if b.IsError {
				n.failed++
			}
			if b.ToolName == "bash" && b.Exit == nil && !b.Rejected && !strings.Contains(b.Text, "timed out") {
				t.Errorf("a command without an exit code: %.80q", b.Text)
			}
		}
	}
}

// elements makes a chat of one JSON object with many messages.
type elements struct {
	n, size int
	buf     []byte
	next    int
}

func (e *elements) Read(p []byte) (int, error) {
	for len(e.buf) == 0 {
		switch {
		case e.next == 0:
			e.buf = []byte(`{"sessionId":"s","projectHash":"h","messages":[`)
		case e.next <= e.n:
			comma := ","
			if e.next == 1 {
				comma = ""
			}
			e.buf = fmt.Appendf(nil, `%s{"id":"m%d","type":"user","content":%q}`, comma, e.next, strings.Repeat("x", e.size))
		case e.next == e.n+1:
			e.buf = []byte("]}")
		default:
			return 0, io.EOF
		}
		e.next++
	}
	n := copy(p, e.buf)
	e.buf = e.buf[n:]
	return n, nil
}

// TestWholeFilesAreReadByElement holds that the messages of a file that is one
// JSON object come out while it is read, and that memory follows one of them.
func TestWholeFilesAreReadByElement(t *testing.T) {
	d, err := NewDecoder(&elements{n: 500, size: 100_000}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for {
		if _, err := d.Next(); err != nil {
			break
		}
		if n++; n == 1 && d.Offset() > 2<<20 {
			t.Errorf("%d bytes were read for the first message", d.Offset())
		}
	}
	if n != 500 || cap(d.rows.buf) > 2<<20 || cap(d.ready) > 16 {
		t.Errorf("%d messages, a buffer of %d bytes, %d records waiting", n, cap(d.rows.buf), cap(d.ready))
	}
}

func TestElementsOverTheLimitEndTheReading(t *testing.T) {
	d, err := NewDecoder(&elements{n: 3, size: 1 << 20}, Options{MaxRow: 1 << 17})
	if err != nil {
		t.Fatal(err)
	}
	if got := dump(d); !strings.Contains(got, "longer than 131072 bytes") {
		t.Error(got)
	}
}

func TestBrokenTrees(t *testing.T) {
	row := func(id, parent string) heldRow { return heldRow{id: id, parent: parent} }
	for _, tt := range []struct {
		name string
		rows []heldRow
		want string // the ids of the branch that lives
	}{
		{"line", []heldRow{row("a", ""), row("b", "a"), row("c", "b")}, "abc"},
		{"branch", []heldRow{row("a", ""), row("b", "a"), row("c", "a")}, "ac"},
		{"second root", []heldRow{row("a", ""), row("b", "a"), row("c", "")}, "c"},
		{"missing parent", []heldRow{row("a", ""), row("b", "a"), row("d", "c")}, "abd"},
		{"own parent", []heldRow{row("a", ""), row("b", "b")}, "ab"},
		{"circle", []heldRow{row("a", "b"), row("b", "a")}, "ab"},
		{"one id twice", []heldRow{row("a", ""), row("a", "a"), row("b", "a")}, "aab"},
		{"none", nil, ""},
	} {
		markLeft(tt.rows)
		got := ""
		for _, r := range tt.rows {
			if !r.left {
				got += r.id
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q lives, want %q", tt.name, got, tt.want)
		}
	}
}

// TestSubAgentSessions holds that the file of a sub-agent reads as a session of
// its own, whose prompt is another agent's word.
func TestSubAgentSessions(t *testing.T) {
	for _, tt := range []struct{ name, file, agent string }{
		{"Claude Code", `{"sessionId":"s","type":"user","uuid":"1","isSidechain":true,"agentId":"a7","message":{"role":"user","content":"Search."}}
{"sessionId":"s","type":"assistant","uuid":"2","isSidechain":true,"agentId":"a7","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"ok"}]}}`, "a7"},
		{"Gemini CLI", `{"sessionId":"g","projectHash":"h","kind":"subagent"}
{"id":"1","type":"user","content":"Search."}
{"id":"2","type":"gemini","content":"ok"}`, "g"},
		{"opencode", `{"info":{"id":"ses_2","parentID":"ses_1"},"messages":[{"info":{"id":"1","role":"user"},"parts":[{"type":"text","text":"Search."}]},{"info":{"id":"2","role":"assistant"},"parts":[{"type":"text","text":"ok"}]}]}`, "ses_2"},
	} {
		d, err := NewDecoder(strings.NewReader(tt.file), Options{})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		r, err := d.Next()
		if err != nil || r.Message == nil || r.Message.Agent != "" || r.Message.Blocks[0].Origin != pith.PeerAgent {
			t.Errorf("%s: begins with %+v (%v)", tt.name, r.Message, err)
		}
		if d.Header().Agent != tt.agent {
			t.Errorf("%s: is of agent %q, want %q", tt.name, d.Header().Agent, tt.agent)
		}
	}
}
