package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-memory/pith/agent"
	"github.com/pith-memory/pith/extract"
	"github.com/pith-memory/pith/truncate"
)

// The bounds of what a tool hands to the model and of what it waits for.
const (
	maxOutput  = 30_000  // bytes
	maxReading = 1 << 20 // bytes of a file
	maxRun     = 2 * time.Minute
)

// workshop is the folder that the agent works in. Files are opened through
// root, which no path and no link leads out of; commands only start there.
type workshop struct {
	dir  string
	root *os.Root
}

func openWorkshop(dir string) (*workshop, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &workshop{dir: dir, root: root}, nil
}

// tools are what the model may call.
func (w *workshop) tools() []agent.Tool {
	return []agent.Tool{
		tool("bash", "Run a command with bash in the working folder. The output is standard output and standard error together, shortened in the middle where it is long.",
			`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"],"additionalProperties":false}`,
			w.bash, confirmBash),
		readOnly(tool("read", "Read a text file of the working folder. offset is the first line, from 1; limit is how many lines, 2000 if it is left out.",
			`{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer"},"limit":{"type":"integer"}},"required":["path"],"additionalProperties":false}`,
			w.read, nil)),
		tool("write", "Write a whole file of the working folder, with the folders above it. What was in it is gone.",
			`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"],"additionalProperties":false}`,
			w.write, nil),
		tool("edit", "Replace a text in a file of the working folder by another one. old has to occur exactly once.",
			`{"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"}},"required":["path","old","new"],"additionalProperties":false}`,
			w.edit, nil),
	}
}

// tool makes a tool of a function that takes the arguments as a struct.
func tool[A any](name, description, schema string, run func(context.Context, A) (agent.Output, error), confirm func(A) string) agent.Tool {
	t := agent.Tool{Name: name, Description: description, Schema: json.RawMessage(schema)}
	t.Run = func(ctx context.Context, input json.RawMessage) (agent.Output, error) {
		var args A
		if err := strictly(input, &args); err != nil {
			return agent.Output{}, fmt.Errorf("the arguments: %w", err)
		}
		return run(ctx, args)
	}
	if confirm != nil {
		t.Confirm = func(input json.RawMessage) string {
			var args A
			if strictly(input, &args) != nil {
				return "" // it will not run either
			}
			return confirm(args)
		}
	}
	return t
}

func readOnly(t agent.Tool) agent.Tool {
	t.ReadOnly = true
	return t
}

// strictly reads arguments; one that the tool does not have is an error that
// the model can mend.
func strictly(input json.RawMessage, args any) error {
	d := json.NewDecoder(bytes.NewReader(input))
	d.DisallowUnknownFields()
	return d.Decode(args)
}

type bashArgs struct {
	Command string `json:"command"`
}

// confirmBash asks about what cannot be brought back. That is no sandbox: a
// command that nobody thought of runs unasked.
func confirmBash(a bashArgs) string {
	if extract.Destructive(a.Command) {
		return "it destroys what cannot be brought back, or reaches others"
	}
	return ""
}

func (w *workshop) bash(ctx context.Context, a bashArgs) (agent.Output, error) {
	if strings.TrimSpace(a.Command) == "" {
		return agent.Output{}, errors.New("the command is empty")
	}
	limited, cancel := context.WithTimeout(ctx, maxRun)
	defer cancel()
	cmd := exec.CommandContext(limited, "bash", "-c", a.Command)
	cmd.Dir, cmd.Env = w.dir, withoutKeys(os.Environ())
	endWithChildren(cmd)
	var out ends
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	text := truncate.Text(out.String(), maxOutput)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return agent.Output{}, ctx.Err()
	case limited.Err() != nil:
		return agent.Output{Text: text, IsError: true}, fmt.Errorf("it was stopped after %v", maxRun)
	case errors.As(err, &exit):
		code := exit.ExitCode()
		return agent.Output{Text: text, IsError: true, Exit: &code}, nil
	case err != nil:
		return agent.Output{}, err
	}
	code := 0
	return agent.Output{Text: text, Exit: &code}, nil
}

// ends keeps the beginning and the end of an output of any length.
type ends struct{ head, tail []byte }

func (e *ends) Write(b []byte) (int, error) {
	n := len(b)
	if room := maxReading - len(e.head); room > 0 {
		take := min(room, n)
		e.head, b = append(e.head, b[:take]...), b[take:]
	}
	if e.tail = append(e.tail, b...); len(e.tail) > 2*maxReading {
		e.tail = append([]byte(nil), e.tail[len(e.tail)-maxReading:]...)
	}
	return n, nil
}

func (e *ends) String() string {
	tail := e.tail
	if over := len(tail) - maxReading; over > 0 {
		tail = append([]byte("\n[output left out]\n"), tail[over:]...)
	}
	return strings.ToValidUTF8(string(e.head)+string(tail), "\uFFFD")
}

// withoutKeys keeps keys of providers from the commands that a model runs.
func withoutKeys(env []string) []string {
	var kept []string
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		if !strings.HasSuffix(name, "_API_KEY") && !strings.HasSuffix(name, "_TOKEN") {
			kept = append(kept, e)
		}
	}
	return kept
}

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

func (w *workshop) read(_ context.Context, a readArgs) (agent.Output, error) {
	text, err := w.text(a.Path)
	if err != nil {
		return agent.Output{}, err
	}
	lines := strings.SplitAfter(text, "\n")
	from := min(max(a.Offset-1, 0), len(lines))
	limit := a.Limit
	if limit <= 0 {
		limit = 2000
	}
	lines = lines[from:min(from+limit, len(lines))]
	return agent.Output{Text: truncate.Text(strings.Join(lines, ""), maxOutput)}, nil
}

// text is the content of a file that is text and not too large.
func (w *workshop) text(path string) (string, error) {
	f, err := w.root.Open(w.inside(path))
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(fmt.Errorf("%s is no file", path), err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxReading+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > maxReading:
		return "", fmt.Errorf("%s has more than %d bytes", path, maxReading)
	case bytes.IndexByte(data, 0) >= 0:
		return "", fmt.Errorf("%s is no text", path)
	}
	return string(data), nil
}

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (w *workshop) write(_ context.Context, a writeArgs) (agent.Output, error) {
	path := w.inside(a.Path)
	if dir := filepath.Dir(path); dir != "." {
		if err := w.root.MkdirAll(dir, 0o755); err != nil {
			return agent.Output{}, err
		}
	}
	if err := w.replace(path, a.Content); err != nil {
		return agent.Output{}, err
	}
	return agent.Output{Text: fmt.Sprintf("%s: %d bytes written", a.Path, len(a.Content))}, nil
}

type editArgs struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

func (w *workshop) edit(_ context.Context, a editArgs) (agent.Output, error) {
	text, err := w.text(a.Path)
	if err != nil {
		return agent.Output{}, err
	}
	switch n := strings.Count(text, a.Old); {
	case a.Old == "":
		return agent.Output{}, errors.New("old is empty")
	case n != 1:
		return agent.Output{}, fmt.Errorf("old occurs %d times in %s, not once", n, a.Path)
	}
	if err := w.replace(w.inside(a.Path), strings.Replace(text, a.Old, a.New, 1)); err != nil {
		return agent.Output{}, err
	}
	return agent.Output{Text: a.Path + ": 1 place replaced"}, nil
}

// replace writes a file beside the old one and puts it in its place, so that
// no stop leaves half of it.
func (w *workshop) replace(path, content string) error {
	mode := fs.FileMode(0o644)
	if info, err := w.root.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no file", path)
		}
		mode = info.Mode().Perm()
	}
	part := path + ".part"
	if err := w.root.WriteFile(part, []byte(content), mode); err != nil {
		return err
	}
	if err := w.root.Rename(part, path); err != nil {
		return errors.Join(err, w.root.Remove(part))
	}
	return nil
}

// inside is a path as the root takes it: a model may name it from the root of
// the disk.
func (w *workshop) inside(path string) string {
	if rel, err := filepath.Rel(w.dir, path); filepath.IsAbs(path) && err == nil {
		return rel
	}
	return filepath.Clean(path)
}
