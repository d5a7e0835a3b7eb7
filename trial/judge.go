package trial

import (
	"context"
	"slices"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/redact"
)

// judge knows what there was before a cut and what was needed behind it.
type judge struct {
	options *Options
	session *session
	prefix  *prefix
	cut     *cut
	atoms   []measure.Atom
	needed  []measure.Atom
	user    measure.Words
	waster  *measure.Waster
	counter *meter.Counter
}

func newJudge(o *Options, s *session, p *prefix, c *cut) *judge {
	j := &judge{options: o, session: s, prefix: p, cut: c, counter: new(meter.Counter)}
	j.atoms, j.user = p.observer.Atoms(), p.observer.Words()
	var needs measure.Needs
	for _, r := range s.continuation(c, o.Calls) {
		if !s.main(r.Message) {
			continue
		}
		for k := range r.Message.Blocks {
			if b := &r.Message.Blocks[k]; b.Kind == pith.KindToolUse {
				needs.Call(b, p.observer.Seen)
			}
		}
	}
	j.needed = needs.Atoms(j.atoms)
	if c.Kind != "round" {
		j.waster = s.wasted(c)
	}
	return j
}

// wasted reads the session for calls that ask again what was answered before
// a cut. Rounds of a chain have none: they are no places at which anything
// really was compacted, and the calls between them are counted at the cuts.
func (s *session) wasted(c *cut) *measure.Waster {
	w := measure.NewWaster()
	for i := range s.records {
		if i == c.record {
			w.Cut()
		}
		w.Record(s.records[i])
	}
	return w
}

// at is the cut as a candidate sees it.
func (j *judge) at(previous *Given) *At {
	return &At{
		Cut: j.cut.Cut, Live: slices.Clip(j.prefix.live), Root: j.session.root, Previous: previous,
		options: j.options, session: j.session, cut: j.cut,
	}
}

// report judges what a candidate gave in the place of a context of a size.
func (j *judge) report(ctx context.Context, c *Candidate, g *Given, live pith.Tokens) measure.Report {
	r := measure.Report{
		File: j.options.File, Session: j.options.Session, Cut: j.cut.Cut, Of: c.Name, Absent: g.Absent,
		All: []measure.Retained{}, Needed: []measure.Retained{},
	}
	if g.Absent != "" {
		return r
	}
	g.count(j.counter)
	r.Size, r.Micros = size(live, g), g.Micros
	held := g.Held()
	var missedNeeds []measure.Lost
	if len(j.atoms) > 0 {
		r.All, r.Lost = measure.Retain(j.atoms, held)
	}
	if len(j.needed) > 0 {
		r.Needed, missedNeeds = measure.Retain(j.needed, held)
	}
	r.InText, _ = measure.Retain(j.atoms, g.alone())
	r.NeededInText, _ = measure.Retain(j.needed, g.alone())
	if !g.Verbatim {
		r.Precision = j.prefix.observer.Precision(g.alone())
	}
	if g.State != nil {
		r.InState, _ = measure.RetainState(j.atoms, g.State)
		r.PrecisionInState = j.prefix.observer.Precision(measure.Held{State: g.State, Root: g.Root})
	}
	r.Lost = mostWanted(r.Lost, missedNeeds, j.prefix.place)
	r.Drift = measure.DriftOf(j.user, held, j.options.Other, "")
	if j.user.Current() == "" {
		r.Drift.Cosine, r.Drift.GDM = 1, 0 // nobody said anything that could be lost
	}
	if p := j.session.plan; p != nil {
		planted := p.Of(held, j.prefix.observer.Seen)
		r.Planted = &planted
	}
	if j.waster != nil {
		r.Waste = j.waster.Of(held, j.recall(ctx, g))
	}
	redactReport(&r)
	return r
}

// redactReport takes secrets out of what a report quotes: the session was read
// as it is.
func redactReport(r *measure.Report) {
	redactor := redact.New()
	for i := range r.Lost {
		r.Lost[i].Text = redactor.Text(r.Lost[i].Text)
	}
	for _, list := range [][]string{r.Precision.Missed, r.PrecisionInState.Missed} {
		for i := range list {
			list[i] = redactor.Text(list[i])
		}
	}
}

// size tells how much smaller what was given is. What is given has to be
// smaller than the context for anything to be gained.
func size(live pith.Tokens, g *Given) measure.Size {
	s := measure.Size{Tokenizer: meter.Tokenizer, Live: live, Text: g.text, Tail: g.tail, BreakEven: g.size()}
	s.TCR = ratio(live, g.text)
	s.Effective = ratio(live, g.size())
	return s
}

func ratio(a, b pith.Tokens) float64 { return float64(a) / float64(max(b, 1)) }
