package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/provider/providertest"
)

// The task: two faults in a package, of which the second shows only when the
// first is gone. Long reports have to be read meanwhile, so that the window
// fills several times.
const (
	faulty = `package sum

// Of adds numbers.
func Of(numbers ...int) int {
	total := 1
	for _, n := range numbers {
		total += n
	}
	return total
}

// Mean is the average, 0 of nothing.
func Mean(numbers ...int) int { return Of(numbers...) / len(numbers) }
`
	tests = `package sum

import "testing"

func TestOf(t *testing.T) {
	if got := Of(1, 2, 3); got != 6 {
		t.Fatalf("Of(1, 2, 3) = %d, want 6", got)
	}
}

func TestMean(t *testing.T) {
	if got := Mean(); got != 0 {
		t.Fatalf("Mean() = %d, want 0", got)
	}
	if got := Mean(2, 4); got != 3 {
		t.Fatalf("Mean(2, 4) = %d, want 3", got)
	}
}
`
	rule   = "Never change sum_test.go."
	prompt = "Make the tests of package sum pass. " + rule + " Read every report in reports/ before each change, and run go test ./... after it."
)

// draft is what the model says of the work so far. The second decision is made
// up: no file and no number of it is in the session.
const draft = `{"task":"Make the tests of package sum pass.","current_state":"The function Of in sum.go adds numbers and begins with total := 1.",
"work_type":"bugfix",
"key_decisions":[{"decision":"Mend sum.go and leave sum_test.go alone","reason":"the user said: Never change sum_test.go."},{"decision":"Rewrite average/fast.go in 4711 lines","reason":"speed"}],
"eliminated_approaches":[],"open_questions":[],"next_steps":["Run go test ./... after the change"]}`

func scratch(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module example.com/sum\n\ngo 1.21\n", "sum.go": faulty, "sum_test.go": tests}
	for i := range 4 {
		var b strings.Builder
		for line := range 170 {
			fmt.Fprintf(&b, "report %d, line %d: the sensor %d of hall %d gave %d\n", i, line, line*7%101, line%13, line*line%997)
		}
		files[fmt.Sprintf("reports/%d.txt", i)] = b.String()
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// steps are what the model does: real work on real files, in one order.
func steps() []providertest.Answer {
	use := providertest.Use
	var reports providertest.Answer
	for i := range 4 {
		reports.Calls = append(reports.Calls, use("read", fmt.Sprintf(`{"path":"reports/%d.txt"}`, i)).Calls...)
	}
	return []providertest.Answer{
		use("bash", `{"command":"ls; go test ./..."}`),
		use("read", `{"path":"sum.go"}`),
		reports,
		use("edit", `{"path":"sum.go","old":"total := 1","new":"total := 0"}`),
		use("bash", `{"command":"go test ./..."}`),
		reports,
		use("bash", `{"command":"git status || true"}`),
		reports,
		use("edit", `{"path":"sum.go","old":"func Mean(numbers ...int) int { return Of(numbers...) / len(numbers) }","new":"func Mean(numbers ...int) int {\n\tif len(numbers) == 0 {\n\t\treturn 0\n\t}\n\treturn Of(numbers...) / len(numbers)\n}"}`),
		reports,
		use("read", `{"path":"sum_test.go"}`),
		reports,
		use("bash", `{"command":"go vet ./... && go test ./..."}`),
		providertest.Say("Both faults in sum.go are mended, and the tests pass."),
	}
}

func TestTaskOverThreeCompactions(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the task needs the go tool")
	}
	for _, x := range []struct {
		model  string
		format pith.Format
	}{
		{"anthropic/claude-haiku-4-5", pith.FormatAnthropic},
		{"openai-responses/gpt-5-mini", pith.FormatOpenAIResponses},
		{"openai-chat/gpt-5-mini", pith.FormatOpenAIChat},
	} {
		t.Run(x.model, func(t *testing.T) {
			const window = 20_000
			list, at := steps(), 0
			server := providertest.New(t, providertest.Options{Window: window, Key: "test-key", Script: func(r *providertest.Request) providertest.Answer {
				if r.Compaction {
					return providertest.Say(draft)
				}
				if at == len(list) {
					return providertest.Say("There is nothing more to do.")
				}
				at++
				return list[at-1]
			}})
			t.Setenv("ANTHROPIC_API_KEY", "test-key")
			t.Setenv("OPENAI_API_KEY", "test-key")
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			t.Setenv("GOFLAGS", "-count=1")
			dir := scratch(t)
			var out, errOut bytes.Buffer
			err := run(context.Background(), []string{
				"-model", x.model, "-url", server.BaseURL(x.format), "-dir", dir, "-session", "task", "-window", fmt.Sprint(window), "-figures", prompt,
			}, strings.NewReader(""), &out, &errOut)
			if err != nil {
				t.Fatalf("%v\n%s", err, errOut.String())
			}
			checkTask(t, dir, out.String(), errOut.String(), server, at == len(list))
		})
	}
}

// TestStopAndGoOn ends the program in the middle of its work, as Ctrl-C does,
// and starts it again: every step is done once.
func TestStopAndGoOn(t *testing.T) {
	list := []providertest.Answer{
		providertest.Use("bash", `{"command":"echo one >> log"}`),
		providertest.Use("bash", `{"command":"echo two >> log"}`),
		providertest.Use("bash", `{"command":"echo three >> log"}`),
		providertest.Say("All three are written."),
	}
	at := 0
	ctx, stop := context.WithCancel(context.Background())
	server := providertest.New(t, providertest.Options{Script: func(*providertest.Request) providertest.Answer {
		if at == 2 && ctx.Err() == nil {
			stop()
			return providertest.Answer{Fault: providertest.Silence()}
		}
		at++
		return list[at-1]
	}})
	t.Setenv("ANTHROPIC_API_KEY", "test-key")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	args := []string{"-url", server.URL, "-dir", dir}
	var out, errOut bytes.Buffer
	if err := run(ctx, append(args, "Write one, two and three to log."), strings.NewReader(""), &out, &errOut); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped with %v\n%s", err, errOut.String())
	}
	if err := run(context.Background(), args, strings.NewReader(""), &out, &errOut); err != nil {
		t.Fatalf("%v\n%s", err, errOut.String())
	}
	text, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil || string(text) != "one\ntwo\nthree\n" {
		t.Errorf("log is %q (%v)\n%s", text, err, errOut.String())
	}
	if !strings.Contains(errOut.String(), "[goes on with session ") || !strings.Contains(out.String(), "All three are written.") {
		t.Errorf("said %q and %q", out.String(), errOut.String())
	}
	if p := server.Problems(); len(p) > 0 {
		t.Error(p[0])
	}
}

func checkTask(t *testing.T, dir, out, errOut string, server *providertest.Server, whole bool) {
	t.Helper()
	if !whole {
		t.Errorf("the run ended early\n%s", errOut)
	}
	if p := server.Problems(); len(p) > 0 {
		t.Errorf("the server refused %d requests: %s", len(p), p[0])
	}
	if n := strings.Count(errOut, "[compacted: "); n < 3 {
		t.Errorf("%d compactions, want 3\n%s", n, errOut)
	}
	if n := strings.Count(errOut, `"msg":"compaction"`); n < 3 || strings.Contains(errOut, `"claims_dropped":0`) {
		t.Errorf("figures of %d compactions, want 3, and a dropped claim in each\n%s", n, errOut)
	}
	if !strings.Contains(errOut, "judged by") {
		t.Errorf("no compaction was judged by the model\n%s", errOut)
	}
	if !strings.Contains(out, "the tests pass") {
		t.Errorf("the answer is %q", out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "sum.go"))
	if err != nil || !strings.Contains(string(text), "total := 0") || !strings.Contains(string(text), "if len(numbers) == 0") {
		t.Errorf("sum.go is not mended (%v):\n%s", err, text)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "sum_test.go")); err != nil || string(text) != tests {
		t.Errorf("sum_test.go was changed (%v)", err)
	}
	cmd := exec.Command("go", "test", "./...")
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the tests fail: %v\n%s", err, text)
	}
	requests := server.Requests()
	last := requests[len(requests)-1].Text()
	for _, want := range []string{rule, "sum.go", "example.com/sum"} {
		if !strings.Contains(last, want) {
			t.Errorf("the last request lacks %q", want)
		}
	}
	if strings.Contains(last, "average/fast.go") {
		t.Error("the last request holds what the compactor made up")
	}
}
