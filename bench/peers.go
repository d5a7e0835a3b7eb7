package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// request asks a peer's runner for one compaction. Summary is what the
// summarizing model answers, "" where no summary of this history exists. Where
// Runs is set, the compaction is timed that often and its messages stay behind.
type request struct {
	Messages []message `json:"messages"`
	Summary  string    `json:"summary"`
	Runs     int       `json:"runs,omitempty"`
}

type reply struct {
	Versions map[string]string `json:"versions"`
	Results  []outcome         `json:"results"`
}

// outcome is what one set-up of a peer made of a conversation.
type outcome struct {
	Of       string    `json:"of"`
	Absent   string    `json:"absent"`
	Messages []message `json:"messages"`
	// Shown counts the bytes of the history that the summarizing model was given.
	Shown int     `json:"shown"`
	Nanos []int64 `json:"nanos"`
}

// peer is a running program that compacts conversations with somebody else's library.
type peer struct {
	name string
	cmd  *exec.Cmd
	in   *json.Encoder
	pipe io.Closer
	out  *json.Decoder
}

// startEino builds and starts the runner of the nested module.
func startEino(root, work string) (*peer, error) {
	program := filepath.Join(work, "eino")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = filepath.Join(root, "bench", "eino")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("build bench/eino, which needs the Go module proxy once: %w", err)
	}
	return start("eino", exec.Command(program))
}

// startJS installs the npm packages and starts the runner. They go into the
// user's cache and not into the checkout, whose tests read every document below it.
func startJS(root, work string) (*peer, error) {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("%s is not installed; the JavaScript peers need Node.js 20 or newer with npm", tool)
		}
	}
	source := filepath.Join(root, "bench", "js")
	files, err := os.ReadDir(source)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(source, f.Name()))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(work, f.Name()), text, 0o600); err != nil {
			return nil, err
		}
	}
	if err := install(work); err != nil {
		return nil, fmt.Errorf("`npm ci` of bench/js, which needs the npm registry once: %w", err)
	}
	run := exec.Command("node", "run.mjs")
	run.Dir = work
	return start("js", run)
}

// install installs the packages, unless those of the same lock are there already.
func install(work string) error {
	lock, err := os.ReadFile(filepath.Join(work, "package-lock.json"))
	if err != nil {
		return err
	}
	mark := filepath.Join(work, "node_modules", "bench-lock.json")
	if done, err := os.ReadFile(mark); err == nil && bytes.Equal(done, lock) {
		return nil
	}
	ci := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	ci.Dir, ci.Stderr = work, os.Stderr
	if err := ci.Run(); err != nil {
		return err
	}
	return os.WriteFile(mark, lock, 0o600)
}

func start(name string, cmd *exec.Cmd) (*peer, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the runner of %s: %w", name, err)
	}
	return &peer{name: name, cmd: cmd, in: json.NewEncoder(in), pipe: in, out: json.NewDecoder(bufio.NewReader(out))}, nil
}

// compact asks for one compaction in every set-up of the peer.
func (p *peer) compact(q request) (reply, error) {
	var r reply
	if err := p.in.Encode(&q); err != nil {
		return r, fmt.Errorf("ask the runner of %s: %w", p.name, err)
	}
	if err := p.out.Decode(&r); err != nil {
		return r, fmt.Errorf("read what the runner of %s answered: %w", p.name, err)
	}
	return r, nil
}

// stop ends the runner.
func (p *peer) stop() error { return errors.Join(p.pipe.Close(), p.cmd.Wait()) }
