package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/meter"
)

// cutFigures are the figures of one compaction of one session.
type cutFigures struct {
	File        string             `json:"file"`
	Session     string             `json:"session,omitempty"` // its number in a file of several
	Boundary    int                `json:"boundary"`          // 0: the end of the session
	Before      pith.Tokens        `json:"tokens_before"`
	Block       pith.Tokens        `json:"tokens_block"`
	State       pith.Tokens        `json:"tokens_state"`
	Client      pith.Tokens        `json:"tokens_client_summary"`
	Retention   measure.Retention  `json:"retention"`
	Needs       measure.NeedShares `json:"needs_in_block"`
	ClientNeeds measure.NeedShares `json:"needs_in_client_summary"`
}

// name is how a row of the table names its session.
func (f *cutFigures) name() string {
	if f.Session == "" {
		return filepath.Base(f.File)
	}
	return filepath.Base(f.File) + "#" + f.Session
}

func measureCommand(c *console) *cobra.Command {
	var asJSON, misses bool
	cmd := &cobra.Command{
		Use:   "measure FILE...",
		Short: "Measure what a compaction keeps, at every compaction the client made and at the end",
		Long: `Measure what pith's compaction keeps, at every place where the client compacted
and at the end of each session. The facts to be found are read off the session by
a checker that shares no code with the extraction.

retention: found in the state, of all there are. needs: of the names that the
agent's next 60 calls used and that it had seen before, those that the block
holds; beside them the client's own summary. Quality is not judged by a model.`,
		Example: "  pith measure --budget 4000 session.jsonl\n  pith measure --json *.jsonl",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var all []cutFigures
			for _, file := range args {
				figures, err := measureFile(file, c.settings.memory())
				if err != nil {
					return err
				}
				all = append(all, figures...)
			}
			if asJSON {
				return printJSON(c.out, all)
			}
			return c.printFigures(all, misses)
		},
	}
	settingFlag(cmd.Flags(), "budget")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&misses, "misses", false, "list what was not found")
	return cmd
}

// measureFile measures a session at every compaction of the client and at its end.
func measureFile(file string, config memory.Config) ([]cutFigures, error) {
	if err := checkFile(file); err != nil {
		return nil, err
	}
	sessions, err := sessionIDs(file)
	if err != nil {
		return nil, inFile(file, err)
	}
	var out []cutFigures
	for _, session := range sessions {
		figures, err := measureSession(file, session, config)
		if err != nil {
			return nil, err
		}
		out = append(out, figures...)
	}
	return out, nil
}

// measureSession measures one session of a file, "" where it holds no other.
func measureSession(file, session string, config memory.Config) ([]cutFigures, error) {
	boundaries, err := countBoundaries(file, session)
	if err != nil {
		return nil, inFile(file, err)
	}
	var out []cutFigures
	for n := 1; n <= boundaries+1; n++ {
		boundary := n
		if n > boundaries {
			boundary = 0
		}
		f, err := measureCut(file, session, boundary, config)
		if err != nil {
			return nil, inFile(file, fmt.Errorf("cut %s: %w", cutName(boundary), err))
		}
		out = append(out, *f)
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
	f.Close()
	if !info.Mode().IsRegular() {
		return usage("save it to a file and name that", "%s is no file: measure reads a session several times", name)
	}
	return nil
}

func cutName(boundary int) string {
	if boundary == 0 {
		return "end"
	}
	return strconv.Itoa(boundary)
}

func countBoundaries(file, session string) (int, error) {
	n := 0
	err := records(file, session, func(r pith.Record) bool {
		if r.Boundary != nil {
			n = r.Boundary.N
		}
		return true
	})
	return n, err
}

func measureCut(file, session string, boundary int, config memory.Config) (*cutFigures, error) {
	in, _, err := openFile(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	m := memory.New(config)
	s, err := m.Read(in, memory.ReadOptions{Boundary: boundary, Session: session})
	if err != nil {
		return nil, err
	}
	r, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		return nil, err
	}
	observed, needs, summary, err := observe(file, session, boundary)
	if err != nil {
		return nil, err
	}
	root := r.State.Checkpoint.Workspace.Root
	f := &cutFigures{
		File: file, Session: session, Boundary: boundary, Before: s.Live(), Block: r.Block.Tokens, State: meter.Count(string(r.JSON)),
		Client: meter.Count(summary), Retention: observed.Score(r.State), Needs: needs.In(r.Block.Text, root),
	}
	if summary != "" {
		f.ClientNeeds = needs.In(summary, root)
	}
	return f, nil
}

// observe reads the truth up to the cut, the names that the next calls needed,
// and the client's own summary.
func observe(file, session string, boundary int) (*measure.Observer, *measure.Needs, string, error) {
	o, needs, summary := measure.NewObserver(), &measure.Needs{}, ""
	passed, calls := false, 0
	err := records(file, session, func(r pith.Record) bool {
		if boundary > 0 && r.Boundary != nil && r.Boundary.N == boundary {
			passed = true
			summary = measure.TextOf(r.Boundary.Replacement)
			return true
		}
		if !passed {
			o.Record(r)
			return true
		}
		if r.Boundary != nil {
			return false
		}
		if m := r.Message; m != nil {
			for i := range m.Blocks {
				b := &m.Blocks[i]
				if b.Kind == pith.KindText && b.Origin == pith.Harness && summary == "" {
					summary = b.Text
				}
				if b.Kind == pith.KindToolUse && m.Agent == "" {
					calls++
					needs.Call(b, o.Seen)
				}
			}
		}
		return calls < measure.Window
	})
	return o, needs, summary, err
}

func (c *console) printFigures(all []cutFigures, misses bool) error {
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "file\tcut\tlive\tblock\tratio\tclient\tmodified\tinspected\tfailing\tverified\trules\tprecision\tneeds: paths\ttests\tSHAs\tsymbols\t")
	var sum measure.Retention
	var needs, client measure.NeedShares
	for _, f := range all {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%.1f\t%d\t%s\t%s\t\n", f.name(), cutName(f.Boundary), f.Before, f.Block,
			float64(f.Before)/float64(max(f.Block, 1)), f.Client, retentionRow(f.Retention), needsRow(f.Needs))
		sum.Add(f.Retention)
		needs.Add(f.Needs)
		client.Add(f.ClientNeeds)
	}
	fmt.Fprintf(w, "all\t\t\t\t\t\t%s\t%s\t\n", retentionRow(sum), needsRow(needs))
	fmt.Fprintf(w, "client\t\t\t\t\t\t\t\t\t\t\t\t%s\t\n", needsRow(client))
	if err := w.Flush(); err != nil || !misses {
		return err
	}
	for _, x := range []struct {
		name  string
		share measure.Share
	}{
		{"modified", sum.Modified}, {"inspected", sum.Inspected}, {"failing", sum.Failing}, {"verified", sum.Verified},
		{"rules", sum.Constraints}, {"precision", sum.Precision}, {"need path", needs.Paths}, {"need test", needs.Tests},
		{"need sha", needs.SHAs}, {"need symbol", needs.Symbols},
	} {
		for _, m := range x.share.Missed {
			fmt.Fprintf(c.out, "missed %s: %s\n", x.name, firstLine(m, 160))
		}
	}
	return nil
}

func retentionRow(r measure.Retention) string {
	return strings.Join([]string{
		cell(r.Modified), cell(r.Inspected), cell(r.Failing), cell(r.Verified), cell(r.Constraints), cell(r.Precision),
	}, "\t")
}

func needsRow(n measure.NeedShares) string {
	return strings.Join([]string{cell(n.Paths), cell(n.Tests), cell(n.SHAs), cell(n.Symbols)}, "\t")
}

func cell(s measure.Share) string { return fmt.Sprintf("%d/%d", s.Found, s.Of) }
