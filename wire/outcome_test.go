package wire

import (
	"strconv"
	"testing"

	"github.com/pith-memory/pith"
)

var outcomes = []struct {
	tool, text string
	want       string // exit code, "-" for none, with r(ejected), e(rror), or the running id
}{
	{"Bash", "Exit code 127\nbash: x: not found", "127"},
	{"bash", "ok 5 passed\nexit status 0", "0"},
	{"bash", "2 failed\nmake: *** [unit] Error 1\nexit status 1\n", "1"},
	{"bash", "exit status 1\nFAIL\tpkg\t0.1s", "-"},
	{"", "done (exit code 3)", "3"},
	{"run_command", "out\n[exit code: -1]", "-1"},
	{"bash", "out\n\nCommand exited with code 2", "2"},
	{"execute_bash", "out\n[The command completed with exit code 0.]", "0"},
	{"bash", "<returncode>1</returncode>\n<output>\nx", "1"},
	{"bash", "text says exit code 3 somewhere, and goes on", "-"},
	{"bash", "grep: the exit status 2 rows were found", "-"},
	{"bash", "noexit code 1x", "-"},
	{"read_file", "the script ends with\nexit status 1", "-"},
	{"Read", "Exit code 1", "-"},
	{"TaskOutput", "<status>completed</status>\n\n<exit_code>0</exit_code>\n<output>..", "0"},
	{"exec_command", "Chunk ID: 1\nWall time: 1 s\nProcess exited with code 1\nOutput:\nexit status 0", "1"},
	{"exec_command", "Command: bash -lc 'echo \"exit status 9\"\nx'\nChunk ID: 1\nProcess exited with code 4\nOriginal token count: 3\nOutput:\n", "4"},
	{"exec_command", "Chunk ID: 1\nWall time: 1 s\nProcess running with session ID 412\nOutput:\n", "- 412"},
	{"exec_command", "Chunk ID: 1\nWall time: 1 s\nProcess running with session ID 412\nOutput:\nthe job ended with exit code 47.", "- 412"},
	{"exec_command", "Chunk ID: 1\nProcess exited with code 0\nOutput:\nProcess running with session ID 7", "0"},
	{"Bash", "Command running in background with ID: bash_1. Output is", "- bash_1"},
	{"Bash", "The user doesn't want to proceed with this tool use.", "- r"},
	{"exec_command", "aborted by user after 3.0s", "- r"},
	{"exec_command", "exec_command failed for `x`: CreateProcess", "- e"},
	{"pwsh", "12 passed\nexit status 0", "0"},
	{"exec", "Script failed\nWall time 0.2 seconds\nOutput:\nReferenceError: x is not defined", "- e"},
	{"exec", "Script completed\nWall time 0.2 seconds\nOutput:\nok", "-"},
	{"bash", "Script failed to find a test", "-"},
	{"Edit", "<tool_use_error>String to replace not found", "- e"},
	{"shell", `{"output":"17 passed\n","metadata":{"exit_code":1,"duration_seconds":2.1}}`, "1"},
	{"shell", `{"stdout":"x","exit_code":5}`, "5"},
	{"read_file", `{"output":"x","metadata":{}}`, "-"},
	{"bash", "Process finished, exit code=2", "2"},
	{"bash", "", "-"},
	{"read_file", "Error: no such file", "- e"},
	{"read_file", "Error: a log\nof many lines", "-"},
	{"bash", "Error: no such container", "-"},
}

func TestReadOutcome(t *testing.T) {
	for _, tt := range outcomes {
		b := pith.Block{Kind: pith.KindToolResult, Text: tt.text}
		readOutcome(&b, tt.tool)
		got := "-"
		if b.Exit != nil {
			got = strconv.Itoa(*b.Exit)
		}
		if b.Rejected {
			got += " r"
		}
		if b.IsError {
			got += " e"
		}
		if b.Running != "" {
			got += " " + b.Running
		}
		if got != tt.want {
			t.Errorf("%s %q: %s, want %s", tt.tool, tt.text, got, tt.want)
		}
		before := b
		readOutcome(&b, tt.tool)
		if b.Text != before.Text || (b.Exit == nil) != (before.Exit == nil) {
			t.Errorf("%q: reading twice changed it", tt.text)
		}
	}
	b := pith.Block{Kind: pith.KindToolResult, Text: `{"output":"17 passed\n","metadata":{"exit_code":0}}`}
	if readOutcome(&b, "shell"); b.Text != "17 passed\n" {
		t.Errorf("the output is %q", b.Text)
	}
}

func TestOpenCallsTakeTheNearest(t *testing.T) {
	var open OpenCalls
	open.open("call_0", "first")
	open.open("call_0", "second")
	if a, b, c := open.answer("call_0"), open.answer("call_0"), open.answer("call_0"); a != "second" || b != "first" || c != "" {
		t.Errorf("%q %q %q", a, b, c)
	}
	for i := range 3 * maxOpenCalls {
		open.open(strconv.Itoa(i), "x")
	}
	if len(open.calls) > maxOpenCalls {
		t.Errorf("%d calls are open", len(open.calls))
	}
}

func TestReadUsage(t *testing.T) {
	for _, tt := range []struct {
		usage string
		want  pith.Usage
	}{
		{`{"input_tokens":4,"cache_creation_input_tokens":10,"cache_read_input_tokens":20,"output_tokens":7,"cache_creation":{"x":1}}`, pith.Usage{Input: 4, CacheRead: 20, CacheWrite: 10, Output: 7}},
		{`{"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":60}}`, pith.Usage{Input: 40, CacheRead: 60, Output: 5}},
		{`{"input_tokens":100,"input_tokens_details":{"cached_tokens":0},"output_tokens":5}`, pith.Usage{Input: 100, Output: 5}},
		{`{"input_tokens":100,"cached_input_tokens":90,"output_tokens":5,"total_tokens":105}`, pith.Usage{Input: 10, CacheRead: 90, Output: 5}},
	} {
		if got := ReadUsage([]byte(tt.usage)); got == nil || *got != tt.want {
			t.Errorf("%s: %+v", tt.usage, got)
		}
	}
	for _, none := range []string{`{"input_tokens":0}`, `null`, ``} {
		if got := ReadUsage([]byte(none)); got != nil {
			t.Errorf("%s: %+v", none, got)
		}
	}
}
