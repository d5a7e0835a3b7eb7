package install

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-memory/pith/redact"
)

// The made-up session of the round trip: what the answer must hold, and for how
// long an agent would wait for it.
const (
	probeRule   = "Never change anything below billing/ledger."
	probeWithin = 10 * time.Second
	maxAnswer   = 4 << 20 // bytes
	probeID     = "5a17c0de-0000-4000-8000-00000000d0c5"
)

// Trip is a round trip that came back.
type Trip struct {
	Took time.Duration
	// Store is where the checkpoint of the made-up session was kept.
	Store string
}

// RoundTrip plays an agent: it has a session of its own making compacted by a
// program, and then started again, in a folder that the caller removes
// afterwards, and looks whether the answers hold what was said in the session.
func RoundTrip(ctx context.Context, pith string, agent Agent, folder string) (*Trip, error) {
	session := filepath.Join(folder, probeID+".jsonl")
	if err := os.WriteFile(session, probeSession(folder), 0o600); err != nil {
		return nil, fmt.Errorf("write the made-up session: %w", bare(err))
	}
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	t := &Trip{Store: filepath.Join(folder, "store")}
	var compacted struct{ Memory string }
	start := time.Now()
	err := t.ask(ctx, pith, agent, "session-compact", probeEvent{Trigger: "manual"}, &compacted)
	t.Took = time.Since(start)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(compacted.Memory, probeRule) {
		return nil, errors.New("the answer does not hold what the session said")
	}
	var started struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if err := t.ask(ctx, pith, agent, "session-start", probeEvent{Source: "resume"}, &started); err != nil {
		return nil, fmt.Errorf("session-start: %w", err)
	}
	if !strings.Contains(started.HookSpecificOutput.AdditionalContext, probeRule) {
		return nil, errors.New("session-start: what the session said is not restored")
	}
	return t, nil
}

// probeEvent is an event of the made-up session, as agents send it.
type probeEvent struct {
	Session    string `json:"session_id"`
	Transcript string `json:"transcript_path"`
	CWD        string `json:"cwd"`
	Trigger    string `json:"trigger,omitempty"`
	Source     string `json:"source,omitempty"`
}

// ask gives the program one event of the made-up session, and reads its answer.
func (t *Trip) ask(ctx context.Context, pith string, agent Agent, name string, event probeEvent, answer any) error {
	folder := filepath.Dir(t.Store)
	event.Session, event.Transcript, event.CWD = probeID, filepath.Join(folder, probeID+".jsonl"), folder
	data, err := json.Marshal(event)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, pith, "hook", name, "--client", string(agent))
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+folder, "XDG_CACHE_HOME="+folder, "PITH_STORE_PATH="+t.Store)
	cmd.Stdin = bytes.NewReader(data)
	out, aside, err := listen(ctx, cmd, maxAnswer)
	if err != nil {
		return fmt.Errorf("run %s: %w", pith, bare(err))
	}
	if len(out) == 0 {
		why, _, _ := strings.Cut(strings.TrimSpace(string(aside)), "\n")
		return errors.Join(errors.New("the answer is empty"), errors.New(shownLine(why, redact.New())))
	}
	if err := json.Unmarshal(out, answer); err != nil {
		return fmt.Errorf("the answer is no JSON: %w", err)
	}
	return nil
}

// listen runs a program until its context ends, and gives what it says and what
// it says on standard error, each no more than a limit, at which it is ended.
func listen(ctx context.Context, cmd *exec.Cmd, limit int) (out, aside []byte, err error) {
	said, beside := &bounded{limit: limit}, &bounded{limit: limit}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = said, beside, time.Second
	err = cmd.Run()
	switch {
	case said.over || beside.over:
		err = fmt.Errorf("it says more than %d KiB", limit>>10)
	case ctx.Err() != nil:
		err = errors.New("no answer in time")
	case errors.Is(err, exec.ErrWaitDelay):
		err = nil // it ended, and left a program behind that does not
	}
	return said.data.Bytes(), beside.data.Bytes(), err
}

// bounded keeps what is written up to a limit; more is an error, which closes
// the pipe of the program that writes.
type bounded struct {
	data  bytes.Buffer
	limit int
	over  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.over = b.over || b.data.Len()+len(p) > b.limit; b.over {
		return 0, io.ErrShortBuffer
	}
	return b.data.Write(p)
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
	x.add(OK, "round trip", "", "a made-up session came back compacted in %d ms, and when it was resumed", t.Took.Milliseconds())
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
			"parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": folder, "sessionId": probeID,
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
