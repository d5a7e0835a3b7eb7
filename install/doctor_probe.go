package install

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The made-up session of the round trip: what the answer must hold, and for how
// long an agent would wait for it.
const (
	probeRule   = "Never change anything below billing/ledger."
	probeWithin = 10 * time.Second
)

// Trip is a round trip that came back.
type Trip struct {
	Took time.Duration
	// Store is where the checkpoint of the made-up session was kept.
	Store string
}

// RoundTrip plays an agent: it has a session of its own making compacted by a
// program, in a folder that the caller removes afterwards, and looks whether the
// answer holds what was said in the session.
func RoundTrip(ctx context.Context, pith string, agent Agent, folder string) (*Trip, error) {
	session := filepath.Join(folder, "5a17c0de-0000-4000-8000-00000000d0c5.jsonl")
	if err := os.WriteFile(session, probeSession(folder), 0o600); err != nil {
		return nil, fmt.Errorf("write the made-up session: %w", err)
	}
	event, err := json.Marshal(map[string]any{
		"session_id": "5a17c0de-0000-4000-8000-00000000d0c5", "transcript_path": session, "cwd": folder,
		"trigger": "manual", "messages": []any{},
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	t := &Trip{Store: filepath.Join(folder, "store")}
	cmd := exec.CommandContext(ctx, pith, "hook", "session-compact", "--client", string(agent))
	cmd.Dir, cmd.WaitDelay = folder, time.Second
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+folder, "XDG_CACHE_HOME="+folder, "PITH_STORE_PATH="+t.Store)
	cmd.Stdin = bytes.NewReader(event)
	var said bytes.Buffer
	cmd.Stderr = &said
	start := time.Now()
	out, err := cmd.Output()
	t.Took = time.Since(start)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("no answer within %v", probeWithin)
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", pith, err)
	}
	var answer struct{ Memory string }
	switch err := json.Unmarshal(out, &answer); {
	case len(out) == 0:
		why, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return nil, errors.Join(errors.New("the answer is empty"), fmt.Errorf("%s", why))
	case err != nil:
		return nil, fmt.Errorf("the answer is no JSON: %w", err)
	case !strings.Contains(answer.Memory, probeRule):
		return nil, errors.New("the answer does not hold what the session said")
	}
	return t, nil
}

// roundTrip has the installed pith answer.
func (x *examiner) roundTrip(ctx context.Context, folder string) {
	dir, err := os.MkdirTemp(folder, "trip-")
	if err != nil {
		x.add(Wrong, "round trip", "see that you may write there", "%v", err)
		return
	}
	t, err := RoundTrip(ctx, x.r.Pith, x.r.Agent, dir)
	if err != nil {
		x.add(Wrong, "round trip", "`pith config` shows its settings; then "+x.again(), "%s", oneLine(err))
		return
	}
	x.add(OK, "round trip", "", "a made-up session came back compacted in %d ms", t.Took.Milliseconds())
}

func oneLine(err error) string {
	return strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", ": ")
}

// probeSession is a session as Claude Code writes it.
func probeSession(folder string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	parent := any(nil)
	row := func(n int, kind string, message map[string]any) {
		id := fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
		_ = enc.Encode(map[string]any{ // a buffer takes everything
			"parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": folder, "sessionId": "5a17c0de-0000-4000-8000-00000000d0c5",
			"version": "2.1.332", "type": kind, "message": message, "uuid": id, "timestamp": fmt.Sprintf("2026-01-02T03:04:%02d.000Z", n),
		})
		parent = id
	}
	row(1, "user", map[string]any{"role": "user", "content": "Fix the rounding of the totals in the report. " + probeRule})
	for n := range 12 {
		id := fmt.Sprintf("toolu_%02d", n)
		use := map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]string{"command": fmt.Sprintf("go test ./report/part%d", n)}}
		row(2+2*n, "assistant", map[string]any{
			"id": fmt.Sprintf("msg_%02d", n), "type": "message", "role": "assistant", "model": "claude-opus-4-5", "content": []any{use},
			"usage": map[string]int{"input_tokens": 1000 + 2000*n, "output_tokens": 20},
		})
		result := map[string]any{"type": "tool_result", "tool_use_id": id, "content": strings.Repeat(fmt.Sprintf("ok  report/part%d total %d\n", n, 7*n), 200)}
		row(3+2*n, "user", map[string]any{"role": "user", "content": []any{result}})
	}
	return b.Bytes()
}
