// Package trial tries compactions on sessions that are over: it cuts a session
// where its client compacted it, or at shares of its length, lets candidates
// make what would have stood for the part before the cut, and has package
// measure judge that by what came before and by what the agent really did next.
//
// It opens nothing and reads no clock: both come in as functions.
package trial

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
	"github.com/pith-memory/pith/memory"
)

// Options say what is tried on a session, and where. Open and at least one
// candidate are needed; every other zero value has one meaning.
type Options struct {
	// File is the name that the reports give.
	File string
	// Open opens the session; each reader is closed before the next is opened.
	Open func() (io.ReadSeekCloser, error)
	// Session selects one of several sessions in the file, Format is "" to
	// detect it: as transcript.Options do.
	Session string
	Format  pith.Format
	// Candidates are tried in this order at every cut.
	Candidates []Candidate
	// Cuts are where the session is compacted; none is the client's own
	// compactions and the end.
	Cuts []Place
	// Rounds, where it is over 1, also compacts the session that many times in
	// a row, each time what the round before gave and the segment that follows.
	Rounds int
	// Memory is how pith compacts.
	Memory memory.Config
	// Plant is the seed by which needles, rules, and orders in the output of
	// tools are put into the session's bytes before anything is tried, 0 for
	// none. Only the rows of Claude Code can take them; other sessions are tried
	// as they are, and their reports have no Planted.
	Plant uint64
	// Calls is how many calls after a cut count as what the agent did next, 0
	// for measure.Window.
	Calls int
	// Other is the goal of another session, for the control of the drift; ""
	// takes one that is about no software.
	Other string
	// Clock times the candidates, nil for not.
	Clock func() time.Time
	// Progress hears how many of the cuts are done, nil for nobody.
	Progress func(done, of int)
}

// Run tries every candidate at every cut of one session: the reports come cut
// by cut in the order of the session, those of the chain last, and the
// candidates of a cut in the order of the options. Errors are those of reading
// the session and of a compaction that fails.
func Run(ctx context.Context, o Options) ([]measure.Report, error) {
	o.setDefaults()
	s, err := readSession(&o)
	if err != nil {
		return nil, err
	}
	if o.Plant != 0 && s.header.Format == pith.FormatClaudeCode {
		if s, err = plant(&o); err != nil {
			return nil, err
		}
	}
	cuts := s.cuts(o.Cuts)
	rounds := s.rounds(o.Rounds)
	r := runner{options: &o, session: s, of: len(cuts) + len(rounds)}
	if err := r.try(ctx, cuts); err != nil {
		return nil, err
	}
	return r.reports, r.chain(ctx, rounds)
}

// seedlings is how many needles, rules and orders each are planted: two needles
// of each kind.
const seedlings = 12

// plant reads the session with needles in it; from now on that is the session.
func plant(o *Options) (*session, error) {
	in, err := o.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(in)
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, err
	}
	planted, plan := measure.PlantRows(o.Plant, seedlings, data)
	o.Open = func() (io.ReadSeekCloser, error) { return held{bytes.NewReader(planted)}, nil }
	s, err := readSession(o)
	if err != nil {
		return nil, err
	}
	s.plan = plan
	return s, nil
}

// held is a file whose bytes are in memory.
type held struct{ *bytes.Reader }

func (held) Close() error { return nil }

func (o *Options) setDefaults() {
	if len(o.Cuts) == 0 {
		o.Cuts = []Place{Boundaries, End}
	}
	if o.Calls <= 0 {
		o.Calls = measure.Window
	}
	if o.Other == "" {
		o.Other = otherGoal
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
}

// otherGoal is what no session about software is about.
const otherGoal = "Please plan a five-day trip to Lisbon for my parents in May: a quiet hotel near the river, two museums, and a table for dinner on their anniversary."

// runner goes through a session once and stops at each cut.
type runner struct {
	options  *Options
	session  *session
	reports  []measure.Report
	done, of int
}

// try judges every candidate at cuts that stand in the order of the session.
func (r *runner) try(ctx context.Context, cuts []cut) error {
	p := newPrefix(r.session, true)
	for i := range cuts {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.advance(cuts[i].record)
		j := newJudge(r.options, r.session, p, &cuts[i])
		for k := range r.options.Candidates {
			c := &r.options.Candidates[k]
			given, err := c.make(ctx, j.at(nil))
			if err != nil {
				return err
			}
			r.reports = append(r.reports, j.report(ctx, c, &given, p.size.Tokens()))
		}
		r.progress()
	}
	return nil
}

// chain compacts over and over: a candidate is given what it gave in the round
// before, and its live context is that and the segment that followed.
func (r *runner) chain(ctx context.Context, rounds []cut) error {
	last := make([]*Given, len(r.options.Candidates))
	p := newPrefix(r.session, false)
	before := pith.Tokens(0)
	for i := range rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.advance(rounds[i].record)
		segment := p.size.Tokens() - before
		before += segment
		j := newJudge(r.options, r.session, p, &rounds[i])
		for k := range r.options.Candidates {
			c := &r.options.Candidates[k]
			live := segment
			if last[k] != nil {
				live += last[k].size()
			}
			given, err := c.make(ctx, j.at(last[k]))
			if err != nil {
				return err
			}
			r.reports = append(r.reports, j.report(ctx, c, &given, live))
			last[k] = &given
		}
		r.progress()
	}
	return nil
}

func (r *runner) progress() {
	r.done++
	r.options.Progress(r.done, r.of)
}
