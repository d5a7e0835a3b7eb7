package hook_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith/hook"
)

// rollout is a session of Codex that does what a client of the tests does.
type rollout struct {
	*client
	file        *os.File
	rows, turns int
	size        int64
}

// longRollout is a Codex session of that many bytes.
func longRollout(b *testing.B, c *client, size int64) *rollout {
	b.Helper()
	path := filepath.Join(b.TempDir(), "rollout-2026-11-02T09-00-00-0b7e0002.jsonl")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	r := &rollout{client: c, file: f}
	r.row("session_meta", map[string]any{"id": "0b7e0002", "cwd": c.folder, "cli_version": "0.171.0", "source": "cli"})
	r.row("turn_context", map[string]any{"cwd": c.folder, "model": "gpt-5.4-codex", "sandbox_policy": map[string]any{"mode": "workspace-write"}})
	r.item("user", "input_text", "Rename the ledger "+c.mark+" in every package.\n\n- Never touch "+c.mark+"/legacy.go, the auditors read it.")
	for random := seeded(40); r.size < size; {
		r.work(random)
	}
	return r
}

func (r *rollout) row(kind string, payload map[string]any) {
	r.rows++
	line, err := json.Marshal(map[string]any{
		"timestamp": time.Date(2026, 11, 2, 9, 0, r.rows, 0, time.UTC).Format(time.RFC3339Nano), "ordinal": r.rows, "type": kind, "payload": payload,
	})
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	if err != nil {
		panic(err)
	}
	r.size += int64(len(line)) + 1
}

func (r *rollout) item(role, kind, text string) {
	r.row("response_item", map[string]any{"type": "message", "role": role, "content": []any{map[string]any{"type": kind, "text": text}}})
}

// work is about 20 KB of a session: a file that is read, an edit, a check.
func (r *rollout) work(random *rand.Rand) {
	var text strings.Builder
	for i := range 260 {
		fmt.Fprintf(&text, "%d\tfunc part%x(n int) error { return check(n, %d, %q) }\n", i, random.Uint32(), random.Uint32(), r.mark)
	}
	path := fmt.Sprintf("%s/part%d.go", r.mark, r.turns/3%120)
	r.runs("cat "+path, text.String(), 0)
	r.runs("sed -i s/a/b/ "+path, "", 0)
	r.runs("./"+r.mark+"-check all", r.mark+" is not renamed everywhere", 3)
}

// runs has the model run a command.
func (r *rollout) runs(command, output string, code int) {
	r.turns++
	id := fmt.Sprintf("call_%d", r.turns)
	r.item("assistant", "output_text", "Going on with "+r.mark+".")
	args, err := json.Marshal(map[string]any{"cmd": command, "workdir": r.folder})
	if err != nil {
		panic(err)
	}
	r.row("response_item", map[string]any{"type": "function_call", "name": "exec_command", "arguments": string(args), "call_id": id})
	r.row("event_msg", map[string]any{"type": "token_count", "info": map[string]any{
		"last_token_usage":     map[string]any{"input_tokens": 18000 + 400*(r.turns%300), "output_tokens": 90, "total_tokens": 18090 + 400*(r.turns%300)},
		"model_context_window": 258_400,
	}})
	r.row("response_item", map[string]any{"type": "function_call_output", "call_id": id, "output": fmt.Sprintf(
		"Chunk ID: ab12\nWall time: 0.1 seconds\nProcess exited with code %d\nOriginal token count: 9\nOutput:\n%s", code, output)})
}

func (r *rollout) input(event hook.Event, why string) map[string]any {
	return with(with(r.client.input(event, why), "session_id", "0b7e0002"), "transcript_path", r.file.Name())
}
