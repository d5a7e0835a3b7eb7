package install_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"time"
)

// chat has one process of Claude Code answer several prompts, each after the
// answer to the one before it. A prompt is a text, or a list of blocks.
func (r *rig) chat(version string, prompts ...any) result {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), clientLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.agent(version+"/claude"), "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions")
	cmd.Dir, cmd.Env = r.Work, append(r.environment(), "ANTHROPIC_BASE_URL="+r.Server.URL, "ANTHROPIC_API_KEY=sk-ant-test-000")
	cmd.WaitDelay = 5 * time.Second
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	in, err := cmd.StdinPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	var said bytes.Buffer
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for _, prompt := range prompts {
		line := mustJSON(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": prompt}})
		if _, err := in.Write(append(line, '\n')); err != nil {
			break // it ended: what it said tells why
		}
		for lines.Scan() {
			said.Write(append(lines.Bytes(), '\n'))
			if endsTurn(lines.Bytes()) {
				break
			}
		}
	}
	in.Close()
	for lines.Scan() {
		said.Write(append(lines.Bytes(), '\n'))
	}
	err = cmd.Wait()
	if cmd.ProcessState == nil {
		r.t.Fatal(err)
	}
	return result{Out: said.String(), Err: errOut.String(), Code: cmd.ProcessState.ExitCode()}
}

// endsTurn tells the row that ends the answer to a prompt.
func endsTurn(line []byte) bool {
	var row struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(line, &row) == nil && row.Type == "result"
}
