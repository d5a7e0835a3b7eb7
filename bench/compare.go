package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/transcript"
	"github.com/pith-memory/pith/trial"
)

// kept are the sessions that the repository itself holds.
var kept = filepath.Join("testdata", "sessions")

// places are where every session is cut: at the client's own compactions and,
// for what works without a summary, at half and at three quarters of it.
var places = []trial.Place{trial.Boundaries, 50, 75}

func compare(ctx context.Context, f flags, peers map[string]*peer) (*Comparison, error) {
	c := &Comparison{
		Date: f.date, Machine: machine(), Versions: map[string]string{"go": runtime.Version(), "pith": ownVersion()},
		Tokenizer: meter.Tokenizer,
	}
	for _, r := range []string{runnerEino, runnerJS} {
		if peers[r] == nil {
			c.Skipped = append(c.Skipped, r)
		}
	}
	dir := f.sessions
	c.From = "The sessions are real ones of public repositories and are not kept in this repository; `-sessions` named their folder."
	if dir == "" || filepath.Clean(dir) == kept {
		dir = kept
		c.From = "The sessions are those in `testdata/sessions/`."
	}
	files, err := sessionFiles(dir)
	if err != nil {
		return nil, err
	}
	var all []judged
	for _, file := range files {
		reports, err := tryFile(ctx, file, peers, c.Versions)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, reports...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no session that can be cut", dir)
	}
	c.AtSummaries = tabulate(all, hasSummary)
	c.AtAll, c.AtDialogues = tabulate(all, ofCoding), tabulate(all, ofDialogue)
	c.Sessions = c.AtAll.Sessions + c.AtDialogues.Sessions
	fmt.Fprintln(os.Stderr, "timing")
	c.Speed, err = measureSpeed(peers)
	return c, err
}

// sessionFiles are the files below a folder in the order of their names.
func sessionFiles(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && (filepath.Ext(path) == ".jsonl" || filepath.Ext(path) == ".json" || filepath.Ext(path) == ".traj") {
			out = append(out, path)
		}
		return err
	})
	return out, err
}

// tryFile tries every candidate on every session of a file. What is no session
// is passed over.
func tryFile(ctx context.Context, file string, peers map[string]*peer, versions map[string]string) ([]judged, error) {
	ids, format, err := sessionsOf(file)
	if pith.KindOf(err) == pith.KindInput {
		fmt.Fprintln(os.Stderr, "no session:", file)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []judged
	for _, id := range ids {
		fmt.Fprintln(os.Stderr, file, id)
		contest := newContest(peers, versions)
		candidates, err := contest.candidates()
		if err != nil {
			return nil, err
		}
		reports, err := trial.Run(ctx, trial.Options{
			File: filepath.Base(file), Open: func() (io.ReadSeekCloser, error) { return os.Open(file) },
			Session: id, Candidates: candidates, Cuts: places, Memory: memory.Config{},
		})
		if err != nil {
			return nil, err
		}
		for _, r := range reports {
			r.Lost, r.Precision.Missed = nil, nil
			out = append(out, judged{r, contest.notes[noteKey{r.Cut, r.Of}], format})
		}
	}
	return out, nil
}

// sessionsOf lists the sessions of a file, "" for the only one, and its format.
func sessionsOf(file string) ([]string, pith.Format, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, "", err
	}
	defer in.Close()
	d, err := transcript.NewDecoder(in, transcript.Options{})
	if err != nil {
		return nil, "", err
	}
	format := d.Header().Format
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, "", err
	}
	list, err := transcript.Sessions(in)
	if err != nil || len(list) < 2 {
		return []string{""}, format, err
	}
	var out []string
	for _, s := range list {
		out = append(out, strconv.Itoa(s.Number))
	}
	return out, format, nil
}

// machine says what it ran on. The name of the processor is Linux's to tell.
func machine() Machine {
	m := Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), CPU: "unknown processor"}
	text, err := os.ReadFile("/proc/cpuinfo")
	if errors.Is(err, fs.ErrNotExist) {
		return m
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			m.CPU = strings.TrimSpace(value)
			break
		}
	}
	return m
}

// ownVersion is the version that this program was built from.
func ownVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "this checkout"
}
