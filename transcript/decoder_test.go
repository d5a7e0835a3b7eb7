package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/wire"
)

func TestUnreadableInput(t *testing.T) {
	broken := errors.New("is a directory")
	for _, tt := range []struct {
		name string
		r    io.Reader
		want string
	}{
		{"empty", strings.NewReader(""), "the file is empty"},
		{"blank", strings.NewReader(" \n\n"), "white space only"},
		{"NULs", bytes.NewReader(make([]byte, 5000)), "NUL bytes only"},
		{"text", strings.NewReader("# A readme\n"), "not JSON"},
		{"binary", strings.NewReader("\x7fELF\x02\x00\x00\x01"), "binary"},
		{"bytes", strings.NewReader("\xff\xfe{\xff\xfe\xff\xfe"), "binary"},
		{"other JSON", strings.NewReader(`{"name":"pkg","version":"1"}`), "JSON of no known format"},
		{"other rows", strings.NewReader("{\"type\":\"session\",\"id\":\"x\"}\n"), "JSON of no known format"},
		{"torn body", strings.NewReader(`{"model":"m","max_tokens":1,"messages":[{"role":"user"`), "ends too early"},
		{"directory", io.MultiReader(&failing{broken}), "is a directory"},
	} {
		_, err := NewDecoder(tt.r, Options{})
		if err == nil || !strings.Contains(err.Error(), tt.want) || pith.KindOf(err) != pith.KindInput || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", tt.name, err)
		}
		if tt.name == "directory" && !errors.Is(err, broken) {
			t.Errorf("the cause is lost: %v", err)
		}
	}
	if _, err := NewDecoder(strings.NewReader("{}"), Options{Format: "other"}); pith.KindOf(err) != pith.KindInput {
		t.Errorf("unknown format: %v", err)
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

func TestReadErrorInTheMiddle(t *testing.T) {
	row := `{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"x"}}` + "\n"
	cause := errors.New("disk gone")
	d, err := NewDecoder(io.MultiReader(strings.NewReader(strings.Repeat(row, 2000)), &failing{cause}), Options{})
	for err == nil {
		_, err = d.Next()
	}
	if !errors.Is(err, cause) || pith.KindOf(err) != pith.KindInput {
		t.Errorf("got %v", err)
	}
}

func TestDetect(t *testing.T) {
	for _, tt := range []struct {
		head string
		want pith.Format
	}{
		{`{"type":"user","message":{"role":"user","content":"cut in the mid`, pith.FormatClaudeCode},
		{"\x00\x00garbage\n{\"type\":\"mode\",\"sessionId\":\"s\"}\n", pith.FormatClaudeCode},
		{`{"type":"brand-new","uuid":"u","sessionId":"s"}`, pith.FormatClaudeCode},
		{`{"timestamp":"t","type":"session_meta","payload":{"id":"x"`, pith.FormatCodex},
		{`{"ty{"timestamp":"t","type":"event_msg","payload":{}}`, pith.FormatCodex},
		{"\xef\xbb\xbf" + `{"model":"claude","system":"s","messages":[`, pith.FormatAnthropic},
		{`{"messages":[{"role":"system","content":"s"}]}`, pith.FormatOpenAIChat},
		{`{"model":"m","input":"x"}`, pith.FormatOpenAIResponses},
		{`[{"type":"message","role":"user","content":[]}]`, pith.FormatOpenAIResponses},
		{`{"type":"session","version":3,"id":"x","timestamp":"t","cwd":"/srv"}`, pith.FormatPi},
		{`{"type":"mess{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"us`, pith.FormatPi},
		{`{"sessionId":"s","projectHash":"h","startTime":"t","kind":"main"}`, pith.FormatGemini},
		{`{"sessionId":"s","projectHash":"h","messages":[{"id":"1","role":"us`, pith.FormatGemini},
		{`{"id":"1","timestamp":"t","type":"gemini","content":""}`, pith.FormatGemini},
		{`{"info":{"id":"ses_1"},"messages":[{"info":{"id":"m","role":"user"},"parts":[`, pith.FormatOpencode},
		{`{"info":{"id":"ses_1"},"messages":[{"role":"user","content":"x"}]}`, pith.FormatOpenAIChat},
		{`{"a":1}`, ""},
		{``, ""},
	} {
		if got := detect([]byte(tt.head)); got != tt.want {
			t.Errorf("%.60s: %q, want %q", tt.head, got, tt.want)
		}
	}
}

// rowSource yields a session without holding it.
type rowSource struct {
	rows int
	row  func(i int) string
	buf  []byte
}

func (s *rowSource) Read(p []byte) (int, error) {
	for len(s.buf) == 0 {
		if s.rows == 0 {
			return 0, io.EOF
		}
		s.rows--
		s.buf = append(s.buf[:0], s.row(s.rows)...)
	}
	n := copy(p, s.buf)
	s.buf = s.buf[n:]
	return n, nil
}

func TestRowsOverTheLimitArePassedOver(t *testing.T) {
	long := strings.Repeat("x", 40<<20)
	rows := []string{userRow("u1", "before"), userRow("u2", long), userRow("u3", "after"), userRow("u4", long)[:30<<20]}
	src := &rowSource{rows: len(rows), row: func(i int) string { return rows[len(rows)-1-i] }}
	d, err := NewDecoder(src, Options{MaxRow: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	got := dump(d)
	for _, want := range []string{`"before"`, `"after"`, "skipped line 2: longer than 1048576 bytes", "skipped line 4: longer"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %.600s", want, got)
		}
	}
	if d.SkippedCount() != 2 || len(d.rows.buf) > 4<<20 {
		t.Errorf("%d skipped, buffer of %d bytes", d.SkippedCount(), len(d.rows.buf))
	}
}

func userRow(id, text string) string {
	return `{"type":"user","uuid":"` + id + `","sessionId":"s","cwd":"/w","message":{"role":"user","content":"` + text + `"}}` + "\n"
}

// Nothing may grow with the file, whatever it is full of.
func TestMemoryDoesNotFollowTheFile(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 20 MB")
	}
	for name, row := range map[string]func(i int) string{
		"users": func(i int) string { return userRow(fmt.Sprint("u", i), strings.Repeat("word ", 40)) },
		"calls": func(i int) string {
			return fmt.Sprintf(`{"type":"assistant","uuid":"a%d","sessionId":"s","message":{"id":"m%d","role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"go test ./... -run %d"}}]}}`+"\n", i, i, i, i)
		},
		"codex": func(i int) string {
			return fmt.Sprintf(`{"type":"event_msg","payload":{"type":"exec_command_end","call_id":"c%d","exit_code":0}}`+"\n"+`{"type":"event_msg","payload":{"type":"user_message","message":"m%d"}}`+"\n"+`{"type":"new-%d","payload":{}}`+"\n", i, i, i)
		},
		"damage": func(i int) string {
			return `{"type":"user","uuid":"u","sessionId":"s","message":{"ro` + "\n" + userRow(fmt.Sprint("u", i), "x")
		},
	} {
		d, err := NewDecoder(&rowSource{rows: 40000, row: row}, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for {
			if _, err := d.Next(); err != nil {
				break
			}
		}
		runtime.GC()
		var after runtime.MemStats
		runtime.ReadMemStats(&after)
		if after.HeapAlloc > 24<<20 {
			t.Errorf("%s: %d MiB are held at the end", name, after.HeapAlloc>>20)
		}
		if len(d.Skipped()) > maxSkips || len(d.UnknownRows()) > maxUnknown+1 {
			t.Errorf("%s: %d skips, %d unknown types", name, len(d.Skipped()), len(d.UnknownRows()))
		}
		runtime.KeepAlive(d)
	}
}

// The work on a hostile line is bounded: none of these takes its square.
func TestHostileLines(t *testing.T) {
	for name, line := range map[string]string{
		"opening": strings.Repeat(`{"type":`, 200000),
		"lists":   strings.Repeat(`[`, 1<<20),
		"pairs":   strings.Repeat(`{"`, 500000),
		"quotes":  strings.Repeat(`"`, 1<<20),
		"slashes": `{"type":"` + strings.Repeat(`\`, 1<<20),
		"objects": strings.Repeat(`{"a":1}`, 100000),
	} {
		d, err := NewDecoder(strings.NewReader(userRow("u1", "x")+line+"\n"+userRow("u2", "y")), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := dump(d); !strings.Contains(got, `"y"`) {
			t.Errorf("%s: the row behind it is lost", name)
		}
	}
}

// With KeepRaw a session's messages make a body that reads as they do.
func TestRawMakesABody(t *testing.T) {
	for _, file := range []string{"claude.jsonl", "codex.jsonl"} {
		d, err := NewDecoder(bytes.NewReader(testdata(t, file)), Options{KeepRaw: true})
		if err != nil {
			t.Fatal(err)
		}
		var messages []pith.Message
		for {
			r, err := d.Next()
			if err != nil {
				break
			}
			if r.Message != nil && r.Message.Raw != nil {
				messages = append(messages, *r.Message)
			}
		}
		body, err := wire.Encode(wire.NewBody(d.Header().Format, "m", messages))
		if err != nil {
			t.Fatal(err)
		}
		conv, err := wire.DecodeAs(d.Header().Format, body)
		if err != nil || len(conv.Messages) != len(messages) || len(messages) < 10 {
			t.Fatalf("%s: %v, %d messages, want %d", file, err, len(conv.Messages), len(messages))
		}
		for i := range messages {
			for k := range messages[i].Blocks {
				if got, want := conv.Messages[i].Blocks[k], messages[i].Blocks[k]; got.Text != want.Text || got.Kind != want.Kind || got.ToolUseID != want.ToolUseID {
					t.Errorf("%s: message %d, block %d: %+v, want %+v", file, i, k, got, want)
				}
			}
		}
	}
}

// What a Claude Code session says of an exit: the client's mark goes before
// the last line of the output.
func TestClaudeExitCodes(t *testing.T) {
	for _, tt := range []struct {
		tool, result, own string
		want              string
	}{
		{"Bash", `"content":"ok"`, `{"stdout":"ok","stderr":""}`, "0"},
		{"Bash", `"content":"Exit code 2\nx","is_error":true`, `"Error: Exit code 2"`, "2"},
		{"Bash", `"content":"--help\nexit status 1"`, `{}`, "0"},
		{"Bash", `"content":"2 failed\nexit status 1","is_error":true`, `{}`, "1"},
		{"Bash", `"content":"","is_error":false`, `{"stdout":"","returnCodeInterpretation":"No matches found"}`, "-"},
		{"Bash", `"content":"Command timed out after 2m 0.0s","is_error":true`, `"Error"`, "-"},
		{"Bash", `"content":"x"`, `{"stdout":"x","interrupted":true}`, "-"},
		{"TaskOutput", `"content":"<status>running</status>"`, `{}`, "-"},
		{"Read", `"content":"exit status 1"`, `{}`, "-"},
	} {
		use := `{"type":"assistant","uuid":"a","sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"` + tt.tool + `","input":{}}]}}`
		row := `{"type":"user","uuid":"r","sessionId":"s","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result",` + tt.result + `}]},"toolUseResult":` + tt.own + `}`
		d, err := NewDecoder(strings.NewReader(use+"\n"+row), Options{})
		if err != nil {
			t.Fatal(err)
		}
		y := tallyOf(t, d)
		got := "-"
		if len(y.results) == 1 && y.results[0].Exit != nil {
			got = fmt.Sprint(*y.results[0].Exit)
		}
		if len(y.results) != 1 || got != tt.want {
			t.Errorf("%s %s: exit %s, want %s (%d results)", tt.tool, tt.result, got, tt.want, len(y.results))
		}
	}
}

// Threads that write in turns cut each other's messages in two; what a request
// used is still counted once.
func TestUsageIsCountedOncePerMessage(t *testing.T) {
	row := func(uuid, id string, sidechain bool) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":%q,"sessionId":"s","isSidechain":%v,"message":{"id":%q,"role":"assistant","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":5}}}`+"\n", uuid, sidechain, id)
	}
	d, err := NewDecoder(strings.NewReader(row("a", "m1", false)+row("b", "m2", true)+row("c", "m3", true)+row("d", "m2", true)+row("e", "m1", false)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if y := tallyOf(t, d); y.withUsage != 3 || y.messages != 5 {
		t.Errorf("%d messages, %d with usage", y.messages, y.withUsage)
	}
}

func FuzzDecode(f *testing.F) {
	for _, file := range []string{"sweagent.json", "sweagent-cut.json", "mini-object.json", "openhands-raw.jsonl", "openhands-several.jsonl", "openhands-pairs.json", "tau2-several.json", "tau1.json", "claude.jsonl", "claude-damaged.jsonl", "codex.jsonl", "codex-events.jsonl", "body-anthropic.json",
		"pi-linear.jsonl", "pi-tree-raw.jsonl", "gemini.json", "gemini-cut.json", "gemini-rows-raw.jsonl", "opencode.json", "opencode-raw-cut.json"} {
		f.Add(testdata(f, file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := NewDecoder(bytes.NewReader(data), Options{KeepRaw: true, MaxRow: 1 << 16})
		if err != nil {
			if pith.KindOf(err) != pith.KindInput {
				t.Fatalf("kind of %v", err)
			}
			return
		}
		first := dump(d)
		d, err = NewDecoder(iotestHalf{bytes.NewReader(data)}, Options{KeepRaw: true, MaxRow: 1 << 16})
		if err != nil {
			t.Fatalf("read in small pieces: %v", err)
		}
		if again := dump(d); again != first {
			t.Fatalf("read in small pieces:\n%s\nat once:\n%s", again, first)
		}
	})
}

// iotestHalf gives half of what is asked for.
type iotestHalf struct{ r io.Reader }

func (h iotestHalf) Read(p []byte) (int, error) { return h.r.Read(p[:(len(p)+1)/2]) }

// BenchmarkDecode reads a generated session of 4 MB in which, as in real ones,
// most bytes are the client's own copies of edited files.
func BenchmarkDecode(b *testing.B) {
	original := strings.Repeat(`\tif err := run(ctx, \"name\", 12); err != nil {\n\t\treturn fmt.Errorf(\"run: %w\", err)\n\t}\n`, 120)
	output := strings.Repeat(`ok  \tgithub.com/x/shop/internal/orders\t0.412s\n`, 40)
	var data bytes.Buffer
	for i := 0; data.Len() < 4<<20; i++ {
		fmt.Fprintf(&data, `{"parentUuid":"p%d","type":"assistant","uuid":"a%d","sessionId":"s","cwd":"/w","gitBranch":"main","timestamp":"2031-01-05T10:00:00.123Z","message":{"id":"m%d","role":"assistant","model":"claude-test","content":[{"type":"text","text":"I edit the file and run the tests again.\nThen I look at the result."}],"usage":{"input_tokens":4,"cache_read_input_tokens":2000,"output_tokens":7}}}`+"\n", i, i, i)
		fmt.Fprintf(&data, `{"parentUuid":"p%d","type":"assistant","uuid":"b%d","sessionId":"s","cwd":"/w","gitBranch":"main","timestamp":"2031-01-05T10:00:00.123Z","message":{"id":"m%d","role":"assistant","model":"claude-test","content":[{"type":"tool_use","id":"t%d","name":"Edit","input":{"file_path":"/w/orders.go","old_string":"a\tb\n","new_string":"c\td\n"}}],"usage":{"input_tokens":4,"cache_read_input_tokens":2000,"output_tokens":7}}}`+"\n", i, i, i, i)
		fmt.Fprintf(&data, `{"parentUuid":"p%d","type":"user","uuid":"r%d","sessionId":"s","cwd":"/w","gitBranch":"main","timestamp":"2031-01-05T10:00:00.123Z","message":{"role":"user","content":[{"tool_use_id":"t%d","type":"tool_result","content":"%s"}]},"toolUseResult":{"filePath":"/w/orders.go","oldString":"a","newString":"b","originalFile":"%s","structuredPatch":[{"oldStart":1,"lines":[" a","-b","+c"]}]}}`+"\n", i, i, i, output, original)
	}
	benchmark(b, data.Bytes())
}
