package main

import (
	"slices"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
)

// standing is how one candidate did over all the cuts at which it has anything
// to show.
type standing struct {
	of   string
	cuts int
	// sizes are sums.
	live, text, tail pith.Tokens
	all, needed      measure.Summary
	// stated is what the text states and what of it occurs, fields that of the state.
	stated, fields measure.Share
	goals          int
	// drift is the largest of any cut.
	drift float64
	// cosine, other and stale are sums: with the user's words, and the controls.
	cosine, other, stale float64
	calls, residual      int
	// seen and control are repeated calls of so many: behind the cuts, and in
	// windows without a compaction.
	seen, control, controlCalls int
	needles, rules              measure.Share
	promoted                    int
	planted                     bool
	micros                      int64
	reports                     []*measure.Report
}

// intervalSeed makes the intervals the same from run to run.
const intervalSeed = 1

// standings are those of every candidate, in their order.
func standings(all []measure.Report) []standing {
	var out []standing
	for i := range all {
		r := &all[i]
		k := slices.IndexFunc(out, func(s standing) bool { return s.of == r.Of })
		if k < 0 {
			k = len(out)
			out = append(out, standing{of: r.Of})
		}
		if r.Absent == "" {
			out[k].reports = append(out[k].reports, r)
		}
	}
	for k := range out {
		out[k].join()
	}
	return out
}

// shared are the standings at those cuts alone at which every candidate has
// anything to show; nil where those are all or none.
func shared(all []measure.Report) []standing {
	type place struct {
		file, session string
		cut           measure.Cut
	}
	absent, of := map[place]bool{}, map[place]bool{}
	at := func(r *measure.Report) place { return place{r.File, r.Session, r.Cut} }
	for i := range all {
		of[at(&all[i])] = true
		if all[i].Absent != "" {
			absent[at(&all[i])] = true
		}
	}
	if len(absent) == 0 || len(absent) == len(of) {
		return nil
	}
	return standings(slices.DeleteFunc(slices.Clone(all), func(r measure.Report) bool { return absent[at(&r)] }))
}

func (s *standing) join() {
	for _, r := range s.reports {
		s.cuts++
		s.live, s.text, s.tail = s.live+r.Size.Live, s.text+r.Size.Text, s.tail+r.Size.Tail
		s.stated.Found, s.stated.Of = s.stated.Found+r.Precision.Found, s.stated.Of+r.Precision.Of
		s.fields.Found, s.fields.Of = s.fields.Found+r.PrecisionInState.Found, s.fields.Of+r.PrecisionInState.Of
		if r.Drift.Goal && r.Drift.Amendments {
			s.goals++
		}
		s.drift = max(s.drift, r.Drift.GDM)
		s.cosine, s.other, s.stale = s.cosine+r.Drift.Cosine, s.other+r.Drift.Other, s.stale+r.Drift.Stale
		w := &r.Waste
		s.calls, s.seen, s.residual = s.calls+w.Calls, s.seen+w.Repeated, s.residual+w.Residual
		s.controlCalls, s.control = s.controlCalls+w.ControlCalls, s.control+w.ControlRepeated
		if p := r.Planted; p != nil {
			s.planted = true
			s.needles.Add(p.Needles)
			s.rules.Add(p.Rules)
			s.promoted += p.Promoted
		}
		s.micros += r.Micros
	}
	s.all = summary(s.reports, func(r *measure.Report) []measure.Retained { return r.All }, "")
	s.needed = summary(s.reports, func(r *measure.Report) []measure.Retained { return r.Needed }, "")
}

// summary joins the counts of one kind, or of all for "", with its interval.
func summary(reports []*measure.Report, list func(*measure.Report) []measure.Retained, kind measure.Kind) measure.Summary {
	counted := make([]measure.Counted, 0, len(reports))
	for _, r := range reports {
		c := measure.Counted{Session: r.File + "#" + r.Session}
		for _, x := range list(r) {
			if kind == "" || x.Kind == kind {
				c.Found += float64(x.Full) + float64(x.Half)/2
				c.Of += float64(x.Of)
			}
		}
		counted = append(counted, c)
	}
	return measure.Summarise(counted, intervalSeed)
}

func (s *standing) tcr() float64       { return float64(s.live) / float64(max(s.text, 1)) }
func (s *standing) effective() float64 { return float64(s.live) / float64(max(s.text+s.tail, 1)) }

// precision is that of the text or that of the state, the lower; 1 where
// nothing is stated.
func (s *standing) precision() float64 { return min(shareOf(s.stated), shareOf(s.fields)) }

func shareOf(s measure.Share) float64 {
	if s.Of == 0 {
		return 1
	}
	return float64(s.Found) / float64(s.Of)
}

func (s *standing) repeated() float64 { return float64(s.residual) / float64(max(s.calls, 1)) }
