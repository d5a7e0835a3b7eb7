// Command bench compares pith with what a Go or JavaScript developer would use
// instead, on the same sessions and the same cuts, and writes what it found as
// JSON and as the document docs/comparison.md:
//
//	go run ./bench
//
// The others are run for real: eino's middlewares by the nested module
// bench/eino, langchain's and the Vercel AI SDK's by bench/js under Node.js.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

// flags are what the program is asked to do.
type flags struct {
	sessions, out, doc, date string
	skipJS, skipEino, render bool
}

func main() {
	var f flags
	flag.StringVar(&f.sessions, "sessions", os.Getenv("PITH_CORPUS"), "folder of sessions; without it those kept in the repository")
	flag.StringVar(&f.out, "out", filepath.Join("docs", "comparison.json"), "file to write the figures to")
	flag.StringVar(&f.doc, "doc", filepath.Join("docs", "comparison.md"), "file to write the document to")
	flag.StringVar(&f.date, "date", time.Now().UTC().Format(time.DateOnly), "date that the document states")
	flag.BoolVar(&f.skipJS, "skip-js", false, "leave out langchain and the Vercel AI SDK, which need Node.js and npm")
	flag.BoolVar(&f.skipEino, "skip-eino", false, "leave out eino, which needs the Go module proxy once")
	flag.BoolVar(&f.render, "render", false, "run nothing: write the document again from the figures in -out")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, f)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, f flags) error {
	if _, err := os.Stat(filepath.Join("bench", "eino", "go.mod")); err != nil {
		return errors.New("run it from the root of the repository: go run ./bench")
	}
	if f.render {
		return render(f)
	}
	peers, err := startPeers(f)
	if err != nil {
		return err
	}
	c, err := compare(ctx, f, peers)
	for _, p := range peers {
		err = errors.Join(err, p.stop())
	}
	if err != nil {
		return err
	}
	return write(f, c)
}

// startPeers starts the runners that were not left out.
func startPeers(f flags) (map[string]*peer, error) {
	work, err := workFolder()
	if err != nil {
		return nil, err
	}
	peers := map[string]*peer{}
	for _, r := range []struct {
		name, flag string
		skip       bool
		start      func(root, work string) (*peer, error)
	}{{runnerEino, "-skip-eino", f.skipEino, startEino}, {runnerJS, "-skip-js", f.skipJS, startJS}} {
		if r.skip {
			continue
		}
		p, err := r.start(".", work)
		if err != nil {
			for _, started := range peers {
				err = errors.Join(err, started.stop())
			}
			return nil, fmt.Errorf("%w\nwith %s it goes on without", err, r.flag)
		}
		peers[r.name] = p
	}
	return peers, nil
}

// workFolder is where the runners are built: in the user's cache, so that the
// next run finds the packages there.
func workFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	work := filepath.Join(cache, "pith-bench")
	return work, os.MkdirAll(work, 0o700)
}

// write writes the figures and the document that is made from them.
func write(f flags, c *Comparison) error {
	figures, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.out, append(figures, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(f.doc, document(c), 0o644)
}

// render writes the document from figures that were found before.
func render(f flags) error {
	figures, err := os.ReadFile(f.out)
	if err != nil {
		return err
	}
	var c Comparison
	if err := json.Unmarshal(figures, &c); err != nil {
		return fmt.Errorf("%s: %w", f.out, err)
	}
	return os.WriteFile(f.doc, document(&c), 0o644)
}
