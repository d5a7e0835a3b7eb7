package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/truncate"
)

func truncateCommand(c *console) *cobra.Command {
	var o truncate.Options
	cmd := &cobra.Command{
		Use:   "truncate [FILE|-]",
		Short: "Shorten verbose output: the first and the last lines stay",
		Long: `Shorten verbose output. The first lines (the command, its configuration) and
the last ones (the traceback, the verdict) stay; how much is left out is stated
in its place. Without a file it filters standard input.`,
		Example: "  go test -v ./... 2>&1 | pith truncate\n  pith truncate --head 10 --tail 30 build.log",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if o.Head < 0 || o.Tail < 0 {
				return usage("", "--head and --tail count lines: 0 or more")
			}
			// In truncate.Options a zero is the default and -1 is none.
			for _, n := range []*int{&o.Head, &o.Tail} {
				if *n == 0 {
					*n = -1
				}
			}
			in, err := c.open(fileOrStdin(args))
			if err != nil {
				return err
			}
			defer in.Close()
			text, err := io.ReadAll(in)
			if err != nil {
				return readError(in.name, err)
			}
			_, err = io.WriteString(c.out, truncate.Lines(string(text), o).Text)
			return err
		},
	}
	cmd.Flags().IntVar(&o.Head, "head", 5, "lines to keep at the beginning")
	cmd.Flags().IntVar(&o.Tail, "tail", 15, "lines to keep at the end")
	return cmd
}

func redactCommand(c *console) *cobra.Command {
	var report bool
	cmd := &cobra.Command{
		Use:   "redact [FILE|-]",
		Short: "Replace secrets by markers; everything else stays as it is",
		Long: `Replace secrets by markers such as [REDACTED:github-token:1]. Equal numbers mean
equal secrets. JSON and JSON lines stay valid; paths, hashes, ids and exit codes
are never touched. Without a file it filters standard input.`,
		Example: "  env | pith redact\n  pith redact --report session.jsonl > clean.jsonl",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			in, err := c.open(fileOrStdin(args))
			if err != nil {
				return err
			}
			defer in.Close()
			r := redact.New()
			if err := redactStream(r, in, c.out); err != nil {
				return err
			}
			if report {
				for _, n := range r.Counts() {
					fmt.Fprintf(c.err, "pith: redacted %d of %s\n", n.Count, n.Rule)
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&report, "report", false, "say on standard error what was redacted, by rule")
	return cmd
}

// redactStream passes JSON lines one by one, so that a file of any size runs
// through in the memory of its longest line; anything else is read whole,
// because a private key spans lines.
func redactStream(r *redact.Redactor, in *input, out io.Writer) error {
	buffered := bufio.NewReaderSize(in, 1<<20)
	first, err := buffered.Peek(1)
	if err != nil && !errors.Is(err, io.EOF) {
		return readError(in.name, err)
	}
	w := bufio.NewWriterSize(out, 1<<16)
	if len(first) > 0 && first[0] == '{' {
		for {
			line, err := buffered.ReadBytes('\n')
			if _, werr := w.Write(r.JSON(line)); werr != nil {
				return werr
			}
			if errors.Is(err, io.EOF) {
				return w.Flush()
			}
			if err != nil {
				return readError(in.name, err)
			}
		}
	}
	text, err := io.ReadAll(buffered)
	if err != nil {
		return readError(in.name, err)
	}
	if len(first) > 0 && first[0] == '[' {
		text = r.JSON(text)
	} else {
		text = []byte(r.Text(string(text)))
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	return w.Flush()
}

func fileOrStdin(args []string) string {
	if len(args) == 0 {
		return "-"
	}
	return args[0]
}

func readError(name string, err error) error {
	return &pith.Error{Op: "read " + or(name, stdinName), Kind: pith.KindInput, Err: err}
}
