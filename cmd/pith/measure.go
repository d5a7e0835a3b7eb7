package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/trial"
)

// measureFlags are what `pith measure` is asked for.
type measureFlags struct {
	of              []string
	cuts, by        string
	rounds, calls   int
	plant           uint64
	session, format string
	asJSON, asCSV   bool
	misses          bool
	page            string
	limits          limits
	candidates      []trial.Candidate
	places          []trial.Place
	config          memory.Config
	done, files     int
}

const measureLong = `Measure what stands for a session's history after a compaction: pith's block,
the client's own summary, or any text that claims to. No model is asked. What is
to be found is read off the records by a checker that shares no code with the
extraction, and it is looked for in what an agent would be given: the text and
the messages that stay verbatim beside it.

Candidates (--of, in the order of the table; thresholds are about the first):
  pith         the block of ` + "`pith compact`" + ` and the messages that it keeps
  client       the client's own summary, where it made one, and what it kept
  raw          the whole live context
  keep-last:N  the last N messages
  mask:N       the live context without tool output older than N turns
  file:PATH    any text

Columns:
  cuts       places at which it was measured
  live       tokens of the contexts that it stands for, on average
  text tail  tokens of what stands for them, and of what stays verbatim beside it
  ratio      live / text; "with tail" is live / (text + tail)
  all        of all that the session held before the cut: paths, runs with exit
             code and counts, errors, rules, decisions, todos, names ...
  needed     of that, what the agent's next calls really used
             both with the 95 % interval over sessions; a part of a fact counts
             as half, a value that was superseded as nothing
  true       of what the text states, or the state where that is less, what does
             occur in the session; what is kept verbatim states nothing
  goal       cuts at which the user's goal is there word for word
  drift      the largest lexical distance (0-1) from the user's words
  repeated   of the agent's next calls, those whose answer it had seen, that
             still held, and that the candidate does not give it: a proxy
  ms         milliseconds to make it, on average
docs/measure.md says how each is computed and what it does not show.

Thresholds are shares, as 98% or 0.98, but --min-tcr, which is a ratio.
A file that cannot be measured is named on standard error; the others are
measured all the same.

Exit codes: 0 measured, 2 usage, 3 no file could be measured, 5 a threshold is
missed.`

func measureCommand(c *console) *cobra.Command {
	f := &measureFlags{}
	cmd := &cobra.Command{
		Use:   "measure FILE...",
		Short: "Measure what a compaction keeps: pith's, the client's own, or any text",
		Long:  measureLong,
		Example: `  pith measure session.jsonl                            # pith beside the client, at its compactions and the end
  pith measure *.jsonl --of pith,client,keep-last:20,mask:10,raw
  pith measure session.jsonl --of file:summary.md --cuts end --misses
  pith measure session.jsonl --rounds 5 --plant 7       # a chain of compactions, needles planted
  pith measure *.jsonl --html report.html
  pith measure *.jsonl --min-cirr 98% --min-need 90%    # exit code 5 where less is kept, for CI`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(c); err != nil {
				return err
			}
			return c.measure(cmd.Context(), args, f)
		},
	}
	f.addTo(cmd)
	return cmd
}

func (f *measureFlags) addTo(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringSliceVar(&f.of, "of", []string{"pith", "client"}, "what to measure; may be repeated")
	fl.StringVar(&f.cuts, "cuts", "boundaries,end", "where: boundaries (the client's compactions), end, or percent of the session's tokens")
	fl.IntVar(&f.rounds, "rounds", 0, "compact that often in a row as well, each time on top of the last")
	fl.Uint64Var(&f.plant, "plant", 0, "put needles and rules into the session by this seed and look for them")
	fl.IntVar(&f.calls, "window-calls", measure.Window, "how many calls after a cut count as what the agent did next")
	settingFlag(fl, "budget")
	formatFlag(cmd, &f.format)
	sessionFlag(cmd, &f.session)
	fl.StringVar(&f.by, "by", "", "file: a row for each cut of each session")
	completeFlag(cmd, "by", []string{"file"})
	fl.BoolVar(&f.misses, "misses", false, "list what the first candidate lost, with its place")
	fl.BoolVar(&f.asJSON, "json", false, "print the reports as JSON")
	fl.BoolVar(&f.asCSV, "csv", false, "print a row for each report and kind as CSV")
	fl.StringVar(&f.page, "html", "", "write the comparison to this file, as one HTML page")
	f.limits.addTo(fl)
}

func (f *measureFlags) check(c *console) (err error) {
	switch {
	case f.asJSON && f.asCSV:
		return usage("leave one of them out", "--json and --csv both say what is printed")
	case f.by != "" && f.by != "file":
		return usage("", "--by %q: want file", f.by)
	case f.rounds < 0 || f.rounds == 1 || f.rounds > maxRounds:
		return usage("", "--rounds: want a number from 2 to %d", maxRounds)
	case f.calls < 1:
		return usage("", "--window-calls: want a number from 1")
	}
	if err := checkFormat(f.format); err != nil {
		return err
	}
	if f.places, err = trial.ParsePlaces(f.cuts); err != nil {
		return usage("", "--cuts: %w", err)
	}
	for _, spec := range f.of {
		candidate, err := trial.ParseCandidate(strings.TrimSpace(spec), readText)
		if err != nil {
			if pith.KindOf(err) == pith.KindInput {
				return err
			}
			return usage("", "--of: %w", err)
		}
		if slices.ContainsFunc(f.candidates, func(x trial.Candidate) bool { return x.Name == candidate.Name }) {
			return usage("", "--of: %q stands there twice", spec)
		}
		f.candidates = append(f.candidates, candidate)
	}
	f.config = c.settings.memory()
	return nil
}

// maxRounds bounds a chain.
const maxRounds = 100

// maxText bounds a text that claims to stand for a session. Units: bytes.
const maxText = 64 << 20

func readText(path string) (string, error) {
	f, info, err := openFile(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	if info.Size() > maxText {
		return "", usage("", "%s: %d bytes are no summary", path, info.Size())
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return "", readError(path, err)
	}
	return string(text), nil
}

func (c *console) measure(ctx context.Context, files []string, f *measureFlags) error {
	var all []measure.Report
	var failed []error
	f.files = len(files)
	for _, file := range files {
		reports, err := c.measureFile(ctx, file, f)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = append(failed, err)
		}
		all = append(all, reports...)
		f.done++
	}
	for i, err := range failed {
		if i+1 == len(failed) && len(all) == 0 {
			return err
		}
		report(c.err, err)
	}
	if len(all) == 0 {
		return &pith.Error{Op: "measure " + strings.Join(files, " "), Kind: pith.KindInput, Err: errNoFigures}
	}
	if err := c.showReports(all, f); err != nil {
		return err
	}
	return f.limits.judge(c.err, all)
}

func (c *console) showReports(all []measure.Report, f *measureFlags) error {
	if f.page != "" {
		if err := c.writeReportPage(f.page, all); err != nil {
			return err
		}
	}
	switch {
	case f.asJSON:
		return printJSON(c.out, all)
	case f.asCSV:
		return writeCSV(c.out, all)
	}
	return c.printReports(all, f)
}

func (c *console) writeReportPage(file string, all []measure.Report) error {
	var page strings.Builder
	if err := writePage(&page, all); err != nil {
		return err
	}
	return c.write(file, []byte(page.String()))
}

// measureFile measures the sessions of a file; those before one that fails count.
func (c *console) measureFile(ctx context.Context, file string, f *measureFlags) ([]measure.Report, error) {
	file, session, err := inDatabase(file, f.session)
	if err == nil {
		err = checkFile(file)
	}
	if err != nil {
		return nil, err
	}
	sessions := []string{session}
	if session == "" && f.format == "" {
		if sessions, err = sessionIDs(file); err != nil {
			return nil, inFile(file, err)
		}
	}
	progress := c.measuring(file, f)
	defer progress.clear()
	var out []measure.Report
	for _, session := range sessions {
		reports, err := trial.Run(ctx, trial.Options{
			File: file, Session: session, Format: pith.Format(f.format), Memory: f.config,
			Open:       func() (io.ReadSeekCloser, error) { f, err := openReadable(file); return f, err },
			Candidates: f.candidates, Cuts: f.places, Rounds: f.rounds, Calls: f.calls, Plant: f.plant,
			Clock: time.Now, Progress: progress.at,
		})
		if err != nil {
			return out, inFile(file, err)
		}
		out = append(out, reports...)
	}
	return out, nil
}

// checkFile refuses what can be read only once.
func checkFile(name string) error {
	if name == "-" {
		return usage("save it to a file and name that", "measure reads a session several times, standard input can be read once")
	}
	f, info, err := openFile(name)
	if err != nil {
		return err
	}
	_ = f.Close() // it was only looked at
	if !info.Mode().IsRegular() {
		return usage("save it to a file and name that", "%s is no file: measure reads a session several times", name)
	}
	return nil
}

// cutsProgress shows on a terminal how far a long measurement is.
type cutsProgress struct {
	start time.Time
	name  string
	out   io.Writer
	shown *progressbar.ProgressBar
}

func (c *console) measuring(file string, f *measureFlags) *cutsProgress {
	if !c.progress {
		return nil
	}
	name := "measuring " + file
	if f.files > 1 {
		name += " (" + strconv.Itoa(f.done+1) + " of " + strconv.Itoa(f.files) + ")"
	}
	return &cutsProgress{start: time.Now(), name: name, out: c.err}
}

func (p *cutsProgress) at(done, of int) {
	if p == nil || p.shown == nil && time.Since(p.start) < slow {
		return
	}
	if p.shown == nil {
		p.shown = progressbar.NewOptions(of, progressbar.OptionSetWriter(p.out), progressbar.OptionSetDescription(p.name),
			progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
	}
	p.shown.ChangeMax(of)
	_ = p.shown.Set(done) // a progress line that cannot be drawn is no reason to stop
}

func (p *cutsProgress) clear() {
	if p != nil && p.shown != nil {
		_ = p.shown.Clear()
	}
}

var errNoFigures = errors.New("there is nothing to measure: no cut lies behind a message")
